//! The words of a search: the same on both databases, against their own ideas of a word.

use std::collections::BTreeSet;

use domain::{
    Event, InteractionEvent, InteractionId, Payload,
    interaction::{AnswerContent, Ask, Choice, FormAnswer, Request},
    limits::SEARCHED_WORD_CHARS,
};

/// The words of a text: runs of letters and digits in lower case, each once.
pub(crate) fn words(text: &str) -> Vec<String> {
    let words: BTreeSet<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| {
            let lower = word.chars().flat_map(char::to_lowercase);
            lower.take(SEARCHED_WORD_CHARS).collect()
        })
        .collect();
    words.into_iter().collect()
}

/// A text of an interaction, as it is searched.
pub(crate) struct Text {
    pub(crate) interaction: InteractionId,
    /// The number of the event that it comes from.
    pub(crate) seq: i64,
    /// Its words, with a space between them.
    pub(crate) words: String,
}

/// The text an event adds to those of its interaction.
pub(crate) fn text_of(event: &Event) -> Option<Text> {
    let words = words(&said(&event.payload)?).join(" ");
    Some(Text {
        interaction: event.interaction_id?,
        seq: event.seq,
        words,
    })
}

fn said(payload: &Payload) -> Option<String> {
    let Payload::Interaction(event) = payload else {
        return None;
    };
    match event {
        InteractionEvent::Requested { agent, request, .. }
        | InteractionEvent::Notified { agent, request, .. } => {
            Some(format!("{} {}", agent.name, asked(request)))
        }
        InteractionEvent::Resolved { answer, .. } => Some(format!(
            "{} {}",
            answer.responder.name,
            answered(&answer.content)
        )),
        InteractionEvent::Expired { answer, .. } => answer.as_ref().map(answered),
        InteractionEvent::Cancelled { reason, .. } => reason.clone(),
        InteractionEvent::FollowedUp { text } | InteractionEvent::Remarked { text, .. } => {
            Some(text.clone())
        }
        InteractionEvent::Reported { text, .. } => text.clone(),
        InteractionEvent::HandedOver { why, .. } => why.clone(),
        InteractionEvent::Reached { .. }
        | InteractionEvent::Climbed { .. }
        | InteractionEvent::SummedUp { .. }
        | InteractionEvent::Seen { .. }
        | InteractionEvent::Posted(_)
        | InteractionEvent::Moved { .. }
        | InteractionEvent::Claimed { .. }
        | InteractionEvent::Released { .. }
        | InteractionEvent::Progressed { .. }
        | InteractionEvent::Approved { .. }
        | InteractionEvent::AnswerRejected { .. }
        | InteractionEvent::Collected {}
        | InteractionEvent::Consumed(_)
        | InteractionEvent::CalledBack {}
        | InteractionEvent::AgentOffline {}
        | InteractionEvent::ReplyEdited { .. }
        | InteractionEvent::Erased(_) => None,
    }
}

fn asked(request: &Request) -> String {
    let mut texts = vec![request.prompt.as_str()];
    texts.extend(request.title.as_deref());
    texts.extend(request.session_id.as_deref());
    if let Some(task) = &request.task {
        texts.push(&task.id);
        texts.extend(task.title.as_deref());
    }
    let arguments;
    match &request.ask {
        Ask::Choice(choice) => texts.extend(labels(choice)),
        Ask::Approval { action, .. } => {
            arguments = action.arguments.0.to_string();
            texts.extend([action.tool.as_str(), &arguments]);
        }
        Ask::PlanReview { plan, .. } => texts.push(plan),
        Ask::Form { questions } => {
            texts.extend(questions.iter().map(|question| question.prompt.as_str()));
        }
        Ask::Question | Ask::Acknowledgement | Ask::Notification { .. } => {}
    }
    texts.join(" ")
}

fn labels(choice: &Choice) -> impl Iterator<Item = &str> {
    choice.options.iter().map(|option| option.label.as_str())
}

fn answered(answer: &AnswerContent) -> String {
    let said = match answer {
        AnswerContent::Form { answers } => {
            let answers: Vec<String> = answers.values().map(FormAnswer::to_text).collect();
            answers.join(" ")
        }
        AnswerContent::Plan {
            feedback, comments, ..
        } => {
            let comments = comments.iter().map(|comment| comment.text.as_str());
            let texts: Vec<&str> = feedback.as_deref().into_iter().chain(comments).collect();
            texts.join(" ")
        }
        other => other.brief(),
    };
    format!("{} {said}", answer.outcome().name())
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_are_lower_case_and_without_marks() {
        assert_eq!(
            words("Über api.example.com: `drop-table` 15m API \u{202e}"),
            ["15m", "api", "com", "drop", "example", "table", "über"]
        );
        assert_eq!(words(&"x".repeat(1_000))[0].len(), 64);
        assert!(words("?! -- '").is_empty());
    }
}
