//! Texts that fit. Slack does not document how it counts: here in UTF-16 units, and `& < >` as the entities
//! that Slack keeps them as, which is never less. A longer text is cut between two characters as people see
//! them.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use domain::{SlackId, time};
use serde::{Serialize, Serializer, ser::SerializeStruct};
use unicode_segmentation::UnicodeSegmentation;

/// Stands where something was cut off.
const ELLIPSIS: char = '…';
/// Slack refuses a text without anything to see.
const BLANK: &str = "(nothing to see)";
/// Longer addresses than this are not linked to: they would take the room of the question.
const ADDRESS: usize = 300;

/// How long a text is at most by any way of counting it.
pub(super) fn length(text: &str) -> usize {
    text.chars().map(char_length).sum()
}

fn char_length(c: char) -> usize {
    entity(c).map_or_else(|| c.len_utf16(), str::len)
}

fn entity(c: char) -> Option<&'static str> {
    match c {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        _ => None,
    }
}

/// Text in which nothing is markup: no mention, no link.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match entity(c) {
            Some(entity) => escaped.push_str(entity),
            None => escaped.push(c),
        }
    }
    escaped
}

/// As much of the text as fits, with an ellipsis where it does not end there.
pub(super) fn cut(text: &str, max: usize) -> Cow<'_, str> {
    if length(text) <= max {
        return Cow::Borrowed(text);
    }
    let end = end_of_start(text, max.saturating_sub(1));
    let mut start = text[..end].trim_end().to_owned();
    start.push(ELLIPSIS);
    Cow::Owned(start)
}

/// All of the text in pieces that fit, cut between lines where there are some, without those that are white space
/// alone.
pub(super) fn pieces(text: &str, max: usize) -> Vec<&str> {
    let mut rest = text;
    let mut pieces = Vec::new();
    while length(rest) > max {
        let end = end_of_start(rest, max);
        let end = match rest[..end].rfind('\n') {
            Some(line) if line >= end / 2 => line + 1,
            _ => end,
        };
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    if pieces.len() > 1 {
        pieces.retain(|piece| !piece.trim().is_empty());
    }
    pieces
}

/// Where as much of the text ends as fits.
fn end_of_start(text: &str, room: usize) -> usize {
    match fitting(text.grapheme_indices(true), room) {
        // One character that is as long as a page.
        0 => fitting(
            text.char_indices()
                .map(|(at, c)| (at, &text[at..at + c.len_utf8()])),
            room,
        ),
        end => end,
    }
}

/// Where the last part ends that still fits.
fn fitting<'a>(parts: impl Iterator<Item = (usize, &'a str)>, room: usize) -> usize {
    let mut used = 0;
    let mut end = 0;
    for (at, part) in parts {
        used += length(part);
        if used > room {
            break;
        }
        end = at + part.len();
    }
    end
}

/// Text from outside on one line, with characters that hide or reorder written out, and no more of it
/// than fits.
pub(super) fn one_line(text: &str, max: usize) -> String {
    cut(&line(text), max).into_owned()
}

/// All of it.
pub(super) fn line(text: &str) -> String {
    on_one_line(&visible::prose(text))
}

/// A text in which nothing hides, on one line.
pub(super) fn on_one_line(text: &str) -> String {
    let blank = |c: char| if c.is_whitespace() { ' ' } else { c };
    text.chars().map(blank).collect()
}

/// Text from outside in lines, with characters that hide or reorder written out. The result is never
/// empty.
pub(super) fn prose(text: &str) -> String {
    match text {
        "" => "(an empty answer)".to_owned(),
        text => visible::prose(text),
    }
}

/// Text that Slack shows as it is: neither markup nor emoji names mean anything in it. Not longer than `MAX`,
/// and never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plain<const MAX: usize>(String);

impl<const MAX: usize> Plain<MAX> {
    pub(super) fn new(text: &str) -> Self {
        Self(seen(text, MAX))
    }

    pub(super) fn length(&self) -> usize {
        length(&self.0)
    }
}

fn seen(text: &str, max: usize) -> String {
    let is_blank = |c: char| c.is_whitespace() || visible::is_hidden(c);
    if text.chars().all(is_blank) {
        cut(BLANK, max).into_owned()
    } else {
        cut(text, max).into_owned()
    }
}

impl<const MAX: usize> Serialize for Plain<MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Plain", 3)?;
        object.serialize_field("type", "plain_text")?;
        object.serialize_field("text", &self.0)?;
        object.serialize_field("emoji", &false)?;
        object.end()
    }
}

/// The text of a part of a `rich_text` block, which Slack shows as it is. Not longer than `MAX`, never empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(super) struct Literal<const MAX: usize>(String);

impl<const MAX: usize> Literal<MAX> {
    pub(super) fn new(text: &str) -> Self {
        Self(seen(text, MAX))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// A name Slack gives back. Ours alone, so never too long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(super) struct Name(Cow<'static, str>);

impl Name {
    pub(super) fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Self(name.into())
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn length(&self) -> usize {
        length(&self.0)
    }
}

/// Text with markup. It is made of our own words, times and addresses only: text from outside cannot get in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Markup(String);

impl Markup {
    pub(super) fn say(mut self, words: &'static str) -> Self {
        self.0.push_str(words);
        self
    }

    /// Calls a user. An id is letters and digits, so it ends where it ends.
    pub(super) fn mention(mut self, user: &SlackId) -> Self {
        self.0.push_str(&format!("<@{user}>"));
        self
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// A time in the reader's own time zone.
    pub(super) fn date(mut self, at: DateTime<Utc>) -> Self {
        let (seconds, otherwise) = (at.timestamp(), time::exact(at));
        self.0.push_str(&format!(
            "<!date^{seconds}^{{date_short_pretty}} {{time}}|{otherwise}>"
        ));
        self
    }

    pub(super) fn link(mut self, address: &Address, words: &'static str) -> Self {
        let Address(address) = address;
        // This sign ends the address of a link.
        let address = escape(address).replace('|', "%7C");
        self.0.push_str(&format!("<{address}|{words}>"));
        self
    }
}

impl Serialize for Markup {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Markup", 3)?;
        object.serialize_field("type", "mrkdwn")?;
        object.serialize_field("text", &self.0)?;
        object.serialize_field("verbatim", &true)?;
        object.end()
    }
}

/// An address to link to, short enough for every place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(super) struct Address(String);

impl Address {
    /// `None` when it is too long, or would not be one address.
    pub(super) fn new(address: String) -> Option<Self> {
        let whole = !address.contains(|c: char| c.is_whitespace() || c.is_control());
        (whole && length(&address) <= ADDRESS).then_some(Self(address))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_cut_between_characters() {
        for (text, max, expected) in [
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("ab cd", 4, "ab…"),
            // A family is eleven units and one character.
            ("ab👨‍👩‍👧‍👦cd", 8, "ab…"),
            ("ab👨‍👩‍👧‍👦cd", 14, "ab👨‍👩‍👧‍👦…"),
            ("e\u{301}e\u{301}", 3, "e\u{301}…"),
            ("🇩🇪🇫🇷", 6, "🇩🇪…"),
            // Slack keeps five characters for each.
            ("&&", 9, "&…"),
            ("<>", 8, "<>"),
            ("", 0, ""),
        ] {
            assert_eq!(cut(text, max), expected, "{text:?} {max}");
        }
        let tower = format!("e{}", "\u{301}".repeat(50));
        assert_eq!(length(&cut(&tower, 10)), 10);
    }

    #[test]
    fn pieces_are_the_whole_text() {
        for (text, expected) in [
            ("", vec![""]),
            ("abcd", vec!["abcd"]),
            ("abcde", vec!["abcd", "e"]),
            ("ab\ncd\n", vec!["ab\n", "cd\n"]),
            // Early in a piece, a line's end would waste it.
            ("a\nbcdef", vec!["a\nbc", "def"]),
            ("&&", vec!["&", "&"]),
            (
                "e\u{301}e\u{301}e\u{301}",
                vec!["e\u{301}e\u{301}", "e\u{301}"],
            ),
        ] {
            assert_eq!(pieces(text, if text == "&&" { 5 } else { 4 }), expected);
        }
        let tower = format!("e{}", "\u{301}".repeat(50));
        assert_eq!(pieces(&tower, 10).concat(), tower);
    }

    #[test]
    fn nothing_from_outside_is_markup() {
        assert_eq!(
            escape("<!channel> <https://a|b> a&b &amp;"),
            "&lt;!channel&gt; &lt;https://a|b&gt; a&amp;b &amp;amp;"
        );
        assert_eq!(length("a&<>🦀"), escape("a&<>🦀").encode_utf16().count());
    }

    #[test]
    fn an_address_ends_where_it_ends() {
        let address = Address::new("https://h.example/a?b=1&c=<d>|e".to_owned()).unwrap();
        let Markup(text) = Markup::default().link(&address, "here");
        assert_eq!(text, "<https://h.example/a?b=1&amp;c=&lt;d&gt;%7Ce|here>");
        assert_eq!(Address::new("https://h.example/ |x".to_owned()), None);
        assert_eq!(Address::new("a".repeat(301)), None);
    }

    #[test]
    fn a_time_is_the_readers_own_or_utc() {
        let at = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
        let Markup(text) = Markup::default().date(at);
        assert_eq!(
            text,
            "<!date^1700000000^{date_short_pretty} {time}|2023-11-14 22:13:20 UTC>"
        );
    }

    #[test]
    fn no_text_is_empty() {
        assert_eq!(Plain::<150>::new(" \n").0, BLANK);
        assert_eq!(prose(""), "(an empty answer)");
        assert_eq!(
            one_line("a\nb\u{2028}c\u{202e}d", 50),
            "a b⟨U+2028⟩c⟨U+202E⟩d"
        );
    }
}
