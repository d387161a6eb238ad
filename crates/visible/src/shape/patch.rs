//! A patch: what `diff` and git write, and what Codex' `apply_patch` takes. Its lines are shown as they are;
//! what is known is which go and which come, and which words differ between them.

use std::{ops::Range, time::Instant};

use super::{Sign, change};

/// Whether a text is one.
pub(super) fn is_one(text: &str) -> bool {
    let begins = |with: &str| text.lines().any(|line| line.starts_with(with));
    begins("*** Begin Patch")
        || begins("diff --git ")
        || (begins("--- ") && begins("+++ ") && begins("@@"))
}

/// What each line is, and where it differs from its neighbour.
pub(super) fn read<'a>(lines: &[&'a str], end: Instant) -> Vec<(Sign, Vec<Range<usize>>)> {
    let mut read: Vec<(Sign, Vec<Range<usize>>)> =
        lines.iter().map(|line| (sign(line), Vec::new())).collect();
    let mut at = 0;
    while at < lines.len() {
        let run = |from: usize, sign: Sign| {
            let same = read[from..].iter().take_while(|(other, _)| *other == sign);
            from + same.count()
        };
        let gone = run(at, Sign::Gone);
        let new = run(gone, Sign::New);
        if at < gone && gone < new {
            // Without their signs, which are one byte each.
            let bare = |lines: &[&'a str]| lines.iter().map(|line| &line[1..]).collect::<Vec<_>>();
            for one in change::compared(&bare(&lines[at..gone]), &bare(&lines[gone..new]), end) {
                let line = match (one.old, one.new) {
                    (Some(old), None) => at + old,
                    (None, Some(new)) => gone + new,
                    _ => continue,
                };
                let shifted = one.changed.iter().map(|it| it.start + 1..it.end + 1);
                read[line].1 = shifted.collect();
            }
        }
        at = new.max(at + 1);
    }
    read
}

fn sign(line: &str) -> Sign {
    if ["+++ ", "--- ", "@@", "diff ", "index ", "*** "]
        .iter()
        .any(|start| line.starts_with(start))
    {
        return Sign::Place;
    }
    match line.as_bytes().first() {
        Some(b'+') => Sign::New,
        Some(b'-') => Sign::Gone,
        _ => Sign::Same,
    }
}
