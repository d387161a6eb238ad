//! Holding policies against the journal: nothing is decided by a rule but by one that an admin has put in force (rule 14).

use std::collections::BTreeMap;

use domain::{
    InteractionEvent, InteractionId, PolicyEvent, PolicyId,
    policy::{PolicyTerms, Source},
};
use store::Store;

use super::rows::Differs;

/// Policies, as the journal tells of them.
#[derive(Debug, Default)]
pub(super) struct KnownPolicies {
    put: BTreeMap<PolicyId, PolicyTerms>,
    /// Those that were set here last.
    here: Option<PolicyId>,
    /// What was decided by none of them, or when they were not in force.
    strays: Vec<Differs>,
}

impl KnownPolicies {
    pub(super) fn take(&mut self, event: PolicyEvent) {
        let (terms, is_here) = match event {
            PolicyEvent::Set(terms) => (terms, true),
            PolicyEvent::Loaded(terms) => (terms, false),
        };
        if is_here {
            self.here = Some(terms.id);
        }
        self.put.insert(terms.id, *terms);
    }

    /// Whether a rule of this name was put in force with these.
    pub(super) fn has(&self, id: PolicyId, rule: &str) -> bool {
        let terms = self.put.get(&id);
        terms.is_some_and(|terms| terms.rules.iter().any(|name| name == rule))
    }

    /// A decision that says that it rests on a rule.
    pub(super) fn follow(&mut self, interaction: Option<InteractionId>, event: &InteractionEvent) {
        let InteractionEvent::Resolved { answer, .. } = event else {
            return;
        };
        let decision = answer.receipt.as_ref().map(|receipt| &receipt.decision);
        let Some(by) = decision.and_then(|decision| decision.policy.as_ref()) else {
            return;
        };
        let how = match self.put.get(&by.id) {
            None => "policies decided it that nobody has put in force",
            Some(terms) if terms.digest != by.digest || !self.has(by.id, &by.rule) => {
                "a rule decided it that its policies do not have"
            }
            // Each server has its own file, so that others may be in force elsewhere.
            Some(terms) if terms.source == Source::Here && self.here != Some(by.id) => {
                "policies decided it that others had taken the place of"
            }
            Some(_) => return,
        };
        self.strays.push(Differs {
            what: interaction.map_or_else(|| "an approval".to_owned(), |id| id.to_string()),
            how: how.to_owned(),
        });
    }

    /// The rows that are not as their events say, and what no rule has decided.
    pub(super) async fn compare(&self, store: &dyn Store) -> anyhow::Result<Vec<Differs>> {
        let mut differ = self.strays.clone();
        for (id, terms) in &self.put {
            let how = match store.policy_set(*id).await {
                Ok(Some(set)) if set.terms != *terms => "they say something else than was put",
                Ok(Some(set)) if set.policies.digest().ok().as_ref() != Some(&terms.digest) => {
                    "their rules are others than were put"
                }
                Ok(Some(_)) => continue,
                Ok(None) => "they are gone",
                Err(error) if error.is_of_a_row() => "they cannot be read",
                Err(error) => return Err(error.into()),
            };
            differ.push(Differs {
                what: format!("policies {id}"),
                how: how.to_owned(),
            });
        }
        Ok(differ)
    }
}
