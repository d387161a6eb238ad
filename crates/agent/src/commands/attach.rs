//! Files that go with a question, `--attach FILE`: sent before it, and part of what is decided.

use std::{fs, io::Read as _, path::PathBuf};

use anyhow::{Context, ensure};
use clap::Args;
use domain::{
    attachment::{self, Attachment, Format},
    digest, limits,
};
use serde_json::{Map, Value, json};

use super::put;
use crate::client::Client;

/// Which files.
#[derive(Debug, Default, Args)]
pub(super) struct Attach {
    /// A file that people are shown with it: a picture (PNG, JPEG, WebP), a text or a diff; repeat it, five times at most
    #[arg(long = "attach", value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// What the server keeps of them.
#[derive(Debug, Default)]
pub(super) struct Attached {
    ids: Vec<String>,
    files: Vec<Attachment>,
}

impl Attach {
    /// Sends all of them.
    ///
    /// # Errors
    /// When one cannot be read, is of no type that people can be shown, or is refused.
    pub(super) async fn send(&self, client: &Client) -> anyhow::Result<Attached> {
        let most = limits::ATTACHMENTS;
        ensure!(
            self.files.len() <= most,
            "--attach takes {most} files at most, and {} are named",
            self.files.len()
        );
        // All are read before any is sent: what is refused here leaves nothing behind.
        let mut read = Vec::with_capacity(self.files.len());
        for file in &self.files {
            read.push(Read::of(file)?);
        }
        let mut attached = Attached::default();
        for Read {
            name,
            format,
            bytes,
        } in read
        {
            let hash = digest::sha256(&bytes);
            let sent = client.attach(&name, format.name(), bytes).await;
            let mut sent = sent.with_context(|| format!("{name} cannot be attached"))?;
            let id = sent.as_object_mut().and_then(|sent| {
                sent.remove("kept_until");
                sent.remove("id")
            });
            let id = id.as_ref().and_then(Value::as_str).map(str::to_owned);
            let kept: Attachment = serde_json::from_value(sent)
                .with_context(|| format!("the server does not say what it keeps of {name}"))?;
            // A picture is encoded anew, so nobody can compare it. A text stays as it is.
            let is_same = format!("sha256:{}", kept.sha256) == hash;
            ensure!(
                kept.name == name && (format.is_picture() || is_same),
                "the server keeps something else than {name}, so nothing is asked with it"
            );
            attached
                .ids
                .push(id.with_context(|| format!("the server gives {name} no id"))?);
            attached.files.push(kept);
        }
        Ok(attached)
    }
}

impl Attached {
    /// Names them in a request.
    pub(super) fn name_in(&self, body: &mut Map<String, Value>) {
        let ids = (!self.ids.is_empty()).then(|| self.ids.clone());
        put(body, "attachments", ids);
    }

    /// The request as it is decided: files of an approval are part of its action.
    pub(super) fn decided(&self, body: &Map<String, Value>) -> Map<String, Value> {
        let mut decided = body.clone();
        if let (Some(action), false) = (decided.get_mut("action"), self.files.is_empty()) {
            action["attachments"] = json!(self.files);
        }
        decided
    }

    /// What a receipt over a plan says of them.
    pub(super) fn beside_a_plan(&self) -> Option<String> {
        attachment::digest_of(&self.files)
    }
}

/// A file, and how it is sent.
struct Read {
    name: String,
    format: Format,
    bytes: Vec<u8>,
}

impl Read {
    fn of(file: &PathBuf) -> anyhow::Result<Self> {
        let place = file.display();
        let name = file.file_name().and_then(|name| name.to_str());
        let name = name.with_context(|| format!("{place} is not the path of a file"))?;
        let open = fs::File::open(file).with_context(|| format!("cannot read {place}"))?;
        let most = limits::ATTACHMENT_BYTES;
        let mut bytes = Vec::new();
        // A pipe, a device, and a file that is still written say nothing of how much comes of them.
        open.take(u64::try_from(most)? + 1)
            .read_to_end(&mut bytes)
            .with_context(|| format!("cannot read {place}"))?;
        ensure!(
            bytes.len() <= most,
            "{place} has more than {most} bytes, which cannot be attached"
        );
        let format = Format::of_file(name, &bytes).with_context(|| {
            format!(
                "{place} is neither a picture that people can be shown here nor a text in UTF-8"
            )
        })?;
        Ok(Self {
            name: name.to_owned(),
            format,
            bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use domain::attachment::Media;

    use super::*;

    fn read(name: &str, bytes: &[u8]) -> anyhow::Result<Read> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        fs::write(&file, bytes).unwrap();
        Read::of(&file)
    }

    #[test]
    fn a_file_is_sent_as_what_is_in_it_by_its_name_alone() {
        for (name, bytes, format) in [
            ("a.txt", &b"\x89PNG\r\n\x1a\n"[..], Format::Png),
            ("a.png", b"hello", Format::Text),
            ("a.diff", b"--- a\n+++ b\n", Format::Diff),
            ("a.patch", b"--- a\n+++ b\n", Format::Diff),
            ("log", b"", Format::Text),
        ] {
            let file = read(name, bytes).unwrap();
            assert_eq!((&*file.name, file.format), (name, format));
        }
        assert!(read("a.bin", b"\xff\xfe\0").is_err());
        assert!(read("large", &vec![b'x'; limits::ATTACHMENT_BYTES + 1]).is_err());
        assert!(Read::of(&PathBuf::from("/")).is_err());
        #[cfg(unix)]
        assert!(Read::of(&PathBuf::from("/dev/zero")).is_err());
    }

    #[test]
    fn what_is_decided_holds_the_files_and_what_is_sent_their_ids() {
        let attached = Attached {
            ids: vec!["1".to_owned()],
            files: vec![Attachment {
                name: "a.png".to_owned(),
                media: Media::Png,
                size: 3,
                sha256: "a".repeat(64),
            }],
        };
        let asked = json!({"kind": "approval", "action": {"tool": "t", "arguments": {}}});
        let mut body = asked.as_object().unwrap().clone();
        attached.name_in(&mut body);
        assert_eq!(body["attachments"], json!(["1"]));
        assert_eq!(body["action"].get("attachments"), None);
        let decided = attached.decided(&body);
        assert_eq!(decided["action"]["attachments"][0]["type"], "image/png");
        assert!(attached.beside_a_plan().is_some());
        let none = Attached::default();
        let mut body = asked.as_object().unwrap().clone();
        none.name_in(&mut body);
        assert_eq!(none.decided(&body), *asked.as_object().unwrap());
        assert_eq!(none.beside_a_plan(), None);
    }
}
