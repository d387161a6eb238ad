//! Who is calling: secrets, browser sessions, and where a browser's request comes from.

pub mod address;
pub(crate) mod bearer;
pub mod browser;
pub mod same_origin;
pub(crate) mod session;
