//! Agents write markdown, and what they write is hostile. It is rendered block by block, sanitised to a short
//! list of tags, and then compared with its source: a block that does not show all of it is shown as it is
//! written. No images (they would call home), no styles, links to the web and mail only.

mod kept;
mod masked;
mod render;

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
                ("input", HashSet::from(["checked", "disabled"])),
                ("td", HashSet::from(["align"])),
                ("th", HashSet::from(["align"])),
            ]
            .into(),
        )
        // Ours: an agent's HTML has become text before.
        .allowed_classes(
            [
                ("ol", HashSet::from(["numbered"])),
                ("p", HashSet::from(["as-is", "info"])),
                ("pre", HashSet::from(["as-is"])),
                (
                    "span",
                    HashSet::from(["as-is", "list-number", "ours", "target"]),
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

/// Rendering takes time that grows with the square of these; nobody reads what has more.
const QUOTE_DEPTH: usize = 20;
const TABLE_COLUMNS: usize = 64;
/// A prompt has at most 20,000 characters; markup that makes more than this of them is an attack.
const HTML_BYTES: usize = 256 * 1024;

/// An agent's markdown as it reads, and, where that is not the same, as it is written.
pub(super) fn to_html(markdown: &str) -> String {
    let read = rendered(markdown);
    if reads_as_written(markdown, &text_of(&read)) {
        return read;
    }
    let source = action::source(markdown);
    // What says how it is shown must not decide on the direction of the text.
    format!(
        "<details class=\"as-written\" dir=\"ltr\"><summary>As written</summary>\
         <div class=\"source\">{source}</div></details><div class=\"as-read\">{read}</div>"
    )
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
    let markdown = markdown.replace("\r\n", "\n").replace('\r', "\n");
    if markdown.lines().any(is_costly) {
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
    let arena = Arena::new();
    let document = parse_document(&arena, &masked.text, &options);
    let lines: Vec<&str> = markdown.split('\n').collect();
    let masked_lines: Vec<&str> = masked.text.split('\n').collect();
    let blocks: Vec<_> = document.children().collect();
    let first = |n: usize| match blocks.get(n) {
        // What stands before the first block belongs to it.
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
            Some(clean) => html.push_str(&clean),
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
    // The first end of a line in it is not shown.
    html.push('\n');
    action::escape(text.trim_end_matches('\n'), &mut html);
    html.push_str("</pre>\n");
    html
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pieces of markdown, and of what looks like it.
    fn markdown() -> impl Strategy<Value = String> {
        let parts = prop_oneof![
            3 => "[a-zA-Z0-9 .,;:!?$%/@^&=]{0,8}",
            1 => "\\PC{0,3}",
            4 => prop::sample::select(vec![
                "\n", "\n\n", "\r\n", "  \n", "    ", "\t", "# ", "## a #\n", "a\n===\n", "b\n---\n", "* * *\n",
                "*", "**", "_", "~~", "`", "``", "```rust foo\n", "~~~\n", "> ", ">> ", "- ", "+ ", "7. ", "007) ",
                "- [x] ", "- [X] a\n", "- [ ] ", "| a | b |\n|---|:-:|\n", "| 1 | 2 | 3 |\n", "|", "\\*", "\\", "\\\n",
                "[a](b)", "[a](javascript:c \"d\")", "[a](https://b.example 'e')", "![a](https://b/c.png \"d\")",
                "[a][b]", "[b]: https://c.example \"d\"\n", "[^1]", "[^1]: note\n", "<https://a.example>",
                "https://a.example/?b=c&d", "www.a.example", "ana@a.example", "<ana@a.example>", "<b>", "</b>",
                "<!-- c -->", "<script>d</script>\n", "<style>\ne\n</style>\n", "<?php f ?>", "&lt;", "&#65;", "&amp;",
                "\u{fdd0}", "\u{a0}", "\u{0}", "\u{feff}", "\u{2028}",
            ])
            .prop_map(str::to_owned),
        ];
        prop::collection::vec(parts, 0..14).prop_map(|parts| parts.concat())
    }

    fn counted(text: &str, and: impl Fn(char) -> bool) -> Vec<char> {
        let counts = |c: &char| !c.is_whitespace() && !c.is_control();
        let folded = text
            .chars()
            .filter(counts)
            .map(|c| if c == 'X' { 'x' } else { c });
        folded.filter(|c| and(*c)).collect()
    }

    fn assert_in_order(wanted: &[char], shown: &str, source: &str) {
        let shown = counted(shown, |_| true);
        let mut rest = shown.iter();
        for c in wanted {
            assert!(
                rest.any(|other| other == c),
                "{c:?} of {source:?} is not in {shown:?}"
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn every_letter_digit_and_symbol_of_a_source_is_shown_in_order(source in markdown()) {
            let html = rendered(&source);
            let wanted = counted(&source, |c| !kept::MARKUP.contains(c));
            assert_in_order(&wanted, &text_of(&html), &source);
        }

        #[test]
        fn signs_that_are_no_markup_stay(words in prop::collection::vec("[a-z0-9]{1,4}", 1..8), signs in "[#*_>+=|~:()'\"\\[\\]-]{1,8}") {
            // Escaped, in code, and alone between words.
            let escaped: String = signs.chars().flat_map(|c| ['\\', c]).collect();
            let source = format!("a {escaped} {}\n\n`x{signs}x`\n\n    {signs}", words.join(" # "));
            let html = rendered(&source);
            let expected = format!("a {signs} {} x{signs}x {signs}", words.join(" # "));
            let wanted = counted(&expected, |_| true);
            assert_in_order(&wanted, &text_of(&html), &source);
        }
    }

    #[test]
    fn what_renderers_drop_is_shown() {
        for (source, shown) in [
            (
                "![alt](https://a.example/b.png \"c\")",
                "![alt](https://a.example/b.pngc)",
            ),
            ("[a](https://b.example \"c\")", "ahttps://b.examplec"),
            ("[a](javascript:b)", "ajavascript:b"),
            ("[a](/sign-out)", "a/sign-out"),
            (
                "[a][1]\n\n[1]: https://b.example",
                "[a][1][1]: https://b.example",
            ),
            ("```rust,ignore\na\n```", "rust,ignorea"),
            ("a[^1]\n\n[^1]: b", "a[^1][^1]: b"),
            (
                "<!-- a -->\n<script>b</script>",
                "<!-- a --><script>b</script>",
            ),
            ("a <b onclick=c>d</b>", "a <b onclick=c>d</b>"),
            ("&lt;a&gt; `&amp;`", "&lt;a&gt; &amp;"),
            ("7. a\n7. b\n\n007) c", "7.a7.b007)c"),
            ("|a|b|\n|-|-|\n|1|2|3|", "|a|b||-|-||1|2|3|"),
            ("https://a.example/?b&c", "https://a.example/?b&c"),
            (
                "<ana@a.example> www.b.example",
                "ana@a.example www.b.example",
            ),
        ] {
            let text = text_of(&rendered(source)).replace('\n', "");
            assert_eq!(text, shown, "{source}");
        }
    }

    #[test]
    fn only_the_block_that_is_not_whole_is_shown_as_written() {
        let html = rendered("# a\n\n|a|\n|-|\n|1|2|\n\n- b");
        assert!(html.contains("<h1>a</h1>"), "{html}");
        assert!(html.contains("|1|2|"), "{html}");
        assert!(html.contains("<li>b</li>"), "{html}");
    }

    #[test]
    fn text_that_reads_as_it_is_written_is_not_shown_twice() {
        for same in ["Which port?", "One.\nTwo.\n\nThree: 3 > 2 & so on."] {
            assert!(!to_html(same).contains("As written"), "{same}");
        }
        for other in ["**Which** port?", "a\u{200b}b", "[a](b)"] {
            let html = to_html(other);
            assert!(html.contains("As written"), "{other}");
        }
        assert!(to_html("*a\u{202e}b*").contains("<mark class=\"written-out\">⟨U+202E⟩</mark>"));
    }

    #[test]
    fn nested_lists_end_where_nobody_could_follow() {
        let html = rendered(&format!("{}a", "- ".repeat(5_000)));
        assert!(html.starts_with("<pre"), "{html}");
        rendered(&"*a **b ".repeat(1_500));
    }

    #[test]
    fn markdown_is_rendered() {
        let html = rendered("# Ports\n\n- **80**\n- `8080`\n\n| a |\n|---|\n| b |\n\none\ntwo");
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
            let html = rendered(&bomb);
            assert!(html.starts_with("<pre"), "{}", &html[..100]);
            assert!(html.len() < 2 * HTML_BYTES, "{}", html.len());
        }
    }

    #[test]
    fn a_table_that_has_no_room_on_a_phone_is_shown_as_it_is_written() {
        let table = |columns| format!("{}|\n{}|\n", "|a".repeat(columns), "|-".repeat(columns));
        assert!(rendered(&table(8)).contains("<table>"));
        let html = rendered(&table(9));
        assert!(
            !html.contains("<table>") && html.contains("|a|a|a"),
            "{html}"
        );
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
            let html = rendered(hostile);
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
