//! A card as text alone. Screen readers read it instead of the blocks, so it says as much as they do: above all
//! an action that can be approved stands in it whole.

use domain::Interaction;
use domain::time;

use super::{
    card::heading,
    covered::{Covered, Share},
    text::{Address, cut, escape, length},
    words,
};

/// Slack makes several messages of some more.
pub(super) const TEXT: usize = 3_900;
/// The share kept for how it ended.
const ENDING: usize = 1_200;
/// The share kept for the dashboard's address, and for how it can be answered.
const ADDRESS_AND_HINT: usize = 500;

/// The whole card, escaped: nothing in it is markup. `hint` is how it can be answered.
pub(super) fn text(
    interaction: &Interaction,
    covered: &Covered,
    hint: Option<&str>,
    address: Option<&Address>,
) -> String {
    let share = share(interaction, covered);
    let mut parts = vec![head(interaction).join("\n")];
    parts.extend(covered.parts.iter().map(|part| {
        let body = cut(&part.body, share.of(part));
        match &part.heading {
            Some(heading) => format!("{heading}:\n{body}"),
            None => body.into_owned(),
        }
    }));
    parts.extend(ending(interaction).map(|ending| cut(&ending, share.other).into_owned()));
    let mut tail = tail(interaction, covered);
    tail.splice(..0, hint.map(str::to_owned));
    tail.extend(address.map(|address| format!("On the dashboard: {}", address.as_str())));
    tail.push(format!("ID {}", interaction.id));
    parts.push(tail.join("\n"));
    escape(&cut(&parts.join("\n\n"), TEXT))
}

/// How much of an answer's content has room in it.
pub(super) fn share(interaction: &Interaction, covered: &Covered) -> Share {
    let lines = head(interaction)
        .into_iter()
        .chain(tail(interaction, covered));
    let short: usize = lines.map(|line| length(&line) + 1).sum();
    let room = TEXT.saturating_sub(short + ADDRESS_AND_HINT);
    let ending = ending(interaction).map_or(0, |ending| length(&ending).min(ENDING));
    covered.share(room, ending)
}

/// The facts to know first. Always short.
fn head(interaction: &Interaction) -> Vec<String> {
    let request = &interaction.request;
    let mut lines = vec![heading(interaction), words::from(interaction)];
    lines.extend(words::task(request));
    if request.ask.revises().is_some() {
        lines.push(words::REVISES.to_owned());
    }
    if words::outcome(&interaction.state).is_none() {
        lines.push(words::pressing(request));
    }
    lines
}

/// How it ended, and the answer.
fn ending(interaction: &Interaction) -> Option<String> {
    let ending = words::ending(interaction)?;
    let said = [Some(ending.said), ending.text];
    Some(said.into_iter().flatten().collect::<Vec<_>>().join("\n"))
}

/// The next events, or the past ones with their times. Always short.
fn tail(interaction: &Interaction, covered: &Covered) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(action) = &covered.action {
        if action.is_marked {
            lines.push(
                "Not what it looks like: it holds characters that hide or pretend.".to_owned(),
            );
        }
        lines.push(action.digest.clone());
    }
    if interaction.state.is_pending() {
        if let (Some(on_it), Some(claim)) = (words::on_it(interaction), &interaction.claim) {
            lines.push(format!("{on_it} until {}", time::exact(claim.until)));
        }
        lines.extend(words::meant_for(interaction));
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
    lines
}
