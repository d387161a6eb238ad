//! The real things: programs, their database, disk and clock, the ways to them, and those who are told.

pub(crate) mod clock;
pub(crate) mod cut;
pub(crate) mod disk;
pub(crate) mod node;
pub(crate) mod postgres;
pub(crate) mod receiver;
pub(crate) mod slack;

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use chrono::{DateTime, Utc};
use machine::clock::{Clock as _, SystemClock};
use reqwest::redirect::Policy;
use reqwest::{Client, header};
use serde_json::{Value, json};
use signing::{TrustedKeys, VerifyingKey};

use clock::Clock;
use cut::Way;
use disk::Disk;
use node::{Launch, Node};
use postgres::Postgres;
use receiver::{Manners, Receiver};
use slack::Slack;

use crate::plant::Plant;
use crate::plant::liar::Liar;
use crate::{Database, Options};

const PASSWORD: &str = "tin drum walks north";
const MEGABYTES: u64 = 6_000;
/// Of the ephemeral ports one may be taken while a node is away.
const PORTS: std::ops::Range<u16> = 18_000..32_000;

/// Who has a token.
#[derive(Clone)]
pub(crate) struct Token {
    pub(crate) name: String,
    pub(crate) secret: String,
}

/// Who has a browser.
#[derive(Clone)]
pub(crate) struct Person {
    pub(crate) name: String,
    pub(crate) cookie: String,
}

pub(crate) struct World {
    pub(crate) begun: Instant,
    /// How long an agent waits for an answer that does not come. Where a liar drops some, it is not long.
    pub(crate) patience: Duration,
    /// Whether what is found is told at once.
    pub(crate) tells: bool,
    /// The same moment, by the clock on the wall.
    pub(crate) begun_at: DateTime<Utc>,
    pub(crate) client: Client,
    pub(crate) agents: Vec<Token>,
    pub(crate) responders: Vec<Token>,
    pub(crate) people: Vec<Person>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) postgres: Option<Postgres>,
    pub(crate) clock: Option<Clock>,
    pub(crate) slack: Option<Slack>,
    pub(crate) keys: TrustedKeys,
    pub(crate) webhooks: Vec<Receiver>,
    pub(crate) callbacks: Vec<Receiver>,
    pub(crate) launch: Launch,
    pub(crate) version: String,
    ways: Vec<Way>,
    liars: Vec<Liar>,
    // After all that have files open there.
    pub(crate) disk: Disk,
}

impl World {
    pub(crate) async fn build(
        options: &Options,
        folder: &Path,
        plant: Option<Plant>,
    ) -> Result<Self> {
        fs::create_dir_all(folder)?;
        let logs = folder.join("logs");
        fs::create_dir_all(&logs)?;
        let disk = Disk::prepare(folder, MEGABYTES)?;
        let postgres = match options.database {
            Database::Sqlite => None,
            Database::Postgres => Some(Postgres::start(&disk.folder, &logs, free_port()?).await?),
        };
        let database = match &postgres {
            Some(postgres) => postgres.url(),
            None => format!("sqlite://{}", disk.folder.join("prove.db").display()),
        };
        let clock = Clock::find(folder)?;
        let launch = Launch {
            program: options.program.clone(),
            database,
            folder: folder.to_owned(),
            logs,
        };
        let slack = match plant {
            None => Some(Slack::start().await),
            Some(_) => None,
        };
        let mut environment = clock.as_ref().map(Clock::environment).unwrap_or_default();
        environment.extend(slack.as_ref().map(Slack::environment).unwrap_or_default());
        let mut nodes = Vec::new();
        for number in 0..options.nodes {
            let node = Node::new(number, free_port()?, launch.clone(), environment.clone());
            node.start().await?;
            nodes.push(node);
        }
        let (mut ways, mut liars) = (Vec::new(), Vec::new());
        for node in &nodes {
            match plant.filter(|plant| plant.is_of_the_api()) {
                Some(plant) => liars.push(Liar::start(node.url(), plant, options.seed).await?),
                None => ways.push(Way::to(node.port, options.seed + 1_000_000).await?),
            }
        }
        let client = Client::builder()
            .tls_backend_preconfigured(machine::tls::client_config()?)
            .redirect(Policy::none())
            .connect_timeout(Duration::from_secs(2))
            .timeout(Duration::from_secs(10))
            .build()?;
        let mut world = Self {
            begun: Instant::now(),
            patience: Duration::from_secs(if plant.is_some() { 4 } else { 120 }),
            tells: plant.is_none(),
            begun_at: SystemClock.now(),
            client,
            agents: Vec::new(),
            responders: Vec::new(),
            people: Vec::new(),
            nodes,
            postgres,
            clock,
            slack,
            keys: TrustedKeys::default(),
            webhooks: Vec::new(),
            callbacks: Vec::new(),
            version: version(&options.program)?,
            launch,
            ways,
            liars,
            disk,
        };
        world.let_in().await?;
        for liar in &world.liars {
            for token in world.agents.iter().chain(&world.responders) {
                liar.learns(&token.secret, &token.name);
            }
        }
        world.listen(options.seed, plant).await?;
        Ok(world)
    }

    /// Agents, scripts that answer, and people with a browser.
    async fn let_in(&mut self) -> Result<()> {
        for (kind, names) in [
            ("agent", ["coder", "tester", "deployer"]),
            ("responder", ["desk", "night desk", "robot"]),
        ] {
            for name in names {
                let arguments = ["token", "create", "--kind", kind, "--name", name];
                let secret = self.launch.run(&arguments).await?;
                let token = Token {
                    name: name.to_owned(),
                    secret,
                };
                match kind {
                    "agent" => self.agents.push(token),
                    _ => self.responders.push(token),
                }
            }
        }
        let url = self.nodes[0].url();
        for name in ["Mia", "Tom"] {
            let arguments = ["user", "invite", "--name", name, "--role", "responder"];
            let address = url.trim_start_matches("http://");
            let link = self
                .launch
                .run(&[&arguments[..], &["--addr", address]].concat())
                .await?;
            let link = link.rsplit('/').next().unwrap_or_default();
            let form = [("link", link), ("password", PASSWORD)];
            let sent = self.client.post(format!("{url}/accept-link"));
            let sent = sent.header(header::ORIGIN, &url).form(&form).send().await?;
            let cookie = sent.headers().get(header::SET_COOKIE);
            let cookie = cookie.and_then(|cookie| cookie.to_str().ok()?.split(';').next());
            self.people.push(Person {
                name: name.to_owned(),
                cookie: cookie.context("signing in gives no cookie")?.to_owned(),
            });
        }
        let keys: Value = self
            .client
            .get(format!("{url}/api/v1/keys"))
            .send()
            .await?
            .json()
            .await?;
        let key = keys["public_key"]
            .as_str()
            .and_then(VerifyingKey::from_base64);
        self.keys = TrustedKeys::new([key.context("the server shows no key")?]);
        Ok(())
    }

    /// Two webhooks and three processes that are called back.
    async fn listen(&mut self, seed: u64, plant: Option<Plant>) -> Result<()> {
        let url = self.nodes[0].url();
        for (place, manners) in [Manners::GOOD, Manners::BAD].into_iter().enumerate() {
            let receiver = Receiver::start(false, manners, seed + place as u64, plant).await?;
            let made = self.client.post(format!("{url}/api/v1/hooks"));
            let made = made.bearer_auth(&self.responders[0].secret);
            let made =
                made.json(&json!({"target_url": receiver.url, "name": format!("hook {place}")}));
            let made: Value = made.send().await?.json().await?;
            let secret = made["secret"]
                .as_str()
                .context("the webhook has no secret")?;
            receiver.knows([secret.to_owned()]);
            self.webhooks.push(receiver);
        }
        let mut secrets = Vec::new();
        for agent in &self.agents {
            let asked = self.client.get(format!("{url}/api/v1/callback_secret"));
            let told: Value = asked
                .bearer_auth(&agent.secret)
                .send()
                .await?
                .json()
                .await?;
            let secret = told["secret"]
                .as_str()
                .context("there is no secret for callbacks")?;
            secrets.push(secret.to_owned());
        }
        for (place, manners) in [Manners::GOOD, Manners::BAD, Manners::BAD]
            .into_iter()
            .enumerate()
        {
            let receiver = Receiver::start(true, manners, seed + 10 + place as u64, plant).await?;
            receiver.knows(secrets.clone());
            self.callbacks.push(receiver);
        }
        Ok(())
    }

    pub(crate) fn now(&self) -> Duration {
        self.begun.elapsed()
    }

    /// When this was, since the campaign began; nothing if it was before.
    pub(crate) fn since_begun(&self, at: DateTime<Utc>) -> Duration {
        (at - self.begun_at).to_std().unwrap_or_default()
    }

    /// The address of a node: directly, or by the way that is cut.
    pub(crate) fn url(&self, node: usize, by_bad_way: bool) -> String {
        match self.liars.get(node) {
            Some(liar) => liar.url.clone(),
            None => self.honest_url(node, by_bad_way),
        }
    }

    /// The same, past every liar.
    pub(crate) fn honest_url(&self, node: usize, by_bad_way: bool) -> String {
        match self.ways.get(node).filter(|_| by_bad_way) {
            Some(way) => way.url.clone(),
            None => self.nodes[node].url(),
        }
    }

    pub(crate) fn cuts(&self) -> usize {
        self.ways.iter().map(Way::cuts).sum()
    }
}

fn version(program: &Path) -> Result<String> {
    let output = std::process::Command::new(program)
        .arg("--version")
        .output();
    let output = output.with_context(|| format!("cannot start {}", program.display()))?;
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// A port that is free now, is not given to outgoing connections, and was given to no other world of this process: a server
/// that is away has its port free for a while.
fn free_port() -> Result<u16> {
    static GIVEN: AtomicU16 = AtomicU16::new(0);
    // Another process begins elsewhere.
    let begin = PORTS.start + u16::try_from(std::process::id() % 10_000)?;
    loop {
        let port = begin + GIVEN.fetch_add(1, Ordering::Relaxed);
        ensure!(PORTS.contains(&port), "no port is free");
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
}
