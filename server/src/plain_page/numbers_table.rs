//! A table of numbers, which can be scrolled by keys on a narrow screen.

use std::fmt::Write;

/// `name` is what it is about, and `first` what its lines are. All are HTML already.
pub(crate) fn table_of(
    name: &str,
    first: &str,
    heads: &[&str],
    lines: &[(String, Vec<String>)],
) -> String {
    let heads: String = heads
        .iter()
        .map(|head| format!("<th scope=\"col\">{head}</th>"))
        .collect();
    let mut rows = String::new();
    for (line, cells) in lines {
        let cells: String = cells
            .iter()
            .map(|cell| format!("<td>{cell}</td>"))
            .collect();
        // Writing to a string cannot fail.
        let _ = write!(rows, "<tr><th scope=\"row\">{line}</th>{cells}</tr>");
    }
    format!(
        "<div class=\"numbers-room\" role=\"region\" aria-label=\"{name}\" tabindex=\"0\"><table class=\"numbers\"><thead>\
         <tr><th scope=\"col\">{first}</th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
}
