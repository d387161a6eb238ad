//! What an edit changes, as people are shown it beside the exact arguments: a difference with the lines around it. It is never a
//! part of what is approved, and never in the place of it.
//!
//! The file's content leaves this machine for it. So only the lines next to a change are sent, of a file in the folder that the
//! agent works in, and of none whose name says that it holds secrets.

use std::{
    fs::{self, File},
    io::Read,
    path::Path,
    time::Duration,
};

use domain::{digest, interaction::Operand};
use serde::Deserialize;
use serde_json::Value;
use similar::TextDiff;

/// No larger file is read.
const LONGEST_FILE: u64 = 512 * 1024;
/// How many lines are shown, and how many bytes of them.
const MOST_LINES: usize = 120;
const MOST_BYTES: usize = 6_000;
/// How much of one line.
const LONGEST_LINE: usize = 300;
/// How long it may be looked for a short one.
const COMPARING: Duration = Duration::from_millis(500);
/// Lines around a change.
const AROUND: usize = 3;

/// Files whose names are, begin or end so hold secrets.
const SECRET: [&str; 9] = [
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".git-credentials",
    "credentials",
    "credentials.json",
    "secrets.yml",
    "secrets.yaml",
];
const SECRET_BEGINS: [&str; 2] = [".env", "id_"];
const SECRET_ENDS: [&str; 8] = [
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".jks",
    ".keystore",
    ".kdbx",
    ".env",
];

/// A difference, and the content of the file that it was made of.
#[derive(Debug, PartialEq)]
pub(super) struct Difference {
    /// As the call names the file.
    name: String,
    /// As it was read.
    sha256: String,
    said: String,
}

#[derive(Deserialize)]
struct Edit {
    old_string: String,
    new_string: String,
    #[serde(default)]
    replace_all: bool,
}

impl Difference {
    /// Of a call of one of the tools that edit files; `None` where the arguments say as much, or it cannot be told.
    pub(super) fn of(tool: &str, input: &Value, folder: &Path) -> Option<Self> {
        let key = match tool {
            "Edit" | "MultiEdit" | "Write" => "file_path",
            "NotebookEdit" => "notebook_path",
            _ => return None,
        };
        let name = input[key].as_str()?;
        let bytes = content(folder, Path::new(name))?;
        let sha256 = hex(&bytes);
        let text = String::from_utf8(bytes)
            .ok()
            .filter(|it| !it.contains('\0'))?;
        let (before, after) = match tool {
            "Write" => (text, input["content"].as_str()?.to_owned()),
            "NotebookEdit" => cell(&text, input)?,
            _ => edited(text, input)?,
        };
        Some(Self {
            said: shown(&before, &after)?,
            name: name.to_owned(),
            sha256,
        })
    }

    /// For people, if it is of the very files that they approve.
    pub(super) fn told(&self, operands: &[Operand]) -> Option<&str> {
        let is_it = |it: &Operand| it.name == self.name && it.sha256 == self.sha256;
        operands.iter().any(is_it).then_some(&*self.said)
    }
}

/// As an operand has it.
fn hex(bytes: &[u8]) -> String {
    digest::sha256(bytes).replace("sha256:", "")
}

/// Of a file in this folder, by whatever name: a link does not lead out of it.
fn content(folder: &Path, name: &Path) -> Option<Vec<u8>> {
    let folder = fs::canonicalize(folder).ok()?;
    let place = fs::canonicalize(folder.join(name)).ok()?;
    let is_secret = |name: &str| {
        let name = name.to_lowercase();
        SECRET.contains(&&*name)
            || SECRET_BEGINS.iter().any(|it| name.starts_with(it))
            || SECRET_ENDS.iter().any(|it| name.ends_with(it))
    };
    let names = [name.file_name()?.to_str()?, place.file_name()?.to_str()?];
    if !place.starts_with(&folder) || names.into_iter().any(is_secret) {
        return None;
    }
    let is_fit = |it: &fs::Metadata| it.is_file() && it.len() <= LONGEST_FILE;
    // A pipe would wait for its other end.
    fs::metadata(&place).ok().filter(is_fit)?;
    let mut bytes = Vec::new();
    let file = File::open(&place).ok()?;
    file.take(LONGEST_FILE + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= LONGEST_FILE).then_some(bytes)
}

/// `None` where the tool would fail, too.
fn edited(before: String, input: &Value) -> Option<(String, String)> {
    let edits: Vec<Edit> = match input.get("edits") {
        Some(edits) => serde_json::from_value(edits.clone()).ok()?,
        None => vec![serde_json::from_value(input.clone()).ok()?],
    };
    let mut after = before.clone();
    for edit in edits {
        let times = match &*edit.old_string {
            "" => 0,
            old => after.matches(old).take(2).count(),
        };
        after = match (times, edit.replace_all) {
            (0, _) | (2, false) => return None,
            (_, true) => after.replace(&edit.old_string, &edit.new_string),
            (_, false) => after.replacen(&edit.old_string, &edit.new_string, 1),
        };
        if after.len() as u64 > 4 * LONGEST_FILE {
            return None;
        }
    }
    Some((before, after))
}

/// One cell of a notebook.
fn cell(notebook: &str, input: &Value) -> Option<(String, String)> {
    let notebook: Value = serde_json::from_str(notebook).ok()?;
    let new = || Some(input["new_source"].as_str()?.to_owned());
    let mode = input["edit_mode"].as_str().unwrap_or("replace");
    if mode == "insert" {
        return Some((String::new(), new()?));
    }
    let id = input["cell_id"].as_str()?;
    let cells = notebook["cells"].as_array()?;
    let by_number = || cells.get(id.strip_prefix("cell-")?.parse::<usize>().ok()?);
    let cell = cells.iter().find(|it| it["id"] == id).or_else(by_number)?;
    let before = match &cell["source"] {
        Value::String(source) => source.clone(),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    Some((
        before,
        if mode == "delete" {
            String::new()
        } else {
            new()?
        },
    ))
}

/// As a block of markdown, and how much of it is missing.
fn shown(before: &str, after: &str) -> Option<String> {
    let mut config = TextDiff::configure();
    let diff = config.timeout(COMPARING).diff_lines(before, after);
    let unified = diff
        .unified_diff()
        .context_radius(AROUND)
        .missing_newline_hint(false)
        .to_string();
    if unified.is_empty() {
        return None;
    }
    let (mut block, mut lines, mut left_out, mut is_cut) = (String::new(), 0, 0, false);
    for line in unified.lines() {
        let part: String = line.chars().take(LONGEST_LINE).collect();
        if left_out > 0 || lines == MOST_LINES || block.len() + part.len() > MOST_BYTES {
            left_out += 1;
            continue;
        }
        is_cut |= part.len() < line.len();
        block += &part;
        block += if part.len() < line.len() {
            "…\n"
        } else {
            "\n"
        };
        lines += 1;
    }
    let longest = block.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let mut said = format!("The file now and then:\n\n{fence}diff\n{block}{fence}");
    if left_out > 0 {
        said += &format!(
            "\n\n{left_out} more lines of this are left out. All of the change is in the arguments."
        );
    } else if is_cut {
        said += "\n\nLong lines of this are cut off. All of the change is in the arguments.";
    }
    Some(said)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(folder: &Path, tool: &str, input: Value) -> Option<String> {
        Difference::of(tool, &input, folder).map(|it| it.said)
    }

    #[test]
    fn an_edit_is_shown_with_the_lines_around_it() {
        let folder = tempfile::tempdir().unwrap();
        let lines: Vec<String> = (1..=20).map(|n| format!("line {n}")).collect();
        fs::write(folder.path().join("a.txt"), lines.join("\n") + "\n").unwrap();
        let edit =
            json!({"file_path": "a.txt", "old_string": "line 10\n", "new_string": "ten ```\n"});
        let said = of(folder.path(), "Edit", edit).unwrap();
        assert_eq!(
            said,
            "The file now and then:\n\n````diff\n@@ -7,7 +7,7 @@\n line 7\n line 8\n line 9\n-line 10\n+ten ```\n line 11\n line 12\n line 13\n````"
        );
        let several = json!({"file_path": folder.path().join("a.txt"), "edits": [
            {"old_string": "line 1\n", "new_string": ""}, {"old_string": "line", "new_string": "row", "replace_all": true}]});
        let said = of(folder.path(), "MultiEdit", several).unwrap();
        assert!(
            said.contains("-line 1\n") && said.contains("+row 20\n"),
            "{said}"
        );
        let write = json!({"file_path": "a.txt", "content": lines[..19].join("\n") + "\n"});
        let said = of(folder.path(), "Write", write).unwrap();
        assert!(
            said.contains("-line 20\n") && !said.contains("line 16\n"),
            "{said}"
        );
    }

    #[test]
    fn a_cell_of_a_notebook_is_shown_by_its_source() {
        let folder = tempfile::tempdir().unwrap();
        let notebook =
            json!({"cells": [{"id": "x", "source": ["a = 1\n", "b = 2\n"]}, {"source": "c"}]});
        fs::write(folder.path().join("n.ipynb"), notebook.to_string()).unwrap();
        for (input, part) in [
            (
                json!({"cell_id": "x", "new_source": "a = 1\nb = 3\n"}),
                "-b = 2\n+b = 3\n",
            ),
            (
                json!({"cell_id": "cell-1", "new_source": "", "edit_mode": "delete"}),
                "-c\n",
            ),
            (
                json!({"cell_id": "x", "new_source": "new", "edit_mode": "insert"}),
                "+new\n",
            ),
        ] {
            let mut input = input;
            input["notebook_path"] = "n.ipynb".into();
            let said = of(folder.path(), "NotebookEdit", input).unwrap();
            assert!(said.contains(part), "{said}");
        }
    }

    #[test]
    fn a_large_one_is_bounded_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "x\n".repeat(5_000)).unwrap();
        let write = |content: String| json!({"file_path": "a", "content": content});
        let said = of(folder.path(), "Write", write("y\n".repeat(5_000))).unwrap();
        assert!(said.lines().count() < MOST_LINES + 12, "{said}");
        assert!(said.contains("more lines of this are left out"), "{said}");
        let said = of(folder.path(), "Write", write("ä".repeat(100_000))).unwrap();
        assert!(said.len() < 2 * MOST_BYTES, "{}", said.len());
    }

    #[test]
    fn what_is_no_text_of_this_folder_or_may_be_secret_is_not_sent() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("in");
        fs::create_dir(&inside).unwrap();
        fs::write(folder.path().join("out"), "secret\n").unwrap();
        for (name, content) in [
            ("binary", &b"a\0b\n"[..]),
            ("latin", b"\xe4\n"),
            (".env.local", b"KEY=1\n"),
            ("server.PEM", b"KEY\n"),
            ("long", &vec![b'a'; 600 * 1024]),
        ] {
            fs::write(inside.join(name), content).unwrap();
        }
        #[cfg(unix)]
        for (to, name) in [
            ("../out", "link"),
            ("/dev/zero", "zero"),
            (".env.local", "plain"),
        ] {
            std::os::unix::fs::symlink(to, inside.join(name)).unwrap();
        }
        for name in [
            "binary",
            "latin",
            ".env.local",
            "server.PEM",
            "long",
            "link",
            "zero",
            "plain",
            "none",
            ".",
            "../out",
            "",
        ] {
            let write = json!({"file_path": name, "content": "new\n"});
            assert_eq!(of(&inside, "Write", write), None, "{name}");
        }
        for input in [
            json!({}),
            json!(null),
            json!({"file_path": 1}),
            json!({"file_path": "a", "edits": 1}),
        ] {
            assert_eq!(of(&inside, "Edit", input), None);
        }
        fs::write(inside.join("a"), "b b\n").unwrap();
        for old in ["", "c", "b"] {
            let edit = json!({"file_path": "a", "old_string": old, "new_string": "x"});
            assert_eq!(of(&inside, "Edit", edit), None, "{old}");
        }
    }

    #[test]
    fn it_is_told_of_the_very_file_that_is_approved_and_of_no_other() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "b\n").unwrap();
        let write = json!({"file_path": "a", "content": "c\n"});
        let found = Difference::of("Write", &write, folder.path()).unwrap();
        let operand = |name: &str, content: &str| Operand {
            name: name.to_owned(),
            sha256: hex(content.as_bytes()),
            size: 2,
        };
        assert!(found.told(&[operand("a", "b\n")]).is_some());
        assert!(
            found
                .told(&[operand("a", "B\n"), operand("b", "b\n")])
                .is_none()
        );
        assert!(found.told(&[]).is_none());
    }
}
