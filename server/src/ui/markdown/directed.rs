//! Prose runs from the left, and words from the right stand apart in it, so that they take neither a digit nor a sign
//! beside them along. Several of them among others are marked; a line that has nothing else needs no mark.

use visible::{RTL_MARK, Stranger, is_of_words, strangers};

use crate::ui::{
    action::escape,
    html_text::{tag_end, unescaped},
};

/// Tags that end no line.
const INLINE: [&str; 7] = ["a", "code", "del", "em", "s", "span", "strong"];

/// Sanitised HTML in which every line reads in the order in which it is written. Code runs from the left by the
/// style sheet, with any content.
pub(super) fn directed(block: &str) -> String {
    if block.is_ascii() {
        return block.to_owned();
    }
    let mut html = String::with_capacity(block.len());
    let mut line = Line::default();
    let mut rest = block;
    while let Some(at) = rest.find('<') {
        line.text(&rest[..at]);
        let (tag, after) = rest[at..].split_at(tag_end(&rest[at..]));
        if INLINE.contains(&name(tag)) {
            line.tag(tag);
        } else {
            std::mem::take(&mut line).end(&mut html);
            html.push_str(tag);
        }
        rest = after;
    }
    line.text(rest);
    line.end(&mut html);
    html
}

fn name(tag: &str) -> &str {
    let tag = tag.trim_start_matches(['<', '/']);
    tag.split([' ', '>']).next().unwrap_or_default()
}

/// A line of a block, which ends where another begins.
#[derive(Default)]
struct Line<'a> {
    parts: Vec<Part<'a>>,
    /// Tags that are open in it: what they are of, outermost first.
    open: Vec<&'a str>,
    /// Whether all tags that end in it begin in it.
    is_balanced: bool,
    has_begun: bool,
}

enum Part<'a> {
    Tag(&'a str),
    /// Escaped.
    Text(&'a str),
    /// Of what is code, or a sign of markup.
    AsIs(&'a str),
}

impl<'a> Line<'a> {
    fn text(&mut self, text: &'a str) {
        let is_as_is = self
            .open
            .iter()
            .any(|tag| tag.starts_with("<code") || tag.starts_with("<span class=\"sign\""));
        self.parts.push(match is_as_is {
            true => Part::AsIs(text),
            false => Part::Text(text),
        });
    }

    fn tag(&mut self, tag: &'a str) {
        if !self.has_begun {
            (self.has_begun, self.is_balanced) = (true, true);
        }
        if !tag.starts_with("</") {
            self.open.push(tag);
        } else if self.open.pop().is_none() {
            self.is_balanced = false;
        }
        self.parts.push(Part::Tag(tag));
    }

    fn end(self, html: &mut String) {
        let is_whole = !self.has_begun || (self.is_balanced && self.open.is_empty());
        let has_code = self
            .parts
            .iter()
            .any(|part| matches!(part, Part::Tag(tag) if tag.starts_with("<code")));
        let text: String = self
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::Text(text) => Some(unescaped(text)),
                Part::Tag(_) | Part::AsIs(_) => None,
            })
            .collect();
        let apart = is_whole && !has_code && is_of_words(&text);
        if apart {
            html.push_str("<bdi dir=\"rtl\">");
        }
        for part in self.parts {
            match part {
                Part::Tag(same) | Part::AsIs(same) => html.push_str(same),
                Part::Text(same) if apart || same.is_ascii() => html.push_str(same),
                Part::Text(text) => isolated(&unescaped(text), html),
            }
        }
        if apart {
            html.push_str("</bdi>");
        }
    }
}

fn isolated(text: &str, html: &mut String) {
    let mut done = 0;
    for Stranger { range, is_marked } in strangers(text) {
        escape(&text[done..range.start], html);
        done = range.end;
        if is_marked {
            html.push_str(&format!("<mark class=\"written-out\">{RTL_MARK}</mark>"));
        }
        html.push_str("<bdi dir=\"rtl\">");
        escape(&text[range], html);
        html.push_str("</bdi>");
    }
    escape(&text[done..], html);
}

#[cfg(test)]
mod tests {
    use super::directed;

    #[test]
    fn a_line_reads_in_the_order_in_which_it_is_written() {
        for (block, expected) in [
            ("<p>10 → 500</p>", "<p>10 → 500</p>"),
            (
                "<ul>\n<li>א</li>\n<li><strong>a</strong> → <code>ב 1</code></li></ul>",
                "<ul>\n<li>[א]</li>\n<li><strong>a</strong> → <code>ב 1</code></li></ul>",
            ),
            (
                "<p>א 10 &lt; <em>500 a&amp;b</em> ג ד</p>",
                "<p>[א] 10 &lt; <em>500 a&amp;b</em> [ג ד]</p>",
            ),
            ("<p>cp א ב c</p>", "<p>cp !⟨RTL⟩?[א ב] c</p>"),
            // Nothing but words, in any surroundings.
            (
                "<p>שלום <em><span class=\"sign\">*</span>עולם<span class=\"sign\">*</span></em>!<br>\nb ג</p>",
                "<p>[שלום <em><span class=\"sign\">*</span>עולם<span class=\"sign\">*</span></em>!]<br>\nb [ג]</p>",
            ),
            (
                "<p><em>א ב<br>ג</em> ד</p>",
                "<p><em>[א ב]<br>[ג]</em> [ד]</p>",
            ),
        ] {
            let shown = directed(block)
                .replace("<bdi dir=\"rtl\">", "[")
                .replace("</bdi>", "]")
                .replace("<mark class=\"written-out\">", "!")
                .replace("</mark>", "?");
            assert_eq!(shown, expected);
        }
    }
}
