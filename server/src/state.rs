//! The state every request can reach.

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
    time::Duration,
};

use app::Assets;
use attached::Files;
use axum::extract::FromRef;
use domain::Ids;
use leptos::config::LeptosOptions;
use machine::clock::Clock;
use service::{
    Outbound, Passkeys, Service,
    guard::{Guard, SystemNames},
    metrics::Metrics,
};
use signing::{Keyring, TrustedKeys, Witness};
use store::Store;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    backup::LastBackup,
    config::{Config, SlackMode},
    delivery::{
        Drain, Worker,
        courier::{Courier, Couriers},
        direct::Direct,
        mail::Mails,
        ntfy::Ntfy,
        person::{Carrier, Messages, NotSetUp},
        post::Post,
        push::{Push, Vapid},
        request::{Addressee, Requests},
        slack::{self, Cards, outage::Outage},
    },
    hub::{Hub, absence::Absence, presence::Presence},
    journal::Checkpoints,
    limits::Limits,
    providers::Providers,
    slack::way_in::WayIn,
    spans::Spans,
};

/// Cheap to clone: it is cloned a dozen times for each request. What is changed of one clone, as before the server is set going,
/// is changed of that alone.
#[derive(Clone)]
pub struct AppState(Arc<Parts>);

/// The parts of [`AppState`].
#[derive(Clone)]
pub struct Parts {
    /// The use cases.
    pub service: Service,
    /// Who wants to hear of changes.
    pub hub: Arc<Hub>,
    /// Who has which question open.
    pub presence: Arc<Presence>,
    /// Whose questions nobody waits for any more.
    pub absence: Arc<Absence>,
    /// Signs the journal.
    pub checkpoints: Arc<Checkpoints>,
    /// The last good backup.
    pub backups: LastBackup,
    /// The key that signs, and those before it.
    pub keys: Arc<Keyring>,
    /// Whose receipts are believed.
    pub trusted: Arc<TrustedKeys>,
    /// The settings.
    pub config: Arc<Config>,
    /// The names of the page's files.
    pub assets: Arc<Assets>,
    /// The limits of callers, and what counts against them.
    pub limits: Arc<Limits>,
    /// The server's work, in numbers.
    pub metrics: Arc<Metrics>,
    /// Cancelled when the server is to stop.
    pub stopping: CancellationToken,
    /// Waits for what goes out.
    pub drain: Drain,
    /// How long a second of Slack's is, by which its limits go.
    pub slack_second: Duration,
    /// The way in from Slack, where people answer there.
    pub slack: Option<WayIn>,
    /// Who else says who people are.
    pub providers: Arc<Providers>,
    /// The name by which push services know this server.
    pub vapid: Vapid,
    /// Which addresses that may lead to.
    pub guard: Arc<Guard>,
    /// Where spans go, if the settings say so.
    pub spans: Option<Arc<Spans>>,
    /// The open sockets: the server lets them say goodbye.
    pub sockets: TaskTracker,
    /// Asked for by leptos; the page's files are embedded, so nothing in it matters.
    pub leptos: LeptosOptions,
}

impl Deref for AppState {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl DerefMut for AppState {
    fn deref_mut(&mut self) -> &mut Parts {
        Arc::make_mut(&mut self.0)
    }
}

impl FromRef<AppState> for LeptosOptions {
    fn from_ref(state: &AppState) -> Self {
        state.leptos.clone()
    }
}

impl AppState {
    /// Puts the server together; [`crate::run`] sets it going. `keys` sign checkpoints and receipts.
    pub fn new(
        config: Config,
        assets: Assets,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
        keys: Keyring,
    ) -> Self {
        let trusted = keys.trusted(&config.trusted_keys);
        store.trust(Arc::new(Witness::new(trusted.clone())));
        let checkpoints = Checkpoints::new(
            store.clone(),
            &keys,
            config.key_name.clone(),
            config.checkpoint_file(),
        );
        let guard = Arc::new(Guard::new(config.outbound_allow.clone()));
        let outbound = Outbound {
            sealer: keys.sealer(),
            callbacks: keys.callback_secrets(),
            guard: guard.clone(),
        };
        let limits = Limits::new(config.rate_limit_per_minute, &config.limits, &clock);
        let service = Service::new(store, clock, ids, config.settings())
            .with_signer(keys.signer())
            .with_outbound(outbound)
            .with_channels(slack_mode(&config).routes())
            .with_slack_links(keys.slack_links())
            .with_passkeys(Passkeys::at(&config.public_url()));
        Self(Arc::new(Parts {
            backups: LastBackup::default(),
            drain: Drain::default(),
            slack_second: slack::SECOND,
            slack: None,
            providers: Arc::new(Providers::new(&config)),
            vapid: Vapid::new(service.clone(), &config.public_url()),
            guard,
            metrics: Arc::clone(service.metrics()),
            limits: Arc::new(limits),
            service,
            checkpoints: Arc::new(checkpoints),
            hub: Arc::new(Hub::default()),
            presence: Arc::new(Presence::default()),
            absence: Arc::new(Absence::default()),
            keys: Arc::new(keys),
            trusted: Arc::new(trusted),
            config: Arc::new(config),
            assets: Arc::new(assets),
            spans: None,
            sockets: TaskTracker::new(),
            stopping: CancellationToken::new(),
            leptos: LeptosOptions::builder().output_name("handraise").build(),
        }))
    }

    /// With the place for files that the settings name.
    ///
    /// # Errors
    /// When it cannot be one.
    pub fn with_files(mut self) -> anyhow::Result<Self> {
        let place = self.config.attachments();
        let files = place.map(|place| Files::open(&place)).transpose()?;
        self.service = self.service.clone().with_files(files);
        Ok(self)
    }

    /// With a collector for spans.
    pub fn with_spans(mut self, spans: Option<Spans>) -> Self {
        self.spans = spans.map(Arc::new);
        self
    }

    /// With what people do in Slack.
    pub fn with_slack(mut self, slack: Option<WayIn>) -> Self {
        self.slack = slack;
        self
    }

    fn messages(&self, carrier: impl Carrier + 'static) -> Arc<dyn Courier> {
        let (service, presence) = (self.service.clone(), self.presence.clone());
        Arc::new(Messages::new(service, presence, carrier))
    }

    /// The worker that sends deliveries from this node.
    ///
    /// # Errors
    /// When the HTTP client cannot be set up.
    pub fn worker(&self) -> anyhow::Result<Worker> {
        let post = Post::new(self.guard.clone(), Arc::new(SystemNames))?;
        let public_url = self.config.public_url();
        let outage = Arc::<Outage>::default();
        let cards = Cards::new(
            self.service.clone(),
            &slack_mode(&self.config),
            &self.config.slack_api_url,
            &public_url,
            outage.clone(),
        )?;
        self.service.set_slack_second(self.slack_second);
        let mails = Mails::new(self.service.clone(), &self.config.mail, &public_url)?;
        let ntfy = Ntfy::new(
            self.service.clone(),
            post.clone(),
            &self.config.ntfy,
            &public_url,
        )?;
        let direct = Direct::new(
            self.service.clone(),
            &slack_mode(&self.config),
            &self.config.slack_api_url,
            &public_url,
            outage,
        )?;
        let requests = |to| -> Arc<dyn Courier> {
            let (service, post) = (self.service.clone(), post.clone());
            Arc::new(Requests::new(service, post, &public_url, to))
        };
        let couriers = Couriers {
            webhooks: requests(Addressee::Endpoint),
            callbacks: requests(Addressee::Agent),
            slack: Arc::new(cards),
            push: self.messages(Push::new(
                self.service.clone(),
                post.clone(),
                self.vapid.clone(),
                &public_url,
            )),
            mail: match mails {
                Some(mails) => self.messages(mails),
                None => self.messages(NotSetUp("mail")),
            },
            ntfy: match ntfy {
                Some(ntfy) => self.messages(ntfy),
                None => self.messages(NotSetUp("ntfy")),
            },
            direct: match direct {
                Some(direct) => self.messages(direct),
                None => self.messages(NotSetUp("Slack")),
            },
        };
        let (service, drain) = (self.service.clone(), self.drain.clone());
        Ok(Worker::new(service, couriers, drain))
    }
}

/// Settings that contradict themselves were refused when they were read.
fn slack_mode(config: &Config) -> SlackMode {
    config.slack_mode().unwrap_or(SlackMode::Off)
}
