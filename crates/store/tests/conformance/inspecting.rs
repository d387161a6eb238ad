//! Looking at a database says how it is, and leaves it so.

use std::{collections::BTreeMap, fs};

use domain::{
    Identity, Ids, PasswordHash, Role, SecretHash, SessionId,
    access::{NewLink, NewSession, PasswordBy, WaysIn},
    decide::{
        access,
        identity::{self, Arrival},
        team,
    },
    team::Profile,
};
use store::{ConnectError, Inspection, NodeId, Schema, testing::TestDatabase};

use crate::database::{Database, epoch, operator};

store::on_both_databases!(
    what_is_not_there_yet_is_not_made,
    an_up_to_date_database_tells_what_is_in_it,
    nodes_tokens_and_interactions_are_told_of,
    admins_are_counted_who_can_come_in_by_what_is_open,
    an_older_a_newer_and_a_broken_schema_are_told_apart,
    what_keeps_the_program_from_writing_is_named,
);

async fn look(url: &str) -> Option<Inspection> {
    store::inspect(url).await.unwrap()
}

/// The bytes of the database's folder; of a server nothing.
fn files(url: &str) -> BTreeMap<String, Vec<u8>> {
    let Some(file) = store::database_file(url) else {
        return BTreeMap::new();
    };
    fs::read_dir(file.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect()
}

async fn what_is_not_there_yet_is_not_made(database: Database) {
    let database = Database::from(database.place.another().await);
    for _ in 0..2 {
        let found = look(&database.place.url).await;
        // Postgres has a database, and nothing in it.
        assert!(found.is_none_or(|found| found.schema == Schema::Absent));
        assert!(files(&database.place.url).is_empty());
    }
}

async fn an_up_to_date_database_tells_what_is_in_it(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let opened = database.question(&agent, Default::default(), 5);
    store.commit(opened).await.unwrap();
    let profile = Profile {
        name: "Payments".into(),
        ..Profile::default()
    };
    let team = team::create(profile, &operator(), database.at(5)).unwrap();
    store.commit(team).await.unwrap();
    let open = look(&database.place.url).await.unwrap();
    assert!(
        matches!(open.schema, Schema::Current(version) if version >= 4),
        "{open:?}"
    );
    assert!(open.hindrances.is_empty(), "{open:?}");
    let content = open.content.unwrap();
    let last_seq = store.last_seq().await.unwrap();
    assert_eq!((content.last_seq, &*content.admins), (last_seq, &[][..]));
    assert!(!content.has_admin());
    assert_eq!(content.teams, ["payments"]);
    assert_eq!(
        content.last_event_at,
        Some(epoch() + chrono::TimeDelta::seconds(5))
    );
}

async fn nodes_tokens_and_interactions_are_told_of(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    for _ in 0..3 {
        database.asked(&*store, &agent, Default::default()).await;
    }
    let node = || NodeId(database.ids.next());
    let at = |minutes| epoch() + chrono::TimeDelta::minutes(minutes);
    let (silent, old, new, stopped) = (node(), node(), node(), node());
    for (node, version, minutes) in [
        (silent, "0.9.0", 0),
        (old, "1.0.0", 1),
        (stopped, "1.0.0", 5),
        (new, "1.1.0", 6),
        (old, "1.0.0", 6),
    ] {
        store.runs(node, version, at(minutes)).await.unwrap();
    }
    store.stops(stopped).await.unwrap();
    let content = look(&database.place.url).await.unwrap().content.unwrap();
    // By the time in their ids, which is not that of this test.
    assert_eq!((content.interactions, content.interactions_of_week), (3, 0));
    let nodes = [("1.0.0".to_owned(), 1), ("1.1.0".to_owned(), 1)];
    assert_eq!(content.nodes, BTreeMap::from(nodes));
    assert_eq!((content.ending_tokens, content.failing), Default::default());
}

async fn admins_are_counted_who_can_come_in_by_what_is_open(database: Database) {
    let store = database.store().await;
    let ways = |passwords, issuer: &str| WaysIn {
        passwords,
        issuers: vec![issuer.to_owned()],
    };
    let old = "https://old.example";
    let comes = |name: &str, n| Arrival {
        identity: Identity::new(old, name).unwrap(),
        provider: "Company".into(),
        role: None,
        teams: None,
        leaves: None,
        session: NewSession {
            id: SessionId(database.ids.next()),
            hash: SecretHash([n; 32]),
            created_at: epoch(),
            expires_at: epoch() + chrono::TimeDelta::days(1),
            browser: "curl".into(),
            address: "192.0.2.1".into(),
            host: "handraise.localhost".into(),
        },
        proven_at: epoch(),
    };
    // Ana and Cem by a provider, Ben by nothing yet; Dora is no admin.
    for (name, role, n) in [
        ("Ana", Role::Admin, 1),
        ("Cem", Role::Admin, 2),
        ("Dora", Role::Viewer, 3),
    ] {
        let came = identity::come_first(name, role, &comes(name, n), database.at(0));
        store.commit(came.unwrap()).await.unwrap();
    }
    let link = NewLink {
        hash: SecretHash([9; 32]),
        expires_at: epoch() + chrono::TimeDelta::days(1),
    };
    let invited = access::invite("Ben", Role::Admin, link, &operator(), database.at(0));
    store.commit(invited.unwrap()).await.unwrap();
    let content = look(&database.place.url).await.unwrap().content.unwrap();
    assert!(content.has_admin());
    assert_eq!(content.admins.len(), 3);
    assert_eq!(content.admins_by(&ways(true, old)), 2);
    assert_eq!(content.admins_by(&ways(true, "https://new.example")), 0);
    // With a password besides, Cem comes in where passwords are open.
    let cem = store.account("cem").await.unwrap().unwrap().person;
    let link = NewLink {
        hash: SecretHash([8; 32]),
        expires_at: epoch() + chrono::TimeDelta::days(1),
    };
    let by = PasswordBy::Link {
        link: link.hash,
        session: comes("Cem", 4).session,
    };
    let made = access::make_link(&cem, link, &operator(), database.at(1)).unwrap();
    store.commit(made).await.unwrap();
    let set = access::set_password(&cem, PasswordHash("one".into()), by, database.at(1));
    store.commit(set).await.unwrap();
    let content = look(&database.place.url).await.unwrap().content.unwrap();
    for (ways, expected) in [
        (ways(true, old), 2),
        (ways(false, old), 2),
        (ways(true, "https://new.example"), 1),
        (ways(false, "https://new.example"), 0),
    ] {
        assert_eq!(content.admins_by(&ways), expected, "{ways:?}");
    }
}

#[tokio::test]
async fn a_file_that_nobody_has_open_is_left_as_it_is() {
    let database: Database = TestDatabase::sqlite().into();
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let opened = database.question(&agent, Default::default(), 5);
    store.commit(opened).await.unwrap();
    let flush = "PRAGMA wal_checkpoint(TRUNCATE)";
    database.place.execute(flush).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.db");
    let file = store::database_file(&database.place.url).unwrap();
    fs::copy(file, &copy).unwrap();

    let url = format!("sqlite://{}", copy.display());
    let before = files(&url);
    let found = look(&url).await.unwrap();
    assert!(found.hindrances.is_empty(), "{found:?}");
    let last_seq = store.last_seq().await.unwrap();
    assert_eq!(found.content.unwrap().last_seq, last_seq);
    assert_eq!(before.len(), 1);
    assert!(files(&url) == before);
}

async fn an_older_a_newer_and_a_broken_schema_are_told_apart(database: Database) {
    database.store().await;
    let schema = async |sql: &str| {
        database.place.execute(sql).await.unwrap();
        look(&database.place.url).await.unwrap().schema
    };
    let newest = "SELECT MAX(version) FROM _sqlx_migrations";
    let Schema::Current(known) = schema("SELECT 1").await else {
        panic!("not current");
    };
    let begun = format!("UPDATE _sqlx_migrations SET success = FALSE WHERE version = {known}");
    assert!(matches!(
        schema(&begun).await,
        Schema::Broken { version, .. } if version == known
    ));
    let other = "UPDATE _sqlx_migrations SET success = TRUE, checksum = '' WHERE version = 2";
    assert!(matches!(
        schema(other).await,
        Schema::Broken { version: 2, .. }
    ));
    let fewer = format!("DELETE FROM _sqlx_migrations WHERE version IN (2, ({newest}))");
    let older = schema(&fewer).await;
    assert!(
        matches!(older, Schema::Older { found, known: newest } if found < known && newest == known),
        "{older:?}"
    );
    let newer =
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
        VALUES (9999, 'from the future', TRUE, '', 0)";
    assert_eq!(schema(newer).await, Schema::Newer { found: 9999, known });
    let found = look(&database.place.url).await.unwrap();
    assert!(found.content.is_none(), "{found:?}");
}

async fn what_keeps_the_program_from_writing_is_named(database: Database) {
    database.store().await;
    let found = look(&database.place.read_only_url()).await.unwrap();
    let [hindrance] = &found.hindrances[..] else {
        panic!("{found:?}");
    };
    assert!(
        hindrance.contains("read-only") || hindrance.contains("mode=ro"),
        "{hindrance}"
    );
    let nobody = look(&database.place.url).await.unwrap();
    assert!(nobody.hindrances.is_empty(), "{nobody:?}");
}

#[tokio::test]
async fn a_user_without_rights_is_told_which_are_missing() {
    let database: Database = TestDatabase::postgres().await.into();
    database.store().await;
    // A role belongs to the whole server, so it gets the database's name.
    let role = database.place.url.rsplit('/').next().unwrap().to_owned();
    for sql in [
        format!("CREATE ROLE {role} LOGIN PASSWORD 'secret'"),
        format!("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}"),
        format!("REVOKE SELECT ON people FROM {role}"),
        format!("REVOKE UPDATE ON events, tasks FROM {role}"),
    ] {
        database.place.execute(&sql).await.unwrap();
    }
    let (_, at) = database.place.url.split_once('@').unwrap();
    let found = look(&format!("postgres://{role}:secret@{at}"))
        .await
        .unwrap();
    for sql in [format!("DROP OWNED BY {role}"), format!("DROP ROLE {role}")] {
        database.place.execute(&sql).await.unwrap();
    }
    assert!(matches!(found.schema, Schema::Current(_)), "{found:?}");
    assert!(found.content.is_none(), "{found:?}");
    let said = found.hindrances.join("\n");
    assert!(
        said.contains("may not read and write people, tasks;"),
        "{said}"
    );
    assert!(
        said.contains("may not make tables in the schema public"),
        "{said}"
    );
}

#[tokio::test]
async fn what_cannot_be_looked_at_is_an_error_without_the_password() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("h.db");
    fs::write(
        &file,
        "this is no database, and longer than a header would be".repeat(20),
    )
    .unwrap();
    let url = format!("sqlite://{}", file.display());
    let said = store::inspect(&url).await.unwrap_err().to_string();
    assert!(said.contains("file is not a database"), "{said}");
    let url = "postgres://u:secret@127.0.0.1:1/h";
    let error = store::inspect(url).await.unwrap_err();
    assert!(
        matches!(error, ConnectError::Unreachable { .. }),
        "{error:?}"
    );
    assert!(
        !format!("{error:?} {error}").contains("secret"),
        "{error:?}"
    );
}
