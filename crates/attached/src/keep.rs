//! Where the bytes of files are: a folder, or a bucket of S3. A file is named by its id and nothing else; what its sender
//! called it leads nowhere.

use std::{fs, path::Path as FilePath, sync::Arc, time::Duration};

use bytes::Bytes;
use domain::{AttachmentId, attachment::Attachment, limits};
use object_store::{
    ClientOptions, ObjectStore, ObjectStoreExt,
    aws::AmazonS3Builder,
    client::{HttpClient, HttpConnector},
    local::LocalFileSystem,
    path::Path,
};
use thiserror::Error;

/// The place where files are kept. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Files {
    place: Arc<dyn ObjectStore>,
    below: Path,
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
    /// It is neither a path nor the address of a bucket.
    #[error("`{0}` is no place for attachments: it has to be a folder, or `s3://BUCKET/FOLDER`")]
    NoPlace(String),
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
            Some(_) => Err(OpenError::NoPlace(place.to_owned())),
        }
    }

    fn in_folder(folder: &FilePath) -> Result<Self, OpenError> {
        let wrong = |why: String| OpenError::Folder {
            folder: folder.display().to_string(),
            why,
        };
        make(folder).map_err(|error| wrong(error.to_string()))?;
        let place = LocalFileSystem::new_with_prefix(folder);
        let place = place.map_err(|error| wrong(error.to_string()))?;
        Ok(Self {
            // An upload that was answered survives the loss of power.
            place: Arc::new(place.with_fsync(true)),
            below: Path::default(),
        })
    }

    fn in_bucket(url: &str, rest: &str) -> Result<Self, OpenError> {
        let wrong = |why: String| OpenError::Bucket {
            bucket: url.to_owned(),
            why,
        };
        let (bucket, below) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(OpenError::NoPlace(url.to_owned()));
        }
        let place = AmazonS3Builder::from_env()
            .with_bucket_name(bucket)
            .with_http_connector(Client(client().map_err(wrong)?))
            .build();
        Ok(Self {
            place: Arc::new(place.map_err(|error| wrong(error.to_string()))?),
            below: Path::parse(below.trim_end_matches('/'))
                .map_err(|error| wrong(error.to_string()))?,
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

    /// The bytes of a file, which are those that were sent.
    ///
    /// # Errors
    /// [`FileError`]. Nothing that differs in a single bit is ever returned.
    pub async fn read(&self, id: AttachmentId, sent: &Attachment) -> Result<Bytes, FileError> {
        let found = match self.place.get(&self.at(id)).await {
            Ok(found) => found,
            Err(object_store::Error::NotFound { .. }) => return Err(FileError::Missing(id)),
            Err(error) => return Err(error.into()),
        };
        // Whatever somebody has put there is not read into memory.
        let most = u64::try_from(limits::ATTACHMENT_BYTES).unwrap_or(u64::MAX);
        if found.meta.size != sent.size || found.meta.size > most {
            return Err(FileError::Altered(id));
        }
        let bytes = found.bytes().await?;
        match sent.is_of(&bytes) {
            true => Ok(bytes),
            false => Err(FileError::Altered(id)),
        }
    }

    /// Removes a file. One that is not there is removed already.
    ///
    /// # Errors
    /// Whether it is gone is then unknown.
    pub async fn remove(&self, id: AttachmentId) -> Result<(), FileError> {
        match self.place.delete(&self.at(id)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn at(&self, id: AttachmentId) -> Path {
        self.below.clone().join(id.to_string())
    }
}

/// As long as a request to a bucket may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Trusts whom everything here trusts.
#[derive(Debug)]
struct Client(reqwest::Client);

impl HttpConnector for Client {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.0.clone()))
    }
}

fn client() -> Result<reqwest::Client, String> {
    let tls = machine::tls::client_config().map_err(|error| format!("{error:#}"))?;
    let client = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .timeout(PATIENCE)
        .build();
    client.map_err(|error| error.to_string())
}

/// Nobody else on the machine reads what agents send.
fn make(folder: &FilePath) -> std::io::Result<()> {
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
        for place in ["ftp://x/y", "s3://", "s3:///below"] {
            assert!(
                matches!(Files::open(place), Err(OpenError::NoPlace(_))),
                "{place}"
            );
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let below = file.join("below");
        let refused = Files::open(below.to_str().unwrap());
        assert!(matches!(refused, Err(OpenError::Folder { .. })));
    }
}
