//! The journal as evidence: signed checkpoints, exports, and what verification says of either.

use std::{fs, path::PathBuf, process::Output};

use domain::digest::hex;
use serde_json::{Value, json};
use server::journal::{Checkpoints, export};
use store::testing::TestDatabase;
use tempfile::TempDir;

use crate::{
    app::TestApp,
    cli::handraise,
    node::{self, verified_by_node},
};

store::on_both_databases!(
    whatever_is_done_to_one_row_is_named,
    a_journal_that_was_rewritten_whole_is_not_the_one_that_was_signed,
    a_checkpoint_is_written_when_there_is_something_new,
    nothing_is_signed_that_contradicts_what_was_signed,
    an_export_is_verified_without_its_database,
    a_checkpoint_holds_for_another_implementation,
);

/// A journal of eight events, six of which are signed, and nobody at work in it.
struct Evidence {
    database: TestDatabase,
    folder: TempDir,
    public_key: String,
}

impl Evidence {
    async fn new(database: TestDatabase) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let app = TestApp::start_with(&database, |config| {
            config.key_file = Some(folder.path().join("key"));
            config.checkpoint_file = Some(folder.path().join("checkpoints"));
        })
        .await;
        let agent = app.agent("backend").await;
        for n in 1..=8 {
            agent.ask(json!({"prompt": format!("Question {n}?")})).await;
            if n % 3 == 0 {
                app.state.checkpoints.sign_new().await.unwrap().unwrap();
            }
        }
        let written = fs::read(folder.path().join("checkpoints")).unwrap();
        app.stop().await;
        // Without the one that stopping writes.
        fs::write(folder.path().join("checkpoints"), written).unwrap();
        let key = server::signing::load(&folder.path().join("key")).unwrap();
        let evidence = Self {
            public_key: key.verifying_key().to_string(),
            folder,
            database,
        };
        evidence.disarm().await;
        evidence
    }

    fn place(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn is_sqlite(&self) -> bool {
        self.database.url.starts_with("sqlite")
    }

    /// What stands in the way of somebody with the rights of the database's owner.
    async fn disarm(&self) {
        let statements: &[&str] = if self.is_sqlite() {
            &[
                "DROP TRIGGER events_no_update",
                "DROP TRIGGER events_no_delete",
            ]
        } else {
            &["ALTER TABLE events DISABLE TRIGGER USER"]
        };
        for sql in statements {
            self.database.execute(sql).await.unwrap();
        }
        self.database
            .execute("CREATE TABLE kept AS SELECT * FROM events")
            .await
            .unwrap();
    }

    async fn restore(&self) {
        for sql in [
            "DELETE FROM events",
            "INSERT INTO events SELECT * FROM kept",
        ] {
            self.database.execute(sql).await.unwrap();
        }
    }

    fn bytes(&self, hex: &str) -> String {
        if self.is_sqlite() {
            format!("X'{hex}'")
        } else {
            format!("'\\x{hex}'::bytea")
        }
    }

    /// A copy of an event under another number.
    fn copy(&self, from: i64, to: i64) -> String {
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

    fn verify(&self) -> Output {
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
    async fn verify_export(&self) -> Output {
        let store = store::connect(&self.database.url).await.unwrap();
        let path = self.place("journal.ndjson");
        let file = fs::File::create(&path).unwrap();
        export(&*store, file).await.unwrap();
        self.verify_file(&path)
    }

    fn verify_file(&self, export: &str) -> Output {
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

fn said(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    let (said, silent) = match code {
        0 => (&output.stdout, &output.stderr),
        _ => (&output.stderr, &output.stdout),
    };
    assert!(silent.is_empty(), "{output:?}");
    let said = String::from_utf8(said.clone()).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    said.trim_end().to_owned()
}

async fn whatever_is_done_to_one_row_is_named(database: TestDatabase) {
    let evidence = Evidence::new(database).await;
    let holds = format!(
        "the journal holds: 8 events; checkpoints: 2, the last over 6 events, until \
         2027-01-15T08:00:00.000Z; public key {}",
        evidence.public_key
    );
    assert_eq!(said(&evidence.verify(), 0), holds);
    assert_eq!(said(&evidence.verify_export().await, 0), holds);

    let swap = |a: i64, b: i64| {
        [(a, -a), (b, a), (-a, b)]
            .map(|(from, to)| format!("UPDATE events SET seq = {to} WHERE seq = {from}"))
            .to_vec()
    };
    let one = |sql: &str| vec![sql.to_owned()];
    let hash = evidence.bytes(&"ab".repeat(32));
    let changed = "its content was changed";
    let unlinked = "it does not follow the event before it";
    for (what, harm, seq, why) in [
        (
            "edit",
            one("UPDATE events SET payload = replace(payload, '3', '4') WHERE seq = 3"),
            3,
            changed,
        ),
        (
            "edit who",
            one("UPDATE events SET actor = replace(actor, 'backend', 'devops') WHERE seq = 8"),
            8,
            changed,
        ),
        (
            "edit when",
            one("UPDATE events SET at = at - 1 WHERE seq = 1"),
            1,
            changed,
        ),
        (
            "edit whose",
            one("UPDATE events SET agent_id = NULL WHERE seq = 3"),
            3,
            changed,
        ),
        (
            "edit the hash",
            one(&format!("UPDATE events SET hash = {hash} WHERE seq = 3")),
            3,
            changed,
        ),
        (
            "edit the link",
            one(&format!(
                "UPDATE events SET prev_hash = {hash} WHERE seq = 3"
            )),
            3,
            unlinked,
        ),
        (
            "delete",
            one("DELETE FROM events WHERE seq = 3"),
            3,
            "it is missing",
        ),
        (
            "delete the first",
            one("DELETE FROM events WHERE seq = 1"),
            1,
            "it is missing",
        ),
        (
            "insert before the first",
            one(&evidence.copy(3, 0)),
            0,
            "it was inserted: no event has this number",
        ),
        ("append", one(&evidence.copy(8, 9)), 9, unlinked),
        (
            "insert",
            vec![
                "UPDATE events SET seq = -seq - 1 WHERE seq >= 4".to_owned(),
                "UPDATE events SET seq = -seq WHERE seq < 0".to_owned(),
                evidence.copy(3, 4),
            ],
            4,
            unlinked,
        ),
        ("reorder", swap(4, 5), 4, unlinked),
        (
            "truncate",
            one("DELETE FROM events WHERE seq > 4"),
            5,
            "it is missing, and so is all after it: a checkpoint was signed over 6 events",
        ),
        (
            "delete all",
            one("DELETE FROM events"),
            1,
            "it is missing, and so is all after it: a checkpoint was signed over 3 events",
        ),
    ] {
        for sql in harm {
            evidence.database.execute(&sql).await.unwrap();
        }
        let expected = format!("handraise: the journal is broken at event {seq}: {why}");
        assert_eq!(said(&evidence.verify(), 1), expected, "{what}");
        assert_eq!(
            said(&evidence.verify_export().await, 1),
            expected,
            "{what}, exported"
        );
        evidence.restore().await;
    }
    // What is no event at all has a number too.
    let sql = format!(
        "UPDATE events SET hash = {} WHERE seq = 3",
        evidence.bytes("ab")
    );
    evidence.database.execute(&sql).await.unwrap();
    let found = said(&evidence.verify(), 1);
    assert!(
        found.starts_with("handraise: the journal is broken at event 3: it cannot be read: "),
        "{found}"
    );
    evidence.restore().await;
    assert_eq!(said(&evidence.verify(), 0), holds);
}

async fn a_journal_that_was_rewritten_whole_is_not_the_one_that_was_signed(database: TestDatabase) {
    let evidence = Evidence::new(database).await;
    let store = store::connect(&evidence.database.url).await.unwrap();
    let mut previous = None;
    for mut record in store.records_after(4, 10).await.unwrap() {
        if record.seq == 5 {
            record.payload = record.payload.replace("Question 5?", "Never mind");
        }
        record.prev_hash = previous.unwrap_or(record.prev_hash);
        record.hash = record.computed_hash();
        previous = Some(record.hash);
        let sql = format!(
            "UPDATE events SET payload = replace(payload, 'Question 5?', 'Never mind'), prev_hash = {}, hash = {}
             WHERE seq = {}",
            evidence.bytes(&hex(&record.prev_hash)),
            evidence.bytes(&hex(&record.hash)),
            record.seq
        );
        evidence.database.execute(&sql).await.unwrap();
    }
    store::verify_journal(&*store).await.unwrap();
    let found = said(&evidence.verify(), 1);
    assert_eq!(
        found,
        "handraise: the journal is broken at event 4: from here to event 6 something was rewritten: \
         the checkpoint over 6 events was signed over others"
    );
    assert_eq!(said(&evidence.verify_export().await, 1), found);
}

async fn a_checkpoint_is_written_when_there_is_something_new(database: TestDatabase) {
    let folder = tempfile::tempdir().unwrap();
    let checkpoints = folder.path().join("checkpoints");
    let start = || {
        TestApp::start_with(&database, |config| {
            config.key_file = Some(folder.path().join("key"));
            config.checkpoint_file = Some(checkpoints.clone());
        })
    };
    let app = start().await;
    let agent = app.agent("backend").await;
    let signed = app.state.checkpoints.sign_new().await.unwrap();
    assert!(signed.is_none() && !checkpoints.exists());
    for size in 1..=3 {
        agent.ask(json!({})).await;
        let signed = app.state.checkpoints.sign_new().await.unwrap().unwrap();
        assert_eq!(signed.checkpoint.size, size);
        let again = app.state.checkpoints.sign_new().await.unwrap();
        assert!(again.is_none());
    }
    // Beside the running server, with the same key and the same file.
    agent.ask(json!({})).await;
    let command = [
        "journal",
        "checkpoint",
        "--database",
        &database.url,
        "--config",
        &settings(&folder),
    ];
    let place = checkpoints.display();
    assert_eq!(
        said(&handraise(&command), 0),
        format!("signed 4 events in {place}")
    );
    let nothing = format!("nothing new since the 4 events signed in {place}");
    assert_eq!(said(&handraise(&command), 0), nothing);
    agent.ask(json!({})).await;
    let signed = app.state.checkpoints.sign_new().await.unwrap().unwrap();
    assert_eq!(signed.checkpoint.size, 5);
    // Stopping signs the rest, and the next start goes on from there.
    agent.ask(json!({})).await;
    let file = app.state.checkpoints.file().clone();
    app.stop().await;
    assert_eq!(file.last().unwrap().unwrap().size, 6);
    let app = start().await;
    app.agent("backend").await.ask(json!({})).await;
    let signed = app.state.checkpoints.sign_new().await.unwrap().unwrap();
    assert_eq!(signed.checkpoint.size, 7);
    // Another node has a key and a file of its own.
    let other = TestApp::start(&database).await;
    let signed = other.state.checkpoints.sign_new().await.unwrap().unwrap();
    assert_eq!(signed.checkpoint.size, 7);
    assert_eq!(file.all().unwrap().len(), 7);
}

/// A configuration that names the files of the folder.
fn settings(folder: &TempDir) -> String {
    let path = folder.path().join("handraise.toml");
    let place = folder.path().display();
    let text = format!("key_file = '{place}/key'\ncheckpoint_file = '{place}/checkpoints'\n");
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

async fn nothing_is_signed_that_contradicts_what_was_signed(database: TestDatabase) {
    let evidence = Evidence::new(database).await;
    let path = PathBuf::from(evidence.place("checkpoints"));
    let written = fs::read(&path).unwrap();
    let store = store::connect(&evidence.database.url).await.unwrap();
    let key = || {
        let key = server::signing::load(&evidence.folder.path().join("key"));
        std::sync::Arc::new(key.unwrap())
    };
    let started = || Checkpoints::new(store.clone(), key(), "handraise".into(), path.clone());
    // One that has been running since before the harm, and one that starts after it.
    for (harm, seq) in [
        ("DELETE FROM events WHERE seq > 4", 5),
        ("DELETE FROM events WHERE seq = 7", 7),
        ("UPDATE events SET hash = prev_hash WHERE seq = 6", 1),
        (
            "UPDATE events SET payload = replace(payload, '8', '9') WHERE seq = 8",
            8,
        ),
    ] {
        evidence.restore().await;
        let long = started();
        assert_eq!(long.sign_new().await.unwrap().unwrap().checkpoint.size, 8);
        fs::write(&path, &written).unwrap();
        evidence.database.execute(harm).await.unwrap();
        for checkpoints in [long, started()] {
            let refused = checkpoints.sign_new().await.unwrap_err().to_string();
            let named = format!("the journal is broken at event {seq}: ");
            assert!(refused.starts_with(&named), "{harm}: {refused}");
            assert_eq!(fs::read(&path).unwrap(), written);
        }
    }
    // Neither with a key that did not sign what is there.
    evidence.restore().await;
    let other = std::sync::Arc::new(server::signing::SigningKey::from_seed([9; 32]));
    let other = Checkpoints::new(store.clone(), other, "handraise".into(), path.clone());
    let refused = other.sign_new().await.unwrap_err().to_string();
    assert!(refused.contains("is not signed with the key"), "{refused}");
    assert_eq!(fs::read(&path).unwrap(), written);
}

async fn an_export_is_verified_without_its_database(database: TestDatabase) {
    let evidence = Evidence::new(database).await;
    let exported = handraise(&["journal", "export", "--database", &evidence.database.url]);
    assert!(exported.status.success() && exported.stderr.is_empty());
    let text = String::from_utf8(exported.stdout).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 8);
    assert_eq!(lines[2]["seq"], 3);
    assert_eq!(lines[2]["type"], "interaction.requested");
    assert_eq!(lines[2]["prev_hash"], lines[1]["hash"]);
    let payload: Value = serde_json::from_str(lines[2]["payload"].as_str().unwrap()).unwrap();
    assert_eq!(payload["request"]["prompt"], "Question 3?");

    let path = evidence.place("journal.ndjson");
    let whole: Vec<&str> = text.lines().collect();
    let verify = |lines: &[&str]| {
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        evidence.verify_file(&path)
    };
    said(&verify(&whole), 0);
    let cut = said(&verify(&whole[..4]), 1);
    assert!(
        cut.contains("broken at event 5: it is missing, and so is all"),
        "{cut}"
    );
    let mut swapped = whole.clone();
    swapped.swap(3, 4);
    let swapped = said(&verify(&swapped), 1);
    assert!(
        swapped.contains("broken at event 4: it is missing"),
        "{swapped}"
    );
    let mut garbled = whole.clone();
    garbled[3] = &garbled[3][..40];
    let garbled = said(&verify(&garbled), 1);
    assert!(
        garbled.contains("broken at event 4: line 4 of the export"),
        "{garbled}"
    );
    // Without checkpoints only the chain can be checked, and that is said.
    fs::write(&path, whole[..4].join("\n")).unwrap();
    let alone = said(&handraise(&["journal", "verify", "--export", &path]), 0);
    assert!(
        alone.contains("4 events; no checkpoint to hold it against"),
        "{alone}"
    );
}

async fn a_checkpoint_holds_for_another_implementation(database: TestDatabase) {
    let evidence = Evidence::new(database).await;
    let file = fs::read_to_string(evidence.place("checkpoints")).unwrap();
    let (notes, _) = domain::journal::notes(&file);
    for note in notes {
        let script = r#"
            const [text, line] = input.note.split(/(?<=\n)\n(?=\u2014 )/);
            const [dash, name, encoded] = line.trim().split(" ");
            const bytes = Buffer.from(encoded, "base64");
            const raw = Buffer.from(input.key, "base64");
            const id = crypto.createHash("sha256")
                .update(name + "\n").update(Buffer.from([1])).update(raw).digest().subarray(0, 4);
            if (!id.equals(bytes.subarray(0, 4))) throw new Error("another key id");
            return verify(raw, Buffer.from(text), bytes.subarray(4));
        "#;
        let input = json!({"note": note, "key": evidence.public_key});
        assert!(verified_by_node(script, &input), "{note}");
        let changed = note.replacen("handraise\n", "handraisE\n", 1);
        let input = json!({"note": changed, "key": evidence.public_key});
        assert!(!verified_by_node(script, &input), "{changed}");
    }
    // The key file is one that other programs read.
    let key = fs::read_to_string(evidence.place("key")).unwrap();
    assert_eq!(node::public_key_of(&key), evidence.public_key);
}

#[cfg(unix)]
#[test]
fn a_server_does_not_start_with_a_key_that_others_may_read() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let (key, config) = (folder.path().join("key"), settings(&folder));
    let database = format!("sqlite://{}", folder.path().join("h.db").display());
    let serve = [
        "serve",
        "--addr",
        "127.0.0.1:0",
        "--database",
        &database,
        "--config",
        &config,
    ];
    for (content, mode, why) in [
        ("x", 0o644, "others may read the key"),
        ("x", 0o600, "is not an Ed25519 key"),
    ] {
        fs::write(&key, content).unwrap();
        fs::set_permissions(&key, fs::Permissions::from_mode(mode)).unwrap();
        let refused = said(&handraise(&serve), 1);
        assert!(refused.contains(why), "{refused}");
    }
}

#[test]
fn looking_at_a_journal_makes_no_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("typo.db");
    let database = format!("sqlite://{}", path.display());
    for command in ["verify", "export", "checkpoint"] {
        let refused = said(
            &handraise(&["journal", command, "--database", &database]),
            1,
        );
        assert!(refused.contains("there is no database"), "{refused}");
        assert!(!path.exists());
    }
}
