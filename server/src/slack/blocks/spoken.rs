//! A card as text alone. Screen readers read it instead of the blocks, so it says as much as they do: above all
//! an action that can be approved stands in it whole.

use app::view::time;
use domain::{Interaction, interaction::Ask};

use super::{
    action::Written,
    card::{current_step, heading, step_lines},
    choose,
    text::{Address, cut, escape, length, prose},
    words,
};

/// Slack makes several messages of some more.
pub(super) const TEXT: usize = 3_900;
/// The longest prompt of one question of a form, beside the list of them all.
const STEP: usize = 600;

/// The whole card, escaped: nothing in it is markup. `by_reply` says that a reply in the thread is an answer.
pub(super) fn text(interaction: &Interaction, by_reply: bool, address: Option<&Address>) -> String {
    let head = head(interaction).join("\n");
    let tail = tail(interaction, by_reply, address).join("\n");
    let mut room = TEXT.saturating_sub(length(&head) + length(&tail) + 4);
    let mut parts = Vec::new();
    if let Some(written) = Written::of(&interaction.request) {
        let action = format!("{}:\n{}", words::WILL_RUN, written.shown());
        room = room.saturating_sub(length(&action) + 2);
        parts.push(action);
    }
    let long = long(interaction);
    let whole: usize = long.iter().map(|part| length(part) + 2).sum();
    let share = if whole <= room {
        room
    } else {
        (room / long.len().max(1)).saturating_sub(2)
    };
    parts.extend(long.iter().map(|part| cut(part, share).into_owned()));
    parts.insert(0, head);
    parts.push(tail);
    escape(&cut(&parts.join("\n\n"), TEXT))
}

/// What has to be known first. Short, whatever is in it.
fn head(interaction: &Interaction) -> Vec<String> {
    let request = &interaction.request;
    let mut lines = vec![heading(interaction), words::from(interaction)];
    lines.extend(words::task(request));
    if words::outcome(&interaction.state).is_none() {
        lines.push(words::pressing(request));
    }
    if !matches!(request.ask, Ask::Approval { .. }) {
        lines.extend(words::title(request));
    }
    lines
}

/// What may be of any length, in order.
fn long(interaction: &Interaction) -> Vec<String> {
    let request = &interaction.request;
    let prompt = prose(&request.prompt);
    let mut parts = match &request.ask {
        // The title as well: it could pass for the action.
        Ask::Approval { .. } => {
            let said = [Some(words::says(interaction)), words::title(request)];
            let said: Vec<String> = said.into_iter().flatten().chain([prompt]).collect();
            vec![said.join("\n")]
        }
        _ => vec![prompt],
    };
    match &request.ask {
        Ask::PlanReview { plan } => parts.push(format!("The plan:\n{}", prose(plan))),
        Ask::Choice(choice) => parts.push(choose::list(choice)),
        Ask::Form { questions } => {
            let mut lines = step_lines(interaction, questions);
            let open = current_step(interaction, questions);
            if let Some((n, question)) = open.filter(|_| interaction.state.is_pending()) {
                let count = format!("Question {} of {}:", n + 1, questions.len());
                lines.push(format!("{count} {}", cut(&prose(&question.prompt), STEP)));
                lines.extend(question.choice().map(|choice| choose::list(&choice)));
            }
            parts.push(lines.join("\n"));
        }
        Ask::Question | Ask::Acknowledgement | Ask::Approval { .. } | Ask::Notification { .. } => {}
    }
    if let Some(ending) = words::ending(interaction) {
        let text = ending.text.map(|text| prose(&text));
        let said = [Some(ending.said), text];
        parts.push(said.into_iter().flatten().collect::<Vec<_>>().join("\n"));
    }
    parts
}

/// What happens next, or what happened when. Short, whatever is in it.
fn tail(interaction: &Interaction, by_reply: bool, address: Option<&Address>) -> Vec<String> {
    let mut lines = Vec::new();
    if by_reply {
        lines.push(words::REPLY.to_owned());
    }
    if let Some(written) = Written::of(&interaction.request) {
        if written.is_marked {
            lines.push(
                "Not what it looks like: it holds characters that hide or pretend.".to_owned(),
            );
        }
        if !written.fits() {
            lines.push(
                "This is not the whole action. It can be approved on the dashboard only."
                    .to_owned(),
            );
        }
        lines.push(written.digest);
    }
    match (words::ending(interaction), interaction.expires_at) {
        (Some(ending), _) => {
            lines.extend(ending.more);
            lines.push(format!("Closed {}", time::exact(ending.at)));
            lines.push(match ending.pickup {
                (pickup, Some(at)) => format!("{pickup} {}", time::exact(at)),
                (pickup, None) => pickup,
            });
        }
        (None, Some(at)) => {
            let then = words::consequence(interaction);
            lines.push(format!("If nobody answers by {}: {then}", time::exact(at)));
        }
        (None, None) if interaction.state.is_pending() => lines.push(words::NO_DEADLINE.to_owned()),
        (None, None) => {}
    }
    lines.extend(words::follow_ups(interaction));
    lines.extend(address.map(|address| format!("On the dashboard: {}", address.as_str())));
    lines.push(format!("ID {}", interaction.id));
    lines
}
