//! From which width on the cells of a table stand side by side: where each of its words has room. Below it they stand
//! below each other, row by row, so that no word is broken and nothing is out of sight to the side.

use visible::{columns, line, prose_runs};

use super::drawn::WORD;
use crate::ui::{action::escape, html_text::text_of};

/// The widths of the style sheet, in pixels, narrowest first, and what each is called there.
const WIDTHS: [(usize, &str); 3] = [(560, "from-560"), (650, "from-650"), (860, "from-860")];
/// In a list or a quote no table is wider than the first.
const NESTED: usize = 50;
/// Padding and border of a cell.
const CELL: usize = 13;
/// One pixel in ten more, for headings are bold and fonts differ.
const SPARE: usize = 11;

/// The columns of a column's name above each of its cells; whole it stands in the first row.
const NAME: usize = 24;

/// Cells that stand below each other, each under the number and the name of its column, so that an empty one is seen
/// and none is taken for another's.
#[derive(Default)]
pub(super) struct Columns {
    /// As text; empty where the first row has none.
    names: Vec<String>,
    /// The next cell's.
    at: usize,
}

impl Columns {
    /// Of a table with these rows, as HTML.
    pub(super) fn new(rows: &str) -> Self {
        let first = rows.split("</tr>").next().unwrap_or_default();
        let cells = first.split_inclusive("</th>");
        let names = cells.filter(|cell| cell.ends_with("</th>")).map(name);
        Self {
            names: names.collect(),
            at: 0,
        }
    }

    pub(super) fn next_row(&mut self) {
        self.at = 0;
    }

    /// The start tag of a cell, with its column's name.
    pub(super) fn cell(&mut self, tag: &str, html: &mut String) {
        let name = self.names.get(self.at).map_or("", String::as_str);
        self.at += 1;
        html.push_str(tag.trim_end_matches('>'));
        if !name.is_empty() && tag.starts_with("<th") {
            html.push('>');
            return;
        }
        // The number comes first: names may be the same, or pass for one.
        html.push_str(&format!(" data-column=\"{}. ", self.at));
        escape(name, html);
        html.push_str("\">");
    }
}

fn name(cell: &str) -> String {
    let whole = line(text_of(cell).trim());
    match beginning(&whole, NAME) {
        all if all == whole => whole,
        cut => format!("{cut}…"),
    }
}

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
    let words = drawn.split_whitespace();
    let widths = words.map(|word| beginning(word, WORD).chars().map(pixels).sum());
    widths.max().unwrap_or_default()
}

/// Its first signs, of so many columns at most.
fn beginning(text: &str, room: usize) -> &str {
    let mut room = room;
    let end = text.char_indices().find(|(_, sign)| {
        let columns = columns(sign.encode_utf8(&mut [0; 4]));
        let fits = columns <= room;
        room = room.saturating_sub(columns);
        !fits
    });
    end.map_or(text, |(end, _)| &text[..end])
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
    use super::{Columns, class};

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
    fn each_cell_has_its_columns_name() {
        let long = "x".repeat(30);
        let mut columns = Columns::new(&format!(
            "<thead><tr><th>a&lt;\u{202e}&quot;</th><th></th><th>{long}</th></tr></thead><tr><td>1</td></tr>"
        ));
        let mut row = |tag: &str| {
            columns.next_row();
            let mut html = String::new();
            for _ in 0..4 {
                columns.cell(tag, &mut html);
            }
            html
        };
        assert_eq!(
            row("<th>"),
            "<th><th data-column=\"2. \"><th><th data-column=\"4. \">"
        );
        assert_eq!(
            row("<td align=\"right\">").replace(" align=\"right\"", ""),
            format!(
                "<td data-column=\"1. a&lt;⟨U+202E⟩&quot;\"><td data-column=\"2. \">\
                 <td data-column=\"3. {}…\"><td data-column=\"4. \">",
                "x".repeat(24)
            )
        );
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
