//! Names in addresses and headers: ids, cursors, idempotency keys, `Prefer`.

use std::time::Duration;

use domain::{Fingerprint, IdempotencyKey, InteractionId, SlackId, limits};
use http::{HeaderMap, HeaderValue};
use server::testing;
use uuid::Uuid;

use crate::known::{agent, have_places};

/// What is read as a name is written in one way, which reads the same.
pub fn identifier(bytes: &[u8]) {
    if let Ok(value) = HeaderValue::from_bytes(bytes) {
        let mut headers = HeaderMap::new();
        headers.insert("prefer", value);
        let wait = testing::wait(&headers);
        assert!(wait.is_none_or(|wait| wait <= Duration::from_secs(60)));
    }
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    if let Ok(id) = text.parse::<InteractionId>() {
        let written = id.to_string();
        assert_eq!(written.parse(), Ok(id));
        assert_eq!(written.len(), 36);
        assert_eq!(text.parse::<Fingerprint>().map(|it| it.0), Ok(id.0));
    }
    match IdempotencyKey::new(text, [0; 32]) {
        Ok(key) => {
            assert_eq!(key.name, text);
            let asked = InteractionId::asked_under(Uuid::from_u128(1 << 100), agent().id, text);
            assert!(asked.was_asked_under(agent().id, text));
            assert!(!asked.was_asked_under(agent().id, &format!("{text}x")));
        }
        Err(fault) => {
            have_places(&[fault]);
            let fits = (1..=limits::KEY_CHARS).contains(&text.len());
            assert!(!fits || text.bytes().any(|byte| !(b' '..=b'~').contains(&byte)));
        }
    }
    if let Some(cursor) = testing::task_cursor(text) {
        assert_eq!(testing::task_cursor(&cursor), Some(cursor));
    }
    if let Ok(id) = SlackId::parse(text) {
        assert_eq!(id.as_str(), text);
    }
}
