//! The files of an interaction, in the thread of its card: uploaded, and deleted once it is erased.
//!
//! No user sees a file of Slack's before it is shared, and all of one interaction are shared by one call. Their ids are in the
//! database before that call. So a try after one of which the end is not known finds them in the thread; or has them
//! deleted, whether or not they are about to appear, before it uploads them again.

use std::time::Duration;

use domain::{
    Interaction, Refused,
    attachment::{Attachment, Media, Part},
    delivery::TryResult,
    interaction::Kind,
    slack_pace::Urgency,
};
use service::ServiceError;
use slack::{
    client::SlackClient,
    limits::{DELETE, POST, Paced, REPLIES, SHARE, UPLOAD},
    types::{NewFile, Posted},
};
use tokio::time::{Instant, sleep};

use super::{Cards, Told, arrived, card::log, look, nothing_to_show, turn::resting};
use crate::delivery::courier::Sent;

/// Slack makes a snippet, with lines and colours, of a text that is no longer.
const SNIPPET: u64 = 900_000;
/// How much of a thread is looked at.
const PAGES: usize = 10;

/// The end of a delivery before all of it was done; `None` when the database did not say, so that it is tried again.
type Ended = Option<Sent>;

impl Cards {
    /// Has Slack show the files in the thread, or show them no more.
    pub(super) async fn files(&self, client: &SlackClient, told: &Told) -> Option<Sent> {
        let begun = Instant::now();
        match self.bring_files(client, told).await {
            Ok(true) => {
                self.outage.ends(POST.method);
                Some(arrived(begun.elapsed()))
            }
            Ok(false) => Some(nothing_to_show()),
            Err(ended) => ended,
        }
    }

    /// Whether anything of it is in Slack, or was.
    async fn bring_files(&self, client: &SlackClient, told: &Told) -> Result<bool, Ended> {
        let interaction = self.as_it_is(told).await.ok_or(None)?.interaction;
        let earlier = self.noted(&interaction).await?;
        if interaction.erased.is_some() {
            self.delete_files(client, &earlier).await?;
            return Ok(!earlier.is_empty());
        }
        let Some(at) = self.card_of(&interaction) else {
            let waits = self.waits_for_its_card(&interaction, &told.claimed);
            return Err(waits.await.inspect_err(log).ok());
        };
        if !earlier.is_empty() {
            if self.are_in_thread(client, &at, &earlier).await? {
                return Ok(true);
            }
            self.delete_files(client, &earlier).await?;
        }
        if !is_wanted(&interaction) {
            return Ok(false);
        }
        let mut shared = Vec::new();
        for (place, file) in interaction.request.attached().iter().enumerate() {
            let id = self.upload(client, &interaction, place, file).await?;
            shared.push((id, file.name.clone()));
        }
        let ids: Vec<String> = shared.iter().map(|(id, _)| id.clone()).collect();
        self.turn_to_post(&at.channel, Urgency::Next)
            .await
            .map_err(Some)?;
        self.turn_for(SHARE).await?;
        let store = self.service.store();
        let noting = store.expect_slack_files(interaction.id, &ids);
        noting.await.map_err(|error| lost(error.into()))?;
        // Who erases it from now on finds the ids; who has erased it before is noticed here.
        let now = self.as_it_is(told).await.ok_or(None)?.interaction;
        if !is_wanted(&now) {
            self.delete_files(client, &ids).await?;
            return Ok(false);
        }
        if !self.may_call([told]).await {
            return Err(None);
        }
        let begun = Instant::now();
        let sharing = client.share_files(&at, &shared).await;
        match sharing {
            Ok(()) => Ok(true),
            Err(error) => Err(Some(self.failed(&error, begun.elapsed()).await)),
        }
    }

    fn card_of(&self, interaction: &Interaction) -> Option<Posted> {
        let card = interaction.card.as_ref()?;
        Some(Posted {
            channel: card.channel.clone(),
            ts: card.posted.as_ref()?.ts.clone(),
        })
    }

    async fn noted(&self, interaction: &Interaction) -> Result<Vec<String>, Ended> {
        let noted = self.service.store().slack_files(interaction.id).await;
        noted.map_err(|error| lost(error.into()))
    }

    /// Uploads one, of which no user sees anything yet. Its bytes are those whose hash is covered by the decision.
    async fn upload(
        &self,
        client: &SlackClient,
        interaction: &Interaction,
        place: usize,
        file: &Attachment,
    ) -> Result<String, Ended> {
        let read = self.service.bytes_of(interaction, Part::Ask, place).await;
        let bytes = match read {
            Ok(bytes) => bytes,
            Err(ServiceError::Refused(Refused::FileMissing)) => {
                let why = "a file is missing, or is another one".to_owned();
                return Err(Some(Sent::nothing(TryResult::Invalid(why))));
            }
            Err(error) => {
                tracing::warn!(%error, "a file cannot be read; it is tried again");
                let why = "a file cannot be read now".to_owned();
                return Err(Some(Sent::nothing(TryResult::Failed(why))));
            }
        };
        self.turn_for(UPLOAD).await?;
        let name = file.saved_as();
        let alt = format!("A picture called {}", file.name);
        let new = NewFile {
            name: &name,
            size: file.size,
            snippet: (file.media == Media::Diff && file.size <= SNIPPET).then_some("diff"),
            alt: file.media.is_picture().then_some(&*alt),
        };
        let begun = Instant::now();
        let uploaded = async {
            let there = client.upload_place(new).await?;
            client.upload(&there, bytes).await?;
            Ok(there.file_id)
        };
        match uploaded.await {
            Ok(id) => Ok(id),
            Err(error) => {
                let failed = self.failed(&error, begun.elapsed()).await;
                Err(Some(Sent {
                    // It is not shared.
                    may_have_arrived: false,
                    ..failed
                }))
            }
        }
    }

    async fn delete_files(&self, client: &SlackClient, ids: &[String]) -> Result<(), Ended> {
        for id in ids {
            self.turn_for(DELETE).await?;
            let begun = Instant::now();
            if let Err(error) = client.delete_file(id).await {
                return Err(Some(self.failed(&error, begun.elapsed()).await));
            }
            let store = self.service.store();
            let forgetting = store.forget_slack_files(std::slice::from_ref(id));
            forgetting.await.map_err(|error| lost(error.into()))?;
        }
        Ok(())
    }

    /// Whether an earlier try has arrived, with all of them: Slack shows it some time after it took it.
    async fn are_in_thread(
        &self,
        client: &SlackClient,
        at: &Posted,
        ids: &[String],
    ) -> Result<bool, Ended> {
        for pause in look::LOOKS {
            sleep(pause).await;
            if self.are_seen(client, at, ids).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The same, as it is now.
    async fn are_seen(
        &self,
        client: &SlackClient,
        at: &Posted,
        ids: &[String],
    ) -> Result<bool, Ended> {
        let mut page = None;
        for _ in 0..PAGES {
            self.turn_for(REPLIES).await?;
            let read = client.replies(&at.channel, &at.ts, None, page.as_deref());
            let read = match read.await {
                Ok(read) => read,
                Err(error) => return Err(Some(self.failed(&error, Duration::ZERO).await)),
            };
            let has_all = |files: &[slack::types::FileIn]| {
                ids.iter().all(|id| files.iter().any(|file| file.id == *id))
            };
            if read.messages.iter().any(|one| has_all(&one.files)) {
                return Ok(true);
            }
            page = read.next;
            if page.is_none() {
                break;
            }
        }
        Ok(false)
    }

    async fn turn_for(&self, paced: Paced) -> Result<(), Ended> {
        let turn = self
            .service
            .slack_turn(paced.method, paced.limit, Urgency::Next);
        turn.await.map_err(|rests| Some(resting(rests)))
    }
}

/// What is closed already is decided without them.
fn is_wanted(interaction: &Interaction) -> bool {
    let is_told = interaction.request.kind() == Kind::Notification;
    interaction.erased.is_none() && (is_told || interaction.state.is_pending())
}

fn lost(error: ServiceError) -> Ended {
    log(&error);
    None
}
