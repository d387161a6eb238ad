//! The content that a decision covers (rule 11), made once and laid out three times: on a card, in the card's text,
//! in a modal. The responder there has to see all of it before.

use domain::{
    Interaction,
    delivery::SlackChannel,
    interaction::{Ask, Request, Shown},
};

use super::{
    action::Written,
    block::Content,
    choose, given,
    text::{length, line, prose},
    words,
};

/// The longest text on a card, where not all of it has room.
const LONG: usize = 2_400;
/// The most of an action that is shown where not all of it has room.
const ACTION: usize = 2_000;
/// The most room that the parts beside a decision take.
const BESIDE: usize = 800;
/// The longest text of one block.
pub(super) const BLOCK: usize = 3_000;

/// In the order in which people read it.
pub(super) struct Covered {
    pub(super) parts: Vec<Part>,
    /// The action that will run, of an approval: the first of the parts.
    pub(super) action: Option<Written>,
    /// Whether there are files, of which Slack shows the names alone.
    has_files: bool,
}

/// A text from outside, of any length.
pub(super) struct Part {
    /// Our own words above it.
    pub(super) heading: Option<String>,
    pub(super) body: String,
    pub(super) look: Look,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// As a machine reads it.
    Action,
    /// In bold.
    Title,
    Prose,
    /// Earlier answers that are not sent along yet: no part of the decision.
    Beside,
}

impl Look {
    /// A text that looks so, and fits into one block.
    pub(super) fn content(self, text: &str) -> Content {
        match self {
            Self::Action => Content::preformatted(text),
            Self::Title => Content::bold(text),
            Self::Prose | Self::Beside => Content::section(text),
        }
    }
}

/// How much of each part is shown, and whether that is all.
pub(super) struct Share {
    pub(super) shown: Shown,
    action: usize,
    /// Every other part, and all that stands beside them.
    pub(super) other: usize,
}

impl Covered {
    /// Of an interaction as it is now.
    pub(super) fn of(interaction: &Interaction) -> Self {
        let request = &interaction.request;
        let mut parts = Vec::new();
        let action = Written::of(request);
        // The agent's words about an action need not be true, so they stand below it.
        let mut says = None;
        if let Some(action) = &action {
            let heading = Some(words::WILL_RUN.to_owned());
            parts.push(Part::new(heading, action.lines.clone(), Look::Action));
            says = Some(words::says(interaction));
        }
        parts.extend(ruled(interaction));
        if let Some(title) = title(request) {
            parts.push(Part::new(says.take(), title, Look::Title));
        }
        parts.push(Part::new(says, prose(&request.prompt), Look::Prose));
        parts.extend(more(interaction));
        parts.extend(files(interaction));
        Self {
            parts,
            action,
            has_files: request.without_files() == Shown::Cut,
        }
    }

    /// Whether Slack shows all that is covered: these texts and no others, and no files. It decodes three entities, and does not say where:
    /// <https://docs.slack.dev/messaging/formatting-message-text#escaping>. `ls &gt; ./x` runs `ls`, and then `./x`.
    pub(super) fn is_read_as_written(&self) -> bool {
        let decoded = |part: &Part| {
            let mut entities = ["&amp;", "&lt;", "&gt;"].iter();
            part.look != Look::Beside && entities.any(|entity| part.body.contains(entity))
        };
        !self.has_files && !self.parts.iter().any(decoded)
    }

    /// How much of each has room, beside something else that may be as long as `beside`.
    pub(super) fn share(&self, room: usize, beside: usize) -> Share {
        let is_covered = |part: &&Part| part.look != Look::Beside;
        let whole: usize = self.parts.iter().filter(is_covered).map(Part::length).sum();
        let mut covered = self.parts.iter().filter(is_covered);
        let fits = self.is_read_as_written() && covered.all(|part| length(&part.body) <= BLOCK);
        let rest: usize = self
            .parts
            .iter()
            .filter(|part| !is_covered(part))
            .map(Part::length)
            .sum();
        if fits && whole + rest.min(BESIDE) + beside <= room {
            return Share {
                shown: Shown::Whole,
                action: BLOCK,
                other: BLOCK.min(room - whole),
            };
        }
        let action = self.action.as_ref();
        let action = action.map_or(0, |action| length(&action.lines).min(ACTION));
        let headings: usize = self.parts.iter().map(Part::heading_length).sum();
        let others =
            self.parts.len() - usize::from(self.action.is_some()) + usize::from(beside > 0);
        let room = room.saturating_sub(action + headings);
        Share {
            shown: Shown::Cut,
            action,
            other: LONG.min(room / others.max(1)),
        }
    }
}

impl Share {
    /// How much of this part is shown.
    pub(super) fn of(&self, part: &Part) -> usize {
        match (part.look, self.shown) {
            (Look::Beside, _) => self.other,
            (_, Shown::Whole) => BLOCK,
            (Look::Action, Shown::Cut) => self.action,
            (Look::Title | Look::Prose, Shown::Cut) => self.other,
        }
    }
}

impl Part {
    pub(super) fn new(heading: Option<String>, body: String, look: Look) -> Self {
        Self {
            heading,
            body,
            look,
        }
    }

    /// With its heading, and the lines between it and the next.
    fn length(&self) -> usize {
        length(&self.body) + self.heading_length()
    }

    fn heading_length(&self) -> usize {
        let heading = self.heading.as_deref();
        heading.map_or(0, |heading| length(heading) + 2) + 2
    }
}

fn title(request: &Request) -> Option<String> {
    request.title.as_deref().map(line)
}

/// What the files are called that were sent with it. What is in them stands on the dashboard, and in the thread as soon as
/// Slack has taken them, which is not known here: so they are never part of what a card shows whole.
fn files(interaction: &Interaction) -> Option<Part> {
    let attached = interaction.request.attached();
    let lines = attached.iter().map(|file| {
        let kind = if file.media.is_picture() {
            "picture"
        } else {
            "text"
        };
        format!("{} ({kind}, {})", line(&file.name), file.size_in_words())
    });
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| {
        let channel = interaction.card.as_ref().map(|card| &card.channel);
        let has_thread =
            channel.is_some_and(|channel| !SlackChannel(channel.clone()).is_of_webhook());
        let heading = Some(match has_thread {
            true => words::FILES_IN_THREAD.to_owned(),
            false => words::FILES.to_owned(),
        });
        Part::new(heading, lines.join("\n"), Look::Prose)
    })
}

/// What the policies say of it: people see it wherever they decide (rule 14).
fn ruled(interaction: &Interaction) -> Option<Part> {
    let pending = interaction.state.is_pending();
    let ruled = interaction.ruled().filter(|_| pending)?;
    let destructive = ruled
        .destructive
        .then(|| "A policy says that this is destructive.".to_owned());
    let lines: Vec<_> = destructive.into_iter().chain(ruled.lines()).collect();
    let heading = Some(words::POLICIES.to_owned());
    (!lines.is_empty()).then(|| Part::new(heading, prose(&lines.join("\n")), Look::Prose))
}

/// The parts below the prompt.
fn more(interaction: &Interaction) -> Vec<Part> {
    let is_pending = interaction.state.is_pending();
    match &interaction.request.ask {
        Ask::PlanReview { plan, .. } => {
            let heading = Some("The plan".to_owned());
            vec![Part::new(heading, prose(plan), Look::Prose)]
        }
        Ask::Choice(choice) => vec![Part::new(None, choose::list(choice), Look::Prose)],
        Ask::Form { questions } if is_pending => {
            let Some((n, question)) = interaction.next_question() else {
                return Vec::new();
            };
            let heading = Some(format!("Question {} of {}", n + 1, questions.len()));
            let asked = Part::new(heading, prose(&question.prompt), Look::Prose);
            let options = question.choice().map(|choice| choose::list(&choice));
            let options = options.map(|list| Part::new(None, list, Look::Prose));
            let given = given::parts(interaction, questions).into_iter();
            given.chain([asked]).chain(options).collect()
        }
        Ask::Form { questions } => {
            let lines = given::lines(interaction, questions, false).join("\n");
            vec![Part::new(None, lines, Look::Prose)]
        }
        Ask::Question | Ask::Acknowledgement | Ask::Approval { .. } | Ask::Notification { .. } => {
            Vec::new()
        }
    }
}
