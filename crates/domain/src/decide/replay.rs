//! What policies would have decided otherwise of what was asked: the journal, read once more under them.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::{
    event::{Event, InteractionEvent, Payload},
    ids::InteractionId,
    interaction::{Ask, ByPolicy, Outcome, Quorum, Ruled, Then, beginning},
    limits,
    policy::{InForce, Question, Ruling, rule},
};

/// Reads events in their order, from any place of the journal on.
#[derive(Debug)]
pub struct Replay<'a> {
    in_force: Vec<InForce<'a>>,
    open: BTreeMap<InteractionId, One>,
    done: Replayed,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// How many approvals were looked at.
    pub looked_at: u64,
    /// How many could not be: what was asked is erased.
    pub erased: u64,
    /// How many reached a person, as it was.
    pub reached: u64,
    /// How many would reach one.
    pub would_reach: u64,
    /// How many would be decided otherwise.
    pub otherwise: u64,
    /// Those, the first in the journal first, as far as there is room: those that a person decided the other way before all
    /// others.
    pub named: Vec<Otherwise>,
}

/// One approval that would have been decided otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Otherwise {
    /// Which.
    pub id: InteractionId,
    /// When it was asked.
    pub at: DateTime<Utc>,
    /// The name of the agent.
    pub agent: String,
    /// The tool.
    pub tool: String,
    /// How what was asked begins.
    pub prompt: String,
    /// How it was.
    pub was: Was,
    /// How it would be.
    pub would: Would,
}

/// How an approval was decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Was {
    /// It still waits.
    Waiting,
    /// Nobody decided it: it expired, or was taken back.
    Undecided(Outcome),
    /// A person did.
    Person {
        /// How.
        outcome: Outcome,
        /// Their name.
        by: String,
    },
    /// A standing approval of this person did.
    Granted(String),
    /// A rule of this name did.
    Policy {
        /// How.
        outcome: Outcome,
        /// Which.
        rule: String,
    },
}

/// How it would be decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Would {
    /// Denied at once, by this rule.
    Forbidden(String),
    /// Approved at once, by this rule.
    Allowed(String),
    /// By people: so many, where that is said, of this team, where it is.
    Asked {
        /// The rule that says so; `None` = no rule says anything of it.
        rule: Option<String>,
        /// How many people it takes.
        needed: u32,
        /// Whether the agent's owner counts for none of them.
        four_eyes: bool,
        /// The team, where a rule names one.
        team: Option<String>,
    },
}

impl Otherwise {
    /// Whether a person has decided the other way than a rule would have.
    pub fn is_against_a_person(&self) -> bool {
        match (&self.was, &self.would) {
            (Was::Person { outcome, .. }, Would::Forbidden(_)) => *outcome == Outcome::Approved,
            (Was::Person { outcome, .. }, Would::Allowed(_)) => *outcome == Outcome::Denied,
            _ => false,
        }
    }
}

/// An approval whose end has not been read.
#[derive(Debug)]
struct One {
    told: Otherwise,
    was_ruled: Option<Ruled>,
    quorum: Option<Quorum>,
}

impl<'a> Replay<'a> {
    /// Under these policies.
    pub fn new(in_force: Vec<InForce<'a>>) -> Self {
        Self {
            in_force,
            open: BTreeMap::new(),
            done: Replayed::default(),
        }
    }

    /// One more event.
    pub fn take(&mut self, event: &Event) {
        let (Payload::Interaction(what), Some(id)) = (&event.payload, event.interaction_id) else {
            return;
        };
        let was = match what {
            InteractionEvent::Requested { .. } => return self.ask(id, event, what),
            InteractionEvent::Resolved { outcome, answer } => {
                let decision = answer.receipt.as_ref().map(|receipt| &receipt.decision);
                let policy = decision.and_then(|decision| decision.policy.as_ref());
                let by = answer.responder.name.clone();
                match (policy, decision.and_then(|decision| decision.grant)) {
                    (Some(ByPolicy { rule, .. }), _) => Was::Policy {
                        outcome: *outcome,
                        rule: rule.clone(),
                    },
                    (None, Some(_)) => Was::Granted(by),
                    (None, None) => Was::Person {
                        outcome: *outcome,
                        by,
                    },
                }
            }
            InteractionEvent::Expired { outcome, .. } => Was::Undecided(*outcome),
            InteractionEvent::Cancelled { .. } => Was::Undecided(Outcome::Cancelled),
            _ => return,
        };
        if let Some(mut one) = self.open.remove(&id) {
            one.told.was = was;
            self.done.count(one);
        }
    }

    /// What came of it, what still waits included.
    pub fn end(mut self) -> Replayed {
        for one in std::mem::take(&mut self.open).into_values() {
            self.done.count(one);
        }
        self.done
    }

    fn ask(&mut self, id: InteractionId, event: &Event, what: &InteractionEvent) {
        let InteractionEvent::Requested {
            agent,
            request,
            team,
            to,
            ..
        } = what
        else {
            return;
        };
        let Ask::Approval {
            action, approvals, ..
        } = &request.ask
        else {
            return;
        };
        if event.is_erased {
            self.done.erased += 1;
            return;
        }
        let asked = Question {
            agent: &agent.name,
            team: team.as_ref().map(|team| &*team.name),
            action,
        };
        let ruling = rule(&self.in_force, &asked);
        // Whoever is asked by name, is one of several, or has files to look at, is asked whatever a rule allows.
        let wants_people = approvals.is_some() || to.is_some() || !action.attachments.is_empty();
        let ruling = match wants_people {
            true => ruling.and_then(Ruling::without_allowing),
            false => ruling,
        };
        let one = One {
            told: Otherwise {
                id,
                at: event.at,
                agent: agent.name.clone(),
                tool: action.tool.clone(),
                prompt: beginning(&request.prompt),
                was: Was::Waiting,
                would: would(ruling.as_ref(), *approvals),
            },
            was_ruled: request.ruled.as_deref().cloned(),
            quorum: *approvals,
        };
        self.open.insert(id, one);
    }
}

/// What it would come to. A quorum that a rule had said then is taken for the agent's own: it was the strictest there was.
fn would(ruling: Option<&Ruling>, own: Option<Quorum>) -> Would {
    let first = ruling.and_then(|ruling| ruling.ruled.by.first());
    let rule = first.map(|by| by.rule.clone());
    match ruling.and_then(|ruling| ruling.ruled.then) {
        Some(Then::Forbid) => Would::Forbidden(rule.unwrap_or_default()),
        Some(Then::Allow) => Would::Allowed(rule.unwrap_or_default()),
        then @ (Some(Then::Ask) | None) => {
            // Where it is only said to be destructive, a grant may cover it still.
            let rule = rule.filter(|_| then.is_some());
            let asked = ruling.and_then(|ruling| ruling.quorum);
            let needed = |quorum: Option<Quorum>| quorum.map_or(1, |quorum| quorum.needed);
            let four_eyes = |quorum: Option<Quorum>| quorum.is_some_and(|it| it.four_eyes);
            Would::Asked {
                rule,
                needed: needed(asked).max(needed(own)),
                four_eyes: four_eyes(asked) || four_eyes(own),
                team: ruling.and_then(|ruling| ruling.team.clone()),
            }
        }
    }
}

impl Replayed {
    fn count(&mut self, one: One) {
        let reached = !matches!(one.told.was, Was::Granted(_) | Was::Policy { .. });
        // What a grant approved it approves still, unless a rule has something to say.
        let would_reach = match &one.told.would {
            Would::Asked { rule, .. } => rule.is_some() || !matches!(one.told.was, Was::Granted(_)),
            Would::Forbidden(_) | Would::Allowed(_) => false,
        };
        self.looked_at += 1;
        self.reached += u64::from(reached);
        self.would_reach += u64::from(would_reach);
        if !one.is_otherwise(would_reach) {
            return;
        }
        self.otherwise += 1;
        let told = one.told;
        if self.named.len() < limits::POLICY_TEST_SHOWN {
            self.named.push(told);
        } else if told.is_against_a_person()
            && let Some(other) = self
                .named
                .iter_mut()
                .rev()
                .find(|it| !it.is_against_a_person())
        {
            *other = told;
        }
    }
}

impl One {
    fn is_otherwise(&self, would_reach: bool) -> bool {
        let was_asked_more = |needed: u32, four_eyes: bool| {
            let had = self.quorum;
            needed > had.map_or(1, |quorum| quorum.needed)
                || (four_eyes && !had.is_some_and(|quorum| quorum.four_eyes))
        };
        match (&self.told.would, &self.told.was) {
            (Would::Forbidden(_), Was::Policy { outcome, .. }) => *outcome != Outcome::Denied,
            (Would::Forbidden(_), Was::Person { outcome, .. }) => *outcome != Outcome::Denied,
            (Would::Allowed(_), Was::Policy { outcome, .. }) => *outcome != Outcome::Approved,
            (Would::Forbidden(_) | Would::Allowed(_), _) => true,
            (Would::Asked { .. }, Was::Policy { .. }) => true,
            (Would::Asked { .. }, Was::Granted(_)) => would_reach,
            (
                Would::Asked {
                    rule,
                    needed,
                    four_eyes,
                    team,
                },
                _,
            ) => {
                let was_ruled = self.was_ruled.as_ref().and_then(|ruled| ruled.then);
                rule.is_some()
                    && (was_asked_more(*needed, *four_eyes)
                        || (team.is_some() && was_ruled.is_none()))
            }
        }
    }
}
