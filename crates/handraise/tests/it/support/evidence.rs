//! A journal to tamper with, and what the commands say of it.

use std::{fs, process::Output};

use serde_json::json;
use server::journal::export;
use store::testing::TestDatabase;
use tempfile::TempDir;

use super::{app::TestApp, program::handraise};

/// A journal of eight events, six of which are signed, and nobody at work in it.
pub(crate) struct Evidence {
    pub(crate) database: TestDatabase,
    pub(crate) folder: TempDir,
    pub(crate) public_key: String,
}

impl Evidence {
    pub(crate) async fn new(database: TestDatabase) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let app = TestApp::start_with(&database, |config| {
            config.key_file = Some(folder.path().join("key"));
            config.checkpoint_file = Some(folder.path().join("checkpoints"));
        })
        .await;
        let agent = app.agent("backend").await;
        // The first event is the agent's token, so each question has the number of its event.
        for n in 2..=8 {
            agent.ask(json!({"prompt": format!("Question {n}?")})).await;
            if n % 3 == 0 {
                app.state.checkpoints.sign_new().await.unwrap().unwrap();
            }
        }
        let written = fs::read(folder.path().join("checkpoints")).unwrap();
        app.stop().await;
        // Without the one that stopping writes.
        fs::write(folder.path().join("checkpoints"), written).unwrap();
        let key = signing::load(&folder.path().join("key")).unwrap();
        let evidence = Self {
            public_key: key.verifying_key().to_string(),
            folder,
            database,
        };
        evidence.disarm().await;
        evidence
    }

    pub(crate) fn place(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn is_sqlite(&self) -> bool {
        self.database.url.starts_with("sqlite")
    }

    async fn disarm(&self) {
        disarm(&self.database).await;
        self.database
            .execute("CREATE TABLE kept AS SELECT * FROM events")
            .await
            .unwrap();
    }

    pub(crate) async fn restore(&self) {
        for sql in [
            "DELETE FROM events",
            "INSERT INTO events SELECT * FROM kept",
        ] {
            self.database.execute(sql).await.unwrap();
        }
    }

    pub(crate) fn bytes(&self, hex: &str) -> String {
        if self.is_sqlite() {
            format!("X'{hex}'")
        } else {
            format!("'\\x{hex}'::bytea")
        }
    }

    /// A copy of an event under another number.
    pub(crate) fn copy(&self, from: i64, to: i64) -> String {
        let id = "0".repeat(32);
        let id = if self.is_sqlite() {
            format!("X'{id}'")
        } else {
            format!("'{id}'::uuid")
        };
        format!(
            "INSERT INTO events (seq, id, at, type, agent_id, interaction_id, task_id, actor, payload, prev_hash, hash)
             SELECT {to}, {id}, at, type, agent_id, interaction_id, task_id, actor, payload, prev_hash, hash
             FROM events WHERE seq = {from}"
        )
    }

    pub(crate) fn verify(&self) -> Output {
        handraise(&[
            "journal",
            "verify",
            "--database",
            &self.database.url,
            "--checkpoints",
            &self.place("checkpoints"),
            "--key",
            &self.place("key"),
        ])
    }

    /// The same from a file, as somebody would who has no access to the server.
    pub(crate) async fn verify_export(&self) -> Output {
        let store = store::connect(&self.database.url).await.unwrap();
        let path = self.place("journal.ndjson");
        let file = fs::File::create(&path).unwrap();
        export(&*store, file).await.unwrap();
        self.verify_file(&path)
    }

    pub(crate) fn verify_file(&self, export: &str) -> Output {
        handraise(&[
            "journal",
            "verify",
            "--export",
            export,
            "--checkpoints",
            &self.place("checkpoints"),
            "--public-key",
            &self.public_key,
        ])
    }
}

/// Takes away what stands in the way of somebody with the rights of the database's owner.
pub(crate) async fn disarm(database: &TestDatabase) {
    let statements: &[&str] = if database.url.starts_with("sqlite") {
        &[
            "DROP TRIGGER events_no_update",
            "DROP TRIGGER events_no_delete",
        ]
    } else {
        &["ALTER TABLE events DISABLE TRIGGER USER"]
    };
    for sql in statements {
        database.execute(sql).await.unwrap();
    }
}
