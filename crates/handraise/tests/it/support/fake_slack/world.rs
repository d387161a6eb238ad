//! What there is: people, channels, messages, views, and what was noted of the caller.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use serde_json::{Value, json};

use super::{
    ANA, BEN, BOT_USER, MAIN, Message, TEAM, URGENT, events::Outgoing, faults::Fault, files::File,
    limits::Limits, sockets::Sockets,
};

/// How long a trigger lives, in milliseconds.
const TRIGGER: i64 = 3_000;

pub(crate) struct World {
    /// Where it is reached.
    pub(super) base: String,
    /// By the fake's clock, in milliseconds.
    pub(super) now: i64,
    pub(super) counter: u64,
    /// What the bot token may do.
    pub(crate) scopes: Vec<&'static str>,
    pub(crate) users: BTreeMap<String, Value>,
    pub(crate) channels: BTreeMap<String, Channel>,
    pub(crate) messages: Vec<Message>,
    pub(crate) files: Vec<File>,
    pub(crate) views: Vec<View>,
    /// Whether the app has a home, and what was published of it, by person: the last is what they see.
    pub(crate) has_home: bool,
    pub(crate) homes: BTreeMap<String, Vec<Value>>,
    /// When they were made, and for whom; whatever is used is taken out.
    pub(super) triggers: HashMap<String, (i64, String)>,
    pub(super) used_triggers: Vec<String>,
    pub(super) response_urls: HashMap<String, ResponseUrl>,
    /// Every call of a method that came in, with its arguments.
    pub(crate) calls: Vec<(String, Value)>,
    pub(super) violations: Vec<String>,
    pub(super) faults: HashMap<String, VecDeque<Fault>>,
    /// Whether nothing of Slack works.
    pub(crate) is_down: bool,
    /// Methods whose answers are held.
    pub(super) held: HashSet<String>,
    /// Whether one message a second and channel is the limit.
    pub(crate) paced: bool,
    pub(super) last_post: HashMap<String, i64>,
    /// How often that was too fast.
    pub(crate) refused_in_channel: usize,
    /// How often each method may be called.
    pub(crate) limits: Limits,
    /// How long a post is missing when channels are read.
    pub(crate) lag: Lag,
    pub(super) outgoing: Vec<Outgoing>,
    pub(super) sockets: Sockets,
    /// Where requests go in HTTP mode: clicks and views, events.
    pub(super) request_urls: Option<(String, String)>,
    /// And commands.
    pub(super) command_url: Option<String>,
    pub(super) lose_next_click: bool,
    pub(super) duplicate_next_event: bool,
    pub(super) hold_next_event: bool,
}

pub(crate) struct Channel {
    pub(crate) name: &'static str,
    /// Whether the bot is in it.
    pub(crate) is_member: bool,
    pub(crate) is_archived: bool,
    pub(crate) people: Vec<&'static str>,
}

/// How long a post is missing when channels are read.
#[derive(Clone, Copy)]
pub(crate) enum Lag {
    None,
    /// For so many reads of its channel.
    Reads(u32),
    /// For so many milliseconds.
    Millis(i64),
}

pub(crate) struct View {
    pub(crate) id: String,
    pub(crate) hash: String,
    pub(crate) user: String,
    pub(crate) body: Value,
    /// What was said of its fields when it was sent.
    pub(crate) errors: Option<Value>,
}

pub(super) struct ResponseUrl {
    pub(super) made_at: i64,
    pub(super) uses: u32,
    pub(super) channel: String,
    pub(super) user: String,
    pub(super) ts: String,
}

impl World {
    pub(super) fn new(base: String) -> Self {
        let user = |id: &str, name: &str| {
            let user = json!({
                "id": id, "team_id": TEAM, "name": name.to_lowercase(), "real_name": name, "deleted": false,
                "tz": "Europe/Berlin", "is_bot": id == BOT_USER, "is_restricted": false, "is_ultra_restricted": false,
                "profile": { "display_name": name, "real_name": name },
            });
            (id.to_owned(), user)
        };
        let channel = |id: &str, name| {
            let channel = Channel {
                name,
                is_member: true,
                is_archived: false,
                people: vec![ANA, BEN],
            };
            (id.to_owned(), channel)
        };
        Self {
            base,
            now: 0,
            counter: 0,
            scopes: vec![
                "chat:write",
                "files:write",
                "commands",
                "channels:history",
                "groups:history",
                "im:history",
                "mpim:history",
                "channels:read",
                "groups:read",
                "users:read",
                "metadata.message:read",
            ],
            users: [
                user(ANA, "Ana"),
                user(BEN, "Ben"),
                user(BOT_USER, "Handraise"),
            ]
            .into(),
            channels: [channel(MAIN, "agents"), channel(URGENT, "urgent")].into(),
            messages: Vec::new(),
            files: Vec::new(),
            views: Vec::new(),
            has_home: true,
            homes: BTreeMap::new(),
            triggers: HashMap::new(),
            used_triggers: Vec::new(),
            response_urls: HashMap::new(),
            calls: Vec::new(),
            violations: Vec::new(),
            faults: HashMap::new(),
            is_down: false,
            held: HashSet::new(),
            paced: false,
            last_post: HashMap::new(),
            refused_in_channel: 0,
            limits: Limits::default(),
            lag: Lag::None,
            outgoing: Vec::new(),
            sockets: Sockets::default(),
            request_urls: None,
            command_url: None,
            lose_next_click: false,
            duplicate_next_event: false,
            hold_next_event: false,
        }
    }

    pub(super) fn next(&mut self) -> u64 {
        self.counter += 1;
        self.counter
    }

    /// A message's name: the time, and a number that no other has.
    pub(super) fn next_ts(&mut self) -> String {
        let number = self.next();
        format!("{}.{number:06}", self.now / 1_000)
    }

    pub(super) fn violation(&mut self, what: impl Into<String>) {
        self.violations.push(what.into());
    }

    /// What people see in a channel, replies too.
    pub(crate) fn in_channel(&self, channel: &str) -> impl Iterator<Item = &Message> {
        self.messages
            .iter()
            .filter(move |message| message.channel == channel && message.only_for.is_none())
    }

    /// The notes that only this person sees.
    pub(crate) fn notes_for(&self, user: &str) -> impl Iterator<Item = &Message> {
        self.messages
            .iter()
            .filter(move |message| message.only_for.as_deref() == Some(user))
    }

    pub(crate) fn message(&self, channel: &str, ts: &str) -> Option<&Message> {
        self.in_channel(channel).find(|message| message.ts == ts)
    }

    pub(super) fn message_mut(&mut self, channel: &str, ts: &str) -> Option<&mut Message> {
        self.messages.iter_mut().find(|message| {
            message.channel == channel && message.ts == ts && message.only_for.is_none()
        })
    }

    /// Posts, as whoever it is.
    pub(super) fn post(&mut self, message: Message) -> String {
        let (hidden_reads, hidden_until) = match self.lag {
            Lag::None => (0, 0),
            Lag::Reads(reads) => (reads, 0),
            Lag::Millis(millis) => (0, self.now + millis),
        };
        let ts = self.next_ts();
        self.messages.push(Message {
            ts: ts.clone(),
            hidden_reads,
            hidden_until,
            ..message
        });
        ts
    }

    pub(super) fn trigger(&mut self, user: &str) -> String {
        let id = format!("{}.trigger", self.next());
        self.triggers
            .insert(id.clone(), (self.now, user.to_owned()));
        id
    }

    /// Uses a trigger up and says whose it was, or why it cannot be used.
    pub(super) fn use_trigger(&mut self, id: &str) -> Result<String, &'static str> {
        if self.used_triggers.iter().any(|used| used == id) {
            return Err("exchanged_trigger_id");
        }
        match self.triggers.remove(id) {
            None => Err("invalid_trigger_id"),
            Some((made_at, user)) => {
                self.used_triggers.push(id.to_owned());
                match self.now - made_at >= TRIGGER {
                    true => Err("expired_trigger_id"),
                    false => Ok(user),
                }
            }
        }
    }

    /// For a test that waits in vain.
    pub(super) fn told(&self) -> String {
        let calls: Vec<_> = self.calls.iter().map(|(method, _)| method).collect();
        let messages: Vec<_> = self
            .messages
            .iter()
            .map(|one| (&one.channel, &one.text))
            .collect();
        format!(
            "calls: {calls:?}, messages: {messages:?}, violations: {:?}",
            self.violations
        )
    }
}
