//! An interaction as it was when something happened, from its events. What is sent out about an event
//! stays the same over all tries, whatever happened since.

use super::{Callback, Card, FollowUp, Interaction, Report, State};
use crate::{
    event::{Event, Payload},
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

    fn take_in(&mut self, event: &Event) {
        match &event.payload {
            Payload::Progressed { answers } => {
                self.state = State::Pending {
                    answers: answers.clone(),
                };
            }
            Payload::Resolved { answer, .. } => {
                self.state = State::Resolved {
                    answer: answer.clone(),
                };
            }
            Payload::Expired { answer, .. } => {
                self.state = State::Expired {
                    at: self.expires_at.unwrap_or(event.at),
                    fallback: answer.clone(),
                };
            }
            Payload::Cancelled { reason } => {
                self.state = State::Cancelled {
                    at: event.at,
                    by: event.actor.clone(),
                    reason: reason.clone(),
                };
            }
            Payload::Collected {} => self.collected_at = Some(event.at),
            // There is one run, whatever somebody has written into the row since.
            Payload::Consumed(consumed) => {
                self.consumed.get_or_insert_with(|| (**consumed).clone());
                self.collected_at.get_or_insert(event.at);
            }
            Payload::Reported { outcome, text } => {
                self.report = Some(Report {
                    outcome: *outcome,
                    text: text.clone(),
                    at: event.at,
                });
                self.collected_at.get_or_insert(event.at);
            }
            Payload::CalledBack {} => self.callback = Some(Callback::Delivered { at: event.at }),
            Payload::AgentOffline {} => self.callback = Some(Callback::Offline { at: event.at }),
            Payload::Posted(posted) => {
                if let Some(card) = &mut self.card {
                    card.posted = Some(posted.clone());
                }
            }
            Payload::FollowedUp { text } => {
                let Actor::Responder(responder) = &event.actor else {
                    return;
                };
                self.follow_ups.push(FollowUp {
                    text: text.clone(),
                    responder: responder.clone(),
                    at: event.at,
                });
            }
            // The rest tells of its task, or of what changed nothing.
            _ => return,
        }
        self.version += 1;
    }
}

fn opened(event: &Event) -> Option<Interaction> {
    let (agent, request, channel, expires_at, state) = match &event.payload {
        Payload::Requested {
            agent,
            request,
            expires_at,
            channel,
        } => {
            let pending = State::Pending {
                answers: Default::default(),
            };
            (agent, request, channel, *expires_at, pending)
        }
        Payload::Notified {
            agent,
            request,
            channel,
        } => {
            let delivered = State::Delivered { at: event.at };
            (agent, request, channel, None, delivered)
        }
        _ => return None,
    };
    Some(Interaction {
        id: event.interaction_id?,
        version: 1,
        agent: AgentRef::clone(agent),
        request: (**request).clone(),
        created_at: event.at,
        expires_at,
        state,
        collected_at: None,
        consumed: None,
        report: None,
        callback: None,
        card: channel.clone().map(Card::to),
        follow_ups: Vec::new(),
    })
}
