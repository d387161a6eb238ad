//! Holding answers that stand against the journal: nothing is answered by itself but by a person's word, and by none that has
//! ended.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{
    Audience, InteractionEvent, InteractionId, MemoryEvent, MemoryId,
    memory::{Kept, MemoryEnd, MemoryRecord, Terms},
};
use store::{MemoryQuery, Store};

use super::rows::Differs;

/// How many rows are read at a time.
const PAGE: u32 = 100;

/// Answers that stand, as the journal tells of them.
#[derive(Debug, Default)]
pub(super) struct KnownMemories {
    kept: BTreeMap<MemoryId, Known>,
    /// What was answered by none of them, or when it did not hold.
    strays: Vec<Differs>,
}

#[derive(Debug)]
struct Known {
    terms: Terms,
    /// As an event said.
    ended: Option<MemoryEnd>,
}

impl KnownMemories {
    pub(super) fn take(&mut self, event: MemoryEvent) {
        match event {
            MemoryEvent::Kept(terms) => {
                let known = Known {
                    terms: *terms,
                    ended: None,
                };
                self.kept.insert(known.terms.id, known);
            }
            MemoryEvent::Revoked { id } => self.end(id, MemoryEnd::Revoked),
            MemoryEvent::Ended { id, why } => self.end(id, why),
        }
    }

    fn end(&mut self, id: MemoryId, why: MemoryEnd) {
        if let Some(known) = self.kept.get_mut(&id) {
            known.ended.get_or_insert(why);
        }
    }

    /// What was made from this is gone (rule 19).
    fn end_with(&mut self, erased: InteractionId) {
        let made_from_it = self
            .kept
            .values_mut()
            .filter(|known| known.terms.made_from == erased);
        for known in made_from_it {
            known.ended.get_or_insert(MemoryEnd::Erased);
        }
    }

    /// An answer that says that it was given before.
    pub(super) fn follow(
        &mut self,
        interaction: Option<InteractionId>,
        event: &InteractionEvent,
        at: DateTime<Utc>,
    ) {
        if let (InteractionEvent::Erased(_), Some(erased)) = (event, interaction) {
            self.end_with(erased);
        }
        let InteractionEvent::Resolved { answer, .. } = event else {
            return;
        };
        let decision = answer.receipt.as_ref().map(|receipt| &receipt.decision);
        let Some((decision, remembered)) = decision.and_then(|it| Some((it, it.remembered?)))
        else {
            return;
        };
        let how = match self.kept.get(&remembered.id) {
            None => "an earlier answer answered it that nobody let stand",
            Some(known) if known.ended == Some(MemoryEnd::Revoked) => {
                "an earlier answer answered it that was revoked before"
            }
            Some(known) if known.ended.is_some() => {
                "an earlier answer answered it that had ended before"
            }
            Some(known) if known.terms.expires_at <= at => {
                "an earlier answer answered it that stood no longer"
            }
            Some(known) if !is_of(&known.terms, decision, remembered) => {
                "an earlier answer answered it that is another's"
            }
            Some(_) => return,
        };
        self.strays.push(Differs {
            what: interaction.map_or_else(|| "an answer".to_owned(), |id| id.to_string()),
            how: how.to_owned(),
        });
    }

    /// The rows that are not as their events say, and what no earlier answer has answered.
    pub(super) async fn compare(&self, store: &dyn Store) -> anyhow::Result<Vec<Differs>> {
        let mut differ = self.strays.clone();
        let mut before = None;
        loop {
            let query = MemoryQuery {
                before,
                open_since: None,
                limit: PAGE,
            };
            let page = store.memories(&Audience::All, query).await?;
            for record in &page {
                differ.extend(self.how_it_differs(record).map(|how| Differs {
                    what: format!("memory {}", record.memory.terms.id),
                    how: how.to_owned(),
                }));
            }
            match page.last() {
                Some(last) => before = Some(last.memory.terms.id),
                None => return Ok(differ),
            }
        }
    }

    fn how_it_differs(&self, record: &MemoryRecord) -> Option<&'static str> {
        let terms = &record.memory.terms;
        let Some(known) = self.kept.get(&terms.id) else {
            return Some("nobody let it stand");
        };
        let fits = |kept: &Kept| {
            kept.digest()
                .is_ok_and(|digest| digest == known.terms.words_digest)
        };
        if known.terms != *terms {
            return Some("it says something else than was decided");
        }
        if !record.memory.kept.as_ref().is_none_or(fits) {
            return Some("it answers something else than was answered");
        }
        match (known.ended, record.ended) {
            (Some(MemoryEnd::Revoked), None) => Some("it was revoked, and the row does not say so"),
            (Some(_), None) => Some("it has ended, and the row does not say so"),
            _ => None,
        }
    }
}

fn is_of(
    terms: &Terms,
    decision: &domain::interaction::Decision,
    remembered: domain::interaction::Remembered,
) -> bool {
    let agent = terms.agent.as_ref();
    agent.is_none_or(|agent| agent.id == decision.agent.id)
        && terms.by == decision.responder
        && terms.made_at == remembered.made_at
        && terms.answered_at == remembered.answered_at
}
