//! What all rules together say of one action (rule 14).

use super::{Considered, Holds, PolicyRule, PolicySet};
use crate::{
    ids::PolicyId,
    interaction::{Action, Ask, ByPolicy, Counted, Quorum, Request, Ruled, RuledBy, Then},
    limits,
    matcher::Matcher,
};

/// What is asked, as far as a rule looks at it.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The name of the agent.
    pub agent: &'a str,
    /// The name of the team that is asked; `None` = everyone.
    pub team: Option<&'a str>,
    /// The action.
    pub action: &'a Action,
}

/// Policies that are in force.
#[derive(Clone, Copy, Debug)]
pub enum InForce<'a> {
    /// These.
    Known(&'a PolicySet),
    /// Some that cannot be read, or that no key has signed as they are: nobody knows what they say, so a person is asked.
    Unreadable(PolicyId),
}

/// What the rules say of an action.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ruling {
    /// As it is kept with the request.
    pub ruled: Ruled,
    /// The rule that decides, where one forbids or allows.
    pub decided_by: Option<ByPolicy>,
    /// How many people have to approve, where a rule says so.
    pub quorum: Option<Quorum>,
    /// The team to ask, where a rule says so.
    pub team: Option<String>,
    /// How long people have at most, where a rule says so.
    pub deadline_seconds: Option<i64>,
}

/// A rule that applies, or may.
struct Hit<'a> {
    set: &'a PolicySet,
    rule: &'a PolicyRule,
    is_unclear: bool,
}

/// What all of these say of what is asked: the strictest. `None` when they say nothing of it.
pub fn rule(in_force: &[InForce<'_>], asked: &Question<'_>) -> Option<Ruling> {
    rule_among(in_force, asked, None)
}

/// The same where it is known which teams there are, by name: a rule for one that is not may be for any.
pub fn rule_among(
    in_force: &[InForce<'_>],
    asked: &Question<'_>,
    teams: Option<&[String]>,
) -> Option<Ruling> {
    let mut hits = Vec::new();
    let mut unreadable = Vec::new();
    let considered = Considered::of(asked, teams);
    for policies in in_force {
        match policies {
            InForce::Unreadable(id) => unreadable.push(*id),
            InForce::Known(set) => {
                hits.extend(set.policies.rules.iter().filter_map(|rule| {
                    let holds = rule.holds_for(&considered);
                    (holds != Holds::No).then_some(Hit {
                        set,
                        rule,
                        is_unclear: holds == Holds::Unclear,
                    })
                }));
            }
        }
    }
    let of = |then: Then| {
        hits.iter()
            .filter(move |hit| hit.rule.then == Some(then) && !hit.is_unclear)
    };
    // Who hides a word does not get around what a rule says: people are asked as if it were clear.
    let destructive = hits.iter().any(|hit| hit.rule.destructive);
    // What could not be told of a rule is for a person to see.
    let is_unclear = hits.iter().any(|hit| hit.is_unclear) || !unreadable.is_empty();
    // Rule 15: nothing that is not made for exactly this lets through what is destructive.
    let is_exact = |hit: &&Hit<'_>| hit.rule.matcher.as_ref().is_some_and(Matcher::is_exact);
    let allowed = of(Then::Allow).find(|hit| !destructive || is_exact(hit));
    let forbidden = of(Then::Forbid).next();
    let then = match (forbidden, allowed) {
        (Some(_), _) => Some(Then::Forbid),
        _ if is_unclear || of(Then::Ask).next().is_some() => Some(Then::Ask),
        (None, Some(_)) => Some(Then::Allow),
        (None, None) if destructive => None,
        (None, None) => return None,
    };
    let decisive = match then {
        Some(Then::Forbid) => forbidden,
        Some(Then::Allow) => allowed,
        Some(Then::Ask) | None => None,
    };
    let mut ruling = Ruling {
        ruled: Ruled {
            then,
            destructive,
            team: None,
            admins_only: false,
            by: Vec::new(),
        },
        decided_by: decisive.map(|hit| ByPolicy {
            id: hit.set.terms.id,
            digest: hit.set.terms.digest.clone(),
            rule: hit.rule.name.clone(),
        }),
        ..Ruling::default()
    };
    let by = &mut ruling.ruled.by;
    let marks = hits
        .iter()
        .filter(|hit| hit.rule.destructive && !hit.is_unclear && hit.rule.then != Some(Then::Ask));
    let unclear = || hits.iter().filter(|hit| hit.is_unclear);
    // Why it is destructive is never left out.
    let is_mark = |hit: &&Hit<'_>| hit.rule.destructive;
    match then {
        Some(Then::Forbid) => by.extend(of(Then::Forbid).map(Hit::said)),
        Some(Then::Allow) => by.extend(decisive.map(Hit::said)),
        Some(Then::Ask) => {
            by.extend(marks.clone().map(Hit::said));
            by.extend(of(Then::Ask).filter(is_mark).map(Hit::said));
            by.extend(unclear().filter(is_mark).map(Hit::said));
            by.extend(of(Then::Ask).filter(|hit| !is_mark(hit)).map(Hit::said));
            by.extend(unclear().filter(|hit| !is_mark(hit)).map(Hit::said));
            by.extend(unreadable.into_iter().map(unread));
        }
        None => {}
    }
    if matches!(then, None | Some(Then::Allow)) {
        by.extend(marks.map(Hit::said));
    }
    by.truncate(limits::POLICY_SAID);
    if then == Some(Then::Ask) {
        of(Then::Ask).for_each(|hit| ruling.ask(hit.rule));
        let asks = |hit: &&Hit<'_>| hit.rule.then == Some(Then::Ask);
        unclear().filter(asks).for_each(|hit| ruling.ask(hit.rule));
    }
    Some(ruling)
}

impl Hit<'_> {
    fn said(&self) -> RuledBy {
        RuledBy {
            policies: self.set.terms.id,
            rule: self.rule.name.clone(),
            reason: self.rule.reason.clone(),
            unclear: self.is_unclear,
        }
    }
}

fn unread(policies: PolicyId) -> RuledBy {
    RuledBy {
        policies,
        rule: "policies".to_owned(),
        reason: Some("the policies of this server cannot be read; tell an admin".to_owned()),
        unclear: true,
    }
}

impl Ruling {
    /// As this rule asks, and not less strictly than those before it.
    fn ask(&mut self, rule: &PolicyRule) {
        if let Some(approvals) = &rule.approvals {
            // What is stored has passed the check; a number that has not stands for the most.
            let needed = approvals.needed.unwrap_or(1);
            let needed = u32::try_from(needed).unwrap_or(limits::APPROVALS);
            self.quorum = stricter(
                self.quorum,
                Some(Quorum {
                    needed: needed.clamp(1, limits::APPROVALS),
                    of: approvals.of.unwrap_or_default(),
                    four_eyes: approvals.four_eyes.unwrap_or_default(),
                }),
            );
        }
        if self.team.is_none() {
            self.team.clone_from(&rule.team);
        }
        self.deadline_seconds = shorter(self.deadline_seconds, rule.deadline_seconds);
    }

    /// The same where nothing is allowed: the agent wants a person's word on this one. `None` when nothing is left.
    #[must_use]
    pub fn without_allowing(self) -> Option<Self> {
        if self.ruled.then != Some(Then::Allow) {
            return Some(self);
        }
        let ruled = Ruled {
            then: None,
            // The first is what allows.
            by: self.ruled.by.into_iter().skip(1).collect(),
            destructive: self.ruled.destructive,
            team: None,
            admins_only: false,
        };
        ruled.destructive.then_some(Self {
            ruled,
            ..Self::default()
        })
    }
}

/// The request as people are asked it, under this ruling.
pub fn under(request: Request, ruling: &Ruling) -> Request {
    let mut request = request;
    if let Ask::Approval {
        amendable,
        approvals,
        ..
    } = &mut request.ask
    {
        *approvals = stricter(*approvals, ruling.quorum);
        // Each of several has to approve the same.
        if approvals.is_some_and(|quorum| quorum.needed > 1) {
            *amendable = None;
        }
    }
    request.timeout_seconds = shorter(request.timeout_seconds, ruling.deadline_seconds);
    request.ruled = Some(Box::new(ruling.ruled.clone()));
    request
}

/// What is as strict as both.
pub(crate) fn stricter(one: Option<Quorum>, other: Option<Quorum>) -> Option<Quorum> {
    match (one, other) {
        (Some(one), Some(other)) => Some(Quorum {
            needed: one.needed.max(other.needed),
            of: match (one.of, other.of) {
                (Counted::Anyone, Counted::Anyone) => Counted::Anyone,
                _ => Counted::Team,
            },
            four_eyes: one.four_eyes || other.four_eyes,
        }),
        (one, other) => one.or(other),
    }
}

fn shorter(one: Option<i64>, other: Option<i64>) -> Option<i64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
