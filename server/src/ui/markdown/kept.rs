//! Rule 11 of a rendered text: nothing that counts is left out. Signs of markdown may be gone, where they are
//! read as such; every letter, every digit and every other sign has to be there, in order.

/// What may be gone: it makes emphasis, headings, quotes, lists, rules, tables, code, links and escapes. Where it
/// does not, it is text, and the renderer keeps it as such.
pub(super) const MARKUP: &str = "\\`*_~#><+-=|:[]()\"'";

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

/// Whether a sign is what people take for markup. Markdown takes more for it: `/*.tmp /*.log`, `2*3*4`,
/// `__main__.py` and `> 100 rows` would read as something else.
fn may_be_gone(source: &str, at: usize, c: char) -> bool {
    let (before, after) = (&source[..at], &source[at + c.len_utf8()..]);
    match c {
        '*' | '_' | '~' => {
            let left = before.trim_end_matches(c).chars().next_back();
            let mut after = after.trim_start_matches(c).chars();
            let (right, next) = (after.next(), after.next());
            let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
            let is_other = |c: char| "*_~`|".contains(c);
            let begins =
                is_space(left) || left.is_some_and(|c| is_other(c) || "([{\"'".contains(c));
            let word =
                right.is_some_and(|c| c.is_alphanumeric() || is_other(c) || "([{\"'".contains(c));
            let ends = is_space(right)
                || right.is_some_and(|c| is_other(c) || ")]}\"'".contains(c))
                || (right.is_some_and(|c| ".,;:!?".contains(c)) && is_space(next));
            // Emphasis that begins or ends, a bullet, or a rule.
            (begins && (word || is_space(right))) || (ends && !is_space(left))
        }
        '>' | '+' => {
            let right = after.trim_start_matches([' ', '\t']).chars().next();
            !right.is_some_and(|c| c.is_numeric() || c == '=')
        }
        // In a command it makes text of what follows: a comment, a pattern, a quote.
        '\\' => after.starts_with(['*', '_', '~', '[', ']']),
        c => MARKUP.contains(c),
    }
}

#[cfg(test)]
mod tests {
    use super::is_whole;

    #[test]
    fn markup_may_be_gone_and_nothing_else() {
        for (source, shown, whole) in [
            ("# a *b*", "a b", true),
            ("# a *b*", "a *b*", true),
            ("**a** (_b_), ~~c~~.", "a (b), c.", true),
            ("* a\n* b\n\n***", "a b", true),
            ("|**a**|", "a", true),
            ("a 1", "a", false),
            ("a", "a 1", false),
            ("ab", "ba", false),
            ("a & b", "a b", false),
            ("snake\\_case \\*", "snake_case *", true),
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
            ("echo a \\# ; rm -rf /data", "echo a # ; rm -rf /data"),
            ("\\`^a\\.b\\.c$\\`", "`^a.b.c$`"),
        ] {
            assert!(!is_whole(source, shown), "{source}");
            assert!(is_whole(source, source), "{source}");
        }
    }
}
