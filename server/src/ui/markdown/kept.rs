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
            let is_markup = (begins && (word || is_space(right))) || (ends && !is_space(left));
            is_markup && !is_read_by_a_program(source, at)
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

/// What names commands, and what they are told, where people write them without more.
const COMMANDS: [&str; 40] = [
    "alter", "awk", "bash", "cargo", "cat", "cd", "chmod", "chown", "cp", "curl", "dd", "delete",
    "docker", "drop", "echo", "exec", "git", "grep", "insert", "kill", "kubectl", "ln", "ls",
    "mkdir", "mv", "npm", "pip", "psql", "python", "rm", "rmdir", "run", "scp", "sed", "ssh",
    "sudo", "table", "tar", "truncate", "wget",
];

/// Whether the sign at a place stands around one word, `*old*` or `__init__`, and that word or the one beside it is of
/// a command: there it may be a pattern or a part of a name.
fn is_read_by_a_program(source: &str, at: usize) -> bool {
    let start = source[..at].rfind(char::is_whitespace).map_or(0, |space| {
        space + source[space..].chars().next().map_or(1, char::len_utf8)
    });
    let end = source[at..]
        .find(char::is_whitespace)
        .map_or(source.len(), |space| at + space);
    let Some(word) = wrapped(&source[start..end]) else {
        return false;
    };
    let before = source[..start].split_whitespace().next_back();
    let after = source[end..].split_whitespace().next();
    is_name(word) || [before, after].into_iter().flatten().any(is_of_a_command)
}

/// The word in `*word*`, `_word_` or `__word__`, whatever ends a sentence behind it.
fn wrapped(token: &str) -> Option<&str> {
    let token = token
        .trim_start_matches(['(', '[', '{', '"', '\''])
        .trim_end_matches([')', ']', '}', '"', '\'', '.', ',', ';', ':', '!', '?']);
    ["__", "_", "*"].into_iter().find_map(|sign| {
        let word = token.strip_prefix(sign)?.strip_suffix(sign)?;
        let is_more = |c: char| sign.contains(c);
        (!word.is_empty() && !word.starts_with(is_more) && !word.ends_with(is_more)).then_some(word)
    })
}

/// Whether a word is one of a command: its name, an option, a path, or a name of something in it.
fn is_of_a_command(word: &str) -> bool {
    let word = word.trim_matches(['(', ')', '"', '\'', ',', ';', ':', '!', '?', '*', '_', '~']);
    let word = word.trim_end_matches('.');
    let letters_and_digits = word.contains(|c: char| c.is_ascii_digit())
        && word.contains(|c: char| c.is_ascii_alphabetic());
    let is_code = word.contains('`');
    let is_option = word.starts_with('-') && word.len() > 1;
    !is_code && (is_name(word) || is_option || letters_and_digits || COMMANDS.contains(&word))
}

/// Whether a word has what no word of a sentence has.
fn is_name(word: &str) -> bool {
    let word = word.trim_end_matches('.');
    word.contains(['_', '/', '.']) && !matches!(word, "e.g" | "i.e" | "and/or")
}

#[cfg(test)]
mod tests {
    use super::is_whole;

    #[test]
    fn emphasis_that_could_be_of_a_command_is_not_gone() {
        for (source, shown) in [
            ("rm -rf *old* please", "rm -rf old please"),
            ("and drop _users_ table", "and drop users table"),
            ("then run __init__ now", "then run init now"),
            ("/srv/data *old*", "/srv/data old"),
            ("use *old* app_config", "use old app_config"),
            ("use *old* host2", "use old host2"),
            ("use (*a.log*), then", "use (a.log), then"),
            ("sudo _x_.", "sudo x."),
        ] {
            assert!(!is_whole(source, shown), "{source}");
            assert!(is_whole(source, source), "{source}");
        }
        for (source, shown) in [
            (
                "What **latency target** is it?",
                "What latency target is it?",
            ),
            ("That is *very* important.", "That is very important."),
            ("It takes *about* 5 minutes.", "It takes about 5 minutes."),
            (
                "`rm` is _not_ undone, e.g. *here*",
                "rm is not undone, e.g. here",
            ),
            ("Please *do not* run it", "Please do not run it"),
        ] {
            assert!(is_whole(source, shown), "{source}");
        }
    }

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
