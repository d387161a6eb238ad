//! A receipt, as a server gives it and an agent believes it.

use std::sync::LazyLock;

use domain::{
    decide::interaction as decide,
    interaction::{AnswerDraft, Receipt},
};
use serde_json::json;
use signing::{TrustedKeys, verify_by};

use crate::known::{Counter, KEY, QUESTIONS, ana, changed, moment, written};

/// All that the key has signed here.
static SIGNED: LazyLock<Vec<Receipt>> = LazyLock::new(|| {
    let answers = [
        json!({"approved": true}),
        json!({"approved": false, "text": "Not now."}),
        json!({"decision": "proceed_clean"}),
    ];
    let mut receipts = Vec::new();
    for (question, answer) in QUESTIONS
        .iter()
        .flat_map(|question| answers.iter().map(move |it| (question, it)))
    {
        let draft: AnswerDraft = serde_json::from_value(answer.clone()).unwrap();
        let ids = Counter::default();
        let answered = decide::answer(question, draft, &ana(), None, moment(&ids, 1));
        let receipt = answered.ok().and_then(|it| written(&it).receipt().cloned());
        receipts.extend(receipt);
    }
    assert!(receipts.len() > 5);
    receipts
});

/// Nothing is believed but what was signed, however it is written; and what was changed in one byte is not.
pub fn receipt(bytes: &[u8]) {
    let trusted = TrustedKeys::new([KEY.verifying_key()]);
    if let Ok(receipt) = serde_json::from_slice::<Receipt>(bytes) {
        let again = serde_json::to_vec(&receipt).unwrap();
        let again: Receipt = serde_json::from_slice(&again).unwrap();
        assert_eq!(again, receipt);
        let is_ours = SIGNED.contains(&receipt);
        assert_eq!(trusted.verifies(&receipt), is_ours, "{receipt:?}");
        assert_eq!(verify_by(&KEY.verifying_key(), &receipt).is_ok(), is_ours);
        let _ = receipt.decision.approved_in_words();
    }
    let which = bytes.first().copied().unwrap_or_default();
    let original = &SIGNED[usize::from(which) % SIGNED.len()];
    assert_eq!(trusted.verify(original), Ok(()));
    let written = serde_json::to_vec(original).unwrap();
    let other = changed(&written, bytes.get(1..5).unwrap_or_default());
    if let Ok(other) = serde_json::from_slice::<Receipt>(&other) {
        assert!(other == *original || !trusted.verifies(&other), "{other:?}");
    }
}
