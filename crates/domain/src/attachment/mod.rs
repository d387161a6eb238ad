//! Files that an ask or an answer carries. They are sent before it, one by one, and named in it by the ids that they got
//! then: it is committed with all of them or not at all. What is approved covers the bytes by their hashes.
//!
//! What a file may be is decided in `upload.rs`, and what an ask or an answer may name in `named.rs`.

mod named;
#[cfg(test)]
pub(crate) mod tests;
mod upload;
mod write;

use serde::{Deserialize, Deserializer, Serialize, de::Error};

pub(crate) use named::check;
pub use named::{IS_USED, Uploaded};
pub use upload::{Format, Upload, file_fault, picture_fault, text_fault};
pub use write::{Attaching, Holder, Part};

use crate::{digest, json::Whole};

/// What a double click runs, or opens in a browser as a page that may do what it likes: a person who saves a text wants to
/// read it.
const RUNS: [&str; 30] = [
    "bat", "cmd", "com", "command", "cpl", "desktop", "exe", "hta", "htm", "html", "jar", "js",
    "jse", "lnk", "mht", "mhtml", "msc", "pif", "ps1", "reg", "scr", "shtml", "svg", "terminal",
    "url", "vbe", "vbs", "webloc", "wsf", "xhtml",
];

/// A file as people see it, and as a decision covers it: no byte of it can be another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    /// The name it was sent by. It leads nowhere: files are kept by their ids.
    pub name: String,
    /// What it is, as the server keeps it.
    #[serde(rename = "type")]
    pub media: Media,
    /// How many bytes it has.
    #[serde(deserialize_with = "whole")]
    pub size: u64,
    /// The SHA-256 over its bytes, as 64 lower-case hex digits.
    pub sha256: String,
}

/// `158.0` is the same number in JSON, and in a digest.
fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let Whole(size) = Whole::deserialize(deserializer)?;
    u64::try_from(size).map_err(|_| D::Error::custom("must not be negative"))
}

/// What a file is, once the server has looked at it: a picture was decoded and encoded anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Media {
    /// A picture without loss.
    #[serde(rename = "image/png")]
    Png,
    /// A photograph.
    #[serde(rename = "image/jpeg")]
    Jpeg,
    /// Text in UTF-8.
    #[serde(rename = "text/plain")]
    Text,
    /// What changes in some files, as `diff -u` and `git diff` say it.
    #[serde(rename = "text/x-diff")]
    Diff,
}

impl Media {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Png, Self::Jpeg, Self::Text, Self::Diff];

    /// The name, as in SQL, JSON and HTTP.
    pub fn name(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Text => "text/plain",
            Self::Diff => "text/x-diff",
        }
    }

    /// What has this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|media| media.name() == name)
    }

    /// Whether it is looked at, and not read.
    pub fn is_picture(self) -> bool {
        match self {
            Self::Png | Self::Jpeg => true,
            Self::Text | Self::Diff => false,
        }
    }
}

impl Attachment {
    /// Whether these are its bytes.
    pub fn is_of(&self, bytes: &[u8]) -> bool {
        u64::try_from(bytes.len()) == Ok(self.size)
            && digest::sha256(bytes)
                .strip_prefix("sha256:")
                .is_some_and(|hex| hex == self.sha256)
    }

    /// The name it is saved by: of a text none that a double click runs.
    pub fn saved_as(&self) -> String {
        let name = &self.name;
        let ends = |end: &str| {
            let rest = name.len().checked_sub(end.len() + 1);
            let ending = rest.and_then(|rest| name.get(rest..)?.strip_prefix('.'));
            ending.is_some_and(|it| it.eq_ignore_ascii_case(end))
        };
        match !self.media.is_picture() && RUNS.into_iter().any(ends) {
            true => format!("{name}.txt"),
            false => name.clone(),
        }
    }

    /// How large it is, in words.
    pub fn size_in_words(&self) -> String {
        match self.size {
            1 => "1 byte".to_owned(),
            few @ 0..1_000 => format!("{few} bytes"),
            some @ 1_000..1_000_000 => format!("{} kB", some.div_ceil(1_000)),
            many => {
                let tenths = many.div_ceil(100_000);
                format!("{}.{} MB", tenths / 10, tenths % 10)
            }
        }
    }
}

/// `sha256:` and the hex of SHA-256 over the RFC 8785 form of a list of attachments; `None` of none.
pub fn digest_of(attachments: &[Attachment]) -> Option<String> {
    if attachments.is_empty() {
        return None;
    }
    // Strings and small numbers always have a canonical form.
    let canonical = serde_json_canonicalizer::to_vec(&attachments).ok()?;
    Some(digest::sha256(&canonical))
}
