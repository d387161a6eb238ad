//! What people press and send, from the card that was shown to the answer the rules get.

use domain::interaction::{AnswerDraft, Checked, FormAnswers, Interaction, Kind, progress_digest};
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

fn one_of(n: usize) -> Value {
    json!({"picked": {"selected_option": {"value": n.to_string()}}})
}

#[test]
fn a_change_that_does_not_read_as_it_runs_is_not_approved_from_here() {
    let action = json!({"tool": "Bash", "arguments": {"command": "ls"}});
    let asked = open(with(
        Kind::Approval,
        json!({"action": action, "amendable": true}),
    ));
    for (text, is_fine) in [
        (r#"{"command": "ls -l"}"#, true),
        (r#"{"command": "ls C:\\users"}"#, true),
        // What it is stands there by its number.
        (r#"{"command": "\u0072m -rf x"}"#, false),
        // It would run in another order than it reads.
        ("{\"command\": \"ls \u{202e}x\"}", false),
    ] {
        let answer = sent(&asked, Modal::Amend, typed(text)).answer(&asked);
        assert_eq!(answer.is_ok(), is_fine, "{text}");
    }
}

#[test]
fn every_control_does_what_it_says() {
    let answer = |answer| Some(Press::Answer(draft(answer)));
    let opens = |which| Some(Press::Open(which));
    let form = open(body(Kind::Form));
    let second = answered(&form, json!({"answers": {"port": "80"}}));
    let third = answered(&second, json!({"answers": {"env": "staging"}}));
    let seen = progress_digest(second.progress().unwrap());
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
                    answer(json!({"answers": {"env": "staging"}, "digest": seen})),
                ),
                (
                    "select_step_option:1",
                    answer(json!({"answers": {"env": "production"}, "digest": seen})),
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
fn a_control_of_another_kind_does_nothing() {
    let id = open(body(Kind::Question)).id.to_string();
    for kind in [Kind::Question, Kind::Notification, Kind::Form] {
        let interaction = open(body(kind));
        for name in ["approve", "deny", "acknowledge", "proceed", "adjust"] {
            let values = [id.clone(), format!("whole:{id}")];
            let controls = values.map(|value| Control::parse(name, &value));
            assert!(controls.iter().any(Option::is_some), "{name}");
            for control in controls.into_iter().flatten() {
                assert_eq!(control.press(&interaction), None, "{name}");
            }
        }
    }
    let choice = open(body(Kind::Choice));
    let beyond = Control::parse("select_option", &format!("whole:{id}:2")).unwrap();
    assert_eq!(beyond.press(&choice), None);
    let other = "00000000-0000-0000-0000-0000000000ff";
    let other = Control::parse("select_option", &format!("whole:{other}:1")).unwrap();
    assert_eq!(other.press(&choice), None);
}

#[test]
fn what_accepted_on_a_card_from_before_accepts_nothing() {
    let form = open(body(Kind::Form));
    let second = answered(&form, json!({"answers": {"port": "80"}}));
    for (interaction, name, numbers) in [
        (open(body(Kind::Approval)), "approve", ""),
        (open(body(Kind::Acknowledgement)), "acknowledge", ""),
        (open(body(Kind::PlanReview)), "proceed", ""),
        (open(body(Kind::Choice)), "select_option:1", ":1"),
        (second, "select_step_option:1", ":1:1"),
    ] {
        let value = format!("{}{numbers}", interaction.id);
        let before = Control::parse(name, &value).unwrap();
        // As what stands on no card: the card is shown as it is now.
        assert_eq!(before.press(&interaction), None, "{name}");
        let now = Control::parse(name, &format!("whole:{value}")).unwrap();
        assert!(matches!(now.press(&interaction), Some(Press::Answer(_))));
        assert!(presses(&interaction).iter().any(|(it, _)| it == name));
    }
}

#[test]
fn an_answered_question_of_a_form_is_not_answered_again() {
    let form = open(body(Kind::Form));
    let second = answered(&form, json!({"answers": {"port": "80"}}));
    let third = answered(&second, json!({"answers": {"env": "staging"}}));
    let id = form.id;
    let again = Control::SelectStepOption(id, 1, 1, None);
    assert_eq!(again.press(&third), Some(Press::Outdated));
    // One that is not asked yet stands on no card.
    assert_eq!(Control::AnswerStep(id, 2).press(&second), None);
    assert_eq!(Control::SelectStepOption(id, 1, 0, None).press(&form), None);
    assert_eq!(modal(&second, Modal::Step { question: 2 }, None), None);
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
    let second = answered(&form, json!({"answers": {"port": "80"}}));
    let third = answered(&second, json!({"answers": {"env": "staging"}}));
    let approval = open(body(Kind::Approval));
    let plan = open(body(Kind::PlanReview));
    let seen = open(body(Kind::Acknowledgement));
    let step = |question| Modal::Step { question };
    let one = one_of(1);
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
            &second,
            step(1),
            one,
            json!({"answers": {"env": ["production"]}}),
        ),
        (
            &third,
            step(2),
            picked(&["0", "2"]),
            json!({"answers": {"teams": ["backend", "data"]}}),
        ),
        (
            &third,
            step(2),
            picked(&[]),
            json!({"answers": {"teams": []}}),
        ),
        (&seen, Modal::Decide, one_of(0), json!({})),
        (
            &approval,
            Modal::Decide,
            one_of(0),
            json!({"approved": true}),
        ),
        (
            &approval,
            Modal::Decide,
            one_of(1),
            json!({"approved": false}),
        ),
        (
            &plan,
            Modal::Decide,
            one_of(1),
            json!({"decision": "proceed_clean"}),
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
        let none = FormAnswers::new();
        let known = interaction.progress().unwrap_or(&none);
        let mut expected = draft(expected);
        if expected.answers.is_some() {
            expected.digest = Some(progress_digest(known));
        }
        assert_eq!(answer, expected);
        assert!(answer.check(&interaction.request.ask, known).is_ok());
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
    let refused = sent(&plan, Modal::Decide, one_of(3)).answer(&plan);
    let words = "Say what to change: the agent works it into the plan.";
    assert_eq!(refused.unwrap_err().words(), words);
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
    // Opened before modals showed all that is asked.
    let before = whole(&|view| {
        let carried = view["private_metadata"].as_str().unwrap();
        let carried = carried.replace(",\"whole\":true", "");
        view["private_metadata"] = carried.into();
    });
    let refused = before.unwrap().answer(&question).unwrap_err();
    assert!(refused.words().contains("open it again"));
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
