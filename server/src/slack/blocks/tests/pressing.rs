//! What people press and send, from the card that was shown to the answer the rules get.

use domain::interaction::{AnswerDraft, Checked, FormAnswers, Interaction, Kind};
use serde_json::{Value, json, to_value};

use super::{
    super::{Control, Modal, ModalErrors, Origin, Press, Submission, Surface, card, modal},
    limits::controls,
    samples::{URL, answer_to, answered, body, open, with},
};

fn draft(answer: Value) -> AnswerDraft {
    serde_json::from_value(answer).unwrap()
}

fn presses(interaction: &Interaction) -> Vec<(String, Option<Press>)> {
    let card = card(interaction, Surface::Interactive, URL);
    controls(&card)
        .into_iter()
        .map(|(name, value)| {
            let control = Control::parse(&name, &value).unwrap_or_else(|| panic!("{name} {value}"));
            (name, control.press(interaction))
        })
        .collect()
}

/// What Slack sends when this is filled in.
fn sent(interaction: &Interaction, which: Modal, field: Value) -> Submission {
    let origin = Origin {
        channel: "C1".to_owned(),
        ts: "1.2".to_owned(),
    };
    let view = modal(interaction, which, Some(origin.clone())).unwrap();
    let mut view = to_value(view).unwrap();
    view["state"] = json!({"values": {"answer": field}});
    let submission = Submission::parse(&view).unwrap();
    assert_eq!(submission.interaction, interaction.id);
    assert_eq!(
        (submission.modal, &submission.origin),
        (which, &Some(origin))
    );
    submission
}

fn typed(text: &str) -> Value {
    json!({"typed": {"type": "plain_text_input", "value": text}})
}

fn picked(values: &[&str]) -> Value {
    let options: Vec<Value> = values.iter().map(|it| json!({"value": it})).collect();
    json!({"picked": {"type": "multi_static_select", "selected_options": options}})
}

#[test]
fn every_control_does_what_it_says() {
    let answer = |answer| Some(Press::Answer(draft(answer)));
    let opens = |which| Some(Press::Open(which));
    let form = open(body(Kind::Form));
    let second = answered(&form, json!({"answers": {"port": "80"}}));
    let third = answered(&second, json!({"answers": {"env": "staging"}}));
    for (interaction, expected) in [
        (
            open(body(Kind::Question)),
            vec![("answer", opens(Modal::Answer))],
        ),
        (
            open(body(Kind::Choice)),
            vec![
                (
                    "select_option:0",
                    answer(json!({"selected": ["Redis TTL"]})),
                ),
                ("select_option:1", answer(json!({"selected": ["lru"]}))),
            ],
        ),
        (
            open(with(Kind::Choice, json!({"multiple": true}))),
            vec![("answer", opens(Modal::Answer))],
        ),
        (
            open(body(Kind::Acknowledgement)),
            vec![("acknowledge", answer(json!({})))],
        ),
        (
            open(body(Kind::Approval)),
            vec![
                ("approve", answer(json!({"approved": true}))),
                ("deny", opens(Modal::Deny)),
            ],
        ),
        (
            open(body(Kind::PlanReview)),
            vec![
                ("proceed", answer(json!({"decision": "proceed"}))),
                (
                    "proceed_clean",
                    answer(json!({"decision": "proceed_clean"})),
                ),
                (
                    "proceed_default",
                    answer(json!({"decision": "proceed_default"})),
                ),
                ("adjust", opens(Modal::Adjust)),
            ],
        ),
        (
            form,
            vec![("answer_step", opens(Modal::Step { question: 0 }))],
        ),
        (
            second,
            vec![
                (
                    "select_step_option:0",
                    answer(json!({"answers": {"env": "staging"}})),
                ),
                (
                    "select_step_option:1",
                    answer(json!({"answers": {"env": "production"}})),
                ),
            ],
        ),
        (
            third,
            vec![("answer_step", opens(Modal::Step { question: 2 }))],
        ),
    ] {
        let mut expected: Vec<_> = expected
            .into_iter()
            .map(|(it, does)| (it.to_owned(), does))
            .collect();
        expected.push(("open_dashboard".to_owned(), Some(Press::Nothing)));
        assert_eq!(presses(&interaction), expected);
    }
}

#[test]
fn a_menu_sends_the_option_that_was_picked() {
    let options: Vec<String> = (0..25).map(|n| format!("option {n}")).collect();
    let choice = open(with(Kind::Choice, json!({"options": options})));
    let mut presses = presses(&choice);
    assert_eq!(presses.pop().unwrap().1, Some(Press::Nothing));
    let sent: Vec<_> = options
        .iter()
        .map(|it| {
            let answer = draft(json!({"selected": [it]}));
            ("select_option".to_owned(), Some(Press::Answer(answer)))
        })
        .collect();
    assert_eq!(presses, sent);
}

#[test]
fn nothing_can_be_pressed_where_nothing_can_be_answered() {
    for kind in Kind::ALL {
        let asked = open(body(kind));
        assert_eq!(controls(&card(&asked, Surface::Mirror, URL)), []);
        if kind != Kind::Notification {
            let closed = answered(&asked, answer_to(kind));
            assert_eq!(controls(&card(&closed, Surface::Interactive, URL)), []);
        }
    }
}

#[test]
fn what_is_not_shown_whole_is_not_approved() {
    for (arguments, approves) in [
        (json!({"script": "x".repeat(1_900)}), true),
        (json!({"script": "x".repeat(2_000)}), false),
        (json!({"script": "&".repeat(400)}), false),
        (json!({"script": "\u{202e}a".repeat(300)}), false),
    ] {
        let action = json!({"tool": "shell", "arguments": arguments});
        let approval = open(with(Kind::Approval, json!({"action": action})));
        let shown = card(&approval, Surface::Interactive, URL);
        let names: Vec<String> = controls(&shown).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names.contains(&"approve".to_owned()), approves);
        assert!(names.contains(&"deny".to_owned()) && names.contains(&"open_dashboard".to_owned()));
        // Whoever sends it all the same.
        let approve = Control::parse("approve", &approval.id.to_string()).unwrap();
        assert_eq!(approve.press(&approval).is_some(), approves);
        let blocks = serde_json::to_string(&shown.blocks).unwrap();
        let says_why = |text: &str| text.contains("This is not the whole action");
        assert_eq!(
            (says_why(&blocks), says_why(&shown.text)),
            (!approves, !approves)
        );
        if approves {
            assert!(shown.text.contains(&"x".repeat(1_900)));
        }
    }
}

#[test]
fn a_control_of_another_kind_does_nothing() {
    let id = open(body(Kind::Question)).id.to_string();
    for kind in [Kind::Question, Kind::Notification, Kind::Form] {
        let interaction = open(body(kind));
        for name in ["approve", "deny", "acknowledge", "proceed", "adjust"] {
            let control = Control::parse(name, &id).unwrap();
            assert_eq!(control.press(&interaction), None, "{name}");
        }
    }
    let choice = open(body(Kind::Choice));
    let beyond = Control::parse("select_option", &format!("{id}:2")).unwrap();
    assert_eq!(beyond.press(&choice), None);
    let other = "00000000-0000-0000-0000-0000000000ff";
    let other = Control::parse("select_option", &format!("{other}:1")).unwrap();
    assert_eq!(other.press(&choice), None);
}

#[test]
fn an_answered_question_of_a_form_is_not_answered_again() {
    let form = open(body(Kind::Form));
    let second = answered(&form, json!({"answers": {"port": "80"}}));
    let third = answered(&second, json!({"answers": {"env": "staging"}}));
    let id = form.id;
    let again = Control::SelectStepOption(id, 1, 1);
    assert_eq!(again.press(&third), Some(Press::Outdated));
    assert_eq!(
        Control::AnswerStep(id, 0).press(&third),
        Some(Press::Outdated)
    );
    let late = sent(&form, Modal::Step { question: 0 }, typed("81"));
    assert!(late.answer(&form).is_ok());
    let refused = to_value(late.answer(&second).unwrap_err()).unwrap();
    assert_eq!(refused["response_action"], "errors");
    assert!(
        refused["errors"]["answer"]
            .as_str()
            .unwrap()
            .contains("meanwhile")
    );
}

#[test]
fn what_is_sent_is_the_answer_byte_for_byte() {
    let question = open(body(Kind::Question));
    for text in [
        "",
        " ",
        "false",
        "0",
        "a\n\n b\t\r\n",
        "&lt;x&gt; <b>",
        "\u{202e}👩‍💻",
    ] {
        let answer = sent(&question, Modal::Answer, typed(text)).answer(&question);
        assert_eq!(answer, Ok(draft(json!({"text": text}))));
        let checked = answer
            .unwrap()
            .check(&question.request.ask, &FormAnswers::new());
        assert!(matches!(checked, Ok(Checked::Whole(_))));
    }
    // Slack's word for a field that was left empty.
    for left_empty in [json!({"typed": {"value": null}}), json!({"typed": {}})] {
        let answer = sent(&question, Modal::Answer, left_empty).answer(&question);
        assert_eq!(answer, Ok(draft(json!({"text": ""}))));
    }
}

#[test]
fn every_modal_makes_its_answer() {
    let several = open(with(Kind::Choice, json!({"multiple": true})));
    let form = open(body(Kind::Form));
    let approval = open(body(Kind::Approval));
    let plan = open(body(Kind::PlanReview));
    let step = |question| Modal::Step { question };
    let one = json!({"picked": {"selected_option": {"value": "1"}}});
    for (interaction, which, field, expected) in [
        (
            &several,
            Modal::Answer,
            picked(&["1", "0"]),
            json!({"selected": ["lru", "Redis TTL"]}),
        ),
        (
            &several,
            Modal::Answer,
            picked(&[]),
            json!({"selected": []}),
        ),
        (
            &form,
            step(0),
            typed("80\n"),
            json!({"answers": {"port": "80\n"}}),
        ),
        (
            &form,
            step(1),
            one,
            json!({"answers": {"env": ["production"]}}),
        ),
        (
            &form,
            step(2),
            picked(&["0", "2"]),
            json!({"answers": {"teams": ["backend", "data"]}}),
        ),
        (
            &form,
            step(2),
            picked(&[]),
            json!({"answers": {"teams": []}}),
        ),
        (
            &approval,
            Modal::Deny,
            typed("No.\nNever."),
            json!({"approved": false, "text": "No.\nNever."}),
        ),
        (
            &approval,
            Modal::Deny,
            typed(""),
            json!({"approved": false, "text": ""}),
        ),
        (
            &plan,
            Modal::Adjust,
            typed(" x "),
            json!({"decision": "adjust", "feedback": " x "}),
        ),
    ] {
        let answer = sent(interaction, which, field).answer(interaction).unwrap();
        assert_eq!(answer, draft(expected));
        assert!(
            answer
                .check(&interaction.request.ask, &FormAnswers::new())
                .is_ok()
        );
    }
}

#[test]
fn what_cannot_be_sent_is_said_at_the_field() {
    let plan = open(body(Kind::PlanReview));
    let refused = sent(&plan, Modal::Adjust, typed(" \n")).answer(&plan);
    assert_eq!(
        to_value(refused.unwrap_err()).unwrap(),
        json!({"response_action": "errors", "errors": {
            "answer": "Say what to change: the agent works it into the plan.",
        }})
    );
    let question = open(body(Kind::Question));
    let long = sent(&question, Modal::Answer, typed(&"x".repeat(20_001)));
    let checked = long.answer(&question).unwrap();
    let faults = checked
        .check(&question.request.ask, &FormAnswers::new())
        .unwrap_err();
    assert_eq!(
        to_value(ModalErrors::from_faults(&faults)).unwrap()["errors"]["answer"],
        "This cannot be sent: has 20001 characters, at most 20000 are allowed."
    );
}

#[test]
fn what_is_no_modal_of_ours_is_nothing() {
    let question = open(body(Kind::Question));
    let view = to_value(modal(&question, Modal::Answer, None).unwrap()).unwrap();
    let whole = |change: &dyn Fn(&mut Value)| {
        let mut view = view.clone();
        view["state"] = json!({"values": {"answer": typed("x")}});
        change(&mut view);
        Submission::parse(&view)
    };
    assert!(whole(&|_| {}).is_some());
    assert_eq!(whole(&|view| view["callback_id"] = "other".into()), None);
    assert_eq!(whole(&|view| view["private_metadata"] = "".into()), None);
    assert_eq!(whole(&|view| view["private_metadata"] = "{}".into()), None);
    assert_eq!(whole(&|view| view["state"] = Value::Null), None);
    assert_eq!(whole(&|view| view["state"]["values"] = json!({})), None);
    assert_eq!(
        whole(&|view| view["state"]["values"]["answer"] = json!({})),
        None
    );
    assert_eq!(
        whole(&|view| view["state"]["values"]["answer"]["typed"]["value"] = 1.into()),
        None
    );
    assert_eq!(Submission::parse(&Value::Null), None);
    // Made for one, sent for another.
    let other = open(body(Kind::Approval));
    let answer = whole(&|_| {}).unwrap().answer(&other);
    assert!(answer.is_err());
    for kind in Kind::ALL {
        let fits = kind == Kind::Question || kind == Kind::Choice;
        assert_eq!(
            modal(&open(body(kind)), Modal::Answer, None).is_some(),
            fits
        );
    }
}
