//! The rows of files that asks and answers carry. The bytes are kept elsewhere; changesets make files part of something.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    AttachmentId, InteractionId,
    attachment::{Attachment, Holder, Part, Uploaded},
};

use crate::Result;

/// A file whose bytes are about to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFile {
    /// Its id.
    pub id: AttachmentId,
    /// Who sent it.
    pub holder: Holder,
    /// What it is.
    pub attachment: Attachment,
    /// When it was sent.
    pub at: DateTime<Utc>,
}

/// A file that is part of something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileOf {
    /// Its id, by which its bytes are kept.
    pub id: AttachmentId,
    /// What its row says that it is. What counts is what the interaction says.
    pub attachment: Attachment,
}

/// Files, from the moment they are sent until they are gone.
#[async_trait]
pub trait Attachments: Send + Sync {
    /// Notes a file before its bytes are kept, so that they are found if nothing follows. `false` when the sender has
    /// `most` that are part of nothing: then nothing is noted. Two that come at once may both be the last.
    async fn expect_file(&self, file: &NewFile, most: u32) -> Result<bool>;

    /// Its bytes are kept: from now on it can be named, and of an agent its size counts towards what it has had stored on
    /// that day. `false` when it was given up meanwhile, or has arrived before.
    async fn file_arrived(&self, file: &NewFile) -> Result<bool>;

    /// Gives up a file whose bytes have perhaps not come, and may until `gone_at`: its sender has its room back at once, and
    /// it is removed then. One that is part of something stays.
    async fn give_up_file(&self, id: AttachmentId, gone_at: DateTime<Utc>) -> Result<()>;

    /// What this sender has under each of these ids, in their order: what is kept, also when it is part of something.
    async fn uploaded(&self, holder: Holder, ids: &[AttachmentId])
    -> Result<Vec<Option<Uploaded>>>;

    /// The files of an interaction, in their order.
    async fn files_of(&self, interaction: InteractionId, part: Part) -> Result<Vec<FileOf>>;

    /// Gives up at `now` what was sent before then and is part of nothing, and returns how many these were.
    async fn give_up_files(&self, sent_before: DateTime<Utc>, now: DateTime<Utc>) -> Result<u64>;

    /// Files whose bytes have to go by `now`, in the order of their ids, after this one.
    async fn files_to_remove(
        &self,
        now: DateTime<Utc>,
        after: Option<AttachmentId>,
        limit: u32,
    ) -> Result<Vec<AttachmentId>>;

    /// The bytes of these are gone, and so are their rows. One that was not given up stays.
    async fn forget_files(&self, ids: &[AttachmentId]) -> Result<()>;
}
