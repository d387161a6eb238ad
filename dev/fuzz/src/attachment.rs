//! A file that is sent: its name, its media type and its bytes, with a zero between them.

use attached::look_into;
use domain::{
    attachment::{Attachment, Format, Media, Upload},
    digest, limits,
};

use crate::known::{have_places, parts};

/// A name is a name and no path; a text stays as it is; of a picture nothing is kept but pixels, and those stay the same.
pub fn attachment(bytes: &[u8]) {
    let [name, media_type, bytes] = parts(bytes);
    let upload = Upload {
        name: str::from_utf8(name).ok(),
        media_type: str::from_utf8(media_type).ok(),
        bytes,
    };
    let (name, format) = match upload.check() {
        Ok(checked) => checked,
        Err(faults) => {
            have_places(&faults);
            let is_known = |path: &str| ["name", "Content-Type", "$"].contains(&path);
            assert!(faults.iter().all(|fault| is_known(&fault.path)));
            return;
        }
    };
    let is_path =
        name.contains(['/', '\\', ':', '\0']) || name.starts_with('.') || name.ends_with('.');
    assert!(!is_path && !name.chars().any(char::is_control), "{name:?}");
    assert_eq!(Format::from_media_type(format.name()), Some(format));
    let kept = match look_into(name.clone(), format, bytes.to_vec()) {
        Ok(kept) => kept,
        Err(fault) => {
            assert_eq!(fault.path, "$");
            return have_places(&[fault]);
        }
    };
    let Attachment {
        name: kept_as,
        media,
        size,
        sha256,
    } = &kept.attachment;
    assert_eq!(*kept_as, name);
    assert_eq!(usize::try_from(*size), Ok(kept.bytes.len()));
    assert!(kept.bytes.len() <= limits::ATTACHMENT_BYTES);
    assert_eq!(format!("sha256:{sha256}"), digest::sha256(&kept.bytes));
    let json = serde_json::to_string(&kept.attachment).unwrap();
    assert_eq!(
        serde_json::from_str::<Attachment>(&json).unwrap(),
        kept.attachment
    );
    match media {
        Media::Text | Media::Diff => assert_eq!(kept.bytes, bytes),
        Media::Png => {
            assert_eq!(Format::of_picture(&kept.bytes), Some(Format::Png));
            let again = look_into(name, Format::Png, kept.bytes.clone()).unwrap();
            assert_eq!(again.bytes, kept.bytes);
        }
        Media::Jpeg => {
            assert_eq!(Format::of_picture(&kept.bytes), Some(Format::Jpeg));
            assert!(look_into(name, Format::Jpeg, kept.bytes.clone()).is_ok());
        }
    }
}
