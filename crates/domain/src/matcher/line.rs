//! A line of commands: one after the other, as long as each does well, and of what each says a part. Whatever else joins
//! commands, or sends anywhere what they say, is no such line.

use super::command::{Word, is_count, split};

/// What may stand behind a command: its faults are shown with the rest, or not at all.
const FAULTS: &[&str] = &[" 2>&1", " 2>/dev/null"];

/// The commands of a line that runs in `folder`, without what only shows a part of what they say; none if there may be another
/// way to read it.
pub(super) fn commands<'a>(line: &'a str, folder: Option<&str>) -> Vec<&'a str> {
    // No word and no quoted text that is taken apart has one of these signs in it, so none is parted here.
    let parts: Vec<&str> = line.split("&&").collect();
    let parts = match &*parts {
        [first, rest @ ..] if !rest.is_empty() && goes_nowhere(first, folder) => rest,
        all => all,
    };
    let all: Option<Vec<_>> = parts.iter().map(|part| shown(part)).collect();
    all.unwrap_or_default()
}

/// Whether it only says once more where the line runs.
fn goes_nowhere(command: &str, folder: Option<&str>) -> bool {
    let words = split(command).unwrap_or_default();
    match (&*words, folder) {
        ([cd, to], Some(folder)) => {
            cd.text == "cd" && !cd.is_quoted && folder.starts_with('/') && to.text == folder
        }
        _ => false,
    }
}

/// The command of which this shows all or a part.
fn shown(part: &str) -> Option<&str> {
    let mut piped = part.split('|');
    let command = piped.next()?.trim_matches(' ');
    let is_view = |view: &str| split(view).is_some_and(|words| is_view(&words));
    if !piped.all(is_view) {
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
    let is_option = |word: &Word<'_>| word.text.starts_with('-');
    let is_known = |word: &Word<'_>| {
        let letters = word.text.trim_start_matches('-');
        let is_cluster = word.text.len() == letters.len() + 1 && !letters.is_empty();
        !word.is_quoted && is_cluster && letters.chars().all(|c| LETTERS.contains(c))
    };
    let (options, sought): (Vec<_>, Vec<_>) = words.iter().partition(|word| is_option(word));
    options.into_iter().all(is_known) && sought.len() == 1
}

fn is_number(text: &str) -> bool {
    (1..=5).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
}
