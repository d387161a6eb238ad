//! What a file may be that somebody sends: its name, its size, its type, and what a picture or a text in it may be. Decoding
//! is not done here; its findings are judged here.

use crate::{
    fault::{Fault, Faults, is_hidden},
    limits,
};

/// What a sender says a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// `image/png`.
    Png,
    /// `image/jpeg`.
    Jpeg,
    /// `image/webp`.
    WebP,
    /// `image/avif`.
    Avif,
    /// `text/plain`.
    Text,
    /// `text/x-diff` or `text/x-patch`.
    Diff,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Png,
        Self::Jpeg,
        Self::WebP,
        Self::Avif,
        Self::Text,
        Self::Diff,
    ];

    /// Its media type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::WebP => "image/webp",
            Self::Avif => "image/avif",
            Self::Text => "text/plain",
            Self::Diff => "text/x-diff",
        }
    }

    /// The format of a media type, whose parameters do not count: text is UTF-8, whatever they say.
    pub fn from_media_type(media_type: &str) -> Option<Self> {
        let essence = media_type.split(';').next().unwrap_or_default();
        let essence = essence.trim().to_ascii_lowercase();
        match &*essence {
            "text/x-patch" => Some(Self::Diff),
            named => Self::ALL.into_iter().find(|format| format.name() == named),
        }
    }

    /// The format that bytes begin as; `None` of a text, and of anything else.
    pub fn of_picture(bytes: &[u8]) -> Option<Self> {
        let at = |from: usize, magic: &[u8]| bytes.get(from..from + magic.len()) == Some(magic);
        if at(0, b"\x89PNG\r\n\x1a\n") {
            Some(Self::Png)
        } else if at(0, b"\xff\xd8\xff") {
            Some(Self::Jpeg)
        } else if at(0, b"RIFF") && at(8, b"WEBP") {
            Some(Self::WebP)
        } else if at(4, b"ftyp") && (at(8, b"avif") || at(8, b"avis")) {
            Some(Self::Avif)
        } else {
            None
        }
    }

    /// What a file on a disk is, by what is in it; a difference by its name. `None` of what nobody can be shown.
    pub fn of_file(name: &str, bytes: &[u8]) -> Option<Self> {
        if let Some(picture) = Self::of_picture(bytes) {
            return Some(picture);
        }
        str::from_utf8(bytes).ok()?;
        let is_diff = [".diff", ".patch"].iter().any(|end| name.ends_with(end));
        Some(if is_diff { Self::Diff } else { Self::Text })
    }

    /// Whether it is a picture.
    pub fn is_picture(self) -> bool {
        match self {
            Self::Png | Self::Jpeg | Self::WebP | Self::Avif => true,
            Self::Text | Self::Diff => false,
        }
    }
}

/// A file as it was sent, not yet looked into.
#[derive(Clone, Copy, Debug)]
pub struct Upload<'a> {
    /// Its name.
    pub name: Option<&'a str>,
    /// Its media type.
    pub media_type: Option<&'a str>,
    /// Its bytes.
    pub bytes: &'a [u8],
}

impl Upload<'_> {
    /// Checks what can be seen from outside. Faults stand at `name`, `Content-Type` and `$`.
    ///
    /// # Errors
    /// Everything that is wrong.
    pub fn check(&self) -> Result<(String, Format), Vec<Fault>> {
        let mut faults = Faults::default();
        let name = faults.present("name", self.name.map(str::to_owned));
        if let Some(name) = &name {
            check_name(name, &mut faults);
        }
        let format = self.check_format(&mut faults);
        let (bytes, most) = (self.bytes.len(), limits::ATTACHMENT_BYTES);
        if bytes == 0 {
            faults.add("$", "must not be empty");
        } else if bytes > most {
            faults.add(
                "$",
                format!("has {bytes} bytes, at most {most} are allowed"),
            );
        }
        match (name, format) {
            (Some(name), Some(format)) => faults.into_result((name, format)),
            _ => Err(faults.into_result(()).err().unwrap_or_default()),
        }
    }

    fn check_format(&self, faults: &mut Faults) -> Option<Format> {
        let known = Format::ALL.map(Format::name).join(", ");
        let said = self.media_type.and_then(Format::from_media_type);
        let Some(said) = said else {
            let why = format!("must be one of: {known}");
            faults.add("Content-Type", why);
            return None;
        };
        let begins_as = Format::of_picture(self.bytes);
        let fits = match begins_as {
            Some(found) => found == said,
            None => !said.is_picture(),
        };
        if !fits && !self.bytes.is_empty() {
            let what = match begins_as {
                Some(found) => format!("says {}, and the bytes are {}", said.name(), found.name()),
                None => format!("says {}, and the bytes are something else", said.name()),
            };
            faults.add("Content-Type", what);
        }
        Some(said)
    }
}

/// A name is shown, and becomes the name of a file on the disk of whoever saves it.
fn check_name(name: &str, faults: &mut Faults) {
    let mut own = Faults::default();
    own.line("name", Some(name.to_owned()), limits::ATTACHMENT_NAME_CHARS);
    if let Err(found) = own.into_result(()) {
        // The rest would say the same in other words.
        for fault in found {
            faults.add(&fault.path, fault.message);
        }
        return;
    }
    let is_path = name.contains(['/', '\\', ':']) || name.starts_with('.') || name.ends_with('.');
    if is_path {
        faults.add(
            "name",
            "must be the name of a file and no path: without / \\ : and with no dot at either end",
        );
    } else if name.starts_with(char::is_whitespace) || name.ends_with(char::is_whitespace) {
        faults.add("name", "must not begin or end with a blank");
    } else if name.chars().any(is_hidden) {
        faults.add("name", "must not have characters that nobody sees");
    }
}

/// What is wrong with a picture of this size and so many frames, before any of it is decoded; the fault stands at `$`.
pub fn picture_fault(width: u32, height: u32, is_animated: bool) -> Option<Fault> {
    let (most, side) = (limits::ATTACHMENT_PIXELS, limits::ATTACHMENT_SIDE);
    if is_animated {
        let why = "is animated: what moves cannot be decided on; send one picture of it";
        return Some(Fault::new("$", why));
    }
    if width == 0 || height == 0 {
        return Some(Fault::new("$", "is a picture without a single pixel"));
    }
    let pixels = u64::from(width) * u64::from(height);
    let is_large = pixels > most || width > side || height > side;
    is_large.then(|| {
        let why = format!(
            "has {width} × {height} pixels, at most {most} in all and {side} a side are allowed"
        );
        Fault::new("$", why)
    })
}

/// What is wrong with a picture that cannot be kept, at `$`.
pub fn file_fault(why: impl Into<String>) -> Fault {
    Fault::new("$", why)
}

/// What is wrong with these bytes as a text; the fault stands at `$`.
pub fn text_fault(bytes: &[u8]) -> Option<Fault> {
    let text = match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let why = format!("is no UTF-8 after {} bytes", error.valid_up_to());
            return Some(Fault::new("$", why));
        }
    };
    let is_foreign = |c: &char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    if let Some(found) = text.chars().find(is_foreign) {
        let why = format!(
            "has the control character U+{:04X}, which a text has not",
            u32::from(found)
        );
        return Some(Fault::new("$", why));
    }
    too_many_lines(text)
}

/// A longer text is never shown, only saved.
fn too_many_lines(text: &str) -> Option<Fault> {
    if u64::try_from(text.len()).is_ok_and(|bytes| bytes > limits::ATTACHED_TEXT_BYTES) {
        return None;
    }
    let (lines, most) = (text.split('\n').count(), limits::ATTACHED_TEXT_LINES);
    (lines > most).then(|| {
        let up_to = limits::ATTACHED_TEXT_BYTES;
        let why = format!(
            "has {lines} lines, more than a page can show: at most {most} are allowed in a text of up to {up_to} bytes"
        );
        Fault::new("$", why)
    })
}
