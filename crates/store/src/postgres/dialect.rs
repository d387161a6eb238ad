//! Where Postgres has words of its own.

use sqlx::{QueryBuilder, Transaction};

use super::{Db, Store};

/// How many interactions are looked through for words before the index is asked: few first, since a common word needs no
/// more. What is left for the index is in less than a fiftieth of those, so few rows have to be sorted.
pub(super) const LOOKED_THROUGH: &[usize] = &[128, 512, 2_048];

/// Writes the tables anew that have words in them, or have had.
pub(super) const REWRITE: [&str; 13] = [
    "VACUUM FULL events",
    "VACUUM FULL interactions",
    "VACUUM FULL interaction_words",
    "VACUUM FULL tasks",
    "VACUUM FULL outbox",
    "VACUUM FULL delivery_attempts",
    "VACUUM FULL idempotency_keys",
    "VACUUM FULL card_questions",
    "VACUUM FULL slack_inbox",
    "VACUUM FULL grants",
    "VACUUM FULL memories",
    "VACUUM FULL suggestions",
    "VACUUM FULL attachments",
];

/// Whether an interaction is erased. It stays so until the transaction ends: who erases it waits, and is waited for.
pub(super) const ERASED: &str =
    "SELECT erased IS NOT NULL FROM interactions WHERE id = $1 FOR SHARE";

impl Store {
    /// To write in.
    pub(super) async fn begin_write(&self) -> sqlx::Result<Transaction<'static, Db>> {
        self.write.begin().await
    }

    /// The server's own vacuum frees what is no longer there; see `docs/erasing.md`.
    pub(super) async fn scrub_log(&self) -> sqlx::Result<bool> {
        Ok(true)
    }

    /// To read rows of one moment.
    pub(super) async fn begin_snapshot(&self) -> sqlx::Result<Transaction<'static, Db>> {
        self.read
            .begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            .await
    }
}

/// Adds the condition that the text `w` has words that begin so, all of them.
pub(super) fn holding(sql: &mut QueryBuilder<Db>, words: &[String]) {
    sql.push("w.words @@ ")
        .push_bind(beginnings(words))
        .push("::tsquery");
}

/// Letters and digits only, so no word can be taken for a part of the query language.
fn beginnings(words: &[String]) -> String {
    let words = words.iter().map(|word| match word.chars().nth(1) {
        Some(_) => format!("'{word}':*"),
        // One letter begins too many words.
        None => format!("'{word}'"),
    });
    words.collect::<Vec<String>>().join(" & ")
}
