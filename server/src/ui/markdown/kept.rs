//! Rule 11 of a rendered text: nothing that counts is left out. Signs of markdown may be gone, where they are
//! read as such; every letter, every digit and every other sign has to be there, in order.

/// Signs that may be gone: they make emphasis, headings, quotes, lists, rules, tables, code, links and escapes. Where
/// they do not, they are text, and the renderer keeps them as such.
pub(super) const MARKUP: &str = "`*_~#><+-=|:[]()\"'";

/// Whether a text shows everything that counts in its source, and nothing else.
pub(super) fn is_whole(source: &str, shown: &str) -> bool {
    let counts = |c: &char| !c.is_whitespace() && !c.is_control();
    let mut shown = shown.chars().filter(counts).peekable();
    for (at, c) in source.char_indices().filter(|(_, c)| counts(c)) {
        // Boxes are ticked by either.
        let is_same = |other: &char| *other == c || (*other == 'x' && c == 'X');
        if shown.next_if(is_same).is_none() && !may_be_gone(source, at, c) {
            return false;
        }
    }
    shown.next().is_none()
}

/// Whether a sign is what people take for markup. Markdown takes more for it: `/*.tmp /*.log`, `2*3*4`, `__main__.py`,
/// `rm *old*`, `> 100 rows` and `- 500 EUR` would read as something else. The signs of emphasis are always drawn.
fn may_be_gone(source: &str, at: usize, c: char) -> bool {
    let (before, after) = (&source[..at], &source[at + c.len_utf8()..]);
    let is_before_a_number = || {
        let right = after.trim_start_matches([' ', '\t']).chars().next();
        right.is_some_and(|c| c.is_numeric() || c == '=')
    };
    match c {
        '*' | '_' | '~' => begins_a_block(before, after, c),
        '>' | '+' => !is_before_a_number(),
        '-' => !is_before_a_number() || !is_first(before),
        c => MARKUP.contains(c),
    }
}

/// Whether it is a bullet, or of a line that is a rule or a fence.
fn begins_a_block(before: &str, after: &str, c: char) -> bool {
    let rest = after.split('\n').next().unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let is_bullet = c == '*' && is_first(before) && rest.starts_with([' ', '\t']);
    let is_rule = |text: &str| {
        text.chars()
            .all(|other| other == c || other == ' ' || other == '\t')
    };
    let is_fence = c == '~'
        && line
            .trim_start_matches(is_beside)
            .chars()
            .all(|it| it == '~');
    is_bullet || (is_rule(line.trim_start_matches(is_beside)) && is_rule(rest)) || is_fence
}

/// Whether nothing but other markers stands before it on its line.
fn is_first(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.chars().all(is_beside)
}

/// The beginning of a block.
fn is_beside(c: char) -> bool {
    c.is_whitespace() || c.is_ascii_digit() || "-*+>.)".contains(c)
}

#[cfg(test)]
mod tests {
    use super::is_whole;

    #[test]
    fn no_sign_of_emphasis_is_ever_gone() {
        for (source, shown) in [
            ("rm -rf *old backup* please", "rm -rf old backup please"),
            ("rm -rf **old** please", "rm -rf old please"),
            ("rm -rf ~old~ please", "rm -rf old please"),
            ("DROP TABLE _users_;", "DROP TABLE users;"),
            ("drop _users and logs_ table", "drop users and logs table"),
            ("rm -rf [*a b*]", "rm -rf [a b]"),
            ("*old*", "old"),
            ("- *old*", "old"),
            ("What **target** is it?", "What target is it?"),
        ] {
            assert!(!is_whole(source, shown), "{source}");
            assert!(is_whole(source, source), "{source}");
        }
    }

    #[test]
    fn markup_may_be_gone_and_nothing_else() {
        for (source, shown, whole) in [
            ("# a *b*", "a b", false),
            ("# a *b*", "a *b*", true),
            ("> - * a", "a", true),
            ("~~~\na\n~~~", "a", true),
            ("a\n\n_ _ _", "a", true),
            ("* a\n* b\n\n***", "a b", true),
            ("|a|", "a", true),
            ("a 1", "a", false),
            ("a", "a 1", false),
            ("ab", "ba", false),
            ("a & b", "a b", false),
            ("snake\\_case \\*", "snake_case *", false),
            ("snake\\_case \\*", "snake\\_case \\*", true),
            ("- [X] a", "x a", true),
            ("1. a", "a", false),
        ] {
            assert_eq!(is_whole(source, shown), whole, "{source}");
        }
    }

    #[test]
    fn signs_that_a_person_would_not_take_for_markup_are_not_gone() {
        for (source, shown) in [
            ("rm -rf ./*.tmp /*.tmp", "rm -rf ./.tmp /.tmp"),
            ("rm *.tmp *.log", "rm .tmp .log"),
            ("__main__.py", "main.py"),
            ("2*3*4", "234"),
            ("> 100 rows go", "100 rows go"),
            ("+ 5", "5"),
            ("- 500 EUR", "500 EUR"),
            ("echo a \\# ; rm -rf /data", "echo a # ; rm -rf /data"),
            ("\\`^a\\.b\\.c$\\`", "`^a.b.c$`"),
        ] {
            assert!(!is_whole(source, shown), "{source}");
            assert!(is_whole(source, source), "{source}");
        }
    }
}
