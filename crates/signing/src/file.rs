//! The key is a file outside of the database: a person who can change the one need not have the
//! other.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Write},
    path::Path,
};

use anyhow::{Context, bail, ensure};

use super::SigningKey;

/// The key in this file.
///
/// # Errors
/// One line: it is not there, others may read it, or it is no key.
pub fn load(path: &Path) -> anyhow::Result<SigningKey> {
    let place = path.display();
    let file = File::open(path).with_context(|| format!("cannot read the key {place}"))?;
    refuse_if_others_may_read(path, &file)?;
    let pem = io::read_to_string(file).with_context(|| format!("cannot read the key {place}"))?;
    match SigningKey::from_pem(&pem) {
        Some(key) => Ok(key),
        None => bail!("{place} is not an Ed25519 key (PKCS #8 in PEM)"),
    }
}

/// The key in this file, or a new one, which is written there for its owner alone.
///
/// # Errors
/// As [`load`]; or the file cannot be written.
pub fn load_or_create(path: &Path) -> anyhow::Result<SigningKey> {
    let place = path.display();
    let key = SigningKey::generate()?;
    match create(path, &key.to_pem()) {
        Ok(()) => Ok(key),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => load(path),
        Err(error) => {
            // A folder that cannot be written may well hold a key.
            if path.exists() {
                return load(path);
            }
            Err(error).with_context(|| format!("cannot make the key {place}"))
        }
    }
}

pub(super) fn create(path: &Path, pem: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let mut file = options.open(path)?;
    let written = file
        .write_all(pem.as_bytes())
        .and_then(|()| file.sync_all());
    if written.is_err() {
        // Half a key would stop the next start.
        let _ = fs::remove_file(path);
    }
    written
}

#[cfg(unix)]
fn refuse_if_others_may_read(path: &Path, file: &File) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let place = path.display();
    let mode = file
        .metadata()
        .with_context(|| format!("cannot read the key {place}"))?
        .permissions()
        .mode();
    ensure!(
        mode & 0o077 == 0,
        "others may read the key {place} (its mode is {:04o}); run `chmod 600 {place}`",
        mode & 0o7777
    );
    Ok(())
}

#[cfg(not(unix))]
fn refuse_if_others_may_read(_path: &Path, _file: &File) -> anyhow::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_first_start_makes_a_key_for_its_owner_alone_and_the_next_takes_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("handraise.key");
        assert!(load(&path).is_err());
        let made = load_or_create(&path).unwrap().verifying_key();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o600);
        assert_eq!(load_or_create(&path).unwrap().verifying_key(), made);
        assert_eq!(load(&path).unwrap().verifying_key(), made);
    }

    #[test]
    fn a_key_that_others_may_read_and_what_is_no_key_are_refused_in_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("handraise.key");
        load_or_create(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let said = format!("{:#}", load_or_create(&path).unwrap_err());
        assert!(
            said.contains("(its mode is 0640); run `chmod 600 "),
            "{said}"
        );
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        for wrong in [
            "",
            "secret",
            "-----BEGIN PRIVATE KEY-----\n\n-----END PRIVATE KEY-----\n",
        ] {
            fs::write(&path, wrong).unwrap();
            let said = format!("{:#}", load_or_create(&path).unwrap_err());
            assert!(said.contains("is not an Ed25519 key"), "{said}");
            assert!(!said.contains('\n'), "{said}");
        }
        let nowhere = folder.path().join("not/there.key");
        let said = format!("{:#}", load_or_create(&nowhere).unwrap_err());
        assert!(said.starts_with("cannot make the key "), "{said}");
    }
}
