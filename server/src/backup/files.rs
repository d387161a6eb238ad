//! Files and folders of backups: for their owner alone, and on the disk before they count.

use std::{
    fs::{self, DirBuilder, File},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
};

use uuid::Uuid;

/// The same name with this behind it.
pub(super) fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Makes a folder, and those above it that are not there.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(folder)
}

/// Makes a file that is not there yet.
pub(super) fn make_file(file: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(file)
}

/// Writes a file that is not there yet.
pub(super) fn write(file: &Path, text: &str) -> io::Result<()> {
    let mut made = make_file(file)?;
    made.write_all(text.as_bytes())?;
    made.sync_all()
}

/// Copies a file to where none is yet.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut from = File::open(from)?;
    let mut made = make_file(to)?;
    io::copy(&mut from, &mut made)?;
    made.sync_all()
}

/// What is in a file or a folder is on the disk when this returns.
#[cfg(unix)]
pub(super) fn sync(place: &Path) -> io::Result<()> {
    File::open(place)?.sync_all()
}

/// Elsewhere a folder is no file, and a file needs to be open for writing.
#[cfg(not(unix))]
pub(super) fn sync(place: &Path) -> io::Result<()> {
    match place.is_dir() {
        true => Ok(()),
        false => File::options().write(true).open(place)?.sync_all(),
    }
}

/// The folder of a file.
pub(super) fn folder(file: &Path) -> &Path {
    let folder = file.parent().filter(|it| !it.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Copies the attachments, which are called by their ids. One that is removed meanwhile was erased.
pub(super) fn copy_attachments(from: &Path, to: &Path) -> io::Result<()> {
    make_folder(to)?;
    let files = match fs::read_dir(from) {
        Err(error) if error.kind() == ErrorKind::NotFound => return sync(to),
        files => files?,
    };
    for file in files {
        let name = file?.file_name();
        let Some(name) = name.to_str().filter(|name| Uuid::parse_str(name).is_ok()) else {
            continue;
        };
        match copy(&from.join(name), &to.join(name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    sync(to)
}

/// What is in a folder.
pub(super) fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.extend(entry?.file_name().into_string().ok());
    }
    Ok(names)
}

/// Removes a file that may not be there.
pub(super) fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
