//! People are asked, and what they say reaches the agent if the client has not answered first.

use std::sync::Arc;

use serde_json::{Map, Value};
use tokio::sync::oneshot;

use super::{
    Dialect, Event, Open, Race, TOO_LATE,
    request::{Permission, Request},
};
use crate::desk::{Desk, Elicited, Question, Unanswered, Withdrawn, approve, elicit};

/// What people have said.
pub(super) enum Answered {
    /// The agent hears this, by the approval of this id if it is one.
    With(Value, Option<String>),
    /// There is no answer of theirs: the terminal alone has one.
    No(anyhow::Error),
    Withdrawn,
}

impl<D: Dialect> Race<D> {
    pub(super) fn ask(
        &mut self,
        key: String,
        id: Value,
        session: Option<String>,
        request: Request,
    ) {
        self.serial += 1;
        let serial = self.serial;
        let (withdraw, withdrawn) = oneshot::channel();
        let call = match &request {
            Request::Permission(permission) => permission.call.clone(),
            Request::Question(..) => None,
        };
        let open = Open {
            call,
            serial,
            id,
            session,
            withdraw,
        };
        self.open.insert(key.clone(), open);
        let desk = Arc::clone(&self.desk);
        self.tasks.spawn(async move {
            Event::Answered(key, serial, answered(&desk, &request, withdrawn).await)
        });
    }

    /// What comes of a task counts only if the agent has no answer yet.
    pub(super) fn take(&mut self, event: Event) {
        let Event::Answered(key, serial, answered) = event else {
            return;
        };
        let is_it = self.open.get(&key).is_some_and(|it| it.serial == serial);
        let open = is_it.then(|| self.open.remove(&key)).flatten();
        match (open, answered) {
            (Some(open), Answered::With(result, approval)) => {
                if let (Some(call), Some(approval)) = (open.call, approval) {
                    self.runs.entry(call).or_default().push(approval);
                }
                if let Some(input) = &self.agent.input {
                    input.say(self.dialect.answer(&open.id, "result", result).to_string());
                }
                // The client still answers, and is told that it need not.
                self.late.insert(key);
                if let Some(over) = self.dialect.over(&open.id) {
                    self.to_client.say(over.to_string());
                }
            }
            (Some(_), Answered::No(why)) => self.terminal_alone(&why),
            (Some(_), Answered::Withdrawn) => {}
            // It is used up, and the agent went by another answer.
            (None, Answered::With(_, Some(approval))) => self.report(approval, Some(TOO_LATE)),
            (None, _) => {}
        }
    }
}

/// Has people answer.
pub(super) async fn answered(desk: &Desk, request: &Request, withdrawn: Withdrawn) -> Answered {
    match request {
        Request::Permission(permission) => decide(desk, permission, withdrawn).await,
        Request::Question(question, made) => fill(desk, question, *made, withdrawn).await,
    }
}

async fn decide(desk: &Desk, permission: &Permission, withdrawn: Withdrawn) -> Answered {
    match approve(desk, &permission.wanted, withdrawn, None).await {
        Ok(approved) => match permission.result(&approved.arguments) {
            Ok(result) => Answered::With(result, Some(approved.id)),
            Err(why) => Answered::No(why),
        },
        Err(Unanswered::Denied(why)) => Answered::With(permission.denied(&why), None),
        Err(Unanswered::Withdrawn) => Answered::Withdrawn,
        Err(Unanswered::Failed(why)) => Answered::No(why),
    }
}

async fn fill(
    desk: &Desk,
    question: &Question,
    made: fn(Map<String, Value>) -> Value,
    withdrawn: Withdrawn,
) -> Answered {
    let none = |why: &'static str| Answered::No(anyhow::Error::msg(why));
    match elicit(desk, question, withdrawn).await {
        Ok(Elicited::Filled(content)) => Answered::With(made(content), None),
        Ok(Elicited::Declined) => none("it was declined without a word for the agent"),
        Ok(Elicited::TakenBack) => none("the question was taken back"),
        Ok(Elicited::Expired) => none("nobody has answered in time"),
        Err(Unanswered::Withdrawn) => Answered::Withdrawn,
        Err(Unanswered::Denied(why) | Unanswered::Failed(why)) => Answered::No(why),
    }
}
