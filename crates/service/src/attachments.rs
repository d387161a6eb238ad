//! Files that asks and answers carry: taken in, named, read by whoever may see what they belong to, and removed.
//!
//! A row is there before the bytes are, and stays until they are gone. So a process that is killed leaves no file that nobody
//! knows of, and a file that is missing is noticed before anything is approved with it.

use std::sync::Arc;

use attached::{FileError, Files, Kept, Looking, Turn, Turns};
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    AttachmentId, Interaction, InteractionId, Principal, Refused, State,
    attachment::{Attachment, Holder, Part, Upload, Uploaded},
    interaction::{AnswerDraft, Verdict},
    limits::{ATTACHMENT_WAITS, ATTACHMENTS_WAITING},
};
use store::NewFile;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{Service, ServiceError};

/// How many files may be on their way in at once: each takes its size in memory.
const COMING: usize = 12;
/// How many of them of one sender, who may be in no hurry.
const COMING_OF_ONE: usize = 3;
/// How many may be on their way to one reader, who may be in no hurry either: each takes its size in memory until it is there.
const GOING_TO_ONE: usize = 4;
/// A bucket that did not answer may keep a file all the same, a little later: only then is it removed.
const MAY_STILL_COME: TimeDelta = TimeDelta::minutes(10);
/// How many are removed before the next ones are looked for.
const REMOVED: u32 = 100;

/// A file that was taken in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentFile {
    /// The id by which an ask or an answer names it.
    pub id: AttachmentId,
    /// What is kept of it.
    pub attachment: Attachment,
    /// Until when it is kept, unless something names it.
    pub kept_until: DateTime<Utc>,
}

/// Where files are, and how many may be worked on.
pub(super) struct Keeping {
    files: Option<Files>,
    coming: Arc<Semaphore>,
    coming_of_one: Turns<Holder>,
    going_to_one: Turns<Holder>,
    looking: Looking,
}

impl Keeping {
    pub(super) fn new(files: Option<Files>) -> Self {
        Self {
            files,
            coming: Arc::new(Semaphore::new(COMING)),
            coming_of_one: Turns::new(COMING_OF_ONE),
            going_to_one: Turns::new(GOING_TO_ONE),
            looking: Looking::default(),
        }
    }

    fn files(&self) -> Result<&Files, ServiceError> {
        self.files.as_ref().ok_or(Refused::NoFiles.into())
    }
}

/// A place for a file that is on its way in; given back when it is dropped.
#[derive(Debug)]
pub struct FilePlace {
    _own: Turn,
    _place: OwnedSemaphorePermit,
}

/// The bytes of a file, which hold the turn of who reads it until nobody has them any more.
struct Going {
    bytes: Bytes,
    _turn: Option<Turn>,
}

impl AsRef<[u8]> for Going {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Service {
    /// With a place for files.
    pub fn with_files(self, files: Option<Files>) -> Self {
        Self {
            keeping: Arc::new(Keeping::new(files)),
            ..self
        }
    }

    /// Whether there is a place for files.
    pub fn keeps_files(&self) -> bool {
        self.keeping.files.is_some()
    }

    /// A place for one more file, before anything of it is read: whoever may send one gets it, if there is one.
    ///
    /// # Errors
    /// [`Refused::NoFiles`], [`Refused::NotAResponder`], [`ServiceError::FilesBusy`].
    pub fn place_for_file(&self, by: &Principal) -> Result<FilePlace, ServiceError> {
        self.keeping.files()?;
        let holder = sender(by)?;
        let own = self.keeping.coming_of_one.take(holder);
        let own = own.ok_or(ServiceError::FilesBusy)?;
        let place = Arc::clone(&self.keeping.coming).try_acquire_owned();
        let place = place.map_err(|_| ServiceError::FilesBusy)?;
        Ok(FilePlace {
            _own: own,
            _place: place,
        })
    }

    /// Takes a file in. It belongs to nothing yet; what nothing names goes after an hour.
    ///
    /// # Errors
    /// [`Refused::Invalid`] with every fault of it; [`Refused::TooManyFiles`], [`Refused::QuotaUsedUp`],
    /// [`Refused::NoFiles`], [`Refused::NotAResponder`].
    pub async fn send_file(
        &self,
        place: FilePlace,
        by: &Principal,
        name: Option<&str>,
        media_type: Option<&str>,
        bytes: Vec<u8>,
    ) -> Result<SentFile, ServiceError> {
        let files = self.keeping.files()?;
        let holder = sender(by)?;
        let upload = Upload {
            name,
            media_type,
            bytes: &bytes,
        };
        let (name, format) = upload.check()?;
        if let Holder::Agent(agent) = holder {
            self.quota_left(agent).await?;
        }
        // Its place goes along, and comes back: also when nobody waits for it any more.
        let looked = self.keeping.looking.look_into(place, name, format, bytes);
        let looked = looked.await.map_err(|fault| vec![fault])?;
        let (Kept { attachment, bytes }, _place) = looked;
        let at = self.now();
        let id = AttachmentId(self.ids.next());
        let file = NewFile {
            id,
            holder,
            attachment,
            at,
        };
        if !self.store.expect_file(&file, ATTACHMENTS_WAITING).await? {
            let limit = ATTACHMENTS_WAITING;
            return Err(Refused::TooManyFiles { limit }.into());
        }
        if let Err(error) = files.keep(id, bytes).await {
            // It will be sent again, and again: what was not kept takes no room until it is.
            let late = self.now() + MAY_STILL_COME;
            self.store.give_up_file(id, late).await?;
            return Err(error.into());
        }
        if !self.store.file_arrived(&file).await? {
            // It took an hour.
            return Err(Refused::FileMissing.into());
        }
        Ok(SentFile {
            id,
            attachment: file.attachment,
            kept_until: at + ATTACHMENT_WAITS,
        })
    }

    /// What this sender has under the ids it names, each at its place.
    pub(super) async fn found_files(
        &self,
        holder: Option<Holder>,
        ids: Option<&[String]>,
    ) -> Result<Vec<Option<Uploaded>>, ServiceError> {
        let ids = ids.unwrap_or_default();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        self.keeping.files()?;
        // One more than may be named says that there are too many.
        let ids = &ids[..ids.len().min(domain::limits::ATTACHMENTS + 1)];
        let parsed: Vec<Option<AttachmentId>> = ids.iter().map(|id| id.parse().ok()).collect();
        let known: Vec<AttachmentId> = parsed.iter().flatten().copied().collect();
        let Some(holder) = holder else {
            return Ok(vec![None; parsed.len()]);
        };
        let mut found = self.store.uploaded(holder, &known).await?.into_iter();
        let at_its_place = parsed
            .iter()
            .map(|id| id.and_then(|_| found.next().flatten()));
        Ok(at_its_place.collect())
    }

    /// A file of an interaction, for whoever may see that (rule 18).
    ///
    /// # Errors
    /// [`ServiceError::NotFound`]; [`Refused::FileMissing`] when it is there no more, or is another one.
    pub async fn file(
        &self,
        id: InteractionId,
        part: Part,
        place: usize,
        reader: &Principal,
    ) -> Result<(Attachment, Bytes), ServiceError> {
        let interaction = self.interaction(id, reader).await?;
        let attachment = files_of(&interaction, part).get(place);
        let attachment = attachment.ok_or(ServiceError::NotFound)?.clone();
        let turn = match Holder::of(reader) {
            Some(holder) => self.keeping.going_to_one.wait(holder).await,
            None => None,
        };
        let bytes = self.bytes_of(&interaction, part, place).await?;
        let going = Going { bytes, _turn: turn };
        Ok((attachment, Bytes::from_owner(going)))
    }

    /// The bytes of a file of an interaction that was read a moment ago, which are those that were sent.
    ///
    /// # Errors
    /// As [`Service::file`].
    pub async fn bytes_of(
        &self,
        interaction: &Interaction,
        part: Part,
        place: usize,
    ) -> Result<Bytes, ServiceError> {
        let (id, said) = self.leads_to(interaction, part, place).await?;
        Ok(self.keeping.files()?.read(id, said).await?)
    }

    /// Whether the file is there, as large as it was sent, without a look into it.
    ///
    /// # Errors
    /// As [`Service::file`].
    pub async fn find_file(
        &self,
        interaction: &Interaction,
        part: Part,
        place: usize,
    ) -> Result<(), ServiceError> {
        let (id, said) = self.leads_to(interaction, part, place).await?;
        Ok(self.keeping.files()?.find(id, said).await?)
    }

    async fn leads_to<'a>(
        &self,
        interaction: &'a Interaction,
        part: Part,
        place: usize,
    ) -> Result<(AttachmentId, &'a Attachment), ServiceError> {
        let said = files_of(interaction, part).get(place);
        let said = said.ok_or(ServiceError::NotFound)?;
        let rows = self.store.files_of(interaction.id, part).await?;
        // What the interaction says was signed or is in the journal. The row only leads to the bytes.
        let row = rows.get(place).filter(|row| row.attachment == *said);
        Ok((row.ok_or(Refused::FileMissing)?.id, said))
    }

    /// Fails closed: with a file that is missing, or is another one, nothing is approved.
    pub(super) async fn all_files_are_there(
        &self,
        interaction: &Interaction,
        draft: &AnswerDraft,
    ) -> Result<(), ServiceError> {
        if !interaction.state.is_pending()
            || !interaction.asks_for_a_decision()
            || draft.verdict() == Verdict::Decline
        {
            return Ok(());
        }
        // One after the other: together they would take much memory.
        for place in 0..interaction.request.attached().len() {
            self.bytes_of(interaction, Part::Ask, place).await?;
        }
        Ok(())
    }

    /// Removes what nothing names, and what was erased. Returns how many files these were.
    ///
    /// # Errors
    /// When the database or the place of files fails: what is left is removed by the next turn.
    pub async fn remove_files(&self) -> Result<usize, ServiceError> {
        let now = self.now();
        self.store
            .give_up_files(now - ATTACHMENT_WAITS, now)
            .await?;
        let (mut removed, mut failed, mut after) = (0, None, None);
        loop {
            let ids = self.store.files_to_remove(now, after, REMOVED).await?;
            let Some(last) = ids.last() else {
                return failed.map_or(Ok(removed), |error| Err(ServiceError::from(error)));
            };
            after = Some(*last);
            let files = self.keeping.files()?;
            for id in &ids {
                // One that cannot be removed stands in the way of no other.
                if let Err(error) = files.remove(*id).await {
                    failed = Some(error);
                    continue;
                }
                self.store.forget_files(&[*id]).await?;
                removed += 1;
            }
        }
    }
}

/// Agents ask, and responders answer: nobody else sends files.
fn sender(by: &Principal) -> Result<Holder, ServiceError> {
    if !matches!(by, Principal::Agent(_)) {
        by.responder()?;
    }
    Ok(Holder::of(by).ok_or(Refused::NotAResponder)?)
}

/// The files of a part of an interaction.
pub(super) fn files_of(interaction: &Interaction, part: Part) -> &[Attachment] {
    match (part, &interaction.state) {
        (Part::Ask, _) => interaction.request.attached(),
        (Part::Answer, State::Resolved { answer }) => &answer.attachments,
        (Part::Answer, _) => &[],
    }
}

impl From<FileError> for ServiceError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Missing(_) | FileError::Altered(_) => {
                tracing::error!(%error, "a file that belongs to a question cannot be shown, and nothing is approved with it");
                Refused::FileMissing.into()
            }
            FileError::Failed(_) | FileError::Silent | FileError::Folder(_) => Self::Files(error),
        }
    }
}
