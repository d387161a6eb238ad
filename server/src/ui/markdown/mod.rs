//! Agents write markdown, and what they write is hostile. It is rendered block by block, sanitised to a short
//! list of tags, and then compared with its source: a block that does not show all of it is shown as it is
//! written. No images (they would call home), no styles, links to the web and mail only.

mod directed;
mod drawn;
mod kept;
mod masked;
mod render;
mod tables;

use std::{collections::HashSet, sync::LazyLock};

use ammonia::Builder;
use comrak::{Arena, Options, parse_document};
use visible::shape;

use self::{masked::Masked, render::Renderer};
use super::{action, html_text::text_of};

const TAGS: [&str; 29] = [
    "a",
    "blockquote",
    "br",
    "code",
    "del",
    "div",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "input",
    "li",
    "ol",
    "p",
    "pre",
    "span",
    "strong",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
    "s",
];

static SANITISER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::empty();
    builder
        .tags(TAGS.into_iter().collect())
        .tag_attributes(
            [
                ("a", HashSet::from(["href"])),
                (
                    "input",
                    HashSet::from(["aria-label", "checked", "disabled"]),
                ),
                ("td", HashSet::from(["align"])),
                ("th", HashSet::from(["align"])),
            ]
            .into(),
        )
        // Ours: an agent's HTML has become text before.
        .allowed_classes(
            [
                ("p", HashSet::from(["as-is", "info"])),
                (
                    "span",
                    HashSet::from(["blanks", "list-sign", "sign", "ours", "target"]),
                ),
            ]
            .into(),
        )
        // The boxes of task lists; any other kind of input would be a form of the agent's.
        .set_tag_attribute_value("input", "type", "checkbox")
        .set_tag_attribute_value("input", "disabled", "")
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .link_rel(Some("noopener noreferrer nofollow"))
        .clean_content_tags(HashSet::from(["script", "style"]));
    builder
});

/// Rendering takes time that grows with the square of these; people do not read what has more.
const QUOTE_DEPTH: usize = 20;
const TABLE_COLUMNS: usize = 64;
/// A prompt has at most 20,000 characters; markup that makes more than this of them is an attack.
const HTML_BYTES: usize = 256 * 1024;

/// An agent's markdown as it reads, and, where that is not the same, as it is written.
pub(crate) fn to_html(markdown: &str) -> String {
    let read = rendered(markdown);
    let is_as_written = reads_as_written(markdown, &text_of(&read));
    let read = drawn::drawn(&read);
    if is_as_written {
        return read;
    }
    let source = action::source(markdown);
    // The label on how it is shown must not decide on the direction of the text.
    format!(
        "<details class=\"as-written\" dir=\"ltr\"><summary>As written</summary>\
         <div class=\"source\">{source}</div></details>{AS_READ}{read}</div>"
    )
}

/// What stands before a text as it reads, when it stands there as it is written, too.
const AS_READ: &str = "<div class=\"as-read\">";

/// The same without the text as it is written, for a page that has room for one of them: how it reads shows all that
/// counts. No text has markup of its own in it.
pub(super) fn as_read(html: &str) -> &str {
    match html.find(AS_READ) {
        Some(at) => &html[at..],
        None => html,
    }
}

/// A text without markup, for the line of an option.
pub(super) fn phrase(text: &str) -> String {
    let mut html = String::new();
    render::with_blanks(text, &mut html);
    drawn::phrase(&directed::directed(&html))
}

/// Whether a person sees the source already, with nothing hidden in it.
fn reads_as_written(source: &str, shown: &str) -> bool {
    fn lines(text: &str) -> impl Iterator<Item = &str> {
        text.lines()
            .map(str::trim_end)
            .filter(|line| !line.is_empty())
    }
    lines(source).eq(lines(shown))
        && !shape::source(source)
            .lines
            .iter()
            .flat_map(|line| &line.runs)
            .any(visible::Run::is_marked)
}

/// Sanitised HTML that shows every character of the text that counts.
fn rendered(markdown: &str) -> String {
    let markdown = markdown.replace("\r\n", "\n");
    // Markdown takes a CR alone for the end of a line, and programs do not.
    if markdown.contains('\r') || markdown.lines().any(is_costly) {
        return plain(&markdown);
    }
    let html = Masked::new(&markdown).and_then(|masked| blocks(&markdown, &masked));
    html.unwrap_or_else(|| plain(&markdown))
}

/// Each block of the document, or its source if it cannot be shown whole; `None` if it becomes too large.
fn blocks(markdown: &str, masked: &Masked) -> Option<String> {
    let mut options = Options::default();
    options.extension.strikethrough = true;
    options.extension.table = true;
    options.extension.autolink = true;
    options.extension.tasklist = true;
    options.parse.escaped_char_spans = true;
    let arena = Arena::new();
    let document = parse_document(&arena, &masked.text, &options);
    let lines: Vec<&str> = markdown.split('\n').collect();
    let masked_lines: Vec<&str> = masked.text.split('\n').collect();
    let blocks: Vec<_> = document.children().collect();
    let first = |n: usize| match blocks.get(n) {
        // The text before the first block belongs to it.
        Some(_) if n == 0 => 0,
        Some(block) => block.data().sourcepos.start.line.saturating_sub(1),
        None => lines.len(),
    };
    if blocks.is_empty() {
        return Some(plain(markdown));
    }
    let mut html = String::new();
    for (n, block) in blocks.iter().enumerate() {
        let source = lines.get(first(n)..first(n + 1))?.join("\n");
        let drawn = Renderer::new(masked, &masked_lines).block(block).ok();
        if drawn.as_ref().is_some_and(|drawn| drawn.len() > HTML_BYTES) {
            return None;
        }
        let clean = drawn.map(|drawn| SANITISER.clean(&drawn).to_string());
        match clean.filter(|clean| kept::is_whole(&source, &text_of(clean))) {
            Some(clean) => html.push_str(&directed::directed(&clean)),
            None => html.push_str(&plain(&source)),
        }
        if html.len() > HTML_BYTES {
            return None;
        }
    }
    Some(html)
}

fn is_costly(line: &str) -> bool {
    let quotes = line
        .chars()
        .take_while(|c| matches!(c, '>' | ' ' | '\t'))
        .filter(|c| *c == '>');
    quotes.count() > QUOTE_DEPTH || line.matches('|').count() > TABLE_COLUMNS
}

fn plain(text: &str) -> String {
    let mut html = "<pre class=\"as-is\">".to_owned();
    action::escape(text.trim_end_matches('\n'), &mut html);
    html.push_str("</pre>\n");
    html
}

#[cfg(test)]
mod tests;
