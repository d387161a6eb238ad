//! Messages are taken away after what they tell of is closed, once that is committed: closing does not wait for phones. What
//! tells of a question is a rung of its ladder (`climb.rs`).

use domain::obligation::messages;

use super::super::{Service, ServiceError};

/// How many events are read at once.
const PAGE: u32 = 256;
/// How many messages are made in one transaction, about.
const TOGETHER: usize = 2_000;
/// Events that no one is told of are read again after a restart, up to so many.
const UNKEPT: i64 = 1_000;

impl Service {
    /// Makes messages of what has happened since the event `read`, which is moved on. Returns whether there is more.
    ///
    /// # Errors
    /// When the database fails: then nothing of it was made, or all.
    pub async fn tell_people(&self, read: &mut i64) -> Result<bool, ServiceError> {
        let last = self.store.last_seq().await?;
        if *read >= last {
            return Ok(false);
        }
        let from = self.store.told_up_to().await?;
        *read = (*read).max(from);
        if !self.store.anybody_is_reached().await? {
            *read = (*read).max(last);
            if *read - from >= UNKEPT {
                self.store.tell(from, *read, &[]).await?;
            }
            return Ok(false);
        }
        let page = self.store.to_tell(*read, PAGE).await?;
        let (mut up_to, mut more) = (page.up_to, page.more);
        let mut owed = Vec::new();
        for one in &page.told {
            if owed.len() >= TOGETHER {
                (up_to, more) = (one.seq - 1, true);
                break;
            }
            let reaches = self.store.told(one.interaction).await?;
            owed.extend(messages(one.event, one.seq, one.at, &reaches));
        }
        let is_kept = !owed.is_empty() || up_to - from >= UNKEPT;
        if !is_kept || self.store.tell(from, up_to, &owed).await? {
            *read = up_to;
        }
        Ok(more)
    }
}
