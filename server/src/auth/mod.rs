//! Who is calling: secrets, browser sessions, and where a browser's request comes from.

pub mod browser;
pub mod same_origin;
pub mod secret;
