//! What a connection has to be: a session of its own, of a server that can be written and has all that this node knows.

use std::{
    io,
    sync::{Mutex, PoisonError},
};

use domain::Event;
use sqlx::{PgConnection, PgPool, Row};
use tokio::sync::Notify;
use uuid::Uuid;

/// A pooler that has several free sessions gives them out in turn, or the last one first; after so many rounds it has given
/// another one.
const ROUNDS: usize = 3;

/// How long the server lets a transaction wait for its next statement. A node whose machine is gone without a word holds what it
/// has locked until then, and if that is the end of the journal, no other node commits anything. Here, statements of one
/// transaction follow each other within milliseconds.
const BETWEEN_STATEMENTS: &str = "10s";

/// Whether each connection keeps its session. A pooler may give another one to each transaction or statement (PgBouncer's
/// `pool_mode`): then hints of other nodes go to others, and locks that a migration takes stay with a session of somebody else.
///
/// Without prepared statements, which such a pooler may lose.
pub(super) async fn are_kept(
    one: &mut PgConnection,
    other: &mut PgConnection,
) -> sqlx::Result<bool> {
    let (first, second) = (session(one).await?, session(other).await?);
    for _ in 0..ROUNDS {
        if first == second || session(one).await? != first || session(other).await? != second {
            return Ok(false);
        }
        // Within a transaction it keeps the session that it was given, and others are given to the first.
        match sqlx::raw_sql("BEGIN").execute(&mut *other).await {
            Err(sqlx::Error::Database(_)) => return Ok(false),
            begun => begun.map(drop)?,
        }
        let held = session(other).await?;
        if held != second || session(one).await? != first {
            return Ok(false);
        }
        sqlx::raw_sql("COMMIT").execute(&mut *other).await?;
    }
    Ok(true)
}

async fn session(connection: &mut PgConnection) -> sqlx::Result<i32> {
    sqlx::raw_sql("SELECT pg_backend_pid()")
        .fetch_one(connection)
        .await?
        .try_get(0)
}

/// Whether the server takes no writes: it is a standby, or was told so.
pub(super) async fn is_read_only(connection: &mut PgConnection) -> sqlx::Result<bool> {
    let read_only: String = sqlx::query_scalar("SELECT current_setting('transaction_read_only')")
        .fetch_one(connection)
        .await?;
    Ok(read_only == "on")
}

/// Whether an error says that the connection has ended, and nothing of what was asked on it.
pub(super) fn is_ended(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) => true,
        // 57P01 and its like: the session was ended, or the server shuts down.
        sqlx::Error::Database(error) => error.code().is_some_and(|code| code.starts_with("57P")),
        _ => false,
    }
}

/// The last event that this node knows to be committed.
///
/// Another server at the same address, such as a standby that was promoted without the last transactions, lacks it. Going on there
/// would give its number out again, and let what was used be used twice.
#[derive(Debug, Default)]
pub(super) struct Known {
    last: Mutex<Option<(i64, Uuid)>>,
    went_back: Notify,
}

impl Known {
    pub(super) fn follow(&self, event: &Event) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_none_or(|(seq, _)| seq < event.seq) {
            *last = Some((event.seq, event.id.0));
        }
    }

    /// Refuses a new connection to a server that can only be read, or that lacks what is known. One that would acknowledge
    /// commits before they are on its disk does so no more, and a transaction that is not gone on with ends.
    ///
    /// # Errors
    /// Then the pool looks for another connection until its patience ends.
    pub(super) async fn is_there(&self, connection: &mut PgConnection) -> sqlx::Result<()> {
        if is_read_only(connection).await? {
            return Err(refused("the server can only be read; is it a standby?"));
        }
        sqlx::query(
            "SELECT set_config('idle_in_transaction_session_timeout', $1, false),
                CASE current_setting('synchronous_commit')
                    WHEN 'off' THEN set_config('synchronous_commit', 'on', false) END",
        )
        .bind(BETWEEN_STATEMENTS)
        .execute(&mut *connection)
        .await?;
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((seq, id)) = last else {
            return Ok(());
        };
        let is_there: bool =
            sqlx::query_scalar("SELECT EXISTS (SELECT FROM events WHERE seq = $1 AND id = $2)")
                .bind(seq)
                .bind(id)
                .fetch_one(connection)
                .await?;
        if is_there {
            return Ok(());
        }
        self.went_back.notify_one();
        Err(refused(&format!(
            "the database went back: its journal lacks event {seq}, which was committed"
        )))
    }

    /// Ends the use of a database that went back, for as long as this program runs.
    pub(super) async fn leave(&self, pool: &PgPool) {
        self.went_back.notified().await;
        tracing::error!(
            "the database went back: its journal lacks events that this server has seen committed, as after a standby was promoted \
             without the last transactions. Nothing is read or written any more. Stop all nodes, run `handraise journal continue` \
             on each, and start them again"
        );
        pool.close().await;
    }
}

fn refused(why: &str) -> sqlx::Error {
    sqlx::Error::Io(io::Error::other(why.to_owned()))
}
