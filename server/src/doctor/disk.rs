//! Files and folders: who may do what, and how much room is left. Where it cannot be told, nothing is said.

use std::path::{Path, PathBuf};

/// The folder a file is or would be in.
pub(super) fn folder(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Why this file cannot be written, or made if it is missing; `None` if it can.
pub(super) fn unwritable(file: &Path) -> Option<String> {
    let folder = folder(file);
    if !folder.is_dir() {
        let folder = folder.display();
        return Some(format!(
            "there is no folder {folder}; run `mkdir -p {folder}`"
        ));
    }
    if file.exists() && !may_write(file) {
        return Some(format!(
            "this user may not write {}; let the user who runs the server own it",
            file.display()
        ));
    }
    None
}

/// Why files cannot be made beside this one; `None` if they can.
pub(super) fn unwritable_folder(file: &Path) -> Option<String> {
    let folder = folder(file);
    (folder.is_dir() && !may_write(&folder)).then(|| {
        format!(
            "this user may not make files in {}; let the user who runs the server own it",
            folder.display()
        )
    })
}

#[cfg(unix)]
fn may_write(path: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(path, Access::WRITE_OK).is_ok()
}

#[cfg(not(unix))]
fn may_write(_path: &Path) -> bool {
    true
}

/// How many bytes there is room for.
#[cfg(unix)]
pub(super) fn free_bytes(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

/// How many bytes there is room for.
#[cfg(not(unix))]
pub(super) fn free_bytes(_folder: &Path) -> Option<u64> {
    None
}

/// Whether users other than its owner may read this file.
#[cfg(unix)]
pub(super) fn others_may_read(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata()
        .is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
}

/// Whether users other than its owner may read this file.
#[cfg(not(unix))]
pub(super) fn others_may_read(_file: &Path) -> bool {
    false
}

/// The number of the user who owns a file.
#[cfg(unix)]
pub(super) fn owner(file: &Path) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    file.metadata().ok().map(|found| found.uid())
}

/// The number of the user who owns a file.
#[cfg(not(unix))]
pub(super) fn owner(_file: &Path) -> Option<u32> {
    None
}
