//! Policies, for readers who may know.

use chrono::TimeDelta;

use domain::{
    PolicyId, Principal,
    policy::{PolicyRule, PolicySet, PolicyTerms, Source},
};
use store::PolicyUses;

use super::in_force::Held;
use crate::{Service, ServiceError};

/// How many sets of each source the history shows.
const HISTORY: u32 = 20;
/// What the counts of the page tell of.
const WEEK: TimeDelta = TimeDelta::days(7);

/// Policies, for readers who may know.
#[derive(Clone, Debug, PartialEq)]
pub struct PoliciesShown {
    /// Those of this server's file, if it has one.
    pub file: Option<Set>,
    /// Those that were set here, if any were.
    pub here: Option<Set>,
    /// Whether those that were set here cannot be read, or are not signed: then everything is asked.
    pub unreadable: Option<PolicyId>,
    /// What each rule has decided in the last seven days.
    pub uses: Vec<PolicyUses>,
    /// Who put which in force here, the newest first.
    pub history: Vec<PolicyTerms>,
}

/// One set, as far as the reader may see its rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Set {
    /// Who put it in force, and when.
    pub terms: PolicyTerms,
    /// The rules.
    pub rules: Vec<PolicyRule>,
}

impl PoliciesShown {
    /// How much a rule of one of these sets has decided in the last seven days.
    pub fn used(&self, set: &Set, rule: &PolicyRule) -> u64 {
        let uses = self.uses.iter();
        uses.filter(|one| one.policies == set.terms.id && one.rule == rule.name)
            .map(|one| one.count)
            .sum()
    }
}

impl Service {
    /// What is in force, for admins, and for programs that answer as far as it is about their teams.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`].
    pub async fn policies(&self, reader: &Principal) -> Result<PoliciesShown, ServiceError> {
        let own = match reader {
            Principal::Script { teams, .. } => {
                let all = self.store.teams().await?.into_iter();
                let own = all.filter(|record| teams.sees(record.team.id));
                Some(
                    own.map(|record| record.team.profile.name.to_lowercase())
                        .collect::<Vec<_>>(),
                )
            }
            _ => {
                reader.admin()?;
                None
            }
        };
        let shown = |set: &PolicySet| {
            // Rule 18: what another team is asked is nobody else's business.
            let is_seen = |rule: &&PolicyRule| match &own {
                None => true,
                Some(own) => {
                    rule.teams.is_empty()
                        || rule
                            .teams
                            .iter()
                            .any(|team| own.contains(&team.to_lowercase()))
                }
            };
            let rules = set.policies.rules.iter().filter(is_seen).cloned();
            Set {
                terms: set.terms.clone(),
                rules: rules.collect(),
            }
        };
        let all = self.policies_in_force().await?;
        let (mut here, mut unreadable) = (None, None);
        for held in &all.sets {
            match held {
                Held::Known(set) if set.terms.source == Source::Here => here = Some(shown(set)),
                Held::Known(_) => {}
                Held::Unreadable(id) => unreadable = Some(*id),
            }
        }
        let history = match own {
            None => self.store.policy_history(Source::Here, HISTORY).await?,
            Some(_) => Vec::new(),
        };
        Ok(PoliciesShown {
            file: self.policies.file().map(|set| shown(&set)),
            here,
            unreadable,
            uses: self.store.count_policy_uses(self.now() - WEEK).await?,
            history,
        })
    }
}
