//! Tests of the marks, and of the text left alone.

use super::*;

fn shown(runs: Vec<Run>) -> String {
    let marked = |run: &Run| run.is_marked() == run.text.contains('⟨');
    assert!(runs.iter().all(marked), "{runs:?}");
    runs.into_iter().map(|run| run.text).collect()
}

fn code(line: &str) -> Vec<Run> {
    line_for(line, Reader::program())
}

#[test]
fn what_hides_is_written_out() {
    assert_eq!(line("rm -rf /tmp/ü 日本"), "rm -rf /tmp/ü 日本");
    assert_eq!(
        line("a\u{202e}b\u{200b}c\nd\u{a0}e\u{e0041}\u{1b}[2J\u{9b}"),
        "a⟨U+202E⟩b⟨U+200B⟩c⟨U+000A⟩d⟨U+00A0⟩e⟨U+E0041⟩⟨U+001B⟩[2J⟨U+009B⟩"
    );
    assert_eq!(line(&"\u{200b}".repeat(500)), "⟨U+200B×500⟩");
}

#[test]
fn no_hidden_character_of_unicode_is_left_out() {
    // DerivedCoreProperties.txt (Default_Ignorable_Code_Point) and PropList.txt (Bidi_Control,
    // White_Space, Noncharacter_Code_Point, Variation_Selector) of Unicode 17, as ranges.
    for (first, last) in [
        (0x0, 0x1f),
        (0x7f, 0xa0),
        (0xad, 0xad),
        (0x34f, 0x34f),
        (0x61c, 0x61c),
        (0x115f, 0x1160),
        (0x1680, 0x1680),
        (0x17b4, 0x17b5),
        (0x180b, 0x180f),
        (0x2000, 0x200f),
        (0x2028, 0x202f),
        (0x205f, 0x206f),
        (0x2800, 0x2800),
        (0x3000, 0x3000),
        (0x3164, 0x3164),
        (0xe000, 0xf8ff),
        (0xfdd0, 0xfdef),
        (0xfe00, 0xfe0f),
        (0xfeff, 0xfeff),
        (0xffa0, 0xffa0),
        (0xfff0, 0xfffc),
        (0xfffe, 0xffff),
        (0x1bca0, 0x1bca3),
        (0x1d173, 0x1d17a),
        (0x1fffe, 0x1ffff),
        (0xe0000, 0xe0fff),
        (0xf0000, 0x10_ffff),
    ] {
        for c in (first..=last).filter_map(char::from_u32) {
            assert!(is_hidden(c), "{:x}", u32::from(c));
            assert!(!line(&format!("a{c}b")).contains(c), "{:x}", u32::from(c));
        }
    }
    for c in [
        'a', ' ', 'é', 'ü', 'я', '中', 'ש', 'ع', '🦀', '–', '’', '€', '\u{301}', 'ก', '\u{93f}',
    ] {
        assert!(!is_hidden(c), "{c}");
    }
}

#[test]
fn a_name_that_looks_like_another_is_marked() {
    for (name_, expected) in [
        ("shell", "shell"),
        ("größe", "größe"),
        ("файл", "файл"),
        ("名前_v2", "名前_v2"),
        // Cyrillic among Latin, Cyrillic alone, full width, mathematical, Greek.
        ("shеll", "shе⟨U+0435⟩ll"),
        ("ехес", "е⟨U+0435⟩х⟨U+0445⟩е⟨U+0435⟩с⟨U+0441⟩"),
        ("ｒm", "ｒ⟨U+FF52⟩m"),
        ("𝗋𝗆", "𝗋⟨U+1D5CB⟩𝗆⟨U+1D5C6⟩"),
        ("readΔ", "readΔ⟨U+0394⟩"),
        ("a\u{2044}b", "a⁄⟨U+2044⟩b"),
        ("shell\u{202e}txt", "shell⟨U+202E⟩txt"),
    ] {
        assert_eq!(shown(name(name_)), expected, "{name_}");
    }
}

#[test]
fn a_value_in_another_language_is_left_alone() {
    for same in [
        "\"Привет, мир: 10 сор\"",
        "\"Größe – “naïve” café, don’t…\"",
        "\"שלום\"",
        "\"日本語 and Latin\"",
        "\"ısı ölçer\"",
        "\"tiếng Việt\"",
        "\"नमस्ते\"",
    ] {
        assert_eq!(shown(value(same)), same);
    }
    assert_eq!(
        shown(value("\"https://раypal.com\u{2215}login\"")),
        "\"https://р⟨U+0440⟩а⟨U+0430⟩ypal.com∕⟨U+2215⟩login\""
    );
}

#[test]
fn letters_from_the_right_are_marked_beside_digits_and_signs() {
    assert_eq!(shown(value("\"א = 5\"")), "\"⟨RTL⟩א = 5\"");
    assert_eq!(shown(name("שם1")), "⟨RTL⟩שם1");
    assert_eq!(shown(code("rm /א/1")), "rm /⟨RTL⟩א/1");
}

proptest::proptest! {
    #[test]
    fn from_what_is_shown_one_comes_back_to_the_text(text in testing::hostile()) {
        for runs in [name(&text), value(&text), code(&text)] {
            proptest::prop_assert_eq!(back(&runs), text.as_str());
            let shown: String = runs.iter().map(|run| run.text.as_str()).collect();
            let redrawn = drawn(runs, |at| (Ink::Text, at % 3 == 0));
            proptest::prop_assert_eq!(back(&redrawn), text.as_str());
            let again: String = redrawn.iter().map(|run| run.text.as_str()).collect();
            proptest::prop_assert_eq!(again, shown);
        }
    }
}

#[test]
fn a_mark_on_nothing_is_written_out() {
    // It would sit on the character before it.
    assert_eq!(shown(value("\"\u{301}x\"")), "\"⟨U+0301⟩x\"");
}

#[test]
fn white_space_that_pushes_something_out_of_sight_is_counted() {
    let far = " ".repeat(140);
    assert_eq!(
        shown(value(&format!("\"ls{far}; rm -rf /\""))),
        "\"ls⟨140 spaces⟩; rm -rf /\""
    );
    assert_eq!(shown(code(&format!("    ls{far}#"))), "    ls⟨140 spaces⟩#");
    assert_eq!(shown(code(&format!("{far}rm"))), "⟨140 spaces⟩rm");
    assert_eq!(shown(code("a\t\t\t \tb")), "a⟨3 tabs⟩⟨1 space⟩⟨1 tab⟩b");
    assert_eq!(shown(name(&format!("a{far}b"))), "a⟨140 spaces⟩b");
    let aligned = "let a    = 1;      // b";
    assert_eq!(shown(code(aligned)), aligned);
    assert_eq!(numbers("  "), "⟨U+0020×2⟩");
}

#[test]
fn what_looks_like_a_mark_of_ours_is_none() {
    let own = "a⟨9 spaces⟩b";
    let expected = "a⟨U+27E8⟩9 spaces⟨U+27E9⟩b";
    assert_eq!(shown(value(own)), expected);
    assert_eq!(shown(code(own)), expected);
    assert_eq!(
        [line(own), prose(own), sentence(own), label(own)],
        [expected; 4]
    );
    assert_eq!(sentence("a\u{202e}\nb"), "a⟨U+202E⟩⟨U+000A⟩b");
}

#[test]
fn a_blank_where_a_row_may_end_without_one_is_drawn() {
    let inks: Vec<_> = code("rm 数 Größe a").iter().map(|run| run.ink).collect();
    assert_eq!(inks, [Ink::Plain, Ink::Space, Ink::Plain]);
    for text in [
        "a \tb",
        "a \u{200b}b",
        "a \u{a0}b",
        "a ⟨b",
        "a \u{301}b",
        "a א5",
    ] {
        assert_eq!(code(text)[1].ink, Ink::Space, "{text:?}");
    }
}

#[test]
fn a_syllable_has_an_end() {
    for same in ["မျှော်လင့်", "கௌ", "स्त्रियों", "ปู่ย่า"]
    {
        assert_eq!(prose(same), same);
    }
    assert_eq!(prose(&"\u{bcc}".repeat(40)), "⟨U+0BCC×40⟩");
    assert_eq!(
        prose(&format!("க{}", "\u{bcc}".repeat(40))),
        format!("க{}⟨U+0BCC×32⟩", "\u{bcc}".repeat(8))
    );
}

#[test]
fn a_value_that_is_not_the_label_is_told_from_it() {
    for (label, value, expected) in [
        ("lru", "lru", "lru"),
        ("-d", "-D", "-d ⟨→ -D⟩"),
        ("a → b", "a → b", "a → b"),
        ("a", "b", "a ⟨→ b⟩"),
        ("a ⟨→ b⟩", "a ⟨→ b⟩", "a ⟨U+27E8⟩→ b⟨U+27E9⟩"),
        ("a", "a ", "a ⟨→ a⟨1 space⟩⟩"),
    ] {
        assert_eq!(option(label, value), expected);
    }
}

#[test]
fn a_pick_is_shown_as_its_option_was() {
    let choice = serde_json::json!({
        "options": [
            {"value": "bg", "label": "Blue-green"},
            {"value": "Canary", "label": "Canary"},
        ],
        "multiple": true,
    });
    let ask = Ask::Choice(serde_json::from_value(choice).unwrap());
    let selected = ["bg", "Canary", "gone\u{200b}"].map(str::to_owned).into();
    assert_eq!(
        picked(&AnswerContent::Selected { selected }, &ask).as_deref(),
        Some("Blue-green ⟨→ bg⟩, Canary, gone⟨U+200B⟩")
    );
    let text = "bg".to_owned();
    assert_eq!(picked(&AnswerContent::Text { text }, &ask), None);
}
