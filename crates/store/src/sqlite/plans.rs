//! How SQLite goes about what is asked again and again: by an index alone, so that it takes as long as there is to find, and not
//! as long as there is waiting.

use chrono::DateTime;
use domain::{AgentId, Audience, Day, InteractionId, TeamId};
use sqlx::{AssertSqlSafe, Row};
use uuid::Uuid;

use super::{Store, by_key, interactions, ladders};
use crate::testing::TestDatabase;

/// The steps that SQLite takes for a statement whose parameters are all numbers.
async fn steps(store: &Store, sql: &str) -> String {
    let mut query = sqlx::query(AssertSqlSafe(format!("EXPLAIN QUERY PLAN {sql}")));
    for _ in 0..sql.matches(['$', '?']).count() {
        query = query.bind(1);
    }
    let rows = query.fetch_all(&store.read).await.unwrap();
    let steps: Vec<String> = rows.iter().map(|row| row.get("detail")).collect();
    steps.join("; ")
}

#[tokio::test]
async fn what_waits_is_found_by_an_index_of_its_own() {
    let database = TestDatabase::sqlite();
    let store = Store::connect(&database.url).await.unwrap();
    let briefs = interactions::BRIEFS;
    let order = interactions::IN_ORDER_OF_THE_PANEL;
    let panel = format!("{briefs} WHERE i.state = 'pending'{order} LIMIT 50");
    let of_a_team = format!(
        "{briefs} WHERE i.state = 'pending' AND (i.team_id IS NULL OR i.team_id IN ($1)){order} LIMIT 50"
    );
    let askings = by_key::askings(&[AgentId(Uuid::nil()); 2], Day(0), 1);
    for (sql, index) in [
        (
            interactions::DUE,
            "interactions_due (state=? AND expires_at<?)",
        ),
        (
            interactions::CLAIMS_RUN_OUT,
            "interactions_claimed (state=? AND claimed_until<?)",
        ),
        (
            ladders::CLIMBING,
            "interactions_climb (state=? AND next_rung_at<?)",
        ),
        (
            askings.sql().as_str(),
            "interactions_task (state=? AND agent_id=?)",
        ),
        (&panel, "interactions_panel (state=?)"),
        (&of_a_team, "interactions_panel (state=?)"),
    ] {
        let steps = steps(&store, sql).await;
        assert!(steps.contains(index), "{sql}: {steps}");
        assert!(!steps.contains("TEMP B-TREE"), "{sql}: {steps}");
    }
}

#[tokio::test]
async fn what_the_last_day_brought_is_counted_in_indexes_alone() {
    let database = TestDatabase::sqlite();
    let store = Store::connect(&database.url).await.unwrap();
    for audience in [Audience::All, Audience::Teams(vec![TeamId(Uuid::nil())])] {
        let asked = interactions::asked_since(&audience, InteractionId(Uuid::nil()));
        let closed = interactions::closed_since(&audience, DateTime::UNIX_EPOCH);
        for (sql, index) in [
            (asked, "COVERING INDEX interactions_blockers (id>?)"),
            (closed, "COVERING INDEX interactions_closed (closed_at>?)"),
        ] {
            let steps = steps(&store, sql.sql().as_str()).await;
            assert!(steps.contains(index), "{audience:?}: {steps}");
        }
    }
}

#[tokio::test]
async fn what_is_remembered_of_a_question_is_found_by_it() {
    let database = TestDatabase::sqlite();
    let store = Store::connect(&database.url).await.unwrap();
    let sql = by_key::remembered(&["a".to_owned(), "b".to_owned()]);
    let steps = steps(&store, sql.sql().as_str()).await;
    assert!(steps.contains("memories_question (question=?)"), "{steps}");
}
