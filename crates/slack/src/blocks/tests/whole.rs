//! Rule 11 in Slack: whatever accepts is offered only where all that it covers is shown before.

use domain::{
    Interaction,
    interaction::{Ask, Kind, PlanDecision, Shown, Verdict},
    limits as sizes,
};
use proptest::{prelude::*, sample::select};
use serde_json::{Value, json, to_value};
use visible::shape;

use super::{
    super::{Card, Control, Modal, Press, Submission, Surface, card, modal, shown_on_card},
    limits::controls,
    samples::{URL, answered, open, with},
};

/// What is too long, and for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Size {
    Short,
    /// The prompt, for a card.
    Prompt,
    /// The title, the options, the plan, the action or the question of a form, for a card.
    Rest,
    /// All of it, for a modal.
    Modal,
}

use Size::{Modal as TooLong, Prompt, Rest, Short};

/// The names of what may be pressed on a card, without the way to the dashboard.
fn offered(shown: &Card) -> Vec<String> {
    let names = controls(shown).into_iter().map(|(name, _)| name);
    let mut names: Vec<String> = names.filter(|name| name != "open_dashboard").collect();
    names.dedup();
    names
}

fn end_of(length: usize, end: &str) -> String {
    format!("{} {end}", "All is well. ".repeat(length / 13))
}

fn asked(kind: Kind, size: Size) -> Interaction {
    let long = end_of(5_000, "THE END");
    // In JSON, each of these has six bytes.
    let full = "я".repeat(sizes::TEXT_CHARS);
    let options = |label: &str| -> Value {
        let label = label.repeat(9);
        let option = |n| {
            let description = format!("{n}{}", "д".repeat(70));
            json!({"value": format!("v{n}"), "label": format!("{label}{n}"), "description": description})
        };
        (0..25).map(option).collect()
    };
    let mut fields = match size {
        Short => json!({}),
        Prompt => json!({"prompt": long}),
        Rest => json!({}),
        TooLong => json!({"prompt": full}),
    };
    // What one text does not fill, two do.
    let much = if size == TooLong { &full } else { &long };
    let is_long = matches!(size, Rest | TooLong);
    match kind {
        Kind::Choice if is_long => fields["options"] = options("label "),
        Kind::Approval if is_long => {
            let times = if size == TooLong { 6 } else { 1 };
            let script = much.repeat(times);
            fields["action"] = json!({"tool": "shell", "arguments": {"script": script}});
        }
        Kind::PlanReview if is_long => fields["plan"] = much.as_str().into(),
        Kind::Form if is_long => {
            fields["questions"] = json!([{"id": "a", "prompt": much}, {"id": "b", "prompt": "B?"}]);
        }
        Kind::Question | Kind::Acknowledgement | Kind::Notification if size == Rest => {
            // 200 characters have room everywhere, if the prompt is not long.
            fields["title"] = "&".repeat(sizes::TITLE_CHARS).into();
            fields["prompt"] = "x".repeat(2_700).into();
        }
        _ => {}
    }
    open(with(kind, fields))
}

/// What a card offers, and whether the modal that shows all of it is to be had.
fn expected(kind: Kind, size: Size) -> (Vec<&'static str>, bool) {
    let declines = match kind {
        Kind::Approval => vec!["deny"],
        Kind::PlanReview => vec!["adjust"],
        _ => vec![],
    };
    let with_reading = |can_be_read: bool| {
        let read = can_be_read.then_some("read_all");
        (read.into_iter().chain(declines).collect(), can_be_read)
    };
    // One text alone never fills a modal.
    let fills_a_modal = matches!(kind, Kind::Approval | Kind::PlanReview | Kind::Form);
    match (kind, size) {
        (Kind::Notification, _) => (vec![], false),
        (_, Prompt | Rest) => with_reading(true),
        (_, TooLong) => with_reading(!fills_a_modal),
        (kind, Short) => {
            let whole = match kind {
                Kind::Question => vec!["answer"],
                Kind::Choice => vec!["select_option:0", "select_option:1"],
                Kind::Acknowledgement => vec!["acknowledge"],
                Kind::Approval => vec!["approve", "deny"],
                Kind::PlanReview => vec!["proceed", "proceed_clean", "proceed_default", "adjust"],
                Kind::Form => vec!["answer_step"],
                Kind::Notification => vec![],
            };
            (whole, true)
        }
    }
}

/// Every control that could ever stand on a card of it.
fn every_control(interaction: &Interaction) -> Vec<(Control, Verdict)> {
    let id = interaction.id;
    let accept = |control| (control, Verdict::Accept);
    let mut all = vec![
        accept(Control::Answer(id)),
        accept(Control::Acknowledge(id)),
        accept(Control::Approve(id)),
        accept(Control::AnswerStep(id, 0)),
        accept(Control::SelectOption(id, 0)),
        accept(Control::SelectStepOption(id, 0, 0, None)),
        (Control::Deny(id), Verdict::Decline),
    ];
    let decide = |decision: PlanDecision| (Control::Decide(id, decision), decision.verdict());
    all.extend(PlanDecision::ALL.map(decide));
    all
}

fn accepting() -> Vec<Modal> {
    let steps = (0..sizes::QUESTIONS).map(|question| Modal::Step { question });
    steps.chain([Modal::Answer, Modal::Decide]).collect()
}

/// All texts of a card or a modal, without white space.
fn said(blocks: &Value) -> String {
    fn collect(value: &Value, said: &mut String) {
        match value {
            Value::Object(object) => {
                for (name, value) in object {
                    match (name.as_str(), value) {
                        ("text", Value::String(text)) => said.push_str(text),
                        _ => collect(value, said),
                    }
                }
            }
            Value::Array(values) => values.iter().for_each(|value| collect(value, said)),
            _ => {}
        }
    }
    let mut text = String::new();
    collect(blocks, &mut text);
    dense(&text)
}

fn dense(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Every text that an answer covers, as it is to be read.
fn covered(interaction: &Interaction) -> Vec<String> {
    let request = &interaction.request;
    let mut texts = vec![request.prompt.clone()];
    texts.extend(request.title.clone());
    let mut choices = Vec::new();
    match &request.ask {
        Ask::PlanReview { plan, .. } => texts.push(plan.clone()),
        Ask::Choice(choice) => choices.push(choice.clone()),
        Ask::Form { .. } => {
            let (_, question) = interaction.next_question().unwrap();
            texts.push(question.prompt.clone());
            choices.extend(question.choice());
        }
        _ => {}
    }
    let mut labels = Vec::new();
    for option in choices.into_iter().flat_map(|choice| choice.options) {
        labels.push(dense(&visible::option(&option.label, &option.value)));
        texts.extend(option.description);
    }
    let mut texts: Vec<String> = texts
        .iter()
        .map(|text| dense(&visible::prose(text)))
        .chain(labels)
        .collect();
    if let Ask::Approval {
        action,
        action_digest,
        ..
    } = &request.ask
    {
        let view = shape::of(action, action_digest);
        texts.extend(shape::lines(&view).iter().map(|line| {
            let text: String = line.iter().map(|run| run.text.as_str()).collect();
            dense(&text)
        }));
    }
    texts
}

fn missing(interaction: &Interaction, blocks: &Value) -> Option<String> {
    let said = said(blocks);
    covered(interaction)
        .into_iter()
        .find(|text| !said.contains(text))
}

/// What somebody sends who fills in whatever a modal asks for.
fn sent(view: &Value) -> Submission {
    let mut view = view.clone();
    let field = json!({
        "picked": {"selected_option": {"value": "0"}},
    });
    let types = view["blocks"].as_array().unwrap().iter();
    let typed = types
        .filter(|block| block["block_id"] == "answer")
        .any(|block| block["element"]["type"] == "plain_text_input");
    let field = if typed {
        json!({"typed": {"value": "x"}})
    } else {
        field
    };
    view["state"] = json!({"values": {"answer": field}});
    Submission::parse(&view).unwrap()
}

#[test]
fn what_is_not_shown_whole_is_not_accepted_anywhere() {
    for kind in Kind::ALL {
        for size in [Short, Prompt, Rest, TooLong] {
            let interaction = asked(kind, size);
            let (buttons, can_be_read) = expected(kind, size);
            let shown = card(&interaction, Surface::Interactive, URL);
            assert_eq!(offered(&shown), buttons, "{kind:?} {size:?}");
            if kind == Kind::Notification {
                continue;
            }
            let is_whole = size == Short;
            assert_eq!(shown_on_card(&interaction), Shown::unless_cut(!is_whole));
            let blocks = to_value(&shown.blocks).unwrap();
            let says_so = |text: &str| text.contains("This is not all of it");
            assert_eq!(says_so(&blocks.to_string()), !is_whole, "{kind:?} {size:?}");
            assert_eq!(says_so(&shown.text), !is_whole);
            assert_eq!(shown.text.contains("A reply in this thread"), {
                is_whole && matches!(kind, Kind::Question | Kind::Form)
            });
            // Whoever presses what is not there.
            for (control, verdict) in every_control(&interaction) {
                let press = control.press(&interaction);
                if verdict == Verdict::Accept && !is_whole {
                    assert_eq!(press, None, "{kind:?} {size:?} {control:?}");
                }
            }
            let read = Control::ReadAll(interaction.id).press(&interaction);
            match can_be_read {
                true => assert!(matches!(read, Some(Press::Open(_))), "{kind:?} {size:?}"),
                false => assert_eq!(read, Some(Press::TooLong), "{kind:?} {size:?}"),
            }
            // The modals in which something can be accepted.
            let mut opened = 0;
            for which in accepting() {
                let Some(view) = modal(&interaction, which, None) else {
                    continue;
                };
                opened += 1;
                let view = to_value(view).unwrap();
                assert_eq!(missing(&interaction, &view["blocks"]), None);
                sent(&view).answer(&interaction).unwrap();
                // The same modal, sent for what it has no room for.
                let mut other = asked(kind, TooLong);
                other.id = interaction.id;
                let answer = sent(&view).answer(&other);
                assert_eq!(answer.is_ok(), expected(kind, TooLong).1);
            }
            assert_eq!(opened, usize::from(can_be_read), "{kind:?} {size:?}");
            // To say no is possible in any case.
            for which in [Modal::Deny, Modal::Adjust] {
                let fits = matches!(
                    (which, kind),
                    (Modal::Deny, Kind::Approval) | (Modal::Adjust, Kind::PlanReview)
                );
                let view = modal(&interaction, which, None);
                assert_eq!(view.is_some(), fits);
                if let Some(view) = view {
                    sent(&to_value(view).unwrap()).answer(&interaction).unwrap();
                }
            }
            let mirror = card(&interaction, Surface::Mirror, URL);
            assert_eq!(controls(&mirror), []);
        }
    }
}

#[test]
fn later_questions_of_a_form_are_held_to_it_too() {
    let long = end_of(5_000, "THE END");
    let questions = json!([{"id": "a", "prompt": "A?"}, {"id": "b", "prompt": long}]);
    let form = open(with(Kind::Form, json!({"questions": questions})));
    assert_eq!(shown_on_card(&form), Shown::Whole);
    let second = answered(
        &form,
        json!({"answers": {"a": "&".repeat(sizes::TEXT_CHARS)}}),
    );
    let shown = card(&second, Surface::Interactive, URL);
    assert_eq!(offered(&shown), ["read_all"]);
    let step = Modal::Step { question: 1 };
    assert_eq!(
        Control::ReadAll(form.id).press(&second),
        Some(Press::Open(step))
    );
    assert_eq!(modal(&second, Modal::Step { question: 0 }, None), None);
}

/// The sections of a card or a modal.
fn sections(blocks: &Value) -> Vec<&Value> {
    let blocks = blocks.as_array().unwrap().iter();
    blocks.filter(|block| block["type"] == "section").collect()
}

#[test]
fn no_section_is_folded_behind_see_more() {
    for kind in Kind::ALL {
        for size in [Short, Prompt, Rest, TooLong] {
            let interaction = asked(kind, size);
            let cards = [Surface::Interactive, Surface::Mirror];
            let cards = cards.map(|it| to_value(card(&interaction, it, URL).blocks).unwrap());
            let modals = accepting().into_iter().chain([Modal::Deny, Modal::Adjust]);
            let modals = modals.filter_map(|which| modal(&interaction, which, None));
            let modals = modals.map(|view| to_value(view).unwrap()["blocks"].clone());
            for blocks in cards.into_iter().chain(modals) {
                let sections = sections(&blocks);
                assert!(!sections.is_empty());
                for section in sections {
                    assert_eq!(section["expand"], true, "{section}");
                }
            }
        }
    }
}

#[test]
fn every_option_stands_on_the_card_in_full_whatever_its_button_shows() {
    // Fewer than 30 characters, and as wide as twice as many.
    let wide = |end: &str| format!("{}{end}", "全".repeat(26));
    let many: Vec<String> = (0..7).map(|n| wide(&n.to_string())).collect();
    for options in [
        json!(["yes", "no"]),
        json!([wide("消"), wide("残")]),
        json!(many),
    ] {
        let questions = json!([{"id": "a", "prompt": "A?", "options": options}]);
        for interaction in [
            open(with(Kind::Choice, json!({"options": options}))),
            open(with(Kind::Form, json!({"questions": questions}))),
        ] {
            let shown = card(&interaction, Surface::Interactive, URL);
            let blocks = to_value(&shown.blocks).unwrap();
            let texts = sections(&blocks).into_iter();
            let texts: Vec<&str> = texts.filter_map(|it| it["text"]["text"].as_str()).collect();
            let mut lines = texts.iter().flat_map(|text| text.lines());
            for (n, label) in options.as_array().unwrap().iter().enumerate() {
                let line = format!("{}. {}", n + 1, label.as_str().unwrap());
                assert!(lines.any(|it| it == line), "{line}");
            }
            let elements = blocks.as_array().unwrap().iter();
            let elements = elements.filter(|block| block["type"] == "actions");
            let elements: Vec<&Value> = elements.map(|block| &block["elements"][0]).collect();
            let first = elements[0].get("options").map_or(elements[0], |it| &it[0]);
            assert!(first["text"]["text"].as_str().unwrap().starts_with("1. "));
        }
    }
}

/// Texts of many lengths, about those at which something no longer fits.
fn text(max: usize) -> impl Strategy<Value = String> {
    let units = vec![
        "a", "&", "🦀", "\n", "\u{202e}", "e\u{301}", "x y ", "<b>\n",
    ];
    (select(units), 0..max, "[a-z]{1,8}").prop_map(move |(unit, times, end)| {
        let fill: String = unit.repeat(times).chars().take(max - 10).collect();
        format!("x{fill}{end}")
    })
}

proptest! {
    // Each lays out pages of text several times.
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn whatever_accepts_stands_below_every_character(
        kind in select(Kind::ALL.to_vec()),
        prompt in text(4_000),
        more in prop_oneof![text(60), text(4_000), text(sizes::TEXT_CHARS)],
        title in "[a-z&]{1,200}",
        label in "[a-z&<]{1,60}",
    ) {
        let options: Value = (0..7).map(|n| {
            json!({"value": format!("v{n}"), "label": format!("{n}{label}"), "description": label})
        }).collect();
        let mut fields = json!({"prompt": prompt, "title": title});
        match kind {
            Kind::Choice => fields["options"] = options,
            Kind::Approval => {
                fields["action"] = json!({"tool": label, "arguments": {"text": more, "other": title}});
            }
            Kind::PlanReview => fields["plan"] = more.into(),
            Kind::Form => {
                fields["questions"] = json!([{"id": "a", "prompt": more, "options": options}]);
            }
            Kind::Question | Kind::Acknowledgement | Kind::Notification => {}
        }
        let interaction = open(with(kind, fields));
        let shown = card(&interaction, Surface::Interactive, URL);
        let accepts = controls(&shown).iter().any(|(name, _)| {
            !["deny", "adjust", "read_all", "open_dashboard"].contains(&name.as_str())
        });
        if accepts {
            let blocks = to_value(&shown.blocks).unwrap();
            prop_assert_eq!(missing(&interaction, &blocks), None);
            // As it is read out.
            let text = shown.text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
            prop_assert_eq!(missing(&interaction, &json!({"text": text})), None);
        }
        for which in accepting() {
            if let Some(view) = modal(&interaction, which, None) {
                let view = to_value(view).unwrap();
                prop_assert_eq!(missing(&interaction, &view["blocks"]), None);
            }
        }
    }
}

#[test]
fn what_slack_may_decode_is_decided_elsewhere() {
    for command in ["ls -la &gt; ./cleanup.sh", "echo &amp; rm", "a &lt; b"] {
        let action = json!({"tool": "bash", "arguments": {"command": command}});
        let asked = open(with(Kind::Approval, json!({ "action": action })));
        assert_eq!(shown_on_card(&asked), Shown::Cut, "{command}");
        assert!(modal(&asked, Modal::Decide, None).is_none(), "{command}");
        assert!(
            !offered(&card(&asked, Surface::Interactive, URL))
                .iter()
                .any(|name| name.contains("approve"))
        );
    }
    let action = json!({"tool": "bash", "arguments": {"command": "ls -la > ./x && y"}});
    let asked = open(with(Kind::Approval, json!({ "action": action })));
    assert_eq!(shown_on_card(&asked), Shown::Whole);
}
