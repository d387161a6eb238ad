//! An interaction as it was when something happened, from its events. A delivery about an event
//! stays the same over all tries, even when more happened since.

use super::{Event, InteractionEvent, Payload};
use crate::{
    Refused,
    interaction::{
        Addressee, Callback, Card, Claim, Erased, FollowUp, Handed, Interaction, Report, State,
    },
    principal::{Actor, AgentRef},
};

impl Interaction {
    /// The interaction after these events, which are all of its events in order, from the first on.
    /// `None` when the first does not open it.
    pub fn replay(events: &[Event]) -> Option<Self> {
        let (first, rest) = events.split_first()?;
        let mut interaction = opened(first)?;
        for event in rest {
            interaction.take_in(event);
        }
        Some(interaction)
    }

    /// This interaction with the end and the deadline that its events tell of, against its row if
    /// need be: an ended one stays so (rule 1).
    ///
    /// # Errors
    /// [`Refused::Altered`] when they tell of another request, agent or time, or of other answers to a form that is still
    /// open: also when something has happened between reading the one and the other.
    pub fn as_told(&self, told: &Self) -> Result<Self, Refused> {
        let is_open = self.state.is_pending() && told.state.is_pending();
        if self.request != told.request
            || self.agent != told.agent
            || self.created_at != told.created_at
            || self.team_id() != told.team_id()
            || (is_open && self.state != told.state)
        {
            return Err(Refused::Altered);
        }
        // The row may be later than what was read of the journal.
        let state = match &told.state {
            State::Pending { .. } => &self.state,
            ended => ended,
        };
        Ok(Self {
            state: state.clone(),
            expires_at: told.expires_at,
            ..self.clone()
        })
    }

    /// This interaction with all that its events tell of its request and its end, against its row: for those that are
    /// closed with another, where no person has seen the row.
    #[must_use]
    pub fn by_told(self, told: Self) -> Self {
        Self {
            agent: told.agent,
            team: told.team,
            request: told.request,
            created_at: told.created_at,
            expires_at: told.expires_at,
            state: told.state,
            ..self
        }
    }

    /// This interaction as its events tell of it, with its team called as the row calls it: a team may be called otherwise
    /// since.
    #[must_use]
    pub fn with_team_as_in(self, row: &Self) -> Self {
        match self.team_id() == row.team_id() {
            true => Self {
                team: row.team.clone(),
                ..self
            },
            false => self,
        }
    }

    fn drop_votes(&mut self) {
        if let State::Pending { votes, .. } = &mut self.state {
            votes.clear();
        }
    }

    fn take_in(&mut self, event: &Event) {
        let Payload::Interaction(what) = &event.payload else {
            return;
        };
        match what {
            InteractionEvent::Progressed { answers } => {
                self.state = State::Pending {
                    answers: answers.clone(),
                    votes: self.votes().to_vec(),
                };
            }
            InteractionEvent::Approved { votes } => {
                self.state = State::Pending {
                    answers: Default::default(),
                    votes: votes.clone(),
                };
                // Who has approved is on it no longer.
                let Actor::Responder(by) = &event.actor else {
                    return;
                };
                self.claim = self.claim.take().filter(|claim| !claim.is_of(by));
            }
            InteractionEvent::Resolved { answer, .. } => {
                self.claim = None;
                self.state = State::Resolved {
                    answer: answer.clone(),
                };
            }
            InteractionEvent::Expired { answer, .. } => {
                self.claim = None;
                self.state = State::Expired {
                    at: self.expires_at.unwrap_or(event.at),
                    fallback: answer.clone(),
                };
            }
            InteractionEvent::Cancelled { reason, code } => {
                self.claim = None;
                self.state = State::Cancelled {
                    at: event.at,
                    by: event.actor.clone(),
                    reason: reason.clone(),
                    code: *code,
                };
            }
            InteractionEvent::Moved { team } => {
                self.team = Some(team.clone());
                (self.to, self.claim) = (None, None);
                self.drop_votes();
            }
            InteractionEvent::HandedOver { whom, team, why } => {
                let Actor::Responder(by) = &event.actor else {
                    return;
                };
                if team.is_some() {
                    self.drop_votes();
                }
                self.team = team.clone().or_else(|| self.team.take());
                self.claim = None;
                self.to = Some(Addressee {
                    whom: whom.clone(),
                    since: event.at,
                    handed: Some(Handed {
                        by: by.clone(),
                        why: why.clone(),
                    }),
                });
            }
            InteractionEvent::Claimed { until, .. } => {
                let Actor::Responder(by) = &event.actor else {
                    return;
                };
                self.claim = Some(Claim {
                    by: by.clone(),
                    until: *until,
                });
            }
            InteractionEvent::Released { .. } => self.claim = None,
            InteractionEvent::Collected {} => self.collected_at = Some(event.at),
            // There is one run, even if the row was tampered with since.
            InteractionEvent::Consumed(consumed) => {
                self.consumed.get_or_insert_with(|| (**consumed).clone());
                self.collected_at.get_or_insert(event.at);
            }
            InteractionEvent::Reported { outcome, text } => {
                self.report = Some(Report {
                    outcome: *outcome,
                    text: text.clone(),
                    at: event.at,
                });
                self.collected_at.get_or_insert(event.at);
            }
            InteractionEvent::CalledBack {} => {
                self.callback = Some(Callback::Delivered { at: event.at });
            }
            InteractionEvent::AgentOffline {} => {
                self.callback = Some(Callback::Offline { at: event.at });
            }
            InteractionEvent::Posted(posted) => {
                if let Some(card) = &mut self.card {
                    card.posted = Some(posted.clone());
                }
            }
            InteractionEvent::FollowedUp { text } => {
                let Actor::Responder(responder) = &event.actor else {
                    return;
                };
                self.follow_ups.push(FollowUp {
                    text: text.clone(),
                    responder: responder.clone(),
                    at: event.at,
                });
            }
            InteractionEvent::Erased(_) => {
                self.erased = Some(Erased {
                    at: event.at,
                    by: event.actor.clone(),
                });
            }
            // These changed nothing, and only the first event opens it.
            InteractionEvent::Requested { .. }
            | InteractionEvent::Notified { .. }
            | InteractionEvent::AnswerRejected { .. }
            | InteractionEvent::ReplyEdited { .. }
            | InteractionEvent::Remarked { .. }
            | InteractionEvent::Climbed { .. }
            | InteractionEvent::SummedUp { .. }
            | InteractionEvent::Seen { .. }
            | InteractionEvent::Reached { .. } => return,
        }
        self.version += 1;
    }
}

fn opened(event: &Event) -> Option<Interaction> {
    let Payload::Interaction(what) = &event.payload else {
        return None;
    };
    let (agent, request, channel, team, to, expires_at, state) = match what {
        InteractionEvent::Requested {
            agent,
            request,
            expires_at,
            channel,
            asked_under: _,
            team,
            to,
            granted: _,
            remembered: _,
        } => {
            let pending = State::Pending {
                answers: Default::default(),
                votes: Vec::new(),
            };
            (
                agent,
                request,
                channel,
                team,
                to.as_ref(),
                *expires_at,
                pending,
            )
        }
        InteractionEvent::Notified {
            agent,
            request,
            channel,
            team,
        } => {
            let delivered = State::Delivered { at: event.at };
            (agent, request, channel, team, None, None, delivered)
        }
        _ => return None,
    };
    Some(Interaction {
        id: event.interaction_id?,
        version: 1,
        agent: AgentRef::clone(agent),
        team: team.clone(),
        to: to.map(|whom| Addressee::asked_for(whom.clone(), event.at)),
        request: (**request).clone(),
        created_at: event.at,
        expires_at,
        state,
        claim: None,
        collected_at: None,
        consumed: None,
        report: None,
        callback: None,
        card: channel.clone().map(Card::to),
        follow_ups: Vec::new(),
        erased: None,
    })
}
