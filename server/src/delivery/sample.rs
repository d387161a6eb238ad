//! A made-up interaction, to see what webhooks look like.

use chrono::{DateTime, Utc};
use domain::{
    AgentId, AgentRef, Interaction, InteractionId, Responder, State, Via,
    delivery::Topic,
    interaction::{Answer, AnswerContent, Draft, Kind},
};
use uuid::Uuid;

use super::webhook::{About, News};

/// A sample webhook of this topic.
pub fn news(topic: Topic) -> Option<News> {
    let at = begin()?;
    let mut interaction = asked()?;
    let mut reason = None;
    match topic {
        Topic::Requested => {}
        Topic::Resolved => interaction.state = answered(at),
        Topic::Expired => interaction.state = State::Expired { at, fallback: None },
        Topic::TaskFailed => {
            interaction.state = State::Expired { at, fallback: None };
            reason = Some(domain::task::EXPIRED.to_owned());
        }
        Topic::Cancelled => {
            interaction.state = State::Cancelled {
                at,
                by: domain::Actor::Agent(interaction.agent.clone()),
                reason: None,
                code: None,
            };
        }
        Topic::Notified => interaction = of(Kind::Notification, at)?,
    }
    Some(News {
        topic: topic.name(),
        at,
        about: About::Interaction(Box::new(interaction), reason),
    })
}

/// A question that waits.
pub fn asked() -> Option<Interaction> {
    of(Kind::Question, begin()?)
}

fn of(kind: Kind, at: DateTime<Utc>) -> Option<Interaction> {
    let draft = Draft {
        kind: Some(kind.name().to_owned()),
        prompt: Some("Which port shall the server listen on?".to_owned()),
        ..Draft::default()
    };
    let request = draft.check(|_| None).ok()?;
    let state = match kind {
        Kind::Notification => State::Delivered { at },
        _ => State::Pending {
            answers: Default::default(),
            votes: Vec::new(),
        },
    };
    Some(Interaction {
        id: InteractionId(Uuid::nil()),
        version: 1,
        agent: AgentRef {
            id: AgentId(Uuid::nil()),
            name: "sample-agent".to_owned(),
        },
        team: None,
        to: None,
        request,
        created_at: at,
        expires_at: None,
        state,
        claim: None,
        collected_at: None,
        consumed: None,
        report: None,
        callback: None,
        card: None,
        follow_ups: Vec::new(),
        erased: None,
    })
}

fn answered(at: DateTime<Utc>) -> State {
    State::Resolved {
        answer: Answer {
            content: AnswerContent::Text {
                text: "8080".to_owned(),
            },
            responder: Responder {
                id: Uuid::nil(),
                name: "Sample person".to_owned(),
                via: Via::Dashboard,
            },
            answered_at: at,
            receipt: None,
            votes: Vec::new(),
            attachments: Vec::new(),
        },
    }
}

fn begin() -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(1_800_000_000, 0)
}
