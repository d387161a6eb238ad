//! A line of commands: one after the other, as long as each does well, and of what each says a part. Whatever else joins
//! commands, or sends anywhere what they say, is no such line.

use super::{
    Place,
    command::{Word, is_count, split, split_with},
    search,
};

/// What may stand behind a command: its faults are shown with the rest, or not at all.
const FAULTS: &[&str] = &[" 2>&1", " 2>/dev/null"];

/// The commands of a line, without what only shows a part of what they say; none if there may be another way to read it.
pub(super) fn commands<'a>(line: &'a str, place: &Place<'_>) -> Vec<&'a str> {
    let parts = parted(line, "&&");
    let parts = match &*parts {
        [first, rest @ ..] if !rest.is_empty() && stays(first, place) => rest,
        all => all,
    };
    let all: Option<Vec<_>> = parts.iter().map(|part| shown(part)).collect();
    all.unwrap_or_default()
}

/// The parts between these signs, where they stand outside of quotes. Quotes that are not where a word begins and ends are
/// refused when a part is taken apart.
fn parted<'a>(line: &'a str, signs: &str) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let (mut begin, mut quote) = (0, None);
    for (at, c) in line.char_indices() {
        match quote {
            Some(open) if open == c => quote = None,
            Some(_) => {}
            None if c == '\'' || c == '"' => quote = Some(c),
            None if at >= begin && line[at..].starts_with(signs) => {
                parts.push(&line[begin..at]);
                begin = at + signs.len();
            }
            None => {}
        }
    }
    parts.push(&line[begin..]);
    parts
}

/// Whether it changes to a folder where the line might as well run: where it does, or another that was approved.
fn stays(command: &str, place: &Place<'_>) -> bool {
    let words = split(command).unwrap_or_default();
    let (Some(folder), [cd, to]) = (place.folder, &*words) else {
        return false;
    };
    let is_approved = || {
        let mut within = place.within.iter();
        within.any(|within| search::is_in(Some(to.text), None, within))
    };
    // Where a name alone leads, a setting of the shell says too.
    let is_absolute = to.text.starts_with('/');
    cd.text == "cd" && !cd.is_quoted && is_absolute && (to.text == folder || is_approved())
}

/// The command of which this shows all or a part.
fn shown(part: &str) -> Option<&str> {
    let piped = parted(part, "|");
    let (command, views) = piped.split_first()?;
    let command = command.trim_matches(' ');
    let is_view = |view: &&str| split_with(view, "|").is_some_and(|words| is_view(&words));
    if !views.iter().all(is_view) {
        return None;
    }
    let mut ends = FAULTS.iter().filter_map(|end| command.strip_suffix(end));
    Some(ends.next().unwrap_or(command))
}

/// Whether it does nothing but show a part of what it is given: it names no file, and writes none.
fn is_view(words: &[Word<'_>]) -> bool {
    let Some((program, rest)) = words.split_first().filter(|(it, _)| !it.is_quoted) else {
        return false;
    };
    let all_in = |known: &[&str]| {
        let mut rest = rest.iter();
        rest.all(|word| !word.is_quoted && known.contains(&word.text))
    };
    match program.text {
        "head" | "tail" => match rest {
            [count] => is_count(count.text),
            [option, count] => option.text == "-n" && is_number(count.text),
            _ => rest.is_empty(),
        },
        "wc" => all_in(&["-c", "-l", "-w"]),
        "sort" => all_in(&["-h", "-n", "-nr", "-r", "-rn", "-u"]),
        "uniq" => all_in(&["-c", "-d", "-u"]),
        "grep" => is_search(rest),
        _ => false,
    }
}

/// Options that choose lines, and how they are shown, and one thing to look for.
fn is_search(words: &[Word<'_>]) -> bool {
    const LETTERS: &str = "EFciovwx";
    const LINES_AROUND: &[&str] = &["-A", "-B", "-C"];
    let is_known = |text: &str| {
        let letters = text.strip_prefix('-').unwrap_or_default();
        !letters.is_empty() && letters.chars().all(|c| LETTERS.contains(c))
    };
    let mut rest = words.iter();
    let mut sought = 0;
    while let Some(word) = rest.next() {
        let fits = match word.text {
            text if LINES_AROUND.contains(&text) => {
                rest.next().is_some_and(|word| is_number(word.text))
            }
            text if text.starts_with('-') => is_known(text),
            _ => {
                sought += 1;
                true
            }
        };
        // A quoted option is one all the same, and nobody writes it so.
        if !fits || (word.is_quoted && word.text.starts_with('-')) {
            return false;
        }
    }
    sought == 1
}

fn is_number(text: &str) -> bool {
    (1..=5).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
}
