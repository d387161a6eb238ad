//! Directory trees held in memory: small enough here, and easy to compare.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Content by name; names are relative and have forward slashes.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("reading {}", path.display()))
}

/// Every file below a directory; none if there is no such directory.
pub(crate) fn below(directory: &Path) -> Result<Files> {
    let mut files = Files::new();
    if !directory.exists() {
        return Ok(files);
    }
    let entries =
        fs::read_dir(directory).with_context(|| format!("reading {}", directory.display()))?;
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            let inner = below(&path)?;
            files.extend(
                inner
                    .into_iter()
                    .map(|(it, content)| (format!("{name}/{it}"), content)),
            );
        } else {
            files.insert(name, read(&path)?);
        }
    }
    Ok(files)
}

/// Makes `directory` hold exactly `files`. One that is there already is not touched, so that nothing
/// that watches time stamps sees a change where there is none.
pub(crate) fn write(directory: &Path, files: &Files) -> Result<()> {
    let present = below(directory)?;
    for stale in present.keys().filter(|name| !files.contains_key(*name)) {
        fs::remove_file(directory.join(stale))?;
    }
    for (name, content) in files {
        if present.get(name) == Some(content) {
            continue;
        }
        let path = directory.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, content).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(())
}
