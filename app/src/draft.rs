//! Texts that were typed and not sent, in the browser's storage.

use std::collections::HashSet;

use domain::InteractionId;
use leptos::prelude::window;

/// How the names of drafts begin.
const ANSWERS: &str = "handraise.draft.";
const FOLLOW_UPS: &str = "handraise.more.";

/// Names one text of one blocker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Draft(String);

impl Draft {
    /// The answer, or what goes with it.
    pub(crate) fn answer(id: InteractionId) -> Self {
        Self(format!("{ANSWERS}{id}"))
    }

    /// The answer to one question of a form.
    pub(crate) fn step(id: InteractionId, question: &str) -> Self {
        Self(format!("{ANSWERS}{id}.{question}"))
    }

    /// The answer to these at once, and to no others.
    pub(crate) fn together(ids: &[InteractionId]) -> Self {
        let ids: Vec<String> = ids.iter().map(InteractionId::to_string).collect();
        let of = domain::digest::sha256(ids.join(" ").as_bytes());
        Self(format!("{ANSWERS}{of}"))
    }

    /// The draft of a follow-up.
    pub(crate) fn follow_up(id: InteractionId) -> Self {
        Self(format!("{FOLLOW_UPS}{id}"))
    }

    pub(crate) fn name(&self) -> &str {
        &self.0
    }

    pub(crate) fn read(&self) -> Option<String> {
        storage()?.get_item(&self.0).ok().flatten()
    }

    /// Storage may be full or forbidden: then the text is only on the screen.
    pub(crate) fn keep(&self, text: &str) {
        if let Some(storage) = storage() {
            let _ = match text {
                "" => storage.remove_item(&self.0),
                _ => storage.set_item(&self.0, text),
            };
        }
    }

    pub(crate) fn forget(&self) {
        if let Some(storage) = storage() {
            let _ = storage.remove_item(&self.0);
        }
    }
}

/// Everything that was typed as an answer to this blocker and is still there.
pub(crate) fn unsent(id: InteractionId) -> Option<String> {
    let mut drafts = drafts_of(id);
    drafts.sort_by(|Draft(one), Draft(other)| one.cmp(other));
    let texts: Vec<String> = drafts.iter().filter_map(Draft::read).collect();
    let text = texts.join("\n\n");
    (!text.is_empty()).then_some(text)
}

/// The blockers for which an answer was begun.
pub(crate) fn begun() -> HashSet<InteractionId> {
    let Some(storage) = storage() else {
        return HashSet::new();
    };
    let names =
        (0..storage.length().unwrap_or_default()).filter_map(|n| storage.key(n).ok().flatten());
    names
        .filter_map(|name| {
            let of = name.strip_prefix(ANSWERS)?;
            of.split('.').next()?.parse().ok()
        })
        .collect()
}

/// The blocker is answered: nothing of it is unsent.
pub(crate) fn forget_all(id: InteractionId) {
    for draft in drafts_of(id) {
        draft.forget();
    }
}

/// The next person at this browser reads nothing of the texts that were typed in it.
pub(crate) fn forget_everything() {
    let Some(storage) = storage() else {
        return;
    };
    let names: Vec<String> = (0..storage.length().unwrap_or_default())
        .filter_map(|n| storage.key(n).ok().flatten())
        .filter(|name| {
            [ANSWERS, FOLLOW_UPS]
                .iter()
                .any(|kind| name.starts_with(kind))
        })
        .collect();
    for name in names {
        let _ = storage.remove_item(&name);
    }
}

fn drafts_of(id: InteractionId) -> Vec<Draft> {
    let Some(storage) = storage() else {
        return Vec::new();
    };
    let Draft(whole) = Draft::answer(id);
    let steps = Draft::step(id, "").0;
    (0..storage.length().unwrap_or_default())
        .filter_map(|n| storage.key(n).ok().flatten())
        .filter(|name| *name == whole || name.starts_with(&steps))
        .map(Draft)
        .collect()
}

fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}
