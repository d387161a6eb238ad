//! The app's home: what waits for one person, as lines, as the desk has them. Nothing is decided there, since no line
//! shows all of what it is about (rule 11): each leads to where that is.

mod command;
mod line;
mod press;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;

use super::{
    block::{Block, Content, Text},
    text::{Address, Markup, Plain, one_line},
    words::NAME,
};

pub use command::{Found, command_help, duty_list, found_list, waiting_list};
pub use line::{Line, OnIt};
pub use press::{HomePress, PutOff, Target};

/// Slack takes 100 blocks of a home: three a line, and the rest around them.
const HOME_LINES: usize = 29;
/// Of more teams with a rota only the number is said.
const TEAMS: usize = 5;
/// As much of a question as a line shows.
const WORDS: usize = 300;
/// The longest sentence about a press or a command.
const SENTENCE: usize = 500;

/// Who of a team is on duty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnDuty {
    /// The team.
    pub team: String,
    /// Their name; `None` when no person is.
    pub name: Option<String>,
    /// Whether that is the reader.
    pub is_you: bool,
    /// Until another one follows.
    pub until: DateTime<Utc>,
}

/// What waits for one person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// What came of what they did just now.
    pub notice: Option<String>,
    /// Who is on duty in their teams.
    pub duty: Vec<OnDuty>,
    /// Line by line.
    pub lines: Vec<Line>,
    /// How many wait that are in no line.
    pub beyond: usize,
    /// How many they have put off.
    pub snoozed: usize,
    /// Whether they can put anything off.
    pub can_snooze: bool,
}

/// The view that `views.publish` takes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HomeView {
    #[serde(rename = "type")]
    kind: &'static str,
    blocks: Vec<Block>,
}

impl HomeView {
    fn of(contents: Vec<Content>) -> Self {
        Self {
            kind: "home",
            blocks: named("home", contents),
        }
    }

    /// Its blocks as the Web API takes them.
    pub fn json_blocks(&self) -> Vec<Value> {
        let blocks = self.blocks.iter().map(serde_json::to_value);
        blocks.filter_map(Result::ok).collect()
    }
}

fn named(name: &str, contents: Vec<Content>) -> Vec<Block> {
    let blocks = contents.into_iter().enumerate();
    blocks
        .map(|(n, content)| Block::new(format!("{name}.{n}"), content))
        .collect()
}

/// A home that shows no question, and why.
pub fn home_without(note: &super::Note) -> HomeView {
    let card = note.to_card();
    HomeView {
        kind: "home",
        blocks: card.blocks,
    }
}

/// The home of one person. `public_url` is where the dashboard is, without a slash at its end.
pub fn home(waiting: &Waiting, public_url: &str) -> HomeView {
    let mut contents = vec![Content::Header {
        text: Plain::new(&heading(waiting.count())),
    }];
    if let Some(notice) = &waiting.notice {
        contents.push(Content::section(&*one_line(notice, SENTENCE)));
    }
    contents.extend(on_duty(&waiting.duty));
    for line in waiting.lines.iter().take(HOME_LINES) {
        contents.push(Content::section(&*line.title(WORDS)));
        contents.push(Content::context(line.facts()));
        contents.push(Content::actions(
            line.controls(waiting.can_snooze, public_url),
        ));
    }
    contents.extend(waiting.rest(HOME_LINES, public_url));
    HomeView::of(contents)
}

fn heading(count: usize) -> String {
    match count {
        0 => "No question waits for you".to_owned(),
        1 => "1 question waits for you".to_owned(),
        count => format!("{count} questions wait for you"),
    }
}

fn link(address: Option<Address>, words: &'static str) -> Option<Text> {
    let address = address?;
    Some(Markup::default().link(&address, words).into())
}

fn on_duty(duty: &[OnDuty]) -> Vec<Content> {
    let line = |one: &OnDuty| {
        let until = Markup::default().say("Until ").date(one.until);
        Content::context(vec![Text::from(&*one.words()), until.into()])
    };
    let mut lines: Vec<_> = duty.iter().take(TEAMS).map(line).collect();
    let more = duty.len().saturating_sub(TEAMS);
    if more > 0 {
        let words = format!("{more} more of your teams have a rota.");
        lines.push(Content::context(vec![Text::from(&*words)]));
    }
    lines
}

impl OnDuty {
    fn words(&self) -> String {
        let team = one_line(&self.team, NAME);
        match (&self.name, self.is_you) {
            (_, true) => format!("You are on duty: {team}"),
            (Some(name), false) => format!("On duty in {team}: {}", one_line(name, NAME)),
            (None, false) => format!("No person is on duty in {team}"),
        }
    }
}

impl Waiting {
    /// How many wait.
    fn count(&self) -> usize {
        self.lines.iter().map(|line| line.count).sum::<usize>() + self.beyond
    }

    /// What stands below the lines, of which so many are shown.
    fn rest(&self, shown: usize, public_url: &str) -> Vec<Content> {
        let hidden = self.lines.iter().skip(shown).map(|line| line.count);
        let more = hidden.sum::<usize>() + self.beyond;
        let mut elements = Vec::new();
        if more > 0 {
            elements.push(Text::from(&*format!("{more} more on the page.")));
        }
        if self.snoozed > 0 {
            elements.push(Text::from(&*format!("{} put off.", self.snoozed)));
        }
        let page = Address::new(format!("{public_url}/"));
        elements.extend(link(page, "Open the dashboard"));
        match elements.is_empty() {
            true => Vec::new(),
            false => vec![Content::context(elements)],
        }
    }
}
