//! Names that stand inside of a word, as a program may read it: `sed -n 1e./x.sh`, `perl -e 'do q~x.sh~'`,
//! `file://host/x%2esh`, `$'x\x2esh'`.

use super::words::LONGEST_PATH;

/// Every name that a word may hold between other things.
pub(super) fn inside(word: &str) -> Vec<&str> {
    let begins = |rest: &str| ["./", "../", "/"].iter().any(|it| rest.starts_with(it));
    let mut found = Vec::new();
    let mut end = 0;
    for part in word.split_inclusive(|c: char| !is_of_paths(c)) {
        let start = end;
        end += part.len();
        let run = part.trim_end_matches(|c: char| !is_of_paths(c));
        found.push(run);
        // Longer ones are no paths, and there may be as many as letters.
        let places = run.char_indices().map(|(at, _)| at);
        let near = |at: &usize| begins(&run[*at..]) && run.len() - at <= LONGEST_PATH;
        for at in places.filter(near) {
            found.push(&run[at..]);
            if word.len() - start - at <= LONGEST_PATH {
                found.push(&word[start + at..]);
            }
        }
    }
    found.retain(|piece| !piece.is_empty() && *piece != word);
    found
}

/// How long a word may be of which every stretch is looked for: `1rx.sh` and `sXaXx.shX` read `x.sh`.
const LONGEST_WITH_STRETCHES: usize = 96;
/// Shorter ones are a coincidence more often than a name.
const SHORTEST_STRETCH: usize = 3;
/// Between how many signs each stretch of a longer word is looked for: `if=a,b.sh` has three of one or two parts.
const MOST_SIGNS: usize = 24;

/// Every stretch of a word, or of a long one those between two `signs`; and whether that was all.
pub(super) fn parts<'a>(word: &'a str, signs: &[char]) -> (Vec<&'a str>, bool) {
    let is_sign = |c: char| signs.contains(&c) || matches!(c, '\'' | '"');
    let found: Vec<usize> = word
        .char_indices()
        .filter(|(_, c)| is_sign(*c))
        .map(|(at, _)| at)
        .collect();
    let some = &found[..found.len().min(MOST_SIGNS)];
    let mut parts = Vec::new();
    for start in [0].into_iter().chain(some.iter().map(|at| at + 1)) {
        let ends = some.iter().copied().chain([word.len()]);
        parts.extend(ends.filter(|end| start < *end).map(|end| &word[start..end]));
    }
    let is_short = word.len() <= LONGEST_WITH_STRETCHES;
    if is_short {
        for (start, _) in word.char_indices() {
            let ends = word[start..]
                .char_indices()
                .map(|(at, c)| start + at + c.len_utf8());
            let long = ends.filter(|end| end - start >= SHORTEST_STRETCH);
            parts.extend(long.map(|end| &word[start..end]));
        }
    }
    parts.retain(|part| *part != word);
    (parts, is_short)
}

/// A character that seldom delimits a name.
fn is_of_paths(c: char) -> bool {
    c.is_alphanumeric() || "_./-".contains(c)
}

/// The paths in the `file:` addresses of a word.
pub(super) fn of_addresses(word: &str) -> Vec<String> {
    let lower = word.to_ascii_lowercase();
    let found = lower.match_indices("file:");
    let paths = found.flat_map(|(at, scheme)| {
        let rest = &word[at + scheme.len()..];
        // Whichever host is named, it is this one.
        let path = match rest.strip_prefix("//") {
            Some(rest) => rest.find('/').map_or("", |at| &rest[at..]),
            None => rest,
        };
        let path = &path[..path.floor_char_boundary(3 * LONGEST_PATH)];
        let until = path.find(['?', '#', '\'', '"', ')', '>', ';', '&', '|']);
        [path, until.map_or(path, |until| &path[..until])]
    });
    paths.map(unescaped).collect()
}

/// With the characters that `%2e` and its like stand for.
fn unescaped(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'%');
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A command with the text that each `$'…'` in it stands for.
pub(super) fn with_escapes_read(command: &str) -> Option<String> {
    let mut rest = command;
    let mut read = String::new();
    while let Some((before, after)) = rest.split_once("$'") {
        let (text, after) = escaped(after);
        read.push_str(before);
        read.push_str(&shell_words::quote(&text));
        rest = after;
    }
    (!read.is_empty()).then(|| read + rest)
}

/// The text up to the quote that ends it, and the rest.
fn escaped(text: &str) -> (String, &str) {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '\'' => break,
            '\\' => rest = read_escape(rest, &mut bytes),
            c => push(c, &mut bytes),
        }
    }
    (String::from_utf8_lossy(&bytes).into_owned(), rest)
}

fn read_escape<'a>(rest: &'a str, bytes: &mut Vec<u8>) -> &'a str {
    let Some(c) = rest.chars().next() else {
        return rest;
    };
    let after = &rest[c.len_utf8()..];
    let (digits, most, base) = match c {
        'x' => (after, 2, 16),
        'u' => (after, 4, 16),
        'U' => (after, 8, 16),
        '0'..='7' => (rest, 3, 8),
        c => {
            let stands_for = match c {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'a' => '\u{7}',
                'b' => '\u{8}',
                'e' | 'E' => '\u{1b}',
                'f' => '\u{c}',
                'v' => '\u{b}',
                c => c,
            };
            push(stands_for, bytes);
            return after;
        }
    };
    let is_digit = |c: &char| c.is_digit(base);
    let digits: String = digits.chars().take(most).take_while(is_digit).collect();
    let number = u32::from_str_radix(&digits, base).unwrap_or_default();
    match c {
        'u' | 'U' => push(char::from_u32(number).unwrap_or_default(), bytes),
        // Shells keep the lowest byte.
        _ => bytes.push(number.to_le_bytes()[0]),
    }
    let read = if base == 8 { 0 } else { 1 } + digits.len();
    &rest[read..]
}

fn push(c: char, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_between_other_things() {
        for (word, name) in [
            ("1e./x.sh", "./x.sh"),
            ("1e../x.sh%", "../x.sh"),
            ("q~./x.sh~", "./x.sh"),
            ("q%x.sh%", "x.sh"),
            ("1w/srv/x+y", "/srv/x+y"),
            ("ü/x.sh", "/x.sh"),
        ] {
            assert!(inside(word).contains(&name), "{word}");
        }
        assert!(inside("x.sh").is_empty());
    }

    #[test]
    fn an_address_of_a_file_is_its_path_whatever_host_and_escapes_it_has() {
        for (word, path) in [
            ("file:///srv/x.sh", "/srv/x.sh"),
            ("FILE://localhost/srv/x%2Esh", "/srv/x.sh"),
            ("--url=file:x%20y.sh?a#b", "x y.sh"),
            ("file:/srv/%c3%bc%", "/srv/ü%"),
        ] {
            assert!(of_addresses(word).iter().any(|it| it == path), "{word}");
        }
    }

    #[test]
    fn escapes_are_read_as_a_shell_does() {
        for (command, read) in [
            (r"sh $'x\x2esh'", "sh x.sh"),
            (r"sh $'\056/\u0078\.sh' y", r"sh ./x.sh y"),
            (r"sh $'it\'s' 'y'", r#"sh 'it'\''s' 'y'"#),
            (r"sh $'a", "sh a"),
            (r"sh $'a\", "sh a"),
        ] {
            let found = with_escapes_read(command).unwrap();
            let words = |it: &str| shell_words::split(it).unwrap();
            assert_eq!(words(&found), words(read), "{command}");
        }
        assert_eq!(with_escapes_read("sh 'x'"), None);
    }
}
