//! All keys of a server: the one that signs, and those before it. They lie beside each other: `handraise.key` signs,
//! `handraise.key.1` was the first one, and `handraise.key.rotations` says how each led to the next.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, bail, ensure};
use chrono::{DateTime, Utc};

use super::{
    CallbackSecrets, Rotation, Sealer, SigningKey, SlackLinks, TrustedKeys, VerifyingKey, file,
};

/// The keys of one server.
#[derive(Debug)]
pub struct Keyring {
    current: Arc<SigningKey>,
    /// Those before it, the first one first.
    earlier: Vec<SigningKey>,
    rotations: Vec<Rotation>,
}

impl Keyring {
    /// A key that had none before it.
    pub fn of(key: SigningKey) -> Self {
        Self {
            current: Arc::new(key),
            earlier: Vec::new(),
            rotations: Vec::new(),
        }
    }

    /// The key in this file, with those before it.
    ///
    /// # Errors
    /// One line: a file is not there, others may read it, or its content does not fit.
    pub fn load(path: &Path) -> anyhow::Result<Self> {
        Self::with_earlier(path, file::load(path)?)
    }

    /// As [`Keyring::load`], but makes a key where there is none.
    ///
    /// # Errors
    /// As [`Keyring::load`]; or the file cannot be written.
    pub fn load_or_create(path: &Path) -> anyhow::Result<Self> {
        Self::with_earlier(path, file::load_or_create(path)?)
    }

    fn with_earlier(path: &Path, current: SigningKey) -> anyhow::Result<Self> {
        let public = current.verifying_key();
        let mut rotations = read_rotations(path)?;
        // A rotation that was interrupted before the new key was there never was one.
        if rotations.last().is_some_and(|last| last.old == public) {
            rotations.pop();
        }
        let mut earlier = Vec::new();
        for (n, rotation) in rotations.iter().enumerate() {
            let next = rotations.get(n + 1).map_or(public, |next| next.old);
            ensure!(
                rotation.holds() && rotation.new == next,
                "{}: line {} does not lead from an earlier key to {next}",
                rotations_file(path).display(),
                n + 1
            );
            let place = earlier_file(path, n + 1);
            let key = file::load(&place).context(
                "what it has sealed could not be opened without it; put it back, or move the file of rotations away",
            )?;
            ensure!(
                key.verifying_key() == rotation.old,
                "{} is not the key {}",
                place.display(),
                rotation.old
            );
            earlier.push(key);
        }
        Ok(Self {
            current: Arc::new(current),
            earlier,
            rotations,
        })
    }

    /// Replaces the key in this file by a new one, which it announces. A server that runs goes on with the old one
    /// until it is started again.
    ///
    /// # Errors
    /// When a file cannot be read or written. The old key still counts then.
    pub fn rotate(path: &Path, at: DateTime<Utc>) -> anyhow::Result<Rotation> {
        // Of two that rotate at once the second goes on from where the first has ended.
        let folder = lock_folder(path).context("cannot lock the folder of the key")?;
        let mut ring = Self::load(path)?;
        let place = earlier_file(path, ring.earlier.len() + 1);
        match file::create(&place, &ring.current.to_pem()) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let kept = file::load(&place)?.verifying_key();
                ensure!(
                    kept == ring.verifying_key(),
                    "{} holds another key; move it away",
                    place.display()
                );
            }
            Err(error) => {
                return Err(error).with_context(|| format!("cannot make {}", place.display()));
            }
        }
        let new = SigningKey::generate()?;
        let rotation = Rotation::sign(&ring.current, new.verifying_key(), at)?;
        ring.rotations.push(rotation.clone());
        let mut lines = String::new();
        for rotation in &ring.rotations {
            lines += &serde_json::to_string(rotation)?;
            lines.push('\n');
        }
        replace(&rotations_file(path), &lines)?;
        // From here on it counts.
        replace(path, &new.to_pem())?;
        if let Some(folder) = folder {
            let synced = folder.sync_all();
            synced.context("cannot sync the folder of the key")?;
        }
        Ok(rotation)
    }

    /// The key that signs.
    pub fn signer(&self) -> Arc<SigningKey> {
        Arc::clone(&self.current)
    }

    /// Its public half.
    pub fn verifying_key(&self) -> VerifyingKey {
        self.current.verifying_key()
    }

    /// The public halves of all of them: the one that signs, then those before it.
    pub fn verifying_keys(&self) -> impl Iterator<Item = VerifyingKey> {
        let earlier = self.earlier.iter().rev().map(SigningKey::verifying_key);
        std::iter::once(self.verifying_key()).chain(earlier)
    }

    /// How each key led to the next, the first one first.
    pub fn rotations(&self) -> &[Rotation] {
        &self.rotations
    }

    /// The keys whose receipts this server believes: its own, also those of its earlier keys, and those of `others`,
    /// the other nodes.
    pub fn trusted(&self, others: &[VerifyingKey]) -> TrustedKeys {
        TrustedKeys::new(self.verifying_keys().chain(others.iter().copied()))
    }

    /// Seals with the key that signs, and opens secrets that an earlier one has sealed.
    pub fn sealer(&self) -> Sealer {
        Sealer::new(&self.current).with_earlier(&self.earlier)
    }

    /// They follow from the first key of all, so that no agent has to fetch its secret anew.
    pub fn callback_secrets(&self) -> CallbackSecrets {
        CallbackSecrets::new(self.earlier.first().unwrap_or(&self.current))
    }

    /// Links of the key that signs.
    pub fn slack_links(&self) -> SlackLinks {
        SlackLinks::new(&self.current)
    }
}

/// Until it is closed.
#[cfg(unix)]
fn lock_folder(path: &Path) -> io::Result<Option<File>> {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    let folder = File::open(folder.unwrap_or(Path::new(".")))?;
    folder.lock()?;
    Ok(Some(folder))
}

/// Elsewhere a folder is no file.
#[cfg(not(unix))]
fn lock_folder(_path: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

fn earlier_file(path: &Path, nth: usize) -> PathBuf {
    beside(path, &format!(".{nth}"))
}

fn rotations_file(path: &Path) -> PathBuf {
    beside(path, ".rotations")
}

fn read_rotations(path: &Path) -> anyhow::Result<Vec<Rotation>> {
    let path = rotations_file(path);
    let place = path.display();
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(|| format!("cannot read {place}")),
    };
    let lines = text.lines().enumerate();
    lines
        .map(|(n, line)| match serde_json::from_str(line) {
            Ok(rotation) => Ok(rotation),
            Err(error) => bail!("{place}: line {} is no rotation: {error}", n + 1),
        })
        .collect()
}

/// Writes a whole file in the place of another: a reader sees one of the two.
fn replace(path: &Path, content: &str) -> anyhow::Result<()> {
    let new = beside(path, ".new");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let written = options.open(&new).and_then(|mut file| {
        file.write_all(content.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, path)
    });
    written.with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use domain::TokenId;
    use uuid::Uuid;

    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000 + seconds, 0).unwrap_or_default()
    }

    #[test]
    fn a_rotation_loses_no_secret_and_no_receipt() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("handraise.key");
        let first = Keyring::load_or_create(&path).unwrap();
        let sealed = first.sealer().seal(b"webhook", b"a").unwrap();
        let token = TokenId(Uuid::from_u128(7));
        let secret = first.callback_secrets().of(token);
        for n in 1..=2_u8 {
            let before = Keyring::load(&path).unwrap().verifying_key();
            let rotation = Keyring::rotate(&path, at(n.into())).unwrap();
            let ring = Keyring::load(&path).unwrap();
            assert_eq!((rotation.old, rotation.new), (before, ring.verifying_key()));
            assert_ne!(ring.verifying_key(), before);
            assert_eq!(ring.rotations().len(), usize::from(n));
            let trusted = ring.trusted(&[]);
            assert!(trusted.trusts(&before) && trusted.trusts(&first.verifying_key()));
            assert_eq!(ring.sealer().open(&sealed, b"a").unwrap(), b"webhook");
            assert_eq!(ring.callback_secrets().of(token), secret);
            // Only the new key opens a secret sealed now.
            let anew = ring.sealer().seal(b"webhook", b"a").unwrap();
            assert_eq!(first.sealer().open(&anew, b"a"), None);
            let kept = earlier_file(&path, n.into());
            for file in [&path, &kept, &rotations_file(&path)] {
                let mode = fs::metadata(file).unwrap().permissions().mode();
                assert_eq!(mode & 0o7777, 0o600, "{}", file.display());
            }
        }
    }

    #[test]
    fn a_rotation_that_was_interrupted_anywhere_leaves_a_key_that_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("handraise.key");
        let first = Keyring::load_or_create(&path).unwrap().verifying_key();
        let old = fs::read(&path).unwrap();
        Keyring::rotate(&path, at(0)).unwrap();
        // The new key was not there yet.
        fs::write(&path, &old).unwrap();
        let ring = Keyring::load(&path).unwrap();
        assert_eq!((ring.verifying_key(), ring.rotations().len()), (first, 0));
        // Nor was the statement.
        fs::remove_file(rotations_file(&path)).unwrap();
        assert_eq!(Keyring::load(&path).unwrap().verifying_key(), first);
        let rotation = Keyring::rotate(&path, at(1)).unwrap();
        let ring = Keyring::load(&path).unwrap();
        assert_eq!(ring.rotations(), [rotation]);
        assert_eq!(ring.verifying_keys().count(), 2);
    }

    #[test]
    fn rotations_that_do_not_hold_stop_the_start_in_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("handraise.key");
        Keyring::load_or_create(&path).unwrap();
        let rotation = Keyring::rotate(&path, at(0)).unwrap();
        let file = rotations_file(&path);
        let whole = fs::read_to_string(&file).unwrap();
        let other = SigningKey::from_seed([9; 32]).verifying_key();
        let forged = [
            ("x\n".to_owned(), "line 1 is no rotation"),
            (
                whole
                    .replace("15T", "16T")
                    .replace("\"at\":\"2", "\"at\":\"1"),
                "line 1 does not lead",
            ),
            (
                whole.replace(&rotation.new.to_string(), &other.to_string()),
                "line 1 does not lead",
            ),
            (whole.repeat(2), "line 1 does not lead"),
        ];
        for (content, why) in forged {
            fs::write(&file, content).unwrap();
            let said = format!("{:#}", Keyring::load(&path).unwrap_err());
            assert!(said.contains(why) && !said.contains('\n'), "{said}");
        }
        fs::write(&file, whole).unwrap();
        fs::remove_file(earlier_file(&path, 1)).unwrap();
        let said = format!("{:#}", Keyring::load(&path).unwrap_err());
        assert!(said.contains("put it back"), "{said}");
    }
}
