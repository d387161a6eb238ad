//! HTML as a browser reads it, strictly: a page of ours that holds anything unexpected fails the test.

use std::collections::BTreeMap;

const TAGS: [&str; 78] = [
    "a",
    "article",
    "aside",
    "bdi",
    "blockquote",
    "body",
    "br",
    "button",
    "circle",
    "code",
    "dd",
    "del",
    "details",
    "dialog",
    "div",
    "dl",
    "dt",
    "em",
    "fieldset",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "input",
    "kbd",
    "label",
    "legend",
    "li",
    "link",
    "main",
    "mark",
    "meta",
    "nav",
    "noscript",
    "ol",
    "option",
    "p",
    "path",
    "pre",
    "q",
    "rect",
    "s",
    "script",
    "section",
    "select",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "svg",
    "table",
    "tbody",
    "td",
    "textarea",
    "th",
    "thead",
    "time",
    "title",
    "tr",
    "ul",
    "wbr",
    "line",
    "polyline",
    "datalist",
    "small",
    "output",
    "progress",
    "tfoot",
    "caption",
    "text",
];

/// What stands to be read on a page, on one line.
///
/// # Panics
/// When something on it could run, load or send anything, but for what is ours.
pub(crate) fn text_of(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        text.push_str(&rest[..start]);
        rest = &rest[start..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = &comment[comment.find("-->").unwrap() + 3..];
        } else if let Some(mark) = rest.strip_prefix("<!") {
            rest = &mark[mark.find('>').unwrap() + 1..];
        } else {
            let (tag, after) = Tag::read(&rest[1..]);
            tag.check(after);
            rest = after;
            match &*tag.name {
                "script" if !tag.closing => rest = &rest[rest.find("</script>").unwrap()..],
                // The elements that end a word wherever they stand.
                "p" | "div" | "li" | "td" | "th" | "br" | "h1" | "h2" | "dt" | "dd" | "pre" => {
                    text.push(' ');
                }
                _ => {}
            }
        }
    }
    text.push_str(rest);
    one_line(&unescaped(&text))
}

/// A text with one space wherever there is white space.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

struct Tag {
    closing: bool,
    name: String,
    attributes: BTreeMap<String, String>,
}

impl Tag {
    /// Reads what follows a `<`, and returns what follows the tag.
    fn read(html: &str) -> (Self, &str) {
        let opening = html.strip_prefix('/');
        let closing = opening.is_some();
        let html = opening.unwrap_or(html);
        let end = html
            .find(|c: char| c.is_ascii_whitespace() || c == '>' || c == '/')
            .unwrap();
        let name = html[..end].to_owned();
        let mut attributes = BTreeMap::new();
        let mut rest = &html[end..];
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
            if let Some(after) = rest.strip_prefix('>') {
                let tag = Self {
                    closing,
                    name,
                    attributes,
                };
                return (tag, after);
            }
            let end = rest
                .find(|c: char| c.is_ascii_whitespace() || "=>/".contains(c))
                .unwrap();
            let attribute = rest[..end].to_ascii_lowercase();
            rest = &rest[end..];
            let mut value = String::new();
            if let Some(after) = rest.strip_prefix('=') {
                let quoted = after.strip_prefix('"').unwrap_or_else(|| {
                    panic!(
                        "{name} {attribute} is not quoted: {}",
                        &after[..after.len().min(60)]
                    )
                });
                let end = quoted.find('"').unwrap();
                value = unescaped(&quoted[..end]);
                rest = &quoted[end + 1..];
            }
            attributes.insert(attribute, value);
        }
    }

    fn check(&self, after: &str) {
        let name = &*self.name;
        assert!(TAGS.contains(&name), "there is a <{name}>");
        let has = |attribute: &str| self.attributes.contains_key(attribute);
        for (attribute, value) in &self.attributes {
            let fine = match &**attribute {
                "href" if name == "link" => {
                    value.starts_with("/pkg/") || value == "/manifest.webmanifest"
                }
                "href" => leads_somewhere_harmless(value),
                "src" => name == "script" && value.starts_with("/pkg/"),
                "action" => ["/ui/", "/sign-", "/history", "/confirm", "/settings/reach"]
                    .iter()
                    .any(|it| value.starts_with(it)),
                "type" if name == "input" => value != "image",
                // The page that opens gets no hold on ours.
                "target" => {
                    let rel = self.attributes.get("rel").map(|rel| &**rel);
                    name == "a" && value == "_blank" && rel == Some("noopener noreferrer")
                }
                "style" | "srcdoc" | "srcset" | "formaction" | "http-equiv" | "ping"
                | "background" | "poster" | "autofocus" | "contenteditable" => false,
                other => !other.starts_with("on") && !other.contains(['<', '"', '\'', ':']),
            };
            assert!(fine, "there is a <{name} {attribute}={value:?}>");
        }
        if name == "script" && !self.closing {
            let start: String = after.chars().take(80).collect();
            assert!(has("nonce") || has("src"), "there is a script: {start}");
        }
    }
}

fn leads_somewhere_harmless(href: &str) -> bool {
    let scheme = href.split(['/', '?', '#']).next().unwrap_or_default();
    match scheme.split_once(':') {
        None => true,
        Some((scheme, _)) => ["http", "https", "mailto"].contains(&scheme),
    }
}

fn unescaped(text: &str) -> String {
    [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#x27;", "'"),
        ("&#39;", "'"),
        ("&nbsp;", "\u{a0}"),
        ("&amp;", "&"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (entity, c)| text.replace(entity, c))
}
