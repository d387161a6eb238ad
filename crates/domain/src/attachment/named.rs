//! What an ask or an answer may name.

use super::Attachment;
use crate::{
    fault::Faults,
    ids::{AttachmentId, InteractionId},
    limits,
};

/// A file that is there under an id, as its sender named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uploaded {
    /// Its id.
    pub id: AttachmentId,
    /// What it is.
    pub attachment: Attachment,
    /// What it is part of already.
    pub part_of: Option<InteractionId>,
}

/// What is said of a file that is part of something already: what was decided there covers it.
pub const IS_USED: &str = "belongs to another question or answer; send the file once more";

/// What is said of an id that leads to nothing, and of one that is somebody else's: who asks learns nothing of the second.
const NO_SUCH: &str =
    "is no attachment that was sent with this token; one that is not used is kept for an hour";

/// The files that were named by these ids, of which `found` were there, each at its place. Where a decision covers them,
/// all of it has to be shown before. Faults stand at `attachments`.
pub(crate) fn check(
    ids: Option<&[String]>,
    found: &[Option<Uploaded>],
    is_decided: bool,
    faults: &mut Faults,
) -> Vec<Attachment> {
    let ids = ids.unwrap_or_default();
    if ids.len() > limits::ATTACHMENTS {
        let (count, most) = (ids.len(), limits::ATTACHMENTS);
        let why = format!("has {count} attachments, at most {most} are allowed");
        faults.add("attachments", why);
        return Vec::new();
    }
    let mut attached: Vec<Attachment> = Vec::with_capacity(ids.len());
    for (n, id) in ids.iter().enumerate() {
        let at = format!("attachments[{n}]");
        // One by one, so that no file ever stands at the place of another.
        let file = found.get(n).and_then(Option::as_ref);
        let Some(file) = file.filter(|file| names(id, file.id)) else {
            faults.add(&at, NO_SUCH);
            continue;
        };
        if ids.iter().take(n).any(|other| names(other, file.id)) {
            faults.add(&at, "stands twice");
        } else if attached.iter().any(|it| it.name == file.attachment.name) {
            faults.add(&at, "has the name of another attachment");
        }
        attached.push(file.attachment.clone());
    }
    if is_decided {
        all_can_be_read(&attached, faults);
    }
    attached
}

/// Whether this is the id, however it is written.
fn names(text: &str, id: AttachmentId) -> bool {
    text.parse::<AttachmentId>().ok() == Some(id)
}

/// Rule 11: what nobody can be shown whole, nobody can approve.
fn all_can_be_read(attached: &[Attachment], faults: &mut Faults) {
    let mut sum = 0;
    for (n, attachment) in attached.iter().enumerate() {
        if attachment.media.is_picture() {
            continue;
        }
        sum += attachment.size;
        if sum > limits::ATTACHED_TEXT_BYTES {
            let most = limits::ATTACHED_TEXT_BYTES;
            faults.add(
                &format!("attachments[{n}]"),
                format!(
                    "makes {sum} bytes of text, more than a person is shown before a decision: \
                     at most {most} are allowed with an approval or a plan"
                ),
            );
            return;
        }
    }
}
