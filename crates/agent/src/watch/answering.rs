//! The answer in the making: the picks and texts that a kind allows, and the body that is sent.

use std::collections::BTreeSet;

use domain::interaction::{ChoiceOption, Verdict};
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use serde_json::{Value, json};

use super::{editor::Editor, item::Item, reading::Reading};

/// The decisions about a plan, by their keys from 1 on.
pub(super) const PLAN: [(&str, &str); 4] = [
    ("proceed", "go on, keep the context, edits allowed"),
    ("proceed_clean", "go on, clear the context, edits allowed"),
    (
        "proceed_default",
        "go on, clear the context, ask before edits",
    ),
    ("adjust", "stay in plan mode and work the feedback in"),
];
const ADJUST: usize = 3;

/// The input that an item asks for now.
pub(super) enum Control<'a> {
    Text,
    Options {
        options: &'a [ChoiceOption],
        multiple: bool,
    },
    Acknowledgement,
    Approval,
    Plan,
    /// Of a newer server.
    Unknown,
}

/// The effect of a key on an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pressed {
    /// It stands in the answer, or means nothing.
    Taken,
    /// The answer is to be sent.
    Send,
    /// The part it stands for has not been on the screen yet.
    Unread,
}

/// Kept for each item while the program runs, so that nothing typed is lost by looking elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Draft {
    pub(super) editor: Editor,
    /// The option that is looked at.
    pub(super) at: usize,
    pub(super) picked: BTreeSet<usize>,
    /// Of an approval: 0 is yes and 1 is no. Of a plan: a place in [`PLAN`]. Nothing is decided beforehand.
    pub(super) decision: Option<usize>,
}

/// The input asked for.
pub(super) fn control(item: &Item) -> Control<'_> {
    let (options, multiple) = match item.next_question() {
        Some((_, question)) => (question.options.as_deref(), question.multiple),
        None => (item.options.as_deref(), item.multiple == Some(true)),
    };
    match (&*item.kind, options) {
        ("choice" | "form", Some(options)) => Control::Options { options, multiple },
        ("question" | "form", _) => Control::Text,
        ("acknowledgement", _) => Control::Acknowledgement,
        ("approval", _) => Control::Approval,
        ("plan_review", _) => Control::Plan,
        _ => Control::Unknown,
    }
}

impl Draft {
    /// Whether a text is being typed, so that letters are letters.
    pub(super) fn is_typing(&self, control: &Control<'_>) -> bool {
        match control {
            Control::Text => true,
            Control::Approval | Control::Plan => self.decision.is_some(),
            _ => false,
        }
    }

    /// The effect on the request if it were sent.
    pub(super) fn verdict(&self, control: &Control<'_>) -> Verdict {
        match (control, self.decision) {
            (Control::Approval, Some(1)) | (Control::Plan, Some(ADJUST)) => Verdict::Decline,
            _ => Verdict::Accept,
        }
    }

    /// A key that is not a command. Enter sends an answer that was picked, and nothing else does but the
    /// command to send. A key that would accept something unread does nothing.
    pub(super) fn press(
        &mut self,
        key: KeyEvent,
        control: &Control<'_>,
        reading: &Reading,
    ) -> Pressed {
        if self.is_typing(control) {
            self.editor.press(key);
            return Pressed::Taken;
        }
        let accepts = reading.text().offers(Verdict::Accept);
        match (control, key.code) {
            (Control::Options { options, multiple }, code) => {
                let last = options.len().saturating_sub(1);
                match code {
                    KeyCode::Up | KeyCode::Char('k') => self.at = self.at.saturating_sub(1),
                    KeyCode::Down | KeyCode::Char('j') => self.at = (self.at + 1).min(last),
                    KeyCode::Char(' ') => return self.pick(self.at, *multiple, reading),
                    KeyCode::Char(digit @ '1'..='9') => {
                        let n = digit as usize - '1' as usize;
                        if n <= last {
                            self.at = n;
                            return self.pick(n, *multiple, reading);
                        }
                    }
                    KeyCode::Enter if !self.picked.is_empty() => return Pressed::Send,
                    _ => {}
                }
            }
            (Control::Approval, KeyCode::Char('d')) => self.decision = Some(1),
            (Control::Plan, KeyCode::Char('4')) => self.decision = Some(ADJUST),
            (Control::Approval | Control::Acknowledgement, KeyCode::Char('a'))
            | (Control::Plan, KeyCode::Char('1'..='3'))
                if !accepts =>
            {
                return Pressed::Unread;
            }
            (Control::Approval, KeyCode::Char('a')) => self.decision = Some(0),
            (Control::Plan, KeyCode::Char(digit @ '1'..='3')) => {
                self.decision = Some(digit as usize - '1' as usize);
            }
            (Control::Acknowledgement, KeyCode::Char('a')) => return Pressed::Send,
            _ => {}
        }
        Pressed::Taken
    }

    fn pick(&mut self, n: usize, multiple: bool, reading: &Reading) -> Pressed {
        if !reading.option(n).offers(Verdict::Accept) {
            return Pressed::Unread;
        }
        if !self.picked.remove(&n) {
            if !multiple {
                self.picked.clear();
            }
            self.picked.insert(n);
        }
        Pressed::Taken
    }

    /// The body to send, or the part that is missing.
    pub(super) fn body(&self, item: &Item) -> Result<Value, &'static str> {
        let text = &self.editor.text;
        let comment = (!text.is_empty()).then_some(text);
        let content = match control(item) {
            Control::Text => json!(text),
            Control::Options { options, multiple } => {
                let picked = self.picked.iter().filter_map(|n| options.get(*n));
                let values: Vec<_> = picked.map(|option| option.value.as_str()).collect();
                match (&values[..], &*item.kind) {
                    ([], _) => return Err("Pick an option first."),
                    ([one], "form") if !multiple => json!(one),
                    _ => json!(values),
                }
            }
            Control::Acknowledgement => return Ok(json!({})),
            Control::Approval => {
                let Some(decision) = self.decision else {
                    return Err("Press a to approve or d to deny first.");
                };
                return Ok(json!({
                    "approved": decision == 0, "text": comment, "digest": item.shown_digest(),
                }));
            }
            Control::Plan => {
                let Some(decision) = self.decision else {
                    return Err("Press 1 to 4 first.");
                };
                if decision == ADJUST && comment.is_none() {
                    return Err("Say what to change first.");
                }
                return Ok(json!({
                    "decision": PLAN[decision].0, "feedback": comment, "digest": item.shown_digest(),
                }));
            }
            Control::Unknown => return Err("This kind is answered in the browser."),
        };
        Ok(match (&*item.kind, item.next_question()) {
            ("form", Some((_, question))) => {
                let id = question.id.clone();
                json!({ "answers": { id: content }, "digest": item.shown_digest() })
            }
            ("choice", _) => json!({ "selected": content }),
            _ => json!({ "text": content }),
        })
    }
}
