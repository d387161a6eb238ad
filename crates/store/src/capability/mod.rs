//! What the server may ask of its database, by subject. What writes, the journal and the outbox stand beside
//! [`Store`](crate::Store).

pub(crate) mod attachments;
pub(crate) mod grants;
pub(crate) mod insights;
pub(crate) mod interactions;
pub(crate) mod memories;
pub(crate) mod nodes;
pub(crate) mod people;
pub(crate) mod policies;
pub(crate) mod reaching;
pub(crate) mod slack;
pub(crate) mod teams;
