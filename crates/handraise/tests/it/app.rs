//! A server on a free port, and those who talk to it.

use std::{
    net::SocketAddr,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use app::Assets;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{InteractionId, Principal, Role, TokenKind, access::Lifetime};
use machine::clock::{Clock, SystemClock, SystemIds};
use reqwest::{Client, RequestBuilder, Response, StatusCode, header, redirect::Policy};
use serde_json::{Value, json};
use server::{config::Config, slack::way_in::WayIn, state::AppState};
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
        let addr = listener.local_addr().unwrap();
        let mut config = Config {
            addr,
            database_url: database.url.clone().try_into().unwrap(),
            ..Config::default()
        };
        let folder = tempfile::tempdir().unwrap();
        config.key_file = Some(folder.path().join("handraise.key"));
        config.checkpoint_file = Some(folder.path().join("checkpoints"));
        configure(&mut config);
        // The names of files only a browser would ask for.
        let assets = Assets {
            boot: "boot-0.js".into(),
            script: "handraise-0.js".into(),
            wasm: "handraise-0.wasm".into(),
            style: "main-0.css".into(),
        };
        let store = store::connect(&database.url).await.unwrap();
        let keys = Keyring::load_or_create(&config.key_file()).unwrap();
        let ids = Arc::new(SystemIds);
        let state = AppState::new(config, assets, store, clock.clone(), ids, keys);
        let slack = WayIn::new(&state.config, &state.service).unwrap();
        let mut state = state.with_slack(slack.map(join));
        // Its time is the real one's, which nobody here waits for.
        state.slack_pace = Duration::ZERO;
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

    /// A caller with an agent token of this name.
    pub(crate) async fn agent(&self, name: &str) -> Caller<'_> {
        self.caller(TokenKind::Agent, name).await
    }

    /// A caller with a responder token of this name.
    pub(crate) async fn responder(&self, name: &str) -> Caller<'_> {
        self.caller(TokenKind::Responder, name).await
    }

    async fn caller(&self, kind: TokenKind, name: &str) -> Caller<'_> {
        let service = &self.state.service;
        let (never, by) = (Lifetime::Never, operator());
        let token = service.create_token(kind, name, never, &by).await.unwrap();
        Caller {
            app: self,
            token: token.reveal().to_owned(),
        }
    }

    /// A person's browser, signed in by a link. Returns the `Cookie` header.
    pub(crate) async fn sign_in(&self, name: &str, role: Role) -> String {
        let link = self.state.service.invite(name, role, &operator()).await;
        let form = [("link", link.unwrap().reveal()), ("password", PASSWORD)].map(owned);
        cookie_of(&self.submit("/accept-link", "", &form).await)
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

/// Everybody's.
pub(crate) const PASSWORD: &str = "tin drum walks north";

/// Whoever runs commands beside the server.
pub(crate) fn operator() -> Principal {
    Principal::Operator {
        name: "root".into(),
    }
}

pub(crate) fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// The `Cookie` header that a response to signing in asks for.
pub(crate) fn cookie_of(response: &Response) -> String {
    assert_eq!(response.status(), StatusCode::SEE_OTHER);
    let cookie = response.headers()[header::SET_COOKIE].to_str().unwrap();
    assert!(cookie.contains("; HttpOnly; SameSite=Lax"), "{cookie}");
    cookie.split(';').next().unwrap().to_owned()
}

impl Drop for TestApp {
    fn drop(&mut self) {
        self.stopping.cancel();
    }
}

/// Somebody with a token.
pub(crate) struct Caller<'a> {
    app: &'a TestApp,
    pub(crate) token: String,
}

impl Caller<'_> {
    pub(crate) fn get(&self, path: &str) -> RequestBuilder {
        self.app.get(path).bearer_auth(&self.token)
    }

    pub(crate) fn post(&self, path: &str) -> RequestBuilder {
        self.app.post(path).bearer_auth(&self.token)
    }

    pub(crate) fn delete(&self, path: &str) -> RequestBuilder {
        let url = self.app.url(path);
        self.app.client.delete(url).bearer_auth(&self.token)
    }

    /// Asks, and expects that to work.
    pub(crate) async fn ask(&self, more: Value) -> Value {
        let mut body = json!({"kind": "question", "prompt": "Which port?"});
        for (key, value) in more.as_object().unwrap() {
            body[key] = value.clone();
        }
        let response = self.post("/api/v1/interactions").json(&body).send().await;
        json_of(response.unwrap(), StatusCode::CREATED).await
    }

    pub(crate) fn put(&self, path: &str) -> RequestBuilder {
        self.app.put(path).bearer_auth(&self.token)
    }

    pub(crate) async fn answer(&self, interaction: &Value, text: &str) -> Response {
        self.send(interaction, "answer", json!({ "text": text }))
            .await
    }

    /// Calls one of the verbs of an interaction.
    pub(crate) async fn send(&self, interaction: &Value, verb: &str, body: Value) -> Response {
        let path = format!("{}/{verb}", path_of(interaction));
        self.post(&path).json(&body).send().await.unwrap()
    }

    /// As [`Caller::send`], and expects that to work.
    pub(crate) async fn done(&self, interaction: &Value, verb: &str, body: Value) -> Value {
        json_of(self.send(interaction, verb, body).await, StatusCode::OK).await
    }

    pub(crate) async fn read(&self, path: &str) -> Value {
        json_of(self.get(path).send().await.unwrap(), StatusCode::OK).await
    }

    pub(crate) async fn poll(&self, interaction: &Value) -> Value {
        let response = self.get(&path_of(interaction)).send().await.unwrap();
        json_of(response, StatusCode::OK).await
    }
}

pub(crate) fn path_of(interaction: &Value) -> String {
    format!(
        "/api/v1/interactions/{}",
        interaction["id"].as_str().unwrap()
    )
}

pub(crate) fn id_of(interaction: &Value) -> InteractionId {
    interaction["id"].as_str().unwrap().parse().unwrap()
}

/// The body, if the status is as expected.
pub(crate) async fn json_of(response: Response, status: StatusCode) -> Value {
    let found = response.status();
    let text = response.text().await.unwrap();
    assert_eq!(found, status, "{text}");
    serde_json::from_str(&text).unwrap()
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
