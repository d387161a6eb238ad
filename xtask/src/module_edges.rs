//! Which module of the server may use which (ARCHITECTURE.md): transports never import each other. Between crates the
//! compiler sees to it.

use anyhow::{Result, bail};

use crate::files;
use crate::workspace::Workspace;

/// A module of `server/src`, and what must not stand in its code.
const FORBIDDEN: [(&str, &[&str]); 7] = [
    (
        "api",
        &[
            "leptos",
            "crate::ui",
            "crate::jobs",
            "crate::mcp",
            "crate::slack",
        ],
    ),
    (
        "ui",
        &["crate::api", "crate::jobs", "crate::mcp", "crate::slack"],
    ),
    (
        "jobs",
        &[
            "axum",
            "leptos",
            "crate::api",
            "crate::ui",
            "crate::mcp",
            "crate::slack",
        ],
    ),
    (
        "slack",
        &[
            "leptos",
            "crate::api",
            "crate::ui",
            "crate::jobs",
            "crate::mcp",
        ],
    ),
    // What an interaction looks like is the API's: of `api` it may use `types`.
    (
        "mcp",
        &[
            "leptos",
            "crate::api::v1",
            "crate::api::caller",
            "crate::ui",
            "crate::jobs",
            "crate::slack",
        ],
    ),
    (
        "live",
        &[
            "crate::api",
            "crate::ui",
            "crate::jobs",
            "crate::mcp",
            "crate::slack",
        ],
    ),
    // What it sends is what the API returns: of `api` it may use `types`.
    (
        "delivery",
        &[
            "axum",
            "leptos",
            "crate::ui",
            "crate::jobs",
            "crate::live",
            "crate::mcp",
        ],
    ),
];

pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let mut offences = Vec::new();
    for (module, forbidden) in FORBIDDEN {
        let directory = workspace.root.join("server/src").join(module);
        for (file, code) in files::below(&directory)? {
            let code = String::from_utf8_lossy(&code);
            for found in uses(&code, forbidden) {
                offences.push(format!("server/src/{module}/{file} must not use {found}"));
            }
        }
    }
    if offences.is_empty() {
        return Ok(());
    }
    bail!("module edges:\n  {}", offences.join("\n  "))
}

/// What of `forbidden` the code names outside of comments.
fn uses<'a>(code: &str, forbidden: &[&'a str]) -> Vec<&'a str> {
    let names = |line: &str, name: &str| {
        line.match_indices(name).any(|(start, _)| {
            let before = line[..start].chars().next_back();
            let after = line[start + name.len()..].chars().next();
            let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            !joins(before) && !joins(after)
        })
    };
    let imports = imports(code);
    let lines = || {
        code.lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .chain(imports.iter().map(String::as_str))
    };
    let found = forbidden
        .iter()
        .filter(|name| lines().any(|line| names(line, name)));
    found.copied().collect()
}

/// Each import of a `use crate::{…};` by its whole name.
fn imports(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (_, rest) in code
        .match_indices("use crate::{")
        .map(|(start, opening)| code.split_at(start + opening.len()))
    {
        let mut depth = 1;
        let mut name = String::from("crate::");
        for c in rest.chars() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 || (depth == 1 && c == ',') {
                found.push(std::mem::replace(&mut name, String::from("crate::")));
            } else if !c.is_whitespace() {
                name.push(c);
            }
            if depth == 0 {
                break;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::uses;

    #[test]
    fn only_whole_names_in_code_count() {
        let forbidden = ["axum", "crate::ui"];
        assert_eq!(uses("use axum::Json;", &forbidden), ["axum"]);
        assert_eq!(uses("let x = crate::ui::y();", &forbidden), ["crate::ui"]);
        let nested = "use crate::{\n    api::{body::Body, ui},\n    ui::{self, X},\n    state,\n};";
        assert_eq!(uses(nested, &forbidden), ["crate::ui"]);
        assert!(uses("use crate::{\n    api::{body::Body, ui},\n};", &forbidden).is_empty());
        assert!(uses("// axum\nuse leptos_axum::x;\nuse crate::uid;", &forbidden).is_empty());
    }
}
