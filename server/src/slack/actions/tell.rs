//! Notes for people on what they did, for them alone, and the card as it is now.

use domain::InteractionId;
use secrecy::SecretString;
use serde_json::json;
use slack::{
    blocks::{Note, Origin, Surface, card},
    types::{Post, Posted},
};

use super::{Actions, payload::Pressed};

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
        let Err(error) = self.client.post_ephemeral(recipient.user, &post).await else {
            return;
        };
        let Some(url) = recipient.response_url else {
            tracing::warn!(error = %error, "cannot tell somebody in Slack what became of their answer");
            return;
        };
        let body = json!({
            "response_type": "ephemeral", "replace_original": false, "text": note.text, "blocks": blocks,
        });
        if let Err(last) = self.client.respond(url, &body).await {
            tracing::warn!(error = %error, last.error = %last, "cannot tell somebody in Slack what became of their press");
        }
    }

    /// Shows the card as it is now. When it changes meanwhile, what was shown may have come after what others
    /// show, so it is shown again.
    pub(super) async fn refresh(&self, id: InteractionId, at: &Origin) {
        let at = Posted {
            channel: at.channel.clone(),
            ts: at.ts.clone(),
        };
        let mut shown = None;
        loop {
            let interaction = match self.service.store().interaction(id).await {
                Ok(Some(interaction)) if shown != Some(interaction.version) => interaction,
                Ok(_) => return,
                Err(error) => {
                    tracing::error!(error = %error, interaction.id = %id, "cannot read what a card is to show");
                    return;
                }
            };
            let card = card(&interaction, Surface::Interactive, &self.public_url);
            let blocks = card.json_blocks();
            let updated = self.client.update_message(&at, &card.text, &blocks);
            let since = match updated.await {
                Ok(since) => since,
                Err(error) => {
                    tracing::warn!(error = %error, interaction.id = %id, "cannot show a card in Slack as it is now");
                    return;
                }
            };
            if let Err(error) = self.service.card_shows(&interaction, since).await {
                tracing::error!(error = %error, interaction.id = %id, "what a card shows cannot be kept");
            }
            shown = Some(interaction.version);
        }
    }
}
