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
