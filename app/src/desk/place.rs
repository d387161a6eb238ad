//! The list as people walk through it: one place for each question, and one for all that are the same.

use domain::{Fingerprint, InteractionId};

use crate::view::Row;

const BLOCKERS: &str = "/blockers/";
const GROUPS: &str = "/groups/";
const MARKED: &str = "marked";

/// A dialog of the desk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// One blocker.
    Blocker(InteractionId),
    /// All that wait and are the same to a person.
    Group(Fingerprint),
    /// Those that the person has marked on this page.
    Marked,
}

impl Place {
    /// Its path.
    pub fn address(self) -> String {
        match self {
            Self::Blocker(id) => format!("{BLOCKERS}{id}"),
            Self::Group(fingerprint) => format!("{GROUPS}{fingerprint}"),
            Self::Marked => format!("{GROUPS}{MARKED}"),
        }
    }

    /// The one at a path.
    pub fn at(path: &str) -> Option<Self> {
        if let Some(id) = path.strip_prefix(BLOCKERS) {
            return id.parse().ok().map(Self::Blocker);
        }
        match path.strip_prefix(GROUPS)? {
            MARKED => Some(Self::Marked),
            fingerprint => fingerprint.parse().ok().map(Self::Group),
        }
    }
}

/// One line of the panel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Where its link leads.
    pub place: Place,
    /// One, or all that are the same.
    pub rows: Vec<Row>,
}

impl Item {
    /// Names the line. It stays the same while rows come and go.
    pub fn key(&self) -> Place {
        match self.rows.first() {
            Some(Row {
                fingerprint: Some(fingerprint),
                ..
            }) => Place::Group(*fingerprint),
            _ => self.place,
        }
    }

    /// Whether this place is in it.
    pub fn has(&self, place: Place) -> bool {
        match place {
            Place::Blocker(id) => self.rows.iter().any(|row| row.id == id),
            Place::Group(_) => self.key() == place,
            Place::Marked => false,
        }
    }
}

/// The lines of a list. A group stands where its first row does.
pub fn items(rows: impl IntoIterator<Item = Row>) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for row in rows {
        if let Some(fingerprint) = row.fingerprint {
            if let Some(place) = places.get(&fingerprint) {
                let item: &mut Item = &mut items[*place];
                item.place = Place::Group(fingerprint);
                item.rows.push(row);
                continue;
            }
            places.insert(fingerprint, items.len());
        }
        items.push(Item {
            place: Place::Blocker(row.id),
            rows: vec![row],
        });
    }
    items
}

/// The place after this one in the list, or before it; from its end, on from its beginning.
pub fn beside(items: &[Item], here: Place, step: isize) -> Option<Place> {
    let next = match items.iter().position(|item| item.has(here)) {
        Some(place) => {
            let len = isize::try_from(items.len()).ok()?;
            let place = isize::try_from(place).ok()? + step;
            let next = usize::try_from(place.rem_euclid(len)).ok()?;
            items.get(next).filter(|next| !next.has(here))
        }
        None => items.first(),
    };
    next.map(|next| next.place)
}

/// What these texts have in common, with `…` for what varies: the words at the beginning and at the end.
pub fn shared_words(texts: &[&str]) -> String {
    let Some((first, others)) = texts.split_first() else {
        return String::new();
    };
    if others.is_empty() {
        return (*first).to_owned();
    }
    let first: Vec<&str> = first.split_whitespace().collect();
    let (mut before, mut after, mut shortest) = (first.len(), first.len(), first.len());
    let mut longest = shortest;
    for other in others {
        let other: Vec<&str> = other.split_whitespace().collect();
        let pairs = first.iter().zip(&other);
        before = before.min(pairs.take_while(|(one, other)| one == other).count());
        let pairs = first.iter().rev().zip(other.iter().rev());
        after = after.min(pairs.take_while(|(one, other)| one == other).count());
        shortest = shortest.min(other.len());
        longest = longest.max(other.len());
    }
    if before == longest {
        return first.join(" ");
    }
    // No word is in both ends.
    after = after.min(shortest - before);
    let mut words = first[..before].to_vec();
    words.push("…");
    words.extend(&first[first.len() - after..]);
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::tests::row;
    use domain::interaction::Mode;

    fn rows(of: &[(u128, Option<u128>)]) -> Vec<Row> {
        of.iter()
            .map(|(id, fingerprint)| Row {
                fingerprint: fingerprint
                    .map(|fingerprint| Fingerprint(uuid::Uuid::from_u128(fingerprint))),
                ..row(*id, Mode::Sync, false)
            })
            .collect()
    }

    fn blocker(id: u128) -> Place {
        Place::Blocker(InteractionId(uuid::Uuid::from_u128(id)))
    }

    fn group(fingerprint: u128) -> Place {
        Place::Group(Fingerprint(uuid::Uuid::from_u128(fingerprint)))
    }

    #[test]
    fn what_is_the_same_is_one_line_where_its_first_row_stands() {
        let list = items(rows(&[
            (1, None),
            (2, Some(7)),
            (3, Some(8)),
            (4, Some(7)),
            (5, None),
        ]));
        let places: Vec<_> = list.iter().map(|item| item.place).collect();
        assert_eq!(places, [blocker(1), group(7), blocker(3), blocker(5)]);
        let counts: Vec<_> = list.iter().map(|item| item.rows.len()).collect();
        assert_eq!(counts, [1, 2, 1, 1]);
        assert_eq!(list[2].key(), group(8));
    }

    #[test]
    fn the_way_goes_from_line_to_line_and_round() {
        let list = items(rows(&[(1, None), (2, Some(7)), (4, Some(7)), (5, None)]));
        for (here, step, next) in [
            (blocker(1), 1, group(7)),
            (group(7), 1, blocker(5)),
            (blocker(4), 1, blocker(5)),
            (blocker(4), -1, blocker(1)),
            (blocker(5), 1, blocker(1)),
            (blocker(1), -1, blocker(5)),
            (Place::Marked, 1, blocker(1)),
        ] {
            assert_eq!(beside(&list, here, step), Some(next), "{here:?} {step}");
        }
        assert_eq!(beside(&items(rows(&[(1, None)])), blocker(1), 1), None);
        assert_eq!(beside(&[], blocker(1), 1), None);
    }

    #[test]
    fn each_place_has_an_address() {
        for place in [blocker(1), group(7), Place::Marked] {
            assert_eq!(Place::at(&place.address()), Some(place));
        }
        for path in ["/", "/blockers/", "/blockers/x", "/groups/x", "/history"] {
            assert_eq!(Place::at(path), None);
        }
    }

    #[test]
    fn words_that_vary_are_left_out() {
        for (texts, expected) in [
            (&["git push origin main"][..], "git push origin main"),
            (&["a b c", "a b c"], "a b c"),
            (&["push fix-1 now", "push fix-2 now"], "push … now"),
            (&["push fix-1", "push fix-2", "push fix-3 later"], "push …"),
            (&["a a", "a a a"], "a a …"),
            (&["a a a", "a a"], "a a …"),
            (&["one", "two"], "…"),
        ] {
            assert_eq!(shared_words(texts), expected);
        }
    }
}
