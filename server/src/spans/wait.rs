//! The time that people take, as one span of the agent's trace: from asking to the end, made of the journal. Who, when and how;
//! never what was asked or answered.

use std::time::SystemTime;

use chrono::{DateTime, Utc};
use domain::{Event, Interaction, InteractionEvent, Payload, TraceParent, interaction::Outcome};
use opentelemetry::{
    InstrumentationScope, KeyValue,
    trace::{
        Event as SpanEvent, SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState,
    },
};
use opentelemetry_sdk::trace::{SpanData, SpanEvents};

/// A wait with more of them is shown without the later ones.
const MOST_EVENTS: usize = 128;

/// The span of an interaction's wait, from all of its events until it was closed. `None` when it is not closed, or its agent
/// does not record its trace.
pub(super) fn span(history: &[Event], scope: InstrumentationScope) -> Option<SpanData> {
    let told = Interaction::replay(history)?;
    let asked_in = told.request.trace.filter(|trace| trace.is_sampled())?;
    let closed_at = told.state.closed_at()?;
    let mut happened: Vec<_> = history.iter().filter_map(happened).collect();
    let mut events = SpanEvents::default();
    events.dropped_count =
        u32::try_from(happened.len().saturating_sub(MOST_EVENTS)).unwrap_or(u32::MAX);
    happened.truncate(MOST_EVENTS);
    events.events = happened;
    let kind = told.request.kind().name();
    let outcome = told.state.outcome().map(Outcome::name);
    let mut attributes = vec![
        KeyValue::new("handraise.interaction.id", told.id.to_string()),
        KeyValue::new("handraise.kind", kind),
        KeyValue::new("handraise.mode", told.request.mode.name()),
        KeyValue::new("handraise.state", told.state.name()),
        KeyValue::new("handraise.agent", told.agent.name),
    ];
    attributes.extend(outcome.map(|outcome| KeyValue::new("handraise.outcome", outcome)));
    attributes.extend(
        told.team
            .map(|team| KeyValue::new("handraise.team", team.name)),
    );
    Some(SpanData {
        span_context: context(asked_in.waiting_for(told.id), false),
        parent_span_id: SpanId::from_bytes(asked_in.span_id),
        parent_span_is_remote: true,
        span_kind: SpanKind::Internal,
        name: format!("wait for {kind}").into(),
        start_time: time(told.created_at),
        // A clock may have been set back.
        end_time: time(closed_at.max(told.created_at)),
        attributes,
        dropped_attributes_count: 0,
        events,
        links: Default::default(),
        status: Status::Unset,
        instrumentation_scope: scope,
    })
}

/// What brought the question to a person.
fn happened(event: &Event) -> Option<SpanEvent> {
    let Payload::Interaction(what) = &event.payload else {
        return None;
    };
    let (name, attributes) = match what {
        InteractionEvent::Reached { by, rung, .. } => (
            "reached",
            vec![
                KeyValue::new("handraise.by", by.name()),
                KeyValue::new("handraise.rung", i64::from(*rung)),
            ],
        ),
        InteractionEvent::Seen { on } => ("seen", vec![KeyValue::new("handraise.on", on.name())]),
        InteractionEvent::Climbed {
            rung, told, others, ..
        } => {
            let people = told.len() as i64 + i64::from(*others);
            (
                "climbed",
                vec![
                    KeyValue::new("handraise.rung", i64::from(*rung)),
                    KeyValue::new("handraise.people", people),
                ],
            )
        }
        _ => return None,
    };
    Some(SpanEvent::new(name, time(event.at), attributes, 0))
}

/// A place in a trace, in the library's words.
pub(super) fn context(place: TraceParent, is_remote: bool) -> SpanContext {
    SpanContext::new(
        TraceId::from_bytes(place.trace_id),
        SpanId::from_bytes(place.span_id),
        TraceFlags::new(place.flags),
        is_remote,
        TraceState::NONE,
    )
}

fn time(at: DateTime<Utc>) -> SystemTime {
    at.into()
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use domain::{
        Actor, AgentId, AgentRef, EventId, InteractionId, PersonId, Role, TeamId, TeamRef,
        access::PersonRef,
        delivery::ReachKind,
        event::SeenOn,
        interaction::{Draft, Request},
        ladder::Circle,
    };
    use opentelemetry::Value;
    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::spans::scope;

    const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
    }

    fn event(seconds: i64, what: InteractionEvent) -> Event {
        Event {
            seq: seconds + 1,
            id: EventId(Uuid::from_u128(1)),
            at: at(seconds),
            actor: Actor::Deadline,
            agent_id: None,
            interaction_id: Some(InteractionId(Uuid::from_u128(2))),
            task_id: None,
            payload: Payload::Interaction(what),
            is_erased: false,
        }
    }

    fn request() -> Request {
        let draft = json!({"kind": "question", "prompt": "Which port?", "timeout_seconds": 60});
        let draft: Draft = serde_json::from_value(draft).unwrap();
        Request {
            trace: TraceParent::read(TRACE),
            ..draft.check(|_| None).unwrap()
        }
    }

    fn requested(request: Request) -> Event {
        let requested = InteractionEvent::Requested {
            agent: AgentRef {
                id: AgentId(Uuid::from_u128(3)),
                name: "backend".to_owned(),
            },
            request: Box::new(request),
            expires_at: Some(at(60)),
            channel: None,
            asked_under: None,
            team: Some(TeamRef {
                id: TeamId(Uuid::from_u128(4)),
                name: "Payments".to_owned(),
            }),
            to: None,
            granted: None,
            remembered: None,
        };
        event(0, requested)
    }

    fn reached() -> InteractionEvent {
        InteractionEvent::Reached {
            person: PersonRef {
                id: PersonId(Uuid::from_u128(5)),
                name: "Ana".to_owned(),
                role: Role::Responder,
            },
            by: ReachKind::Push,
            rung: 1,
        }
    }

    fn expired() -> Event {
        let expired = InteractionEvent::Expired {
            outcome: Outcome::Expired,
            fallback_used: false,
            answer: None,
        };
        // The clock came by a little later.
        event(61, expired)
    }

    fn climbed() -> InteractionEvent {
        InteractionEvent::Climbed {
            rung: 1,
            whom: Circle::Admins,
            told: Vec::new(),
            others: 2,
        }
    }

    #[test]
    fn what_brought_a_question_to_a_person_are_events_of_its_span() {
        let history = [
            requested(request()),
            event(10, climbed()),
            event(11, reached()),
            event(20, InteractionEvent::Seen { on: SeenOn::Page }),
            event(30, InteractionEvent::AgentOffline {}),
            expired(),
        ];
        let span = span(&history, scope()).unwrap();
        assert_eq!(span.start_time, time(at(0)));
        assert_eq!(span.end_time, time(at(60)));
        let events: Vec<_> = span
            .events
            .iter()
            .map(|event| {
                let attributes = event.attributes.iter();
                let attributes = attributes.map(|one| format!("{}={}", one.key, one.value));
                let attributes: Vec<_> = attributes.collect();
                (&*event.name, event.timestamp, attributes.join(" "))
            })
            .collect();
        let climbed = "handraise.rung=1 handraise.people=2".to_owned();
        let reached = "handraise.by=push handraise.rung=1".to_owned();
        let seen = "handraise.on=page".to_owned();
        assert_eq!(
            events,
            [
                ("climbed", time(at(10)), climbed),
                ("reached", time(at(11)), reached),
                ("seen", time(at(20)), seen),
            ]
        );
        let named = |name: &str| {
            let mut attributes = span.attributes.iter();
            let found = attributes.find(|one| one.key.as_str() == name);
            found.map(|one| one.value.clone())
        };
        assert_eq!(named("handraise.team"), Some(Value::from("Payments")));
        assert_eq!(named("handraise.outcome"), Some(Value::from("expired")));
    }

    #[test]
    fn there_is_no_span_before_the_end_nor_in_a_trace_that_is_not_recorded() {
        assert!(span(&[requested(request())], scope()).is_none());
        for trace in [None, TraceParent::read(&TRACE.replace("-01", "-00"))] {
            let request = Request { trace, ..request() };
            assert!(span(&[requested(request), expired()], scope()).is_none());
        }
    }

    #[test]
    fn of_very_many_events_the_first_are_shown() {
        let mut history = vec![requested(request())];
        history.extend((0..200).map(|_| event(1, reached())));
        history.push(expired());
        let span = span(&history, scope()).unwrap();
        assert_eq!(span.events.len(), MOST_EVENTS);
        assert_eq!(span.events.dropped_count, 72);
    }
}
