//! What was uploaded to Slack, by Slack's own ids: known from before it is seen until it is deleted there.

use domain::{Changeset, InteractionId, interaction::Draft};
use uuid::Uuid;

use crate::database::{Database, written};

store::on_both_databases!(
    what_is_uploaded_is_known_until_it_is_deleted,
    what_was_never_asked_has_no_files,
);

fn draft() -> Draft {
    serde_json::from_value(serde_json::json!({"prompt": "Which port?"})).unwrap()
}

fn ids(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

async fn what_is_uploaded_is_known_until_it_is_deleted(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let mut asked = Vec::new();
    for _ in 0..2 {
        let opening: Changeset = database.question(&agent, draft(), 0);
        asked.push(written(&opening).id);
        store.commit(opening).await.unwrap();
    }
    let (one, other) = (asked[0], asked[1]);
    assert_eq!(store.slack_files(one).await.unwrap(), ids(&[]));
    store
        .expect_slack_files(one, &ids(&["F2", "F1"]))
        .await
        .unwrap();
    store
        .expect_slack_files(other, &ids(&["F3"]))
        .await
        .unwrap();
    // To say it twice says it once.
    store.expect_slack_files(one, &ids(&["F1"])).await.unwrap();
    assert_eq!(store.slack_files(one).await.unwrap(), ids(&["F1", "F2"]));
    store.forget_slack_files(&ids(&["F1", "F9"])).await.unwrap();
    assert_eq!(store.slack_files(one).await.unwrap(), ids(&["F2"]));
    assert_eq!(store.slack_files(other).await.unwrap(), ids(&["F3"]));
}

async fn what_was_never_asked_has_no_files(database: Database) {
    let store = database.store().await;
    let unknown = InteractionId(Uuid::from_u128(1));
    assert!(
        store
            .expect_slack_files(unknown, &ids(&["F1"]))
            .await
            .is_err()
    );
    assert_eq!(store.slack_files(unknown).await.unwrap(), ids(&[]));
}
