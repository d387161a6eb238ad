//! Holding grants against the journal: nothing is approved ahead but by a person's decision, and by none that has ended
//! (rule 15).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{
    Audience, GrantEvent, GrantId, InteractionEvent, InteractionId,
    grant::{GrantEnd, GrantRecord, Terms},
};
use store::{GrantQuery, Store};

use super::rows::Differs;

/// How many rows are read at a time.
const PAGE: u32 = 100;

/// Grants, as the journal tells of them.
#[derive(Debug, Default)]
pub(super) struct KnownGrants {
    made: BTreeMap<GrantId, Known>,
    /// What was approved by none of them, or when it did not hold.
    strays: Vec<Differs>,
}

#[derive(Debug)]
struct Known {
    terms: Terms,
    /// As an event said.
    ended: Option<GrantEnd>,
    uses: u32,
}

impl KnownGrants {
    pub(super) fn take(&mut self, event: GrantEvent) {
        match event {
            GrantEvent::Made(terms) => {
                let known = Known {
                    terms: *terms,
                    ended: None,
                    uses: 0,
                };
                self.made.insert(known.terms.id, known);
            }
            GrantEvent::Revoked { id } => self.end(id, GrantEnd::Revoked),
            GrantEvent::Ended { id, why } => self.end(id, why),
        }
    }

    fn end(&mut self, id: GrantId, why: GrantEnd) {
        if let Some(known) = self.made.get_mut(&id) {
            known.ended.get_or_insert(why);
        }
    }

    /// What was made from this is gone (rule 19).
    fn end_with(&mut self, erased: InteractionId) {
        let made_from_it = self
            .made
            .values_mut()
            .filter(|known| known.terms.made_from == erased);
        for known in made_from_it {
            known.ended.get_or_insert(GrantEnd::Erased);
        }
    }

    /// An approval that says that it rests on a grant.
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
        let Some((decision, granted)) = decision.and_then(|it| Some((it, it.grant?))) else {
            return;
        };
        let how = match self.made.get_mut(&granted.id) {
            None => "a grant approved it that nobody has made",
            Some(known) if known.ended == Some(GrantEnd::Revoked) => {
                "a grant approved it that was revoked before"
            }
            Some(known) if known.ended == Some(GrantEnd::UsedUp) => {
                "a grant approved it that was used up"
            }
            Some(known) if known.ended.is_some() => "a grant approved it that had ended before",
            Some(known) if known.terms.expires_at <= at => "a grant approved it that was over",
            Some(known)
                if known.terms.agent.id != decision.agent.id
                    || known.terms.by != decision.responder
                    || known.terms.made_at != granted.made_at =>
            {
                "a grant approved it that is another's"
            }
            Some(known) => {
                known.uses += 1;
                match known.uses > known.terms.most {
                    true => "a grant approved it that was used up",
                    false => return,
                }
            }
        };
        self.strays.push(Differs {
            what: interaction.map_or_else(|| "an approval".to_owned(), |id| id.to_string()),
            how: how.to_owned(),
        });
    }

    /// The rows that are not as their events say, and what no grant has approved.
    pub(super) async fn compare(&self, store: &dyn Store) -> anyhow::Result<Vec<Differs>> {
        let mut differ = self.strays.clone();
        let mut before = None;
        loop {
            let query = GrantQuery {
                before,
                open_since: None,
                limit: PAGE,
            };
            let page = store.grants(&Audience::All, query).await?;
            for record in &page {
                differ.extend(self.how_it_differs(record).map(|how| Differs {
                    what: format!("grant {}", record.grant.terms.id),
                    how: how.to_owned(),
                }));
            }
            match page.last() {
                Some(last) => before = Some(last.grant.terms.id),
                None => return Ok(differ),
            }
        }
    }

    fn how_it_differs(&self, record: &GrantRecord) -> Option<&'static str> {
        let terms = &record.grant.terms;
        let Some(known) = self.made.get(&terms.id) else {
            return Some("nobody has made it");
        };
        let fits = |scope: &domain::grant::Scope| {
            scope
                .digest()
                .is_ok_and(|digest| digest == known.terms.scope_digest)
        };
        if known.terms != *terms {
            return Some("it says something else than was decided");
        }
        if !record.grant.scope.as_ref().is_none_or(fits) {
            return Some("it covers something else than was decided");
        }
        match (known.ended, record.ended) {
            (Some(GrantEnd::Revoked), None) => {
                return Some("it was revoked, and the row does not say so");
            }
            (Some(_), None) => return Some("it has ended, and the row does not say so"),
            _ => {}
        }
        // It may be used while this is read, and never less.
        (record.uses < known.uses).then_some("it was used more often than the row says")
    }
}
