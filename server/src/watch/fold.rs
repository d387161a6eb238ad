//! Text broken into lines of a width, so that how far it can be scrolled is known.

use ratatui::{
    style::Style,
    text::{Line, Span},
};

use crate::visible;

/// Prose of somebody else's, harmless.
pub(super) fn prose(text: &str, width: u16, style: Style) -> Vec<Line<'static>> {
    let text = text.replace("\r\n", "\n").replace('\t', "    ");
    let lines = text.split('\n').map(harmless);
    lines
        .flat_map(|line| folded(line.chars().map(|c| (c, style)).collect::<Vec<_>>(), width))
        .collect()
}

/// What is white space in prose may move a terminal's cursor.
fn harmless(line: &str) -> String {
    let moves = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let mut harmless = String::new();
    for part in visible::prose(line).split_inclusive(moves) {
        let end = part.char_indices().next_back().filter(|(_, c)| moves(*c));
        let (text, end) = part.split_at(end.map_or(part.len(), |(at, _)| at));
        harmless += text;
        harmless += &visible::line(end);
    }
    harmless
}

/// One line, in several if it is longer; at spaces where there are any.
pub(super) fn folded(
    characters: impl IntoIterator<Item = (char, Style)>,
    width: u16,
) -> Vec<Line<'static>> {
    let width = usize::from(width.max(1));
    let mut lines = Vec::new();
    let mut line: Vec<(char, Style)> = Vec::new();
    let mut used = 0;
    for (c, style) in characters {
        let wide = wide(c);
        if c == ' ' && used == width {
            // It would begin the next line, and nobody sees it here.
            line.push((c, style));
            lines.push(spans(&line));
            (line, used) = (Vec::new(), 0);
            continue;
        }
        if used + wide > width && !line.is_empty() {
            let space = line.iter().rposition(|(c, _)| *c == ' ');
            let rest = match space {
                Some(space) => line.split_off(space + 1),
                None => Vec::new(),
            };
            lines.push(spans(&line));
            used = rest.iter().map(|(c, _)| self::wide(*c)).sum();
            line = rest;
        }
        line.push((c, style));
        used += wide;
    }
    lines.push(spans(&line));
    lines
}

fn wide(c: char) -> usize {
    Span::raw(c.to_string()).width()
}

/// Neighbours of one style together.
fn spans(line: &[(char, Style)]) -> Line<'static> {
    let same = line.chunk_by(|(_, one), (_, other)| one == other);
    let spans = same.map(|same| {
        let text: String = same.iter().map(|(c, _)| *c).collect();
        Span::styled(text, same[0].1)
    });
    spans.collect::<Vec<_>>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, width: u16) -> Vec<String> {
        let lines = prose(text, width, Style::default());
        lines.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn words_stay_whole_where_they_fit() {
        assert_eq!(lines("ab cd efg", 5), ["ab cd ", "efg"]);
        assert_eq!(lines("ab cde fg", 5), ["ab ", "cde ", "fg"]);
        assert_eq!(lines("ab   cd", 3), ["ab  ", " cd"]);
        assert_eq!(lines("abcdefg", 3), ["abc", "def", "g"]);
        assert_eq!(lines("漢字漢", 4), ["漢字", "漢"]);
        assert_eq!(lines("a\n\nb", 4), ["a", "", "b"]);
        assert_eq!(lines("", 4), [""]);
        assert_eq!(lines("a\r\nb\rc\u{85}", 40), ["a", "b⟨U+000D⟩c⟨U+0085⟩"]);
        assert_eq!(lines("x\u{1b}[2J\u{202e}y", 40), ["x⟨U+001B⟩[2J⟨U+202E⟩y"]);
    }
}
