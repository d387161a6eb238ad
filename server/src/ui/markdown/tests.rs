//! Markdown of agents, as it is drawn and as it is written.

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
fn a_cell_that_no_column_has_room_for_is_shown_whatever_its_signs() {
    for row in [
        "| users | column | - |",
        "| users | column | <- |",
        "users | column | +",
        "| users | `a | b` |",
        "| users | a \\| b |",
        "| a \\| b | c |",
    ] {
        let source = format!("| Table | Change |\n|---|---|\n{row}");
        let html = rendered(&source);
        assert!(!html.contains("<table>"), "{row}: {html}");
    }
    for row in ["| users | - |", "users | +", "| a |", "a"] {
        let source = format!("| Table | Change |\n|---|---|\n{row}");
        let html = rendered(&source);
        assert!(html.contains("<table>"), "{row}: {html}");
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
    assert!(html.contains("<div>b</div></li>"), "{html}");
}

#[test]
fn signs_and_indentation_that_a_program_reads_stay() {
    for indented in [
        "Do this:\n    rm -rf /\n\tls",
        "if x:\n\trm -rf /",
        "allow:\n  admins: true\n   deny: all",
        "- if x:\n    skip\n  rm",
        "if x:\n    rm -rf /\n===",
        "- if x:\n      rm -rf /",
        "> if x:\n>     rm -rf /",
    ] {
        let html = rendered(indented);
        assert!(html.starts_with("<pre class=\"as-is\">"), "{html}");
    }
    for drawn in ["10. one\n    two", "> one\n> two", "- one\n  two"] {
        let html = rendered(drawn);
        assert!(!html.contains("as-is"), "{html}");
    }
    assert_eq!(text_of(&rendered("- 500 EUR")), "-500 EUR\n\n");
}

#[test]
fn what_markdown_would_take_away_of_lines_is_shown_as_it_is_written() {
    for written in [
        "Run `# stop\nrm -rf /data` now",
        "  ```yaml\na:\n  b: 1\n  ```",
        "> not to be done\nrm -rf /data",
        "- never do:\n  - drop a\ndrop b",
        "5\n-",
        "# Written in C #",
        "202611230. a",
        "[a](https://b.example \"c\nd\")",
    ] {
        let html = rendered(written);
        assert!(html.contains("<pre class=\"as-is\">"), "{html}");
    }
    let html = rendered("sort <list\nreboot>out");
    assert!(html.contains("list<br>"), "{html}");
}

#[test]
fn blanks_and_backslashes_that_a_program_reads_are_drawn() {
    let html = rendered("rm \"/a  b\" C:\\data\\_old \\[x\\] `c \t d`\n\na \\\nb");
    let plain = html
        .replace("<span class=\"sign\">", "")
        .replace("<span class=\"blanks\">", "{")
        .replace("</span>", "}");
    for part in [
        "/a{  }b",
        "C:\\data\\}_old",
        "\\}[x\\}]",
        "c{ \t }d",
        "a \\}<br>",
    ] {
        assert!(plain.contains(part), "{part} in {plain}");
    }
}

#[test]
fn emphasis_is_drawn_with_its_signs() {
    for (source, drawn) in [
        ("That is *very* important.", "<em>*very*</em>"),
        (
            "The **latency target**.",
            "<strong>**latency target**</strong>",
        ),
        ("a ~~b~~ and ~c~", "<del>~~b~~</del> and <del>~c~</del>"),
        ("run ***all*** of __it__", "<strong>__it__</strong>"),
        ("- *one*\n- two *three\n  four*", "<em>*three"),
        ("> rm -rf *old backup*", "rm -rf <em>*old backup*</em>"),
    ] {
        let html = rendered(source);
        let plain = html
            .replace("<span class=\"sign\">", "")
            .replace("</span>", "");
        assert!(plain.contains(drawn), "{source}: {html}");
    }
}

#[test]
fn what_is_nested_deeper_than_five_is_shown_as_it_is_written() {
    let nested = |signs: &str| rendered(&format!("{signs}a"));
    assert!(nested("- - - - - ").contains("<div>a</div></li>"));
    assert!(nested("> - > - > ").contains("<blockquote>"));
    for deep in ["- - - - - - ", "> - > - > > ", "> > > > > > "] {
        assert!(nested(deep).starts_with("<pre class=\"as-is\">"), "{deep}");
    }
}

#[test]
fn a_table_deep_in_lists_is_shown_as_it_is_written() {
    assert!(rendered("- |a|\n  |-|\n  |b|").contains("<table>"));
    for deep in ["- - |a|\n    |-|\n    |b|", "> - |a|\n>   |-|\n>   |b|"] {
        let html = rendered(deep);
        assert!(!html.contains("<table>") && html.contains("|-|"), "{html}");
    }
}

#[test]
fn text_that_reads_as_it_is_written_is_not_shown_twice() {
    for same in [
        "Which port?",
        "**Which** port?",
        "One.\nTwo.\n\nThree: 3 > 2 & so on.",
    ] {
        assert!(!to_html(same).contains("As written"), "{same}");
    }
    for other in ["# Which port?", "a\u{200b}b", "[a](b)"] {
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
        "80<span class=\"sign\">**</span></strong>",
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
