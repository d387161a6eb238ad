//! Notices that the machine of the database is gone without a word. A machine that loses its power, or its cable, ends no
//! connection: an answer that was asked for there is waited for until the system gives up, a quarter of an hour later.

use std::{pin::pin, time::Duration};

use sqlx::{Connection, PgConnection, postgres::PgConnectOptions};
use tokio::time::{sleep, timeout};

use super::{PATIENCE, connections::Known};

/// How often the server is asked whether it is there, and whether it can be reached anew.
const EVERY: Duration = Duration::from_secs(2);

/// What a server that was only slow may take longer than one that was just asked for the first time.
const GRACE: Duration = Duration::from_secs(1);

/// Returns when a connection to the server leads nowhere any more, while a new one is answered.
///
/// On a connection of its own: those of the pool may all be waiting for their turn, and that is no reason.
pub(super) async fn vanished(options: &PgConnectOptions, known: &Known) {
    loop {
        let Some(connection) = reached(options, known).await else {
            sleep(EVERY).await;
            continue;
        };
        if leads_nowhere(connection, options, known).await {
            return;
        }
    }
}

/// Whether the server stops answering on this connection but answers on others; not, if it ends the connection.
async fn leads_nowhere(
    mut connection: PgConnection,
    options: &PgConnectOptions,
    known: &Known,
) -> bool {
    loop {
        sleep(EVERY).await;
        let mut answer = pin!(connection.ping());
        let mut answered = timeout(PATIENCE, &mut answer).await;
        while answered.is_err() {
            if reached(options, known).await.is_some() {
                answered = timeout(GRACE, &mut answer).await;
                if answered.is_err() {
                    return true;
                }
            } else {
                answered = timeout(EVERY, &mut answer).await;
            }
        }
        if !matches!(answered, Ok(Ok(()))) {
            return false;
        }
    }
}

/// A new connection to a server that can be worked with, if there is one.
async fn reached(options: &PgConnectOptions, known: &Known) -> Option<PgConnection> {
    let connecting = async {
        let mut connection = PgConnection::connect_with(options).await?;
        known.is_there(&mut connection).await?;
        Ok::<_, sqlx::Error>(connection)
    };
    timeout(PATIENCE, connecting).await.ok()?.ok()
}
