//! Checkpoints of the journal in the text form of C2SP, and a file of them.

use std::sync::LazyLock;

use domain::{
    Sign,
    journal::{Checkpoint, SignedCheckpoint, Tree, key_id, notes},
};

use crate::known::{KEY, changed};

const NAME: &str = "handraise";

/// Some that the key has signed.
static SIGNED: LazyLock<Vec<SignedCheckpoint>> = LazyLock::new(|| {
    let mut tree = Tree::default();
    let sizes = 1..=3;
    let signed = sizes.map(|n: u8| {
        tree.push(&[n]);
        Checkpoint::of(&tree, NAME).sign(&*KEY)
    });
    signed.collect()
});

/// A note is what it says, letter by letter; only what the key has signed verifies; a file is cut into notes without a
/// byte lost.
pub fn checkpoint(bytes: &[u8]) {
    if let Ok(text) = str::from_utf8(bytes) {
        if let Some(read) = SignedCheckpoint::read(text) {
            assert_eq!(read.to_string(), text);
            assert!(read.text.starts_with(&read.checkpoint.text()), "{text:?}");
            assert!(!verifies(&read) || SIGNED.iter().any(|it| it.text == read.text));
        }
        let (found, rest) = notes(text);
        let cut: usize = found.iter().map(|note| note.len() + 1).sum();
        assert_eq!(cut + rest.len(), text.len());
        assert!(found.iter().all(|note| note.ends_with('\n')));
    }
    let which = bytes.first().copied().unwrap_or_default();
    let original = &SIGNED[usize::from(which) % SIGNED.len()];
    assert!(verifies(original));
    let other = changed(
        original.to_string().as_bytes(),
        bytes.get(1..4).unwrap_or_default(),
    );
    let other = str::from_utf8(&other).ok().and_then(SignedCheckpoint::read);
    if let Some(other) = other {
        assert!(other.text == original.text || !verifies(&other), "{other}");
    }
}

fn verifies(note: &SignedCheckpoint) -> bool {
    let key = KEY.verifying_key();
    let signature = note.signature_of(key_id(NAME, &KEY.public_key()));
    signature.is_some_and(|signature| key.verifies(note.text.as_bytes(), &signature))
}
