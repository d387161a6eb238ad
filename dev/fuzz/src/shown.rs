//! Texts as people are shown them (`visible`).

use visible::{Ink, Mark, Run, shape};

use crate::known::{is_plain, parts};

/// Characters that change the direction of others, or have no width and stand nowhere.
const NEVER: [char; 18] = [
    '\u{61c}', '\u{200b}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}',
    '\u{202e}', '\u{2060}', '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}', '\u{feff}', '\u{1b}',
    '\u{7f}', '\u{0}',
];

/// Nothing is lost, nothing hides, and what was shown leads back to what it was made of.
pub fn shown(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    for (what, shown) in [
        ("line", visible::line(text)),
        ("lines", visible::lines(text)),
        ("label", visible::label(text)),
        ("prose", visible::prose(text)),
        ("sentence", visible::sentence(text)),
        ("unhidden", visible::unhidden(text)),
        ("option", visible::option(text, "x")),
    ] {
        hides_nothing(what, &shown);
        keeps_all(what, text, &shown);
        // A mark is for one character at least, of up to four bytes.
        assert!(
            shown.len() <= 24 * text.len() + 64,
            "{what}: {}",
            shown.len()
        );
    }
    for (what, runs) in [
        ("name", visible::name(text)),
        ("value", visible::value(text)),
        ("prose_runs", visible::prose_runs(text)),
    ] {
        assert_eq!(back(&runs), text, "{what}");
        hides_nothing(what, &drawn(&runs));
        keeps_all(what, text, &drawn(&runs));
    }
    let source = shape::source(text);
    let lines: Vec<String> = source.lines.iter().map(|line| back(&line.runs)).collect();
    assert_eq!(lines.join(source.end.as_str()), text);
    for line in &source.lines {
        hides_nothing("source", &drawn(&line.runs));
    }
    let diff = shape::diff(text);
    let lines: Vec<String> = diff.lines.iter().map(|line| back(&line.runs)).collect();
    assert_eq!(lines.join(diff.end.as_str()), text);
    is_isolated(text);
    let _ = visible::columns(text);
    let [before, after] = parts(bytes).map(str::from_utf8);
    if let (Ok(before), Ok(after)) = (before, after) {
        let change = shape::revised(before, after);
        assert_eq!(change.is_none(), before == after);
    }
}

/// The text that runs were made of.
fn back(runs: &[Run]) -> String {
    let mut text = String::new();
    for run in runs.iter().filter(|run| run.ink != Ink::Ours) {
        match run.mark {
            None => text.push_str(&run.text),
            Some(Mark::Instead(c, times)) => text.extend(std::iter::repeat_n(c, times)),
            Some(Mark::Beside) => {}
        }
    }
    text
}

fn drawn(runs: &[Run]) -> String {
    runs.iter().map(|run| run.text.as_str()).collect()
}

fn hides_nothing(what: &str, shown: &str) {
    let found = shown.chars().find(|c| NEVER.contains(c));
    assert_eq!(found, None, "{what}: {shown:?}");
}

/// Every character that has a shape of its own stands there, in order.
fn keeps_all(what: &str, text: &str, shown: &str) {
    let mut rest = shown.chars();
    for c in text.chars().filter(|c| is_plain(*c)) {
        assert!(rest.any(|other| other == c), "{what}: {c:?} of {text:?}");
    }
}

/// A surface that knows isolates gets the same text, with nothing in it but them.
fn is_isolated(text: &str) {
    let plain = visible::line(text);
    let isolated = visible::isolated(&plain);
    let ours = ['\u{200e}', '\u{2067}', '\u{2069}'];
    let without: String = isolated.chars().filter(|c| !ours.contains(c)).collect();
    assert_eq!(
        without.replace(visible::RTL_MARK, ""),
        plain.replace(visible::RTL_MARK, "")
    );
    let count = |c: char| isolated.matches(c).count();
    assert_eq!(count('\u{2067}'), count('\u{2069}'));
}
