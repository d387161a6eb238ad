//! A limit stands once, in `domain::limits`: what clients read of it (the API's document, the tools' schemas, the
//! program's options) takes it from there.

use anyhow::{Result, bail};

use crate::files;
use crate::workspace::Workspace;

/// Where limits are told.
const ROOMS: [&str; 4] = [
    "server/src/api",
    "server/src/mcp",
    "server/src/resource",
    "crates/agent/src/commands",
];

/// The names of limits in a schema. Limits of one are no numbers that anybody has chosen.
const WORDS: [&str; 7] = [
    "max_length",
    "max_items",
    "maximum",
    "max_properties",
    "maxLength",
    "maxItems",
    "maxProperties",
];

pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let mut offences = Vec::new();
    for room in ROOMS {
        for (file, code) in files::below(&workspace.root.join(room))? {
            let code = String::from_utf8_lossy(&code);
            for (n, line) in code.lines().enumerate() {
                if has_a_limit_of_its_own(line) {
                    offences.push(format!("{room}/{file}:{}: {}", n + 1, line.trim()));
                }
            }
        }
    }
    if offences.is_empty() {
        return Ok(());
    }
    bail!(
        "limits that do not come from `domain::limits`:\n  {}",
        offences.join("\n  ")
    )
}

/// Whether a number of more than one digit follows such a word.
fn has_a_limit_of_its_own(line: &str) -> bool {
    WORDS.iter().any(|word| {
        line.match_indices(word).any(|(at, _)| {
            let rest = line[at + word.len()..].replace("Some(", "");
            let rest = rest.trim_start_matches(['"', '(', ':', '=', ' ']);
            let digits = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '_');
            digits.filter(char::is_ascii_digit).count() > 1
        })
    })
}

#[cfg(test)]
mod tests {
    use super::has_a_limit_of_its_own;

    #[test]
    fn a_number_beside_the_word_of_a_limit_is_found() {
        for (line, is_found) in [
            (".max_length(Some(20_000))", true),
            ("\"maxItems\": 25,", true),
            (".maximum(Some(limits::TIMEOUT_SECONDS))", false),
            (".max_items(Some(1))", false),
            ("let maximum = limits::OPTIONS; // 25", false),
        ] {
            assert_eq!(has_a_limit_of_its_own(line), is_found, "{line}");
        }
    }
}
