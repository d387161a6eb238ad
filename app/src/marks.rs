//! The rows of the list that a person has marked, to decide them together. They are known to this page alone.

use std::collections::HashSet;

use domain::{InteractionId, limits};
use leptos::prelude::*;

use crate::{
    desk::place::{Item, Place},
    held::Holding,
    live::Live,
};

/// All of them.
#[derive(Clone, Copy)]
pub(crate) struct Marks(RwSignal<HashSet<InteractionId>>);

impl Marks {
    /// Makes them available to everything below.
    pub(crate) fn provide() -> Self {
        let marks = Self(RwSignal::default());
        provide_context(marks);
        marks
    }

    /// Marks the line of the list at this place, or takes its mark away.
    pub(crate) fn toggle(self, live: Live, holding: Holding, place: Place) {
        let items = untrack(|| holding.items());
        let Some(item) = items.iter().find(|item| item.place == place) else {
            return;
        };
        let ids = item.rows.iter().map(|row| row.id);
        let is_marked = untrack(|| self.has(item));
        let count = untrack(|| self.ids(holding).len());
        if !is_marked && count + item.rows.len() > limits::TOGETHER {
            let why = format!("At most {} are decided together.", limits::TOGETHER);
            live.announcement.set(why);
            return;
        }
        self.0.update(|marked| match is_marked {
            true => ids.for_each(|id| _ = marked.remove(&id)),
            false => marked.extend(ids),
        });
    }

    /// Whether this line is marked: each of its rows is.
    pub(crate) fn has(self, item: &Item) -> bool {
        self.0
            .with(|marked| item.rows.iter().all(|row| marked.contains(&row.id)))
    }

    /// Those that wait still, in the order of the list.
    pub(crate) fn ids(self, holding: Holding) -> Vec<InteractionId> {
        let waiting = holding.waiting();
        self.0.with(|marked| {
            let ids = waiting.iter().map(|row| row.id);
            ids.filter(|id| marked.contains(id)).collect()
        })
    }

    /// How many that are.
    pub(crate) fn count(self, holding: Holding) -> usize {
        untrack(|| self.ids(holding).len())
    }

    /// These are marked, and no others.
    pub(crate) fn only(self, ids: &[InteractionId]) {
        self.0.set(ids.iter().copied().collect());
    }

    /// Takes all marks away.
    pub(crate) fn clear(self) {
        self.0.update(HashSet::clear);
    }
}
