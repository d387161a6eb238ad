//! From which width on the cells of a table stand side by side: where each of its words has room. Below it they stand
//! below each other, row by row, so that no word is broken and nothing is out of sight to the side.

use visible::{columns, prose_runs};

use super::drawn::WORD;
use crate::ui::html_text::text_of;

/// The widths of the style sheet, in pixels, narrowest first, and what each is called there.
const WIDTHS: [(usize, &str); 3] = [(560, "from-560"), (650, "from-650"), (860, "from-860")];
/// In a list or a quote no table is wider than the first.
const NESTED: usize = 50;
/// Padding and border of a cell.
const CELL: usize = 13;
/// One pixel in ten more, for headings are bold and fonts differ.
const SPARE: usize = 11;

/// The class of a table with these rows, as HTML.
pub(super) fn class(rows: &str, is_nested: bool) -> &'static str {
    let need = need(rows);
    let fitting = WIDTHS.iter().find(|(width, _)| {
        let nested = if is_nested { NESTED } else { 0 };
        need + nested <= *width
    });
    match fitting {
        Some((width, _)) if is_nested && *width > WIDTHS[0].0 => "stacked",
        Some((_, class)) => class,
        None => "stacked",
    }
}

/// How many pixels its columns need, so that no word has to be broken that a row of its own would not break.
fn need(rows: &str) -> usize {
    let mut widest = Vec::new();
    for row in rows.split("</tr>") {
        let row = row.replace("</th>", "</td>");
        let cells = row
            .split_inclusive("</td>")
            .filter(|it| it.ends_with("</td>"));
        for (n, cell) in cells.enumerate() {
            if widest.len() <= n {
                widest.push(0);
            }
            widest[n] = widest[n].max(widest_word(&text_of(cell)));
        }
    }
    widest.iter().map(|pixels| pixels * SPARE / 10 + CELL).sum()
}

fn widest_word(text: &str) -> usize {
    // What is written out has a width of its own.
    let drawn: String = prose_runs(text).into_iter().map(|run| run.text).collect();
    let words = drawn.split_whitespace().map(|word| {
        let mut room = WORD;
        let signs = word.chars().take_while(|sign| {
            let columns = columns(sign.encode_utf8(&mut [0; 4]));
            let fits = columns <= room;
            room = room.saturating_sub(columns);
            fits
        });
        signs.map(pixels).sum()
    });
    words.max().unwrap_or_default()
}

/// At 14 px, in the widest of the fonts that are common (DejaVu Sans).
fn pixels(sign: char) -> usize {
    match sign {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 5,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '&' | '+' | '=' | '<' | '>' | '~' | '^' | '#' => 14,
        'A'..='Z' => 12,
        sign if sign.is_ascii() => 9,
        other => match columns(other.encode_utf8(&mut [0; 4])) {
            1 => 12,
            count => count * 9,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::class;

    fn table(rows: &[&[&str]]) -> String {
        let row = |cells: &&[&str]| {
            let cells: String = cells.iter().map(|it| format!("<td>{it}</td>")).collect();
            format!("<tr>{cells}</tr>\n")
        };
        rows.iter().map(row).collect()
    }

    #[test]
    fn cells_stand_side_by_side_where_each_word_has_room() {
        let word = "w".repeat(17);
        for (cells, expected) in [
            (vec!["a", "b"], "from-560"),
            (
                vec!["service", "replicas", "memory limit", "owner"],
                "from-560",
            ),
            (
                vec![
                    "billing-worker",
                    "replicas",
                    "memory",
                    "sha256:9f86d081884c7d65",
                    "payments",
                ],
                "from-650",
            ),
            (vec![&word, &word, "a"], "from-650"),
            (vec![&word, &word, &word], "from-860"),
            (vec![&word, &word, &word, &word], "stacked"),
            // As wide as one that is cut there.
            (vec!["w".repeat(200).as_str(), "a"], "from-560"),
            (
                vec![
                    "数据数据数据数据数据",
                    "数据数据数据数据数据",
                    "数据数据数据数据数据",
                ],
                "from-650",
            ),
        ] {
            assert_eq!(class(&table(&[&cells]), false), expected, "{cells:?}");
        }
    }

    #[test]
    fn each_column_is_as_wide_as_its_widest_word() {
        let word = "x".repeat(18);
        let one = table(&[&[&word, "a", "a"], &["a", &word, "a"], &["a", "a", &word]]);
        assert_eq!(
            class(&one, false),
            class(&table(&[&[&word, &word, &word]]), false)
        );
        assert_eq!(class(&one, true), "stacked");
        assert_eq!(class(&table(&[&["a", "b"]]), true), "from-560");
    }
}
