//! The style of these pages: a part of the dashboard's and their own, written into the page, so that there is nothing
//! to wait for but the page. The policy names it by its hash.

use std::sync::LazyLock;

use base64::{Engine, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};

const SHEETS: [&str; 4] = [
    include_str!("../../../../style/base.css"),
    include_str!("../../../../style/components/prompt.css"),
    include_str!("../../../../style/components/action.css"),
    include_str!("../../../../style/quick.css"),
];

/// All of it, without what only its authors read.
pub(super) static STYLE: LazyLock<String> = LazyLock::new(|| {
    let order = "@layer reset,tokens,base,components;";
    SHEETS.iter().fold(order.to_owned(), |whole, sheet| {
        whole + &without_blanks(sheet)
    })
});

/// What such a page may do: nothing but its own style, its own script and its own form.
pub(super) static POLICY: LazyLock<String> = LazyLock::new(|| {
    let hash = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
    format!(
        "default-src 'none'; script-src 'self'; style-src 'sha256-{hash}'; connect-src 'self'; img-src 'self'; \
         base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors 'none'"
    )
});

/// A sheet that is written as ours are: a declaration a line, and no comment within one.
fn without_blanks(sheet: &str) -> String {
    let mut rest = sheet;
    let mut bare = String::with_capacity(sheet.len());
    while let Some(at) = rest.find("/*") {
        bare.push_str(&rest[..at]);
        rest = rest[at..].split_once("*/").map_or("", |(_, after)| after);
    }
    bare.push_str(rest);
    let mut dense = String::with_capacity(bare.len());
    for line in bare.lines() {
        let line = line.trim();
        match line.split_once(": ") {
            // A selector has no blank behind its colon.
            Some((name, value)) if line.ends_with(';') => {
                dense.push_str(name);
                dense.push(':');
                dense.push_str(value);
            }
            _ if line.ends_with(" {") => {
                dense.push_str(line.trim_end_matches(" {"));
                dense.push('{');
            }
            _ => {
                dense.push_str(line);
                // Of a selector, or a value, in several lines.
                if !line.is_empty() && !line.ends_with([',', ';', '}', '{']) {
                    dense.push(' ');
                }
            }
        }
    }
    dense.replace(";}", "}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_blanks_and_comments_are_left_out() {
        let sheet = "/* a */\n.a,\n.b > .c {\n  color: var(--ink);\n  &:hover {\n    content: \" (\";\n  }\n}\n";
        assert_eq!(
            without_blanks(sheet),
            ".a,.b > .c{color:var(--ink);&:hover{content:\" (\"}}"
        );
        let count = |c| STYLE.matches(c).count();
        assert_eq!(count('{'), count('}'));
        assert!(!STYLE.contains("/*") && !STYLE.contains("</"));
    }

    #[test]
    fn there_is_room_beside_the_style() {
        assert!(STYLE.len() < 15_000, "{}", STYLE.len());
    }
}
