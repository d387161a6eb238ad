//! Who is calling: secrets, browser sessions, and where a browser's request comes from.

pub mod address;
pub(crate) mod agent;
pub(crate) mod bearer;
pub mod browser;
pub(crate) mod on_the_way;
pub mod same_origin;
pub(crate) mod session;
