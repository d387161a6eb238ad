//! What `/handraise` says, as messages to one person.

use chrono::{DateTime, Utc};
use domain::{
    InteractionId,
    interaction::{Kind, Outcome},
};

use super::{
    super::{
        block::{Content, Text},
        card::Card,
        text::{Address, Markup, Plain, cut, escape, one_line},
        words::{self, NAME},
    },
    OnDuty, SENTENCE, Waiting, heading, link, named, on_duty,
};

/// Slack refuses messages with too much text in them, for a limit it does not tell.
const MESSAGE_LINES: usize = 8;
/// As much of a question as a line of a message shows.
const MESSAGE_WORDS: usize = 120;
/// The text beside the blocks of a message.
const TEXT: usize = 3_000;

/// Something that a search has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Which.
    pub id: InteractionId,
    /// Its kind.
    pub kind: Kind,
    /// Who asked.
    pub agent: String,
    /// The first words.
    pub words: String,
    /// How it ended, by whom; `None` while it waits.
    pub ending: Option<(Outcome, Option<String>)>,
    /// When it was asked.
    pub asked_at: DateTime<Utc>,
}

/// What waits, as a message to one person.
pub fn waiting_list(waiting: &Waiting, public_url: &str) -> Card {
    let heading = heading(waiting.count());
    let mut contents = vec![Content::Header {
        text: Plain::new(&heading),
    }];
    let mut said = vec![heading];
    for line in waiting.lines.iter().take(MESSAGE_LINES) {
        let title = line.title(MESSAGE_WORDS);
        contents.push(Content::section(&*title));
        let mut facts = line.facts();
        facts.extend(link(line.target.address(public_url), "Open"));
        contents.push(Content::context(facts));
        said.push(title);
    }
    contents.extend(waiting.rest(MESSAGE_LINES, public_url));
    message(&said, contents)
}

/// Who is on duty, as a message to one person.
pub fn duty_list(duty: &[OnDuty]) -> Card {
    if duty.is_empty() {
        return said("No team of yours has a rota.");
    }
    let said: Vec<_> = duty.iter().map(OnDuty::words).collect();
    message(&said, on_duty(duty))
}

/// What a search for these words has found, as a message to one person; the newest first.
pub fn found_list(wanted: &str, found: &[Found], more: bool, public_url: &str) -> Card {
    let wanted = one_line(wanted, NAME);
    if found.is_empty() {
        return said(&format!(
            "No interaction that you may see is found for: {wanted}"
        ));
    }
    let heading = format!("Found for: {wanted}");
    let mut contents = vec![Content::section(&*heading)];
    let mut texts = vec![heading];
    for one in found.iter().take(MESSAGE_LINES) {
        let title = one_line(&one.words, MESSAGE_WORDS);
        contents.push(Content::section(&*title));
        texts.push(title);
        let mut facts = vec![
            Text::from(&*format!(
                "{} · {}",
                words::kind(one.kind),
                one_line(&one.agent, NAME)
            )),
            Text::from(&*one.state()),
            Markup::default().say("Asked ").date(one.asked_at).into(),
        ];
        let place = match one.ending {
            None => format!("{public_url}/q/{}", one.id),
            Some(_) => format!("{public_url}/interactions/{}", one.id),
        };
        facts.extend(link(Address::new(place), "Open"));
        contents.push(Content::context(facts));
    }
    if more {
        let mut elements = vec![Text::from("There is more.")];
        elements.extend(link(
            Address::new(format!("{public_url}/history")),
            "Search on the dashboard",
        ));
        contents.push(Content::context(elements));
    }
    message(&texts, contents)
}

/// How the command is used, below a sentence on why that is said.
pub fn command_help(why: Option<&str>) -> Card {
    let lines = [
        "/handraise: the questions that wait for you",
        "/handraise search WORDS: questions, as far as you may see them",
        "/handraise duty: the people on duty in your teams",
        "/handraise help: this",
    ];
    let mut texts: Vec<_> = why.map(|why| one_line(why, SENTENCE)).into_iter().collect();
    texts.push(lines.join("\n"));
    let contents = texts.iter().map(|text| Content::section(&**text)).collect();
    message(&texts, contents)
}

fn said(words: &str) -> Card {
    let words = one_line(words, SENTENCE);
    let contents = vec![Content::section(&*words)];
    message(&[words], contents)
}

fn message(texts: &[String], contents: Vec<Content>) -> Card {
    Card {
        text: escape(&cut(&texts.join("\n"), TEXT)),
        blocks: named("said", contents),
    }
}

impl Found {
    fn state(&self) -> String {
        let Some((outcome, by)) = &self.ending else {
            return "Waits".to_owned();
        };
        let said = words::ended(*outcome).unwrap_or("Told");
        match by {
            Some(by) => format!("{said} · {}", one_line(by, NAME)),
            None => said.to_owned(),
        }
    }
}
