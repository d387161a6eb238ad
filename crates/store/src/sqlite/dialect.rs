//! Where SQLite has words of its own.

use sqlx::{QueryBuilder, Transaction};

use super::{Db, Store};

impl Store {
    /// To write in: at once the only one, instead of when it first writes.
    pub(super) async fn begin_write(&self) -> sqlx::Result<Transaction<'static, Db>> {
        self.write.begin_with("BEGIN IMMEDIATE").await
    }

    /// To read rows of one moment.
    pub(super) async fn begin_snapshot(&self) -> sqlx::Result<Transaction<'static, Db>> {
        self.read.begin().await
    }
}

/// Adds the condition that a text of the interaction has words that begin so, all of them.
pub(super) fn matching(sql: &mut QueryBuilder<Db>, words: &[String]) {
    sql.push(
        " AND i.id IN (SELECT interaction_id FROM interaction_words WHERE interaction_words MATCH ",
    );
    sql.push_bind(beginnings(words)).push(")");
}

/// Letters and digits only, so no word can be taken for a part of the query language.
fn beginnings(words: &[String]) -> String {
    let words = words.iter().map(|word| match word.chars().nth(1) {
        Some(_) => format!("\"{word}\"*"),
        // One letter begins too many words.
        None => format!("\"{word}\""),
    });
    words.collect::<Vec<String>>().join(" ")
}
