//! What waits besides, in the order of the desk.

use app::{error::UiError, view::Row};
use domain::InteractionId;

use crate::ui::backend::{ForPerson, failed};

/// So many are looked through for the next one.
const ROWS: u32 = 200;

/// What waits for a person besides one question.
pub(super) struct Besides {
    /// The one behind it that they may answer, or else the first.
    pub(super) next: Option<Row>,
    /// How many there are in all. What they have snoozed is not among them.
    pub(super) count: i64,
}

impl ForPerson {
    /// What waits besides this one.
    pub(super) async fn besides(&self, id: InteractionId) -> Result<Besides, UiError> {
        let principal = self.principal()?;
        let audience = principal.audience();
        let store = self.state.service.store();
        let waiting = store.waiting(&audience, ROWS).await.map_err(failed)?;
        let all = store.waiting_counts(&audience).await.map_err(failed)?;
        let snoozed = self.state.service.snoozed(self.who()?.person.id).await;
        let mut snoozed = snoozed.map_err(failed)?;
        snoozed.retain(|one| one.interaction != id);
        let here = waiting.iter().position(|brief| brief.id == id);
        let (before, behind) = waiting.split_at(here.map_or(0, |at| at + 1));
        let next = behind.iter().chain(before).find(|one| {
            one.id != id
                && snoozed.iter().all(|it| it.interaction != one.id)
                && principal.responder_for(one.team.as_ref()).is_ok()
        });
        let snoozed = i64::try_from(snoozed.len()).unwrap_or(i64::MAX);
        Ok(Besides {
            next: next.map(Row::from),
            count: all.sync + all.not_sync - i64::from(here.is_some()) - snoozed,
        })
    }
}

impl Besides {
    /// How many, in words.
    pub(super) fn words(&self) -> String {
        match self.count {
            ..=0 => String::new(),
            1 => "1 more waits".to_owned(),
            count => format!("{count} more wait"),
        }
    }
}
