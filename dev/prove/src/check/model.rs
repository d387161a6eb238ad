//! The sequential model of one interaction: what each call does when calls come one after the other.

use super::history::{Act, Ending, Op, Refusal, Seen, Told};

/// How far an interaction is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Life {
    Absent,
    Pending,
    Closed(Ending),
}

/// One interaction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State {
    pub(crate) life: Life,
    claim: Option<String>,
    collected: bool,
    consumed: Option<String>,
}

/// What belongs to this interaction from the start.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    /// Nothing is waited for.
    pub(crate) is_notification: bool,
    pub(crate) has_fallback: bool,
}

impl Rules {
    /// How it ends when the deadline passes.
    fn expired(&self) -> Ending {
        let outcome = match self.has_fallback {
            true => "fallback",
            false => "expired",
        };
        Ending {
            outcome: outcome.to_owned(),
            by: None,
            said: String::new(),
        }
    }
}

/// Whether an outcome is that of a deadline.
pub(crate) fn is_of_deadline(outcome: &str) -> bool {
    matches!(outcome, "expired" | "fallback")
}

impl State {
    pub(crate) fn absent() -> Self {
        Self {
            life: Life::Absent,
            claim: None,
            collected: false,
            consumed: None,
        }
    }

    fn closed(&self, ending: Ending) -> Self {
        Self {
            life: Life::Closed(ending),
            claim: None,
            ..self.clone()
        }
    }

    /// The state after it, or the code with which it is refused.
    pub(crate) fn after(&self, act: &Act, rules: &Rules) -> Result<Self, &'static str> {
        match (act, &self.life) {
            (Act::Create, Life::Absent) if rules.is_notification => Ok(self.closed(Ending {
                outcome: "delivered".to_owned(),
                by: None,
                said: String::new(),
            })),
            (Act::Create, Life::Absent) => Ok(Self {
                life: Life::Pending,
                ..self.clone()
            }),
            (_, Life::Absent) => Err("not_found"),
            (Act::Create | Act::Read, _) | (Act::Wait, Life::Pending) => Ok(self.clone()),
            (Act::Answer(ending), Life::Pending) => Ok(self.closed(ending.clone())),
            (Act::Cancel { by }, Life::Pending) => Ok(self.closed(Ending {
                outcome: "cancelled".to_owned(),
                by: Some(by.clone()),
                said: String::new(),
            })),
            (Act::Expire, Life::Pending) => Ok(self.closed(rules.expired())),
            (Act::Claim { by }, Life::Pending) => match &self.claim {
                Some(other) if other != by => Err("claimed"),
                _ => Ok(Self {
                    claim: Some(by.clone()),
                    ..self.clone()
                }),
            },
            (Act::Release { by }, Life::Pending) => match &self.claim {
                Some(other) if other != by => Err("claimed"),
                _ => Ok(Self {
                    claim: None,
                    ..self.clone()
                }),
            },
            (Act::Collect, Life::Pending) => Err("still_pending"),
            (Act::Consume { .. }, Life::Pending) => Err("not_approved"),
            (
                Act::Answer(_)
                | Act::Cancel { .. }
                | Act::Claim { .. }
                | Act::Release { .. }
                | Act::Expire,
                Life::Closed(_),
            ) => Err("already_closed"),
            (Act::Collect | Act::Wait, Life::Closed(_)) => Ok(Self {
                collected: true,
                ..self.clone()
            }),
            (Act::Consume { run }, Life::Closed(ending)) => match &self.consumed {
                _ if ending.outcome != "approved" => Err("not_approved"),
                Some(other) if other != run => Err("already_consumed"),
                _ => Ok(Self {
                    consumed: Some(run.clone()),
                    collected: true,
                    ..self.clone()
                }),
            },
        }
    }

    /// The state after a call, if what was heard of it is what it does here. `is_late` is whether the deadline may have passed
    /// when it was looked at: from then on it is refused as expired, though it may be shown as pending for a moment more.
    pub(crate) fn takes(&self, op: &Op, rules: &Rules, is_late: bool) -> Option<Self> {
        let next = self.after(&op.act, rules);
        match (&op.told, next) {
            (Told::Unknown(_) | Told::Done, next) => next.ok(),
            (Told::Seen(seen), Ok(next)) if next.is_shown(seen) => Some(next),
            // One that changed nothing, since a lost one had done it, is told how it is a moment later.
            (Told::Seen(seen), _) if matches!(op.act, Act::Claim { .. } | Act::Release { .. }) => {
                self.is_shown(seen).then(|| self.clone())
            }
            (Told::Seen(_), _) => None,
            (Told::Refused(refusal), next) => {
                let is_so = match next {
                    Err(code) => refusal.code == code && self.is_told(refusal),
                    Ok(_) => {
                        let lapses = !matches!(op.act, Act::Create | Act::Read | Act::Wait);
                        let told = refusal.ended.as_ref();
                        let told = told.is_none_or(|(outcome, _)| is_of_deadline(outcome));
                        lapses && is_late && told && refusal.code == "already_closed"
                    }
                };
                is_so.then(|| self.clone())
            }
        }
    }

    fn is_told(&self, refusal: &Refusal) -> bool {
        let is_ended = match (&refusal.ended, &self.life) {
            (Some((outcome, by)), Life::Closed(ending)) => {
                *outcome == ending.outcome && *by == ending.by
            }
            (Some(_), _) => false,
            (None, _) => true,
        };
        let runs = [&refusal.consumed_by, &self.consumed];
        is_ended && (runs[0].is_none() || runs[0] == runs[1])
    }

    fn is_shown(&self, seen: &Seen) -> bool {
        let is_so = match &self.life {
            Life::Absent => false,
            Life::Pending => seen.state == "pending" && seen.outcome.is_none(),
            Life::Closed(ending) => {
                let by = seen.by.as_ref();
                seen.state != "pending"
                    && seen.outcome.as_ref() == Some(&ending.outcome)
                    && by.is_none_or(|by| *by == ending.by)
                    && seen.said == ending.said
            }
        };
        let collected = seen.collected.is_none_or(|it| it == self.collected);
        let consumed = seen.consumed.as_ref().is_none_or(|it| *it == self.consumed);
        let claimed = seen.claimed.as_ref().is_none_or(|it| *it == self.claim);
        is_so && collected && consumed && claimed
    }
}
