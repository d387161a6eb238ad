//! The words of a command, as widely as any shell or program could read them, and what hides others.

use super::Holds;

/// What a shell puts something else in the place of.
const REPLACED: &[char] = &['$', '`', '\\', '*', '?', '['];
/// The same in an address, which holds a `?` of its own.
const REPLACED_IN_ADDRESSES: &[char] = &['$', '`', '\\', '*', '['];
/// Programs that make words of what nobody can read.
const REWRITERS: &[&str] = &[
    "awk", "base32", "base64", "eval", "gawk", "gunzip", "mawk", "openssl", "parallel", "printf",
    "rev", "tr", "xargs", "xxd", "zcat",
];
/// Programs that run text in a language of their own.
const INTERPRETERS: &[&str] = &[
    "bun",
    "deno",
    "lua",
    "node",
    "nodejs",
    "osascript",
    "perl",
    "php",
    "powershell",
    "pwsh",
    "pypy",
    "python",
    "rscript",
    "ruby",
];
/// Programs that run commands.
const SHELLS: &[&str] = &[
    "ash", "bash", "csh", "dash", "fish", "ksh", "mksh", "sh", "tcsh", "zsh",
];
/// Programs that run the program named after them.
const BEFORE_PROGRAMS: &[&str] = &[
    "command", "doas", "env", "exec", "nice", "nohup", "sudo", "time",
];
/// Options by which an interpreter takes its program from the command, besides the letters.
const CODE: &[&str] = &["-", "--command", "--eval", "--exec", "--print", "--run"];
const CODE_LETTERS: &[char] = &['c', 'e', 'E', 'p', 'r'];
/// What ends a word besides white space.
const BETWEEN: &[char] = &[';', '|', '&', '(', ')', '{', '}', '<', '>', '=', ','];
/// The longest option that may be several options of one letter each: `-rf`.
const CLUSTER: usize = 3;

/// One word.
#[derive(Debug)]
pub(super) struct Word {
    /// As it is, without quotes.
    text: String,
    /// In small letters.
    pub(super) lower: String,
}

/// The words that a rule names.
#[derive(Debug)]
pub(super) struct Wanted(Vec<One>);

/// One of them.
#[derive(Debug)]
pub(super) struct One {
    text: String,
    lower: String,
}

/// The words of a text, as a shell reads them where nothing is hidden: quotes within a word are no part of it.
pub(super) fn of(text: &str) -> Vec<Word> {
    let plain: String = text
        .chars()
        .filter(|c| !matches!(c, '\'' | '"' | '\\'))
        .collect();
    plain
        .split(|c: char| c.is_whitespace() || c.is_control() || BETWEEN.contains(&c))
        .filter(|word| !word.is_empty())
        .map(|word| Word {
            text: word.to_owned(),
            lower: word.to_lowercase(),
        })
        .collect()
}

/// Whether there may be more in a text than can be read.
pub(super) fn hide(words: &[Word], lower: &str) -> bool {
    let is_replaced = |part: &str| {
        part.contains(match part.contains("://") {
            true => REPLACED_IN_ADDRESSES,
            false => REPLACED,
        })
    };
    let is_rewritten = |word: &Word| REWRITERS.contains(&word.name());
    lower.split_whitespace().any(is_replaced)
        || words.iter().any(is_rewritten)
        || has_braces(lower)
        || runs_what_is_not_read(words, lower)
}

/// Whether a shell makes several words of one: `r{m,}`, `g{i..i}t`.
fn has_braces(text: &str) -> bool {
    let inside = text
        .split_once('{')
        .and_then(|(_, rest)| rest.rsplit_once('}'));
    inside.is_some_and(|(inside, _)| inside.contains(',') || inside.contains(".."))
}

/// Whether it gives an interpreter a program, or a shell what another program says.
pub(super) fn runs_what_is_not_read(words: &[Word], lower: &str) -> bool {
    let interpreter = words.iter().position(Word::is_interpreter);
    let takes_code = interpreter.is_some_and(|at| {
        let mut after = words.iter().skip(at);
        lower.contains("<<") || after.any(Word::is_code_option)
    });
    let is_piped = || {
        lower.split('|').skip(1).any(|after| {
            let words = of(after);
            let mut programs = words
                .iter()
                .filter(|word| !word.lower.starts_with('-'))
                .skip_while(|word| BEFORE_PROGRAMS.contains(&word.name()));
            let program = programs.next();
            program.is_some_and(|word| word.is_interpreter() || SHELLS.contains(&word.name()))
        })
    };
    takes_code || lower.contains("<(") || is_piped()
}

/// Whether what a command says goes into a file in place of what was there.
pub(super) fn overwrites(lower: &str) -> bool {
    let mut rest = lower;
    while let Some((_, after)) = rest.split_once('>') {
        let to = after.trim_start_matches(['|', ' ', '\t']);
        let is_added = after.starts_with('>');
        // `>&2`, `>(sort)`, and where nothing stays.
        let is_no_file = to.is_empty()
            || to.starts_with(['&', '(', '='])
            || to
                .strip_prefix("/dev/null")
                .is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '/'));
        if !is_added && !is_no_file {
            return true;
        }
        rest = after.trim_start_matches('>');
    }
    false
}

impl Word {
    /// The name of the program that it may be.
    fn name(&self) -> &str {
        let name = self.lower.rsplit('/').next().unwrap_or(&self.lower);
        name.strip_suffix(".exe").unwrap_or(name)
    }

    fn is_interpreter(&self) -> bool {
        let name = self.name();
        let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        INTERPRETERS.contains(&name)
    }

    fn is_code_option(&self) -> bool {
        let is_letter = self
            .letters()
            .is_some_and(|letters| letters.contains(CODE_LETTERS));
        is_letter || CODE.contains(&&*self.lower)
    }

    /// Of several options of one letter each.
    fn letters(&self) -> Option<&str> {
        let letters = self.text.strip_prefix('-')?;
        (!letters.starts_with('-')).then_some(letters)
    }

    /// The name of a long option.
    fn long(&self) -> Option<&str> {
        self.lower
            .strip_prefix("--")
            .filter(|name| !name.is_empty())
    }
}

impl Wanted {
    pub(super) fn of(words: &[String]) -> Self {
        let one = |word: &String| One {
            text: word.clone(),
            lower: word.to_lowercase(),
        };
        Self(words.iter().map(one).collect())
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    pub(super) fn each(&self) -> impl Iterator<Item = &One> {
        self.0.iter()
    }

    /// Whether these stand there in this order; options anywhere.
    pub(super) fn stand_in(&self, words: &[Word]) -> Holds {
        let mut rest = words.iter();
        let each = self.0.iter().map(|one| match one.is_option() {
            true => one.option_among(words),
            false => rest.any(|word| one.is(word)).into(),
        });
        each.min().unwrap_or(Holds::No)
    }
}

impl One {
    fn is_option(&self) -> bool {
        self.text.starts_with('-')
    }

    /// Whether a word is this one, or the program of this name at some place.
    fn is(&self, word: &Word) -> bool {
        word.lower == self.lower || word.name() == self.lower
    }

    pub(super) fn stands_among(&self, words: &[Word]) -> bool {
        match self.is_option() {
            true => self.option_among(words) == Holds::Yes,
            false => words.iter().any(|word| self.is(word)),
        }
    }

    /// Whether it is there; what may be the same by another name cannot be told.
    fn option_among(&self, words: &[Word]) -> Holds {
        let name = self.text.trim_start_matches('-');
        let is_long = name.chars().count() > CLUSTER;
        let is_it = |word: &Word| {
            // Some programs take `-name` and `--name` for the same.
            let same_name = is_long && word.text.trim_start_matches('-') == name;
            word.text == self.text || (same_name && word.text.starts_with('-'))
        };
        if words.iter().any(is_it) {
            return Holds::Yes;
        }
        if self.text.starts_with("--") {
            return is_short_for(name, words).min(Holds::Unclear);
        }
        match is_long || name.is_empty() {
            true => Holds::No,
            false => {
                let each = name.chars().map(|letter| letter_among(letter, words));
                each.min().unwrap_or(Holds::No)
            }
        }
    }
}

/// Whether an option may be this long one: programs take its beginning, and often its first letter.
fn is_short_for(name: &str, words: &[Word]) -> Holds {
    let name = name.to_lowercase();
    let first = name.chars().next();
    let may_be = |word: &Word| match word.long() {
        Some(long) => name.starts_with(long),
        None => word.letters().is_some_and(|letters| {
            let mut letters = letters.chars().flat_map(char::to_lowercase);
            letters.any(|letter| Some(letter) == first)
        }),
    };
    words.iter().any(may_be).into()
}

/// Whether one of the short options has this letter; a long one that begins with it may be the same.
fn letter_among(letter: char, words: &[Word]) -> Holds {
    let has = |word: &Word| word.letters().is_some_and(|it| it.contains(letter));
    let small: String = letter.to_lowercase().collect();
    let may_be = |word: &Word| word.long().is_some_and(|name| name.starts_with(&*small));
    match () {
        () if words.iter().any(has) => Holds::Yes,
        () if words.iter().any(may_be) => Holds::Unclear,
        () => Holds::No,
    }
}
