//! Which way a block of prose runs: as most of its letters do. Words that run the other way stand apart, so that they
//! neither turn their block around nor take a digit or a sign beside them along.

use visible::Direction;

use crate::ui::{
    action::escape,
    html_text::{tag_end, text_of, unescaped},
};

/// A block of sanitised HTML, with its direction. What is code runs from the left by the style sheet, whatever is in it.
pub(super) fn directed(block: &str) -> String {
    // Columns that changed their sides would turn an arrow between them around.
    let is_table = block.starts_with("<table");
    let direction = match Direction::of(&text_of(block)) {
        Direction::Rtl if !is_table => Direction::Rtl,
        _ => Direction::Ltr,
    };
    let mut html = String::with_capacity(block.len());
    let mut rest = block;
    let mut in_code = 0_usize;
    let mut is_first = true;
    while let Some(at) = rest.find('<') {
        text(&rest[..at], direction, in_code > 0, &mut html);
        let (tag, after) = rest[at..].split_at(tag_end(&rest[at..]));
        match tag {
            "<code>" => in_code += 1,
            "</code>" => in_code = in_code.saturating_sub(1),
            _ => {}
        }
        match tag.strip_suffix('>') {
            Some(open) if is_first => {
                html.push_str(&format!("{open} dir=\"{}\">", direction.name()));
            }
            _ => html.push_str(tag),
        }
        is_first = false;
        rest = after;
    }
    text(rest, direction, in_code > 0, &mut html);
    html
}

fn text(escaped: &str, direction: Direction, is_code: bool, html: &mut String) {
    if is_code || (escaped.is_ascii() && direction == Direction::Ltr) {
        html.push_str(escaped);
        return;
    }
    let text = unescaped(escaped);
    let mut done = 0;
    for stranger in direction.strangers(&text) {
        escape(&text[done..stranger.start], html);
        done = stranger.end;
        html.push_str(&format!("<bdi dir=\"{}\">", direction.reversed().name()));
        escape(&text[stranger], html);
        html.push_str("</bdi>");
    }
    escape(&text[done..], html);
}

#[cfg(test)]
mod tests {
    use super::directed;

    #[test]
    fn a_block_runs_as_most_of_its_letters_do_and_keeps_the_others_apart() {
        for (block, expected) in [
            ("<p>10 → 500</p>", "<p dir=\"ltr\">10 → 500</p>"),
            (
                "<p>א 10 → <em>500 a&amp;b</em></p>",
                "<p dir=\"ltr\"><bdi dir=\"rtl\">א</bdi> 10 → <em>500 a&amp;b</em></p>",
            ),
            (
                "<ul>\n<li>שנה 10 &lt; 500, כן</li></ul>",
                "<ul dir=\"rtl\">\n<li>שנה <bdi dir=\"ltr\">10 &lt; 500</bdi>, כן</li></ul>",
            ),
            (
                "<table><tr><td>אבג</td></tr></table>",
                "<table dir=\"ltr\"><tr><td><bdi dir=\"rtl\">אבג</bdi></td></tr></table>",
            ),
            (
                "<p>a <code>א 1</code></p>",
                "<p dir=\"ltr\">a <code>א 1</code></p>",
            ),
        ] {
            assert_eq!(directed(block), expected);
        }
    }
}
