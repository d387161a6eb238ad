//! `dev/fixtures/slack`: a card of every kind in every state, and every modal. Python's `slack_sdk` reads them, and the
//! pictures in `docs/slack` are drawn from them. `UPDATE_SNAPSHOTS=1` writes them anew.

use std::{collections::BTreeMap, env, fs, path::PathBuf};

use domain::{Interaction, interaction::Kind};
use serde_json::{Value, json, to_value};

use super::{
    super::{Card, Modal, Note, NoteLink, Origin, Surface, card, digest, modal},
    limits,
    samples::{
        URL, answer_to, answered, body, called_back, cancelled, collected, expired, followed_up,
        offline, open, with,
    },
};

fn states(kind: Kind) -> Vec<(&'static str, Interaction)> {
    let asked = open(body(kind));
    let mut states = vec![("open", asked.clone())];
    states.push(("urgent", open(with(kind, json!({"priority": "urgent"})))));
    if kind == Kind::Notification {
        return states;
    }
    let closed = answered(&asked, answer_to(kind));
    states.extend([
        ("answered", closed.clone()),
        ("picked_up", collected(&closed)),
        ("delivered", called_back(&closed)),
        ("offline", followed_up(&offline(&closed), "One more thing.")),
        ("expired", expired(&asked)),
        (
            "cancelled",
            cancelled(&asked, Some("Found it in the runbook.")),
        ),
    ]);
    states
}

/// What some kinds have beside.
fn others() -> Vec<(&'static str, Interaction)> {
    let long = "All work and no play makes Jack a dull boy. ".repeat(120);
    let approval = open(body(Kind::Approval));
    let plan = open(body(Kind::PlanReview));
    let form = open(body(Kind::Form));
    let many: Vec<String> = (1..=12).map(|n| format!("eu-west-{n}")).collect();
    let fallback = open(with(Kind::Question, json!({"fallback": "200 ms"})));
    vec![
        (
            "question-async",
            open(with(Kind::Question, json!({"mode": "async"}))),
        ),
        (
            "question-forever",
            open(with(Kind::Question, json!({"timeout_seconds": null}))),
        ),
        (
            "question-long",
            open(with(Kind::Question, json!({"prompt": long}))),
        ),
        (
            "question-empty",
            answered(&open(body(Kind::Question)), json!({"text": ""})),
        ),
        ("question-fallback", fallback.clone()),
        ("question-fallback_used", expired(&fallback)),
        (
            "choice-described",
            open(with(
                Kind::Choice,
                json!({"options": [
                    "Redis TTL",
                    {"value": "lru", "label": "LRU in process", "description": "no new service"},
                ]}),
            )),
        ),
        (
            "choice-menu",
            open(with(Kind::Choice, json!({"options": many}))),
        ),
        (
            "choice-multiple",
            open(with(
                Kind::Choice,
                json!({"options": many, "multiple": true}),
            )),
        ),
        (
            "approval-denied",
            answered(
                &approval,
                json!({"approved": false, "text": "Not before the backup."}),
            ),
        ),
        (
            "approval-masked",
            open(with(
                Kind::Approval,
                json!({
                    "action": {"tool": "sh\u{435}ll", "arguments": {"command": "rm -rf /tmp/a\u{202e}b"}},
                }),
            )),
        ),
        (
            "approval-too_long",
            open(with(
                Kind::Approval,
                json!({
                    "action": {"tool": "shell", "arguments": {"script": "echo all is well; ".repeat(200)}},
                }),
            )),
        ),
        (
            "plan_review-adjust",
            answered(
                &plan,
                json!({"decision": "adjust", "feedback": "Staging first.\nThen wait."}),
            ),
        ),
        (
            "plan_review-commented",
            answered(
                &plan,
                json!({"decision": "proceed", "feedback": "Go on.", "comments": [
                    {"line": 3, "text": "Not on a Friday."},
                    {"line": 1, "to_line": 2, "text": "Both at night."},
                ]}),
            ),
        ),
        (
            "plan_review-revised",
            open(with(
                Kind::PlanReview,
                json!({"revises": "00000000-0000-0000-0000-000000000009"}),
            )),
        ),
        (
            "plan_review-long",
            open(with(Kind::PlanReview, json!({"plan": long}))),
        ),
        (
            "acknowledgement-long",
            open(with(Kind::Acknowledgement, json!({"prompt": long}))),
        ),
        (
            "choice-long",
            open(with(Kind::Choice, json!({"prompt": long}))),
        ),
        (
            "form-second",
            answered(&form, json!({"answers": {"port": "8080"}})),
        ),
        (
            "form-third",
            answered(
                &form,
                json!({"answers": {"port": "8080", "env": "staging"}}),
            ),
        ),
    ]
}

fn cards() -> BTreeMap<String, Value> {
    let mut cards = BTreeMap::new();
    let mut add = |name: String, interaction: &Interaction, surface| {
        let card = card(interaction, surface, URL);
        assert_eq!(limits::of_card(&card), [""; 0], "{name}");
        cards.insert(name, to_value(card).unwrap());
    };
    for kind in Kind::ALL {
        for (state, interaction) in states(kind) {
            add(
                format!("{}-{state}", kind.name()),
                &interaction,
                Surface::Interactive,
            );
        }
        add(
            format!("{}-mirror", kind.name()),
            &open(body(kind)),
            Surface::Mirror,
        );
    }
    let long = "All work and no play makes Jack a dull boy. ".repeat(120);
    let long = open(with(Kind::PlanReview, json!({"plan": long})));
    add("plan_review-long_mirror".to_owned(), &long, Surface::Mirror);
    for (name, interaction) in others() {
        add(name.to_owned(), &interaction, Surface::Interactive);
    }
    for (name, card) in messages() {
        assert_eq!(limits::of_card(&card), [""; 0], "{name}");
        cards.insert(name.to_owned(), to_value(card).unwrap());
    }
    cards
}

/// What is posted beside cards, and a card that is posted again.
fn messages() -> Vec<(&'static str, Card)> {
    let mut again = card(&open(body(Kind::Question)), Surface::Interactive, URL);
    again.mark_as_repeat();
    let told = open(body(Kind::Notification));
    let failed = open(with(Kind::Notification, json!({"level": "error"})));
    let note = Note {
        words: "Handraise does not know who you are.".to_owned(),
        link: Some(NoteLink::Identify(format!("{URL}/slack/link/sealed"))),
    };
    vec![
        ("question-posted_again", again),
        (
            "notification-several",
            digest(&[&told, &failed, &told], URL),
        ),
        (
            "note",
            Note::from("Ana answered 12 s ago in Slack.").to_card(),
        ),
        ("note-link", note.to_card()),
    ]
}

fn modals() -> BTreeMap<String, Value> {
    let origin = Origin {
        channel: "C0123456789".to_owned(),
        ts: "1700000000.000100".to_owned(),
    };
    let several = open(with(Kind::Choice, json!({"multiple": true})));
    let form = open(body(Kind::Form));
    let second = answered(&form, json!({"answers": {"port": "8080"}}));
    let third = answered(&second, json!({"answers": {"env": "staging"}}));
    let script = "echo all is well;\n".repeat(200) + "rm -rf /";
    let action = json!({"action": {"tool": "shell", "arguments": {"script": script}}});
    let views = [
        (
            "decide-acknowledgement",
            open(body(Kind::Acknowledgement)),
            Modal::Decide,
        ),
        (
            "decide-approval",
            open(with(Kind::Approval, action)),
            Modal::Decide,
        ),
        (
            "decide-plan_review",
            open(body(Kind::PlanReview)),
            Modal::Decide,
        ),
        ("answer", open(body(Kind::Question)), Modal::Answer),
        ("choose", several, Modal::Answer),
        ("form-text", form, Modal::Step { question: 0 }),
        ("form-one", second, Modal::Step { question: 1 }),
        ("form-several", third, Modal::Step { question: 2 }),
        ("deny", open(body(Kind::Approval)), Modal::Deny),
        ("adjust", open(body(Kind::PlanReview)), Modal::Adjust),
    ];
    let views = views.map(|(name, interaction, which)| {
        let view = modal(&interaction, which, Some(origin.clone())).unwrap();
        assert_eq!(limits::of_view(&view), [""; 0], "{name}");
        (name.to_owned(), to_value(view).unwrap())
    });
    views.into()
}

fn hold_against(folder: &str, shown: BTreeMap<String, Value>) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../dev/fixtures/slack")
        .join(folder);
    if env::var_os("UPDATE_SNAPSHOTS").is_some() {
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        for (name, value) in &shown {
            let text = serde_json::to_string_pretty(value).unwrap();
            fs::write(folder.join(format!("{name}.json")), text + "\n").unwrap();
        }
    }
    let files = fs::read_dir(&folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let mut kept: BTreeMap<String, Value> = files
        .map(|file| {
            let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
            (
                name,
                serde_json::from_slice(&fs::read(&file).unwrap()).unwrap(),
            )
        })
        .collect();
    for (name, value) in shown {
        let kept = kept
            .remove(&name)
            .unwrap_or_else(|| panic!("{name} is new: UPDATE_SNAPSHOTS=1"));
        assert_eq!(
            value, kept,
            "{name} has changed: UPDATE_SNAPSHOTS=1, and look at the difference"
        );
    }
    assert!(kept.is_empty(), "nothing makes these: {:?}", kept.keys());
}

#[test]
fn cards_are_as_they_were() {
    hold_against("cards", cards());
}

#[test]
fn modals_are_as_they_were() {
    hold_against("modals", modals());
}
