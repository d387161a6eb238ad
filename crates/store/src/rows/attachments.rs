//! Files as stored.

use domain::{
    AttachmentId, InteractionId,
    attachment::{Attachment, Media, Uploaded},
};
use sqlx::FromRow;
use uuid::Uuid;

use crate::{FileOf, Result, StoreError};

/// A file, and what it is part of.
#[derive(Debug, FromRow)]
pub(crate) struct FileRow {
    id: Uuid,
    name: String,
    media: String,
    size: i64,
    sha256: String,
    interaction_id: Option<Uuid>,
}

impl FileRow {
    fn attachment(self) -> Result<Attachment> {
        let wrong =
            |column, why: String| StoreError::inconsistent("attachments", column, self.id, why);
        let media = Media::from_name(&self.media);
        let media = media.ok_or_else(|| wrong("media", self.media.clone()))?;
        let size = u64::try_from(self.size).map_err(|error| wrong("size", error.to_string()))?;
        Ok(Attachment {
            name: self.name,
            media,
            size,
            sha256: self.sha256,
        })
    }
}

impl TryFrom<FileRow> for Uploaded {
    type Error = StoreError;

    fn try_from(row: FileRow) -> Result<Self> {
        Ok(Self {
            id: AttachmentId(row.id),
            part_of: row.interaction_id.map(InteractionId),
            attachment: row.attachment()?,
        })
    }
}

impl TryFrom<FileRow> for FileOf {
    type Error = StoreError;

    fn try_from(row: FileRow) -> Result<Self> {
        Ok(Self {
            id: AttachmentId(row.id),
            attachment: row.attachment()?,
        })
    }
}

/// How large it is, as its row has it.
pub(crate) fn file_size(file: &Attachment, id: AttachmentId) -> Result<i64> {
    i64::try_from(file.size)
        .map_err(|error| StoreError::inconsistent("attachments", "size", id, error))
}
