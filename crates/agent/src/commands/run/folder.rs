//! A run's folder: what `handraise run` needs to go on after it was killed. Each file in it is written whole or not at all, by
//! one program alone: `run.json` by `run`, `attempt.json`, `output` and `ended.json` by the keeper of the program, and
//! `call.json` by the hook.

use std::{
    env,
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::ErrorKind,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail, ensure};
use chrono::{DateTime, Utc};
use domain::digest;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::super::new_key;
use crate::own_file;

/// Tells the hook where the folder is.
pub(in crate::commands) const VARIABLE: &str = "HANDRAISE_RUN";
/// Of the files, as this version writes them.
const VERSION: u32 = 1;
/// How much of a hash names a folder.
const NAME_CHARS: usize = 32;

/// The place of one run.
#[derive(Clone, Debug)]
pub(in crate::commands) struct Folder {
    path: PathBuf,
}

/// What is to be run, as it was said once.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::commands) struct Begun {
    version: u32,
    /// Of the program: chosen here, so that it is known before the program says it.
    pub(in crate::commands) session_id: String,
    pub(super) command: Vec<String>,
    pub(super) folder: PathBuf,
    /// How long people have, where the program need not wait.
    pub(in crate::commands) timeout_seconds: u32,
}

/// One time that the program was started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::commands) struct Attempt {
    /// Counted from 1.
    pub(in crate::commands) number: u64,
}

/// How that one ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Ended {
    pub(super) number: u64,
    pub(super) code: u8,
}

/// A call of a tool that people decide about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::commands) struct Waiting {
    pub(in crate::commands) tool_use_id: String,
    /// By which attempt of the program.
    pub(in crate::commands) attempt: u64,
    /// Whether the program was told that it is put off.
    pub(in crate::commands) deferred: bool,
    /// One after the other.
    pub(in crate::commands) asked: Vec<Asked>,
}

/// One question about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::commands) struct Asked {
    pub(in crate::commands) step: String,
    pub(in crate::commands) at: DateTime<Utc>,
    pub(in crate::commands) body: Value,
    /// `None` until the server has said that it has it.
    pub(in crate::commands) id: Option<String>,
    pub(in crate::commands) agent_id: Option<String>,
}

impl Begun {
    pub(super) fn new(
        command: Vec<String>,
        folder: PathBuf,
        session_id: String,
        timeout_seconds: u32,
    ) -> Self {
        Self {
            version: VERSION,
            session_id,
            command,
            folder,
            timeout_seconds,
        }
    }
}

impl Folder {
    /// That of this command in this folder, under this name.
    ///
    /// # Errors
    /// When nothing says where it would be.
    pub(super) fn of(
        command: &[String],
        folder: &Path,
        name: Option<&str>,
    ) -> anyhow::Result<Self> {
        let said = serde_json::to_string(&(folder, command, name))
            .context("the name of the working directory is no UTF-8")?;
        let hash = digest::sha256(said.as_bytes());
        let hash = hash.rsplit(':').next().unwrap_or_default();
        Self::named(hash.get(..NAME_CHARS).unwrap_or(hash))
    }

    /// That of this id.
    ///
    /// # Errors
    /// When it is no id, or nothing says where it would be.
    pub(super) fn named(id: &str) -> anyhow::Result<Self> {
        ensure!(
            id.len() == NAME_CHARS && id.chars().all(|c| c.is_ascii_hexdigit()),
            "`{id}` is no id of a run"
        );
        Ok(Self {
            path: root()?.join(id),
        })
    }

    /// Where the hook is told that it is.
    pub(in crate::commands) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Those of this user, which may be in use.
    ///
    /// # Errors
    /// When they cannot be listed.
    pub(super) fn all() -> anyhow::Result<Vec<Self>> {
        let root = root()?;
        let shown = root.display();
        let entries = match fs::read_dir(&root) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error).with_context(|| format!("cannot read {shown}")),
        };
        let mut found = Vec::new();
        for entry in entries {
            let path = entry
                .with_context(|| format!("cannot read {shown}"))?
                .path();
            if path.join("run.json").exists() {
                found.push(Self { path });
            }
        }
        found.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(found)
    }

    pub(super) fn id(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps a second `run` away. The lock is beside the folder: that one goes when the run has ended.
    ///
    /// # Errors
    /// When another one has it, or it cannot be had.
    pub(super) fn lock(&self) -> anyhow::Result<File> {
        let lock = self.lock_file("run")?;
        match lock.try_lock() {
            Ok(()) => Ok(lock),
            Err(TryLockError::WouldBlock) => {
                bail!(
                    "another `handraise run` or `handraise resume` does this already (its id is {}); --name NAME begins one more",
                    self.id()
                )
            }
            Err(TryLockError::Error(error)) => Err(error).context("the run cannot be locked"),
        }
    }

    /// Held as long as the program runs. Waits until nobody else has it.
    ///
    /// # Errors
    /// When it cannot be had.
    pub(super) fn lock_program(&self) -> anyhow::Result<File> {
        let lock = self.lock_file("program")?;
        lock.lock().context("the program cannot be locked")?;
        Ok(lock)
    }

    fn lock_file(&self, what: &str) -> anyhow::Result<File> {
        let root = self.path.parent().context("the run is in no folder")?;
        make(root)?;
        let place = root.join(format!("{}.{what}.lock", self.id()));
        let file =
            own_file::own(OpenOptions::new().write(true).create(true).truncate(false)).open(&place);
        file.with_context(|| format!("cannot open {}", place.display()))
    }

    /// # Errors
    /// When it cannot be read, or a newer program has written it.
    pub(in crate::commands) fn begun(&self) -> anyhow::Result<Option<Begun>> {
        let begun: Option<Begun> = self.read("run.json")?;
        if let Some(begun) = &begun {
            ensure!(
                begun.version == VERSION,
                "the run {} was begun by another version of this program",
                self.id()
            );
        }
        Ok(begun)
    }

    pub(super) fn begin(&self, begun: &Begun) -> anyhow::Result<()> {
        make(&self.path)?;
        self.write("run.json", begun)
    }

    /// The last one.
    pub(in crate::commands) fn attempt(&self) -> anyhow::Result<Option<Attempt>> {
        self.read("attempt.json")
    }

    pub(super) fn put_attempt(&self, attempt: &Attempt) -> anyhow::Result<()> {
        self.write("attempt.json", attempt)
    }

    /// To the one before.
    pub(super) fn take_attempt_back(&self, before: Option<&Attempt>) -> anyhow::Result<()> {
        match before {
            Some(before) => self.put_attempt(before),
            None => self.take_away("attempt.json"),
        }
    }

    pub(super) fn ended(&self) -> anyhow::Result<Option<Ended>> {
        self.read("ended.json")
    }

    pub(super) fn put_ended(&self, ended: &Ended) -> anyhow::Result<()> {
        self.write("ended.json", ended)
    }

    pub(in crate::commands) fn waiting(&self) -> anyhow::Result<Option<Waiting>> {
        self.read("call.json")
    }

    pub(in crate::commands) fn put_waiting(&self, waiting: &Waiting) -> anyhow::Result<()> {
        self.write("call.json", waiting)
    }

    pub(in crate::commands) fn forget_waiting(&self) -> anyhow::Result<()> {
        self.take_away("call.json")
    }

    fn take_away(&self, name: &str) -> anyhow::Result<()> {
        match fs::remove_file(self.path.join(name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(error).context("the state of the run cannot be written")
            }
            _ => Ok(()),
        }
    }

    /// What the program prints, anew.
    pub(super) fn new_output(&self) -> anyhow::Result<File> {
        let file = own_file::own(OpenOptions::new().write(true).create(true).truncate(true))
            .open(self.output());
        file.context("there is no place for the program's output")
    }

    pub(super) fn output(&self) -> PathBuf {
        self.path.join("output")
    }

    /// When it has ended, and its output was passed on.
    pub(super) fn remove(&self) -> anyhow::Result<()> {
        // First, so that a half of it is not taken for a run.
        let first = fs::remove_file(self.path.join("run.json"));
        first
            .and_then(|()| fs::remove_dir_all(&self.path))
            .with_context(|| format!("cannot remove {}", self.path.display()))
    }

    fn read<T: DeserializeOwned>(&self, name: &str) -> anyhow::Result<Option<T>> {
        let place = self.path.join(name);
        let shown = place.display();
        let text = match fs::read(&place) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("cannot read {shown}")),
        };
        let read = serde_json::from_slice(&text);
        read.map(Some)
            .with_context(|| format!("{shown} is none of this program's"))
    }

    fn write(&self, name: &str, content: &impl Serialize) -> anyhow::Result<()> {
        let place = self.path.join(name);
        let new = self.path.join(format!(".{name}.{}", new_key()));
        let text = serde_json::to_vec(content)?;
        let written = own_file::put(&place, &new, &text);
        written.with_context(|| format!("cannot write {}", place.display()))
    }
}

/// The folder of all runs of this user.
fn root() -> anyhow::Result<PathBuf> {
    let named = |name: &str| env::var_os(name).filter(|path| !path.is_empty());
    let state = named("XDG_STATE_HOME").map(PathBuf::from);
    // The specification of these folders has relative ones ignored.
    let state = state.filter(|path| path.is_absolute());
    let state = state.or_else(|| Some(PathBuf::from(named("HOME")?).join(".local/state")));
    let state = state.context("HOME is not set, so there is no place to keep the run's state; name a folder in XDG_STATE_HOME")?;
    Ok(state.join("handraise").join("runs"))
}

fn make(folder: &Path) -> anyhow::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let made = builder.create(folder);
    made.with_context(|| format!("cannot make {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(root: &Path) -> Folder {
        Folder::at(root.join("runs").join("a".repeat(NAME_CHARS)))
    }

    fn begun() -> Begun {
        let command = ["claude", "-p", "go"].map(str::to_owned).to_vec();
        Begun::new(command, "/srv/app".into(), "s".to_owned(), 60)
    }

    #[test]
    fn what_is_kept_is_its_owners_alone_and_nothing_is_left_beside_it() {
        let root = tempfile::tempdir().unwrap();
        let folder = folder(root.path());
        assert!(folder.begun().unwrap().is_none());
        folder.begin(&begun()).unwrap();
        folder.put_attempt(&Attempt { number: 1 }).unwrap();
        folder.put_attempt(&Attempt { number: 2 }).unwrap();
        assert_eq!(folder.attempt().unwrap(), Some(Attempt { number: 2 }));
        assert_eq!(fs::read_dir(&folder.path).unwrap().count(), 2);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&folder.path), 0o700);
            assert_eq!(mode(&folder.path.join("run.json")), 0o600);
        }
        folder.forget_waiting().unwrap();
        folder.remove().unwrap();
        assert!(folder.begun().unwrap().is_none());
    }

    #[test]
    fn a_second_run_of_the_same_is_kept_away() {
        let root = tempfile::tempdir().unwrap();
        let folder = folder(root.path());
        let first = folder.lock().unwrap();
        let refused = folder.lock().unwrap_err().to_string();
        assert!(refused.contains("does this already"), "{refused}");
        drop(first);
        assert!(folder.lock().is_ok());
    }

    #[test]
    fn a_file_that_another_program_wrote_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let folder = folder(root.path());
        folder.begin(&begun()).unwrap();
        fs::write(folder.path.join("call.json"), "{").unwrap();
        assert!(folder.waiting().is_err());
        let newer = Begun {
            version: VERSION + 1,
            ..begun()
        };
        folder.begin(&newer).unwrap();
        let refused = folder.begun().unwrap_err().to_string();
        assert!(refused.contains("another version"), "{refused}");
    }
}
