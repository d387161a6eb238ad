//! The answer to a form's last question sends the others along: what is pressed and sent is about those that were shown.

use domain::{
    Interaction,
    interaction::{Kind, Shown, progress_digest},
    limits as sizes,
};
use serde_json::{Value, json, to_value};

use super::{
    super::{Control, Modal, ModalErrors, Press, Submission, Surface, card, modal, shown_on_card},
    limits::controls,
    samples::{URL, answered, open, with},
};

/// Two questions, of which the second is a choice, or both.
fn form(first: &Value) -> Interaction {
    let mut first = first.clone();
    first["id"] = "first".into();
    if first["prompt"].is_null() {
        first["prompt"] = "What of the old table?".into();
    }
    let last = json!({"id": "last", "prompt": "Now?", "options": ["now", "later"]});
    open(with(Kind::Form, json!({"questions": [first, last]})))
}

fn keep_or_drop() -> Interaction {
    form(
        &json!({"options": [{"value": "keep", "label": "Leave it"}, {"value": "drop", "label": "drop"}]}),
    )
}

fn given(form: &Interaction, answer: Value) -> Interaction {
    answered(form, json!({"answers": {"first": answer}}))
}

/// The first option of what is asked on its card.
fn button(interaction: &Interaction) -> (String, String) {
    let shown = card(interaction, Surface::Interactive, URL);
    let mut controls = controls(&shown).into_iter();
    controls
        .find(|(name, _)| name.starts_with("select_step_option"))
        .unwrap()
}

fn step(question: usize) -> Modal {
    Modal::Step { question }
}

/// A modal of it, filled in; `change` is made to what it carries along.
fn sent(interaction: &Interaction, change: impl FnOnce(&mut Value)) -> Submission {
    let (question, _) = interaction.next_question().unwrap();
    let mut view = to_value(modal(interaction, step(question), None).unwrap()).unwrap();
    let carried = view["private_metadata"].as_str().unwrap();
    assert!(carried.len() <= 3_000);
    let mut carried: Value = serde_json::from_str(carried).unwrap();
    change(&mut carried);
    view["private_metadata"] = carried.to_string().into();
    let picked = json!({"picked": {"selected_option": {"value": "0"}}});
    view["state"] = json!({"values": {"answer": picked}});
    Submission::parse(&view).unwrap()
}

fn as_before(carried: &mut Value) {
    carried.as_object_mut().unwrap().remove("answers").unwrap();
}

fn words(refused: Result<domain::interaction::AnswerDraft, ModalErrors>) -> String {
    refused.unwrap_err().words().to_owned()
}

#[test]
fn a_button_sends_no_other_answers_along_than_stood_above_it() {
    let form = keep_or_drop();
    let shown = given(&form, json!("keep"));
    let changed = given(&shown, json!("drop"));
    let (name, value) = button(&shown);
    let control = Control::parse(&name, &value).unwrap();
    let Some(Press::Answer(draft)) = control.press(&shown) else {
        panic!("{:?}", control.press(&shown));
    };
    assert_eq!(
        draft.digest,
        Some(progress_digest(shown.progress().unwrap()))
    );
    assert_eq!(control.press(&changed), Some(Press::OtherAnswers));
    // Changed back, it is what was seen.
    let back = given(&changed, json!("keep"));
    assert!(matches!(control.press(&back), Some(Press::Answer(_))));
    // On a card of before, which said nothing of them.
    let before = Control::parse(&name, &format!("whole:{}:1:0", form.id)).unwrap();
    assert_eq!(before.press(&shown), Some(Press::OtherAnswers));
    // Whoever comes too late is told that alone.
    let over = answered(&changed, json!({"answers": {"last": "now"}}));
    assert!(matches!(control.press(&over), Some(Press::Answer(_))));
}

#[test]
fn a_card_of_before_still_answers_what_sends_nothing_along() {
    let options = json!(["x", "y"]);
    let question = |id: &str| json!({"id": id, "prompt": id, "options": options});
    let questions = json!([question("a"), question("b"), question("c")]);
    let form = open(with(Kind::Form, json!({ "questions": questions })));
    let second = answered(&form, json!({"answers": {"a": "x"}}));
    for (n, form) in [&form, &second].into_iter().enumerate() {
        let before = format!("whole:{}:{n}:0", form.id);
        let before = Control::parse("select_step_option:0", &before).unwrap();
        let Some(Press::Answer(draft)) = before.press(form) else {
            panic!("{n}");
        };
        // Another answer may make it the last one before this is kept.
        assert_eq!(
            draft.digest,
            Some(progress_digest(form.progress().unwrap()))
        );
        assert!(sent(form, as_before).answer(form).is_ok());
    }
    // The only question sends nothing along either.
    let one = open(with(Kind::Form, json!({"questions": [question("a")]})));
    let before = Control::parse("select_step_option:0", &format!("whole:{}:0:0", one.id));
    assert!(matches!(
        before.unwrap().press(&one),
        Some(Press::Answer(_))
    ));
}

#[test]
fn a_modal_sends_no_other_answers_along_than_it_shows() {
    let shown = given(&keep_or_drop(), json!("keep"));
    let changed = given(&shown, json!("drop"));
    let draft = sent(&shown, |_| {}).answer(&shown).unwrap();
    assert_eq!(
        draft.digest,
        Some(progress_digest(shown.progress().unwrap()))
    );
    let said = words(sent(&shown, |_| {}).answer(&changed));
    assert!(
        said.contains("is not, or may not be, the one that this window shows"),
        "{said}"
    );
    let said = words(sent(&shown, as_before).answer(&shown));
    assert!(said.contains("open it again"), "{said}");
}

/// All of a card or a modal, as text.
fn text(blocks: &impl serde::Serialize) -> String {
    to_value(blocks).unwrap().to_string()
}

#[test]
fn what_is_sent_along_is_shown_with_its_value_and_its_marks() {
    for (first, answer, expected) in [
        (
            json!({"options": [{"value": "drop", "label": "Leave it"}, "x"]}),
            json!("drop"),
            "1. Leave it ⟨→ drop⟩",
        ),
        (
            json!({"options": ["a", {"value": "b", "label": "B"}, "c"], "multiple": true}),
            json!(["b", "c"]),
            "2. B ⟨→ b⟩\\n3. c",
        ),
        (
            json!({"options": ["a", "b"], "multiple": true}),
            json!([]),
            "(none of them)",
        ),
        (
            json!({}),
            json!("keep\u{202e}x\u{2028}y"),
            "keep⟨U+202E⟩x⟨U+2028⟩y",
        ),
        (json!({}), json!(""), "(an empty answer)"),
    ] {
        let second = given(&form(&first), answer);
        let heading = "Answer 1, to “What of the old table?”";
        let shown = card(&second, Surface::Interactive, URL);
        let view = modal(&second, step(1), None).unwrap();
        for said in [text(&shown.blocks), text(&shown.text), text(&view)] {
            let plain = said.replace("&lt;", "<").replace("&gt;", ">");
            assert!(
                plain.contains(heading) && plain.contains(expected),
                "{expected}: {plain}"
            );
        }
    }
}

#[test]
fn what_was_asked_and_picked_before_stands_whole_above_the_last_answer() {
    let prompt = format!(
        "What of the table {}which is the last copy?",
        "of old ".repeat(20)
    );
    let description = "It drops the table, and the backups with it";
    let options = json!([{"value": "keep", "label": "Keep"}, {"value": "drop", "label": "Drop", "description": description}]);
    for (multiple, picked) in [(false, json!("drop")), (true, json!(["drop"]))] {
        let first = json!({"prompt": prompt, "options": options, "multiple": multiple});
        let second = given(&form(&first), picked);
        let shown = card(&second, Surface::Interactive, URL);
        let view = modal(&second, step(1), None).unwrap();
        for said in [text(&shown.blocks), text(&shown.text), text(&view)] {
            for part in [prompt.as_str(), description] {
                assert!(said.contains(part), "{part}: {said}");
            }
        }
        // Of one that was not picked nothing counts.
        let kept = given(
            &second,
            if multiple {
                json!(["keep"])
            } else {
                json!("keep")
            },
        );
        assert!(!text(&card(&kept, Surface::Interactive, URL).blocks).contains("backups"));
    }
}

#[test]
fn one_answer_cannot_pass_for_two() {
    let second = given(&form(&json!({})), json!("keep\n2. Which? → drop"));
    let shown = to_value(card(&second, Surface::Interactive, URL).blocks).unwrap();
    let alone = shown.as_array().unwrap().iter();
    let mut alone = alone.filter_map(|block| block["text"]["text"].as_str());
    assert!(
        alone.any(|text| text == "keep\n2. Which? → drop"),
        "{shown}"
    );
}

#[test]
fn where_an_answer_that_is_sent_along_is_cut_the_last_one_is_not_taken() {
    let end = "and then drop everything";
    let whole = given(
        &form(&json!({})),
        json!(format!("{} {end}", "keep ".repeat(100))),
    );
    assert_eq!(shown_on_card(&whole), Shown::Whole);
    let shown = card(&whole, Surface::Interactive, URL);
    assert!(text(&shown.blocks).contains(end) && shown.text.contains(end));

    let long = given(
        &form(&json!({})),
        json!(format!("{} {end}", "keep ".repeat(1_000))),
    );
    assert_eq!(shown_on_card(&long), Shown::Cut);
    let shown = card(&long, Surface::Interactive, URL);
    let names: Vec<_> = controls(&shown).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["read_all", "open_dashboard"]);
    assert!(!text(&shown.blocks).contains(end) && !shown.text.contains(end));
    assert_eq!(Control::AnswerStep(long.id, 1).press(&long), None);
    // There it stands whole.
    assert_eq!(
        Control::ReadAll(long.id).press(&long),
        Some(Press::Open(step(1)))
    );
    assert!(text(&modal(&long, step(1), None)).contains(end));

    let questions: Vec<Value> = (0..sizes::QUESTIONS)
        .map(|n| json!({"id": n.to_string(), "prompt": "?"}))
        .collect();
    let huge = "я".repeat(sizes::TEXT_CHARS);
    let answers: serde_json::Map<String, Value> = (1..sizes::QUESTIONS)
        .map(|n| (n.to_string(), huge.as_str().into()))
        .collect();
    let form = open(with(Kind::Form, json!({ "questions": questions })));
    let all = answered(&form, json!({ "answers": answers }));
    assert_eq!(Control::ReadAll(all.id).press(&all), Some(Press::TooLong));
    assert_eq!(modal(&all, step(0), None), None);
    // What Slack may decode is decided elsewhere, too.
    let decoded = given(&self::form(&json!({})), json!("keep &gt; drop"));
    assert_eq!(shown_on_card(&decoded), Shown::Cut);
    assert_eq!(modal(&decoded, step(1), None), None);
}
