//! Holding policies against the journal: nothing is decided by a rule but by one that an admin has put in force (rule 14).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{
    Actor, InteractionEvent, InteractionId, PolicyEvent, PolicyId,
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
    /// Those that a server has read from its file last.
    file: Option<PolicyId>,
    /// What was decided by none of them, or when they were not in force.
    strays: Vec<Differs>,
}

impl KnownPolicies {
    /// They were put in force by `by`, at `at`, as the journal says.
    pub(super) fn take(&mut self, event: PolicyEvent, by: Option<&Actor>, at: DateTime<Utc>) {
        let (terms, is_here) = match event {
            PolicyEvent::Set(terms) => (terms, true),
            PolicyEvent::Loaded(terms) => (terms, false),
        };
        let last = match is_here {
            true => &mut self.here,
            false => &mut self.file,
        };
        let before = last.replace(terms.id);
        let how = match () {
            () if self.put.contains_key(&terms.id) => Some("they were put in force twice"),
            () if by != Some(&terms.by) || at.timestamp_millis() != terms.at.timestamp_millis() => {
                Some("they were put in force by somebody else, or at another time, than is signed")
            }
            () if terms.replaces.is_some() && terms.replaces != before => {
                Some("they took the place of others than were in force")
            }
            () => None,
        };
        self.strays.extend(how.map(|how| Differs {
            what: format!("policies {}", terms.id),
            how: how.to_owned(),
        }));
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

#[cfg(test)]
mod tests {
    use domain::policy::Policies;
    use uuid::Uuid;

    use super::*;

    fn by() -> Actor {
        Actor::Operator {
            name: "root".to_owned(),
        }
    }

    fn set(id: u128, replaces: Option<u128>) -> PolicyTerms {
        let named = |id| PolicyId(Uuid::from_u128(id));
        PolicyTerms {
            version: 1,
            statement: "handraise policies".to_owned(),
            id: named(id),
            source: Source::Here,
            replaces: replaces.map(named),
            digest: Policies::default().digest().unwrap(),
            rules: Vec::new(),
            by: by(),
            at: DateTime::UNIX_EPOCH,
            public_key: String::new(),
        }
    }

    fn strays(all: &[PolicyTerms], actor: &Actor, at: DateTime<Utc>) -> Vec<String> {
        let mut known = KnownPolicies::default();
        for terms in all {
            let event = PolicyEvent::Set(Box::new(terms.clone()));
            known.take(event, Some(actor), at);
        }
        known.strays.into_iter().map(|stray| stray.how).collect()
    }

    #[test]
    fn what_was_replaced_is_put_in_force_no_second_time() {
        let (first, second) = (set(1, None), set(2, Some(1)));
        let at = DateTime::UNIX_EPOCH;
        let in_order = [first.clone(), second.clone(), set(3, Some(2))];
        assert!(strays(&in_order, &by(), at).is_empty());
        for wrong in [
            vec![first.clone(), second.clone(), first.clone()],
            vec![first.clone(), second, set(3, Some(1))],
        ] {
            assert_eq!(strays(&wrong, &by(), at).len(), 1, "{wrong:?}");
        }
        let ben = Actor::Operator {
            name: "ben".to_owned(),
        };
        assert_eq!(strays(std::slice::from_ref(&first), &ben, at).len(), 1);
        let later = at + chrono::TimeDelta::seconds(1);
        assert_eq!(strays(&[first], &by(), later).len(), 1);
    }
}
