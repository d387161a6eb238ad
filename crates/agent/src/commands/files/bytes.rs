//! The content of a file, by its sum.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read},
    path::Path,
};

use domain::digest;
use sha2::{Digest, Sha256};

/// Larger files are not read: people wait for the question.
pub(super) const LARGEST: u64 = 64 * 1024 * 1024;

/// The SHA-256 of a file, or nothing if it is longer than `room`; and how much of it was read.
pub(super) fn hash(path: &Path, room: u64) -> (io::Result<Option<String>>, u64) {
    let mut read = 0;
    (hash_counted(path, room, &mut read), read)
}

fn hash_counted(path: &Path, room: u64, size: &mut u64) -> io::Result<Option<String>> {
    let mut file = open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    if metadata.len() > room {
        return Ok(None);
    }
    let mut hasher = Sha256::new();
    let mut part = vec![0; 64 * 1024];
    loop {
        let read = file.read(&mut part)?;
        if read == 0 {
            let sum: [u8; 32] = hasher.finalize().into();
            return Ok(Some(digest::hex(&sum)));
        }
        *size += read as u64;
        // It grows while it is read.
        if *size > room {
            return Ok(None);
        }
        hasher.update(&part[..read]);
    }
}

/// Does not wait for a writer of a pipe that has taken the file's place.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NONBLOCK.bits();
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.cast_signed())
        .open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}
