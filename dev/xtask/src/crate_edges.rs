//! Which crate may use which (ARCHITECTURE.md): the part of the architecture a compiler cannot see.

use anyhow::{Result, bail};

use crate::command;
use crate::workspace::{TRIPLE, Workspace};

/// Our own crates, and which of our own each may depend on. The rest may depend on any.
const ALLOWED: [(&str, &[&str]); 13] = [
    ("domain", &[]),
    ("store", &["domain"]),
    ("machine", &["domain"]),
    ("signing", &["domain"]),
    ("visible", &["domain"]),
    ("attached", &["domain", "machine"]),
    (
        "service",
        &["attached", "domain", "machine", "signing", "store"],
    ),
    ("slack", &["domain", "machine", "visible"]),
    ("oidc", &["domain"]),
    ("agent", &["domain", "machine", "signing", "visible"]),
    (
        "server",
        &[
            "app", "attached", "domain", "machine", "oidc", "service", "signing", "slack", "store",
            "visible",
        ],
    ),
    ("app", &["domain", "visible"]),
    ("frontend", &["app"]),
];

/// Crates that the page must not contain, not even through a dependency: databases and HTTP clients are the
/// server's business.
const KEPT_OUT_OF_APP: [&str; 2] = ["sqlx", "reqwest"];

pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let mut offences = Vec::new();
    for (name, allowed) in ALLOWED {
        for used in workspace.own_dependencies(name)? {
            if !allowed.contains(&used.as_str()) {
                offences.push(format!("{name} must not depend on {used}"));
            }
        }
    }
    let as_rendered: &[&str] = &["--features", "ssr"];
    let as_hydrated: &[&str] = &["--features", "hydrate", "--target", TRIPLE];
    for configuration in [as_rendered, as_hydrated] {
        let tree = command::read(
            workspace
                .cargo()
                .args(["tree", "-p", "app", "-e", "normal", "--prefix", "none"])
                .args(configuration),
        )?;
        for found in kept_out(&tree) {
            let how = configuration.join(" ");
            offences.push(format!(
                "app must not contain {found} (cargo tree -p app {how} -i {found})"
            ));
        }
    }
    if offences.is_empty() {
        return Ok(());
    }
    bail!("crate edges:\n  {}", offences.join("\n  "))
}

/// Sub-crates such as `sqlx-core` count as the crate itself.
fn kept_out(tree: &str) -> Vec<&str> {
    let mut found: Vec<_> = tree
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| {
            KEPT_OUT_OF_APP
                .iter()
                .any(|it| name.split('-').next() == Some(it))
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::kept_out;

    #[test]
    fn a_crate_is_found_wherever_it_is_in_the_tree() {
        let tree = "app v0.1.0 (/a/sqlx)\nserde v1.0.0\nsqlx-core v0.9.0\nserde v1.0.0 (*)\nreqwest v0.13.5\nsqlx-core v0.9.0 (*)";
        assert_eq!(kept_out(tree), ["reqwest", "sqlx-core"]);
        assert!(kept_out("app v0.1.0 (/a/sqlx)\nserde v1.0.0").is_empty());
    }
}
