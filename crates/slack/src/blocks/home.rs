//! The app's home, and what `/handraise` says: what waits for one person, as lines, as the desk has them. Nothing is
//! decided there, since no line shows all of what it is about (rule 11): each leads to where that is.

use chrono::{DateTime, Utc};
use domain::{
    Fingerprint, InteractionId,
    interaction::{Kind, Outcome},
};
use serde::Serialize;
use serde_json::Value;

use super::{
    block::{Block, Content, Element, SelectOption, Text},
    card::Card,
    text::{Address, Markup, Name, Plain, cut, escape, one_line},
    words::{self, NAME},
};

/// Slack takes 100 blocks of a home: three a line, and the rest around them.
const HOME_LINES: usize = 29;
/// Slack refuses messages with too much text in them, for a limit it does not tell.
const MESSAGE_LINES: usize = 10;
/// More than anybody is a member of.
const TEAMS: usize = 5;
/// As much of a question as a line shows.
const WORDS: usize = 300;
/// And one of a message.
const MESSAGE_WORDS: usize = 150;
/// The longest sentence about what somebody did.
const SENTENCE: usize = 500;
/// The text beside the blocks of a message.
const TEXT: usize = 3_000;

/// What a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// One question.
    One(InteractionId),
    /// All that are the same to a person, up to the newest that they were shown.
    Alike(Fingerprint, InteractionId),
}

impl Target {
    fn write(self) -> String {
        match self {
            Self::One(id) => id.to_string(),
            Self::Alike(fingerprint, newest) => format!("{fingerprint}:{newest}"),
        }
    }

    fn read(text: &str) -> Option<Self> {
        Some(match text.split_once(':') {
            None => Self::One(text.parse().ok()?),
            Some((fingerprint, newest)) => {
                Self::Alike(fingerprint.parse().ok()?, newest.parse().ok()?)
            }
        })
    }

    fn address(self, public_url: &str) -> Option<Address> {
        Address::new(match self {
            Self::One(id) => format!("{public_url}/q/{id}"),
            Self::Alike(fingerprint, _) => format!("{public_url}/groups/{fingerprint}"),
        })
    }
}

/// For how long something is put off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutOff {
    /// For so many minutes.
    Minutes(u16),
    /// Until nine in the morning, where the person is.
    Tomorrow,
}

impl PutOff {
    const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Minutes(15), "15", "For 15 minutes"),
        (Self::Minutes(60), "60", "For an hour"),
        (Self::Tomorrow, "tomorrow", "Until tomorrow, 9:00"),
    ];
}

/// What is done with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HomePress {
    /// "I'm on it."
    Claim(Target),
    /// No longer.
    Release(Target),
    /// Not now.
    Snooze(Target, PutOff),
}

const CLAIM: &str = "home_claim";
const RELEASE: &str = "home_release";
const SNOOZE: &str = "home_snooze";
const OPEN: &str = "home_open";

impl HomePress {
    /// Reads a control as Slack sends it. `None` when it is not one of these, or a mere link.
    pub fn parse(action_id: &str, value: &str) -> Option<Self> {
        let (name, target) = action_id.split_once(':')?;
        let target = Target::read(target)?;
        match name {
            CLAIM => Some(Self::Claim(target)),
            RELEASE => Some(Self::Release(target)),
            SNOOZE => {
                let mut all = PutOff::ALL.into_iter();
                let (put_off, ..) = all.find(|(_, name, _)| *name == value)?;
                Some(Self::Snooze(target, put_off))
            }
            _ => None,
        }
    }
}

/// Who is on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OnIt {
    /// Nobody says so.
    Nobody,
    /// The reader, until then.
    You(DateTime<Utc>),
    /// Somebody else, until then.
    Other(String, DateTime<Utc>),
}

/// One question, or all that are the same to the reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Which.
    pub target: Target,
    /// How many these are.
    pub count: usize,
    /// Their kind.
    pub kind: Kind,
    /// Whether it presses.
    pub urgent: bool,
    /// Whether the agent has stopped.
    pub stopped: bool,
    /// Who asks; of several agents, the first.
    pub agent: String,
    /// Whether others ask the same.
    pub and_others: bool,
    /// The team that was asked.
    pub team: Option<String>,
    /// The first words, or those that all have in common.
    pub words: String,
    /// What it is about: the tool, or the plan.
    pub about: Option<String>,
    /// The first deadline.
    pub expires_at: Option<DateTime<Utc>>,
    /// Who is on it.
    pub on_it: OnIt,
}

/// Who of a team is on duty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnDuty {
    /// The team.
    pub team: String,
    /// Their name; `None` when nobody is.
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

/// The home of somebody to whom nothing is shown, and why.
pub fn home_without(note: &super::Note) -> HomeView {
    let card = note.to_card();
    HomeView {
        kind: "home",
        blocks: card.blocks,
    }
}

/// The home of somebody. `public_url` is where the dashboard is, without a slash at its end.
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
        return said(&format!("Nothing that you may see is found for: {wanted}"));
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
                kind(one.kind),
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
        "/handraise: what waits for you",
        "/handraise search WORDS: what was asked, as far as you may see it",
        "/handraise duty: who is on duty in your teams",
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

fn heading(count: usize) -> String {
    match count {
        0 => "Nothing waits for you".to_owned(),
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
            (None, false) => format!("Nobody is on duty in {team}"),
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

impl Line {
    /// What it asks, on one line.
    fn title(&self, most: usize) -> String {
        let times = match self.count {
            1 => String::new(),
            count => format!("{count} × "),
        };
        let words = format!("{times}{}", self.words);
        match &self.about {
            Some(about) => one_line(&format!("{words} · {about}"), most),
            None => one_line(&words, most),
        }
    }

    fn facts(&self) -> Vec<Text> {
        let agent = one_line(&self.agent, NAME);
        let others = if self.and_others { " and others" } else { "" };
        let mut parts = vec![kind(self.kind).to_owned(), format!("{agent}{others}")];
        parts.extend(self.team.as_deref().map(|team| one_line(team, NAME)));
        parts.extend(self.urgent.then(|| "Urgent".to_owned()));
        parts.push(if self.stopped { "SYNC" } else { "ASYNC" }.to_owned());
        let mut facts = vec![Text::from(&*parts.join(" · "))];
        facts.push(match self.expires_at {
            Some(at) => Markup::default().say("Answer before ").date(at).into(),
            None => Text::from("No deadline"),
        });
        match &self.on_it {
            OnIt::Nobody => {}
            OnIt::You(until) => {
                let words = Markup::default().say("You are on it until ").date(*until);
                facts.push(words.into());
            }
            OnIt::Other(name, until) => {
                let words = format!("{} is on it", one_line(name, NAME));
                facts.push(Text::from(&*words));
                facts.push(Markup::default().say("Until ").date(*until).into());
            }
        }
        facts
    }

    fn controls(&self, can_snooze: bool, public_url: &str) -> Vec<Element> {
        let target = self.target.write();
        let name = |what: &str| Name::new(format!("{what}:{target}"));
        let button =
            |what: &str, words: &str| Element::button(name(what), words, Name::new(target.clone()));
        let address = self.target.address(public_url);
        let mut controls: Vec<_> = address
            .map(|address| Element::link(name(OPEN), "Open", address))
            .into_iter()
            .collect();
        controls.extend(match &self.on_it {
            OnIt::Nobody => Some(button(CLAIM, "I'm on it")),
            OnIt::You(_) => Some(button(RELEASE, "Release")),
            // An admin may take it, on the page.
            OnIt::Other(..) => None,
        });
        if can_snooze {
            let options = PutOff::ALL.into_iter();
            let options =
                options.map(|(_, value, words)| SelectOption::new(words, Name::new(value), None));
            controls.push(Element::StaticSelect {
                action_id: name(SNOOZE),
                placeholder: Plain::new("Snooze"),
                options: options.collect(),
                confirm: None,
            });
        }
        controls
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

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Question => "Question",
        Kind::Choice => "Choice",
        Kind::Acknowledgement => "Acknowledgement",
        Kind::Approval => "Approval",
        Kind::PlanReview => "Plan",
        Kind::Form => "Form",
        Kind::Notification => "Notification",
    }
}
