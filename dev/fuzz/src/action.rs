//! An action: its tool and its arguments, with a zero between them. It is drawn by what it is, and approved ahead.

use domain::{
    interaction::{Action, Draft},
    json::{AnyJson, Object},
    matcher::{Matcher, destructive, propose},
};
use serde_json::json;
use visible::shape;

use crate::known::parts;

/// What is shown hides nothing; what is offered ahead covers the action itself, and of what is destructive only itself.
pub fn action(bytes: &[u8]) {
    let [tool, arguments] = parts(bytes);
    let (Ok(tool), Ok(arguments)) = (
        str::from_utf8(tool),
        serde_json::from_slice::<AnyJson>(arguments),
    ) else {
        return;
    };
    let action: Action =
        serde_json::from_value(json!({"tool": tool, "arguments": arguments})).unwrap();
    let draft = Draft {
        kind: Some("approval".to_owned()),
        prompt: Some("May I?".to_owned()),
        action: Some(Object(action.clone())),
        ..Draft::default()
    };
    // Nothing else is ever shown.
    if draft.check(|_| None).is_err() {
        return;
    }
    let digest = action.digest().unwrap();
    is_drawn(&action, &digest);
    is_approved_ahead(&action);
}

fn is_drawn(action: &Action, digest: &str) {
    let view = shape::of(action, digest);
    assert_eq!(view.digest, digest);
    for line in shape::lines(&view) {
        for run in line {
            let hidden = run
                .text
                .chars()
                .find(|c| *c != '\t' && visible::is_hidden(*c));
            assert_eq!(hidden, None, "{:?}", run.text);
        }
    }
}

fn is_approved_ahead(action: &Action) {
    let is_destructive = destructive(action).is_some();
    for matcher in propose(action) {
        assert!(matcher.matches(action), "{matcher:?}");
        assert_eq!(matcher.check(action), Ok(()), "{matcher:?}");
        assert!(!is_destructive || matcher.is_exact(), "{matcher:?}");
        assert!(!matcher.in_words().is_empty() && !matcher.in_words_of(action).is_empty());
        let stored = serde_json::to_string(&matcher).unwrap();
        let read: Matcher = serde_json::from_str(&stored).unwrap();
        assert_eq!(read, matcher);
        assert_eq!(read.digest().unwrap(), matcher.digest().unwrap());
    }
}
