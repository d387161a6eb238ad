//! Runs of white space that would push the text after them out of sight.

use std::ops::Range;

/// As wide as this people align things.
const WIDE: usize = 8;
/// No language indents further.
const INDENTED: usize = 64;
/// A tab is up to as many spaces.
const TAB: usize = 4;

/// Where a line has white space of more width than anybody needs: between words, and before the first if that
/// is no indentation any more.
pub(super) fn stretches(line: &str) -> Vec<Range<usize>> {
    let is_blank = |c: char| matches!(c, ' ' | '\t');
    let mut stretches = Vec::new();
    let mut at = 0;
    while let Some(start) = line[at..].find(is_blank).map(|found| at + found) {
        let rest = &line[start..];
        let end = rest.find(|c| !is_blank(c)).unwrap_or(rest.len()) + start;
        let tabs = line[start..end].matches('\t').count();
        let room = if start == 0 { INDENTED } else { WIDE };
        if end - start + tabs * (TAB - 1) > room {
            stretches.push(start..end);
        }
        at = end;
    }
    stretches
}

/// The characters of white space, with how often each stands there in a row.
pub(super) fn kinds(blank: &str) -> impl Iterator<Item = (char, usize)> {
    let mut rest = blank;
    std::iter::from_fn(move || {
        let c = rest.chars().next()?;
        let times = rest.chars().take_while(|other| *other == c).count();
        rest = &rest[times..];
        Some((c, times))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_white_space_that_nobody_needs_is_a_stretch() {
        for (line, expected) in [
            ("a        b", 0),
            ("a         b", 1),
            ("a\t\tb", 0),
            ("a\t\t\tb", 1),
            ("a \t \t \tb", 1),
            ("                    a", 0),
            ("a                    ", 1),
        ] {
            assert_eq!(stretches(line).len(), expected, "{line:?}");
        }
        assert_eq!(stretches(&format!("{}rm", " ".repeat(64))).len(), 0);
        assert_eq!(stretches(&format!("{}rm", " ".repeat(65))).len(), 1);
        assert!(kinds("  \t ").eq([(' ', 2), ('\t', 1), (' ', 1)]));
    }
}
