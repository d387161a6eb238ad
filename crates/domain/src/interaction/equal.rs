//! Which questions ask for the very same: one message can show them all, whole, since they differ in nothing that a
//! decision covers (rule 11).

use super::{Interaction, Kind, Request, TaskRef};

impl Interaction {
    /// Whether it can be shown on one card with equal ones. One press never counts towards several approvals that take more
    /// people, what a policy calls destructive stands alone, what may be changed first has a control of its own, and a message
    /// holds no files.
    pub fn may_share_a_card(&self) -> bool {
        let kind = self.request.kind();
        matches!(kind, Kind::Approval | Kind::Acknowledgement)
            && !self.stands_alone()
            && self.amendable().is_none()
            && self.request.attached().is_empty()
    }

    /// Whether a person decides the same here and there: the same agent wants to run the same action, to the last byte, and
    /// says the same about it and about its task. They may differ in when they were asked, in the ids of their sessions and
    /// tasks, and in their deadlines. Only of kinds that are answered by a press alone.
    pub fn is_equal_to(&self, other: &Self) -> bool {
        let channel = |one: &Self| one.card.as_ref().map(|card| card.channel.clone());
        let team = |one: &Self| one.team.as_ref().map(|team| team.id);
        let is_plain = |one: &Self| one.erased.is_none() && one.to.is_none();
        self.may_share_a_card()
            && self.agent.id == other.agent.id
            && team(self) == team(other)
            && channel(self).is_some()
            && channel(self) == channel(other)
            && is_plain(self)
            && is_plain(other)
            && what_is_decided(&self.request) == what_is_decided(&other.request)
    }
}

/// A request without what differs between equal ones.
fn what_is_decided(request: &Request) -> Request {
    Request {
        session_id: None,
        task: request.task.as_ref().and_then(what_is_said),
        metadata: None,
        timeout_seconds: None,
        callback_url: None,
        withdraw_on_disconnect: false,
        trace: None,
        ..request.clone()
    }
}

/// A task without its id; `None` where nothing is said of it.
pub(super) fn what_is_said(task: &TaskRef) -> Option<TaskRef> {
    let says = task.title.is_some() || task.description.is_some() || task.step.is_some();
    says.then(|| TaskRef {
        id: String::new(),
        ..task.clone()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        interaction::Card,
        testing::{Counter, opened, with, written},
    };

    fn asked(fields: Value) -> Interaction {
        let mut asked = written(&opened(
            with(Kind::Approval, fields),
            None,
            &Counter::default(),
        ));
        asked.card = Some(Card {
            channel: "C1".to_owned(),
            posted: None,
        });
        asked
    }

    #[test]
    fn equal_is_what_differs_in_nothing_that_is_decided() {
        let action = |arguments: Value| json!({"tool": "psql", "arguments": arguments});
        let one = asked(json!({"action": action(json!({"n": 1}))}));
        for fields in [
            json!({"action": action(json!({"n": 1}))}),
            json!({"action": action(json!({"n": 1})), "session_id": "b", "timeout_seconds": 60}),
            json!({"action": action(json!({"n": 1})), "task": {"id": "T-2"}}),
        ] {
            let other = asked(fields);
            assert!(one.is_equal_to(&other) && other.is_equal_to(&one));
        }
        let mut traced = one.clone();
        let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        traced.request.trace = crate::TraceParent::read(trace);
        assert!(one.is_equal_to(&traced) && traced.is_equal_to(&one));
        for fields in [
            json!({"action": action(json!({"n": 2}))}),
            json!({"action": action(json!({"n": "1"}))}),
            json!({"action": action(json!({"n": 1, "m": null}))}),
            json!({"action": {"tool": "Psql", "arguments": {"n": 1}}}),
            json!({"action": action(json!({"n": 1})), "prompt": "Another word"}),
            json!({"action": action(json!({"n": 1})), "title": "Another"}),
            json!({"action": action(json!({"n": 1})), "priority": "urgent"}),
            json!({"action": action(json!({"n": 1})), "mode": "async"}),
            json!({"action": action(json!({"n": 1})), "task": {"id": "T-2", "title": "Deploy"}}),
            json!({"action": action(json!({"n": 1})), "task": {"id": "T-2", "description": "It"}}),
            json!({"action": action(json!({"n": 1})), "task": {"id": "T-2", "step": "production"}}),
        ] {
            assert!(!one.is_equal_to(&asked(fields.clone())), "{fields}");
        }
        let deploying = |id: &str, step: &str| {
            let task = json!({"id": id, "title": "Deploy", "step": step});
            asked(json!({"action": action(json!({"n": 1})), "task": task}))
        };
        let on_staging = deploying("T-1", "staging");
        assert!(on_staging.is_equal_to(&deploying("T-2", "staging")));
        assert!(!on_staging.is_equal_to(&deploying("T-2", "production")));
        let mut elsewhere = one.clone();
        elsewhere.card = Some(Card {
            channel: "C2".to_owned(),
            posted: None,
        });
        let mut nowhere = one.clone();
        nowhere.card = None;
        let mut anothers = one.clone();
        anothers.agent.id = crate::AgentId(uuid::Uuid::from_u128(99));
        for other in [elsewhere, nowhere.clone(), anothers] {
            assert!(!one.is_equal_to(&other));
        }
        assert!(!nowhere.is_equal_to(&nowhere));
    }

    #[test]
    fn what_counts_people_or_may_be_changed_first_stands_alone() {
        let plain = asked(json!({}));
        assert!(plain.is_equal_to(&plain));
        for fields in [
            json!({"approvals": {"needed": 2}}),
            json!({"approvals": {"four_eyes": true}}),
            json!({"approvals": {}}),
            json!({"amendable": true}),
            json!({"amendable": {"schema": {"type": "object", "properties": {"n": {"type": "string"}}}}}),
        ] {
            let one = asked(fields.clone());
            assert!(!one.may_share_a_card(), "{fields}");
            for other in [&one, &plain] {
                assert!(
                    !one.is_equal_to(other) && !other.is_equal_to(&one),
                    "{fields}"
                );
            }
            // Also once its words are erased.
            assert!(!one.without_words().may_share_a_card(), "{fields}");
        }
    }

    #[test]
    fn what_is_answered_in_words_or_by_its_parts_stands_alone() {
        for kind in Kind::ALL {
            let mut asked = written(&opened(with(kind, json!({})), None, &Counter::default()));
            asked.card = Some(Card {
                channel: "C1".to_owned(),
                posted: None,
            });
            let is_pressed = matches!(kind, Kind::Approval | Kind::Acknowledgement);
            assert_eq!(asked.is_equal_to(&asked), is_pressed, "{kind:?}");
        }
    }
}
