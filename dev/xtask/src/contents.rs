//! `handraise.cdx.json`: the parts of the program, in the words of CycloneDX 1.6, for those who track faults. The
//! same program has the same list: no time and no random number is in it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::command;
use crate::workspace::{TRIPLE, Workspace};

/// The package that is shipped.
const PROGRAM: &str = "handraise";

/// The crates that end up in what is shipped: the server, and the page in it. Neither what only builds them, nor
/// macros, nor tests.
const SHIPPED: [&[&str]; 2] = [&["-p", PROGRAM], &["-p", "frontend", "--target", TRIPLE]];

/// A crate by its name and version.
type Named = (String, String);

/// Writes the list beside the program, and says where.
pub(crate) fn write(workspace: &Workspace, program: &Path) -> Result<PathBuf> {
    let mut shipped = BTreeSet::new();
    for part in SHIPPED {
        let tree = command::read(
            workspace
                .cargo()
                .args(["tree", "-e", "normal,no-proc-macro", "--prefix", "none"])
                .args(["--format", "{p}"])
                .args(part),
        )?;
        shipped.extend(tree.lines().filter_map(named));
    }
    let mut metadata = workspace.cargo();
    metadata.args(["metadata", "--format-version", "1"]);
    let metadata: Value = serde_json::from_str(&command::read(&mut metadata)?)
        .context("`cargo metadata` did not answer with JSON")?;
    let lock = workspace.root.join("Cargo.lock");
    let lock = fs::read_to_string(&lock).with_context(|| format!("reading {}", lock.display()))?;
    let list = list(&shipped, &metadata, &checksums(&lock))?;
    let file = program.with_file_name("handraise.cdx.json");
    let text = format!("{list:#}\n");
    fs::write(&file, text).with_context(|| format!("writing {}", file.display()))?;
    Ok(file)
}

/// `serde v1.0.0 (*)`.
fn named(line: &str) -> Option<Named> {
    let (name, rest) = line.split_once(" v")?;
    let version = rest.split_whitespace().next()?;
    Some((name.to_owned(), version.to_owned()))
}

/// SHA-256 of what the registry gave, by `Cargo.lock`.
fn checksums(lock: &str) -> BTreeMap<Named, String> {
    let value = |package: &str, key: &str| {
        let line = package.lines().find_map(|line| {
            let rest = line.strip_prefix(key)?.strip_prefix(" = \"")?;
            rest.strip_suffix('"')
        });
        line.map(str::to_owned)
    };
    let packages = lock.split("[[package]]").skip(1).filter_map(|package| {
        let named = (value(package, "name")?, value(package, "version")?);
        Some((named, value(package, "checksum")?))
    });
    packages.collect()
}

fn list(
    shipped: &BTreeSet<Named>,
    metadata: &Value,
    checksums: &BTreeMap<Named, String>,
) -> Result<Value> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let by_name: BTreeMap<Named, &Value> = packages
        .filter_map(|package| {
            let text = |key: &str| package[key].as_str().map(str::to_owned);
            Some(((text("name")?, text("version")?), package))
        })
        .collect();
    let mut components = Vec::new();
    for (name, version) in shipped.iter().filter(|(name, _)| name != PROGRAM) {
        let key = (name.clone(), version.clone());
        let package = by_name
            .get(&key)
            .with_context(|| format!("`cargo metadata` does not know {name} {version}"))?;
        let purl = format!("pkg:cargo/{name}@{version}");
        let mut component = json!({
            "type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl,
        });
        if let Some(licence) = package["license"].as_str() {
            // As crates wrote it before there was SPDX.
            let expression = licence.replace('/', " OR ");
            component["licenses"] = json!([{ "expression": expression }]);
        }
        if let Some(sum) = checksums.get(&key) {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
        }
        components.push(component);
    }
    let version = by_name
        .keys()
        .find(|(name, _)| name == PROGRAM)
        .map(|(_, version)| version.clone())
        .context("`cargo metadata` does not know the program")?;
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": { "component": {
            "type": "application", "bom-ref": "handraise", "name": "handraise", "version": version,
        } },
        "components": components,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_names_what_is_shipped_with_licence_and_checksum() {
        let tree = "handraise v0.1.0 (/a/handraise)\nserver v0.1.0 (/a/server)\nserde v1.0.229\nserde v1.0.229 (*)\nold v2.0.0";
        let shipped: BTreeSet<_> = tree.lines().filter_map(named).collect();
        assert_eq!(shipped.len(), 4);
        let metadata = json!({"packages": [
            {"name": "handraise", "version": "0.1.0", "license": "MIT OR Apache-2.0"},
            {"name": "server", "version": "0.1.0", "license": "MIT OR Apache-2.0"},
            {"name": "serde", "version": "1.0.229", "license": "MIT OR Apache-2.0"},
            {"name": "serde", "version": "0.9.0", "license": "MIT"},
            {"name": "old", "version": "2.0.0", "license": "MIT/Apache-2.0"},
            {"name": "only-a-test", "version": "1.0.0", "license": "MIT"},
        ]});
        let lock = "version = 4\n\n[[package]]\nname = \"serde\"\nversion = \"1.0.229\"\nchecksum = \"ab12\"\n";
        let list = list(&shipped, &metadata, &checksums(lock)).unwrap();
        assert_eq!(list["metadata"]["component"]["version"], "0.1.0");
        let components = list["components"].as_array().unwrap();
        let names: Vec<_> = components
            .iter()
            .map(|one| one["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["old", "serde", "server"]);
        assert_eq!(
            components[0]["licenses"][0]["expression"],
            "MIT OR Apache-2.0"
        );
        assert_eq!(components[1]["purl"], "pkg:cargo/serde@1.0.229");
        assert_eq!(components[1]["hashes"][0]["content"], "ab12");
        assert_eq!(components[2]["hashes"], Value::Null);
        let unknown = BTreeSet::from([("nothing".to_owned(), "1.0.0".to_owned())]);
        super::list(&unknown, &metadata, &BTreeMap::new()).unwrap_err();
    }

    #[test]
    fn the_program_s_own_list_has_the_shape_that_cyclonedx_asks_for() {
        let workspace = Workspace::find().unwrap();
        let folder = workspace.target.join("tmp/contents");
        fs::create_dir_all(&folder).unwrap();
        let file = write(&workspace, &folder.join("handraise")).unwrap();
        let list: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        assert_eq!(
            (&list["bomFormat"], &list["specVersion"]),
            (&"CycloneDX".into(), &"1.6".into())
        );
        let components = list["components"].as_array().unwrap();
        let mut refs = BTreeSet::new();
        for one in components {
            assert_eq!(one["type"], "library", "{one}");
            for key in ["bom-ref", "name", "version", "purl"] {
                assert!(
                    one[key].as_str().is_some_and(|text| !text.is_empty()),
                    "{one}"
                );
            }
            assert!(
                refs.insert(one["bom-ref"].to_string()),
                "{one} is there twice"
            );
            if let Some(hash) = one["hashes"][0]["content"].as_str() {
                let hex = hash.bytes().all(|byte| byte.is_ascii_hexdigit());
                assert!(hash.len() == 64 && hex, "{one}");
            }
        }
        let has = |name: &str| components.iter().any(|one| one["name"] == name);
        // Of the server, and of the page; nothing of tests, of macros, of builds.
        for name in ["server", "sqlx-core", "tokio", "frontend", "wasm-bindgen"] {
            assert!(has(name), "{name}");
        }
        for name in ["xtask", "bench", "vt100", "proptest", "serde_derive", "cc"] {
            assert!(!has(name), "{name}");
        }
    }
}
