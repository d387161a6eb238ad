//! Pictures: decoded, turned upright, and encoded anew.

use std::io::Cursor;

use domain::{
    attachment::{Format, Media, file_fault, picture_fault},
    fault::Fault,
    limits,
};
use image::{
    DynamicImage, ImageDecoder, ImageError, Limits,
    codecs::{
        jpeg::{JpegDecoder, JpegEncoder},
        png::{PngDecoder, PngEncoder},
        webp::WebPDecoder,
    },
    metadata::Orientation,
};

/// Most bytes that a decoder may take: a picture of the largest size with 16 bits a channel, and half of that beside it, as
/// which it stays.
pub(crate) const MEMORY: u64 = limits::ATTACHMENT_PIXELS * 8 * 3 / 2;
/// Most bytes of all that a PNG has beside its pixels. A profile of colours is packed: a few kilobytes of the file may be any
/// number of them.
const BESIDE: u64 = 16 * 1024 * 1024;

/// Nobody sees the loss.
const JPEG_QUALITY: u8 = 90;

/// What a picture of this format shows, in new bytes.
pub(crate) fn encoded_anew(format: Format, bytes: &[u8]) -> Result<(Media, Vec<u8>), Fault> {
    match format {
        Format::Png => {
            let decoder = PngDecoder::with_limits(Cursor::new(bytes), bounds(BESIDE));
            let decoder = decoder.map_err(broken)?;
            let moves = decoder.is_apng().map_err(broken)?;
            png(decoded(decoder, moves)?)
        }
        Format::WebP => {
            let decoder = WebPDecoder::new(Cursor::new(bytes)).map_err(broken)?;
            let moves = decoder.has_animation();
            png(decoded(decoder, moves)?)
        }
        Format::Jpeg => {
            let decoder = JpegDecoder::new(Cursor::new(bytes)).map_err(broken)?;
            Ok((Media::Jpeg, jpeg(&decoded(decoder, false)?)?))
        }
        // The only decoder without a library of the system runs through an interface of C, at which a panic ends the whole
        // program: whoever sends a broken picture would stop the server.
        Format::Avif => Err(file_fault(
            "is AVIF, which this server does not decode; send it as PNG, JPEG or WebP",
        )),
        Format::Text | Format::Diff => Err(file_fault("is no picture")),
    }
}

fn bounds(bytes: u64) -> Limits {
    let mut bounds = Limits::no_limits();
    bounds.max_alloc = Some(bytes);
    bounds
}

/// What it shows, if it is small enough and stands still: that is known before a pixel is decoded.
fn decoded(mut decoder: impl ImageDecoder, moves: bool) -> Result<DynamicImage, Fault> {
    let (width, height) = decoder.dimensions();
    if let Some(fault) = picture_fault(width, height, moves) {
        return Err(fault);
    }
    decoder.set_limits(bounds(MEMORY)).map_err(broken)?;
    // Without it a photograph would lie on its side once its other data is gone.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let image = DynamicImage::from_decoder(decoder).map_err(broken)?;
    let mut image = plain(image);
    image.apply_orientation(orientation);
    Ok(image)
}

/// With 8 bits a channel, before it is copied to stand upright. What is wholly clear has no colour: nobody sees it.
fn plain(image: DynamicImage) -> DynamicImage {
    if !image.color().has_alpha() {
        return DynamicImage::ImageRgb8(image.into_rgb8());
    }
    let mut image = image.into_rgba8();
    for pixel in image.pixels_mut() {
        if pixel.0[3] == 0 {
            pixel.0 = [0; 4];
        }
    }
    DynamicImage::ImageRgba8(image)
}

/// Without loss, unless that is too large and nothing of it is transparent.
fn png(image: DynamicImage) -> Result<(Media, Vec<u8>), Fault> {
    let mut bytes = Vec::new();
    let encoder = PngEncoder::new(&mut bytes);
    image.write_with_encoder(encoder).map_err(broken)?;
    if bytes.len() > limits::ATTACHMENT_BYTES && !image.color().has_alpha() {
        drop(bytes);
        return Ok((Media::Jpeg, jpeg(&image)?));
    }
    Ok((Media::Png, bytes))
}

fn jpeg(image: &DynamicImage) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY);
    // It has no clear parts here, and 8 bits a channel.
    image.write_with_encoder(encoder).map_err(broken)?;
    Ok(bytes)
}

/// A decoder's own words say nothing to a person.
fn broken(error: ImageError) -> Fault {
    tracing::debug!(%error, "a picture was refused");
    file_fault(match error {
        ImageError::Limits(_) => "takes too much memory to be decoded",
        ImageError::Unsupported(_) => "is a picture of a form that is not decoded here",
        _ => "is a broken picture",
    })
}

#[cfg(test)]
mod tests {
    use image::{ImageEncoder, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};

    use super::*;

    fn written(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        image.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    fn squares() -> DynamicImage {
        DynamicImage::ImageRgb8(RgbImage::from_fn(40, 30, |x, y| {
            let is_light = (x / 10 + y / 10) % 2 == 0;
            if is_light {
                Rgb([250, 240, 230])
            } else {
                Rgb([10, 20, 30])
            }
        }))
    }

    fn message(format: Format, bytes: &[u8]) -> String {
        encoded_anew(format, bytes).unwrap_err().message
    }

    #[test]
    fn a_picture_shows_the_same_in_new_bytes() {
        for (format, sent, media) in [
            (Format::Png, ImageFormat::Png, Media::Png),
            (Format::WebP, ImageFormat::WebP, Media::Png),
        ] {
            let bytes = written(&squares(), sent);
            let (found, anew) = encoded_anew(format, &bytes).unwrap();
            assert_eq!(found, media);
            let shown = image::load_from_memory_with_format(&anew, ImageFormat::Png).unwrap();
            assert_eq!(shown.to_rgb8(), squares().to_rgb8());
        }
        let clear = DynamicImage::ImageRgba8(RgbaImage::from_pixel(3, 2, Rgba([1, 2, 3, 4])));
        let (_, anew) = encoded_anew(Format::Png, &written(&clear, ImageFormat::Png)).unwrap();
        let shown = image::load_from_memory(&anew).unwrap();
        assert_eq!(shown.to_rgba8(), clear.to_rgba8());
        let (found, anew) =
            encoded_anew(Format::Jpeg, &written(&squares(), ImageFormat::Jpeg)).unwrap();
        assert_eq!(found, Media::Jpeg);
        let shown = image::load_from_memory_with_format(&anew, ImageFormat::Jpeg).unwrap();
        assert_eq!((shown.width(), shown.height()), (40, 30));
    }

    #[test]
    fn nothing_is_kept_but_what_is_seen() {
        let mut bytes = written(&squares(), ImageFormat::Png);
        // Behind the end of a picture programs hide others.
        bytes.extend_from_slice(b"<script>xyzzy</script>");
        let (_, anew) = encoded_anew(Format::Png, &bytes).unwrap();
        assert!(!anew.windows(5).any(|part| part == b"xyzzy"));
        // So do they in the text that a picture may have.
        let mut with_text = bytes[..33].to_vec();
        with_text.extend(chunk(b"tEXt", b"Comment\0xyzzy"));
        with_text.extend_from_slice(&bytes[33..]);
        let (_, anew) = encoded_anew(Format::Png, &with_text).unwrap();
        assert!(!anew.windows(5).any(|part| part == b"xyzzy"));
    }

    fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
        let mut chunk = (data.len() as u32).to_be_bytes().to_vec();
        chunk.extend_from_slice(kind);
        chunk.extend_from_slice(data);
        let sum = crc(&chunk[4..]);
        chunk.extend_from_slice(&sum.to_be_bytes());
        chunk
    }

    /// ISO 3309, as PNG has it.
    fn crc(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(u32::MAX, |sum, byte| {
            (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
                (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg())
            })
        })
    }

    fn png_of(width: u32, height: u32, more: &[Vec<u8>]) -> Vec<u8> {
        let mut header = width.to_be_bytes().to_vec();
        header.extend(height.to_be_bytes());
        header.extend([8, 2, 0, 0, 0]);
        let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
        bytes.extend(chunk(b"IHDR", &header));
        bytes.extend(more.iter().flatten());
        bytes.extend(chunk(b"IDAT", b""));
        bytes.extend(chunk(b"IEND", b""));
        bytes
    }

    #[test]
    fn a_bomb_is_refused_before_it_is_decoded() {
        for (width, height) in [
            (65_500, 65_500),
            (1, 1 << 20),
            (u32::MAX >> 1, u32::MAX >> 1),
        ] {
            let found = message(Format::Png, &png_of(width, height, &[]));
            let told = ["pixels", "is a broken picture", "memory"];
            let is_told = told.iter().any(|told| found.contains(told));
            assert!(is_told, "{width} {height}: {found}");
        }
        // Whatever it says of its size, it is not there.
        assert_eq!(
            message(Format::Png, &png_of(4_000, 4_000, &[])),
            "is a broken picture"
        );
    }

    #[test]
    fn what_is_packed_beside_the_pixels_is_no_bomb() {
        let with_profile = |bytes: usize| {
            let mut file = Vec::new();
            let mut encoder = PngEncoder::new(&mut file);
            encoder.set_icc_profile(vec![0; bytes]).unwrap();
            squares().write_with_encoder(encoder).unwrap();
            file
        };
        let small = with_profile(1_000_000);
        let (_, anew) = encoded_anew(Format::Png, &small).unwrap();
        assert!(!anew.windows(4).any(|part| part == b"iCCP"));
        let bomb = with_profile(usize::try_from(BESIDE).unwrap() + 1);
        assert!(bomb.len() < 100_000, "{}", bomb.len());
        // It is left out, or the picture with it.
        if let Ok((_, anew)) = encoded_anew(Format::Png, &bomb) {
            assert!(anew.len() < 100_000, "{}", anew.len());
        }
    }

    #[test]
    fn what_is_wholly_clear_hides_no_colour() {
        let hides = RgbaImage::from_fn(2, 1, |x, _| Rgba([1, 2, 3, if x == 0 { 0 } else { 1 }]));
        let sent = written(&DynamicImage::ImageRgba8(hides), ImageFormat::Png);
        let (_, anew) = encoded_anew(Format::Png, &sent).unwrap();
        let shown = image::load_from_memory(&anew).unwrap().to_rgba8();
        assert_eq!(shown.as_raw()[..], [0, 0, 0, 0, 1, 2, 3, 1]);
    }

    #[test]
    fn what_moves_is_refused() {
        let two_frames = chunk(b"acTL", &[0, 0, 0, 2, 0, 0, 0, 0]);
        let found = message(Format::Png, &png_of(4, 4, &[two_frames]));
        assert!(found.starts_with("is animated"), "{found}");
        // RIFF, VP8X with the bit for animation, ANIM, one ANMF.
        let mut chunks =
            b"WEBPVP8X\x0a\0\0\0\x02\0\0\0\x03\0\0\x03\0\0ANIM\x06\0\0\0\0\0\0\0\0\0".to_vec();
        let frame = written(&DynamicImage::new_rgb8(4, 4), ImageFormat::WebP);
        let picture = &frame[12..];
        let mut anmf = vec![0; 6];
        anmf.extend([3, 0, 0, 3, 0, 0, 100, 0, 0, 0]);
        anmf.extend_from_slice(picture);
        chunks.extend_from_slice(b"ANMF");
        chunks.extend((anmf.len() as u32).to_le_bytes());
        chunks.extend(anmf);
        let mut bytes = b"RIFF".to_vec();
        bytes.extend((chunks.len() as u32).to_le_bytes());
        bytes.extend(chunks);
        let found = message(Format::WebP, &bytes);
        assert!(found.starts_with("is animated"), "{found}");
    }

    #[test]
    fn whatever_is_broken_is_refused_with_words_and_no_panic() {
        for (format, sent) in [
            (Format::Png, ImageFormat::Png),
            (Format::Jpeg, ImageFormat::Jpeg),
            (Format::WebP, ImageFormat::WebP),
        ] {
            let whole = written(&squares(), sent);
            for cut in [1, 12] {
                assert!(
                    !message(format, &whole[..cut]).is_empty(),
                    "{format:?} {cut}"
                );
            }
            // Half a photograph is one that is grey below: what is kept is what its sender sees in it too.
            let half = encoded_anew(format, &whole[..whole.len() / 2]);
            assert!(half.is_err() || format == Format::Jpeg, "{format:?}");
            for at in 0..whole.len() {
                let mut changed = whole.clone();
                changed[at] ^= 0xff;
                // Some changes are seen and do no harm.
                let _ = encoded_anew(format, &changed);
            }
        }
        assert!(message(Format::Avif, b"\0\0\0\x20ftypavif").contains("AVIF"));
    }
}
