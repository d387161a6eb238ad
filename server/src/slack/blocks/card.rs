//! The card of an interaction: what was asked, and the controls, or what became of it. A card is always made
//! whole: what is sent again without its blocks would keep its old buttons.

use domain::{
    Interaction,
    interaction::{Ask, FormQuestion},
};
use serde::Serialize;
use serde_json::Value;

use super::{
    action::Written,
    block::{Block, Content, Element, Text},
    choose, closed,
    control::is_answered,
    controls, spoken,
    text::{Address, Markup, Plain, cut, length, one_line, prose},
    words,
};

/// What all texts of a card have together at most. Slack refuses a message somewhere above 11,000 characters, for
/// a limit it does not tell (slackapi/bolt-js#2867).
const CARD: usize = 9_000;
/// What of it goes to all that is short, whatever is in it.
const SHORT: usize = 3_000;
/// The longest prompt, plan, list or answer on a card.
const LONG: usize = 2_400;
/// One line of the list of a form's questions, or of what is answered by now.
const STEP_LINE: usize = 120;

/// Where a card goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// What is pressed there comes back.
    Interactive,
    /// Nothing comes back, so there is nothing to press: a link to the dashboard stands there instead. It is
    /// no button, because Slack warns of an app that is deaf to its buttons, links or not.
    Mirror,
}

/// What `chat.postMessage` and `chat.update` are given.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Card {
    /// All of it as text, for screen readers, notifications and clients without blocks. At most 3,900
    /// characters, in which nothing is markup.
    pub text: String,
    /// What people see.
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
    let address = Address::new(format!("{public_url}/blockers/{}", interaction.id));
    let is_open = interaction.state.is_pending() && surface == Surface::Interactive;
    let controls = if is_open {
        controls::of(interaction)
    } else {
        Vec::new()
    };
    let mut sheet = Sheet::new(interaction, &controls);
    sheet.add(Content::Header {
        text: Plain::new(&heading(interaction)),
    });
    sheet.facts(interaction);
    sheet.asked(interaction, address.as_ref());
    if !interaction.state.is_pending() {
        closed::ending(&mut sheet, interaction, address.as_ref());
    } else {
        sheet.steps(interaction);
        match surface {
            Surface::Interactive => sheet.controls(interaction, controls, address.as_ref()),
            Surface::Mirror => sheet.link(address.as_ref(), "Answer on the dashboard"),
        }
        sheet.deadline(interaction);
    }
    let by_reply = is_open && takes_a_reply(interaction);
    Card {
        text: spoken::text(interaction, by_reply, address.as_ref()),
        blocks: sheet.blocks,
    }
}

/// What stands at the top, and first in the text.
pub(super) fn heading(interaction: &Interaction) -> String {
    let heading = words::heading(interaction.request.kind());
    match words::outcome(&interaction.state) {
        Some(outcome) => format!("{heading}: {outcome}"),
        None => heading.to_owned(),
    }
}

/// The question of a form that is asked next, counted from 0.
pub(super) fn current_step<'a>(
    interaction: &Interaction,
    questions: &'a [FormQuestion],
) -> Option<(usize, &'a FormQuestion)> {
    let mut questions = questions.iter().enumerate();
    questions.find(|(_, question)| !is_answered(interaction, question))
}

/// Every question of a form on a line, with its answer where there is one.
pub(super) fn step_lines(interaction: &Interaction, questions: &[FormQuestion]) -> Vec<String> {
    let progress = interaction.progress();
    let lines = questions.iter().enumerate().map(|(n, question)| {
        let line = format!("{}. {}", n + 1, one_line(&question.prompt, STEP_LINE));
        match progress.and_then(|answers| answers.get(&question.id)) {
            Some(answer) => format!(
                "{line} → {}",
                one_line(&prose(&answer.to_text()), STEP_LINE)
            ),
            None => line,
        }
    });
    lines.collect()
}

/// Whether a reply in the thread is what is asked for now.
fn takes_a_reply(interaction: &Interaction) -> bool {
    match &interaction.request.ask {
        Ask::Question => true,
        Ask::Form { questions } => {
            let step = current_step(interaction, questions);
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
    fn new(interaction: &Interaction, controls: &[Element]) -> Self {
        let action = Written::of(&interaction.request).map_or(0, |it| length(&it.shown()));
        let controls: usize = controls.iter().map(Element::length).sum();
        let room = CARD.saturating_sub(SHORT + action + controls);
        // Prompt and answer; prompt, plan or list, and answer; of a form that waits, the prompt, what is answered,
        // what is asked next, and the list of options.
        let texts = match &interaction.request.ask {
            Ask::Form { .. } if interaction.state.is_pending() => 4,
            Ask::Form { .. } | Ask::Choice(_) | Ask::PlanReview { .. } => 3,
            Ask::Question
            | Ask::Acknowledgement
            | Ask::Approval { .. }
            | Ask::Notification { .. } => 2,
        };
        Self {
            version: interaction.version,
            long: LONG.min(room / texts),
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

    /// Who asks, and how much it presses.
    fn facts(&mut self, interaction: &Interaction) {
        let request = &interaction.request;
        let mut facts: Vec<Text> = vec![words::from(interaction).as_str().into()];
        if let Some(task) = words::task(request) {
            facts.push(task.as_str().into());
        }
        // What is closed presses no more.
        if words::outcome(&interaction.state).is_none() {
            facts.push(words::pressing(request).as_str().into());
        }
        self.add(Content::context(facts));
    }

    fn asked(&mut self, interaction: &Interaction, address: Option<&Address>) {
        let request = &interaction.request;
        if let Some(written) = Written::of(request) {
            self.action(&written);
            self.add(Content::bold(&words::says(interaction)));
        }
        // Below an action, or it could pass for one.
        if let Some(title) = words::title(request) {
            self.add(Content::bold(&title));
        }
        let mut is_cut = self.add_long(&prose(&request.prompt));
        match &request.ask {
            Ask::PlanReview { plan } => {
                self.add(Content::bold("The plan"));
                is_cut |= self.add_long(&prose(plan));
            }
            Ask::Choice(choice) if !interaction.state.is_pending() => {
                is_cut |= self.add_long(&choose::list(choice));
            }
            Ask::Form { questions } if !interaction.state.is_pending() => {
                let lines = step_lines(interaction, questions).join("\n");
                is_cut |= self.add_long(&lines);
            }
            _ => {}
        }
        if is_cut {
            self.add_rest_is_elsewhere(address);
        }
    }

    fn action(&mut self, written: &Written) {
        self.add(Content::bold(words::WILL_RUN));
        self.add(Content::preformatted(&written.shown()));
        if written.is_marked {
            self.add(Content::section(
                "Not what it looks like. It holds characters that nobody can see, that change the order of others, \
                 or that look like other characters. Their numbers stand where they are.",
            ));
        }
        if !written.fits() {
            self.add(Content::section(
                "This is not the whole action: it is too long to be shown here, so it cannot be approved here. \
                 Read it on the dashboard, and approve it there.",
            ));
        }
        self.add(Content::context(vec![written.digest.as_str().into()]));
    }

    /// What is to be answered next of a form, and what there is to choose from.
    fn steps(&mut self, interaction: &Interaction) {
        match &interaction.request.ask {
            Ask::Choice(choice) if choose::needs_a_list(choice) => {
                self.add_long(&choose::list(choice));
            }
            Ask::Form { questions } => {
                let Some((n, question)) = current_step(interaction, questions) else {
                    return;
                };
                let done: Vec<String> = step_lines(interaction, questions)
                    .into_iter()
                    .zip(questions)
                    .filter(|(_, question)| is_answered(interaction, question))
                    .map(|(line, _)| line)
                    .collect();
                if !done.is_empty() {
                    self.add_long(&done.join("\n"));
                }
                let count = format!("Question {} of {}", n + 1, questions.len());
                self.add(Content::bold(&count));
                if self.add_long(&prose(&question.prompt)) {
                    self.add_rest_is_elsewhere(None);
                }
                if let Some(choice) = question.choice().filter(choose::needs_a_list) {
                    self.add_long(&choose::list(&choice));
                }
            }
            _ => {}
        }
    }

    fn controls(
        &mut self,
        interaction: &Interaction,
        mut elements: Vec<Element>,
        address: Option<&Address>,
    ) {
        elements.extend(address.map(controls::dashboard));
        if !elements.is_empty() {
            self.add(Content::actions(elements));
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

    /// Until when, what happens then, and its id.
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

/// What it is called in logs and in the journal.
pub(super) fn id(interaction: &Interaction) -> Text {
    format!("ID {}", interaction.id).as_str().into()
}
