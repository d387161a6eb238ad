//! Known faults of what we use. Each tool needs its data from outside: where it has none, it cannot tell, and that is
//! said and no failure.

use std::path::Path;
use std::process::{Command, Output};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::progress::Steps;
use crate::workspace::Workspace;
use crate::{command, python, typescript};

/// With an exact version, as everything else that runs here.
const PIP_AUDIT: &str = "pip-audit==2.10.1";

#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Clean,
    /// A line each.
    Found(Vec<String>),
    /// It could not look, and says why.
    Unknown(String),
}

pub(crate) fn check(workspace: &Workspace, steps: &mut Steps) -> Result<()> {
    type Look = fn(&Workspace) -> Verdict;
    let looks: [(&str, Look); 3] = [
        ("advisories of crates", crates),
        ("advisories of npm packages", npm),
        ("advisories of Python packages", pip),
    ];
    for (what, look) in looks {
        match look(workspace) {
            Verdict::Unknown(why) => steps.skip(what, &why),
            Verdict::Clean => steps.step(what, "done", || Ok(()))?,
            Verdict::Found(lines) => {
                steps.step(what, "done", || bail!("{what}:\n  {}", lines.join("\n  ")))?;
            }
        }
    }
    Ok(())
}

fn crates(workspace: &Workspace) -> Verdict {
    if command::find_on_path(&["cargo-deny"]).is_none() {
        return Verdict::Unknown("cargo-deny is not installed (cargo install cargo-deny)".into());
    }
    let mut deny = workspace.cargo();
    deny.args(["deny", "--format", "json", "check", "advisories"]);
    run(&mut deny, |output| of_cargo_deny(&text(&output.stderr)))
}

fn npm(workspace: &Workspace) -> Verdict {
    if command::find_on_path(&["npm"]).is_none() {
        return Verdict::Unknown("npm is not installed".into());
    }
    let looks = typescript::LOCKED.map(|folder| {
        let mut npm = Command::new("npm");
        npm.args(["audit", "--json", "--package-lock-only"])
            .current_dir(workspace.root.join(folder));
        run(&mut npm, |output| of_npm(&text(&output.stdout)))
    });
    together(looks)
}

fn pip(workspace: &Workspace) -> Verdict {
    let folder = workspace.target.join("pip-audit");
    let program = folder.join("bin/pip-audit");
    if !program.exists()
        && let Err(error) = install_pip_audit(&folder)
    {
        return Verdict::Unknown(format!("pip-audit cannot be installed: {error:#}"));
    }
    let mut audit = Command::new(program);
    audit.args([
        "--format",
        "json",
        "--progress-spinner",
        "off",
        "--disable-pip",
        "--no-deps",
    ]);
    for file in python::REQUIREMENTS {
        audit.arg("--requirement").arg(workspace.root.join(file));
    }
    run(&mut audit, |output| {
        of_pip_audit(&text(&output.stdout), &text(&output.stderr))
    })
}

fn install_pip_audit(folder: &Path) -> Result<()> {
    python::make(folder)?;
    command::run(Command::new(folder.join("bin/python")).args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        PIP_AUDIT,
    ]))
}

fn run(command: &mut Command, read: impl FnOnce(&Output) -> Verdict) -> Verdict {
    match command.output().context("it cannot be started") {
        Ok(output) => read(&output),
        Err(error) => Verdict::Unknown(format!("{error:#}")),
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// JSON, a line each. Without a summary it did not get as far as looking.
fn of_cargo_deny(output: &str) -> Verdict {
    let lines: Vec<Value> = output
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let errors = |kind: &str| -> Vec<String> {
        let of_kind = lines.iter().filter(|line| line["type"] == kind);
        let severe = of_kind
            .map(|line| &line["fields"])
            .filter(|fields| fields["severity"] == "error" || fields["level"] == "ERROR");
        severe
            .map(|fields| match fields["advisory"]["id"].as_str() {
                Some(id) => format!("{id}: {}", one_line(&fields["message"])),
                None => one_line(&fields["message"]),
            })
            .collect()
    };
    if !lines.iter().any(|line| line["type"] == "summary") {
        let why = errors("log").into_iter().next();
        return Verdict::Unknown(why.unwrap_or_else(|| "cargo-deny did not say anything".into()));
    }
    found(errors("diagnostic"))
}

fn of_npm(output: &str) -> Verdict {
    let Ok(report) = serde_json::from_str::<Value>(output) else {
        return Verdict::Unknown("npm did not answer with JSON".into());
    };
    let Some(vulnerable) = report["vulnerabilities"].as_object() else {
        let why = [&report["message"], &report["error"]["summary"]];
        let why = why.into_iter().find(|why| why.is_string());
        return Verdict::Unknown(why.map_or_else(|| "npm has no data".into(), one_line));
    };
    let lines = vulnerable.iter().map(|(name, what)| {
        let (severity, range) = (one_line(&what["severity"]), one_line(&what["range"]));
        format!("{name} {range}: {severity}")
    });
    found(lines.collect())
}

fn of_pip_audit(output: &str, errors: &str) -> Verdict {
    let report = serde_json::from_str::<Value>(output).ok();
    let Some(packages) = report
        .as_ref()
        .and_then(|report| report["dependencies"].as_array())
    else {
        let last = errors.lines().rfind(|line| !line.trim().is_empty());
        return Verdict::Unknown(last.unwrap_or("pip-audit has no data").trim().to_owned());
    };
    // Packages it could not look up it names without having looked.
    let skipped: Vec<_> = packages
        .iter()
        .filter(|package| package["skip_reason"].is_string())
        .map(|package| one_line(&package["name"]))
        .collect();
    let lines: Vec<_> = packages
        .iter()
        .flat_map(|package| {
            let faults = package["vulns"].as_array().into_iter().flatten();
            faults.map(move |fault| {
                let (name, version) = (one_line(&package["name"]), one_line(&package["version"]));
                format!("{name} {version}: {}", one_line(&fault["id"]))
            })
        })
        .collect();
    if lines.is_empty() && !skipped.is_empty() {
        return Verdict::Unknown(format!("nothing is known of {}", skipped.join(", ")));
    }
    found(lines)
}

/// What was found anywhere counts; then what one could not tell.
fn together(verdicts: impl IntoIterator<Item = Verdict>) -> Verdict {
    let (mut lines, mut unknown) = (Vec::new(), None);
    for verdict in verdicts {
        match verdict {
            Verdict::Clean => {}
            Verdict::Found(more) => lines.extend(more),
            Verdict::Unknown(why) => unknown = Some(why),
        }
    }
    match unknown {
        Some(why) if lines.is_empty() => Verdict::Unknown(why),
        _ => found(lines),
    }
}

fn found(lines: Vec<String>) -> Verdict {
    match lines.is_empty() {
        true => Verdict::Clean,
        false => Verdict::Found(lines),
    }
}

fn one_line(value: &Value) -> String {
    let text = value.as_str().unwrap_or("?");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown(verdict: &Verdict, why: &str) -> bool {
        matches!(verdict, Verdict::Unknown(said) if said.contains(why))
    }

    #[test]
    fn a_crate_with_a_known_fault_is_named_and_missing_data_is_no_fault() {
        let found = r#"{"type":"diagnostic","fields":{"severity":"error","message":"a fault\nin it","advisory":{"id":"RUSTSEC-2030-0001"}}}
{"type":"diagnostic","fields":{"severity":"warning","message":"yanked"}}
{"type":"summary","fields":{"advisories":{"errors":1}}}"#;
        let line = "RUSTSEC-2030-0001: a fault in it".to_owned();
        assert_eq!(of_cargo_deny(found), Verdict::Found(vec![line]));
        let clean = r#"{"type":"summary","fields":{"advisories":{"errors":0}}}"#;
        assert_eq!(of_cargo_deny(clean), Verdict::Clean);
        let offline = r#"{"type":"log","fields":{"level":"ERROR","message":"failed to fetch advisory database"}}"#;
        assert!(unknown(&of_cargo_deny(offline), "failed to fetch"));
        assert!(unknown(
            &of_cargo_deny("error: no such command"),
            "did not say"
        ));
    }

    #[test]
    fn an_npm_package_with_a_known_fault_is_named_and_missing_data_is_no_fault() {
        let found = r#"{"vulnerabilities":{"ws":{"severity":"high","range":"<8.17.1"}}}"#;
        let line = "ws <8.17.1: high".to_owned();
        assert_eq!(of_npm(found), Verdict::Found(vec![line]));
        assert_eq!(of_npm(r#"{"vulnerabilities":{}}"#), Verdict::Clean);
        let offline = r#"{"message":"request failed","error":{"summary":"","detail":""}}"#;
        assert!(unknown(&of_npm(offline), "request failed"));
        assert!(unknown(&of_npm(""), "JSON"));
        let fault = || Verdict::Found(vec!["ws: high".into()]);
        let missing = || Verdict::Unknown("no data".into());
        assert_eq!(
            together([missing(), fault(), Verdict::Clean, fault()]),
            Verdict::Found(vec!["ws: high".into(), "ws: high".into()])
        );
        assert_eq!(together([Verdict::Clean, missing()]), missing());
        assert_eq!(together([Verdict::Clean, Verdict::Clean]), Verdict::Clean);
    }

    #[test]
    fn a_python_package_with_a_known_fault_is_named_and_missing_data_is_no_fault() {
        let found = r#"{"dependencies":[{"name":"mcp","version":"1.0","vulns":[{"id":"PYSEC-1"}]},
            {"name":"x","skip_reason":"not there"}]}"#;
        let line = "mcp 1.0: PYSEC-1".to_owned();
        assert_eq!(of_pip_audit(found, ""), Verdict::Found(vec![line]));
        let clean = r#"{"dependencies":[{"name":"mcp","version":"1.0","vulns":[]}]}"#;
        assert_eq!(of_pip_audit(clean, ""), Verdict::Clean);
        let skipped = r#"{"dependencies":[{"name":"x","skip_reason":"not there"}]}"#;
        assert!(unknown(&of_pip_audit(skipped, ""), "nothing is known of x"));
        assert!(unknown(
            &of_pip_audit("", "Traceback\nConnectionError: no\n\n"),
            "ConnectionError"
        ));
    }
}
