//! What lies between a node and its database, to be cut.

use std::str::FromStr;

use sqlx::postgres::PgConnectOptions;
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
};

use super::TestDatabase;

/// A way to a Postgres on which all connections can fall silent, as when one of the machines at its ends loses its power: none is
/// ended, and nothing arrives any more.
#[derive(Debug)]
pub struct Cable {
    /// The same database, over this way.
    pub url: String,
    cuts: watch::Sender<()>,
}

impl Cable {
    pub async fn to(database: &TestDatabase) -> Self {
        let options = PgConnectOptions::from_str(&database.url).unwrap();
        let server = format!("{}:{}", options.get_host(), options.get_port());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let here = listener.local_addr().unwrap().to_string();
        let url = database.url.replace(&server, &here);
        assert_ne!(url, database.url, "{server} is not named there");
        let (cuts, cut) = watch::channel(());
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let far = TcpStream::connect(&server).await.unwrap();
                tokio::spawn(join(near, far, cut.clone()));
            }
        });
        Self { url, cuts }
    }

    /// From now on nothing passes on the connections there are; new ones lead to the server again.
    pub fn cut(&self) {
        self.cuts.send_replace(());
    }
}

/// Passes on what comes, until it is cut; then holds both ends, as long as there is the cable.
async fn join(mut near: TcpStream, mut far: TcpStream, mut cut: watch::Receiver<()>) {
    cut.mark_unchanged();
    tokio::select! {
        _ = copy_bidirectional(&mut near, &mut far) => return,
        changed = cut.changed() => if changed.is_err() {
            return;
        }
    }
    while cut.changed().await.is_ok() {}
}
