//! How a file that somebody sent is served: so that a browser shows a picture, saves everything else, and runs nothing.

use axum::{
    body::Body,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use domain::attachment::{Attachment, Media};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// What is opened by itself may load nothing, run nothing, and stand in no frame.
const POLICY: HeaderValue =
    HeaderValue::from_static("default-src 'none'; sandbox; frame-ancestors 'none'");
/// What is erased must not be in a cache.
const NOT_KEPT: HeaderValue = HeaderValue::from_static("private, no-store");

/// A file, for whoever may see it. `X-Content-Type-Options` and the like are on everything that this server sends.
pub(crate) fn response(attachment: &Attachment, bytes: Bytes) -> Response {
    let media = match attachment.media {
        Media::Png => "image/png",
        Media::Jpeg => "image/jpeg",
        // Nobody's browser knows what to do with a difference.
        Media::Text | Media::Diff => "text/plain; charset=utf-8",
    };
    let how = match attachment.media.is_picture() {
        true => "inline",
        false => "attachment",
    };
    let name = attachment.saved_as();
    let name = utf8_percent_encode(&name, NON_ALPHANUMERIC);
    let disposition = format!("{how}; filename*=UTF-8''{name}");
    let mut response = Body::from(bytes).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::CACHE_CONTROL, NOT_KEPT);
    if let Ok(disposition) = HeaderValue::from_str(&disposition) {
        headers.insert(header::CONTENT_DISPOSITION, disposition);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_file_is_called_its_headers_are_harmless() {
        for (name, media, expected) in [
            ("a.png", Media::Png, "inline; filename*=UTF-8''a%2Epng"),
            (
                "a\"; x=\r\ny.txt",
                Media::Text,
                "attachment; filename*=UTF-8''a%22%3B%20x%3D%0D%0Ay%2Etxt",
            ),
            (
                "Invoice.HTML",
                Media::Text,
                "attachment; filename*=UTF-8''Invoice%2EHTML%2Etxt",
            ),
            ("js", Media::Text, "attachment; filename*=UTF-8''js"),
            (
                "ü.diff",
                Media::Diff,
                "attachment; filename*=UTF-8''%C3%BC%2Ediff",
            ),
        ] {
            let attachment = Attachment {
                name: name.to_owned(),
                media,
                size: 1,
                sha256: String::new(),
            };
            let response = response(&attachment, Bytes::from_static(b"x"));
            let header = |name| response.headers().get(name).unwrap().to_str().unwrap();
            assert_eq!(header(header::CONTENT_DISPOSITION), expected);
            assert!(header(header::CONTENT_SECURITY_POLICY).contains("sandbox"));
            let is_shown = header(header::CONTENT_TYPE).starts_with("image/");
            assert_eq!(is_shown, media.is_picture());
        }
    }
}
