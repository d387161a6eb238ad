//! One line of what waits: what it is about, whose it is, until when, and who is on it.

use chrono::{DateTime, Utc};
use domain::{interaction::Kind, limits};

use super::{
    super::{
        block::{Element, SelectOption, Text},
        text::{Markup, Name, Plain, one_line},
        words::{self, NAME},
    },
    press::{CLAIM, OPEN, PutOff, RELEASE, SNOOZE, Target},
};

/// Who is on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OnIt {
    /// No person says so.
    NoOne,
    /// The reader, until then.
    You(DateTime<Utc>),
    /// Another person, until then.
    Other(String, DateTime<Utc>),
    /// So many of them are claimed, and one of these by this person.
    PartOfThem(usize, String),
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
    /// The team that was asked, or that there are several.
    pub team: Option<String>,
    /// The person it is for, if there is one.
    pub to: Option<String>,
    /// The first words, or those that all have in common; empty where they say nothing of all.
    pub words: String,
    /// The tool, or the plan.
    pub about: Option<String>,
    /// The first deadline.
    pub expires_at: Option<DateTime<Utc>>,
    /// Who is on it.
    pub on_it: OnIt,
}

impl Line {
    /// What it asks, on one line.
    pub(super) fn title(&self, most: usize) -> String {
        let times = match self.count {
            1 => String::new(),
            count => format!("{count} × "),
        };
        let parts = [Some(self.words.as_str()), self.about.as_deref()];
        let parts = parts.into_iter().flatten().filter(|part| !part.is_empty());
        let parts: Vec<_> = parts.collect();
        one_line(&format!("{times}{}", parts.join(" · ")), most)
    }

    pub(super) fn facts(&self) -> Vec<Text> {
        let agent = one_line(&self.agent, NAME);
        let others = if self.and_others { " and others" } else { "" };
        let mut parts = vec![
            words::kind(self.kind).to_owned(),
            format!("{agent}{others}"),
        ];
        parts.extend(self.team.as_deref().map(|team| one_line(team, NAME)));
        parts.extend(self.urgent.then(|| "Urgent".to_owned()));
        parts.push(if self.stopped { "SYNC" } else { "ASYNC" }.to_owned());
        let mut facts = vec![Text::from(&*parts.join(" · "))];
        facts.push(match self.expires_at {
            Some(at) => Markup::default().say("Answer before ").date(at).into(),
            None => Text::from("No deadline"),
        });
        if let Some(to) = &self.to {
            let words = format!("For {}", one_line(to, NAME));
            facts.push(Text::from(&*words));
        }
        match &self.on_it {
            OnIt::NoOne => {}
            OnIt::PartOfThem(claimed, name) => {
                let (name, count) = (one_line(name, NAME), self.count);
                let words = format!("Claimed {claimed} of {count}: {name}");
                facts.push(Text::from(&*words));
            }
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

    pub(super) fn controls(&self, can_snooze: bool, public_url: &str) -> Vec<Element> {
        let target = self.target.write();
        let name = |what: &str| Name::new(format!("{what}:{target}"));
        let button =
            |what: &str, words: &str| Element::button(name(what), words, Name::new(target.clone()));
        let address = self.target.address(public_url);
        let mut controls: Vec<_> = address
            .map(|address| Element::link(name(OPEN), "Open", address))
            .into_iter()
            .collect();
        if self.count > limits::TOGETHER {
            return controls;
        }
        controls.extend(match &self.on_it {
            OnIt::NoOne | OnIt::PartOfThem(..) => Some(button(CLAIM, "I'm on it")),
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
