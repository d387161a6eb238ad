//! A server on a free port, the client that talks to it, and the clock that it goes by.

use std::{
    net::SocketAddr,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use app::Assets;
use chrono::{DateTime, TimeDelta, Utc};
use machine::clock::{Clock, SystemClock, SystemIds};
use reqwest::{Client, RequestBuilder, Response, header, redirect::Policy};
use server::{config::Config, slack::way_in::WayIn, spans::Spans, state::AppState};
use signing::Keyring;
use store::testing::TestDatabase;
use tempfile::TempDir;
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;

/// Stops when dropped; [`TestApp::stop`] waits for it.
pub(crate) struct TestApp {
    pub(crate) addr: SocketAddr,
    pub(crate) state: AppState,
    pub(crate) clock: Arc<TestClock>,
    client: Client,
    stopping: CancellationToken,
    running: JoinHandle<()>,
    /// Of its key and its checkpoints, unless they were placed elsewhere.
    folder: TempDir,
}

impl TestApp {
    pub(crate) async fn start(database: &TestDatabase) -> Self {
        Self::start_with(database, |_| {}).await
    }

    /// With other settings than the shipped ones.
    pub(crate) async fn start_with(
        database: &TestDatabase,
        configure: impl FnOnce(&mut Config),
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self::start_at(listener, database, configure).await
    }

    /// At the time that programs beside it have: they look at how old a decision is.
    pub(crate) async fn start_now(database: &TestDatabase) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self::start_now_at(listener, database, |_| {}).await
    }

    /// Both.
    pub(crate) async fn start_now_at(
        listener: TcpListener,
        database: &TestDatabase,
        configure: impl FnOnce(&mut Config),
    ) -> Self {
        let clock = Arc::new(TestClock(Mutex::new(SystemClock.now())));
        Self::start_joined(listener, database, clock, configure, |slack| slack).await
    }

    /// Where somebody looks for it already.
    pub(crate) async fn start_at(
        listener: TcpListener,
        database: &TestDatabase,
        configure: impl FnOnce(&mut Config),
    ) -> Self {
        Self::start_joined(listener, database, Arc::default(), configure, |slack| slack).await
    }

    /// At another clock's time, and with more of Slack than the settings say.
    pub(crate) async fn start_joined(
        listener: TcpListener,
        database: &TestDatabase,
        clock: Arc<TestClock>,
        configure: impl FnOnce(&mut Config),
        join: impl FnOnce(WayIn) -> WayIn,
    ) -> Self {
        // Slack's time is the real one's, which nobody here waits for.
        Self::start_whole(listener, database, clock, Duration::ZERO, configure, join).await
    }

    /// With a second of Slack's that is so long.
    pub(crate) async fn start_paced(
        listener: TcpListener,
        database: &TestDatabase,
        clock: Arc<TestClock>,
        second: Duration,
        configure: impl FnOnce(&mut Config),
    ) -> Self {
        Self::start_whole(listener, database, clock, second, configure, |slack| slack).await
    }

    async fn start_whole(
        listener: TcpListener,
        database: &TestDatabase,
        clock: Arc<TestClock>,
        slack_second: Duration,
        configure: impl FnOnce(&mut Config),
        join: impl FnOnce(WayIn) -> WayIn,
    ) -> Self {
        let addr = listener.local_addr().unwrap();
        let mut config = Config {
            addr,
            database_url: database.url.clone().try_into().unwrap(),
            ..Config::default()
        };
        let folder = tempfile::tempdir().unwrap();
        config.key_file = Some(folder.path().join("handraise.key"));
        config.checkpoint_file = Some(folder.path().join("checkpoints"));
        let files = folder.path().join("attachments");
        config.attachments = files.to_str().map(str::to_owned);
        configure(&mut config);
        // The names of files only a browser would ask for.
        let assets = Assets {
            boot: "boot-0.js".into(),
            loader: "loader-0.js".into(),
            parts: std::collections::BTreeMap::default(),
            script: "handraise-0.js".into(),
            wasm: "handraise-0.wasm".into(),
            style: "main-0.css".into(),
        };
        let store = store::connect(&database.url).await.unwrap();
        let keys = Keyring::load_or_create(&config.key_file()).unwrap();
        let ids = Arc::new(SystemIds);
        let state = AppState::new(config, assets, store, clock.clone(), ids, keys);
        let state = state.with_files().unwrap();
        // The log of a process is one for all of its tests, so spans of the server itself come of the real program alone.
        let spans = Spans::start(&state.config.tracing, addr.to_string()).unwrap();
        let state = state.with_spans(spans);
        let slack = WayIn::new(&state.config, &state.service).unwrap();
        let mut state = state.with_slack(slack.map(join));
        state.slack_second = slack_second;
        let stopping = CancellationToken::new();
        let stopped = stopping.clone().cancelled_owned();
        let running = {
            let state = state.clone();
            tokio::spawn(async move { server::run(state, listener, stopped).await.unwrap() })
        };
        Self {
            addr,
            state,
            clock,
            client: http_client(),
            stopping,
            running,
            folder,
        }
    }

    /// Where its agents may keep what they know of it.
    pub(crate) fn known_servers(&self) -> PathBuf {
        self.folder.path().join("known_servers")
    }

    /// The key that it signs with.
    pub(crate) fn public_key(&self) -> String {
        self.state.keys.verifying_key().to_string()
    }

    /// Waits until everything that is due by now was sent.
    pub(crate) async fn drain(&self) {
        let service = &self.state.service;
        if service.anybody_is_reached().await.unwrap() {
            service.climb_due().await.unwrap();
        }
        self.state.drain.wait().await;
    }

    /// Asks the server to stop, without waiting.
    pub(crate) fn begin_to_stop(&self) {
        self.stopping.cancel();
    }

    pub(crate) async fn stop(mut self) {
        self.stopping.cancel();
        (&mut self.running).await.unwrap();
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.addr)
    }

    /// Where people are sent.
    pub(crate) fn page_url(&self, path: &str) -> String {
        format!("{}{path}", self.state.config.public_url())
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(self.url(path))
    }

    pub(crate) fn post(&self, path: &str) -> RequestBuilder {
        self.client.post(self.url(path))
    }

    pub(crate) fn put(&self, path: &str) -> RequestBuilder {
        self.client.put(self.url(path))
    }

    /// Waits until a question has been opened by a person: that is noted beside the page, which does not wait for it.
    pub(crate) async fn until_seen(&self, id: &str) {
        let store = self.state.service.store();
        let mut looks = tokio::time::interval(Duration::from_millis(20));
        loop {
            looks.tick().await;
            let history = store.events_of(id.parse().unwrap(), 0, 100).await;
            let mut events = history.unwrap().collect().into_iter();
            if events.any(|event| event.payload.event_type() == "interaction.seen") {
                return;
            }
        }
    }

    /// Sends a form of a page, as a browser would.
    pub(crate) async fn submit(
        &self,
        path: &str,
        cookie: &str,
        form: &[(String, String)],
    ) -> Response {
        self.post(path)
            .header(header::ORIGIN, self.url(""))
            .header(header::COOKIE, cookie)
            .form(form)
            .send()
            .await
            .unwrap()
    }

    /// The number of the journal's last event.
    pub(crate) async fn last_seq(&self) -> i64 {
        self.state.service.store().last_seq().await.unwrap()
    }
}

/// A client that follows no redirects.
pub(crate) fn http_client() -> Client {
    Client::builder()
        .tls_backend_preconfigured(machine::tls::client_config().unwrap())
        .redirect(Policy::none())
        .build()
        .unwrap()
}

impl Drop for TestApp {
    fn drop(&mut self) {
        self.stopping.cancel();
    }
}

/// A clock that stands still until it is moved.
pub(crate) struct TestClock(Mutex<DateTime<Utc>>);

impl Default for TestClock {
    fn default() -> Self {
        Self(Mutex::new(
            DateTime::from_timestamp_millis(1_800_000_000_000).unwrap(),
        ))
    }
}

impl TestClock {
    pub(crate) fn at(time: DateTime<Utc>) -> Self {
        Self(Mutex::new(time))
    }

    pub(crate) fn advance(&self, span: TimeDelta) {
        *self.0.lock().unwrap() += span;
    }
}

impl Clock for TestClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap()
    }

    fn uptime(&self) -> Duration {
        let since = Clock::now(self) - DateTime::UNIX_EPOCH;
        since.to_std().unwrap()
    }
}
