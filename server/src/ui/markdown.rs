//! Agents write markdown, and what they write is hostile: rendered without raw HTML, then sanitised to
//! a short list of tags. No images (they would call home), no styles, links to the web and mail only.

use std::{collections::HashSet, sync::LazyLock};

use ammonia::Builder;
use comrak::{Options, markdown_to_html};

const TAGS: [&str; 27] = [
    "a",
    "blockquote",
    "br",
    "code",
    "del",
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
    "s",
    "strong",
    "sub",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
];

static SANITISER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::empty();
    builder
        .tags(TAGS.into_iter().chain(["tr", "ul"]).collect())
        .tag_attributes(
            [
                ("a", HashSet::from(["href", "title"])),
                ("input", HashSet::from(["checked", "disabled"])),
                ("ol", HashSet::from(["start"])),
                ("td", HashSet::from(["align"])),
                ("th", HashSet::from(["align"])),
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

/// Rendering takes time that grows with the square of these; nobody reads what has more.
const QUOTE_DEPTH: usize = 20;
const TABLE_COLUMNS: usize = 64;
/// A prompt has at most 20,000 characters; markup that makes more than this of them is an attack.
const HTML_BYTES: usize = 256 * 1024;

/// Sanitised HTML of an agent's markdown; of markdown that would take too long or grow too large, the
/// text as it is.
pub(super) fn to_html(markdown: &str) -> String {
    if markdown.lines().any(is_costly) {
        return plain(markdown);
    }
    let mut options = Options::default();
    options.extension.strikethrough = true;
    options.extension.table = true;
    options.extension.autolink = true;
    options.extension.tasklist = true;
    // Agents break lines where they mean it.
    options.render.hardbreaks = true;
    // Shown as text instead of dropped: people should see what the agent wrote.
    options.render.escape = true;
    let html = markdown_to_html(markdown, &options);
    if html.len() > HTML_BYTES {
        return plain(markdown);
    }
    SANITISER.clean(&html).to_string()
}

fn is_costly(line: &str) -> bool {
    let quotes = line
        .chars()
        .take_while(|c| matches!(c, '>' | ' ' | '\t'))
        .filter(|c| *c == '>');
    quotes.count() > QUOTE_DEPTH || line.matches('|').count() > TABLE_COLUMNS
}

fn plain(text: &str) -> String {
    format!("<pre>{}</pre>", ammonia::clean_text(text))
}

#[cfg(test)]
mod tests {
    use super::to_html;

    #[test]
    fn markdown_is_rendered() {
        let html = to_html("# Ports\n\n- **80**\n- `8080`\n\n| a |\n|---|\n| b |\n\none\ntwo");
        for part in [
            "<h1>Ports</h1>",
            "<strong>80</strong>",
            "<code>8080</code>",
            "<td>b</td>",
            "one<br>",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
    }

    #[test]
    fn costly_markdown_is_shown_as_it_is() {
        for bomb in [
            ">".repeat(20_000),
            format!(
                "{}|\n{}|\n{}",
                "|a".repeat(2_500),
                "|-".repeat(2_500),
                "a\n".repeat(3_000)
            ),
            format!(
                "{}\n{}\n{}",
                "|a".repeat(60),
                "|-".repeat(60),
                "a\n".repeat(9_000)
            ),
        ] {
            let html = to_html(&bomb);
            assert!(html.starts_with("<pre>"), "{}", &html[..100]);
            assert!(html.len() < 2 * super::HTML_BYTES, "{}", html.len());
        }
    }

    #[test]
    fn hostile_markdown_is_harmless() {
        for hostile in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "![x](https://evil.example/pixel.png)",
            "[x](javascript:alert(1))",
            "[x](data:text/html;base64,PHNjcmlwdD4=)",
            "<a href=\"https://x\" onclick=\"alert(1)\">x</a>",
            "<iframe src=https://evil.example></iframe>",
            "<form action=/sign-out method=post><button>x</button></form>",
            "<style>*{display:none}</style>",
            "<p style=\"position:fixed\" class=\"dialog\">x</p>",
        ] {
            let html = to_html(hostile);
            for bad in [
                "<script",
                "<img",
                "<iframe",
                "<form",
                "<style",
                "href=\"javascript",
                "href=\"data",
                "<p style",
                "<a href=\"https://x\" onclick",
            ] {
                assert!(!html.contains(bad), "{hostile} became {html}");
            }
        }
    }
}
