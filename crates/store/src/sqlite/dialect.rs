//! Where SQLite has words of its own.

use std::time::Duration;

use sqlx::{QueryBuilder, Transaction};

use super::{Db, Store, log};

/// How many interactions are looked through for words before the index is asked: few first, since a common word needs no
/// more. What is left for the index is in less than a tenth of those, so few rows have to be merged for its beginning.
pub(super) const LOOKED_THROUGH: &[usize] = &[128, 512];

/// How long emptying the write-ahead log waits for readers. Nobody can write meanwhile, and some readers, such as
/// programs that copy the log elsewhere, stay for as long as they run.
const SCRUB_PATIENCE: Duration = Duration::from_millis(250);

/// Writes the file anew. The copy is too large for memory.
pub(super) const REWRITE: [&str; 3] = [
    "PRAGMA temp_store = FILE",
    "VACUUM",
    "PRAGMA temp_store = MEMORY",
];

/// Whether an interaction is erased. It stays so for as long as the transaction writes, which it does alone.
pub(super) const ERASED: &str = "SELECT erased IS NOT NULL FROM interactions WHERE id = $1";

impl Store {
    /// To write in: at once the only one, instead of when it first writes.
    pub(super) async fn begin_write(&self) -> sqlx::Result<Transaction<'static, Db>> {
        self.write.begin_with("BEGIN IMMEDIATE").await
    }

    /// Nothing of what was there before is left in the write-ahead log. Freed pages are overwritten as they are freed
    /// (`secure_delete`).
    pub(super) async fn scrub_log(&self) -> sqlx::Result<bool> {
        log::empty(&self.write, SCRUB_PATIENCE).await
    }

    /// To read rows of one moment.
    pub(super) async fn begin_snapshot(&self) -> sqlx::Result<Transaction<'static, Db>> {
        self.read.begin().await
    }
}

/// Adds the condition that the text `w` has words that begin so, all of them.
pub(super) fn holding(sql: &mut QueryBuilder<Db>, words: &[String]) {
    let mut all = sql.separated(" AND ");
    for word in words {
        let begun = match word.chars().nth(1) {
            Some(_) => format!(" {word}"),
            // One letter begins too many words.
            None => format!(" {word} "),
        };
        all.push("instr(' ' || w.words || ' ', ")
            .push_bind_unseparated(begun)
            .push_unseparated(") > 0");
    }
}

#[cfg(test)]
mod tests {
    use super::Store;
    use crate::{Erasing, testing::TestDatabase};

    #[tokio::test]
    async fn old_pages_stay_in_memory_also_once_the_file_was_written_anew() {
        const IN_MEMORY: i64 = 2;
        let database = TestDatabase::sqlite();
        let store = Store::connect(&database.url).await.unwrap();
        let place = || sqlx::query_scalar::<_, i64>("PRAGMA temp_store").fetch_one(&store.write);
        assert_eq!(place().await.unwrap(), IN_MEMORY);
        store.rewrite().await.unwrap();
        assert_eq!(place().await.unwrap(), IN_MEMORY);
    }
}
