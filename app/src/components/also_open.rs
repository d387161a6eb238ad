//! Who else looks at a question right now.

use std::collections::HashSet;

use leptos::prelude::*;

use crate::{
    desk::{
        frames::Present,
        place::{Item, Place},
    },
    live::Live,
};

/// The others who have a line of the list open, or one of its questions. Empty where there are none.
#[component]
pub(super) fn AlsoOpen(item: Signal<Option<Item>>, live: Live) -> impl IntoView {
    let others = Memo::new(move |_| {
        item.with(|item| {
            let item = item.as_ref()?;
            live.present.with(|present| others(item, present))
        })
    });
    move || {
        others.get().map(|(first, more)| {
            let more = match more {
                0 => " has it open".to_owned(),
                1 => " and 1 other have it open".to_owned(),
                more => format!(" and {more} others have it open"),
            };
            view! {
                <bdi>{first}</bdi>
                {more}
            }
        })
    }
}

/// The first by name, and how many more.
fn others(item: &Item, present: &[Present]) -> Option<(String, usize)> {
    let here = present
        .iter()
        .filter(|one| Place::at(&one.place).is_some_and(|place| item.has(place)));
    let names: HashSet<&str> = here.map(|one| one.name.as_str()).collect();
    let first = names.iter().min()?;
    Some(((*first).to_owned(), names.len() - 1))
}

#[cfg(test)]
mod tests {
    use domain::interaction::Mode;

    use super::*;
    use crate::desk::tests::row;

    #[test]
    fn those_who_have_one_of_its_questions_open_are_at_a_line() {
        let (mut one, mut two) = (row(1, Mode::Sync, false), row(2, Mode::Sync, false));
        let fingerprint = "a105b84d-c7b8-8172-a0d9-5e2b6ab72268".parse().ok();
        (one.fingerprint, two.fingerprint) = (fingerprint, fingerprint);
        let group = Place::Group(fingerprint.unwrap());
        let item = Item {
            place: group,
            rows: vec![one, two],
        };
        let at = |name: &str, place: Place| Present {
            name: name.into(),
            place: place.address(),
        };
        let blocker = |id: u128| Place::Blocker(row(id, Mode::Sync, false).id);
        assert_eq!(others(&item, &[at("Ana", blocker(3))]), None);
        assert_eq!(
            others(
                &item,
                &[
                    at("Cem", group),
                    at("Ben", blocker(2)),
                    at("Ben", blocker(1))
                ]
            ),
            Some(("Ben".into(), 1))
        );
    }
}
