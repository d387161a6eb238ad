//! AskUserQuestion: what Claude asks the person at its terminal is asked of people here, and their answers go back as
//! the tool's own input. Each question has its options and one more, for an answer in other words, which is asked for
//! afterwards only where it was taken.

use anyhow::{Context, bail, ensure};
use domain::{interaction::FormAnswer, limits};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{call::Call, way::Way};
use crate::client::Client;

/// The tool's name.
pub(super) const TOOL: &str = "AskUserQuestion";
/// Claude Code offers it at its terminal, too.
const OTHER: &str = "Something else";

#[derive(Debug, Deserialize)]
struct Input {
    questions: Vec<Question>,
}

#[derive(Debug, Deserialize)]
struct Question {
    question: String,
    #[serde(default)]
    options: Vec<Offered>,
    #[serde(default, rename = "multiSelect")]
    multiple: bool,
}

#[derive(Debug, Deserialize)]
struct Offered {
    label: String,
    #[serde(default)]
    description: String,
}

/// What is taken of the options of one question.
enum Given {
    /// This, and nothing else.
    Whole(String),
    /// This, if anything, and what is said in other words.
    AndOther(Vec<String>),
}

/// Asks, and returns the input with the answers in it.
///
/// # Errors
/// When there is no answer to each question: then Claude hears why.
pub(super) async fn answered(call: &Call, way: &mut Way, client: &Client) -> anyhow::Result<Value> {
    let input = Input::of(call)?;
    let asked = input.to_json();
    let answers = ask(call, way, client, &asked, ("questions", "Claude Code asks")).await?;
    let mut given = Vec::with_capacity(asked.len());
    let mut open = Vec::new();
    for (question, (id, _)) in input.questions.iter().zip(&asked) {
        let answer = answers.get(id).context("a question was not answered")?;
        let answer: FormAnswer = serde_json::from_value(answer.clone())
            .context("the answer to a question cannot be read")?;
        let taken = question.given(answer);
        if let Given::AndOther(_) = taken {
            let prompt = format!("In your own words:\n\n{}", question.question);
            open.push((id.clone(), json!({ "id": id, "prompt": prompt })));
        }
        given.push((id, &question.question, taken));
    }
    let others = match open.is_empty() {
        true => Map::new(),
        false => {
            ask(
                call,
                way,
                client,
                &open,
                ("other", "Claude Code asks: something else"),
            )
            .await?
        }
    };
    let mut said = Map::new();
    for (id, question, taken) in given {
        let text = match taken {
            Given::Whole(text) => text,
            Given::AndOther(mut several) => {
                let other = others.get(id).and_then(Value::as_str);
                several.push(other.context("a question was not answered")?.to_owned());
                several.join(", ")
            }
        };
        said.insert(question.clone(), text.into());
    }
    let mut updated = call.tool_input.0.clone();
    updated["answers"] = said.into();
    Ok(updated)
}

impl Input {
    fn of(call: &Call) -> anyhow::Result<Self> {
        let input: Self = serde_json::from_value(call.tool_input.0.clone())
            .context("the questions are none that people can be asked")?;
        check(&input.questions)?;
        Ok(input)
    }

    /// Each question by its id.
    fn to_json(&self) -> Vec<(String, Value)> {
        let numbered = self.questions.iter().enumerate();
        let asked = numbered.map(|(n, it)| (n.to_string(), it.to_json(&n.to_string())));
        asked.collect()
    }
}

/// What people are asked by it.
#[cfg(feature = "testing")]
pub(super) fn asked(call: &Call, seconds: u32) -> anyhow::Result<Value> {
    let questions = Input::of(call)?.to_json();
    Ok(body(call, seconds, &questions, "Claude Code asks"))
}

/// Their texts name the answers.
fn check(questions: &[Question]) -> anyhow::Result<()> {
    let most = limits::QUESTIONS;
    ensure!(
        (1..=most).contains(&questions.len()),
        "there are {} questions, and people can be asked 1 to {most} at once",
        questions.len()
    );
    for (n, it) in questions.iter().enumerate() {
        let is_twice = questions[..n]
            .iter()
            .any(|other| other.question == it.question);
        ensure!(!is_twice, "questions[{n}].question stands twice");
        ensure!(
            !it.question.trim().is_empty(),
            "questions[{n}].question is empty"
        );
    }
    Ok(())
}

/// One question by itself, or several as a form. Returns the answers by id.
async fn ask(
    call: &Call,
    way: &mut Way,
    client: &Client,
    questions: &[(String, Value)],
    (step, title): (&str, &str),
) -> anyhow::Result<Map<String, Value>> {
    let body = body(call, way.seconds(), questions, title);
    let asked = way.ask(step, &body, client).await?;
    let closed = way.wait(&asked, client).await?;
    // It was answered, even if the server does not hear that it was collected.
    let _ = tokio::time::timeout(super::GRACE, client.collect(&asked.id)).await;
    match closed.outcome.as_deref() {
        Some("answered") => {}
        Some("expired") => bail!("nobody answered in time: go on without an answer, or ask later"),
        Some("cancelled") => bail!("the question was taken back"),
        _ => bail!("there is no clear answer"),
    }
    ensure!(
        body["kind"] == closed.kind.as_str(),
        "the server answers something else than was asked"
    );
    let answer = closed.answer.context("there is no answer")?;
    let [(id, _)] = questions else {
        let answers = answer.answers.and_then(|it| it.as_object().cloned());
        return answers.context("there are no answers");
    };
    let value = match (answer.text, answer.selected) {
        (Some(text), None) => text.into(),
        (_, Some(selected)) => json!(selected),
        (None, None) => bail!("there is no answer"),
    };
    Ok(Map::from_iter([(id.clone(), value)]))
}

fn body(call: &Call, seconds: u32, questions: &[(String, Value)], title: &str) -> Value {
    let mut body = match questions {
        [(_, one)] => {
            let kind = match one.get("options").is_some() {
                true => "choice",
                false => "question",
            };
            let mut body = one.clone();
            if let Some(body) = body.as_object_mut() {
                body.remove("id");
            }
            body["kind"] = kind.into();
            body
        }
        several => {
            let several: Vec<&Value> = several.iter().map(|(_, it)| it).collect();
            let prompt = format!("Claude Code has {} questions.", several.len());
            json!({ "kind": "form", "prompt": prompt, "questions": several })
        }
    };
    body["title"] = title.into();
    call.put_in(&mut body, seconds);
    body
}

impl Question {
    /// As a question of a form. Options that are no options of a choice are told as text, and answered as text.
    fn to_json(&self, id: &str) -> Value {
        let mut prompt = self.question.clone();
        let fits =
            |text: &str| text.chars().count() <= limits::OPTION_CHARS && !text.contains('\n');
        let is_long = |it: &Offered| !fits(&it.description);
        let options = self.options.iter();
        if !self.is_choice() || self.options.iter().any(is_long) {
            for it in options.clone() {
                let about = it.description.trim();
                let about = match about.is_empty() {
                    true => String::new(),
                    false => format!(": {about}"),
                };
                prompt += &format!("\n\n- **{}**{about}", it.label);
            }
        }
        if !self.is_choice() {
            return json!({ "id": id, "prompt": prompt });
        }
        let options = options.map(|it| {
            let about =
                Some(it.description.trim()).filter(|about| !about.is_empty() && fits(about));
            json!({ "value": it.label, "description": about })
        });
        let other = json!({ "value": OTHER, "description": "in your own words" });
        let options: Vec<Value> = options.chain([other]).collect();
        json!({ "id": id, "prompt": prompt, "options": options, "multiple": self.multiple })
    }

    fn is_choice(&self) -> bool {
        let fits = |label: &str| {
            let chars = label.chars().count();
            (1..=limits::OPTION_CHARS).contains(&chars)
                && label.trim() == label
                && !label.chars().any(char::is_control)
                && !label.eq_ignore_ascii_case(OTHER)
        };
        let labels: Vec<&str> = self.options.iter().map(|it| it.label.as_str()).collect();
        let is_once = |n: usize| {
            !labels[..n]
                .iter()
                .any(|it| it.eq_ignore_ascii_case(labels[n]))
        };
        (1..limits::OPTIONS).contains(&labels.len())
            && labels.iter().all(|it| fits(it))
            && (0..labels.len()).all(is_once)
    }

    fn given(&self, answer: FormAnswer) -> Given {
        let mut several = match answer {
            FormAnswer::One(text) if !self.is_choice() => return Given::Whole(text),
            FormAnswer::One(value) => vec![value],
            FormAnswer::Several(values) => values,
        };
        let before = several.len();
        several.retain(|it| it != OTHER);
        if several.len() < before {
            return Given::AndOther(several);
        }
        Given::Whole(match several.is_empty() {
            true => "None of these".to_owned(),
            false => several.join(", "),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(questions: &Value) -> Call {
        serde_json::from_value(json!({
            "hook_event_name": "PreToolUse", "tool_name": TOOL, "session_id": "s", "cwd": "/srv",
            "tool_input": {"questions": questions}, "tool_use_id": "toolu_1",
        }))
        .unwrap()
    }

    fn read(question: Value) -> Question {
        serde_json::from_value(question).unwrap()
    }

    #[test]
    fn a_question_is_a_choice_with_one_more_option_and_several_are_a_form() {
        let cache = json!({"question": "Which cache?", "header": "Cache", "multiSelect": true,
            "options": [{"label": "Redis", "description": "x".repeat(100)}, {"label": "LRU", "description": "small"}]});
        let asked = read(cache.clone()).to_json("0");
        let one = body(
            &call(&json!([cache])),
            60,
            &[("0".to_owned(), asked.clone())],
            "t",
        );
        assert_eq!(
            (&one["kind"], &one["multiple"]),
            (&json!("choice"), &json!(true))
        );
        assert_eq!(one["options"][2]["value"], OTHER);
        assert_eq!(one["options"][1]["description"], "small");
        // A description that no option can hold stands in the prompt, whole.
        assert!(one["prompt"].as_str().unwrap().contains(&"x".repeat(100)));
        let both = [("0".to_owned(), asked.clone()), ("1".to_owned(), asked)];
        let form = body(&call(&json!([])), 60, &both, "t");
        assert_eq!(form["kind"], "form");
        assert_eq!(form["questions"].as_array().unwrap().len(), 2);
        assert_eq!(form["session_id"], "s");
    }

    #[test]
    fn options_that_no_choice_can_hold_are_told_and_answered_as_text() {
        for options in [
            json!([]),
            json!([{"label": "x".repeat(76)}, {"label": "b"}]),
            json!([{"label": "a"}, {"label": "A"}]),
            json!([{"label": OTHER}, {"label": "b"}]),
        ] {
            let question = read(json!({"question": "Which?", "options": options}));
            let asked = question.to_json("0");
            assert!(asked.get("options").is_none(), "{asked}");
            let Given::Whole(text) = question.given(FormAnswer::One("mine".to_owned())) else {
                panic!("a text is the answer");
            };
            assert_eq!(text, "mine");
        }
    }

    #[test]
    fn only_an_answer_in_other_words_asks_once_more() {
        let question = read(json!({"question": "Which?", "multiSelect": true,
            "options": [{"label": "a"}, {"label": "b"}]}));
        let several =
            |it: &[&str]| FormAnswer::Several(it.iter().map(ToString::to_string).collect());
        assert!(matches!(question.given(several(&["a", "b"])), Given::Whole(it) if it == "a, b"));
        assert!(matches!(question.given(several(&[])), Given::Whole(it) if it == "None of these"));
        assert!(
            matches!(question.given(several(&["a", OTHER])), Given::AndOther(it) if it == ["a"])
        );
    }

    #[test]
    fn two_questions_of_one_text_are_refused_since_the_text_names_the_answer() {
        let one = || read(json!({"question": "Which?", "options": []}));
        assert!(check(&[one()]).is_ok());
        assert!(check(&[one(), one()]).is_err());
        assert!(check(&[]).is_err());
    }
}
