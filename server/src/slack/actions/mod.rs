//! The doings of people with cards and modals, whichever way Slack tells of them.
//!
//! An answer is committed before Slack hears that it arrived. Things that are only to be seen come after that: notes,
//! a card as it is now. That a press has counted is shown by the card itself, which the node that posted it updates as
//! for answers from anywhere else: a second update from here could only come in its way.

mod at_home;
mod command;
pub(crate) mod payload;
mod press;
mod submit;
mod tell;

use std::{fmt, future::Future, sync::Arc, time::Duration};

use anyhow::Context;
use domain::{Interaction, InteractionId, Principal, Refused};
use serde_json::Value;
use service::{Service, ServiceError};
use slack::{
    blocks::{ModalErrors, Note, Origin, too_late},
    client::SlackClient,
};
use tokio::{sync::oneshot, time::timeout};
use tokio_util::task::TaskTracker;

use self::payload::{Payload, Who};
use super::{home::Homes, recognise::Recogniser};

const SLOW: &str = "Slack does not say who you are. Please try again.";
const VIEWER: &str = "You may see this, but not answer it.";
const UNKNOWN: &str =
    "This question is not known here any more, or it belongs to a team that you are not in.";
const ELSEWHERE: &str = "This card is not the one of its question. Please answer on the dashboard.";
const OUTDATED: &str =
    "Somebody has answered this question meanwhile. The card shows what is asked now.";
const CLOSED: &str = "It is closed already.";
const FAILED: &str = "This did not work. Please try again.";

/// How long things may take. Slack waits three seconds.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Saying who a user is.
    pub recognising: Duration,
    /// All that is done before Slack hears of it.
    pub answering: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            recognising: Duration::from_millis(1_500),
            answering: Duration::from_millis(2_500),
        }
    }
}

/// Does what people want in Slack. Cheap to clone.
#[derive(Clone)]
pub struct Actions {
    service: Service,
    client: SlackClient,
    recogniser: Arc<Recogniser>,
    public_url: Arc<str>,
    timing: Timing,
    tasks: TaskTracker,
    homes: Arc<Homes>,
}

impl fmt::Debug for Actions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Actions").finish_non_exhaustive()
    }
}

/// The reason why people did not get what they wanted.
enum Obstacle {
    /// For this reason.
    Refused(Note),
    /// For this reason, and what they see is not how it is.
    Outdated(Note),
    /// It went wrong, and that is in the log.
    Failed,
}

impl Obstacle {
    fn failed(error: &ServiceError) -> Self {
        tracing::error!(error = %error, "what somebody wants in Slack cannot be done");
        Self::Failed
    }

    /// The note that tells them.
    fn note(&self) -> Note {
        match self {
            Self::Refused(note) | Self::Outdated(note) => note.clone(),
            Self::Failed => FAILED.into(),
        }
    }
}

impl Actions {
    /// `public_url` is where the dashboard is, without a slash at its end.
    pub fn new(
        service: Service,
        client: SlackClient,
        recogniser: Arc<Recogniser>,
        public_url: &str,
    ) -> Self {
        let homes = Homes::new(
            service.clone(),
            client.clone(),
            recogniser.clone(),
            public_url,
        );
        Self {
            homes: Arc::new(homes),
            service,
            client,
            recogniser,
            public_url: public_url.into(),
            timing: Timing::default(),
            tasks: TaskTracker::new(),
        }
    }

    /// In other times.
    pub fn with_timing(self, timing: Timing) -> Self {
        Self { timing, ..self }
    }

    /// The homes that people look at.
    pub fn homes(&self) -> &Homes {
        &self.homes
    }

    /// Does what a `block_actions` or `view_submission` payload asks for. Slack may hear that it arrived when this
    /// returns, with what is returned.
    ///
    /// # Errors
    /// When a press could not be kept. Slack should hear nothing then, and shows an error at the button.
    pub async fn handle(&self, payload: &Value) -> anyhow::Result<Option<Value>> {
        match Payload::parse(payload) {
            Some(Payload::AtHome(press)) => self.pressed_at_home(press).await.map(|()| None),
            Some(Payload::Press(press)) => self.pressed(*press).await.map(|()| None),
            Some(Payload::Sent(who, submission)) => self.sent(who, *submission).await,
            Some(Payload::Unreadable) => {
                let errors = ModalErrors::new("This cannot be read here. Close it and try again.");
                Ok(Some(serde_json::to_value(errors)?))
            }
            None => {
                let kind = payload.get("type").and_then(Value::as_str);
                tracing::debug!(kind, "something from Slack that is not for us");
                Ok(None)
            }
        }
    }

    /// Waits until everything is done that was begun, notes and cards too.
    pub async fn finish(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// Works to the end, even if the caller goes, and returns what is told on the way. `None` when Slack
    /// can wait no longer.
    async fn in_time<T, F>(
        &self,
        work: impl FnOnce(Self, oneshot::Sender<T>) -> F,
    ) -> anyhow::Result<Option<T>>
    where
        T: Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let (tell, told) = oneshot::channel();
        self.tasks.spawn(work(self.clone(), tell));
        match timeout(self.timing.answering, told).await {
            Ok(told) => told.context("it ended without a word").map(Some),
            Err(_) => Ok(None),
        }
    }

    /// Who it is, if they may answer.
    async fn admit(&self, who: &Who) -> Result<Principal, Obstacle> {
        let (team, now) = (who.team.as_deref(), self.service.now());
        let known = self.recogniser.recognise(team, &who.user, now);
        let known = timeout(self.timing.recognising, known).await;
        let principal = match known {
            Ok(known) => known.map_err(|why| Obstacle::Refused(why.note()))?,
            Err(_) => return Err(Obstacle::Refused(SLOW.into())),
        };
        match principal.responder() {
            Ok(_) => Ok(principal),
            Err(_) => Err(Obstacle::Refused(VIEWER.into())),
        }
    }

    /// The interaction of the card at this place.
    async fn asked(
        &self,
        id: InteractionId,
        at: &Origin,
        by: &Principal,
    ) -> Result<Interaction, Obstacle> {
        match self.service.interaction(id, by).await {
            Ok(interaction) if is_its_card(&interaction, at) => Ok(interaction),
            Ok(_) => Err(Obstacle::Refused(ELSEWHERE.into())),
            Err(ServiceError::NotFound) => Err(Obstacle::Refused(UNKNOWN.into())),
            Err(error) => Err(Obstacle::failed(&error)),
        }
    }

    /// Whether the second is what the card of the first may decide with it.
    async fn equal_to(&self, one: InteractionId, other: InteractionId) -> Result<bool, Obstacle> {
        let store = self.service.store();
        let read = async {
            let one = store.interaction(one).await?;
            Ok::<_, ServiceError>((one, store.interaction(other).await?))
        };
        match read.await {
            Ok((Some(one), Some(other))) => Ok(one.is_equal_to(&other)),
            Ok(_) => Ok(false),
            Err(error) => Err(Obstacle::failed(&error)),
        }
    }

    /// Why an answer was refused. `look` says of an interaction that is open whether it is still what was answered.
    async fn refused(
        &self,
        id: InteractionId,
        by: &Principal,
        error: ServiceError,
        look: impl FnOnce(&Interaction) -> Option<String>,
    ) -> Obstacle {
        let refused = match error {
            ServiceError::Refused(refused) => refused,
            ServiceError::NotFound => return Obstacle::Refused(UNKNOWN.into()),
            error => return Obstacle::failed(&error),
        };
        let now = match self.service.interaction(id, by).await {
            Ok(now) => now,
            Err(error) => return Obstacle::failed(&error),
        };
        match refused {
            Refused::Closed { .. } => {
                let words = self.too_late(&now, by);
                Obstacle::Outdated(words.unwrap_or_else(|| CLOSED.to_owned()).into())
            }
            Refused::Invalid(faults) => {
                let wrong = || ModalErrors::from_faults(&faults).words().to_owned();
                match look(&now) {
                    Some(words) => Obstacle::Outdated(words.into()),
                    None => Obstacle::Refused(wrong().into()),
                }
            }
            Refused::NotAResponder | Refused::NotInTeam { .. } => Obstacle::Refused(VIEWER.into()),
            // In words for the one who pressed.
            Refused::HasApproved { .. } | Refused::NotCounted(_) => {
                Obstacle::Refused(capital(&refused.to_string()).into())
            }
            other => Obstacle::failed(&other.into()),
        }
    }

    /// Its end meanwhile, in words for a person who wants to answer.
    fn too_late(&self, interaction: &Interaction, by: &Principal) -> Option<String> {
        let reader = by.responder().map(|it| it.id).unwrap_or_default();
        too_late(interaction, reader, self.service.now())
    }
}

/// What became of several at once, of which so many were decided, say: what was in the way, in the words of the first.
fn together(all: Vec<Result<(), Obstacle>>, decided: &str) -> Result<(), Obstacle> {
    let of = all.len();
    let done = all.iter().filter(|one| one.is_ok()).count();
    let mut first = None;
    for obstacle in all.into_iter().filter_map(Result::err) {
        // What was not kept is to be pressed again.
        if let Obstacle::Failed = obstacle {
            return Err(obstacle);
        }
        first.get_or_insert(obstacle);
    }
    match first {
        None => Ok(()),
        Some(obstacle) if done == 0 => Err(obstacle),
        Some(obstacle) => {
            let note = obstacle.note();
            Err(Obstacle::Outdated(Note {
                words: format!("{done} of {of} were {decided}. Of another: {}", note.words),
                link: note.link,
            }))
        }
    }
}

/// Refusals are written to stand behind others; in a note they stand alone.
fn capital(refused: &str) -> String {
    let mut chars = refused.chars();
    let first = chars.next().map(char::to_uppercase);
    let first: String = first.into_iter().flatten().collect();
    format!("{first}{}.", chars.as_str())
}

/// Any card in its channel may be pressed: of one that was posted again there are two, and which was first is not
/// known.
fn is_its_card(interaction: &Interaction, at: &Origin) -> bool {
    let card = interaction.card.as_ref();
    card.is_some_and(|card| card.channel == at.channel)
}
