//! The text of HTML that this program has made: what is left without its tags.

use std::borrow::Cow;

/// Elements of this class are not part of it.
const OURS: &str = "class=\"ours";

/// The text of well-formed HTML without comments, without what stands in elements of the class `ours`. A ticked
/// box reads `x`.
pub(super) fn text_of(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    // How deep in an element of ours.
    let mut ours = 0_usize;
    while let Some(at) = rest.find('<') {
        if ours == 0 {
            text.push_str(&unescaped(&rest[..at]));
        }
        let end = tag_end(&rest[at..]);
        let tag = &rest[at..at + end];
        let is_void = ["<br", "<hr", "<input"]
            .iter()
            .any(|it| tag.starts_with(it));
        if tag.starts_with("</") {
            ours = ours.saturating_sub(1);
        } else if !is_void && (ours > 0 || tag.contains(OURS)) {
            ours += 1;
        }
        if ours == 0 && tag.starts_with("<input") && tag.contains("checked") {
            text.push('x');
        }
        rest = &rest[at + end..];
    }
    if ours == 0 {
        text.push_str(&unescaped(rest));
    }
    text
}

/// Where a tag ends; `>` may stand in an attribute.
pub(super) fn tag_end(tag: &str) -> usize {
    let mut quoted = false;
    for (at, c) in tag.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '>' if !quoted => return at + 1,
            _ => {}
        }
    }
    tag.len()
}

/// The text that stands between two tags.
pub(super) fn unescaped(html: &str) -> Cow<'_, str> {
    if !html.contains('&') {
        return Cow::Borrowed(html);
    }
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('&') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let entities = [
            ("&amp;", '&'),
            ("&lt;", '<'),
            ("&gt;", '>'),
            ("&quot;", '"'),
            ("&#39;", '\''),
            ("&nbsp;", '\u{a0}'),
        ];
        let found = entities.iter().find(|(entity, _)| rest.starts_with(entity));
        let (entity, c) = found.copied().unwrap_or(("&", '&'));
        text.push(c);
        rest = &rest[entity.len()..];
    }
    text.push_str(rest);
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::text_of;

    #[test]
    fn tags_and_what_we_say_are_no_text() {
        for (html, text) in [
            ("<p>a<br>b &lt;c&gt; &amp;amp;</p>", "ab <c> &amp;"),
            ("<a href=\"x>y\">z</a>", "z"),
            ("<p class=\"ours\"><b>no</b><br>no</p>yes", "yes"),
            ("<input type=\"checkbox\" checked=\"\"> a", "x a"),
        ] {
            assert_eq!(text_of(html), text);
        }
    }
}
