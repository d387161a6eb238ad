//! The state of the program, and its changes. Nothing here touches the terminal or the network.

use std::{collections::HashMap, time::Instant};

use chrono::{DateTime, Utc};
use domain::interaction::Shown;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use serde_json::Value;

use super::{
    answering::{Control, Draft, Pressed, control},
    editor::Editor,
    item::Item,
    overtaken::{Change, Overtaken},
    reading::{Drawn, Reading},
};

/// The state of the screen, and the person's drafts.
#[derive(Debug)]
pub(super) struct State {
    /// What waits, in order.
    pub(super) items: Vec<Item>,
    /// Whether the list has been read.
    pub(super) is_loaded: bool,
    /// The id of the row that is looked at: rows move.
    selected: Option<String>,
    /// The open item; it stays so when another person closes it.
    pub(super) open: Option<Item>,
    /// The reason for taking the open one back, while it is typed.
    pub(super) reason: Option<Editor>,
    /// The first line of its text on the screen.
    pub(super) scroll: usize,
    /// The parts of it that have been on the screen.
    reading: Reading,
    /// The part of it that was drawn last.
    drawn: Drawn,
    /// Whether nothing of it has been on the screen yet.
    is_new: bool,
    /// Whether the last key sent an answer, and this is the next question. The same key again, or the same
    /// key still held, is not meant for it.
    has_sent: bool,
    drafts: HashMap<String, Draft>,
    /// The id of the item whose answer is on its way.
    sending: Option<String>,
    /// What another person has done to what is asked meanwhile. Until it is put away no key means anything for
    /// what is asked now.
    pub(super) overtaken: Option<Overtaken>,
    /// The same, as long as the body on its way may have been the answer.
    maybe_overtaken: Option<Overtaken>,
    /// The last event, in words.
    pub(super) said: Option<String>,
    /// The fault of the connection.
    pub(super) away: Option<String>,
    pub(super) now: DateTime<Utc>,
    /// An agent's token shows its own and answers nothing.
    pub(super) read_only: bool,
}

/// The messages that change it.
#[derive(Debug)]
pub(crate) enum Message {
    Key(KeyEvent),
    /// A key from before the open item was on the screen.
    Ahead(KeyEvent),
    Paste(String),
    Now(DateTime<Utc>),
    /// The client's word on the connection.
    Notice(String),
    All(Vec<Item>),
    Changed(Box<Item>),
    Sent {
        id: String,
        outcome: Result<Box<Item>, Refusal>,
    },
}

impl Message {
    /// A key that waited while something was drawn for the first time was pressed before.
    pub(super) fn mark_ahead(&mut self) {
        if let Self::Key(key) = *self {
            *self = Self::Ahead(key);
        }
    }
}

/// Why something was not done.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(super) message: String,
    /// The item as another person has changed or closed it.
    pub(super) now: Option<Box<Item>>,
    /// Whether it was the body we sent that did it: the first reply was lost.
    pub(super) ours: bool,
}

/// The effects to carry out because of it.
#[derive(Debug, PartialEq)]
pub(super) enum Effect {
    Answer { id: String, body: Value },
    Cancel { id: String, reason: Option<String> },
    Quit,
}

const CHANGED: &str = "Not sent: it has changed meanwhile. Look at it again.";
/// As the client words it.
const BACK: &str = "the server is there again";

impl State {
    pub(super) fn new(read_only: bool, now: DateTime<Utc>) -> Self {
        Self {
            items: Vec::new(),
            is_loaded: false,
            selected: None,
            open: None,
            reason: None,
            scroll: 0,
            reading: Reading::default(),
            drawn: Drawn::default(),
            is_new: false,
            has_sent: false,
            overtaken: None,
            maybe_overtaken: None,
            drafts: HashMap::new(),
            sending: None,
            said: None,
            away: None,
            now,
            read_only,
        }
    }

    /// The row that is looked at.
    pub(super) fn row(&self) -> Option<usize> {
        let selected = self.selected.as_ref()?;
        self.items.iter().position(|item| item.id == *selected)
    }

    /// The text and picks for an item.
    pub(super) fn draft(&self, id: &str) -> Draft {
        self.drafts.get(id).cloned().unwrap_or_default()
    }

    pub(super) fn is_sending(&self) -> bool {
        self.sending.is_some()
    }

    /// Takes in the screen as it is now. Returns whether that changes what can be done.
    pub(super) fn saw(&mut self, drawn: Option<Drawn>, at: Instant) -> bool {
        let Some(drawn) = drawn else { return false };
        let changes = self.reading.saw(&drawn, at);
        self.drawn = drawn;
        self.is_new = false;
        changes
    }

    /// When more of the open item will have been on the screen for long enough.
    pub(super) fn due(&self, at: Instant) -> Option<Instant> {
        self.open.as_ref()?;
        self.reading.due(at)
    }

    /// Whether the next drawing is the first of the open item.
    pub(super) fn is_new(&self) -> bool {
        self.is_new && self.open.is_some()
    }

    /// The part that has to be on the screen before the open one can be accepted; `None` when all of it
    /// has been.
    pub(super) fn unread(&self, open: &Item) -> Option<String> {
        let options = match control(open) {
            Control::Options { options, .. } => options.len(),
            _ => 0,
        };
        let fits = self.drawn.lines.len() == self.drawn.of;
        if !open.attachments.is_empty() {
            // Rule 11: what is not shown here is not accepted here.
            return Some("its attachments are on the dashboard, and so is a yes".to_owned());
        }
        if self.reading.text() == Shown::Cut {
            let (read, of) = (self.reading.lines(), self.drawn.of);
            Some(match fits {
                true => "read it first".to_owned(),
                false => format!("PgDn: read to the end first ({read} of {of} lines)"),
            })
        } else if self.reading.options(options) == Shown::Cut {
            Some("j: look at every option first".to_owned())
        } else {
            None
        }
    }

    /// Another content is open now, or none.
    fn begin_reading(&mut self) {
        self.reading = Reading::default();
        self.drawn = Drawn::default();
        self.is_new = true;
        self.scroll = 0;
    }

    pub(super) fn update(&mut self, message: Message) -> Option<Effect> {
        match message {
            Message::Key(key) => {
                let is_ahead = self.is_new() || key.kind == KeyEventKind::Repeat;
                if !is_ahead || !self.decides(key) {
                    return self.press(key);
                }
            }
            Message::Ahead(key) => {
                if !self.decides(key) {
                    return self.press(key);
                }
            }
            Message::Paste(text) => {
                self.has_sent = false;
                self.paste(&text);
            }
            Message::Now(now) => self.now = now,
            Message::Notice(line) => self.away = (line != BACK).then_some(line),
            Message::All(items) => {
                for item in &items {
                    self.compare(item, false);
                }
                self.items = items;
                self.is_loaded = true;
                self.arrange();
            }
            Message::Changed(item) => self.change(*item, false),
            Message::Sent { id, outcome } => self.sent(&id, outcome),
        }
        None
    }

    fn arrange(&mut self) {
        self.items
            .sort_by(|one, other| one.order().cmp(&other.order()));
        if self.row().is_none() {
            self.selected = self.items.first().map(|item| item.id.clone());
        }
    }

    /// Opens the open item as it is now. If it asks something else by now, nothing that was typed or read is
    /// for that. `ours`: it does because of a body sent from here.
    fn compare(&mut self, item: &Item, ours: bool) {
        let open = self.open.as_mut().filter(|open| open.id == item.id);
        let known = match &open {
            Some(open) => Some(&**open),
            None => self.items.iter().find(|known| known.id == item.id),
        };
        // The next question of a form is another one, even if another person has answered this.
        let change = known.and_then(|known| known.change_to(item));
        let is_open = open.is_some();
        if let Some(open) = open {
            *open = item.clone();
        }
        let Some(change) = change else { return };
        if item.is_pending() {
            let left = self.leave(&item.id, change);
            let overtaken = Overtaken { change, left };
            match &self.sending {
                _ if ours || !is_open => {}
                Some(sending) if *sending == item.id => {
                    self.maybe_overtaken = Some(overtaken.after(self.maybe_overtaken.take()));
                }
                _ => self.overtaken = Some(overtaken.after(self.overtaken.take())),
            }
        }
        if is_open {
            self.begin_reading();
        }
    }

    /// Takes out of a draft what was meant for another content, and returns the text among it. A text for the same
    /// question stays: nothing sends it before that was read anew.
    fn leave(&mut self, id: &str, change: Change) -> String {
        match (change, self.drafts.get_mut(id)) {
            (Change::Answers, Some(draft)) => {
                draft.picked.clear();
                String::new()
            }
            (Change::Answers | Change::Question, _) => {
                self.drafts.remove(id).unwrap_or_default().editor.text
            }
        }
    }

    /// Takes in an item as it is now. `ours`: by a body sent from here.
    fn change(&mut self, item: Item, ours: bool) {
        let row = self.row();
        self.compare(&item, ours);
        self.items.retain(|known| known.id != item.id);
        if item.is_pending() {
            self.items.push(item);
        } else if self.row().is_none() {
            // A selection on it moves to the item after it.
            let last = self.items.len().saturating_sub(1);
            let next = row.and_then(|row| self.items.get(row.min(last)));
            self.selected = next.map(|next| next.id.clone());
        }
        self.arrange();
    }

    fn sent(&mut self, id: &str, outcome: Result<Box<Item>, Refusal>) {
        self.sending = None;
        let overtaken = self.maybe_overtaken.take();
        let (done, item) = match outcome {
            Ok(item) => (true, Some(item)),
            Err(refusal) if refusal.ours => (true, refusal.now),
            Err(refusal) => {
                self.said = Some(match &refusal.now {
                    Some(now) if now.is_pending() => CHANGED.to_owned(),
                    Some(closed) => format!("Not sent: {}", how_it_ended(closed, self.now)),
                    None => format!("Not sent: {}", refusal.message),
                });
                (false, refusal.now)
            }
        };
        if !done {
            self.overtaken = overtaken.or(self.overtaken.take());
        }
        let Some(item) = item else { return };
        if done {
            self.drafts.remove(id);
            let closed = !item.is_pending();
            self.said = Some(match item.outcome.as_deref() {
                Some("cancelled") => "Taken back.".to_owned(),
                Some(outcome) => format!("Sent: {outcome}."),
                None => "Sent. The next question:".to_owned(),
            });
            if self.open.as_ref().is_some_and(|open| open.id == id) {
                self.has_sent = true;
                if closed {
                    self.open = None;
                    self.reason = None;
                }
            }
        }
        self.change(*item, done);
    }

    fn paste(&mut self, text: &str) {
        if let Some(reason) = &mut self.reason {
            reason.paste(text);
        } else if self.overtaken.is_some() {
            // It was meant for another question.
        } else if let Some(open) = self.open.as_ref().filter(|open| open.is_pending()) {
            let draft = self.drafts.entry(open.id.clone()).or_default();
            if !self.read_only && draft.is_typing(&control(open)) {
                draft.editor.paste(text);
            }
        }
    }

    /// Whether a key does more than to move and to type. Such a key counts once for each press, and only for
    /// the item on the screen.
    fn decides(&self, key: KeyEvent) -> bool {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return matches!(key.code, KeyCode::Char('s' | 'x'));
        }
        let Some(open) = &self.open else {
            return matches!(key.code, KeyCode::Enter | KeyCode::Char('q'));
        };
        match key.code {
            KeyCode::PageUp | KeyCode::PageDown => false,
            _ if self.reason.is_some() => false,
            _ if self.overtaken.is_some() => true,
            KeyCode::Esc | KeyCode::Up | KeyCode::Down | KeyCode::Char('j' | 'k') => false,
            _ => !self.draft(&open.id).is_typing(&control(open)),
        }
    }

    fn press(&mut self, key: KeyEvent) -> Option<Effect> {
        let control_key = key.modifiers.contains(KeyModifiers::CONTROL);
        if control_key && key.code == KeyCode::Char('c') {
            return Some(Effect::Quit);
        }
        if control_key && key.code == KeyCode::Char('s') && self.has_sent {
            return None;
        }
        self.has_sent = false;
        self.said = None;
        if self.reason.is_some() {
            return self.press_in_reason(key);
        }
        if self.open.is_some() {
            return self.press_in_open(key);
        }
        match key.code {
            KeyCode::Char('q') => return Some(Effect::Quit),
            KeyCode::Char('j') | KeyCode::Down => self.step(1),
            KeyCode::Char('k') | KeyCode::Up => self.step(-1),
            KeyCode::Enter => {
                self.open = self.row().map(|row| self.items[row].clone());
                self.overtaken = None;
                self.begin_reading();
                // The second of two presses that were meant for the row would send the option picked
                // before.
                let draft = self
                    .open
                    .as_ref()
                    .and_then(|open| self.drafts.get_mut(&open.id));
                if let Some(draft) = draft {
                    draft.picked.clear();
                }
            }
            _ => {}
        }
        None
    }

    fn step(&mut self, by: isize) {
        let last = self.items.len().saturating_sub(1);
        let row = self.row().unwrap_or(0).saturating_add_signed(by).min(last);
        self.selected = self.items.get(row).map(|item| item.id.clone());
    }

    fn press_in_open(&mut self, key: KeyEvent) -> Option<Effect> {
        let open = self.open.as_ref()?;
        // One line stands on both pages, so that the reader keeps their place.
        let page = self.drawn.lines.len().saturating_sub(1).max(1);
        let last = self.drawn.of.saturating_sub(self.drawn.lines.len());
        match key.code {
            KeyCode::PageUp => self.scroll = self.scroll.min(last).saturating_sub(page),
            KeyCode::PageDown => self.scroll = self.scroll.saturating_add(page).min(last),
            _ if self.overtaken.is_some() && open.is_pending() => {
                if key.code == KeyCode::Esc {
                    self.overtaken = None;
                }
            }
            KeyCode::Esc => {
                let draft = self.drafts.entry(open.id.clone()).or_default();
                // First back from the decision, and only then from the question.
                if !open.is_pending() || draft.decision.take().is_none() {
                    self.open = None;
                }
            }
            _ if self.read_only || !open.is_pending() || self.sending.is_some() => {
                if key.code == KeyCode::Char('q') && (self.read_only || !open.is_pending()) {
                    self.open = None;
                }
            }
            KeyCode::Char('x') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                self.reason = Some(Editor::default());
            }
            KeyCode::Char('s') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                return self.send();
            }
            _ => {
                let draft = self.drafts.entry(open.id.clone()).or_default();
                match draft.press(key, &control(open), &self.reading) {
                    Pressed::Taken => {}
                    Pressed::Send => return self.send(),
                    Pressed::Unread => self.said = self.unread(open),
                }
            }
        }
        None
    }

    fn send(&mut self) -> Option<Effect> {
        let open = self.open.as_ref()?;
        let id = open.id.clone();
        let draft = self.draft(&id);
        let shown = Shown::unless_cut(self.unread(open).is_some());
        match draft.body(open) {
            Ok(_) if !shown.offers(draft.verdict(&control(open))) => {
                self.said = self.unread(open);
                None
            }
            Ok(body) => {
                self.sending = Some(id.clone());
                Some(Effect::Answer { id, body })
            }
            Err(missing) => {
                self.said = Some(missing.to_owned());
                None
            }
        }
    }

    fn press_in_reason(&mut self, key: KeyEvent) -> Option<Effect> {
        let reason = self.reason.as_mut()?;
        let control_key = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => self.reason = None,
            KeyCode::Char('s') if control_key => {
                let reason = self.reason.take()?.text;
                let open = self.open.as_ref().filter(|open| open.is_pending())?;
                let id = open.id.clone();
                self.sending = Some(id.clone());
                let reason = (!reason.is_empty()).then_some(reason);
                return Some(Effect::Cancel { id, reason });
            }
            // A reason is one line.
            KeyCode::Enter => {}
            _ => reason.press(key),
        }
        None
    }
}

/// Of a closed item: how, by whom, and when.
pub(super) fn how_it_ended(item: &Item, now: DateTime<Utc>) -> String {
    let who = item.responder();
    let what = match (&*item.state, item.fallback_used) {
        ("resolved", _) => "already answered",
        ("expired", true) => "expired, and its fallback was used",
        ("expired", false) => "expired",
        ("cancelled", _) => "taken back",
        _ => "closed",
    };
    let who = who.map_or_else(String::new, |who| format!(" by {who}"));
    let when = item.closed_at.map(|at| span((now - at).num_seconds()));
    let when = when.map_or_else(String::new, |when| format!(", {when} ago"));
    format!("{what}{who}{when}")
}

/// A time in its two largest units at most: `47 s`, `12 min`, `3 h 5 min`, `2 d 4 h`.
pub(super) fn span(seconds: i64) -> String {
    let seconds = seconds.max(0);
    let two = |large: i64, unit: &str, small: i64, smaller: &str| match small {
        0 => format!("{large} {unit}"),
        small => format!("{large} {unit} {small} {smaller}"),
    };
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => two(seconds / 3_600, "h", seconds % 3_600 / 60, "min"),
        _ => two(seconds / 86_400, "d", seconds % 86_400 / 3_600, "h"),
    }
}
