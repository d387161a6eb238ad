//! The words of a command that may be names of files. Only a shell can read what is written for a shell: what cannot be
//! told for certain is said to be left out.

use std::collections::BTreeSet;

/// How many words of a command are looked at.
pub(super) const MOST_WORDS: usize = 20_000;
/// How deep commands stand in each other: `bash -c 'sh -c "./x.sh"'`.
const DEEPEST: usize = 4;
/// How many options of one letter are written together at most.
const LETTERS: usize = 16;
/// Longer than any path.
const LONGEST_PATH: usize = 4_096;
/// What stands between the words of a command, also without a space.
const BETWEEN: [char; 16] = [
    ';', '|', '&', '<', '>', '(', ')', '{', '}', '`', '$', ',', ':', '=', '@', '!',
];
/// What ends a command, and begins another.
const ENDS: [char; 4] = [';', '|', '&', '\n'];

/// What a command may name.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// Every text in it that may be a path.
    pub(super) all: BTreeSet<String>,
    /// Why there may be more.
    pub(super) doubts: BTreeSet<&'static str>,
}

impl Words {
    /// Of what a shell is given to read.
    pub(super) fn of_command(command: &str) -> Self {
        let mut words = Self::default();
        words.take_apart(command, 0);
        words
    }

    /// Of the texts in a tool's input, whichever of them it takes for a command.
    pub(super) fn of_texts<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut words = Self::default();
        for text in texts {
            words.add(text);
            words.take_apart(text, 0);
        }
        // Prose has apostrophes.
        words.doubts.clear();
        words
    }

    /// Of a program's arguments, which another may read as a command.
    pub(super) fn of_arguments(argv: &[String]) -> Self {
        let mut words = Self::default();
        for argument in argv {
            words.add(argument);
            words.take_apart(argument, 1);
        }
        words
    }

    fn take_apart(&mut self, command: &str, depth: usize) {
        if self.all.len() > MOST_WORDS {
            return;
        }
        if depth > DEEPEST {
            self.doubts.insert("what stands deep in its quotes");
            return;
        }
        let read = self.read(command);
        // What stands in a quoted text that the shell would read otherwise.
        let plain = command.split_whitespace().map(|word| {
            let word = word.trim_matches(['\'', '"']);
            word.to_owned()
        });
        for word in plain.chain(read.clone()) {
            let pieces = word.split(BETWEEN).filter(|piece| *piece != word);
            for piece in pieces.chain([&*word]) {
                // A quote may be the name's own.
                self.add(piece);
                let piece = piece.trim_matches(['\'', '"']);
                self.add(piece);
                self.add_options(piece);
            }
        }
        for word in read {
            if word.contains(|c: char| c.is_whitespace() || BETWEEN.contains(&c)) && word != command
            {
                self.take_apart(&word, depth + 1);
            }
        }
    }

    /// Its words, as a shell reads them. Where quotes may pair in another way than they seem to, also those of each part.
    fn read(&mut self, command: &str) -> Vec<String> {
        let whole = shell_words::split(command);
        let is_certain = !command.contains(['\'', '"', '\\']) || !hides_quotes(command);
        match whole {
            Ok(words) if is_certain => words,
            whole => {
                self.doubts
                    .insert("what stands in its quotes, which cannot be told apart");
                let parts = command.split(ENDS).map(shell_words::split);
                let parts = parts.filter_map(Result::ok).flatten();
                whole.unwrap_or_default().into_iter().chain(parts).collect()
            }
        }
    }

    /// `-fbuild.yml`, `-sfbuild.yml`: nobody knows which of the letters takes the rest.
    fn add_options(&mut self, piece: &str) {
        if let Some(letters) = piece.strip_prefix('-') {
            for (at, _) in letters.char_indices().skip(1).take(LETTERS) {
                self.add(&letters[at..]);
            }
        }
    }

    fn add(&mut self, word: &str) {
        if !word.is_empty() && word.len() <= LONGEST_PATH && !word.contains('\0') {
            self.all.insert(word.to_owned());
        }
    }
}

/// Whether there is a text in which quotes are none: a here-document, or a comment without a space before it.
fn hides_quotes(command: &str) -> bool {
    let comments = command.match_indices('#');
    let mut before = comments.filter_map(|(at, _)| command[..at].chars().next_back());
    command.contains("<<") || before.any(|c| BETWEEN.contains(&c))
}

/// Words that are others once a shell has read them.
pub(super) fn completed(command: &str) -> impl Iterator<Item = &str> {
    let words = command.split_whitespace().take(MOST_WORDS);
    words.filter_map(|whole| {
        let word = whole.trim_matches(['\'', '"', ';', '&', '|', '(', ')']);
        let has_braces = word.contains('{') && (word.contains(',') || word.contains(".."));
        let is_elsewhere = word.starts_with('~') && word != "~" && !word.starts_with("~/");
        let is_other = word.contains(['*', '?', '[', '$', '`']) || has_braces || is_elsewhere;
        (is_other || has_choice(whole) || is_filled_in(word)).then_some(word)
    })
}

/// Where a program puts names of its own: `find -exec sh {}`, `xargs`, `env -S`.
fn is_filled_in(word: &str) -> bool {
    word.contains("{}")
        || word == "xargs"
        || word.ends_with("/xargs")
        || word.starts_with("-S")
        || word.starts_with("--split-string")
}

/// `(a|b).sh`, which some shells complete.
fn has_choice(word: &str) -> bool {
    let inner = word
        .split_once('(')
        .and_then(|(_, rest)| rest.rsplit_once(')'));
    inner.is_some_and(|(inner, _)| inner.contains('|'))
}

/// Changes to a folder that only the shell knows.
pub(super) fn changes_unseen(command: &str) -> impl Iterator<Item = &str> {
    let parts = command.split([';', '|', '&', '(', ')', '{', '}', '`', '\n']);
    parts.filter_map(|part| {
        let mut words = part.split_whitespace();
        let change = words.find(|word| matches!(*word, "cd" | "pushd" | "popd"))?;
        let is_option = |word: &&str| word.len() > 1 && word.starts_with('-');
        match words.find(|word| !is_option(word)) {
            Some(to) if change != "popd" && to != "-" && !to.starts_with('+') => None,
            _ => Some(change),
        }
    })
}
