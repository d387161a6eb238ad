//! Where checkpoints are kept: notes one after the other, each with an empty line after it.

use std::{
    fs::{File, OpenOptions},
    io::{self, ErrorKind, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use domain::journal::{Checkpoint, SignedCheckpoint, key_id, notes};
use signing::VerifyingKey;

/// More than the longest two notes of ours.
const TAIL: u64 = 16 * 1024;

/// A file of checkpoints signed with one key, or with each of several that followed each other. It only grows; the
/// last one counts.
#[derive(Clone, Debug)]
pub struct CheckpointFile {
    path: PathBuf,
    /// The name of the key, which is the name of the log.
    name: String,
    keys: Vec<VerifyingKey>,
}

impl CheckpointFile {
    /// The checkpoints of the log `name` in this file, which may be missing.
    pub fn new(path: PathBuf, name: String, keys: impl IntoIterator<Item = VerifyingKey>) -> Self {
        let keys = keys.into_iter().collect();
        Self { path, name, keys }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Every checkpoint, with its signature checked.
    ///
    /// # Errors
    /// One line: the file cannot be read, or one of its checkpoints is not what these keys signed.
    pub fn all(&self) -> anyhow::Result<Vec<Checkpoint>> {
        let text = std::fs::read_to_string(&self.path).with_context(|| self.unreadable())?;
        // A checkpoint that the last write did not finish was never relied on.
        let (found, _) = notes(&text);
        found.into_iter().map(|note| self.read(note)).collect()
    }

    /// The last checkpoint; `None` before the first.
    ///
    /// # Errors
    /// As [`CheckpointFile::all`].
    pub fn last(&self) -> anyhow::Result<Option<Checkpoint>> {
        match File::open(&self.path) {
            Ok(mut file) => Ok(self.last_of(&mut file)?.0),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| self.unreadable()),
        }
    }

    /// Appends a checkpoint and waits for the disk, if `last` is still the last one: of two programs
    /// that sign at once, the second has to look again. Returns whether it did.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn append_after(
        &self,
        last: Option<&Checkpoint>,
        next: &SignedCheckpoint,
    ) -> anyhow::Result<bool> {
        let unwritable = || format!("cannot write the checkpoints {}", self.path.display());
        let is_new = !self.path.exists();
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let mut file = options.open(&self.path).with_context(unwritable)?;
        // Until the file is closed.
        file.lock().with_context(unwritable)?;
        let (found, end) = self.last_of(&mut file)?;
        if found.as_ref() != last {
            return Ok(false);
        }
        // Over what an interrupted write may have left.
        file.set_len(end)
            .and_then(|()| file.seek(SeekFrom::Start(end)))
            .and_then(|_| file.write_all(format!("{next}\n").as_bytes()))
            .and_then(|()| file.sync_all())
            .with_context(unwritable)?;
        if is_new {
            self.sync_folder().with_context(unwritable)?;
        }
        Ok(true)
    }

    /// The last whole checkpoint and where it ends.
    fn last_of(&self, file: &mut File) -> anyhow::Result<(Option<Checkpoint>, u64)> {
        let length = file.metadata().with_context(|| self.unreadable())?.len();
        let mut tail = Vec::new();
        let start = length.saturating_sub(TAIL);
        file.seek(SeekFrom::Start(start))
            .and_then(|_| file.read_to_end(&mut tail))
            .with_context(|| self.unreadable())?;
        // The tail may begin within a line, even within a character.
        let skipped = match tail.iter().position(|byte| *byte == b'\n') {
            Some(end) if start > 0 => end + 1,
            _ => 0,
        };
        let tail = &tail[skipped..];
        // An interrupted write may have ended within a character, but never within two lines.
        let text = match str::from_utf8(tail) {
            Ok(text) => text,
            Err(cut) if tail[cut.valid_up_to()..].contains(&b'\n') => {
                bail!("{}: it is not text", self.unreadable())
            }
            Err(cut) => str::from_utf8(&tail[..cut.valid_up_to()])?,
        };
        let (found, rest) = notes(text);
        let note = match &found[..] {
            [] if start == 0 => return Ok((None, 0)),
            // The first in the tail may be only the end of one.
            [.., _, note] => *note,
            [note] if start == 0 => *note,
            _ => bail!("{}: no whole checkpoint at its end", self.unreadable()),
        };
        let end = start + (skipped + text.len() - rest.len()) as u64;
        Ok((Some(self.read(note)?), end))
    }

    fn read(&self, note: &str) -> anyhow::Result<Checkpoint> {
        let place = self.path.display();
        let Some(signed) = SignedCheckpoint::read(note) else {
            let first = note.lines().nth(1).unwrap_or_default();
            bail!("a checkpoint in {place} cannot be read (its second line is {first:?})");
        };
        let size = signed.checkpoint.size;
        let mut by_key = self.keys.iter().filter_map(|key| {
            let signature = signed.signature_of(key_id(&self.name, &key.to_bytes()))?;
            Some((key, signature))
        });
        let Some((key, signature)) = by_key.next() else {
            let keys: Vec<String> = self.keys.iter().map(ToString::to_string).collect();
            bail!(
                "the checkpoint over {size} events in {place} is not signed with the key {} of {}",
                keys.join(" or "),
                self.name
            );
        };
        if !key.verifies(signed.text.as_bytes(), &signature) {
            bail!(
                "the checkpoint over {size} events in {place} was changed: its signature is wrong"
            );
        }
        if signed.checkpoint.origin != self.name {
            bail!("the checkpoint over {size} events in {place} is of another log");
        }
        Ok(signed.checkpoint)
    }

    fn unreadable(&self) -> String {
        format!("cannot read the checkpoints {}", self.path.display())
    }

    /// A new file is only there for good when its folder says so.
    #[cfg(unix)]
    fn sync_folder(&self) -> io::Result<()> {
        let folder = self.path.parent().filter(|it| !it.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
    }

    #[cfg(not(unix))]
    fn sync_folder(&self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use domain::{Sign, journal::Tree};

    use super::*;
    use signing::SigningKey;

    fn file(folder: &Path, key: &SigningKey) -> CheckpointFile {
        let path = folder.join("handraise.db.checkpoints");
        CheckpointFile::new(path, "handraise".into(), [key.verifying_key()])
    }

    fn signed(size: i64, key: &dyn Sign) -> SignedCheckpoint {
        let mut tree = Tree::default();
        (0..size).for_each(|seq| tree.push(&seq.to_be_bytes()));
        Checkpoint::of(&tree, "handraise").sign(key)
    }

    #[test]
    fn the_last_one_counts_however_many_there_are() {
        let folder = tempfile::tempdir().unwrap();
        let key = SigningKey::from_seed([1; 32]);
        let file = file(folder.path(), &key);
        assert_eq!(file.last().unwrap(), None);
        let mut last = None;
        for size in 1..=120 {
            let next = signed(size, &key);
            assert!(file.append_after(last.as_ref(), &next).unwrap());
            // Another writer, who does not know of it yet.
            assert!(
                !file
                    .append_after(last.as_ref(), &signed(900, &key))
                    .unwrap()
            );
            last = Some(next.checkpoint);
            assert_eq!(file.last().unwrap(), last);
        }
        assert!(fs::metadata(file.path()).unwrap().len() > TAIL);
        assert_eq!(file.all().unwrap().len(), 120);
    }

    #[cfg(unix)]
    #[test]
    fn it_is_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let key = SigningKey::from_seed([1; 32]);
        let file = file(folder.path(), &key);
        file.append_after(None, &signed(1, &key)).unwrap();
        let mode = fs::metadata(file.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn what_an_interrupted_write_left_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let key = SigningKey::from_seed([1; 32]);
        let file = file(folder.path(), &key);
        let (one, two) = (signed(1, &key), signed(2, &key));
        for cut in 0..two.to_string().len() {
            let torn = [
                format!("{one}\n").as_bytes(),
                &two.to_string().as_bytes()[..cut],
            ]
            .concat();
            fs::write(file.path(), torn).unwrap();
            assert_eq!(file.last().unwrap().as_ref(), Some(&one.checkpoint));
            assert!(file.append_after(Some(&one.checkpoint), &two).unwrap());
            assert_eq!(
                fs::read_to_string(file.path()).unwrap(),
                format!("{one}\n{two}\n")
            );
        }
    }

    #[test]
    fn a_checkpoint_that_this_key_did_not_sign_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (key, other) = (
            SigningKey::from_seed([1; 32]),
            SigningKey::from_seed([2; 32]),
        );
        let file = file(folder.path(), &key);
        let fine = signed(3, &key).to_string();
        for (note, why) in [
            (signed(3, &other).to_string(), "not signed with the key"),
            (fine.replacen("\n3\n", "\n4\n", 1), "was changed"),
            (
                fine.replacen("handraise\n", "handraisE\n", 1),
                "was changed",
            ),
            (fine.replacen("\n3\n", "\nthree\n", 1), "cannot be read"),
        ] {
            fs::write(file.path(), format!("{note}\n")).unwrap();
            for said in [file.last().unwrap_err(), file.all().unwrap_err()] {
                assert!(format!("{said:#}").contains(why), "{said:#}");
            }
        }
    }
}
