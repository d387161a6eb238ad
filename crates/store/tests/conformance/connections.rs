//! What a connection to Postgres has to be: a session of its own, and to a server that has all that was committed.

use std::{
    fs::Permissions,
    io,
    net::TcpListener,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use domain::interaction::Draft;
use store::{ConnectError, testing::TestDatabase};
use tokio::time::timeout;

use crate::{database::Database, journal::disarm};

const LONG: Duration = Duration::from_secs(30);

async fn postgres() -> Database {
    Database::from(TestDatabase::postgres().await)
}

async fn end_all_sessions(database: &Database) {
    let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    database.place.execute(sql).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hints_of_other_nodes_come_again_when_the_server_has_ended_the_sessions() {
    let database = postgres().await;
    let (here, there) = (database.store().await, database.store().await);
    let agent = database.agent(&*there, "backend").await;
    let mut growth = here.growth();
    timeout(LONG, growth.changed()).await.unwrap().unwrap();
    end_all_sessions(&database).await;
    // It listens again, and hints may have been missed.
    timeout(LONG, growth.changed()).await.unwrap().unwrap();
    database.asked(&*there, &agent, Draft::default()).await;
    timeout(LONG, growth.changed()).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_lost_commits_is_not_used_by_a_node_that_saw_them() {
    let database = postgres().await;
    let (wrote, read, knows_less) = (
        database.store().await,
        database.store().await,
        database.store().await,
    );
    let agent = database.agent(&*wrote, "backend").await;
    let all = read
        .events_after(0, &domain::Audience::All, 100)
        .await
        .unwrap();
    let before = all.into_iter().last().unwrap();
    knows_less.has_read(&before);
    database.asked(&*wrote, &agent, Draft::default()).await;
    let last = wrote.last_seq().await.unwrap();
    read.has_read(&wrote.event(last).await.unwrap().unwrap());

    disarm(&database).await;
    let lose = format!("DELETE FROM events WHERE seq > {}", before.seq);
    database.place.execute(&lose).await.unwrap();
    end_all_sessions(&database).await;
    for store in [&wrote, &read] {
        assert!(store.last_seq().await.is_err());
        let late = database.question(&agent, Draft::default(), 0);
        assert!(store.commit(late).await.is_err());
    }
    assert_eq!(knows_less.last_seq().await.unwrap(), before.seq);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pooler_is_refused_unless_each_connection_keeps_its_session() {
    let database = postgres().await;
    for mode in ["session", "transaction", "statement"] {
        for turns in [0, 1] {
            let folder = tempfile::tempdir().unwrap();
            let pooler = Pooler::start(folder.path(), &database.place.url, mode, turns);
            // Others have opened sessions of the pool before.
            let connected = store::connect(&pooler.url).await;
            let looked = store::inspect(&pooler.url).await;
            match mode {
                "session" => {
                    let store = connected.unwrap();
                    database.agent(&*store, &format!("backend {turns}")).await;
                    looked.unwrap();
                }
                _ => {
                    for refused in [connected.err().unwrap(), looked.err().unwrap()] {
                        assert!(
                            matches!(refused, ConnectError::SharedSessions { .. }),
                            "{mode}: {refused}"
                        );
                    }
                }
            }
        }
    }
}

/// `PgBouncer` before one database, killed when dropped.
struct Pooler {
    process: Child,
    url: String,
}

impl Pooler {
    /// With `turns`, the pool gives its sessions out in turn.
    fn start(folder: &Path, database: &str, mode: &str, turns: u8) -> Self {
        let (_, place) = database.split_once("://").unwrap();
        let (login, rest) = place.split_once('@').unwrap();
        let (server, name) = rest.split_once('/').unwrap();
        let (host, to) = server.split_once(':').unwrap_or((server, "5432"));
        let (user, password) = login.split_once(':').unwrap_or((login, ""));
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        // It reads its settings as the user that it becomes.
        std::fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
        let settings = folder.join("pooler.ini");
        let text = format!(
            "[databases]\n\
             {name} = host={host} port={to} dbname={name} user={user} password='{password}'\n\
             [pgbouncer]\n\
             listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n\
             auth_type = any\nignore_startup_parameters = extra_float_digits\npool_mode = {mode}\nserver_round_robin = {turns}\n\
             default_pool_size = 30\nmin_pool_size = 5\n"
        );
        std::fs::write(&settings, text).unwrap();
        let process = pgbouncer()
            .arg(&settings)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("install PgBouncer (the package pgbouncer): {error}"));
        let pooler = Self {
            process,
            url: format!("postgres://{user}@127.0.0.1:{port}/{name}"),
        };
        pooler.until_it_listens(port);
        pooler
    }

    fn until_it_listens(&self, port: u16) {
        let began = std::time::Instant::now();
        while let Err(error) = std::net::TcpStream::connect(("127.0.0.1", port)) {
            assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
            assert!(began.elapsed() < LONG, "{} does not listen", self.url);
            std::thread::yield_now();
        }
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Debian keeps it where only root looks, and it refuses to run as root.
fn pgbouncer() -> Command {
    let debian = Path::new("/usr/sbin/pgbouncer");
    let mut command = match debian.exists() {
        true => Command::new(debian),
        false => Command::new("pgbouncer"),
    };
    command.arg("-q");
    if rustix::process::geteuid().is_root() {
        command.args(["-u", "postgres"]);
    }
    command
}
