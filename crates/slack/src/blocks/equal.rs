//! Equal questions on one card: how many wait, since when, and controls that decide exactly those that stand there. Each
//! of them has its own answer and receipt.

use domain::{Interaction, InteractionId, interaction::Ask, time};

use super::{
    block::{Confirm, Content, Element, Text},
    card::{self, Card, Sheet, Surface, id, shown_on_card},
    control::Control,
    text::{Markup, Name, escape, length, one_line},
    words,
};

/// The most on one card: all their names have room in the value of a button.
pub const EQUALS: usize = 10;
/// A card takes others only while it is this short, so that all of them have room: its text for screen readers, and its
/// blocks as JSON.
const TEXT: usize = 2_400;
const BLOCKS: usize = 6_000;
/// The longest name of a session or a task in the list.
const NAME: usize = 30;
/// Stands between those that a control decides.
const AND: char = '+';

/// The card of all of these, which are equal and in the order in which they were asked. `None` where there are none.
pub fn card_of(all: &[Interaction], surface: Surface, public_url: &str) -> Option<Card> {
    let waiting = all.iter().find(|one| one.state.is_pending());
    let first = waiting.or(all.first())?;
    Some(match all.len() {
        1 => card::card(first, surface, public_url),
        _ => card::drawn(first, all, surface, public_url),
    })
}

/// Whether the card of this one has room for others: it is short, and cuts nothing.
pub fn takes_equals(interaction: &Interaction, public_url: &str) -> bool {
    // To draw a long one takes time.
    let request = serde_json::to_string(&interaction.request).unwrap_or_default();
    if request.len() > BLOCKS {
        return false;
    }
    let card = card::card(interaction, Surface::Interactive, public_url);
    let blocks = serde_json::to_string(&card.blocks).unwrap_or_default();
    shown_on_card(interaction) == domain::interaction::Shown::Whole
        && length(&card.text) <= TEXT
        && length(&blocks) <= BLOCKS
}

/// The control that was pressed, and the others that it decides too. `None` when it is not one of ours.
pub fn for_all(action_id: &str, value: &str) -> Option<(Control, Vec<InteractionId>)> {
    let mut parts = value.split(AND);
    let control = Control::parse(action_id, parts.next()?)?;
    let also: Vec<InteractionId> = parts.map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let decides = matches!(
        control,
        Control::Approve(_) | Control::Deny(_) | Control::Acknowledge(_)
    );
    let fits = also.is_empty() || decides && also.len() < EQUALS;
    fits.then_some((control, also))
}

impl Control {
    /// The same control of an equal one.
    #[must_use]
    pub fn of_equal(self, id: InteractionId) -> Option<Self> {
        match self {
            Self::Approve(_) => Some(Self::Approve(id)),
            Self::Deny(_) => Some(Self::Deny(id)),
            Self::Acknowledge(_) => Some(Self::Acknowledge(id)),
            _ => None,
        }
    }
}

/// Those beside this one that wait, too.
pub(super) fn also(interaction: &Interaction, all: &[Interaction]) -> Vec<InteractionId> {
    let waiting = all.iter().filter(|one| one.state.is_pending());
    // One that was handed over, or that another team has now, is not decided here.
    let equal = waiting.filter(|one| one.is_equal_to(interaction));
    let ids = equal.map(|one| one.id);
    ids.filter(|id| *id != interaction.id)
        .take(EQUALS - 1)
        .collect()
}

/// The controls that decide all of them.
pub(super) fn controls(interaction: &Interaction, also: &[InteractionId]) -> Vec<Element> {
    let count = also.len() + 1;
    let id = interaction.id;
    let value = |control: Control| {
        let mut value = control.value().as_str().to_owned();
        for other in also {
            value.push(AND);
            value.push_str(&other.to_string());
        }
        Name::new(value)
    };
    let button = |control: Control, words: &str| {
        let words = format!("{words} all {count}");
        Element::button(Name::new(control.name()), &words, value(control))
    };
    match &interaction.request.ask {
        Ask::Approval { .. } => vec![
            // One that joins makes it another button, maybe under somebody's finger.
            Element::asking_button(
                Name::new(Control::Approve(id).name()),
                &format!("Approve all {count}"),
                value(Control::Approve(id)),
                Confirm::new(
                    &format!("Approve these {count}?"),
                    "Each of them is approved by itself, and the action is run for each.",
                    &format!("Approve all {count}"),
                    "Back",
                ),
            ),
            button(Control::Deny(id), "Deny"),
        ],
        Ask::Acknowledgement => vec![button(Control::Acknowledge(id), "Acknowledge")],
        _ => Vec::new(),
    }
}

/// How many there are, and what a press decides. The first that waits is the one that the card shows.
fn heading(all: &[Interaction]) -> String {
    let count = all.len();
    let first = all.iter().find(|one| one.state.is_pending());
    let Some(first) = first else {
        return format!("{count} equal ones, and none waits any more:");
    };
    match also(first, all).len() + 1 {
        1 => format!("Of {count} equal ones the first that waits is decided here:"),
        waiting if waiting == count => {
            format!("{count} equal ones wait. A press decides exactly these, each by itself:")
        }
        waiting => format!(
            "Of {count} equal ones {waiting} wait. A press decides exactly those, each by itself:"
        ),
    }
}

fn state(one: &Interaction) -> &'static str {
    match words::outcome(&one.state) {
        Some(outcome) => outcome,
        // It is for somebody else by now.
        None if one.to.is_some() => "Waits for another, and is not decided here",
        None => "Waits",
    }
}

/// Session, task and who is on it.
fn facts(one: &Interaction) -> Vec<String> {
    let request = &one.request;
    let session = request.session_id.as_deref();
    let session = session.map(|session| format!("Session {}", one_line(session, NAME)));
    let task = request.task.as_ref();
    let task = task.map(|task| format!("Task {}", one_line(&task.id, NAME)));
    let on_it = one.state.is_pending().then(|| words::on_it(one)).flatten();
    [session, task, on_it].into_iter().flatten().collect()
}

/// A line for each.
pub(super) fn list(sheet: &mut Sheet, all: &[Interaction]) {
    if all.is_empty() {
        return;
    }
    sheet.add(Content::bold(&heading(all)));
    for one in all {
        let in_its_place = super::erased::in_its_place(one);
        let one = in_its_place.as_ref().unwrap_or(one);
        let mut line: Vec<Text> = vec![state(one).into()];
        line.push(Markup::default().say("Asked ").date(one.created_at).into());
        if let Some(at) = one.expires_at.filter(|_| one.state.is_pending()) {
            line.push(Markup::default().say("Until ").date(at).into());
        }
        line.extend(facts(one).iter().map(|fact| fact.as_str().into()));
        line.push(id(one));
        sheet.add(Content::context(line));
    }
}

/// The same as text, escaped.
pub(super) fn spoken(all: &[Interaction]) -> Option<String> {
    let all: Vec<_> = all
        .iter()
        .map(|one| super::erased::in_its_place(one).unwrap_or_else(|| one.clone()))
        .collect();
    let lines = all.iter().map(|one| {
        let asked = time::exact(one.created_at);
        format!("{}, asked {asked}, ID {}", state(one), one.id)
    });
    let lines: Vec<_> = lines.collect();
    let list = format!("{}\n{}", heading(&all), lines.join("\n"));
    (!all.is_empty()).then(|| escape(&list))
}
