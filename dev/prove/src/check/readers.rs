//! What readers of events got, held against the journal as it is at the end.

use std::collections::{BTreeMap, HashMap};

use super::{Promise, Violation};

/// A reader: each event with its digest, in the order in which they came.
#[derive(Default)]
pub(crate) struct Read {
    pub(crate) name: String,
    pub(crate) events: Vec<(i64, u64)>,
}

pub(crate) fn check(read: &Read, journal: &BTreeMap<i64, u64>) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut broken = |promise: Promise, what: String| {
        found.push(promise.broken(None, format!("{}: {what}", read.name)));
    };
    let mut last = 0;
    let mut seen = HashMap::new();
    for (seq, digest) in &read.events {
        if seen.insert(*seq, *digest).is_some() {
            broken(Promise::EventDoubled, format!("event {seq} came twice"));
        } else if *seq < last {
            broken(
                Promise::EventsReordered,
                format!("event {seq} came after {last}"),
            );
        }
        last = last.max(*seq);
        match journal.get(seq) {
            None => broken(
                Promise::EventChanged,
                format!("event {seq} is not in the journal"),
            ),
            Some(kept) if kept != digest => broken(
                Promise::EventChanged,
                format!("event {seq} is another one now"),
            ),
            Some(_) => {}
        }
    }
    let missed: Vec<i64> = journal
        .range(..=last)
        .map(|(seq, _)| *seq)
        .filter(|seq| !seen.contains_key(seq))
        .collect();
    if let Some(first) = missed.first() {
        broken(
            Promise::EventLost,
            format!("{} events did not come, the first is {first}", missed.len()),
        );
    }
    found
}
