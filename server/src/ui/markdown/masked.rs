//! Markdown without what would take characters away: an entity (`&lt;`) is shown as it is written, and so is the
//! definition of a reference, with all that refers to it. Their signs are masked before the text is parsed.

use std::borrow::Cow;

/// A text whose `&`, and whose `:` after `]`, are other characters that do not occur in it.
pub(super) struct Masked {
    /// To be parsed.
    pub(super) text: String,
    and: char,
    colon: char,
}

impl Masked {
    /// `None` if the text has all characters that could stand for them: no real text does.
    pub(super) fn new(text: &str) -> Option<Self> {
        let mut unused = ('\u{fdd0}'..='\u{fdef}').filter(|c| !text.contains(*c));
        let (and, colon) = (unused.next()?, unused.next()?);
        let mut masked = String::with_capacity(text.len());
        let mut last = None;
        for c in text.chars() {
            masked.push(match c {
                '&' => and,
                ':' if last == Some(']') => colon,
                c => c,
            });
            last = Some(c);
        }
        Some(Self {
            text: masked,
            and,
            colon,
        })
    }

    /// A part of the parsed text as it was.
    pub(super) fn unmask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if !text.contains([self.and, self.colon]) {
            return Cow::Borrowed(text);
        }
        let unmasked = text.chars().map(|c| match c {
            c if c == self.and => '&',
            c if c == self.colon => ':',
            c => c,
        });
        Cow::Owned(unmasked.collect())
    }
}
