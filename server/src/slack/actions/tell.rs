//! Notes for people on what they did, for them alone, and the card as it is now.

use std::time::Duration;

use domain::{Interaction, InteractionId, slack_pace::Urgency};
use secrecy::SecretString;
use serde_json::json;
use service::Rests;
use slack::{
    blocks::{Note, Origin, Surface, card_of},
    client::CallError,
    limits::{NOTE, Paced, UPDATE},
    types::{Post, Posted},
};
use store::StoreError;
use tokio::time::timeout;

use super::{Actions, payload::Pressed};

/// How long a turn is waited for.
const PATIENCE: Duration = Duration::from_secs(20);
/// More than one card shows.
const ALL: u32 = 100;

/// Where a user can be told something.
pub(super) struct Recipient<'a> {
    user: &'a str,
    channel: &'a str,
    thread: Option<&'a str>,
    response_url: Option<&'a SecretString>,
}

impl<'a> Recipient<'a> {
    /// Beside the card that the user came from.
    pub(super) fn to(user: &'a str, at: &'a Origin) -> Self {
        Self {
            user,
            channel: &at.channel,
            thread: None,
            response_url: None,
        }
    }
}

impl Pressed {
    pub(super) fn recipient(&self) -> Recipient<'_> {
        Recipient {
            thread: self.thread.as_deref(),
            response_url: self.response_url.as_ref(),
            ..Recipient::to(&self.who.user, &self.at)
        }
    }
}

impl Actions {
    /// Tells one person alone. They may have left the channel, or never been in it; what came with their press
    /// reaches them all the same.
    pub(super) async fn tell(&self, recipient: &Recipient<'_>, note: &Note) {
        let note = note.to_card();
        let blocks = note.json_blocks();
        let mut post = Post::to(recipient.channel, &note.text, &blocks);
        post.thread_ts = recipient.thread;
        let error = match self.told(recipient.user, &post).await {
            Ok(()) => return,
            Err(error) => error,
        };
        let Some(url) = recipient.response_url else {
            tracing::warn!(
                error,
                "cannot tell somebody in Slack what became of their answer"
            );
            return;
        };
        let body = json!({
            "response_type": "ephemeral", "replace_original": false, "text": note.text, "blocks": blocks,
        });
        if let Err(last) = self.client.respond(url, &body).await {
            tracing::warn!(error, last.error = %last, "cannot tell somebody in Slack what became of their press");
        }
    }

    async fn told(&self, user: &str, post: &Post<'_>) -> Result<(), String> {
        self.turn(NOTE).await?;
        let posted = self.client.post_ephemeral(user, post).await;
        match posted {
            Ok(()) => Ok(()),
            Err(error) => Err(self.failed(&error).await),
        }
    }

    /// Waits until a method may be called, not for long: who pressed wants to know soon, and a server that stops waits
    /// for this.
    async fn turn(&self, paced: Paced) -> Result<(), String> {
        let turn = self
            .service
            .slack_turn(paced.method, paced.limit, Urgency::First);
        match timeout(PATIENCE, turn).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(Rests(_))) | Err(_) => {
                Err(format!("{}: Slack has asked for a pause", paced.method))
            }
        }
    }

    /// Writes down what Slack wants, and says what went wrong.
    pub(super) async fn failed(&self, error: &CallError) -> String {
        if let Some(wait) = error.pause() {
            self.service.slack_refused(error.method, wait).await;
        }
        error.to_string()
    }

    /// Shows the card as it is now, if Slack takes that now: otherwise it is owed, if it has changed. When it changes
    /// meanwhile, what was shown may have come after what others show, so it is shown again.
    pub(super) async fn refresh(&self, id: InteractionId, at: &Origin) {
        let at = Posted {
            channel: at.channel.clone(),
            ts: at.ts.clone(),
        };
        let mut shown = None;
        loop {
            let all = self.all_on_card(id, &at).await;
            if all.is_empty() || shown == Some(versions(&all)) {
                return;
            }
            if let Err(error) = self.turn(UPDATE).await {
                tracing::info!(error, interaction.id = %id, "a card in Slack is shown later as it is");
                return;
            }
            let all = self.all_on_card(id, &at).await;
            let Some(card) = card_of(&all, Surface::Interactive, &self.public_url) else {
                return;
            };
            let blocks = card.json_blocks();
            let updated = self.client.update_message(&at, &card.text, &blocks);
            let since = match updated.await {
                Ok(since) => since,
                Err(error) => {
                    let error = self.failed(&error).await;
                    tracing::warn!(error, interaction.id = %id, "cannot show a card in Slack as it is now");
                    return;
                }
            };
            for one in &all {
                if let Err(error) = self.service.card_shows(one, since).await {
                    tracing::error!(error = %error, interaction.id = %id, "what a card shows cannot be kept");
                }
            }
            shown = Some(versions(&all));
        }
    }

    /// What is on the card that was pressed: this one, and those equal to it that are shown there, too.
    async fn all_on_card(&self, id: InteractionId, at: &Posted) -> Vec<Interaction> {
        let store = self.service.store();
        let read = async {
            let Some(one) = store.interaction(id).await? else {
                return Ok(Vec::new());
            };
            let others = store.interactions_of_card(&at.channel, &at.ts, ALL).await?;
            let is_there = others.iter().any(|other| other.id == id);
            Ok::<_, StoreError>(match is_there && one.may_share_a_card() {
                true => others,
                false => vec![one],
            })
        };
        read.await.unwrap_or_else(|error| {
            tracing::error!(error = %error, interaction.id = %id, "cannot read what a card is to show");
            Vec::new()
        })
    }
}

fn versions(all: &[Interaction]) -> Vec<(InteractionId, i64)> {
    all.iter().map(|one| (one.id, one.version)).collect()
}
