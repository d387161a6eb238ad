//! The use cases: read, decide, commit. Callers translate; here is no HTTP and no page.
//!
//! Beside them stand the parts they share with their callers: [`secret`] and [`hook_secret`], the [`guard`] of
//! addresses, the numbers of [`metrics`], the target of [`spans`], and [`Channels`].
//!
//! Uses `attached`, `domain`, `machine`, `signing` and `store`. Begin with `ask.rs`, then `answer.rs`.

mod answer;
mod ask;
mod ask_for;
mod attachments;
mod backoff;
pub mod calendar;
mod callbacks;
mod cancel;
mod cards;
mod channels;
mod claim;
mod climb;
mod collect;
mod commit;
mod consume;
mod deliveries;
mod duty;
mod endpoints;
mod erase;
mod expire;
mod factor;
mod follow_up;
mod grants;
pub mod guard;
mod hand_over;
pub mod hook_secret;
mod inbox;
mod insights;
mod ladders;
mod memories;
mod mentions;
pub mod metrics;
mod network;
mod passwords;
mod people;
mod policies;
mod presence;
mod principal;
mod provider_sign_in;
mod put_back;
mod quota;
mod reach;
mod read;
mod reply;
mod revise;
pub mod secret;
mod seen;
mod session_data;
mod settings;
mod sign_in;
mod slack_identity;
mod slack_turns;
mod snooze;
pub mod spans;
mod suggestions;
mod task;
mod teams;
mod tokens;
mod uses;

pub use ask::Asked;
pub use attachments::{FilePlace, SentFile};
pub use channels::Channels;
pub use duty::{Imported, TeamDuty};
pub use endpoints::{CONFIGURED, WishedEndpoint};
pub use erase::EraseEnd;
pub use factor::{
    AppSecret, AskedAny, AskedPasskey, Asks, Half, Passkeys, PendingApp, PendingPasskey,
    RecoveryCodes,
};
pub use grants::{GrantShown, Offer, Past, PastOne};
pub use hand_over::Receivers;
pub use insights::{
    AMONG as ASKED_MOST_AMONG, Answered, Asked as AskedMostShown, EVERYONE, Figures, Insights,
    LookBack,
};
pub use ladders::TeamLadder;
pub use memories::MemoryShown;
pub use network::Network;
pub use passwords::Weak;
pub use policies::{PoliciesShown, Set as PolicySetShown};
pub use provider_sign_in::{Newcomer, Received, Shown, ShownTeams};
pub use reach::{About, Address, Message, OwnReach, Prepared, ReachNumbers, Spread};
pub use read::Scope;
pub use reply::Heard;
pub use revise::{Before, PlanPlace};
pub use settings::{KeepDays, Settings, TeamDays, Timeouts};
pub use sign_in::{Browser, Known, SignedIn};
pub use slack_turns::Rests;
pub use task::TaskWaiting;

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, atomic::AtomicBool},
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    AgentId, Changeset, Fault, Ids, Interaction, InteractionId, Moment, PersonId, Refused,
    SessionId, Sign, TokenId, interaction::Mode, task::Work,
};
use store::{Store, StoreError};
use thiserror::Error;
use tokio::sync::{Notify, broadcast, watch};

use backoff::Backoff;
use guard::Guard;
use machine::clock::Clock;
use metrics::Metrics;
use passwords::Passwords;
use signing::{CallbackSecrets, Sealer, SlackLinks};
use slack_turns::SlackTurns;
use uses::Uses;

/// How often a row that is not as the journal tells is looked at again before it counts as altered.
const TRIES: u32 = 8;

/// Whoever listens and falls further behind looks for themselves.
const SNOOZES_HEARD: usize = 256;

/// The use cases over one store. Cheap to clone.
#[derive(Clone)]
pub struct Service {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    settings: Settings,
    token_uses: Arc<Uses<TokenId>>,
    asked_after: Arc<Uses<InteractionId>>,
    listened: Arc<Uses<AgentId>>,
    heard_since: Arc<presence::HeardSince>,
    session_uses: Arc<Uses<SessionId>>,
    passwords: Arc<Passwords>,
    backoff: Arc<Backoff>,
    metrics: Arc<Metrics>,
    access_ended: watch::Sender<()>,
    snoozes_changed: broadcast::Sender<PersonId>,
    /// Signs decisions. Commands that only manage have none.
    signer: Option<Arc<dyn Sign>>,
    outbound: Option<Arc<Outbound>>,
    /// Where cards go, if Slack is used.
    channels: Option<Arc<Channels>>,
    slack_links: Option<Arc<SlackLinks>>,
    slack_turns: Arc<SlackTurns>,
    /// Where browsers have passkeys for this server.
    passkeys: Option<Arc<Passkeys>>,
    /// Whether something that was erased may still stand beside the rows. At first it may: a process before this one may
    /// have been killed.
    to_scrub: Arc<AtomicBool>,
    unerasable: Arc<Mutex<erase::Unerasable>>,
    /// The teams that the settings name and that are not there.
    strangers: Arc<Mutex<BTreeSet<String>>>,
    /// Told whenever a first rung is due.
    to_climb: Arc<Notify>,
    /// Of messages to people.
    reading: Arc<reach::Reading>,
    /// The policies that this process knows.
    policies: Arc<policies::PolicyBook>,
    /// Where files are kept.
    keeping: Arc<attachments::Keeping>,
}

/// The parts that webhooks and callbacks need.
#[derive(Debug)]
pub struct Outbound {
    /// Keeps the secrets of webhooks.
    pub sealer: Sealer,
    /// Signs for agents.
    pub callbacks: CallbackSecrets,
    /// Knows where they may lead.
    pub guard: Arc<Guard>,
}

/// Why a use case did not do its work.
#[derive(Debug, Error)]
pub enum ServiceError {
    /// There is no such interaction, or the caller may not know of it.
    #[error("no such interaction")]
    NotFound,
    /// Too many wrong passwords: try again after this long.
    #[error("too many wrong passwords; wait {} s", seconds(*.0))]
    Wait(TimeDelta),
    /// Not a password to protect anything with.
    #[error("the password {0}")]
    WeakPassword(#[from] Weak),
    /// Too many passwords are being checked.
    #[error("too many people are signing in; try again in a moment")]
    Busy,
    /// Too many files are on their way in.
    #[error("too many files are on their way; try again in a moment")]
    FilesBusy,
    /// The token was good until then.
    #[error("this token has expired")]
    TokenExpired(DateTime<Utc>),
    /// A rule said no.
    #[error(transparent)]
    Refused(Refused),
    /// Where files are kept, something failed.
    #[error(transparent)]
    Files(attached::FileError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<Refused> for ServiceError {
    fn from(refused: Refused) -> Self {
        match refused {
            // Rule 18: nobody learns that it is there.
            Refused::NotSeen => Self::NotFound,
            refused => Self::Refused(refused),
        }
    }
}

impl From<Vec<Fault>> for ServiceError {
    fn from(faults: Vec<Fault>) -> Self {
        Self::Refused(Refused::Invalid(faults))
    }
}

impl Service {
    /// The use cases over `store`. Decisions can be taken once there is a signer.
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
        settings: Settings,
    ) -> Self {
        Self {
            heard_since: Arc::new(presence::HeardSince::new(clock.now())),
            store,
            clock,
            ids,
            settings,
            token_uses: Arc::default(),
            asked_after: Arc::default(),
            listened: Arc::default(),
            session_uses: Arc::default(),
            passwords: Arc::default(),
            backoff: Arc::default(),
            metrics: Arc::default(),
            access_ended: watch::Sender::new(()),
            snoozes_changed: broadcast::Sender::new(SNOOZES_HEARD),
            signer: None,
            outbound: None,
            channels: None,
            slack_links: None,
            slack_turns: Arc::default(),
            passkeys: None,
            to_scrub: Arc::new(AtomicBool::new(true)),
            unerasable: Arc::default(),
            strangers: Arc::default(),
            to_climb: Arc::default(),
            reading: Arc::default(),
            policies: Arc::default(),
            keeping: Arc::new(attachments::Keeping::new(None)),
        }
    }

    /// With a key for the receipts of decisions.
    pub fn with_signer(self, signer: Arc<dyn Sign>) -> Self {
        Self {
            signer: Some(signer),
            ..self
        }
    }

    /// With the parts that webhooks and callbacks need.
    pub fn with_outbound(self, outbound: Outbound) -> Self {
        Self {
            outbound: Some(Arc::new(outbound)),
            ..self
        }
    }

    /// With channels of Slack to show interactions in.
    pub fn with_channels(self, channels: Option<Channels>) -> Self {
        Self {
            channels: channels.map(Arc::new),
            ..self
        }
    }

    /// With a key for the links by which users of Slack say who they are.
    pub fn with_slack_links(self, links: SlackLinks) -> Self {
        Self {
            slack_links: Some(Arc::new(links)),
            ..self
        }
    }

    /// With passkeys, where browsers have them.
    pub fn with_passkeys(self, passkeys: Option<Passkeys>) -> Self {
        Self {
            passkeys: passkeys.map(Arc::new),
            ..self
        }
    }

    /// For readers of committed data.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The work of these use cases, in numbers.
    pub fn metrics(&self) -> &Arc<Metrics> {
        &self.metrics
    }

    /// Changes whenever a person or program that was let in may have to leave: the holder of an open
    /// connection looks again.
    pub fn access_ended(&self) -> &watch::Sender<()> {
        &self.access_ended
    }

    /// Says whose snoozes have changed on this node: their pages look again.
    pub fn snoozes_changed(&self) -> &broadcast::Sender<PersonId> {
        &self.snoozes_changed
    }

    /// Now.
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// A name that nobody has and nobody can guess.
    pub fn new_name(&self) -> String {
        self.ids.next().to_string()
    }

    fn moment(&self) -> Moment<'_> {
        Moment {
            at: self.clock.now(),
            ids: &*self.ids,
            signer: self.signer.as_deref(),
        }
    }

    /// Decides on the interaction as it is, and commits.
    async fn change(
        &self,
        id: InteractionId,
        decide: impl Fn(&Interaction, Option<&Work>, Moment<'_>) -> Result<Changeset, Refused>
        + Send
        + Sync,
    ) -> Result<Interaction, ServiceError> {
        let interaction = self.store.interaction(id).await?;
        self.change_known(interaction.ok_or(ServiceError::NotFound)?, decide)
            .await
    }

    /// As [`Service::change`], for an interaction that was read a moment ago.
    async fn change_known(
        &self,
        mut interaction: Interaction,
        decide: impl Fn(&Interaction, Option<&Work>, Moment<'_>) -> Result<Changeset, Refused>
        + Send
        + Sync,
    ) -> Result<Interaction, ServiceError> {
        loop {
            let work = self.stopped_work(&interaction).await?;
            let decided = decide(&interaction, work.as_ref(), self.moment());
            if let Some(changed) = self
                .commit_decision(&interaction, work.as_ref(), decided)
                .await?
            {
                return Ok(changed);
            }
            // A row that says otherwise than its events would be in the way for ever.
            interaction = self.interaction_as_told(interaction.id).await?;
        }
    }

    /// As [`Service::change`], of the interaction as its events tell of it: a decision that is final rests on the
    /// journal, not on a row that can be changed beside it.
    async fn change_as_told(
        &self,
        id: InteractionId,
        decide: impl Fn(&Interaction, Option<&Work>, Moment<'_>) -> Result<Changeset, Refused>
        + Send
        + Sync,
    ) -> Result<Interaction, ServiceError> {
        loop {
            let interaction = self.interaction_as_told(id).await?;
            let work = self.stopped_work(&interaction).await?;
            let decided = decide(&interaction, work.as_ref(), self.moment());
            if let Some(changed) = self
                .commit_decision(&interaction, work.as_ref(), decided)
                .await?
            {
                return Ok(changed);
            }
        }
    }

    /// An interaction, if its row and its events tell the same of it; where they differ in its end, as its events tell.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`], [`Refused::Altered`].
    async fn interaction_as_told(&self, id: InteractionId) -> Result<Interaction, ServiceError> {
        let mut tries = 0;
        loop {
            let interaction = self.store.interaction(id).await?;
            let interaction = interaction.ok_or(ServiceError::NotFound)?;
            // Later than the row, so that it has all that the row has.
            let Some(told) = self.told(id).await? else {
                return Ok(interaction);
            };
            tries += 1;
            match interaction.as_told(&told) {
                // Something else may have come between the row and the journal.
                Err(Refused::Altered) if tries < TRIES => {}
                known => return Ok(known?),
            }
        }
    }

    /// The interaction as its events tell of it. A row can be made to forget the past, the journal cannot.
    async fn told(&self, id: InteractionId) -> Result<Option<Interaction>, StoreError> {
        let events = store::history_of(&*self.store, id, i64::MAX).await?;
        Ok(Interaction::replay(&events))
    }

    /// A task with the interactions that wait in it, as their events tell of them.
    async fn work(&self, agent: AgentId, task: &str) -> Result<Option<Work>, StoreError> {
        let Some(mut work) = self.store.work(agent, task).await? else {
            return Ok(None);
        };
        for interaction in std::mem::take(&mut work.pending) {
            let interaction = match self.told(interaction.id).await? {
                Some(told) => interaction.by_told(told),
                None => interaction,
            };
            if interaction.state.is_pending() {
                work.pending.push(interaction);
            }
        }
        Ok(Some(work))
    }

    /// The task whose status depends on this interaction, if one does.
    async fn stopped_work(&self, interaction: &Interaction) -> Result<Option<Work>, StoreError> {
        match &interaction.request.task {
            Some(task)
                if interaction.request.mode == Mode::Sync && interaction.state.is_pending() =>
            {
                self.work(interaction.agent.id, &task.id).await
            }
            _ => Ok(None),
        }
    }
}

/// Whole seconds, at least one.
pub fn seconds(wait: TimeDelta) -> i64 {
    (wait.num_milliseconds() + 999) / 1_000
}
