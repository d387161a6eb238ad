//! Markdown of agents, as pages show it.

use server::testing;

use crate::known::is_plain;

/// The tags that an agent's words may have.
const TAGS: [&str; 35] = [
    "a",
    "bdi",
    "blockquote",
    "br",
    "code",
    "del",
    "details",
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
    "ins",
    "li",
    "mark",
    "ol",
    "p",
    "pre",
    "s",
    "span",
    "strong",
    "summary",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
    "wbr",
];
/// And what may stand in them, with the tags that it is for.
const ATTRIBUTES: &[(&str, &[&str])] = &[
    ("align", &["td", "th"]),
    ("aria-label", &["input"]),
    ("checked", &["input"]),
    ("class", &TAGS),
    ("data-column", &["td", "th"]),
    ("data-n", &["div"]),
    ("dir", &TAGS),
    ("disabled", &["input"]),
    ("href", &["a"]),
    ("rel", &["a"]),
    ("type", &["input"]),
];
/// Stands before a text as it reads, where it stands there as it is written too.
const AS_READ: &str = "<div class=\"as-read\">";

/// No tag, attribute or address but those that are known; and no letter or digit is gone.
pub fn markdown(bytes: &[u8]) {
    let Ok(source) = str::from_utf8(bytes) else {
        return;
    };
    let html = testing::markdown(source);
    // Marks and the text as it is written make it longer.
    assert!(html.len() <= 4 * 1024 * 1024, "{} bytes", html.len());
    is_all_there(source, &html);
    // Nor where it reads as markdown.
    if let Some(at) = html.find(AS_READ) {
        is_all_there(source, &html[at..]);
    }
}

fn is_all_there(source: &str, html: &str) {
    let text = text_of(html);
    let mut shown = text.chars();
    let counts = |c: &char| c.is_alphanumeric() && is_plain(*c);
    for c in source.chars().filter(counts) {
        assert!(
            shown.any(|other| other == c || (other == 'x' && c == 'X')),
            "{c:?} of {source:?} is gone: {html}"
        );
    }
}

/// What stands between the tags, each of which is looked at.
fn text_of(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    let mut open = Vec::new();
    while let Some(at) = rest.find('<') {
        text.push_str(&rest[..at]);
        let tag = &rest[at + 1..];
        let end = end_of(tag);
        check(&tag[..end], &mut open);
        // A ticked box.
        if tag.starts_with("input") && tag[..end].contains(" checked=") {
            text.push('x');
        }
        rest = &tag[end + 1..];
    }
    assert!(open.is_empty(), "{open:?} stay open");
    text.push_str(rest);
    assert!(!text.contains('>'), "{html}");
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&nbsp;", "\u{a0}")
        .replace("&amp;", "&")
}

/// `>` may stand in an attribute.
fn end_of(tag: &str) -> usize {
    let mut quoted = false;
    let end = tag.find(|c: char| {
        quoted ^= c == '"';
        c == '>' && !quoted
    });
    end.unwrap_or_else(|| panic!("<{tag} has no end"))
}

fn check<'a>(tag: &'a str, open: &mut Vec<&'a str>) {
    if let Some(name) = tag.strip_prefix('/') {
        assert_eq!(open.pop(), Some(name));
        return;
    }
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    assert!(TAGS.contains(&name), "<{tag}>");
    while !rest.is_empty() {
        let (attribute, after) = rest.split_once("=\"").unwrap_or_else(|| panic!("<{tag}>"));
        let (value, after) = after.split_once('"').unwrap_or_else(|| panic!("<{tag}>"));
        let known = ATTRIBUTES.iter().find(|(known, _)| *known == attribute);
        assert!(
            known.is_some_and(|(_, tags)| tags.contains(&name)),
            "<{tag}>"
        );
        if attribute == "href" {
            let schemes = ["http://", "https://", "mailto:"];
            let lower = value.to_ascii_lowercase();
            assert!(schemes.iter().any(|it| lower.starts_with(it)), "<{tag}>");
        }
        rest = after.trim_start();
    }
    if !matches!(name, "br" | "hr" | "input" | "wbr") {
        open.push(name);
    }
}
