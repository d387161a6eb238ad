//! Text broken into lines of a width, so that how far it can be scrolled is known. It is measured as the screen
//! measures it, so that no line is cut; where terminals measure in other ways, there is room for the widest.

use ratatui::{
    buffer::CellWidth,
    style::{Modifier, Style},
    text::{Line, Span},
};
use unicode_segmentation::UnicodeSegmentation;

use super::cells;

/// No language and no emoji needs more characters than these in one place.
const LONGEST: usize = 32;

/// A person's text, harmless.
pub(super) fn prose(text: &str, width: u16, style: Style) -> Vec<Line<'static>> {
    let lines = harmless_lines(text, style);
    lines.flat_map(|line| folded(line, width)).collect()
}

/// A text of ours, or one that is harmless already.
pub(super) fn said(text: &str, width: u16, style: Style) -> Vec<Line<'static>> {
    folded(text.chars().map(|c| (c, style)), width)
}

/// One line of an agent's that is harmless already, told from ours.
pub(super) fn quoted_line(text: &str, width: u16, style: Style) -> Vec<Line<'static>> {
    barred(text.chars().map(|c| (c, style)), width)
}

/// An agent's text, harmless, and told from ours.
pub(super) fn quoted(text: &str, width: u16, style: Style) -> Vec<Line<'static>> {
    let lines = harmless_lines(text, style);
    lines.flat_map(|line| barred(line, width)).collect()
}

/// One row of a list, of which the end may be cut.
pub(super) fn row(text: &str) -> Vec<Span<'static>> {
    let characters = text.chars().map(|c| (c, Style::new()));
    let texts = drawable(characters, u16::MAX);
    texts
        .into_iter()
        .map(|(text, style)| Span::styled(text, style))
        .collect()
}

fn harmless_lines(text: &str, style: Style) -> impl Iterator<Item = Vec<(char, Style)>> {
    let text = text.replace("\r\n", "\n");
    let lines: Vec<_> = text.split('\n').map(harmless).collect();
    let lines = lines.into_iter();
    lines.map(move |line| line.chars().map(|c| (c, style)).collect())
}

/// White space of prose may move a terminal's cursor or look like a blank, and at a line's end it would not be seen.
fn harmless(line: &str) -> String {
    let text = line.trim_end_matches(' ');
    let blanks = line.len() - text.len();
    let line = text;
    let moves = |c: char| c.is_control() || (c.is_whitespace() && c != ' ');
    let mut harmless = String::new();
    for part in visible::prose(line).split_inclusive(moves) {
        let end = part.char_indices().next_back().filter(|(_, c)| moves(*c));
        let (text, end) = part.split_at(end.map_or(part.len(), |(at, _)| at));
        harmless += text;
        harmless += &match end {
            "\t" => visible::blanks('\t', 1),
            other => visible::line(other),
        };
    }
    if blanks > 0 {
        harmless += &visible::blanks(' ', blanks);
    }
    harmless
}

/// One line, in several if it is longer; at spaces where there are any. Characters that the screen would
/// leave out are written by their numbers.
pub(super) fn folded(
    characters: impl IntoIterator<Item = (char, Style)>,
    width: u16,
) -> Vec<Line<'static>> {
    let texts = drawable(characters, width);
    let clusters = texts.iter().flat_map(|(text, style)| {
        let clusters = text.graphemes(true);
        clusters.map(|cluster| (cluster, *style))
    });
    let room = usize::from(width.max(1));
    let mut lines = Vec::new();
    let mut line: Vec<(&str, Style)> = Vec::new();
    let mut used = 0;
    for (cluster, style) in clusters {
        let wide = wide(cluster);
        // A blank behind the row's end would not be seen.
        let is_full = cluster == " " && used == room;
        if is_full && !is_blank(line.last()) {
            lines.push(spans(&line));
            (line, used) = (Vec::new(), 0);
        }
        while (used + wide.max(cells::most(cluster)) > room || (is_full && used == room))
            && !line.is_empty()
        {
            let rest = line.split_off(row_end(&line));
            lines.push(spans(&line));
            used = rest.iter().map(|(cluster, _)| self::wide(cluster)).sum();
            line = rest;
        }
        line.push((cluster, style));
        used += wide;
    }
    lines.push(spans(&line));
    lines
}

/// Where a row ends that is too long: behind the first of the last blanks, of which the others are seen before what
/// follows them.
fn row_end(line: &[(&str, Style)]) -> usize {
    let Some(last) = line.iter().rposition(|sign| is_blank(Some(sign))) else {
        return line.len();
    };
    let word = line[..last].iter().rposition(|sign| !is_blank(Some(sign)));
    word.map_or(1, |word| word + 2)
}

fn is_blank(sign: Option<&(&str, Style)>) -> bool {
    sign.is_some_and(|(cluster, _)| *cluster == " ")
}

/// Before each row of an agent's text. A row without it is ours.
const BAR: &str = "| ";
/// Before each row that goes on with the one above it, behind a blank; a terminal does not draw it at a row's end.
const GOES_ON: &str = "|>";
/// Before each row that goes on with a word of the one above it.
const IN_A_WORD: &str = "|-";

/// A line of an agent's between a bar and the edge, as [`folded`] breaks it.
pub(super) fn barred(
    characters: impl IntoIterator<Item = (char, Style)>,
    width: u16,
) -> Vec<Line<'static>> {
    let mut lines = folded(characters, width.saturating_sub(2));
    let mut bar = BAR;
    for line in &mut lines {
        let last = line.spans.last();
        let next = match last.is_some_and(|span| span.content.ends_with(' ')) {
            true => GOES_ON,
            false => IN_A_WORD,
        };
        let bar = std::mem::replace(&mut bar, next);
        line.spans.insert(
            0,
            Span::styled(bar, Style::new().add_modifier(Modifier::DIM)),
        );
    }
    lines
}

/// Whether all of a line is on the screen when it is drawn in this width.
pub(super) fn is_whole(line: &Line<'_>, width: u16) -> bool {
    let clusters = line.spans.iter();
    let clusters = clusters.flat_map(|span| span.content.graphemes(true));
    let mut left = usize::from(width);
    for cluster in clusters {
        if !is_drawn(cluster, width) {
            return false;
        }
        match left.checked_sub(wide(cluster)) {
            Some(_) if left < cells::most(cluster) => return false,
            Some(rest) => left = rest,
            None => return false,
        }
    }
    true
}

/// Texts of one style each, in which the screen leaves nothing out. Clusters are found in each for itself, as
/// the screen does it.
fn drawable(
    characters: impl IntoIterator<Item = (char, Style)>,
    width: u16,
) -> Vec<(String, Style)> {
    let mut given = Vec::new();
    for (c, style) in characters {
        add(&mut given, c.encode_utf8(&mut [0; 4]), style);
    }
    let mut drawable = Vec::with_capacity(given.len());
    for (text, style) in given {
        if text.is_ascii() && !text.contains(|c: char| c.is_ascii_control()) {
            add(&mut drawable, &text, style);
            continue;
        }
        for (at, cluster) in text.grapheme_indices(true) {
            let after = &text[at + cluster.len()..];
            if is_drawn(cluster, width) && has_room(cluster, after) {
                add(&mut drawable, cluster, style);
            } else {
                let style = style.add_modifier(Modifier::REVERSED);
                add(&mut drawable, &visible::numbers(cluster), style);
            }
        }
    }
    drawable
}

fn add(texts: &mut Vec<(String, Style)>, text: &str, style: Style) {
    match texts.last_mut() {
        Some((last, its)) if *its == style => last.push_str(text),
        _ => texts.push((text.to_owned(), style)),
    }
}

/// Whether the screen has a place for it: it skips controls, characters that take no room, and those that
/// take too much.
fn is_drawn(cluster: &str, width: u16) -> bool {
    !cluster.contains(char::is_control)
        && cluster.chars().nth(LONGEST).is_none()
        && wide(cluster) > 0
        && wide(cluster).max(cells::most(cluster)) <= usize::from(width.max(1))
}

/// Whether a terminal that draws it wider than the screen measures it draws over nothing but spaces.
fn has_room(cluster: &str, after: &str) -> bool {
    let over = cells::most(cluster).saturating_sub(wide(cluster));
    after.chars().take(over).all(|c| c == ' ')
}

/// As the screen measures it.
fn wide(cluster: &str) -> usize {
    match cluster.len() {
        // Controls are not measured.
        1 => 1,
        _ => cluster.cell_width().into(),
    }
}

/// Neighbours of one style together.
fn spans(line: &[(&str, Style)]) -> Line<'static> {
    let same = line.chunk_by(|(_, one), (_, other)| one == other);
    let spans = same.map(|same| {
        let text: String = same.iter().map(|(cluster, _)| *cluster).collect();
        Span::styled(text, same[0].1)
    });
    spans.collect::<Vec<_>>().into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ratatui::{
        buffer::Buffer,
        layout::Rect,
        widgets::{Paragraph, Widget},
    };

    use super::*;

    fn lines(text: &str, width: u16) -> Vec<String> {
        let lines = prose(text, width, Style::default());
        lines.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn words_stay_whole_where_they_fit() {
        assert_eq!(lines("ab cd efg", 5), ["ab cd", " efg"]);
        assert_eq!(lines("ab cde fg", 5), ["ab ", "cde ", "fg"]);
        assert_eq!(lines("ab   cd", 3), ["ab ", " ", " cd"]);
        assert_eq!(lines("abcdefg", 3), ["abc", "def", "g"]);
        assert_eq!(lines("漢字漢", 4), ["漢字", "漢"]);
        assert_eq!(lines("a\n\nb", 4), ["a", "", "b"]);
        assert_eq!(lines("", 4), [""]);
        assert_eq!(lines("a\r\nb\rc\u{85}", 40), ["a", "b⟨U+000D⟩c⟨U+0085⟩"]);
        assert_eq!(
            lines("rm\told\u{a0}a ", 80),
            ["rm⟨1 tab⟩old⟨U+00A0⟩a⟨1 space⟩"]
        );
        assert_eq!(lines("x\u{1b}[2J\u{202e}y", 40), ["x⟨U+001B⟩[2J⟨U+202E⟩y"]);
    }

    /// The text in a buffer, line by line, without the spaces at the ends.
    fn on_screen(lines: Vec<Line<'static>>, width: u16) -> Vec<String> {
        let height = u16::try_from(lines.len()).unwrap();
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        Paragraph::new(lines).render(area, &mut buffer);
        let line = |y| {
            let (mut x, mut line) = (0, String::new());
            while x < width {
                let cell = &buffer[(x, y)];
                line += cell.symbol();
                x += cell.symbol().cell_width().max(1);
            }
            line.trim_end_matches(' ').to_owned()
        };
        (0..height).map(line).collect()
    }

    /// Characters for the numbers that stand for them.
    fn read(text: &str) -> String {
        let mut read = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("⟨U+") {
            let (number, after) = after.split_once('⟩').unwrap();
            let (number, times) = number.split_once('×').unwrap_or((number, "1"));
            let c = char::from_u32(u32::from_str_radix(number, 16).unwrap()).unwrap();
            read += before;
            read.extend(std::iter::repeat_n(c, times.parse().unwrap()));
            rest = after;
        }
        read + rest
    }

    fn texts() -> impl Strategy<Value = Vec<(String, bool)>> {
        let part = prop_oneof![
            3 => "[a-z /-]{0,8}",
            2 => prop::sample::select(vec![
                " ", "漢字", "e\u{301}", "\u{301}", "\u{ff76}\u{ff9e}", "\u{ff9e}", "\u{ff9f}\u{ff9f}\u{ff9f}",
                " \u{ff9e}\u{ff9e}", "☑\u{fe0f}", "☑", "\u{fe0f}", "1\u{fe0f}\u{20e3}", "👩\u{200d}👩\u{200d}👧", "\u{200d}",
                "👍🏽", "🇩🇪", "🇩", "\u{1161}", "\u{1100}\u{1161}", "\u{11a8}", "가", "\u{ad}", "\u{200b}", "क्षि", "นำ",
                "\u{7}", "\r", "\t", "لا", "\u{200c}", "\u{600}",
            ])
            .prop_map(str::to_owned),
            1 => (any::<char>(), 1..60_usize).prop_map(|(c, times)| c.to_string().repeat(times)),
            1 => Just("\u{ff9e}".repeat(40)),
        ];
        let part = part.prop_filter("what numbers look like", |part| !part.contains(['⟨', '\n']));
        prop::collection::vec((part, any::<bool>()), 0..12)
    }

    proptest! {
        /// Two texts that differ by a blank never stand there alike.
        #[test]
        fn rows_lead_back_to_their_text(
            words in prop::collection::vec(("[a-z*→漢-]{0,12}", 0..9_usize), 1..9), width in 16..40_u16,
        ) {
            let text: String = words.iter().map(|(word, blanks)| word.clone() + &" ".repeat(*blanks)).collect();
            let text = text.trim_end_matches(' ');
            let rows = barred(text.chars().map(|c| (c, Style::new())), width);
            let mut read = String::new();
            for row in &rows {
                let row = row.to_string();
                let (bar, row) = row.split_at(2);
                if bar == GOES_ON {
                    read.push(' ');
                }
                read += row.trim_end_matches(' ');
            }
            prop_assert_eq!(read, text);
        }

        #[test]
        fn whatever_is_folded_stands_on_the_screen_to_its_last_character(
            texts in texts(), width in 16..90_u16,
        ) {
            let given: String = texts.iter().map(|(text, _)| text.as_str()).collect();
            let characters = texts.iter().flat_map(|(text, bold)| {
                let style = if *bold { Style::new().bold() } else { Style::new() };
                text.chars().map(move |c| (c, style))
            });
            let lines = folded(characters, width);
            prop_assert!(lines.iter().all(|line| is_whole(line, width)), "{:?}", lines);
            let texts: Vec<_> = lines.iter().map(ToString::to_string).collect();
            prop_assert_eq!(read(&texts.concat()), given);
            let ends: Vec<_> = texts.iter().map(|text| text.trim_end_matches(' ')).collect();
            prop_assert_eq!(on_screen(lines, width), ends);
        }

        #[test]
        fn prose_stands_on_the_screen_as_it_was_folded(texts in texts(), width in 16..90_u16) {
            let text: String = texts.iter().map(|(text, _)| text.as_str()).collect();
            let lines = prose(&text, width, Style::new());
            let texts: Vec<_> = lines.iter().map(ToString::to_string).collect();
            let ends: Vec<_> = texts.iter().map(|text| text.trim_end_matches(' ')).collect();
            prop_assert_eq!(on_screen(lines, width), ends);
        }
    }

    #[test]
    fn what_the_screen_measures_wider_is_folded_and_what_it_skips_is_numbered() {
        let marks = format!("echo {} ; rm -rf /", "\u{ff76}\u{ff9e}".repeat(40));
        let lines = lines(&marks, 80);
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert!(lines[2].ends_with("; rm -rf /"), "{lines:?}");
        let boxes = self::lines(&"☑\u{fe0f}".repeat(41), 80);
        assert_eq!(boxes[1], "☑\u{fe0f}");
        let one = format!("a{} ; rm", "\u{ff9e}".repeat(40));
        assert_eq!(self::lines(&one, 80), ["⟨U+0061⟩⟨U+FF9E×40⟩ ; rm"]);
        assert_eq!(self::lines("a \u{1161}b", 80), ["a ⟨U+1161⟩b"]);
        assert_eq!(self::lines(" bbbb漢", 5), [" ", "bbbb", "漢"]);
    }

    #[test]
    fn a_row_that_goes_on_in_a_word_is_told_from_one_that_goes_on_behind_a_blank() {
        for (text, width, expected) in [
            ("long*", 6, ["| long", "|-*"]),
            ("long *", 6, ["| long", "|- *"]),
            ("longe data", 7, ["| longe", "|- data"]),
            ("lon data", 6, ["| lon ", "|>data"]),
            ("lon  data", 7, ["| lon ", "|> data"]),
            ("lon  dat", 6, ["| lon ", "|> dat"]),
            ("lo漢", 5, ["| lo", "|-漢"]),
            ("lo 漢", 5, ["| lo ", "|>漢"]),
        ] {
            let rows = quoted(text, width, Style::new());
            let rows: Vec<_> = rows.iter().map(ToString::to_string).collect();
            assert_eq!(rows, expected, "{text}");
        }
    }

    #[test]
    fn a_line_that_would_be_cut_is_not_whole() {
        for (line, width, expected) in [
            ("abc", 3, true),
            ("abc ", 3, false),
            ("abcd", 3, false),
            ("\u{ff76}\u{ff9e}", 1, false),
            ("☑\u{fe0f}☑\u{fe0f}", 3, false),
            ("\u{1161}", 9, false),
            ("a\u{7}b", 9, false),
        ] {
            assert_eq!(is_whole(&Line::raw(line), width), expected, "{line:?}");
        }
    }
}
