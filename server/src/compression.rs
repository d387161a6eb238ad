//! Texts are sent compressed to those that take them so.
//!
//! Compression gives away what a body holds if an attacker may put texts of their own into the same body again and
//! again, and sees how long it gets. No body holds a secret that lasts beside a text of another's: tokens and secrets
//! are made anew for each body that tells of one, and sessions are in a cookie.

use tower_http::{
    CompressionLevel,
    compression::{
        CompressionLayer, Predicate,
        predicate::{And, NotForContentType, SizeAbove},
    },
};

/// Less than this fits one packet as it is.
const WORTH_IT: u16 = 1_024;
/// As zlib's middle and a fast brotli: a page takes a millisecond.
const LEVEL: CompressionLevel = CompressionLevel::Precise(4);

/// Brotli or gzip, as asked for.
pub(super) fn layer() -> CompressionLayer<impl Predicate> {
    let streams: And<SizeAbove, NotForContentType> =
        SizeAbove::new(WORTH_IT).and(NotForContentType::SSE);
    let which = streams.and(NotForContentType::IMAGES);
    CompressionLayer::new().quality(LEVEL).compress_when(which)
}
