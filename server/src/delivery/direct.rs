//! Slack, to one person alone: a message of the app that leads to the question. Nothing is decided there: a message that
//! stays behind would offer what is long answered.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    DeliveryId,
    delivery::{Cause, TryResult},
    slack_pace::Urgency,
};
use serde_json::json;
use service::{About, Message, Rests, Service};
use slack::{
    blocks::{Note, NoteLink},
    class::Class,
    client::{CallError, SlackClient},
    limits::{IN_CHANNEL, POST},
    types::{Metadata, Post},
};
use tokio::time::{Instant, timeout};

use super::{
    courier::Sent,
    person::{Carrier, words::Words},
    slack::{
        failure::BACK,
        outage::{Outage, Permit},
    },
};
use crate::config::{Mirror, SlackMode};

/// Longer than a call takes.
const IN_TIME: Duration = Duration::from_secs(20);
/// How long of that its turn is waited for: a call takes ten seconds at most.
const TURN_WITHIN: Duration = Duration::from_secs(8);
/// How soon it comes again where that was not enough.
const AGAIN: TimeDelta = TimeDelta::seconds(1);
/// Slack asks for minutes at most; more than a day is nonsense.
const LONGEST_PAUSE: TimeDelta = TimeDelta::days(1);
/// By this and its id a message is known to be ours.
const EVENT_TYPE: &str = "handraise_message";

/// Writes to people by the app.
pub struct Direct {
    service: Service,
    client: SlackClient,
    public_url: String,
    outage: Arc<Outage>,
}

impl Direct {
    /// By this app; `None` where there is none that can write to people.
    ///
    /// # Errors
    /// When the HTTP client cannot be set up.
    pub fn new(
        service: Service,
        mode: &SlackMode,
        api_url: &str,
        public_url: &str,
        outage: Arc<Outage>,
    ) -> anyhow::Result<Option<Self>> {
        let Some(token) = mode.bot_token() else {
            return Ok(None);
        };
        Ok(Some(Self {
            service,
            client: SlackClient::new(api_url, Some(token.clone()), None)?,
            public_url: public_url.trim_end_matches('/').to_owned(),
            outage,
        }))
    }

    /// Waits until one more message may be posted: one a second in their conversation, as in a channel, and within the pace
    /// of the workspace, where questions in channels go first. Not for longer than its lease is good; then it comes again.
    async fn turn(&self, place: &str) -> Result<(), Sent> {
        let postponed = |why: &str, wait| {
            let why = why.to_owned();
            Err(Sent::nothing(TryResult::Postponed { why, wait }))
        };
        let turns = async {
            let here = self.service.slack_turn(place, IN_CHANNEL, Urgency::Next);
            here.await?;
            let all = self
                .service
                .slack_turn(POST.method, POST.limit, Urgency::Next);
            all.await
        };
        match timeout(TURN_WITHIN, turns).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(Rests(wait))) => {
                postponed("Slack has asked for a pause", wait.min(LONGEST_PAUSE))
            }
            Err(_) => postponed("it waits for its turn", AGAIN),
        }
    }

    fn note(&self, message: &Message) -> Option<Note> {
        let (words, place) = match &message.about {
            Some(About::Closed(_)) => return None,
            None => (
                "It works: questions that wait for you show up here.".to_owned(),
                "/settings/reach".to_owned(),
            ),
            Some(About::Waits(interaction)) => {
                let words = Words::of(interaction, self.service.now()).summing_up(message.cause);
                let place = format!("/q/{}", interaction.id);
                (format!("{}: {}", words.title, words.body), place)
            }
        };
        let link = NoteLink::Dashboard(format!("{}{place}", self.public_url));
        Some(Note {
            words,
            link: Some(link),
        })
    }
}

impl SlackMode {
    /// The token by which the app writes, where it has one.
    pub fn bot_token(&self) -> Option<&secrecy::SecretString> {
        match self {
            Self::SocketMode { bot_token, .. }
            | Self::Http { bot_token, .. }
            | Self::Mirror(Mirror::BotToken { bot_token, .. }) => Some(bot_token),
            Self::Off | Self::Mirror(Mirror::Webhook(_)) => None,
        }
    }
}

#[async_trait]
impl Carrier for Direct {
    fn in_time(&self) -> Duration {
        IN_TIME
    }

    fn may_begin(&self) -> bool {
        let permit = self.outage.permit_call(POST.method, self.service.now());
        permit != Permit::Nothing
    }

    async fn carry(&self, message: &Message, id: DeliveryId) -> Sent {
        let withdrawn = |why: &str| Sent::nothing(TryResult::Withdrawn(why.to_owned()));
        // Whoever they are in Slack by now.
        let Some(user) = &message.person.slack_id else {
            return withdrawn("the person is nobody in Slack any more");
        };
        let Some(note) = self.note(message) else {
            return withdrawn("there is nothing to tell there");
        };
        let card = note.to_card();
        let blocks = card.json_blocks();
        let metadata = Metadata {
            event_type: EVENT_TYPE.to_owned(),
            event_payload: json!({ "message": id }),
        };
        let mut post = Post::to(user.as_str(), &card.text, &blocks);
        post.metadata = Some(&metadata);
        let place = format!("{} {}", POST.method, user.as_str());
        if let Err(resting) = self.turn(&place).await {
            return resting;
        }
        // It may have been answered meanwhile. A summary tells of others, too.
        if let (Some(About::Waits(asked)), Cause::Rung(_)) = (&message.about, message.cause) {
            let now = self.service.store().interaction(asked.id).await;
            if matches!(now, Ok(Some(now)) if !now.state.is_pending()) {
                return withdrawn("it does not wait for an answer any more");
            }
        }
        let begun = Instant::now();
        let reply = match self.client.post_message(&post).await {
            Ok(_) => {
                self.outage.ends(POST.method);
                TryResult::Status {
                    code: 200,
                    retry_after: None,
                }
            }
            Err(error) if error.is_outage => {
                self.outage.begins(POST.method, self.service.now());
                missed(&error)
            }
            Err(error) => {
                self.outage.ends(POST.method);
                // One who is written to too fast holds up no question: if it is the workspace, a card hears of it, too.
                if let Some(wait) = error.pause() {
                    self.service.slack_refused(&place, wait).await;
                }
                reply(&error)
            }
        };
        Sent {
            took: begun.elapsed(),
            ..Sent::nothing(reply)
        }
    }
}

/// What becomes of a message when Slack was not there. That says nothing of its person, so it is due as soon as Slack may be
/// back. Without an answer it may have arrived: then it takes its time, so that it does not come again and again.
fn missed(error: &CallError) -> TryResult {
    let why = error.to_string();
    match error.class {
        Class::Ambiguous if !error.is_answered => TryResult::Failed(why),
        _ => TryResult::Postponed { why, wait: BACK },
    }
}

/// What becomes of a message that Slack did not take. One that may be there is sent again: whoever gets it twice knows it.
fn reply(error: &CallError) -> TryResult {
    let why = error.to_string();
    match error.class {
        // Of this person alone, where the others may be fine.
        Class::Config if matches!(&*error.code, "channel_not_found" | "user_not_found") => {
            TryResult::Invalid(why)
        }
        Class::Config => TryResult::Parked(format!("{why}: `handraise slack check` says more")),
        Class::Content | Class::TriggerBound => TryResult::Invalid(why),
        Class::NotDone {
            retry_after: Some(pause),
        } => {
            let wait = TimeDelta::from_std(pause).unwrap_or(LONGEST_PAUSE);
            let wait = wait.min(LONGEST_PAUSE);
            TryResult::Postponed { why, wait }
        }
        Class::NotDone { retry_after: None } | Class::Ambiguous => TryResult::Failed(why),
    }
}
