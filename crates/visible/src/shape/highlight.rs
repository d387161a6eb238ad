//! Words of a language told apart, by syntect's definitions and bat's. Highlighting takes time that grows with
//! the texts agents send, so it ends where a person would not notice: the rest stays plain.

use std::{
    ops::Range,
    sync::LazyLock,
    time::{Duration, Instant},
};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use crate::Ink;

/// How long all of an action may take, differences included.
const TIME: Duration = Duration::from_secs(1);
/// A line with more was not written by a person.
const LINE_BYTES: usize = 2_000;

static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(two_face::syntax::extra_newlines);

/// The ink of each scope, the first that fits.
static INKS: LazyLock<Vec<(Scope, Ink)>> = LazyLock::new(|| {
    [
        // Machines read some of them (`/*! … */`, `#!`, `--1`), and no definition knows of which program.
        ("comment", Ink::Plain),
        ("string", Ink::Text),
        ("constant", Ink::Number),
        ("keyword.operator", Ink::Plain),
        ("keyword", Ink::Keyword),
        ("storage", Ink::Keyword),
        ("entity.name.tag", Ink::Keyword),
        ("entity.name", Ink::Name),
        ("support.function", Ink::Name),
        ("variable.function", Ink::Name),
    ]
    .into_iter()
    .filter_map(|(scope, ink)| Some((Scope::new(scope).ok()?, ink)))
    .collect()
});

/// Reads the definitions that are used most, so that no reader waits for them.
pub fn warm() {
    let mut clock = Clock::start();
    for (language, text) in [
        ("bash", "if [ -f \"$a\" ]; then rm -r -- a; fi # b\n"),
        ("sql", "SELECT a FROM b WHERE c = 'd';"),
        ("json", "{\"a\": [1, true]}"),
        ("py", "def a(b: int) -> str:\n    return f\"{b}\""),
    ] {
        let lines: Vec<&str> = text.split('\n').collect();
        inks(language, &lines, &mut clock);
    }
}

/// The time that is left.
pub(super) struct Clock(Instant);

impl Clock {
    pub(super) fn start() -> Self {
        Self(Instant::now() + TIME)
    }

    /// When nothing more is looked for.
    pub(super) fn end(&self) -> Instant {
        self.0
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.0
    }
}

/// The parts of each line that are something, in a language called by its name or by the end of a file's.
pub(super) fn inks(
    language: &str,
    lines: &[&str],
    clock: &mut Clock,
) -> Vec<Vec<(Range<usize>, Ink)>> {
    let Some(syntax) = syntax(language) else {
        return Vec::new();
    };
    let mut state = ParseState::new(syntax);
    let mut stack = ScopeStack::new();
    let mut all = Vec::with_capacity(lines.len());
    for line in lines {
        if clock.is_over() || line.len() > LINE_BYTES {
            break;
        }
        let Ok(ops) = state.parse_line(&format!("{line}\n"), &SYNTAXES) else {
            break;
        };
        let mut parts: Vec<(Range<usize>, Ink)> = Vec::new();
        let mut from = 0;
        let mut add = |range: Range<usize>, ink: Ink| match parts.last_mut() {
            _ if range.is_empty() || ink == Ink::Plain => {}
            Some((last, same)) if *same == ink && last.end == range.start => last.end = range.end,
            _ => parts.push((range, ink)),
        };
        for (at, op) in ops {
            let at = at.min(line.len());
            add(from..at, ink(&stack));
            from = at;
            if stack.apply(&op).is_err() {
                return all;
            }
        }
        add(from..line.len(), ink(&stack));
        all.push(parts);
    }
    all
}

/// Whether a language is known by this name.
pub(super) fn knows(language: &str) -> bool {
    syntax(language).is_some()
}

fn syntax(language: &str) -> Option<&'static SyntaxReference> {
    SYNTAXES
        .find_syntax_by_token(language)
        .filter(|syntax| syntax.name != "Plain Text")
}

fn ink(stack: &ScopeStack) -> Ink {
    let scopes = stack.as_slice().iter().rev();
    scopes
        .filter_map(|scope| INKS.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope)))
        .map(|(_, ink)| *ink)
        .next()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_known_by_their_names_and_by_the_ends_of_files() {
        for language in [
            "bash",
            "sh",
            "sql",
            "json",
            "diff",
            "py",
            "rs",
            "ts",
            "toml",
            "yaml",
            "tf",
            "Dockerfile",
            "Makefile",
            "graphql",
        ] {
            assert!(syntax(language).is_some(), "{language}");
        }
        assert!(syntax("nonsense").is_none());
    }

    #[test]
    fn words_are_told_apart() {
        let line = "DROP TABLE a; -- 'b'";
        let inks = inks("sql", &[line], &mut Clock::start());
        let ink_of = |word: &str| {
            let at = line.find(word).unwrap();
            let part = inks[0].iter().find(|(range, _)| range.contains(&at));
            part.map_or(Ink::Plain, |(_, ink)| *ink)
        };
        assert_eq!(ink_of("DROP"), Ink::Keyword);
        // It looks as the text that is run does.
        assert_eq!(ink_of("'b'"), Ink::Plain);
    }
}
