//! The forms that answer: plain ones, one a kind.

use std::fmt::Write;

use app::{
    decision_title,
    view::{ChoiceView, Control, FormStep},
};
use domain::interaction::{FormAnswer, PlanDecision, Verdict};

use super::{files, question::Question};
use crate::plain_page::html::Text;

/// What a person has typed or picked, when the form is shown again, and why it is.
#[derive(Default)]
pub(super) struct Typed {
    pub(super) text: String,
    pub(super) selected: Vec<String>,
    pub(super) decision: Option<PlanDecision>,
    /// To which question of a form.
    pub(super) question: Option<String>,
    /// Why nothing was sent.
    pub(super) problem: Option<String>,
    /// Whether it was asked if an empty answer is meant.
    pub(super) asked_if_empty: bool,
    /// The ids of the files that were sent for the answer.
    pub(super) files: Vec<String>,
    /// Whose earlier answer it is, as HTML, where it was taken and not typed.
    pub(super) taken: Option<String>,
}

impl Question {
    /// The form, if there is one. `choice` is what a notification's button stands for: it is only proposed.
    pub(super) fn form(&self, typed: &Typed, choice: Option<&str>) -> String {
        if !self.may_answer || !self.is_open() {
            return String::new();
        }
        let accepts = self.shown.offers(Verdict::Accept);
        let fields = match &self.control {
            Control::Approve(action) => approval(&action.digest, accepts, typed, choice),
            Control::Decide { digest, .. } if accepts => plan(digest, typed, choice),
            Control::Decide { digest, .. } => only_adjust(digest, typed),
            _ if !accepts => return String::new(),
            Control::Text => text_field("Your answer", typed) + &send("Send answer"),
            Control::Acknowledge => send("Acknowledge"),
            Control::Choice(options) => {
                let chosen = choice.filter(|choice| is_of(options, choice));
                let note = chosen.map(|_| NOTHING_SENT).unwrap_or_default();
                let picked = match chosen {
                    Some(chosen) if typed.selected.is_empty() => vec![chosen.to_owned()],
                    _ => typed.selected.clone(),
                };
                note.to_owned() + &option_fields(options, &picked) + &send("Send answer")
            }
            Control::Form(steps) => self.step_fields(steps, typed),
            Control::Nothing { .. } => return String::new(),
        };
        let id = self.row.id;
        let draft = match &self.control {
            Control::Form(steps) => steps.get(self.step).map(|step| format!(".{}", step.id)),
            _ => None,
        };
        let empty = match typed.asked_if_empty {
            true => "<input type=\"hidden\" name=\"empty\" value=\"1\">",
            false => "",
        };
        let problem = typed.problem.as_deref().map(|words| {
            format!(
                "<p id=\"problem\" class=\"notice strong problem\" role=\"alert\">{}</p>",
                Text(words)
            )
        });
        let taken = typed.taken.as_deref();
        format!(
            "<form class=\"answer\" method=\"post\" action=\"/q/{id}\" data-draft=\"{id}{draft}\"{is_taken}>\
             <input type=\"hidden\" name=\"by\" value=\"{by}\">{empty}{problem}{taken}{files}{fields}</form>",
            by = self.reader,
            // What was typed before comes first there: the page's script has it.
            is_taken = taken.map_or("", |_| " data-taken"),
            taken = taken.unwrap_or_default(),
            files = files::fields(&typed.files),
            draft = Text(draft.as_deref().unwrap_or_default()),
            problem = problem.unwrap_or_default(),
        )
    }

    /// That its agent is offline, and the button for whoever may answer.
    pub(super) fn dismissal(&self) -> String {
        let Some(words) = self.offline.as_deref().filter(|_| self.is_open()) else {
            return String::new();
        };
        let button = match self.may_answer {
            true => format!(
                "<form method=\"post\" action=\"/q/{id}\"><input type=\"hidden\" name=\"by\" value=\"{by}\">\
                 <input type=\"hidden\" name=\"dismiss\" value=\"1\">\
                 <button class=\"button\" type=\"submit\">Dismiss</button></form>",
                id = self.row.id,
                by = self.reader,
            ),
            false => String::new(),
        };
        format!(
            "<div class=\"notice\" role=\"status\"><p>{}</p>{button}</div>",
            Text(words)
        )
    }

    fn step_fields(&self, steps: &[FormStep], typed: &Typed) -> String {
        let Some(step) = steps.get(self.step) else {
            return String::new();
        };
        let hidden = format!(
            "<input type=\"hidden\" name=\"question\" value=\"{}\">{}",
            Text(&step.id),
            digest_field(&self.progress),
        );
        // What was typed for another question stays with that.
        let is_here = typed.question.as_ref().is_none_or(|id| *id == step.id);
        let fields = match &step.choice {
            Some(options) if is_here => option_fields(options, &typed.selected),
            Some(options) => option_fields(options, &[]),
            None if is_here => text_field("Your answer", typed),
            None => text_field("Your answer", &Typed::default()),
        };
        let back = match self.step {
            0 => String::new(),
            n => format!("<a class=\"button\" href=\"?question={n}\">Back</a>"),
        };
        let words = match self.is_last(steps) {
            true => "Send all answers",
            false => "Send and go on",
        };
        format!(
            "{hidden}{fields}<div class=\"buttons\">{back}<button class=\"button primary\" \
             type=\"submit\">{words}</button></div>"
        )
    }

    /// What an earlier answer to this question of the form was.
    pub(super) fn before(&self) -> Typed {
        let before = match &self.control {
            Control::Form(steps) => steps.get(self.step).and_then(|step| step.answer.clone()),
            _ => None,
        };
        match before {
            Some(FormAnswer::One(value)) => Typed {
                selected: vec![value.clone()],
                text: value,
                ..Typed::default()
            },
            Some(FormAnswer::Several(selected)) => Typed {
                selected,
                ..Typed::default()
            },
            None => Typed::default(),
        }
    }
}

const NOTHING_SENT: &str = "<p class=\"notice\" role=\"status\">This is what you tapped. Nothing is sent until you \
                            send it here.</p>";

fn digest_field(digest: &str) -> String {
    format!(
        "<input type=\"hidden\" name=\"digest\" value=\"{}\">",
        Text(digest)
    )
}

fn send(words: &str) -> String {
    format!(
        "<div class=\"buttons\"><button class=\"button primary\" type=\"submit\">{words}</button></div>"
    )
}

/// A browser drops the first line break in a text area, so one of ours comes before it.
fn area(name: &str, label: &str, text: &str, attributes: &str) -> String {
    format!(
        "<label>{label}<textarea name=\"{name}\" rows=\"2\" dir=\"auto\"{attributes}>\n{text}</textarea></label>",
        text = Text(text),
    )
}

fn text_field(label: &str, typed: &Typed) -> String {
    area("text", label, &typed.text, described(typed))
}

fn described(typed: &Typed) -> &'static str {
    match typed.problem {
        Some(_) => " aria-describedby=\"problem\"",
        None => "",
    }
}

/// Yes and no weigh the same, unless one of them was tapped elsewhere.
fn approval(digest: &str, accepts: bool, typed: &Typed, choice: Option<&str>) -> String {
    let open = if typed.text.is_empty() { "" } else { " open" };
    let button = |value: bool, name: &str, words: &str| {
        let (class, words) = match choice == Some(name) {
            true => ("button primary", format!("Yes, {}", words.to_lowercase())),
            false => ("button", words.to_owned()),
        };
        format!(
            "<button class=\"{class}\" type=\"submit\" name=\"approved\" value=\"{value}\">{words}</button>"
        )
    };
    let note = match choice {
        Some("approve") if accepts => NOTHING_SENT,
        Some("deny") => NOTHING_SENT,
        _ => "",
    };
    let approve = match accepts {
        true => button(true, "approve", "Approve"),
        false => String::new(),
    };
    format!(
        "{note}{digest}<details{open}><summary>Add a comment</summary>{comment}</details>\
         <div class=\"buttons\">{deny}{approve}</div>",
        digest = digest_field(digest),
        comment = area("text", "Comment (optional)", &typed.text, described(typed)),
        deny = button(false, "deny", "Deny"),
    )
}

fn plan(digest: &str, typed: &Typed, choice: Option<&str>) -> String {
    let tapped = PlanDecision::ALL
        .into_iter()
        .find(|one| choice == Some(one.name()));
    let note = tapped.map(|_| NOTHING_SENT).unwrap_or_default();
    let picked = typed.decision.or(tapped);
    let mut options = String::new();
    for decision in PlanDecision::ALL {
        let checked = if picked == Some(decision) {
            " checked"
        } else {
            ""
        };
        // Writing to a string cannot fail.
        let _ = write!(
            options,
            "<label class=\"option\"><input type=\"radio\" name=\"decision\" value=\"{name}\" required{checked}>\
             <span>{title}<span class=\"more-said\">{meaning}</span></span></label>",
            name = decision.name(),
            title = decision_title(decision),
            meaning = decision.meaning(),
        );
    }
    format!(
        "{note}{digest}<fieldset><legend>Your decision</legend>{options}</fieldset>\
         <div class=\"changes\">{changes}</div>{send}",
        digest = digest_field(digest),
        changes = area(
            "feedback",
            "What to change, or notes on the way",
            &typed.text,
            described(typed)
        ),
        send = send("Send decision"),
    )
}

/// What has not been read whole can be sent back.
fn only_adjust(digest: &str, typed: &Typed) -> String {
    format!(
        "{digest}<input type=\"hidden\" name=\"decision\" value=\"{adjust}\">{changes}\
         <div class=\"buttons\"><button class=\"button\" type=\"submit\">{title}</button></div>",
        digest = digest_field(digest),
        adjust = PlanDecision::Adjust.name(),
        changes = area("feedback", "What to change", &typed.text, " required"),
        title = decision_title(PlanDecision::Adjust),
    )
}

fn is_of(options: &ChoiceView, value: &str) -> bool {
    options.options.iter().any(|option| option.value == value)
}

fn option_fields(choice: &ChoiceView, picked: &[String]) -> String {
    let (kind, legend) = match choice.multiple {
        true => ("type=\"checkbox\"", "Pick any number"),
        false => ("type=\"radio\" required", "Pick one"),
    };
    let mut options = String::new();
    for option in &choice.options {
        let checked = if picked.contains(&option.value) {
            " checked"
        } else {
            ""
        };
        let more = option
            .description_html
            .as_deref()
            .map(|html| format!("<span class=\"option-label more-said\">{html}</span>"));
        // Writing to a string cannot fail.
        let _ = write!(
            options,
            "<label class=\"option\"><input {kind} name=\"selected\" value=\"{value}\"{checked}>\
             <span><span class=\"option-label\">{label}</span>{more}</span></label>",
            value = Text(&option.value),
            label = option.label_html,
            more = more.unwrap_or_default(),
        );
    }
    format!("<fieldset><legend>{legend}</legend>{options}</fieldset>")
}
