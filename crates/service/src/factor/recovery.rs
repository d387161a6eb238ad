//! Codes on paper, for a person whose phone or key is gone. They have as many random bits as a token, so a
//! plain hash keeps them.

use std::fmt;

use domain::{SecretHash, access::factor::Shown, limits::RECOVERY_CODES};

use crate::secret::Secret;

/// Crockford's base 32: no letter is taken for another or for a digit.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// 140 bits.
const CHARS: usize = 28;
const GROUP: usize = 4;

/// Recovery codes in the clear, shown once.
pub struct RecoveryCodes(Vec<String>);

impl RecoveryCodes {
    /// New ones.
    pub(super) fn make() -> Self {
        let code = |_| {
            let random: [u8; CHARS] = rand::random();
            let chars = random.map(|byte| char::from(ALPHABET[usize::from(byte % 32)]));
            let groups = chars.chunks(GROUP).map(|group| group.iter().collect());
            groups.collect::<Vec<String>>().join("-")
        };
        Self((0..RECOVERY_CODES).map(code).collect())
    }

    /// The form in which they are kept.
    pub(super) fn hashes(&self) -> Vec<SecretHash> {
        self.0.iter().filter_map(|code| hash_of(code)).collect()
    }

    /// For showing them to their owner.
    pub fn reveal(&self) -> &[String] {
        &self.0
    }
}

impl fmt::Debug for RecoveryCodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecoveryCodes(…)")
    }
}

/// The recovery code in this text, if it has the form of one; whether it is somebody's is seen when it is used up.
pub(super) fn read(text: &str) -> Option<Shown> {
    hash_of(text).map(|code| Shown::Recovery { code })
}

/// Hyphens, spaces and capitals do not count, and letters that look like digits are those.
fn hash_of(text: &str) -> Option<SecretHash> {
    let chars = text.chars().filter(|c| *c != '-' && !c.is_whitespace());
    let read = chars.map(|c| match c.to_ascii_lowercase() {
        'o' => '0',
        'i' | 'l' => '1',
        c => c,
    });
    let read: String = read.collect();
    let fits = read.len() == CHARS && read.bytes().all(|byte| ALPHABET.contains(&byte));
    fits.then(|| Secret::from_outside(&read).hash())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_differ_and_are_read_as_people_write_them() {
        let codes = RecoveryCodes::make();
        let hashes = codes.hashes();
        assert_eq!((codes.reveal().len(), hashes.len()), (10, 10));
        for (code, hash) in codes.reveal().iter().zip(&hashes) {
            assert_eq!(code.len(), 34);
            let spaced = format!(" {} ", code.to_uppercase().replace('-', " "));
            for written in [code, &spaced, &code.replace('0', "O").replace('1', "l")] {
                assert_eq!(hash_of(written), Some(*hash), "{written}");
            }
            assert_eq!(hashes.iter().filter(|one| *one == hash).count(), 1);
        }
        for text in [
            "",
            "123456",
            "u".repeat(28).as_str(),
            "é".repeat(14).as_str(),
        ] {
            assert!(read(text).is_none(), "{text}");
        }
        assert_eq!(format!("{codes:?}"), "RecoveryCodes(…)");
    }
}
