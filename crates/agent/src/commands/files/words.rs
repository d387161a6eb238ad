//! The words of a command that may be names of files. Only a shell can read a text written for a shell: parts that
//! cannot be told for certain are said to be left out.

use std::collections::BTreeSet;

use super::pieces;

/// How many words of a command are looked at.
pub(super) const MOST_WORDS: usize = 20_000;
/// How deep commands stand in each other: `bash -c 'sh -c "./x.sh"'`.
const DEEPEST: usize = 4;
/// How many options of one letter are written together at most.
const LETTERS: usize = 16;
/// How much is read, counting each text again when it is read again.
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// Longer than any path.
pub(super) const LONGEST_PATH: usize = 4_096;
/// Signs between the words of a command, also without a space.
const BETWEEN: [char; 16] = [
    ';', '|', '&', '<', '>', '(', ')', '{', '}', '`', '$', ',', ':', '=', '@', '!',
];
/// Signs that end a word in a shell, also without a space.
const OPERATORS: [char; 7] = [';', '|', '&', '<', '>', '(', ')'];
/// Of a command with more words than this no ends of words are looked for.
const MOST_WITH_ENDS: usize = 500;
/// Signs that end a command, and begin another.
const ENDS: [char; 4] = [';', '|', '&', '\n'];

/// The names a command may hold.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// Every text in it that may be a path.
    pub(super) all: BTreeSet<String>,
    /// The names inside of one. A folder of that name is a coincidence, and nothing is looked for in it.
    pub(super) inner: BTreeSet<String>,
    /// Why there may be more.
    pub(super) doubts: BTreeSet<&'static str>,
    /// Whether there were too many.
    pub(super) is_cut: bool,
    /// Whether there may be names in them that were not looked for, since they would be too many.
    pub(super) is_more: bool,
    bytes: usize,
}

impl Words {
    /// Of a text that a shell is given to read.
    pub(super) fn of_command(command: &str) -> Self {
        let mut words = Self::default();
        words.take_apart(command, 0);
        words
    }

    /// Of the texts in a tool's input, whichever of them it takes for a command.
    pub(super) fn of_texts<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut words = Self::default();
        for text in texts {
            words.add_whole(text);
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
            words.add_whole(argument);
            words.take_apart(argument, 1);
        }
        words.read_again(&argv.join(" "), 1);
        words
    }

    /// Of paths, and nothing else.
    pub(super) fn of_paths<'a>(paths: impl Iterator<Item = &'a str>) -> Self {
        let mut words = Self::default();
        for path in paths {
            words.add(path);
        }
        words
    }

    fn take_apart(&mut self, command: &str, depth: usize) {
        self.bytes = self.bytes.saturating_add(command.len());
        if self.all.len().max(self.inner.len()) > MOST_WORDS || self.bytes > MOST_BYTES {
            self.is_cut = true;
            return;
        }
        if depth > DEEPEST {
            self.doubts.insert("what stands deep in its quotes");
            return;
        }
        let read = self.read(command);
        // The words of a quoted text that the shell would read otherwise.
        let plain = command.split_whitespace().map(|word| {
            let word = word.trim_matches(['\'', '"']);
            word.to_owned()
        });
        let is_end = |c: char| c.is_whitespace() || OPERATORS.contains(&c);
        let chunks = command.split(is_end).map(str::to_owned);
        for word in plain.chain(chunks).chain(read.clone()) {
            self.add_whole(&word);
            self.add_parts(&word);
            let pieces = word.split(BETWEEN).filter(|piece| *piece != word);
            for piece in pieces.chain([&*word]) {
                // A quote may be the name's own.
                self.add(piece);
                let piece = piece.trim_matches(['\'', '"']);
                self.add(piece);
                self.add_options(piece);
            }
        }
        if has_quotes(command) {
            // The words given to `eval` and `ssh`.
            self.read_again(&read.join(" "), depth);
        }
        if let Some(command) = pieces::with_escapes_read(command) {
            self.read_again(&command, depth);
        }
        for word in read.iter().filter(|word| *word != command) {
            if word.contains(|c: char| c.is_whitespace() || BETWEEN.contains(&c)) {
                self.take_apart(word, depth + 1);
            } else if has_quotes(word) {
                self.read_again(word, depth);
            }
        }
    }

    /// The words that a second reader may find in it. That quotes do not fit then is no doubt: most are
    /// read once.
    fn read_again(&mut self, text: &str, depth: usize) {
        let doubts = self.doubts.clone();
        self.take_apart(text, depth + 1);
        self.doubts = doubts;
    }

    /// Its words, as a shell reads them. Where quotes may pair in another way than they seem to, also those of each part.
    fn read(&mut self, command: &str) -> Vec<String> {
        let whole = shell_words::split(command);
        let is_certain = !has_quotes(command) || !hides_quotes(command);
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

    /// `-fbuild.yml`, `-sfbuild.yml`: it is unknown which letter takes the rest.
    fn add_options(&mut self, piece: &str) {
        if let Some(letters) = piece.strip_prefix('-') {
            for (at, _) in letters.char_indices().skip(1).take(LETTERS) {
                self.add(&letters[at..]);
            }
        }
    }

    /// Parts of a word that a program may take for a name: `if=a,b.sh`, `1rx.sh`, `a b,c.sh;true`.
    fn add_parts(&mut self, word: &str) {
        if self.all.len() > MOST_WITH_ENDS {
            self.is_more = true;
            return;
        }
        let (parts, is_all) = pieces::parts(word, &BETWEEN);
        self.is_more |= !is_all;
        self.extend_inner(parts);
    }

    fn extend_inner(&mut self, names: Vec<&str>) {
        let room = MOST_WORDS.saturating_sub(self.inner.len());
        let mut fit = names.into_iter().filter(|it| is_fit(it));
        self.inner
            .extend(fit.by_ref().take(room).map(str::to_owned));
        self.is_cut |= fit.next().is_some();
    }

    /// With the names inside of it.
    fn add_whole(&mut self, word: &str) {
        self.add(word);
        for path in pieces::of_addresses(word) {
            self.add(&path);
        }
        self.extend_inner(pieces::inside(word));
    }

    /// One that is a path, and nothing else.
    pub(super) fn add(&mut self, word: &str) {
        if is_fit(word) {
            self.all.insert(word.to_owned());
            if word.starts_with('~') {
                // In quotes it is a name like any other.
                self.all.insert(format!("./{word}"));
            }
        }
    }
}

fn is_fit(word: &str) -> bool {
    !word.is_empty() && word.len() <= LONGEST_PATH && !word.contains('\0')
}

fn has_quotes(text: &str) -> bool {
    text.contains(['\'', '"', '\\'])
}

/// Whether there is a text in which quotes are none, or others: a here-document, a comment without a space before it,
/// or `$'it\'s'`.
fn hides_quotes(command: &str) -> bool {
    let comments = command.match_indices('#');
    let mut before = comments.filter_map(|(at, _)| command[..at].chars().next_back());
    command.contains("<<") || command.contains("$'") || before.any(|c| BETWEEN.contains(&c))
}
