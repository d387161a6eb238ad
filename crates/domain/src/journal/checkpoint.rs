//! Checkpoints: a signed statement of how many events there were, and which.
//!
//! The text is C2SP's tlog-checkpoint, signed as its signed-note with Ed25519, so that other tools of
//! transparency logs can read and check it.

use std::fmt;

use base64::{Engine, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};

use super::{Hash, Tree};
use crate::sign::{PublicKey, Sign, Signature};

/// The beginning of a signature line.
const DASH: &str = "\u{2014} ";
/// Ed25519, among the kinds of signatures a note may have.
const ED25519: u8 = 0x01;

/// The journal at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The name of the log.
    pub origin: String,
    /// How many events.
    pub size: i64,
    /// The root of the tree over their hashes.
    pub root: Hash,
}

/// One signature line of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteSignature {
    /// The name of the key.
    pub name: String,
    /// See [`key_id`].
    pub key_id: [u8; 4],
    /// 64 bytes if it is one of Ed25519.
    pub signature: Vec<u8>,
}

/// A checkpoint with its signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedCheckpoint {
    /// The signed checkpoint.
    pub checkpoint: Checkpoint,
    /// The very text that was signed.
    pub text: String,
    /// The signers. Our notes have one signature; a witness may add its own.
    pub signatures: Vec<NoteSignature>,
}

/// Tells keys apart: the first bytes of `SHA-256(name || 0x0A || 0x01 || public key)`.
pub fn key_id(name: &str, key: &PublicKey) -> [u8; 4] {
    let mut hasher = Sha256::new();
    hasher.update(name);
    hasher.update([b'\n', ED25519]);
    hasher.update(key);
    let hash: Hash = hasher.finalize().into();
    [hash[0], hash[1], hash[2], hash[3]]
}

/// Whether a key, and so a log, may have this name: no spaces, no plus sign, nothing invisible.
pub fn is_key_name(name: &str) -> bool {
    let plain = |c: char| !c.is_whitespace() && !c.is_control() && c != '+';
    !name.is_empty() && name.chars().all(plain)
}

impl Checkpoint {
    /// The journal as the tree has it.
    pub fn of(tree: &Tree, origin: &str) -> Self {
        Self {
            origin: origin.to_owned(),
            size: tree.size(),
            root: tree.root(),
        }
    }

    /// The text to sign.
    pub fn text(&self) -> String {
        let root = STANDARD.encode(self.root);
        format!("{}\n{}\n{root}\n", self.origin, self.size)
    }

    /// Lines after the third are another log's extension and say nothing to us.
    fn read(text: &str) -> Option<Self> {
        // By LF alone: with a CR before it a line is another text, and another was signed.
        let mut lines = text.split('\n');
        let origin = lines.next().filter(|line| !line.is_empty())?.to_owned();
        let size = lines.next()?;
        let number: i64 = size.parse().ok()?;
        let root = STANDARD.decode(lines.next()?).ok()?.try_into().ok()?;
        // One spelling for each number: no sign, no leading zeros.
        (number >= 0 && number.to_string() == size).then_some(Self {
            origin,
            size: number,
            root,
        })
    }

    /// Signs it with the key of the same name.
    pub fn sign(self, signer: &dyn Sign) -> SignedCheckpoint {
        let text = self.text();
        let signature = NoteSignature {
            name: self.origin.clone(),
            key_id: key_id(&self.origin, &signer.public_key()),
            signature: signer.sign(text.as_bytes()).to_vec(),
        };
        SignedCheckpoint {
            checkpoint: self,
            text,
            signatures: vec![signature],
        }
    }
}

impl SignedCheckpoint {
    /// Reads a note.
    pub fn read(note: &str) -> Option<Self> {
        let (text, signatures) = note.split_at(note.rfind("\n\n")? + 1);
        let lines = signatures.strip_prefix('\n')?.strip_suffix('\n')?;
        Some(Self {
            checkpoint: Checkpoint::read(text)?,
            text: text.to_owned(),
            signatures: lines
                .split('\n')
                .map(read_signature)
                .collect::<Option<_>>()?,
        })
    }

    /// The signature of the key with this id, if it has the form of one.
    pub fn signature_of(&self, key_id: [u8; 4]) -> Option<Signature> {
        let found = self.signatures.iter().find(|it| it.key_id == key_id)?;
        found.signature.as_slice().try_into().ok()
    }
}

impl fmt::Display for SignedCheckpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text)?;
        for signature in &self.signatures {
            let bytes = [&signature.key_id[..], &signature.signature].concat();
            writeln!(f, "{DASH}{} {}", signature.name, STANDARD.encode(bytes))?;
        }
        Ok(())
    }
}

fn read_signature(line: &str) -> Option<NoteSignature> {
    let (name, bytes) = line.strip_prefix(DASH)?.split_once(' ')?;
    let bytes = STANDARD.decode(bytes).ok()?;
    let (key_id, signature) = bytes.split_first_chunk::<4>()?;
    Some(NoteSignature {
        name: name.to_owned(),
        key_id: *key_id,
        signature: signature.to_vec(),
    })
}

/// Cuts a file of notes, each followed by an empty line, into its notes and the rest at its end: the
/// beginning of a note whose writing was cut short, or nothing.
pub fn notes(file: &str) -> (Vec<&str>, &str) {
    let mut found = Vec::new();
    let (mut start, mut position, mut signed) = (0, 0, false);
    for line in file.split_inclusive('\n') {
        if line == "\n" && signed {
            found.push(&file[start..position]);
            start = position + line.len();
        }
        signed = line.starts_with(DASH);
        position += line.len();
    }
    (found, &file[start..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Stamp;

    fn signed(size: i64) -> SignedCheckpoint {
        Checkpoint {
            origin: "handraise".into(),
            size,
            root: [size as u8; 32],
        }
        .sign(&Stamp)
    }

    #[test]
    fn a_note_is_three_lines_an_empty_one_and_a_signature() {
        let note = signed(12).to_string();
        let lines: Vec<&str> = note.split('\n').collect();
        let root = "DAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAw=";
        assert_eq!(lines[..4], ["handraise", "12", root, ""]);
        assert!(lines[4].starts_with("\u{2014} handraise "), "{note}");
        assert_eq!((lines[5], lines.len()), ("", 6));
        assert_eq!(SignedCheckpoint::read(&note), Some(signed(12)));
        let id = key_id("handraise", &[7; 32]);
        assert!(signed(12).signature_of(id).is_some());
        assert_eq!(signed(12).signature_of([0; 4]), None);
    }

    /// The key of the example in the documentation of Go's sumdb/note, where the format comes from.
    #[test]
    fn the_key_id_is_that_of_other_implementations() {
        let vkey = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
        let [name, id, key] = vkey.splitn(3, '+').collect::<Vec<_>>()[..] else {
            panic!("{vkey}");
        };
        let key = STANDARD.decode(key).unwrap();
        assert_eq!(key[0], ED25519);
        let key: PublicKey = key[1..].try_into().unwrap();
        assert_eq!(crate::digest::hex(&key_id(name, &key)), id);
    }

    #[test]
    fn what_is_no_checkpoint_is_none() {
        let fine = signed(12).to_string();
        for (from, to) in [
            ("\n12\n", "\n012\n"),
            ("\n12\n", "\n+12\n"),
            ("\n12\n", "\n-12\n"),
            ("\n12\n", "\nx\n"),
            ("\n12\n", "\n12\r\n"),
            ("handraise\n", "\n"),
            ("DAwM", "!!!!"),
            ("DAwM", ""),
            ("\u{2014} ", "- "),
            ("\n\n", "\n"),
        ] {
            let wrong = fine.replacen(from, to, 1);
            assert_ne!(wrong, fine);
            assert_eq!(SignedCheckpoint::read(&wrong), None, "{wrong}");
        }
        assert_eq!(SignedCheckpoint::read(""), None);
    }

    #[test]
    fn a_file_is_cut_into_notes_wherever_its_writing_ended() {
        let (one, two) = (signed(1).to_string(), signed(2).to_string());
        let file = format!("{one}\n{two}\n");
        assert_eq!(notes(&file), (vec![one.as_str(), two.as_str()], ""));
        for (end, _) in file.char_indices().skip(one.len() + 1) {
            let (found, rest) = notes(&file[..end]);
            assert_eq!(found, [one.as_str()], "cut at {end}");
            assert_eq!(rest, &file[one.len() + 1..end]);
        }
    }

    #[test]
    fn names_have_no_spaces_and_no_plus() {
        assert!(is_key_name("handraise.example/desk"));
        for wrong in ["", "a b", "a+b", "a\nb", "a\u{a0}b", "a\u{7}"] {
            assert!(!is_key_name(wrong), "{wrong:?}");
        }
    }
}
