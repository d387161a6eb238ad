//! The bytes of files that asks and answers carry: what is in them, and where they are kept. Whoever may send and see them
//! is decided elsewhere.
//!
//! Uses `domain` and `machine`. Begin with [`look_into`], then [`Files`].

mod bucket;
mod keep;
mod picture;
mod turns;

pub use bucket::bucket;
pub use keep::{FileError, Files, OpenError};
pub use turns::{Looking, Turn, Turns};

use domain::{
    attachment::{Attachment, Format, Media, file_fault, text_fault},
    digest,
    fault::Fault,
    limits,
};

/// A file as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// What it is.
    pub attachment: Attachment,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Looks into a file that was sent as this. A picture is decoded and encoded anew, so that nothing is kept of it but what
/// people see: no place where it was taken, no other file in it. A text stays as it is, byte for byte.
///
/// Takes up to a second of one core, and for a picture up to [`MEMORY`] bytes: [`Looking`] bounds how many there are at once.
///
/// # Errors
/// What is wrong with it, at `$`.
pub fn look_into(name: String, format: Format, bytes: Vec<u8>) -> Result<Kept, Fault> {
    let (media, bytes) = match format {
        Format::Text | Format::Diff => {
            if let Some(fault) = text_fault(&bytes) {
                return Err(fault);
            }
            let media = match format {
                Format::Diff => Media::Diff,
                _ => Media::Text,
            };
            (media, bytes)
        }
        Format::Png | Format::Jpeg | Format::WebP | Format::Avif => {
            picture::encoded_anew(format, &bytes)?
        }
    };
    if bytes.len() > limits::ATTACHMENT_BYTES {
        return Err(too_large_anew(bytes.len()));
    }
    let hash = digest::sha256(&bytes);
    let attachment = Attachment {
        name,
        media,
        size: u64::try_from(bytes.len()).unwrap_or(u64::MAX),
        sha256: hash.trim_start_matches("sha256:").to_owned(),
    };
    Ok(Kept { attachment, bytes })
}

/// What decoding one picture takes at most.
pub const MEMORY: u64 = picture::MEMORY;

fn too_large_anew(bytes: usize) -> Fault {
    let most = limits::ATTACHMENT_BYTES;
    file_fault(format!(
        "has {bytes} bytes once it is encoded anew, at most {most} are allowed; send it smaller"
    ))
}
