//! How prose stands on a screen: where its rows may end is said here, not left to the browser. A row ends behind a
//! blank, and in a word that is too long for it; a blank behind such a word is drawn, so that a row's end is never taken
//! for a blank or a blank for it. Code is drawn as the source is: its lines have numbers, and each of its blanks takes its
//! place.

use unicode_segmentation::UnicodeSegmentation;
use visible::{columns, prose_runs};

use super::tables::{self, Columns};
use crate::ui::{
    action::{self, escape},
    html_text::{tag_end, text_of, unescaped},
};

/// So many columns of a word have room on the narrowest phone.
pub(super) const WORD: usize = 18;
/// And of a heading, whose letters are wider.
const WORD_OF_HEADING: usize = 14;
/// And of an option, which stands beside its box and its key.
const WORD_OF_OPTION: usize = 12;
/// So many fewer in each list and quote.
const NESTED: usize = 2;
const SHORTEST: usize = 3;

/// Sanitised HTML with all its signs drawn.
pub(super) fn drawn(html: &str) -> String {
    in_rows_of(WORD, html)
}

/// The same of what an option says.
pub(super) fn phrase(html: &str) -> String {
    in_rows_of(WORD_OF_OPTION, html)
}

fn in_rows_of(widest: usize, html: &str) -> String {
    let mut page = Page {
        widest,
        ..Page::default()
    };
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        page.text(&rest[..at], rest[at..].starts_with("<mark"));
        let (tag, after) = rest[at..].split_at(tag_end(&rest[at..]));
        rest = after;
        let Some(end) = end_of_code(tag) else {
            page.tag(tag, after);
            continue;
        };
        let (inner, after) = rest.split_at(rest.find(end).unwrap_or(rest.len()));
        page.code(tag, &text_of(inner));
        rest = after.get(end.len()..).unwrap_or_default();
    }
    page.text(rest, false);
    page.end_long();
    page.html
}

/// The tag that ends it, if it is drawn as the source is.
fn end_of_code(tag: &str) -> Option<&'static str> {
    match tag {
        tag if tag.starts_with("<pre") => Some("</pre>"),
        "<code>" => Some("</code>"),
        "<p class=\"as-is\">" => Some("</p>"),
        _ => None,
    }
}

#[derive(Default)]
struct Page {
    html: String,
    /// The columns of the widest word.
    widest: usize,
    /// The columns of the word so far.
    word: usize,
    /// Of a heading.
    is_heading: bool,
    /// Of the table.
    columns: Columns,
    /// In how many lists and quotes it is.
    nested: usize,
    /// Whether the text is blanks that stay.
    is_blank: bool,
    /// Whether the row may end anywhere in the rest of the word.
    is_long: bool,
}

impl Page {
    fn tag(&mut self, tag: &str, after: &str) {
        self.end_long();
        let name = tag.trim_start_matches(['<', '/']);
        let name = name.split([' ', '>']).next().unwrap_or_default();
        match name {
            "a" | "bdi" | "del" | "em" | "mark" | "s" | "strong" => {}
            "span" if self.is_blank => {
                self.is_blank = false;
                self.word = 0;
                self.html.push_str("</span><wbr>");
                return;
            }
            "span" if tag == "<span class=\"target\">" => {
                self.word = 0;
                self.html.push_str("<wbr>");
            }
            "span" => self.is_blank = tag == "<span class=\"blanks\">",
            "table" if tag == "<table>" => {
                self.word = 0;
                let rows = after.split("</table>").next().unwrap_or_default();
                self.columns = Columns::new(rows);
                self.html.push_str("<table class=\"");
                self.html.push_str(tables::class(rows, self.nested > 0));
                self.html.push_str("\">");
                return;
            }
            "td" | "th" if !tag.starts_with("</") => {
                self.word = 0;
                self.columns.cell(tag, &mut self.html);
                return;
            }
            name => self.block(name, !tag.starts_with("</")),
        }
        self.html.push_str(tag);
    }

    /// Where a line begins or ends.
    fn block(&mut self, name: &str, begins: bool) {
        self.word = 0;
        match name {
            "tr" => self.columns.next_row(),
            "ul" | "ol" | "blockquote" if begins => self.nested += 1,
            "ul" | "ol" | "blockquote" => self.nested = self.nested.saturating_sub(1),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.is_heading = begins,
            _ => {}
        }
    }

    /// A text, and whether a mark follows it.
    fn text(&mut self, text: &str, before_mark: bool) {
        if self.is_blank {
            self.html.push_str(&text.replace('\t', action::TAB));
            return;
        }
        let runs = prose_runs(&unescaped(text));
        for (n, run) in runs.iter().enumerate() {
            if run.is_marked() {
                self.mark(&run.text);
                continue;
            }
            let then = match runs.get(n + 1) {
                Some(mark) => columns(&mark.text),
                None if before_mark => WORD,
                None => 1,
            };
            let mut signs = run.text.graphemes(true).peekable();
            while let Some(sign) = signs.next() {
                let next = signs.peek().map_or(then, |next| columns(next));
                self.sign(sign, next);
            }
        }
    }

    fn mark(&mut self, mark: &str) {
        self.room_for(columns(mark));
        self.end_long();
        self.html.push_str("<mark class=\"written-out\">");
        escape(mark, &mut self.html);
        self.html.push_str("</mark>");
    }

    /// A sign, before one of so many columns.
    fn sign(&mut self, sign: &str, next: usize) {
        if matches!(sign, " " | "\n") {
            self.end_long();
        }
        match sign {
            "\n" => self.html.push('\n'),
            // Without it a row could end here as well.
            " " if self.word > 0 && self.word + next > self.room() => {
                self.html.push_str("<span class=\"blanks\"> </span><wbr>");
                self.word = 0;
            }
            " " => {
                self.html.push_str(" <wbr>");
                self.word = 0;
            }
            // Of another kind: it looks like a blank, and programs take it for a letter.
            other if other.chars().all(char::is_whitespace) => {
                self.room_for(1);
                self.html
                    .push_str(&format!("<span class=\"odd-blank\">{other}</span>"));
            }
            // Browsers do not part it, and no row has room for it.
            other if columns(other) > WORD => {
                for c in other.chars() {
                    self.mark(&visible::numbers(c.encode_utf8(&mut [0; 4])));
                }
            }
            other => {
                self.room_for(columns(other));
                escape(other, &mut self.html);
            }
        }
    }

    /// Lets the row end from here on if the word is too long for one with so many columns more.
    fn room_for(&mut self, columns: usize) {
        let is_too_long = self.word > 0 && self.word + columns > self.room();
        if is_too_long && !self.is_long {
            self.html.push_str("<wbr><span class=\"long\">");
            self.is_long = true;
        }
        self.word += columns;
    }

    fn end_long(&mut self) {
        if std::mem::take(&mut self.is_long) {
            self.html.push_str("</span>");
        }
    }

    /// The columns of a word that surely fit a row.
    fn room(&self) -> usize {
        let room = if self.is_heading {
            WORD_OF_HEADING
        } else {
            self.widest
        };
        let nested = self.nested * NESTED;
        room.saturating_sub(nested).max(SHORTEST)
    }

    fn code(&mut self, tag: &str, text: &str) {
        self.end_long();
        if tag == "<code>" {
            self.html.push_str("<code>");
            self.html.push_str(&action::inline(text));
            self.html.push_str("</code>");
            // A row may end behind it.
            self.word = self.room();
            return;
        }
        self.word = 0;
        let text = text.strip_suffix('\n').unwrap_or(text);
        self.html.push_str("<div class=\"source\">");
        self.html.push_str(&action::source(text));
        self.html.push_str("</div>\n");
    }
}

#[cfg(test)]
mod tests {
    use super::drawn;

    fn shown(html: &str) -> String {
        drawn(html)
            .replace("<wbr><span class=\"long\">", "[")
            .replace("<wbr>", "|")
            .replace("<span class=\"blanks\"> </span>", "_")
    }

    #[test]
    fn a_row_ends_behind_a_blank_and_a_blank_behind_a_long_word_is_drawn() {
        for (html, expected) in [
            ("<p>rm -rf /srv/a- b?</p>", "<p>rm |-rf |/srv/a- |b?</p>"),
            (
                "<p>rm /srv/applications/data *</p>",
                "<p>rm |/srv/applications/[data</span>_|*</p>",
            ),
            (
                "<p>/srv/<em><span class=\"sign\">*</span>applications/</em>x y</p>",
                "<p>/srv/<em><span class=\"sign\">*</span>applications[/</span></em>[x</span>_|y</p>",
            ),
            (
                "<ul><li>applications/data x</li></ul>",
                "<ul><li>applications/dat[a</span>_|x</li></ul>",
            ),
            (
                "<table><thead><tr><th>a</th><th>b</th><th>c</th></tr></thead><tr><td>01234567890 b</td></tr></table>",
                "<table class=\"from-560\"><thead><tr><th>a</th><th>b</th><th>c</th></tr></thead><tr><td data-column=\"1. a\">01234567890 |b</td></tr></table>",
            ),
            (
                "<p>数据数据数据数据数据 数据 b</p>",
                "<p>数据数据数据数据数[据</span>_|数据 |b</p>",
            ),
            (
                "<p>a<span class=\"blanks\">  </span>b</p>",
                "<p>a<span class=\"blanks\">  </span>|b</p>",
            ),
        ] {
            assert_eq!(shown(html), expected);
        }
    }

    #[test]
    fn white_space_that_is_no_blank_is_told_from_one() {
        assert_eq!(
            drawn("<p>rm\u{a0}x&lt;\u{202e}</p>"),
            "<p>rm<span class=\"odd-blank\">\u{a0}</span>x&lt;<mark class=\"written-out\">⟨U+202E⟩</mark></p>"
        );
        assert!(drawn("<p><code>rm\u{a0}x</code></p>").contains("⟨U+00A0⟩"));
    }

    #[test]
    fn code_is_drawn_as_the_source_is() {
        let html = drawn("<pre><code>a &amp; b\n\tc\n</code></pre>\n<p>d</p>");
        assert!(
            html.starts_with(
                "<div class=\"source\"><div class=\"code\"><div class=\"line\" data-n=\"1\">"
            ),
            "{html}"
        );
        assert!(html.contains("a &amp; b"), "{html}");
        assert!(html.ends_with("<p>d</p>"), "{html}");
        assert_eq!(html.matches("data-n").count(), 2);
    }
}
