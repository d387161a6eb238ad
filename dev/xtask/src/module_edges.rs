//! Which module of the server may use which (ARCHITECTURE.md): transports never import each other. Nor do the tests of
//! the whole. Between crates the compiler sees to it.

use std::fs;

use anyhow::{Result, bail};

use crate::files;
use crate::workspace::Workspace;

/// The modules between the server's use cases and the world. None of them knows another.
const TRANSPORTS: [&str; 9] = [
    "a2a",
    "api",
    "delivery",
    "jobs",
    "mcp",
    "slack",
    "slack_requests",
    "socket",
    "ui",
];

/// Of those, which one may use another, and why.
const EXCEPTIONS: [(&str, &str); 2] = [
    // Requests that Slack signs are handed to the module that does what people press.
    ("slack_requests", "slack"),
    // The sample that an endpoint is shown is what would be sent to it.
    ("api", "delivery"),
];

/// A file of tests each, and `support/`, which they take from.
const TESTS: &str = "crates/handraise/tests/it";

/// Libraries that only some of them know.
const LIBRARIES: [(&str, &[&str]); 4] = [
    ("leptos", &["ui"]),
    ("leptos_axum", &["ui"]),
    ("rmcp", &["mcp"]),
    (
        "axum",
        &["a2a", "api", "mcp", "slack_requests", "socket", "ui"],
    ),
];

pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let mut offences = Vec::new();
    for module in TRANSPORTS {
        let forbidden = forbidden(module);
        let forbidden: Vec<&str> = forbidden.iter().map(String::as_str).collect();
        for (file, code) in code_of(workspace, module)? {
            for found in uses(&code, &forbidden) {
                offences.push(format!("server/src/{file} must not use {found}"));
            }
        }
    }
    offences.extend(among_tests(workspace)?);
    if offences.is_empty() {
        return Ok(());
    }
    bail!("module edges:\n  {}", offences.join("\n  "))
}

/// Where a test, or what all of them stand on, takes something from a test.
fn among_tests(workspace: &Workspace) -> Result<Vec<String>> {
    let files = files::below(&workspace.root.join(TESTS))?;
    let tests = files.keys().filter_map(|file| {
        let name = file.strip_suffix(".rs")?;
        (!name.contains('/')).then(|| format!("crate::{name}"))
    });
    let tests: Vec<String> = tests.collect();
    let tests: Vec<&str> = tests.iter().map(String::as_str).collect();
    let offences = files.iter().flat_map(|(file, code)| {
        let code = String::from_utf8_lossy(code);
        let found = uses(&code, &tests).into_iter();
        found
            .map(|test| format!("{TESTS}/{file} must not use {test}"))
            .collect::<Vec<_>>()
    });
    Ok(offences.collect())
}

/// The names that a transport must not use.
fn forbidden(module: &str) -> Vec<String> {
    let others = TRANSPORTS
        .iter()
        .filter(|other| **other != module && !EXCEPTIONS.contains(&(module, other)));
    let libraries = LIBRARIES.iter().filter(|(_, who)| !who.contains(&module));
    others
        .map(|other| format!("crate::{other}"))
        .chain(libraries.map(|(name, _)| (*name).to_owned()))
        .collect()
}

/// The files of a module, whether it is one or a folder.
fn code_of(workspace: &Workspace, module: &str) -> Result<Vec<(String, String)>> {
    let source = workspace.root.join("server/src");
    let name = format!("{module}.rs");
    if let Ok(code) = fs::read_to_string(source.join(&name)) {
        return Ok(vec![(name, code)]);
    }
    let files = files::below(&source.join(module))?.into_iter();
    let code = files.map(|(file, code)| {
        let code = String::from_utf8_lossy(&code).into_owned();
        (format!("{module}/{file}"), code)
    });
    Ok(code.collect())
}

/// The names of `forbidden` that the code has outside of comments.
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
    use super::{among_tests, uses};
    use crate::workspace::Workspace;

    #[test]
    fn no_test_takes_from_another() {
        let workspace = Workspace::find().unwrap();
        assert_eq!(among_tests(&workspace).unwrap(), [""; 0]);
    }

    #[test]
    fn a_transport_knows_no_other() {
        let forbidden = super::forbidden("slack_requests");
        assert!(forbidden.contains(&"crate::api".to_owned()));
        assert!(!forbidden.contains(&"crate::slack".to_owned()));
        assert!(!forbidden.contains(&"axum".to_owned()));
        assert!(super::forbidden("jobs").contains(&"axum".to_owned()));
    }

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
