//! A text in parts, as it is drawn: its own text, and the marks for the characters that cannot be
//! seen in it.

/// A part of a text: as it is, or a mark (`⟨U+202E⟩`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The text to show.
    pub text: String,
    /// The thing it marks; `None` for text as it is.
    pub mark: Option<Mark>,
    /// Its role in its language.
    pub ink: Ink,
    /// Whether it differs from the text there before.
    pub changed: bool,
}

/// The thing a mark stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A character, so many times, that is not shown itself.
    Instead(char, usize),
    /// Nothing: it says something of the text beside it.
    Beside,
}

/// The role of a part in its language, for those who colour it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ink {
    /// Nothing in particular.
    #[default]
    Plain,
    /// Not in the text at all: a number of a line, a sign, a word of ours.
    Ours,
    /// A name: a key, a function, a host.
    Name,
    /// A word of the language.
    Keyword,
    /// A string.
    Text,
    /// A number, or another constant.
    Number,
    /// White space that has to be seen: at the end of a line, a tab, before a sign wider than a letter.
    Space,
}

impl Run {
    /// Text as it is.
    pub fn plain(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            mark: None,
            ink: Ink::Plain,
            changed: false,
        }
    }

    /// Text of ours, beside the text shown.
    pub fn ours(text: impl Into<String>) -> Self {
        Self {
            ink: Ink::Ours,
            ..Self::plain(text)
        }
    }

    pub(super) fn mark(text: String, mark: Mark) -> Self {
        Self {
            mark: Some(mark),
            ..Self::plain(text)
        }
    }

    /// Whether it stands for a character that hides, reorders others or looks like another.
    pub fn is_marked(&self) -> bool {
        self.mark.is_some()
    }
}

/// The text the runs were made of.
pub(crate) fn back(runs: &[Run]) -> String {
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

/// The runs of a text, cut where `look` of a place in it changes. It is asked for every character.
pub(crate) fn drawn(runs: Vec<Run>, look: impl Fn(usize) -> (Ink, bool)) -> Vec<Run> {
    let mut drawn: Vec<Run> = Vec::with_capacity(runs.len());
    let mut at = 0;
    for run in runs {
        match run.mark {
            None => {
                let mut open: Option<Run> = None;
                for c in run.text.chars() {
                    let (ink, changed) = look(at);
                    // Drawn white space is drawn in any language.
                    let ink = if run.ink == Ink::Space { run.ink } else { ink };
                    at += c.len_utf8();
                    match &mut open {
                        Some(run) if (run.ink, run.changed) == (ink, changed) => run.text.push(c),
                        _ => {
                            drawn.extend(open.take());
                            open = Some(Run {
                                ink,
                                changed,
                                ..Run::plain(c)
                            });
                        }
                    }
                }
                drawn.extend(open);
            }
            Some(mark) => {
                let (_, changed) = look(at);
                if let Mark::Instead(c, times) = mark {
                    at += c.len_utf8() * times;
                }
                drawn.push(Run { changed, ..run });
            }
        }
    }
    drawn
}
