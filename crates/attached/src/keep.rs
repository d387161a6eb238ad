//! Where the bytes of files are: a folder, or a bucket of S3. A file is named by its id and nothing else; what its sender
//! called it leads nowhere.

#[cfg(test)]
mod tests;

use std::{
    fmt, fs, io,
    path::{Path as FilePath, PathBuf},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use domain::{AttachmentId, attachment::Attachment, limits};
use object_store::{
    ObjectStore, ObjectStoreExt, aws::AmazonS3Builder, local::LocalFileSystem, path::Path,
};
use thiserror::Error;
use tokio::{task::spawn_blocking, time::timeout};

use crate::bucket::{self, bucket_of};

/// The place where files are kept. Cheap to clone.
#[derive(Clone)]
pub struct Files {
    place: Arc<dyn ObjectStore>,
    below: Path,
    /// Where it is a folder: its path.
    folder: Option<PathBuf>,
    /// So long it is waited for, whatever is asked of it.
    silence: Duration,
}

/// A bucket's own words hold what it is reached by.
impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { folder, below, .. } = self;
        f.debug_struct("Files")
            .field("folder", folder)
            .field("below", below)
            .finish_non_exhaustive()
    }
}

/// Why files cannot be kept there.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The folder cannot be made or used.
    #[error("cannot keep attachments in {folder}: {why}")]
    Folder {
        /// Its path.
        folder: String,
        /// The system's words.
        why: String,
    },
    /// It is neither a path nor the address of a bucket. What it says is not repeated: a secret may stand in it.
    #[error(
        "`attachments` names no place that files can be kept in: it has to be a folder, or `s3://BUCKET/FOLDER`, where \
         BUCKET is of letters, digits, dots, hyphens and underscores; who comes is said by the variables `AWS_…` alone"
    )]
    NoPlace,
    /// The bucket cannot be used as it is configured.
    #[error("cannot keep attachments in {bucket}: {why}")]
    Bucket {
        /// Its address.
        bucket: String,
        /// Why not.
        why: String,
    },
}

/// Why a file cannot be had.
#[derive(Debug, Error)]
pub enum FileError {
    /// It is not there.
    #[error("the file {0} is missing")]
    Missing(AttachmentId),
    /// It is another one than was sent.
    #[error("the file {0} is not the one that was sent")]
    Altered(AttachmentId),
    /// Whether it is there is not known.
    #[error("the place of attachments failed")]
    Failed(#[from] object_store::Error),
    /// Nothing came of it in time.
    #[error("the place of attachments does not answer")]
    Silent,
    /// Whether it is gone from a folder is not known.
    #[error("the folder of attachments failed")]
    Folder(#[from] io::Error),
}

impl Files {
    /// Files at this place: a folder, which is made if it is not there, or `s3://BUCKET/FOLDER`. For a bucket the
    /// variables `AWS_…` say where it is and who comes, as for all programs that use S3.
    ///
    /// # Errors
    /// [`OpenError`]. Whether a bucket is there is not looked at.
    pub fn open(place: &str) -> Result<Self, OpenError> {
        match place.split_once("://") {
            None => Self::in_folder(FilePath::new(place)),
            Some(("file", path)) => Self::in_folder(FilePath::new(path)),
            Some(("s3", rest)) => Self::in_bucket(place, rest),
            Some(_) => Err(OpenError::NoPlace),
        }
    }

    /// Whether files can be kept at a place that is called so. What cannot be one is not to be repeated.
    pub fn is_place(place: &str) -> bool {
        match place.split_once("://") {
            None | Some(("file", _)) => true,
            Some(("s3", rest)) => bucket_of(rest).is_some(),
            Some(_) => false,
        }
    }

    fn in_folder(folder: &FilePath) -> Result<Self, OpenError> {
        let wrong = |why: String| OpenError::Folder {
            folder: folder.display().to_string(),
            why,
        };
        make(folder).map_err(|error| wrong(error.to_string()))?;
        // Wherever this program stands later.
        let path = folder.canonicalize();
        let path = path.map_err(|error| wrong(error.to_string()))?;
        let place = LocalFileSystem::new_with_prefix(&path);
        let place = place.map_err(|error| wrong(error.to_string()))?;
        Ok(Self {
            // An upload that was answered survives the loss of power.
            place: Arc::new(place.with_fsync(true)),
            below: Path::default(),
            folder: Some(path),
            silence: SILENCE,
        })
    }

    fn in_bucket(url: &str, rest: &str) -> Result<Self, OpenError> {
        let wrong = |why: String| OpenError::Bucket {
            bucket: url.to_owned(),
            why,
        };
        let (bucket, below) = bucket_of(rest).ok_or(OpenError::NoPlace)?;
        Self::of_bucket(AmazonS3Builder::from_env(), bucket, below, SILENCE).map_err(wrong)
    }

    fn of_bucket(
        builder: AmazonS3Builder,
        bucket: &str,
        below: &str,
        silence: Duration,
    ) -> Result<Self, String> {
        let (place, below) = bucket::open(builder, bucket, below, silence, PATIENCE)?;
        Ok(Self {
            place,
            below,
            folder: None,
            silence,
        })
    }

    /// Keeps a file. When this returns, it is there.
    ///
    /// # Errors
    /// Whether it is kept is then unknown.
    pub async fn keep(&self, id: AttachmentId, bytes: Vec<u8>) -> Result<(), FileError> {
        self.place.put(&self.at(id), bytes.into()).await?;
        Ok(())
    }

    /// Whether a file is there that is as large as the one that was sent. What is in it is not looked at.
    ///
    /// # Errors
    /// [`FileError`].
    pub async fn find(&self, id: AttachmentId, sent: &Attachment) -> Result<(), FileError> {
        let at = self.at(id);
        let found = match self.answered(self.place.head(&at)).await? {
            Ok(found) => found,
            Err(object_store::Error::NotFound { .. }) => return Err(FileError::Missing(id)),
            Err(error) => return Err(error.into()),
        };
        match found.size == sent.size {
            true => Ok(()),
            false => Err(FileError::Altered(id)),
        }
    }

    /// The bytes of a file, which are those that were sent.
    ///
    /// # Errors
    /// [`FileError`]. Nothing that differs in a single bit is ever returned.
    pub async fn read(&self, id: AttachmentId, sent: &Attachment) -> Result<Bytes, FileError> {
        let at = self.at(id);
        let found = match self.answered(self.place.get(&at)).await? {
            Ok(found) => found,
            Err(object_store::Error::NotFound { .. }) => return Err(FileError::Missing(id)),
            Err(error) => return Err(error.into()),
        };
        // Whatever somebody has put there is not read into memory.
        let most = u64::try_from(limits::ATTACHMENT_BYTES).unwrap_or(u64::MAX);
        if found.meta.size != sent.size || found.meta.size > most {
            return Err(FileError::Altered(id));
        }
        let bytes = self.answered(found.bytes()).await??;
        match sent.is_of(&bytes) {
            true => Ok(bytes),
            false => Err(FileError::Altered(id)),
        }
    }

    /// Removes a file, and what a process left of it that was killed as it wrote it. One that is not there is removed
    /// already. When this returns, it stays away.
    ///
    /// # Errors
    /// Whether it is gone is then unknown.
    pub async fn remove(&self, id: AttachmentId) -> Result<(), FileError> {
        if let Some(folder) = self.folder.clone() {
            let removed = spawn_blocking(move || removed_from(&folder, &id.to_string())).await;
            return Ok(removed.map_err(io::Error::other)??);
        }
        let at = self.at(id);
        match self.answered(self.place.delete(&at)).await? {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    async fn answered<T>(&self, asked: impl Future<Output = T>) -> Result<T, FileError> {
        let answered = timeout(self.silence, asked).await;
        answered.map_err(|_| FileError::Silent)
    }

    fn at(&self, id: AttachmentId) -> Path {
        self.below.clone().join(id.to_string())
    }
}

/// As long as a file may be on its way to a bucket.
const PATIENCE: Duration = Duration::from_secs(30);
/// As long as anything else is waited for, and until when what failed is asked for again: people wait for it.
const SILENCE: Duration = Duration::from_secs(5);

/// The file of this name, and those that `object_store` writes before it gives them the name.
fn removed_from(folder: &FilePath, name: &str) -> io::Result<()> {
    is_removed(&folder.join(name))?;
    for n in 1_u32.. {
        if !is_removed(&folder.join(format!("{name}#{n}")))? {
            break;
        }
    }
    // A folder that is not there, such as that of a disk that is missing, has lost no file. And what is removed must not be
    // back after a loss of power, when no row knows of it any more.
    let folder = fs::File::open(folder)?;
    #[cfg(unix)]
    folder.sync_all()?;
    #[cfg(not(unix))]
    drop(folder);
    Ok(())
}

fn is_removed(file: &FilePath) -> io::Result<bool> {
    match fs::remove_file(file) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Nobody else on the machine reads what agents send.
fn make(folder: &FilePath) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(folder)
}
