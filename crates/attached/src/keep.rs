//! Where the bytes of files are: a folder, or a bucket of S3. A file is named by its id and nothing else; what its sender
//! called it leads nowhere.

use std::{
    fmt, fs, io,
    path::{Path as FilePath, PathBuf},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use domain::{AttachmentId, attachment::Attachment, limits};
use object_store::{
    ClientOptions, ObjectStore, ObjectStoreExt, RetryConfig,
    aws::AmazonS3Builder,
    client::{HttpClient, HttpConnector},
    local::LocalFileSystem,
    path::Path,
};
use thiserror::Error;
use tokio::{task::spawn_blocking, time::timeout};

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
        let place = builder
            .with_bucket_name(bucket)
            .with_retry(RetryConfig {
                max_retries: RETRIES,
                retry_timeout: silence,
                ..RetryConfig::default()
            })
            .with_http_connector(Client(client(silence)?))
            .build();
        let below = Path::parse(below.trim_end_matches('/'));
        Ok(Self {
            place: Arc::new(place.map_err(|error| error.to_string())?),
            below: below.map_err(|error| error.to_string())?,
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

/// The name of a bucket, and the folder in it.
fn bucket_of(rest: &str) -> Option<(&str, &str)> {
    let (bucket, below) = rest.split_once('/').unwrap_or((rest, ""));
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
    let is_name = !bucket.is_empty() && bucket.chars().all(is_of_name);
    is_name.then_some((bucket, below))
}

/// As long as a file may be on its way to a bucket.
const PATIENCE: Duration = Duration::from_secs(30);
/// As long as anything else is waited for, and until when what failed is asked for again: people wait for it.
const SILENCE: Duration = Duration::from_secs(5);
/// How often what failed is asked for again.
const RETRIES: usize = 2;

/// Trusts whom everything here trusts.
#[derive(Debug)]
struct Client(reqwest::Client);

impl HttpConnector for Client {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.0.clone()))
    }
}

fn client(silence: Duration) -> Result<reqwest::Client, String> {
    let tls = machine::tls::client_config().map_err(|error| format!("{error:#}"))?;
    let client = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .timeout(PATIENCE)
        .connect_timeout(silence)
        .build();
    client.map_err(|error| error.to_string())
}

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

#[cfg(test)]
mod tests {
    use domain::attachment::Format;

    use super::*;
    use crate::{Kept, look_into};

    fn id(n: u128) -> AttachmentId {
        format!("00000000-0000-0000-0000-{n:012}").parse().unwrap()
    }

    fn text(bytes: &[u8]) -> Kept {
        look_into("a.txt".to_owned(), Format::Text, bytes.to_vec()).unwrap()
    }

    #[tokio::test]
    async fn what_is_kept_is_read_back_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("a/b");
        let files = Files::open(place.to_str().unwrap()).unwrap();
        let one = text(b"hello");
        files.keep(id(1), one.bytes.clone()).await.unwrap();
        // A second process finds it.
        let again = Files::open(&format!("file://{}", place.display())).unwrap();
        let read = again.read(id(1), &one.attachment).await.unwrap();
        assert_eq!(&read[..], b"hello");
        for _ in 0..2 {
            files.remove(id(1)).await.unwrap();
            let gone = files.read(id(1), &one.attachment).await;
            assert!(matches!(gone, Err(FileError::Missing(_))), "{gone:?}");
        }
    }

    #[tokio::test]
    async fn what_a_killed_process_left_of_a_file_goes_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::open(folder.path().to_str().unwrap()).unwrap();
        // As `object_store` calls what it has not written to its end, and somebody else's.
        let beside = |end: &str| folder.path().join(format!("{}{end}", id(1)));
        for end in ["#1", "#2", "0#1"] {
            fs::write(beside(end), "half").unwrap();
        }
        for is_whole in [false, true] {
            if is_whole {
                files.keep(id(1), b"whole".to_vec()).await.unwrap();
            }
            files.remove(id(1)).await.unwrap();
            let left = fs::read_dir(folder.path()).unwrap();
            let left: Vec<_> = left.map(|file| file.unwrap().path()).collect();
            assert_eq!(left, [beside("0#1")]);
        }
        // What cannot be looked for is not gone.
        drop(folder);
        let failed = files.remove(id(1)).await;
        assert!(matches!(failed, Err(FileError::Folder(_))), "{failed:?}");
    }

    #[tokio::test]
    async fn what_is_written_half_is_called_as_it_is_looked_for() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::open(folder.path().to_str().unwrap()).unwrap();
        let names = || {
            let names = fs::read_dir(folder.path()).unwrap();
            names.map(|file| file.unwrap().file_name().into_string().unwrap())
        };
        // Under way, as it is while a whole one is written.
        let half = files.place.put_multipart(&files.at(id(1))).await.unwrap();
        assert_eq!(names().collect::<Vec<_>>(), [format!("{}#1", id(1))]);
        files.remove(id(1)).await.unwrap();
        assert_eq!(names().count(), 0);
        drop(half);
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_removed_is_told_of() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::open(folder.path().to_str().unwrap()).unwrap();
        fs::create_dir(folder.path().join(id(1).to_string())).unwrap();
        let failed = files.remove(id(1)).await;
        assert!(matches!(failed, Err(FileError::Folder(_))), "{failed:?}");
    }

    #[tokio::test]
    async fn a_file_is_found_that_is_as_large_as_the_one_that_was_sent() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::open(folder.path().to_str().unwrap()).unwrap();
        let one = text(b"hello");
        let found = files.find(id(1), &one.attachment).await;
        assert!(matches!(found, Err(FileError::Missing(_))), "{found:?}");
        files.keep(id(1), one.bytes.clone()).await.unwrap();
        files.find(id(1), &one.attachment).await.unwrap();
        let other = text(b"hello!");
        let found = files.find(id(1), &other.attachment).await;
        assert!(matches!(found, Err(FileError::Altered(_))), "{found:?}");
    }

    #[test]
    fn nothing_tells_by_what_a_bucket_is_reached() {
        let place = AmazonS3Builder::new()
            .with_access_key_id("AKIAXYZZY")
            .with_secret_access_key("xyzzy");
        let files = Files::of_bucket(place, "bucket", "below", SILENCE).unwrap();
        let told = format!("{files:?}").to_lowercase();
        assert!(told.contains("below") && !told.contains("xyzzy"), "{told}");
    }

    #[tokio::test]
    async fn a_bucket_that_does_not_answer_is_not_waited_for_long() {
        // Takes connections, and says nothing.
        let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let place = AmazonS3Builder::new()
            .with_endpoint(format!("http://{}", silent.local_addr().unwrap()))
            .with_allow_http(true)
            .with_access_key_id("a")
            .with_secret_access_key("b");
        let silence = Duration::from_millis(20);
        let files = Files::of_bucket(place, "bucket", "", silence).unwrap();
        let one = text(b"hello");
        let asked = tokio::time::Instant::now();
        let failed = files.read(id(1), &one.attachment).await;
        assert!(matches!(failed, Err(FileError::Silent)), "{failed:?}");
        let failed = files.find(id(1), &one.attachment).await;
        assert!(matches!(failed, Err(FileError::Silent)), "{failed:?}");
        let failed = files.remove(id(1)).await;
        assert!(matches!(failed, Err(FileError::Silent)), "{failed:?}");
        // By itself a request would wait, and be sent again, for minutes.
        assert!(asked.elapsed() < SILENCE, "{:?}", asked.elapsed());
    }

    #[tokio::test]
    async fn a_file_that_was_changed_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::open(folder.path().to_str().unwrap()).unwrap();
        let one = text(b"hello");
        files.keep(id(1), one.bytes.clone()).await.unwrap();
        for changed in [&b"hellO"[..], b"hell", b"", b"hello "] {
            fs::write(folder.path().join(id(1).to_string()), changed).unwrap();
            let read = files.read(id(1), &one.attachment).await;
            assert!(matches!(read, Err(FileError::Altered(_))), "{read:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_is_for_nobody_else() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("files");
        Files::open(place.to_str().unwrap()).unwrap();
        let mode = fs::metadata(&place).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }

    #[test]
    fn a_place_is_a_folder_or_a_bucket() {
        for place in [
            "ftp://ana:xyzzy@x/y",
            "s3://",
            "s3:///below",
            "s3://AKIA:xyzzy@bucket/below",
            "s3://bucket?secret=xyzzy",
        ] {
            let refused = Files::open(place);
            assert!(matches!(refused, Err(OpenError::NoPlace)), "{place}");
            assert!(!Files::is_place(place));
            // Whatever somebody wrote there, no log has it.
            assert!(!refused.unwrap_err().to_string().contains("xyzzy"));
        }
        for place in ["s3://bucket-1.a/below/it", "files", "file:///files", "/a/b"] {
            assert!(Files::is_place(place), "{place}");
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let below = file.join("below");
        let refused = Files::open(below.to_str().unwrap());
        assert!(matches!(refused, Err(OpenError::Folder { .. })));
    }
}
