//! ntfy: a message to one topic. Its buttons only lead to the question's own page; nothing is decided there.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{DeliveryId, delivery::TryResult, interaction::Priority};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use serde_json::{Value, json};
use service::{
    About, Address, Message, Service,
    guard::{Guard, Networks, SystemNames},
};

use super::{
    courier::Sent,
    person::{Carrier, words::Words},
    post::{IN_TIME, Post},
};
use crate::config::NtfySettings;

/// As ntfy counts them: 5 wakes the phone up.
const URGENT: u8 = 5;
const HIGH: u8 = 4;
const NORMAL: u8 = 3;

/// Posts to the ntfy server.
pub struct Ntfy {
    service: Service,
    post: Post,
    url: String,
    token: Option<HeaderValue>,
    public_url: String,
}

impl Ntfy {
    /// By this server; `None` where there is none.
    ///
    /// # Errors
    /// When the token is none.
    pub fn new(
        service: Service,
        post: Post,
        settings: &NtfySettings,
        public_url: &str,
    ) -> anyhow::Result<Option<Self>> {
        let Some(url) = &settings.url else {
            return Ok(None);
        };
        let token = settings.token.as_ref().map(|token| {
            let mut value = HeaderValue::from_str(&format!("Bearer {}", token.reveal()))?;
            value.set_sensitive(true);
            anyhow::Ok(value)
        });
        Ok(Some(Self {
            service,
            post,
            url: url.clone(),
            token: token.transpose()?,
            public_url: public_url.trim_end_matches('/').to_owned(),
        }))
    }

    /// Whether the ntfy server at this address answers, and may be reached.
    ///
    /// # Errors
    /// Why not.
    pub async fn examine(url: &str, allowed: Networks) -> anyhow::Result<()> {
        let guard = Arc::new(Guard::new(allowed));
        let post = Post::new(guard, Arc::new(SystemNames))?;
        let status = post.look(&format!("{url}/v1/health")).await?;
        anyhow::ensure!(
            (200..300).contains(&status),
            "{url} answered {status} when it was asked how it is; is it an ntfy server?"
        );
        Ok(())
    }

    fn body(&self, message: &Message, id: DeliveryId) -> Option<Value> {
        let Address::Ntfy { topic } = &message.address else {
            return None;
        };
        let body = match &message.about {
            Some(About::Closed(_)) => return None,
            None => json!({
                "title": "It works",
                "message": "Questions that wait for you show up here.",
                "priority": NORMAL,
                "click": format!("{}/settings/reach", self.public_url),
            }),
            Some(About::Waits(interaction)) => {
                let words = Words::of(interaction, self.service.now()).summing_up(message.cause);
                let place = format!("{}/q/{}", self.public_url, interaction.id);
                let priority = match interaction.request.priority {
                    Priority::Urgent => URGENT,
                    Priority::Normal if super::person::words::presses(interaction) => HIGH,
                    Priority::Normal => NORMAL,
                };
                json!({
                    "title": words.title,
                    "message": words.body,
                    "priority": priority,
                    "click": place,
                    "actions": [{"action": "view", "label": "Open", "url": place, "clear": true}],
                })
            }
        };
        let mut body = body;
        body["topic"] = topic.clone().into();
        // Sent twice it is one message on the phone.
        body["sequence_id"] = id.to_string().into();
        Some(body)
    }
}

#[async_trait]
impl Carrier for Ntfy {
    fn in_time(&self) -> Duration {
        IN_TIME
    }

    async fn carry(&self, message: &Message, id: DeliveryId) -> Sent {
        let Some(body) = self.body(message, id) else {
            let why = "there is nothing to tell there".to_owned();
            return Sent::nothing(TryResult::Withdrawn(why));
        };
        let mut headers = HeaderMap::new();
        headers.extend(self.token.clone().map(|token| (AUTHORIZATION, token)));
        let body = body.to_string().into_bytes();
        let sent = self.post.send(&self.url, headers, body, self.service.now());
        // It repeats the topic and the message: neither is to stand beside the delivery.
        Sent {
            body: String::new(),
            ..sent.await
        }
    }
}
