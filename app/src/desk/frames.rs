//! The frames of `/ws`. JSON, one frame a message.

use chrono::{DateTime, Utc};
use domain::{
    Actor, Event, InteractionEvent, InteractionId, Payload, PersonId,
    interaction::{Addressee, Answer, Brief, Erased, Outcome, Unclaimed, Whom},
};
use serde::{Deserialize, Serialize};

#[cfg(doc)]
use super::place::Place;
use crate::view::{CalledBack, ClosedRow, Closure, Row, harmless, in_place_of_words};

/// From the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ClientFrame {
    /// First: send what came after this event.
    Resume {
        /// The last event the page has seen.
        after: i64,
    },
    /// Then, whenever it changes: which dialog the person looks at.
    At {
        /// As [`Place::address`] has it.
        place: Option<String>,
    },
}

/// Another person who looks at a dialog of the desk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Present {
    /// The name others see.
    pub name: String,
    /// As [`Place::address`] has it.
    pub place: String,
}

/// To the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", try_from = "FlatFrame")]
pub enum ServerFrame {
    /// The answer to `resume`; events follow.
    Hello {
        /// The server's time.
        #[serde(with = "chrono::serde::ts_microseconds")]
        now: DateTime<Utc>,
    },
    /// One event.
    Event {
        /// Its place in the journal.
        seq: i64,
        /// Its meaning for a desk.
        #[serde(flatten)]
        change: Box<Change>,
    },
    /// Too much was missed: read the desk again.
    Resync,
    /// Where all others are by now. Only to a page that has told where its person is.
    Present {
        /// Each of them.
        people: Vec<Present>,
    },
    /// The connection is alive.
    Ping,
}

/// An event's meaning for a desk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Change {
    /// A blocker waits.
    Asked {
        /// The new row.
        row: Row,
    },
    /// Some questions of a form are answered, or some of several people have approved.
    Progressed {
        /// Which row.
        id: InteractionId,
        /// How many are by now.
        answered: usize,
        /// Of an approval: who has approved, and so is on it no longer.
        #[serde(skip_serializing_if = "Option::is_none")]
        claimant: Option<PersonId>,
    },
    /// A claim begins or ends.
    Claimed {
        /// Which row.
        id: InteractionId,
        /// Who.
        name: Option<String>,
        /// Whose the claim is, or whose ran out.
        #[serde(skip_serializing_if = "Option::is_none")]
        claimant: Option<PersonId>,
    },
    /// It was handed over, which ends the claim.
    HandedOver {
        /// Which row.
        id: InteractionId,
        /// To whom, if to one person.
        name: Option<String>,
    },
    /// A blocker waits no longer.
    Closed {
        /// Which row.
        id: InteractionId,
        /// How it ended.
        closure: Closure,
    },
    /// An agent told something that needs no answer.
    Told {
        /// What.
        told: ClosedRow,
    },
    /// The agent picked an answer up.
    Collected {
        /// Which row.
        id: InteractionId,
        /// When.
        #[serde(with = "chrono::serde::ts_microseconds")]
        at: DateTime<Utc>,
    },
    /// The agent was called back about a closed row, or could not be.
    CalledBack {
        /// Which row.
        id: InteractionId,
        /// The callback's outcome.
        callback: CalledBack,
    },
    /// Something was said about a closed row.
    FollowedUp {
        /// Which row.
        id: InteractionId,
    },
    /// What was written in it is gone.
    Erased {
        /// Which row.
        id: InteractionId,
        /// What stands in the place of its words.
        preview: String,
    },
    /// Nothing a desk shows.
    Other,
}

/// A frame as it is read: serde's own way of reading the enums needs several times the code.
#[derive(Deserialize)]
struct FlatFrame {
    r#type: FrameType,
    #[serde(default, with = "chrono::serde::ts_microseconds_option")]
    now: Option<DateTime<Utc>>,
    seq: Option<i64>,
    change: Option<ChangeType>,
    row: Option<Row>,
    id: Option<InteractionId>,
    answered: Option<usize>,
    closure: Option<Closure>,
    told: Option<ClosedRow>,
    #[serde(default, with = "chrono::serde::ts_microseconds_option")]
    at: Option<DateTime<Utc>>,
    callback: Option<CalledBack>,
    preview: Option<String>,
    name: Option<String>,
    claimant: Option<PersonId>,
    people: Option<Vec<Present>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum FrameType {
    Hello,
    Event,
    Resync,
    Present,
    Ping,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum ChangeType {
    Asked,
    Progressed,
    Claimed,
    HandedOver,
    Closed,
    Told,
    Collected,
    CalledBack,
    FollowedUp,
    Erased,
    Other,
}

impl TryFrom<FlatFrame> for ServerFrame {
    type Error = &'static str;

    fn try_from(flat: FlatFrame) -> Result<Self, Self::Error> {
        let frame = match flat.r#type {
            FrameType::Hello => flat.now.map(|now| Self::Hello { now }),
            FrameType::Event => flat
                .seq
                .zip(flat.change())
                .map(|(seq, change)| Self::Event {
                    seq,
                    change: Box::new(change),
                }),
            FrameType::Resync => Some(Self::Resync),
            FrameType::Present => flat.people.map(|people| Self::Present { people }),
            FrameType::Ping => Some(Self::Ping),
        };
        frame.ok_or("a field of the frame is missing")
    }
}

impl FlatFrame {
    fn change(self) -> Option<Change> {
        Some(match self.change? {
            ChangeType::Asked => Change::Asked { row: self.row? },
            ChangeType::Progressed => Change::Progressed {
                id: self.id?,
                answered: self.answered?,
                claimant: self.claimant,
            },
            ChangeType::Claimed => Change::Claimed {
                id: self.id?,
                name: self.name,
                claimant: self.claimant,
            },
            ChangeType::HandedOver => Change::HandedOver {
                id: self.id?,
                name: self.name,
            },
            ChangeType::Closed => Change::Closed {
                id: self.id?,
                closure: self.closure?,
            },
            ChangeType::Told => Change::Told { told: self.told? },
            ChangeType::Collected => Change::Collected {
                id: self.id?,
                at: self.at?,
            },
            ChangeType::CalledBack => Change::CalledBack {
                id: self.id?,
                callback: self.callback?,
            },
            ChangeType::FollowedUp => Change::FollowedUp { id: self.id? },
            ChangeType::Erased => Change::Erased {
                id: self.id?,
                preview: self.preview?,
            },
            ChangeType::Other => Change::Other,
        })
    }
}

impl From<&Event> for ServerFrame {
    fn from(event: &Event) -> Self {
        Self::Event {
            seq: event.seq,
            change: Box::new(Change::of(event)),
        }
    }
}

impl Change {
    fn of(event: &Event) -> Self {
        let (Some(id), Payload::Interaction(what)) = (event.interaction_id, &event.payload) else {
            return Self::Other;
        };
        let by = event.actor.name();
        let closure = match what {
            // A grant, a policy or an earlier answer has closed it as it was asked: it waited for nobody.
            InteractionEvent::Requested {
                granted: Some(_), ..
            }
            | InteractionEvent::Requested {
                remembered: Some(_),
                ..
            } => return Self::Other,
            InteractionEvent::Requested { request, .. } if request.is_decided_at_once() => {
                return Self::Other;
            }
            InteractionEvent::Resolved { answer, .. } if is_at_once(answer) => return Self::Other,
            InteractionEvent::Requested {
                agent,
                request,
                expires_at,
                team,
                to,
                ..
            } => {
                let mut brief = Brief::asked(id, agent, request, event.at, *expires_at);
                let to = to.clone();
                brief.to = to.map(|whom| Addressee::asked_for(whom, event.at));
                return Self::Asked {
                    row: Row::from(&brief.of_team(team)),
                };
            }
            InteractionEvent::Resolved { outcome, answer } => {
                Closure::new(*outcome, by, event.at, Some(&answer.content))
            }
            InteractionEvent::Expired {
                outcome, answer, ..
            } => Closure::new(*outcome, by, event.at, answer.as_ref()),
            InteractionEvent::Cancelled { .. } => {
                Closure::new(Outcome::Cancelled, by, event.at, None)
            }
            InteractionEvent::Notified {
                agent,
                request,
                team,
                ..
            } => {
                let brief = Brief::asked(id, agent, request, event.at, None);
                return Self::Told {
                    told: ClosedRow {
                        row: Row::from(&brief.of_team(team)),
                        closure: Closure::new(Outcome::Delivered, by, event.at, None),
                        collected_at: None,
                        callback: None,
                        follow_ups: 0,
                    },
                };
            }
            InteractionEvent::Progressed { answers } => {
                return Self::Progressed {
                    id,
                    answered: answers.len(),
                    claimant: None,
                };
            }
            InteractionEvent::Approved { votes } => {
                return Self::Progressed {
                    id,
                    answered: votes.len(),
                    claimant: match &event.actor {
                        Actor::Responder(by) => Some(PersonId(by.id)),
                        _ => None,
                    },
                };
            }
            InteractionEvent::Claimed { .. } => {
                return Self::Claimed {
                    id,
                    name: by.map(harmless),
                    claimant: match &event.actor {
                        Actor::Responder(by) => Some(PersonId(by.id)),
                        _ => None,
                    },
                };
            }
            InteractionEvent::Released { by, why } => {
                return Self::Claimed {
                    id,
                    name: None,
                    claimant: (*why == Unclaimed::RanOut).then_some(PersonId(by.id)),
                };
            }
            InteractionEvent::HandedOver { whom, .. } => {
                let name = match whom {
                    Whom::Person { name, .. } => Some(harmless(name)),
                    Whom::Duty | Whom::Team => None,
                };
                return Self::HandedOver { id, name };
            }
            // To run it, or to say what came of it, is to have it.
            InteractionEvent::Collected {}
            | InteractionEvent::Consumed(_)
            | InteractionEvent::Reported { .. } => {
                return Self::Collected { id, at: event.at };
            }
            InteractionEvent::CalledBack {} => {
                let callback = CalledBack::Delivered;
                return Self::CalledBack { id, callback };
            }
            InteractionEvent::AgentOffline {} => {
                let callback = CalledBack::Offline;
                return Self::CalledBack { id, callback };
            }
            InteractionEvent::FollowedUp { .. } => {
                return Self::FollowedUp { id };
            }
            InteractionEvent::Erased(_) => {
                let erased = Erased {
                    at: event.at,
                    by: event.actor.clone(),
                };
                let preview = in_place_of_words(&erased);
                return Self::Erased { id, preview };
            }
            InteractionEvent::Posted(_)
            | InteractionEvent::Reached { .. }
            | InteractionEvent::Climbed { .. }
            | InteractionEvent::SummedUp { .. }
            | InteractionEvent::Seen { .. }
            | InteractionEvent::Moved { .. }
            | InteractionEvent::AnswerRejected { .. }
            | InteractionEvent::ReplyEdited { .. }
            | InteractionEvent::Remarked { .. } => return Self::Other,
        };
        Self::Closed { id, closure }
    }
}

fn is_at_once(answer: &Answer) -> bool {
    let decision = answer.receipt.as_ref().map(|receipt| &receipt.decision);
    decision.is_some_and(|it| it.grant.is_some() || it.policy.is_some() || it.remembered.is_some())
}
