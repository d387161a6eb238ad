//! The page's files: embedded when released, read from `target/site` in development.

use anyhow::Context;
use app::Assets;
use axum::{
    body::Body,
    extract::Path,
    http::{HeaderMap, HeaderValue, Response, StatusCode, header},
    response::IntoResponse,
};
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::problem::Problem;

#[derive(RustEmbed)]
#[folder = "../target/site"]
#[allow_missing = true]
struct Site;

/// The names of the hashed files.
///
/// # Errors
/// When the page was not built.
pub fn names() -> anyhow::Result<Assets> {
    let file = Site::get("assets.json")
        .context("this binary has no page in it; build it with `cargo xtask build`")?;
    serde_json::from_slice(&file.data).context("the page's assets.json is damaged")
}

/// `GET /pkg/{path}`
pub async fn serve(Path(path): Path<String>, headers: HeaderMap) -> axum::response::Response {
    let Some(file) = Site::get(&path) else {
        return Problem::no_route().into_response();
    };
    let packed = Site::get(&format!("{path}.br")).filter(|_| takes_brotli(&headers));
    let (file, encoding) = match packed {
        Some(packed) => (packed, Some("br")),
        None => (file, None),
    };
    response(&path, file, encoding).unwrap_or_else(|error| {
        tracing::error!(%error, "an embedded file cannot be served");
        StatusCode::INTERNAL_SERVER_ERROR.into_response()
    })
}

/// `GET /sw.js`
pub async fn worker(headers: HeaderMap) -> axum::response::Response {
    let mut response = serve(Path("sw.js".to_owned()), headers).await;
    let policy = HeaderValue::from_static("default-src 'none'; connect-src 'self'; img-src 'self'");
    response
        .headers_mut()
        .insert(header::CONTENT_SECURITY_POLICY, policy);
    response
}

/// `GET /manifest.webmanifest`
pub async fn manifest(headers: HeaderMap) -> axum::response::Response {
    let mut response = serve(Path("app.webmanifest".to_owned()), headers).await;
    let kind = HeaderValue::from_static("application/manifest+json");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

fn response(
    path: &str,
    file: EmbeddedFile,
    encoding: Option<&'static str>,
) -> Result<axum::response::Response, axum::http::Error> {
    let kind = mime_guess::from_path(path).first_or_octet_stream();
    let mut response = Response::builder()
        .header(header::CONTENT_TYPE, kind.as_ref())
        .header(header::CACHE_CONTROL, lifetime(path))
        .header(header::VARY, "accept-encoding");
    if let Some(encoding) = encoding {
        response = response.header(header::CONTENT_ENCODING, encoding);
    }
    response.body(Body::from(file.data))
}

/// A name with a hash in it never means anything else.
fn lifetime(path: &str) -> HeaderValue {
    let hashed = path
        .rsplit('/')
        .next()
        .and_then(|name| name.split_once('-'))
        .is_some_and(|(_, rest)| {
            let hash = rest.split('.').next().unwrap_or_default();
            hash.len() >= 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
        });
    HeaderValue::from_static(if hashed {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    })
}

fn takes_brotli(headers: &HeaderMap) -> bool {
    headers
        .get(header::ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| {
            let mut codings = value.split(',').map(|one| one.replace(' ', ""));
            codings.any(|one| one == "br" || (one.starts_with("br;q=") && one != "br;q=0"))
        })
}

#[cfg(test)]
mod tests {
    use super::lifetime;

    #[test]
    fn only_hashed_names_are_kept_for_ever() {
        for (path, kept) in [
            ("handraise-0123456789abcdef.wasm", true),
            ("snippets/x/inline0.js", false),
            ("icon.svg", false),
            ("not-hashed.js", false),
        ] {
            let value = lifetime(path);
            assert_eq!(
                value.to_str().unwrap().contains("immutable"),
                kept,
                "{path}"
            );
        }
    }
}
