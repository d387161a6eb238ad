//! Parts of lists, as much as fits into memory. Lengths are read before rows, so that a row that is too long is
//! never read; and the rows read are made into domain types one at a time.

use std::fmt;

use domain::limits;

/// Part of a list. There is always one item at least, if there is any.
pub struct Page<T, P> {
    items: Box<dyn Iterator<Item = T> + Send>,
    next: Option<P>,
}

impl<T, P> Page<T, P> {
    /// With the place after which the list goes on, if it does.
    pub(crate) fn new(items: impl Iterator<Item = T> + Send + 'static, next: Option<P>) -> Self {
        Self {
            items: Box::new(items),
            next,
        }
    }

    /// The items, and after which place the list goes on, if it does. An item is made when it is asked for.
    pub fn into_parts(self) -> (impl Iterator<Item = T> + Send, Option<P>) {
        (self.items, self.next)
    }

    /// All items at once, for those who know that they are few or short.
    pub fn collect(self) -> Vec<T> {
        self.items.collect()
    }
}

impl<T, P: fmt::Debug> fmt::Debug for Page<T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Page")
            .field("next", &self.next)
            .finish_non_exhaustive()
    }
}

/// Part of the journal.
pub struct EventPage<T> {
    items: Box<dyn Iterator<Item = T> + Send>,
    /// The journal goes on after this event.
    pub up_to: i64,
    /// Whether it certainly does.
    pub more: bool,
}

impl<T> EventPage<T> {
    pub(crate) fn new(
        items: impl Iterator<Item = T> + Send + 'static,
        up_to: i64,
        more: bool,
    ) -> Self {
        Self {
            items: Box::new(items),
            up_to,
            more,
        }
    }

    /// Without those that are not to be seen: the page is shorter, and the journal goes on where it did.
    #[must_use]
    pub fn retain(self, keep: impl Fn(&T) -> bool + Send + 'static) -> Self
    where
        T: 'static,
    {
        Self {
            items: Box::new(self.items.filter(keep)),
            ..self
        }
    }

    /// All items at once, for those who know that they are few or short.
    pub fn collect(self) -> Vec<T> {
        self.items.collect()
    }
}

impl<T> IntoIterator for EventPage<T> {
    type Item = T;
    type IntoIter = Box<dyn Iterator<Item = T> + Send>;

    fn into_iter(self) -> Self::IntoIter {
        self.items
    }
}

impl<T> fmt::Debug for EventPage<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventPage")
            .field("up_to", &self.up_to)
            .field("more", &self.more)
            .finish_non_exhaustive()
    }
}

/// Takes away the rows that are too many: beyond `limit`, or beyond [`limits::PAGE_BYTES`]. Returns whether there
/// were any.
pub(crate) fn cut<T>(rows: &mut Vec<T>, limit: u32, bytes: impl Fn(&T) -> i64) -> bool {
    let mut left = limits::PAGE_BYTES;
    let fitting = rows.iter().take_while(|row| {
        let fits = left > 0;
        left = left.saturating_sub(usize::try_from(bytes(row)).unwrap_or(0));
        fits
    });
    let fitting = fitting.count().min(limit as usize);
    let more = fitting < rows.len();
    rows.truncate(fitting);
    more
}

#[cfg(test)]
mod tests {
    use super::*;

    const LARGE: i64 = limits::PAGE_BYTES as i64;

    #[test]
    fn a_page_ends_where_it_is_full_and_has_one_at_least() {
        for (sizes, limit, kept, more) in [
            (vec![1; 5], 5, 5, false),
            (vec![1; 5], 4, 4, true),
            (vec![LARGE * 2, 1], 5, 1, true),
            (vec![LARGE / 2, LARGE / 2, 1], 5, 2, true),
            (vec![LARGE / 2, LARGE / 2 - 1, LARGE, 1], 5, 3, true),
            (vec![], 5, 0, false),
        ] {
            let mut rows = sizes.clone();
            assert_eq!(cut(&mut rows, limit, |size| *size), more, "{sizes:?}");
            assert_eq!(rows.len(), kept, "{sizes:?}");
        }
    }
}
