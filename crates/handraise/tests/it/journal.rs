//! The journal as evidence: what verification says when somebody was at it, live and from an export.

use std::fs;

use domain::digest::hex;
use serde_json::Value;
use store::testing::TestDatabase;

use crate::support::{
    evidence::Evidence,
    program::{handraise, said},
};

store::on_both_databases!(
    whatever_is_done_to_one_row_is_named,
    a_journal_that_was_rewritten_whole_is_not_the_one_that_was_signed,
    an_export_is_verified_without_its_database,
);

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
