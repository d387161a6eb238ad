use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::{
    fault::{Fault, Faults},
    ids::AttachmentId,
    limits,
};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n....";
const JPEG: &[u8] = b"\xff\xd8\xff\xe0....";
const WEBP: &[u8] = b"RIFF\x10\0\0\0WEBPVP8 ";
const AVIF: &[u8] = b"\0\0\0\x20ftypavif\0\0\0\0";

fn sent<'a>(name: &'a str, media_type: &'a str, bytes: &'a [u8]) -> Upload<'a> {
    Upload {
        name: Some(name),
        media_type: Some(media_type),
        bytes,
    }
}

fn paths(upload: Upload<'_>) -> String {
    let faults = upload.check().err().unwrap_or_default();
    let paths: Vec<_> = faults.into_iter().map(|fault| fault.path).collect();
    paths.join(" ")
}

#[test]
fn a_file_is_what_it_says() {
    for (media_type, bytes, format) in [
        ("image/png", PNG, Format::Png),
        ("Image/PNG; x=y", PNG, Format::Png),
        ("image/jpeg", JPEG, Format::Jpeg),
        ("image/webp", WEBP, Format::WebP),
        ("image/avif", AVIF, Format::Avif),
        ("text/plain", b"hello\n", Format::Text),
        ("text/plain; charset=utf-8", b"hello\n", Format::Text),
        ("text/x-diff", b"--- a\n+++ b\n", Format::Diff),
        ("text/x-patch", b"--- a\n+++ b\n", Format::Diff),
    ] {
        let (name, found) = sent("a file.x", media_type, bytes).check().unwrap();
        assert_eq!((&*name, found), ("a file.x", format), "{media_type}");
    }
    for (media_type, bytes) in [
        ("image/png", JPEG),
        ("image/jpeg", PNG),
        ("image/png", b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
        ("image/webp", b"RIFF\x10\0\0\0WAVEfmt "),
        ("image/avif", b"\0\0\0\x20ftypheic\0\0\0\0"),
        // A picture is none the less one when it says that it is text.
        ("text/plain", PNG),
        ("text/x-diff", JPEG),
        ("image/svg+xml", b"<svg/>"),
        ("image/gif", b"GIF89a"),
        ("text/html", b"<p>"),
        ("application/pdf", b"%PDF-1.7"),
        ("application/octet-stream", PNG),
        ("", PNG),
        ("text/plain,image/png", PNG),
    ] {
        assert_eq!(
            paths(sent("a", media_type, bytes)),
            "Content-Type",
            "{media_type}"
        );
    }
    let nameless = Upload {
        name: None,
        media_type: None,
        bytes: b"x",
    };
    assert_eq!(paths(nameless), "name Content-Type");
}

#[test]
fn a_file_on_a_disk_is_what_is_in_it() {
    for (name, bytes, format) in [
        ("a.txt", PNG, Some(Format::Png)),
        ("a.png", b"hello", Some(Format::Text)),
        ("a.diff", b"--- a\n+++ b\n", Some(Format::Diff)),
        ("a.patch", b"", Some(Format::Diff)),
        ("diff", b"", Some(Format::Text)),
        ("a.diff", b"\xff\xfe", None),
        ("a.gif", b"GIF89a\xff", None),
    ] {
        assert_eq!(Format::of_file(name, bytes), format, "{name}");
    }
}

#[test]
fn a_name_is_that_of_a_file_and_no_path() {
    let at = |name: &str| paths(sent(name, "text/plain", b"x"));
    for name in [
        "a",
        "a.txt",
        "Übersicht 2.1.png",
        "x-1_(2).diff",
        "日本.png",
        "a b",
        "é",
    ] {
        assert_eq!(at(name), "", "{name}");
    }
    for name in [
        "",
        " ",
        "/etc/passwd",
        "../a",
        "a/b",
        "..",
        ".",
        ".ssh",
        "a\\b",
        "C:a.txt",
        "nul.",
        "a\n.txt",
        "a\0",
        "a\t",
        " a",
        "a ",
        "a\u{202e}gnp.exe",
        "a\u{200b}",
        "\u{feff}a",
        "a\u{e0041}",
    ] {
        assert_eq!(at(name), "name", "{name:?}");
    }
    assert_eq!(at(&"ü".repeat(limits::ATTACHMENT_NAME_CHARS)), "");
    assert_eq!(at(&"ü".repeat(limits::ATTACHMENT_NAME_CHARS + 1)), "name");
}

#[test]
fn a_file_has_a_byte_and_not_too_many() {
    let most = limits::ATTACHMENT_BYTES;
    for (size, fine) in [(0, false), (1, true), (most, true), (most + 1, false)] {
        let bytes = vec![b'x'; size];
        let found = paths(sent("a", "text/plain", &bytes));
        assert_eq!(found, if fine { "" } else { "$" }, "{size}");
    }
    // An empty picture is not one that is something else.
    assert_eq!(paths(sent("a", "image/png", b"")), "$");
}

#[test]
fn a_picture_has_so_many_pixels_at_most_and_stands_still() {
    let fault =
        |width, height, moves| picture_fault(width, height, moves).map(|fault| fault.message);
    let side = limits::ATTACHMENT_SIDE;
    for (width, height) in [(1, 1), (4_000, 4_000), (side, 900), (900, side)] {
        assert_eq!(fault(width, height, false), None, "{width} {height}");
        assert!(
            fault(width, height, true)
                .unwrap()
                .starts_with("is animated")
        );
    }
    for (width, height) in [
        (0, 1),
        (1, 0),
        (4_001, 4_000),
        (side + 1, 1),
        (1, side + 1),
        (u32::MAX, u32::MAX),
    ] {
        assert!(fault(width, height, false).is_some(), "{width} {height}");
    }
    let told = fault(65_500, 65_500, false).unwrap();
    assert_eq!(
        told,
        "has 65500 × 65500 pixels, at most 16000000 in all and 16384 a side are allowed"
    );
}

#[test]
fn a_text_is_utf_8_that_people_can_read() {
    for fine in ["a", "ü\r\n\tb", "\u{202e}abc", ""] {
        assert_eq!(text_fault(fine.as_bytes()), None, "{fine:?}");
    }
    for (wrong, told) in [
        (&b"ab\xff"[..], "is no UTF-8 after 2 bytes"),
        (b"\xff\xfea\0", "is no UTF-8 after 0 bytes"),
        (
            b"a\0b",
            "has the control character U+0000, which a text has not",
        ),
        (
            b"a\x1b[2K",
            "has the control character U+001B, which a text has not",
        ),
        (
            "a\u{9b}".as_bytes(),
            "has the control character U+009B, which a text has not",
        ),
    ] {
        assert_eq!(text_fault(wrong).unwrap(), Fault::new("$", told));
    }
}

#[test]
fn a_text_that_is_shown_has_so_many_lines_at_most() {
    let most = limits::ATTACHED_TEXT_LINES;
    let fault = |text: String| text_fault(text.as_bytes()).map(|fault| fault.message);
    // The last line has no end.
    assert_eq!(fault("\n".repeat(most - 1)), None);
    assert_eq!(
        fault("\n".repeat(most)).unwrap(),
        "has 10001 lines, more than a page can show: at most 10000 are allowed in a text of up to 262144 bytes"
    );
    let shown = usize::try_from(limits::ATTACHED_TEXT_BYTES).unwrap();
    assert!(fault("\n".repeat(shown)).is_some());
    // What is longer goes with no decision, and is saved instead of shown.
    assert_eq!(fault("\n".repeat(shown + 1)), None);
}

pub(crate) fn file(n: u128, name: &str, media: Media, bytes: &[u8]) -> Uploaded {
    Uploaded {
        id: AttachmentId(Uuid::from_u128(n)),
        attachment: Attachment {
            name: name.to_owned(),
            media,
            size: bytes.len() as u64,
            sha256: digest::sha256(bytes)[7..].to_owned(),
        },
        part_of: None,
    }
}

fn named(ids: &[String], found: &[Option<Uploaded>], is_decided: bool) -> (usize, String) {
    let mut faults = Faults::default();
    let attached = check(Some(ids), found, is_decided, &mut faults);
    let faults = faults.into_result(()).err().unwrap_or_default();
    let paths: Vec<_> = faults.into_iter().map(|fault| fault.path).collect();
    (attached.len(), paths.join(" "))
}

#[test]
fn what_is_named_is_there_once_at_its_place() {
    let files: Vec<_> = (1..=6)
        .map(|n| Some(file(n, &format!("{n}.txt"), Media::Text, b"x")))
        .collect();
    let id = |n: u128| Uuid::from_u128(n).to_string();
    let ids: Vec<_> = (1..=6).map(id).collect();
    assert_eq!(named(&[], &[], true), (0, String::new()));
    assert_eq!(named(&ids[..5], &files[..5], true), (5, String::new()));
    let upper = [ids[0].to_uppercase()];
    assert_eq!(named(&upper, &files[..1], true), (1, String::new()));
    assert_eq!(named(&ids, &files, true), (0, "attachments".to_owned()));
    for (ids, found, path) in [
        (vec![id(1)], vec![None], "attachments[0]"),
        (vec![id(1)], vec![], "attachments[0]"),
        (
            vec!["x".to_owned()],
            vec![files[0].clone()],
            "attachments[0]",
        ),
        // What was found for another one counts for nothing.
        (
            vec![id(1), id(2)],
            vec![files[1].clone(), files[0].clone()],
            "attachments[0] attachments[1]",
        ),
        (
            vec![id(1), id(1)],
            vec![files[0].clone(), files[0].clone()],
            "attachments[1]",
        ),
        (
            vec![id(1), id(9)],
            vec![files[0].clone(), Some(file(9, "1.txt", Media::Png, b"y"))],
            "attachments[1]",
        ),
    ] {
        assert_eq!(named(&ids, &found, false).1, path, "{ids:?}");
    }
}

#[test]
fn text_that_nobody_can_be_shown_whole_goes_with_no_decision() {
    let id = |n: u128| Uuid::from_u128(n).to_string();
    let half = vec![b'x'; limits::ATTACHED_TEXT_BYTES as usize / 2];
    let more = vec![b'x'; half.len() + 1];
    let picture = vec![b'x'; 4 * half.len()];
    for (second, path) in [(&half, ""), (&more, "attachments[2]")] {
        let found = [
            Some(file(1, "a.txt", Media::Text, &half)),
            Some(file(2, "b.png", Media::Png, &picture)),
            Some(file(3, "c.diff", Media::Diff, second)),
        ];
        let ids = [id(1), id(2), id(3)];
        assert_eq!(named(&ids, &found, true).1, path);
        assert_eq!(named(&ids, &found, false).1, "");
    }
}

#[test]
fn bytes_are_known_by_size_and_hash() {
    let Uploaded { attachment, .. } = file(1, "a", Media::Text, b"abc");
    // printf abc | sha256sum
    let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(attachment.sha256, expected);
    assert!(attachment.is_of(b"abc"));
    for other in [&b"abd"[..], b"ab", b"", b"abcd"] {
        assert!(!attachment.is_of(other));
    }
    let resized = Attachment {
        size: 4,
        ..attachment
    };
    assert!(!resized.is_of(b"abc"));
}

#[test]
fn a_size_is_told_in_words_and_never_as_less() {
    let of = |size| {
        let Uploaded { attachment, .. } = file(1, "a", Media::Text, b"");
        Attachment { size, ..attachment }.size_in_words()
    };
    for (size, words) in [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1_000, "1 kB"),
        (1_001, "2 kB"),
        (999_001, "1000 kB"),
        (1_000_000, "1.0 MB"),
        (5_242_880, "5.3 MB"),
    ] {
        assert_eq!(of(size), words);
    }
}

#[test]
fn names_of_types_go_both_ways() {
    for media in Media::ALL {
        assert_eq!(Media::from_name(media.name()), Some(media));
        assert_eq!(serde_json::to_value(media).unwrap(), media.name());
    }
    for format in Format::ALL {
        assert_eq!(Format::from_media_type(format.name()), Some(format));
    }
    for part in [Part::Ask, Part::Answer] {
        assert_eq!(Part::from_name(part.name()), Some(part));
    }
}

proptest! {
    #[test]
    fn whatever_is_sent_is_taken_or_refused_with_its_place(
        name in any::<Option<String>>(),
        media_type in prop::option::of(prop_oneof![
            any::<String>(),
            prop::sample::select(Format::ALL.to_vec()).prop_map(|it| it.name().to_owned()),
        ]),
        bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..40),
            Just(PNG.to_vec()), Just(JPEG.to_vec()), Just(WEBP.to_vec()), Just(AVIF.to_vec()),
        ],
    ) {
        let upload = Upload { name: name.as_deref(), media_type: media_type.as_deref(), bytes: &bytes };
        match upload.check() {
            Ok((taken, format)) => {
                prop_assert_eq!(Some(&taken), name.as_ref());
                prop_assert!(!taken.contains(['/', '\\', '\0', '\n']) && !taken.starts_with('.'));
                prop_assert_eq!(Format::of_picture(&bytes).is_some(), format.is_picture());
            }
            Err(faults) => {
                prop_assert!(!faults.is_empty());
                prop_assert!(faults.iter().all(|fault| ["name", "Content-Type", "$"].contains(&&*fault.path)));
            }
        }
    }

    #[test]
    fn no_two_lists_of_files_have_one_digest(
        one in prop::collection::vec((any::<String>(), any::<u32>()), 0..3),
        other in prop::collection::vec((any::<String>(), any::<u32>()), 0..3),
    ) {
        let list = |of: &[(String, u32)]| -> Vec<Attachment> {
            let files = of.iter().map(|(name, size)| Attachment {
                name: name.clone(),
                media: Media::Text,
                size: u64::from(*size),
                sha256: "a".repeat(64),
            });
            files.collect()
        };
        prop_assert_eq!(digest_of(&list(&one)) == digest_of(&list(&other)), one == other);
        prop_assert_eq!(digest_of(&list(&one)).is_none(), one.is_empty());
    }
}
