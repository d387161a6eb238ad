//! Whatever agents and people write: Slack takes every card and modal, and finds no markup in it but ours.

use domain::{Interaction, fault::is_name, interaction::Kind, limits as sizes};
use proptest::{prelude::*, sample::select};
use serde_json::{Value, json};

use super::{
    super::{Control, Modal, Surface, card, decode_message_text, modal},
    limits::{controls, is_escaped, of_card, of_view},
    samples::{
        URL, answered_by, cancelled, collected, expired, followed_up, hostile_texts, offline,
        open_as,
    },
};

const UNITS: [&str; 14] = [
    "a",
    "&",
    "<",
    ">",
    "🦀",
    "👨‍👩‍👧‍👦",
    "e\u{301}",
    "\u{202e}",
    "\"",
    "\u{200b}",
    "\n",
    "`",
    "<!channel> ",
    "<https://evil.example|good> ",
];

/// Any text that is not blank.
fn text(max: usize) -> impl Strategy<Value = String> {
    let any = prop_oneof![
        2 => "\\PC{0,60}",
        2 => select(hostile_texts()),
        2 => (select(UNITS.to_vec()), 1..max).prop_map(|(unit, times)| unit.repeat(times)),
        1 => any::<String>(),
    ];
    any.prop_map(move |text| format!("x{text}").chars().take(max).collect())
}

/// A line that may be a name.
fn line(max: usize) -> impl Strategy<Value = String> {
    text(max).prop_map(move |text| {
        let line: String = text.chars().filter(|c| !c.is_control()).collect();
        assert!(is_name(&line, max), "{line}");
        line
    })
}

fn options() -> impl Strategy<Value = Value> {
    let option = (
        line(sizes::OPTION_CHARS - 2),
        proptest::option::of(line(sizes::OPTION_CHARS)),
    );
    proptest::collection::vec(option, 2..=sizes::OPTIONS).prop_map(|options| {
        let options = options.into_iter().enumerate().map(|(n, (label, description))| {
            json!({"value": format!("v{n}"), "label": format!("{n:02}{label}"), "description": description})
        });
        options.collect()
    })
}

fn of_kind(kind: Kind) -> BoxedStrategy<Value> {
    match kind {
        Kind::Question | Kind::Acknowledgement => Just(json!({})).boxed(),
        Kind::Notification => select(vec!["info", "success", "warning", "error"])
            .prop_map(|level| json!({"level": level}))
            .boxed(),
        Kind::Choice => (options(), any::<bool>())
            .prop_map(|(options, multiple)| json!({"options": options, "multiple": multiple}))
            .boxed(),
        Kind::Approval => (
            line(sizes::TITLE_CHARS),
            proptest::collection::vec((line(40), text(1_500)), 0..4),
        )
            .prop_map(|(tool, given)| {
                let arguments: serde_json::Map<String, Value> = given
                    .into_iter()
                    .map(|(name, value)| (name, value.into()))
                    .collect();
                json!({"action": {"tool": tool, "arguments": arguments}})
            })
            .boxed(),
        Kind::PlanReview => text(sizes::TEXT_CHARS)
            .prop_map(|plan| json!({"plan": plan}))
            .boxed(),
        Kind::Form => {
            let question = (
                text(4_000),
                proptest::option::of((options(), any::<bool>())),
            );
            proptest::collection::vec(question, 1..=sizes::QUESTIONS)
                .prop_map(|questions| {
                    let questions =
                        questions
                            .into_iter()
                            .enumerate()
                            .map(|(n, (prompt, choice))| {
                                let mut question = json!({"id": format!("q{n}"), "prompt": prompt});
                                if let Some((options, multiple)) = choice {
                                    question["options"] = options;
                                    question["multiple"] = multiple.into();
                                }
                                question
                            });
                    json!({"questions": questions.collect::<Value>()})
                })
                .boxed()
        }
    }
}

fn asked() -> impl Strategy<Value = Interaction> {
    let kind = select(Kind::ALL.to_vec());
    let special = kind.prop_flat_map(|kind| (Just(kind), of_kind(kind)));
    let task = (
        line(sizes::SESSION_ID_CHARS),
        proptest::option::of(line(sizes::TITLE_CHARS)),
        proptest::option::of(line(sizes::LINE_CHARS)),
    );
    (
        special,
        text(sizes::TEXT_CHARS),
        proptest::option::of(line(sizes::TITLE_CHARS)),
        proptest::option::of(line(sizes::SESSION_ID_CHARS)),
        proptest::option::of(task),
        line(sizes::LINE_CHARS),
        (
            any::<bool>(),
            any::<bool>(),
            proptest::option::of(text(2_000)),
        ),
    )
        .prop_map(
            |((kind, mut body), prompt, title, session, task, agent, how)| {
                let (urgent, sync, fallback) = how;
                body["kind"] = kind.name().into();
                body["prompt"] = prompt.into();
                body["title"] = title.into();
                body["session_id"] = session.into();
                body["priority"] = if urgent { "urgent" } else { "normal" }.into();
                if let Some((id, title, step)) = task {
                    body["task"] = json!({"id": id, "title": title, "step": step});
                }
                if kind != Kind::Notification {
                    body["mode"] = if sync { "sync" } else { "async" }.into();
                }
                if kind == Kind::Question {
                    body["fallback"] = fallback.into();
                }
                open_as(&agent, body)
            },
        )
}

/// An answer to whatever was asked, with this text where there is room for one.
fn answer(interaction: &Interaction, text: &str) -> Value {
    match interaction.request.kind() {
        Kind::Question => json!({"text": text}),
        Kind::Choice => json!({"selected": ["v1"]}),
        Kind::Acknowledgement | Kind::Notification => json!({}),
        Kind::Approval => json!({"approved": false, "text": text}),
        Kind::PlanReview => json!({"decision": "adjust", "feedback": text}),
        Kind::Form => {
            let domain::interaction::Ask::Form { questions } = &interaction.request.ask else {
                unreachable!()
            };
            let answers = questions.iter().map(|question| {
                let answer = match (&question.options, question.multiple) {
                    (None, _) => text.into(),
                    (Some(_), false) => "v1".into(),
                    (Some(_), true) => json!(["v0", "v1"]),
                };
                (question.id.clone(), answer)
            });
            json!({"answers": answers.collect::<serde_json::Map<_, _>>()})
        }
    }
}

/// The same, later.
fn later(interaction: Interaction, state: u8, text: &str, name: &str) -> Interaction {
    let kind = interaction.request.kind();
    if kind == Kind::Notification {
        return interaction;
    }
    let whole = answer(&interaction, text);
    match state {
        0 => interaction,
        1 => expired(&interaction),
        2 => {
            let reason: String = text
                .chars()
                .filter(|c| !c.is_control())
                .take(sizes::LINE_CHARS)
                .collect();
            cancelled(&interaction, Some(&reason))
        }
        3 if kind == Kind::Form => {
            // All but the last question.
            let mut part = whole.clone();
            let answers = part["answers"].as_object_mut().unwrap();
            let last = answers.keys().next_back().cloned().unwrap();
            if answers.len() > 1 {
                answers.remove(&last);
            }
            answered_by(name, &interaction, part)
        }
        4 => collected(&answered_by(name, &interaction, whole)),
        5 => followed_up(&offline(&answered_by(name, &interaction, whole)), text),
        _ => answered_by(name, &interaction, whole),
    }
}

proptest! {
    #[test]
    fn slack_takes_every_card_and_modal(
        asked in asked(),
        state in 0_u8..7,
        said in text(sizes::TEXT_CHARS),
        name in line(sizes::LINE_CHARS),
        mirror in any::<bool>(),
    ) {
        let interaction = later(asked, state, &said, &name);
        let surface = if mirror { Surface::Mirror } else { Surface::Interactive };
        let shown = card(&interaction, surface, URL);
        prop_assert_eq!(of_card(&shown), Vec::<String>::new());
        prop_assert!(shown.text.contains(&interaction.id.to_string()));
        let controls = controls(&shown);
        if mirror || !interaction.state.is_pending() {
            prop_assert_eq!(&controls, &Vec::new());
        } else {
            // At least the way to the dashboard.
            prop_assert!(!controls.is_empty());
        }
        for (action, value) in controls {
            let control = Control::parse(&action, &value);
            prop_assert!(control.is_some_and(|it| it.press(&interaction).is_some()));
        }
        let steps = (0..sizes::QUESTIONS).map(|question| Modal::Step { question });
        for which in steps.chain([Modal::Answer, Modal::Decide, Modal::Deny, Modal::Adjust]) {
            if let Some(view) = modal(&interaction, which, None) {
                prop_assert_eq!(of_view(&view), Vec::<String>::new());
            }
        }
    }

    #[test]
    fn what_is_escaped_is_no_markup_and_comes_back(text in text(3_000)) {
        let escaped = super::super::text::escape(&text);
        prop_assert!(is_escaped(&escaped));
        prop_assert_eq!(decode_message_text(&escaped), text);
    }
}

#[test]
fn the_fullest_cards_fit() {
    let long = "&".repeat(sizes::TEXT_CHARS);
    let options: Vec<Value> = (0..sizes::OPTIONS)
        .map(|n| {
            let label = format!("{n:02}{}", "🦀".repeat(sizes::OPTION_CHARS - 2));
            json!({"value": format!("v{n}"), "label": label, "description": "&".repeat(sizes::OPTION_CHARS)})
        })
        .collect();
    let line = "<".repeat(sizes::SESSION_ID_CHARS);
    for (kind, fields) in [
        (Kind::Choice, json!({"options": options})),
        (Kind::Choice, json!({"options": options, "multiple": true})),
        (
            Kind::Form,
            json!({"questions": [
                {"id": "first", "prompt": long},
                {"id": "second", "prompt": long, "options": options},
            ]}),
        ),
        (Kind::PlanReview, json!({"plan": long})),
        (
            Kind::Approval,
            json!({"action": {"tool": line, "arguments": {"a": long}}}),
        ),
    ] {
        let mut body = super::samples::with(kind, fields);
        body["prompt"] = long.clone().into();
        body["title"] = line.clone().into();
        body["session_id"] = line.clone().into();
        body["task"] = json!({"id": line, "title": line, "step": line});
        let mut asked = open_as(&line, body);
        if kind == Kind::Form {
            asked = answered_by(&line, &asked, json!({"answers": {"first": long}}));
        }
        let mut all = vec![expired(&asked), cancelled(&asked, Some(&line))];
        if kind != Kind::Form {
            all.push(answered_by(&line, &asked, answer(&asked, &long)));
        }
        all.push(asked);
        for interaction in all {
            let shown = card(&interaction, Surface::Interactive, URL);
            assert_eq!(of_card(&shown), Vec::<String>::new(), "{kind:?}");
        }
    }
}

#[test]
fn an_action_that_can_be_approved_stands_in_the_text_whole() {
    let script = "x".repeat(1_960);
    let line = "<".repeat(sizes::SESSION_ID_CHARS);
    let mut body = super::samples::with(
        Kind::Approval,
        json!({"action": {"tool": "sh\u{435}ll", "arguments": {"script": script}}}),
    );
    body["prompt"] = "Please.".into();
    body["title"] = "&".repeat(20).into();
    body["session_id"] = line.clone().into();
    body["task"] = json!({"id": line, "title": line, "step": line});
    let approval = open_as(&line, body);
    let url = format!("{URL}/{}", "x".repeat(220));
    let shown = card(&approval, Surface::Interactive, &url);
    let approves = controls(&shown).iter().any(|(name, _)| name == "approve");
    assert!(approves && shown.text.contains(&script), "{}", shown.text);
    assert!(shown.text.contains(&format!("ID {}", approval.id)));
    assert!(shown.text.encode_utf16().count() <= 3_900);
}

#[test]
fn no_hostile_text_is_markup_anywhere() {
    for text in hostile_texts() {
        let text: String = text.chars().take(sizes::TEXT_CHARS - 1).collect();
        let line: String = text.chars().filter(|c| !c.is_control()).take(70).collect();
        let line = if is_name(&line, 70) {
            line
        } else {
            "x".to_owned()
        };
        for kind in Kind::ALL {
            let mut body = super::samples::body(kind);
            body["prompt"] = format!("x{text}").into();
            body["title"] = line.clone().into();
            body["session_id"] = line.clone().into();
            body["task"] = json!({"id": line, "title": line, "step": line});
            match kind {
                Kind::Choice => body["options"] = json!(["a", line]),
                Kind::Approval => {
                    body["action"] = json!({"tool": line, "arguments": {"text": text}});
                }
                Kind::PlanReview => body["plan"] = format!("x{text}").into(),
                Kind::Form => {
                    body["questions"] =
                        json!([{"id": line, "prompt": format!("x{text}"), "options": ["a", line]}]);
                }
                Kind::Question => body["fallback"] = text.clone().into(),
                Kind::Acknowledgement | Kind::Notification => {}
            }
            let interaction = open_as(&line, body);
            for surface in [Surface::Interactive, Surface::Mirror] {
                let faults = of_card(&card(&interaction, surface, URL));
                assert_eq!(faults, Vec::<String>::new(), "{kind:?}: {text:?}");
            }
        }
    }
}
