//! A question in the few words of a notification, and what may be decided there: only what is shown there whole
//! (rule 11), which is little, since a notification is cut where it pleases the system that shows it.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Interaction,
    delivery::Cause,
    interaction::{Action, Ask, Kind, Mode, Priority, Shown, Verdict},
};
use serde::Serialize;

/// How much of an agent's name stands in a title.
const NAME: usize = 24;
/// How many lines of a text are shown by every system that we know of, once the notification is opened so far that its
/// buttons show, and how wide they are at least.
const LINES: usize = 3;
const WIDTH: usize = 36;
/// How much of a text that does not fit is told.
const BEGINNING: usize = 120;
/// The longest text of a button.
const BUTTON: usize = 16;
/// How many buttons there are at most.
const BUTTONS: usize = 2;

/// What stands in a notification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// What is wanted, by whom, and how long there is.
    pub title: String,
    /// All that is asked, or its beginning.
    pub body: String,
    /// Whether it is all.
    pub shown: Shown,
    /// What can be decided there.
    pub buttons: Vec<Button>,
}

/// A decision that a button takes, as fields of the form that answers on the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Button {
    /// What stands on it.
    pub title: String,
    /// The fields and their values.
    pub fields: Vec<(&'static str, String)>,
    #[serde(skip)]
    verdict: Verdict,
}

impl Words {
    /// It where other questions wait too: it says how many, and nothing is decided there.
    #[must_use]
    pub fn summing_up(self, cause: Cause) -> Self {
        match cause {
            Cause::Summary { others, .. } if others > 0 => Self {
                title: format!("{} questions wait for you", others + 1),
                body: format!("{}: {}", self.title, self.body),
                shown: Shown::Cut,
                buttons: Vec::new(),
            },
            _ => self,
        }
    }

    /// The words about a question that waits.
    pub fn of(interaction: &Interaction, now: DateTime<Utc>) -> Self {
        let request = &interaction.request;
        let mut parts = Vec::new();
        let mut is_plain = true;
        let mut add = |text: String, seen: &str| {
            is_plain &= text == seen;
            parts.push(seen.to_owned());
        };
        if let Ask::Approval { action, .. } = &request.ask {
            let text = one_line(action);
            let seen = visible::label(&text);
            add(text, &seen);
        }
        for text in request.title.iter().chain([&request.prompt]) {
            add(text.clone(), &visible::prose(text));
        }
        if let Ask::Choice(choice) = &request.ask {
            for (number, option) in (1..).zip(&choice.options) {
                let seen = visible::option(&option.label, &option.value);
                let about = option.description.as_deref().unwrap_or_default();
                let about = visible::sentence(about);
                let line = match about.is_empty() {
                    true => format!("{number}. {seen}"),
                    false => format!("{number}. {seen}: {about}"),
                };
                add(line.clone(), &line);
            }
        }
        let body = parts.join("\n");
        let name = visible::label(&interaction.agent.name);
        let agent = cut(&name, NAME);
        let refers =
            matches!(&request.ask, Ask::Approval { action, .. } if !action.operands.is_empty());
        // What a policy says of it stands beside it wherever it is decided (rule 14), and there is no room for that.
        let is_ruled = request.ruled.is_some();
        let is_whole = is_plain
            && fits(&body)
            && agent == interaction.agent.name
            && !refers
            && !is_ruled
            && request.without_files() == Shown::Whole;
        let shown = Shown::unless_cut(!is_whole);
        let mut buttons = buttons(&request.ask);
        buttons.retain(|button| shown.offers(button.verdict) && is_short(&button.title));
        Self {
            title: title(interaction, &agent, now),
            body: match is_whole {
                true => body,
                false => cut(&parts.join(" · ").replace('\n', " "), BEGINNING),
            },
            shown,
            buttons,
        }
    }
}

/// How much it presses, for whoever carries it.
pub fn presses(interaction: &Interaction) -> bool {
    let request = &interaction.request;
    request.priority == Priority::Urgent || request.mode == Mode::Sync
}

/// What is wanted, in a few words.
pub fn wanted(kind: Kind) -> &'static str {
    match kind {
        Kind::Question => "asks",
        Kind::Choice => "needs a choice",
        Kind::Acknowledgement => "wants you to know",
        Kind::Approval => "needs approval",
        Kind::PlanReview => "has a plan",
        Kind::Form => "has questions",
        Kind::Notification => "tells",
    }
}

fn title(interaction: &Interaction, agent: &str, now: DateTime<Utc>) -> String {
    let urgent = match interaction.request.priority {
        Priority::Urgent => "Urgent: ",
        Priority::Normal => "",
    };
    let wanted = wanted(interaction.request.kind());
    let left = interaction
        .expires_at
        .map(|at| format!(" · {} left", left(at - now)));
    format!("{urgent}{agent} {wanted}{}", left.unwrap_or_default())
}

/// A span of time in one number, rounded down: nobody has more than it says.
pub fn left(time: TimeDelta) -> String {
    match (time.num_days(), time.num_hours(), time.num_minutes()) {
        (days @ 2.., ..) => format!("{days} days"),
        (_, hours @ 2.., _) => format!("{hours} h"),
        (.., minutes @ 1..) => format!("{minutes} min"),
        _ => "less than 1 min".to_owned(),
    }
}

/// An action on one line, nothing of it left out but what it refers to.
pub fn one_line(action: &Action) -> String {
    let arguments = serde_json::to_string(&action.arguments).unwrap_or_default();
    format!("{} {arguments}", action.tool)
}

fn buttons(ask: &Ask) -> Vec<Button> {
    let button = |title: &str, fields, verdict| Button {
        title: title.to_owned(),
        fields,
        verdict,
    };
    match ask {
        Ask::Approval { action_digest, .. } => [("Approve", true), ("Deny", false)]
            .map(|(title, approved)| {
                let fields = vec![
                    ("approved", approved.to_string()),
                    ("digest", action_digest.clone()),
                ];
                let verdict = match approved {
                    true => Verdict::Accept,
                    false => Verdict::Decline,
                };
                button(title, fields, verdict)
            })
            .to_vec(),
        Ask::Choice(choice) if !choice.multiple => {
            let options = choice.options.iter().take(BUTTONS);
            let options = options.map(|option| {
                let fields = vec![
                    ("chosen", String::new()),
                    ("selected[0]", option.value.clone()),
                ];
                button(&option.label, fields, Verdict::Accept)
            });
            options.collect()
        }
        Ask::Acknowledgement => vec![button("I have seen it", Vec::new(), Verdict::Accept)],
        Ask::Choice(_)
        | Ask::Question
        | Ask::PlanReview { .. }
        | Ask::Form { .. }
        | Ask::Notification { .. } => Vec::new(),
    }
}

/// Whether every system shows all of it.
fn fits(text: &str) -> bool {
    text.lines().map(lines).sum::<usize>() <= LINES
}

/// How many lines a line takes, which is broken at blanks, and in a word only where that is longer than a line.
fn lines(line: &str) -> usize {
    let (mut lines, mut used) = (1, 0);
    for piece in line.split_inclusive([' ', '\t']) {
        let word: usize = piece.trim_end().chars().map(width).sum();
        if used > 0 && used + word > WIDTH {
            lines += 1;
            used = 0;
        }
        for wide in piece.chars().map(width) {
            if used + wide > WIDTH {
                lines += 1;
                used = 0;
            }
            used += wide;
        }
    }
    lines
}

/// In narrow characters, and never less than any system draws it: nothing beyond ASCII is taken for narrow.
fn width(c: char) -> usize {
    match c {
        '\t' => 8,
        'A'..='Z' | 'm' | 'w' | '@' | '%' => 2,
        _ if c.is_ascii() => 1,
        _ => 2,
    }
}

fn is_short(title: &str) -> bool {
    title.chars().count() <= BUTTON && visible::label(title) == title
}

/// The beginning of a text.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use domain::{AgentId, AgentRef, InteractionId, State, interaction::Draft};
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::*;

    fn asked(body: Value) -> Words {
        Words::of(&pending(body), DateTime::UNIX_EPOCH)
    }

    fn pending(body: Value) -> Interaction {
        let draft: Draft = serde_json::from_value(body).unwrap();
        let now = DateTime::UNIX_EPOCH;
        let agent = AgentRef {
            id: AgentId(Uuid::nil()),
            name: "backend".into(),
        };
        Interaction {
            id: InteractionId(Uuid::nil()),
            version: 1,
            agent,
            team: None,
            to: None,
            request: draft.check(|_| None).unwrap(),
            created_at: now,
            expires_at: Some(now + TimeDelta::minutes(18)),
            state: State::Pending {
                answers: Default::default(),
                votes: Vec::new(),
            },
            claim: None,
            collected_at: None,
            consumed: None,
            report: None,
            callback: None,
            card: None,
            follow_ups: Vec::new(),
            erased: None,
        }
    }

    fn approval(prompt: &str, arguments: Value) -> Words {
        let action = json!({"tool": "restart", "arguments": arguments});
        asked(json!({"kind": "approval", "prompt": prompt, "action": action}))
    }

    fn titles(words: &Words) -> Vec<&str> {
        words.buttons.iter().map(|one| one.title.as_str()).collect()
    }

    #[test]
    fn a_short_action_is_shown_whole_and_can_be_approved() {
        let words = approval("Restart worker 3?", json!({"worker": 3}));
        assert_eq!(words.title, "backend needs approval · 18 min left");
        assert_eq!(words.body, "restart {\"worker\":3}\nRestart worker 3?");
        assert_eq!(words.shown, Shown::Whole);
        assert_eq!(titles(&words), ["Approve", "Deny"]);
        assert_eq!(words.buttons[0].fields[0], ("approved", "true".into()));
    }

    #[test]
    fn what_a_policy_speaks_of_can_only_be_denied() {
        let action = json!({"tool": "restart", "arguments": {"worker": 3}});
        let body = json!({"kind": "approval", "prompt": "Restart worker 3?", "action": action});
        let mut ruled = pending(body);
        ruled.request.ruled = Some(Box::default());
        let words = Words::of(&ruled, DateTime::UNIX_EPOCH);
        assert_eq!(words.shown, Shown::Cut);
        assert_eq!(titles(&words), ["Deny"]);
    }

    #[test]
    fn what_does_not_fit_or_hides_something_can_only_be_denied() {
        for (prompt, arguments) in [
            (&*"x".repeat(109), json!({})),
            ("a\nb\nc", json!({})),
            // Systems break at blanks: each of these words has a line of its own.
            (
                &*["x".repeat(20), "y".repeat(20), "z".repeat(20)].join(" "),
                json!({}),
            ),
            // Wide letters and tabs take more than a character.
            (&*"W".repeat(37), json!({})),
            (
                &*format!("Restart?{}and drop it", "\t".repeat(12)),
                json!({}),
            ),
            ("Restart?", json!({"worker": "x".repeat(100)})),
            ("Restart\u{202e}?", json!({})),
            ("Restart?", json!({"worker": "w\u{200b}3"})),
            ("Restart?", json!({"worker": "w\u{43e}rker"})),
        ] {
            let words = approval(prompt, arguments);
            assert_eq!(words.shown, Shown::Cut, "{words:?}");
            assert_eq!(titles(&words), ["Deny"], "{words:?}");
            assert!(words.body.chars().count() <= BEGINNING + 1);
        }
    }

    #[test]
    fn lines_are_counted_as_they_are_broken() {
        for (text, expected) in [
            ("", 1),
            (&*"x".repeat(36), 1),
            (&*"x".repeat(37), 2),
            (&*format!("{0} {0} {0} {0} {0}", "x".repeat(20)), 5),
            (&*format!("{} {}", "x".repeat(17), "y".repeat(18)), 1),
            (&*format!("{} {}", "x".repeat(17), "y".repeat(19)), 2),
            (&*format!("a {}", "x".repeat(40)), 3),
            (&*"W".repeat(18), 1),
            (&*"W".repeat(19), 2),
            (&*"\u{4e00}".repeat(19), 2),
            (&*"\t".repeat(5), 2),
        ] {
            assert_eq!(lines(text), expected, "{text:?}");
        }
    }

    #[test]
    fn an_action_that_refers_to_a_file_is_never_approved_there() {
        let digest = "0".repeat(64);
        let action = json!({"tool": "sh", "arguments": {}, "operands": [
            {"name": "a.sh", "sha256": digest, "size": 3}]});
        let words = asked(json!({"kind": "approval", "prompt": "Run?", "action": action}));
        assert_eq!(titles(&words), ["Deny"]);
    }

    #[test]
    fn the_first_two_options_are_buttons_where_all_of_them_are_shown() {
        let choice = |options: Value| {
            asked(json!({"kind": "choice", "prompt": "Which?", "options": options}))
        };
        let words = choice(json!(["Redis", "LRU"]));
        assert_eq!(words.body, "Which?\n1. Redis\n2. LRU");
        assert_eq!(titles(&words), ["Redis", "LRU"]);
        assert_eq!(words.buttons[1].fields[1], ("selected[0]", "LRU".into()));
        assert!(titles(&choice(json!(["a", "b", "c"]))).is_empty());
        let long = "x".repeat(BUTTON + 1);
        assert_eq!(titles(&choice(json!(["a", long]))), ["a"]);
    }

    #[test]
    fn what_takes_words_or_reading_has_no_button() {
        for body in [
            json!({"kind": "question", "prompt": "Which port?"}),
            json!({"kind": "plan_review", "prompt": "Go?", "plan": "1. Go"}),
            json!({"kind": "choice", "prompt": "Which?", "options": ["a", "b"], "multiple": true}),
        ] {
            assert!(asked(body).buttons.is_empty());
        }
        let words = asked(json!({"kind": "acknowledgement", "prompt": "The deploy is done."}));
        assert_eq!(titles(&words), ["I have seen it"]);
    }

    #[test]
    fn time_left_is_never_more_than_there_is() {
        for (seconds, words) in [
            (30, "less than 1 min"),
            (119, "1 min"),
            (7_199, "119 min"),
            (7_200, "2 h"),
            (172_799, "47 h"),
            (172_800, "2 days"),
        ] {
            assert_eq!(left(TimeDelta::seconds(seconds)), words);
        }
    }
}
