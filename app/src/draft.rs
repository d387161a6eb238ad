//! Texts that were typed and not sent, in the browser's storage: each twice, in what all its tabs share and in what
//! this tab has to itself. So a text outlives its tab, and what is done in another tab takes none away.

use std::collections::HashSet;

use domain::{InteractionId, PersonId};
use leptos::prelude::window;

/// How the names of drafts begin.
const ANSWERS: &str = "handraise.draft.";
const FOLLOW_UPS: &str = "handraise.more.";
/// Whose texts this tab has to itself.
const PERSON: &str = "handraise.person";

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
        let mut storages = storages();
        storages.find_map(|storage| storage.get_item(&self.0).ok().flatten())
    }

    /// Storage may be full or forbidden: then the text is only on the screen.
    pub(crate) fn keep(&self, text: &str) {
        for storage in storages() {
            let _ = match text {
                "" => storage.remove_item(&self.0),
                _ => storage.set_item(&self.0, text),
            };
        }
    }

    pub(crate) fn forget(&self) {
        self.keep("");
    }

    /// It is on its way, and no longer this tab's alone to lose.
    pub(crate) fn goes_out(&self) {
        if let Some(storage) = of_this_tab() {
            let _ = storage.remove_item(&self.0);
        }
    }
}

/// Everything that was typed as an answer to this blocker and is still there.
pub(crate) fn unsent(id: InteractionId) -> Option<String> {
    let mut drafts: Vec<Draft> = storages().flat_map(|it| drafts_of(&it, id)).collect();
    drafts.sort_by(|Draft(one), Draft(other)| one.cmp(other));
    drafts.dedup();
    let texts: Vec<String> = drafts.iter().filter_map(Draft::read).collect();
    let text = texts.join("\n\n");
    (!text.is_empty()).then_some(text)
}

/// The same of this tab, when its person has answered from elsewhere.
pub(crate) fn unsent_here(id: InteractionId) -> Option<String> {
    if let Some(shared) = shared() {
        for Draft(name) in drafts_of(&shared, id) {
            let _ = shared.remove_item(&name);
        }
    }
    unsent(id)
}

/// The blockers for which an answer was begun.
pub(crate) fn begun() -> HashSet<InteractionId> {
    let names = shared().map(|storage| names(&storage)).unwrap_or_default();
    names
        .into_iter()
        .filter_map(|name| {
            let of = name.strip_prefix(ANSWERS)?;
            of.split('.').next()?.parse().ok()
        })
        .collect()
}

/// The answer to this blocker is on its way.
pub(crate) fn all_go_out(id: InteractionId) {
    for draft in of_this_tab().iter().flat_map(|it| drafts_of(it, id)) {
        draft.goes_out();
    }
}

/// The blocker is answered: nothing of it is unsent.
pub(crate) fn forget_all(id: InteractionId) {
    for draft in storages().flat_map(|it| drafts_of(&it, id)) {
        draft.forget();
    }
}

/// The next person at this browser reads nothing of the texts that were typed in it.
pub(crate) fn forget_everything() {
    storages().for_each(|storage| empty(&storage));
}

/// The same for a person who has signed in since, in another tab.
pub(crate) fn belong_to(person: PersonId) {
    let Some(storage) = of_this_tab() else {
        return;
    };
    let person = person.to_string();
    let before = storage.get_item(PERSON).ok().flatten();
    if before.is_some_and(|before| before != person) {
        empty(&storage);
    }
    let _ = storage.set_item(PERSON, &person);
}

fn empty(storage: &web_sys::Storage) {
    for name in names(storage) {
        if name.starts_with(ANSWERS) || name.starts_with(FOLLOW_UPS) {
            let _ = storage.remove_item(&name);
        }
    }
}

fn drafts_of(storage: &web_sys::Storage, id: InteractionId) -> Vec<Draft> {
    let Draft(whole) = Draft::answer(id);
    let steps = Draft::step(id, "").0;
    let names = names(storage).into_iter();
    names
        .filter(|name| *name == whole || name.starts_with(&steps))
        .map(Draft)
        .collect()
}

fn names(storage: &web_sys::Storage) -> Vec<String> {
    (0..storage.length().unwrap_or_default())
        .filter_map(|n| storage.key(n).ok().flatten())
        .collect()
}

fn storages() -> impl Iterator<Item = web_sys::Storage> {
    of_this_tab().into_iter().chain(shared())
}

fn of_this_tab() -> Option<web_sys::Storage> {
    window().session_storage().ok().flatten()
}

fn shared() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}
