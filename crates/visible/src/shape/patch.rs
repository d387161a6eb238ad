//! A patch: of `diff` and git, or for Codex' `apply_patch`. Its lines are shown as they are; known are the
//! lines that go, those that come, and the words that differ between them.

use std::{ops::Range, time::Instant};

use super::{Sign, change};

/// Whether a text is one.
pub(super) fn is_one(text: &str) -> bool {
    let begins = |with: &str| text.lines().any(|line| line.starts_with(with));
    begins("*** Begin Patch")
        || begins("diff --git ")
        || (begins("--- ") && begins("+++ ") && begins("@@"))
}

/// The role of each line, and where it differs from its neighbour.
pub(super) fn read<'a>(lines: &[&'a str], end: Instant) -> Vec<(Sign, Vec<Range<usize>>)> {
    let mut hunk = Hunk::default();
    let mut read: Vec<(Sign, Vec<Range<usize>>)> = lines
        .iter()
        .map(|line| (hunk.sign(line), Vec::new()))
        .collect();
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

/// The rest of the hunk that is read, by its heading: in it a line that begins with `+++` is an added one.
#[derive(Default)]
struct Hunk {
    old: usize,
    new: usize,
    /// Codex counts nothing: every line that begins with a sign is a line of the file.
    is_codex: bool,
}

impl Hunk {
    fn sign(&mut self, line: &str) -> Sign {
        self.is_codex |= line.starts_with("*** Begin Patch");
        let sign = match line.as_bytes().first() {
            Some(b'+') => Sign::New,
            Some(b'-') => Sign::Gone,
            _ => Sign::Same,
        };
        if self.old > 0 || self.new > 0 {
            match sign {
                Sign::New => self.new = self.new.saturating_sub(1),
                Sign::Gone => self.old = self.old.saturating_sub(1),
                // "No newline at the end" is of neither.
                _ if line.starts_with('\\') => {}
                _ => {
                    self.old = self.old.saturating_sub(1);
                    self.new = self.new.saturating_sub(1);
                }
            }
            return sign;
        }
        if let Some(heading) = line.strip_prefix("@@") {
            if !self.is_codex {
                (self.old, self.new) = counts(heading).unwrap_or_default();
            }
            return Sign::Place;
        }
        let begins = |starts: &[&str]| starts.iter().any(|start| line.starts_with(start));
        let is_of_file = !self.is_codex && begins(&["+++ ", "--- "]);
        match is_of_file || begins(&["diff ", "index ", "*** "]) {
            true => Sign::Place,
            false => sign,
        }
    }
}

/// How many lines of the old text and of the new follow ` -1,2 +3,4 @@`.
fn counts(heading: &str) -> Option<(usize, usize)> {
    // `patch` needs no space before the second `@@`.
    let mut words = heading
        .split([' ', '\t', '@'])
        .filter(|word| !word.is_empty());
    let mut count = |sign| {
        let (_, count) = words
            .next()?
            .strip_prefix(sign)?
            .split_once(',')
            .unwrap_or(("", "1"));
        count.parse().ok()
    };
    Some((count('-')?, count('+')?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signs(patch: &str) -> String {
        let mut hunk = Hunk::default();
        let sign = |line| match hunk.sign(line) {
            Sign::New => '+',
            Sign::Gone => '-',
            Sign::Place => '@',
            Sign::Same | Sign::Altered => ' ',
        };
        patch.lines().map(sign).collect()
    }

    #[test]
    fn a_line_of_a_hunk_is_no_heading_however_it_begins() {
        for (patch, expected) in [
            (
                "--- a\n+++ b\n@@ -1,2 +1,3 @@ f\n a\n--- b\n+++ c\n+*** d\n--- a",
                "@@@ -++@",
            ),
            (
                "--- a\n+++ b\n@@ -1 +1 @@\n-a\n\\ No newline\n+b\n--- c\n+++ d",
                "@@@- +@@",
            ),
            (
                "diff --git a b\nindex 1..2\n@@ -0,0 +1,2 @@\n+@@ a\n+diff b\ndiff c",
                "@@@++@",
            ),
            (
                "*** Begin Patch\n*** Update File: a\n@@ f\n+++ b\n--- c\n d\n*** End Patch",
                "@@@+- @",
            ),
            ("@@ -1,2 +1,2@@\n--- a\n+++ b\n c\n--- d", "@-+ @"),
            (
                "*** Begin Patch\n@@ -1,99 +1,99 @@\n-a\n*** Delete File: b",
                "@@-@",
            ),
            // Nothing is known of uncounted lines.
            ("--- a\n+++ b\n@@ x\n+a\n-b", "@@@+-"),
        ] {
            assert_eq!(signs(patch), expected, "{patch}");
        }
    }
}
