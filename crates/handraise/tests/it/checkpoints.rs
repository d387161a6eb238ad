//! Checkpoints: when one is signed, what is never signed, and who can check it.

use std::{fs, path::PathBuf};

use serde_json::json;
use server::journal::Checkpoints;
use signing::{Keyring, SigningKey};
use store::testing::TestDatabase;
use tempfile::TempDir;

use crate::support::{
    app::TestApp,
    evidence::Evidence,
    node::{self, verified_by_node},
    program::{handraise, said},
};

store::on_both_databases!(
    a_checkpoint_is_written_when_there_is_something_new,
    nothing_is_signed_that_contradicts_what_was_signed,
    a_checkpoint_holds_for_another_implementation,
    checkpoints_go_on_after_a_rotation_of_the_key,
);

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
    let signed = app.state.checkpoints.sign_new().await.unwrap();
    assert!(signed.is_none() && !checkpoints.exists());
    let agent = app.agent("backend").await;
    for size in 2..=4 {
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
        format!("signed 5 events in {place}")
    );
    let nothing = format!("nothing new since the 5 events signed in {place}");
    assert_eq!(said(&handraise(&command), 0), nothing);
    agent.ask(json!({})).await;
    let signed = app.state.checkpoints.sign_new().await.unwrap().unwrap();
    assert_eq!(signed.checkpoint.size, 6);
    // Stopping signs the rest, and the next start goes on from there.
    agent.ask(json!({})).await;
    let file = app.state.checkpoints.file().clone();
    app.stop().await;
    assert_eq!(file.last().unwrap().unwrap().size, 7);
    let app = start().await;
    app.agent("backend").await.ask(json!({})).await;
    let signed = app.state.checkpoints.sign_new().await.unwrap().unwrap();
    assert_eq!(signed.checkpoint.size, 9);
    // Another node has a key and a file of its own.
    let other = TestApp::start(&database).await;
    let signed = other.state.checkpoints.sign_new().await.unwrap().unwrap();
    assert_eq!(signed.checkpoint.size, 9);
    assert_eq!(file.all().unwrap().len(), 7);
}

async fn checkpoints_go_on_after_a_rotation_of_the_key(database: TestDatabase) {
    let folder = tempfile::tempdir().unwrap();
    let start = || {
        TestApp::start_with(&database, |config| {
            config.key_file = Some(folder.path().join("key"));
            config.checkpoint_file = Some(folder.path().join("checkpoints"));
        })
    };
    let app = start().await;
    let before = app.public_key();
    app.agent("backend").await.ask(json!({})).await;
    let config = settings(&folder);
    let rotated = handraise(&["key", "rotate", "--config", &config]);
    let after = String::from_utf8(rotated.stdout).unwrap().trim().to_owned();
    // The server that runs goes on with the old key, and signs its last with it.
    assert_eq!(app.public_key(), before);
    app.stop().await;
    let app = start().await;
    assert_eq!(app.public_key(), after);
    app.agent("devops").await.ask(json!({})).await;
    let signed = app.state.checkpoints.sign_new().await.unwrap().unwrap();
    assert_eq!(signed.checkpoint.size, 4);
    assert_eq!(app.state.checkpoints.file().all().unwrap().len(), 2);
    let verify = [
        "journal",
        "verify",
        "--database",
        &database.url,
        "--config",
        &config,
    ];
    let holds = said(&handraise(&verify), 0);
    assert!(
        holds.contains("checkpoints: 2") && holds.ends_with(&after),
        "{holds}"
    );
    // Elsewhere both keys are named.
    let both = format!("{after},{before}");
    for (keys, code) in [(&both, 0), (&after, 1), (&before, 1)] {
        let output = handraise(&[&verify[..], &["--public-key", keys]].concat());
        assert_eq!(output.status.code(), Some(code), "{output:?}");
    }
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
    let keys = Keyring::load(&evidence.folder.path().join("key")).unwrap();
    let started = || Checkpoints::new(store.clone(), &keys, "handraise".into(), path.clone());
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
    let other = Keyring::of(SigningKey::from_seed([9; 32]));
    let other = Checkpoints::new(store.clone(), &other, "handraise".into(), path.clone());
    let refused = other.sign_new().await.unwrap_err().to_string();
    assert!(refused.contains("is not signed with the key"), "{refused}");
    assert_eq!(fs::read(&path).unwrap(), written);
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
