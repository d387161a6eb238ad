//! The card of an interaction: the request, and the controls, or the outcome. A card is always made whole: a
//! message sent again without its blocks would keep its old buttons.

use domain::{
    Interaction, InteractionId,
    interaction::{Ask, Kind, Shown},
};
use serde::Serialize;
use serde_json::Value;

use super::{
    block::{Block, Content, Element, Text},
    closed, controls,
    covered::{Covered, Look, Share},
    equal,
    modal::can_be_read,
    spoken,
    text::{Address, Markup, Plain, cut, length},
    words,
};

/// The longest length of all texts of a card together. Slack refuses a message somewhere above 11,000 characters,
/// for a limit it does not tell (slackapi/bolt-js#2867).
const CARD: usize = 9_000;
/// The share of all short parts, even at their longest.
const SHORT: usize = 3_000;
/// The share kept for how it ended.
const ENDING: usize = 2_400;

/// Where a card goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// Presses there come back.
    Interactive,
    /// Nothing comes back, so there is nothing to press: a link to the dashboard stands there instead. It is
    /// no button, because Slack warns of an app that is deaf to its buttons, links or not.
    Mirror,
}

/// The arguments of `chat.postMessage` and `chat.update`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Card {
    /// All of it as text, for screen readers, notifications and clients without blocks. At most 3,900
    /// characters, in which nothing is markup.
    pub text: String,
    /// The blocks that people see.
    pub blocks: Vec<Block>,
}

impl Card {
    /// Its blocks as the Web API takes them. They are names and text, which always have a JSON form.
    pub fn json_blocks(&self) -> Vec<Value> {
        let blocks = self.blocks.iter().map(serde_json::to_value);
        blocks.filter_map(Result::ok).collect()
    }

    /// Says that it may be in the channel twice. Its next change takes that away.
    pub fn mark_as_repeat(&mut self) {
        const AGAIN: &str = "Posted again: ";
        // Where there is no room for it, it stands below.
        if length(&self.text) + length(AGAIN) <= spoken::TEXT {
            self.text.insert_str(0, AGAIN);
        }
        let words = "Posted again: Slack did not say whether the first one arrived. One answer counts. Use the \
                     buttons of either, and the thread of this one.";
        let content = Content::context(vec![words.into()]);
        self.blocks.push(Block::new("repeat".to_owned(), content));
    }
}

/// The card of an interaction as it is now. `public_url` is where the dashboard is, without a slash at its end.
pub fn card(interaction: &Interaction, surface: Surface, public_url: &str) -> Card {
    drawn(interaction, &[], surface, public_url)
}

/// The card of an interaction, which shows that these are equal to it; it is one of them.
pub(super) fn drawn(
    interaction: &Interaction,
    all: &[Interaction],
    surface: Surface,
    public_url: &str,
) -> Card {
    let in_its_place = super::erased::in_its_place(interaction);
    let interaction = in_its_place.as_ref().unwrap_or(interaction);
    let address = Address::new(format!("{public_url}/blockers/{}", interaction.id));
    let is_open = interaction.state.is_pending() && surface == Surface::Interactive;
    let covered = Covered::of(interaction);
    let share = share(interaction, &covered);
    let shown = share.shown.and(spoken::share(interaction, &covered).shown);
    let mut sheet = Sheet::new(interaction, share.other);
    if !all.is_empty() {
        // Whichever of them changes, the message does.
        sheet.version = all.iter().map(|one| one.version).sum();
    }
    sheet.add(Content::Header {
        text: Plain::new(&heading(interaction)),
    });
    sheet.facts(interaction);
    sheet.covered(&covered, &share);
    let hint = hint(interaction, surface, shown);
    if !is_open && share.shown == Shown::Cut {
        sheet.add_rest_is_elsewhere(address.as_ref());
    }
    equal::list(&mut sheet, all);
    let also = equal::also(interaction, all);
    if !interaction.state.is_pending() {
        closed::ending(&mut sheet, interaction, address.as_ref());
    } else {
        match surface {
            Surface::Interactive => sheet.controls(interaction, shown, &also, address.as_ref()),
            Surface::Mirror => sheet.link(address.as_ref(), "Answer on the dashboard"),
        }
        sheet.people(interaction);
        sheet.deadline(interaction);
    }
    let text = spoken::text(interaction, &covered, hint, address.as_ref());
    Card {
        text: match equal::spoken(all) {
            Some(list) => format!("{list}\n\n{text}"),
            None => text,
        },
        blocks: sheet.blocks,
    }
}

/// How much of an answer's content its card shows. The text counts as well as the blocks: a person who has it
/// read out hears nothing else.
pub fn shown_on_card(interaction: &Interaction) -> Shown {
    let covered = Covered::of(interaction);
    let share = share(interaction, &covered);
    share.shown.and(spoken::share(interaction, &covered).shown)
}

fn share(interaction: &Interaction, covered: &Covered) -> Share {
    let controls = controls::of(interaction, Shown::Whole);
    let controls: usize = controls.iter().map(Element::length).sum();
    let ending = if interaction.state.is_pending() {
        0
    } else {
        ENDING
    };
    covered.share(CARD.saturating_sub(SHORT + controls), ending)
}

/// The text's hint at how it can be answered.
fn hint(interaction: &Interaction, surface: Surface, shown: Shown) -> Option<&'static str> {
    if !interaction.state.is_pending() || surface == Surface::Mirror {
        return None;
    }
    match shown {
        Shown::Whole => takes_a_reply(interaction).then_some(words::REPLY),
        Shown::Cut => cut_hint(interaction),
    }
}

/// The hint for the reader where the card does not show all that an answer covers.
fn cut_hint(interaction: &Interaction) -> Option<&'static str> {
    match interaction.request.kind() {
        Kind::Notification => None,
        _ if can_be_read(interaction) => Some(words::CUT),
        _ => Some(words::TOO_LONG),
    }
}

/// The line at the top, and first in the text.
pub(super) fn heading(interaction: &Interaction) -> String {
    let heading = words::heading(interaction.request.kind());
    match words::outcome(&interaction.state) {
        Some(outcome) => format!("{heading}: {outcome}"),
        None => heading.to_owned(),
    }
}

/// Whether a reply in the thread is the answer asked for now.
fn takes_a_reply(interaction: &Interaction) -> bool {
    match &interaction.request.ask {
        Ask::Question => true,
        Ask::Form { .. } => {
            let step = interaction.next_question();
            step.is_some_and(|(_, question)| question.options.is_none())
        }
        Ask::Choice(_)
        | Ask::Acknowledgement
        | Ask::Approval { .. }
        | Ask::PlanReview { .. }
        | Ask::Notification { .. } => false,
    }
}

/// The blocks of one card.
pub(super) struct Sheet {
    version: i64,
    /// The longest text that may be on it.
    long: usize,
    blocks: Vec<Block>,
}

impl Sheet {
    fn new(interaction: &Interaction, long: usize) -> Self {
        Self {
            version: interaction.version,
            long,
            blocks: Vec::new(),
        }
    }

    /// Slack wants new ids in a message that has changed. A card that has changed is of another version.
    pub(super) fn add(&mut self, content: Content) {
        let id = format!("v{}.{}", self.version, self.blocks.len());
        self.blocks.push(Block::new(id, content));
    }

    /// Adds a text of any length, and says whether it is cut.
    pub(super) fn add_long(&mut self, text: &str) -> bool {
        self.add(Content::section(&*cut(text, self.long)));
        length(text) > self.long
    }

    pub(super) fn add_rest_is_elsewhere(&mut self, address: Option<&Address>) {
        let rest = Markup::default().say("This is not all of it. ");
        let rest = match address {
            Some(address) => rest.link(address, "Read the rest on the dashboard"),
            None => rest.say("The rest is on the dashboard."),
        };
        self.add(Content::context(vec![rest.into()]));
    }

    /// The agent, and the urgency.
    fn facts(&mut self, interaction: &Interaction) {
        let request = &interaction.request;
        let mut facts: Vec<Text> = vec![words::from(interaction).as_str().into()];
        if let Some(task) = words::task(request) {
            facts.push(task.as_str().into());
        }
        if request.ask.revises().is_some() {
            facts.push(words::REVISES.into());
        }
        // A closed interaction presses no more.
        if words::outcome(&interaction.state).is_none() {
            facts.push(words::pressing(request).as_str().into());
        }
        self.add(Content::context(facts));
    }

    /// The parts that an answer covers.
    fn covered(&mut self, covered: &Covered, share: &Share) {
        for part in &covered.parts {
            if let Some(heading) = &part.heading {
                self.add(Content::bold(heading));
            }
            let body = cut(&part.body, share.of(part));
            self.add(part.look.content(&body));
            if part.look == Look::Action
                && let Some(action) = &covered.action
            {
                action.notes().into_iter().for_each(|note| self.add(note));
            }
        }
    }

    fn controls(
        &mut self,
        interaction: &Interaction,
        shown: Shown,
        also: &[InteractionId],
        address: Option<&Address>,
    ) {
        if shown == Shown::Cut
            && let Some(hint) = cut_hint(interaction)
        {
            self.add(Content::section(hint));
        }
        // What decides several decides them only where all of it stands above (rule 11).
        let mut elements = match shown == Shown::Whole && !also.is_empty() {
            true => equal::controls(interaction, also),
            false => controls::of(interaction, shown),
        };
        elements.extend(address.map(controls::dashboard));
        if !elements.is_empty() {
            self.add(Content::actions(elements));
        }
        if shown == Shown::Cut {
            return;
        }
        if let Ask::PlanReview { .. } = interaction.request.ask {
            self.add(Content::context(vec![words::decisions().as_str().into()]));
        }
        if takes_a_reply(interaction) {
            self.add(Content::context(vec![words::REPLY.into()]));
        }
    }

    /// A link that is no control.
    pub(super) fn link(&mut self, address: Option<&Address>, words: &'static str) {
        if let Some(address) = address {
            self.add(Content::section(Markup::default().link(address, words)));
        }
    }

    /// Who is on it, and whom it is for.
    fn people(&mut self, interaction: &Interaction) {
        let mut elements: Vec<Text> = Vec::new();
        elements.extend(words::approvals(interaction).map(|words| words.as_str().into()));
        if let (Some(on_it), Some(claim)) = (words::on_it(interaction), &interaction.claim) {
            elements.push(on_it.as_str().into());
            elements.push(Markup::default().say("until ").date(claim.until).into());
        }
        elements.extend(words::meant_for(interaction).map(|words| words.as_str().into()));
        if !elements.is_empty() {
            self.add(Content::context(elements));
        }
    }

    /// The deadline, its consequence, and the id.
    fn deadline(&mut self, interaction: &Interaction) {
        let mut elements: Vec<Text> = Vec::new();
        match interaction.expires_at {
            Some(at) => {
                let until = Markup::default().say("If nobody answers by ").date(at);
                elements.push(until.say(":").into());
                elements.push(words::consequence(interaction).as_str().into());
            }
            None => elements.push(words::NO_DEADLINE.into()),
        }
        elements.push(id(interaction));
        self.add(Content::context(elements));
    }
}

/// Its name in logs and in the journal.
pub(super) fn id(interaction: &Interaction) -> Text {
    format!("ID {}", interaction.id).as_str().into()
}
