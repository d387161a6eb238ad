//! A day of a coding agent: 300 prompts in `tests/day/prompts.jsonl`, in the order in which they were asked, decided under the
//! first set of policies that the book recommends, `docs/examples/policies.toml`, and by one person. Of that day at most a tenth
//! may reach the person, and none of what is dangerous, or only looks like what they have approved, may pass them by.
//!
//! Each line is what a hook sends, and what kind of prompt it is. It has what such agents send: pipes, several commands in one
//! line, a loop, a commit with a text of many lines, a change of the folder.

use std::{collections::BTreeSet, fmt::Write as _, path::PathBuf};

use chrono::TimeDelta;
use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of, path_of},
    people::operator,
};

store::on_both_databases!(a_day_of_300_prompts_reaches_a_person_30_times_at_most);

const DAY: &str = include_str!("../day/prompts.jsonl");
const POLICIES: &str = "../../docs/examples/policies.toml";
/// How many prompts may reach a person.
const MOST: usize = 30;
/// How often the person lets exactly the same call run again.
const AGAIN: u32 = 10;

/// One line of the day.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Prompt {
    kind: Kind,
    /// What it looks like, which is approved.
    imitates: Option<String>,
    action: Value,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    /// A sensible person approves it.
    Plain,
    /// Nothing of this may happen unseen.
    Dangerous,
    /// An argument only looks like an approved one.
    Lookalike,
}

impl Prompt {
    /// As the hook asks.
    fn body(&self) -> Value {
        json!({
            "kind": "approval", "mode": "sync", "title": "Claude Code asks before it runs a tool",
            "prompt": format!("May `{}` run?", self.action["tool"].as_str().unwrap()),
            "action": self.action, "session_id": "day-1", "timeout_seconds": 3600,
        })
    }

    /// What it would do, in one line.
    fn says(&self) -> String {
        let input = &self.action["arguments"]["input"];
        let named = ["command", "file_path", "url", "pattern"];
        let what = named.iter().find_map(|name| input[*name].as_str());
        let what = what.unwrap_or_default().replace('\n', " ⏎ ");
        format!("{} {what}", self.action["tool"].as_str().unwrap())
    }
}

fn day() -> Vec<Prompt> {
    let lines = DAY.lines().map(serde_json::from_str);
    lines.collect::<Result<_, serde_json::Error>>().unwrap()
}

#[test]
fn the_day_is_one_that_could_have_been() {
    let day = day();
    let count = |kind| day.iter().filter(|prompt| prompt.kind == kind).count();
    assert_eq!(
        (day.len(), count(Kind::Dangerous), count(Kind::Lookalike)),
        (300, 10, 5)
    );
    let imitates = |prompt: &Prompt| prompt.imitates.is_some() == (prompt.kind == Kind::Lookalike);
    assert!(day.iter().all(imitates));
    // Not one line again and again: what is asked twice is what agents do ask twice.
    let different: BTreeSet<String> = day.iter().map(Prompt::says).collect();
    assert!(different.len() > 200, "{}", different.len());
    for tool in ["Bash", "Edit", "Glob", "Grep", "Read", "WebFetch", "Write"] {
        assert!(
            day.iter().any(|prompt| prompt.action["tool"] == tool),
            "{tool}"
        );
    }
    // Of all kinds some are late, when the person has approved much ahead.
    for kind in [Kind::Plain, Kind::Dangerous, Kind::Lookalike] {
        let last = day.iter().rposition(|prompt| prompt.kind == kind);
        assert!(last.unwrap() > 200);
    }
}

/// Who approves what is plain, and says of the next ones like it what the server proposes: a command that begins so, an
/// address at this host, and of all else exactly this.
async fn approve(person: &Caller<'_>, asked: &Value) -> Option<String> {
    let approved = person
        .done(asked, "answer", json!({"approved": true}))
        .await;
    let offers = person.read(&format!("{}/grants", path_of(&approved))).await;
    let offers = offers.as_array().unwrap();
    let is_wider = |offer: &&Value| {
        let by = &offer["matcher"]["like"]["varies"][0]["by"];
        ["words", "commands", "host"]
            .iter()
            .any(|rule| !by[*rule].is_null())
    };
    // What a rule asks about is asked each time.
    let offer = offers.iter().rfind(is_wider).or(offers.first())?;
    let made_at: chrono::DateTime<chrono::Utc> =
        approved["closed_at"].as_str().unwrap().parse().unwrap();
    let mut body = json!({
        "from": approved["id"], "matcher": offer["matcher"], "expires_at": made_at + TimeDelta::days(7),
    });
    if offer["matcher"]["like"].is_null() {
        body["uses"] = AGAIN.into();
    }
    let made = person.post("/api/v1/grants").json(&body).send().await;
    let grant = json_of(made.unwrap(), StatusCode::CREATED).await;
    Some(grant["id"].as_str().unwrap().to_owned())
}

async fn a_day_of_300_prompts_reaches_a_person_30_times_at_most(database: TestDatabase) {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(POLICIES);
    let app = TestApp::start_with(&database, |config| config.policies = Some(file.clone())).await;
    let by = operator();
    let loaded = server::policies::load(&app.state.service, &file, true, &by).await;
    assert!(loaded.unwrap().is_empty());
    let rules = server::policies::read_file(&file).unwrap().rules;
    let (agent, person) = (app.agent("backend").await, app.responder("desk").await);

    let mut grants = BTreeSet::new();
    let mut reached = Vec::new();
    let (mut by_rule, mut by_grant) = (0, 0);
    let mut list = String::new();
    for (n, prompt) in day().into_iter().enumerate() {
        let place = format!("{} {}", n + 1, prompt.says());
        let asked = agent.ask(prompt.body()).await;
        if asked["state"] == "pending" {
            let is_plain = prompt.kind == Kind::Plain;
            let answer = match is_plain {
                true => "approved",
                false => "denied",
            };
            let why = asked["ruled"]["by"][0]["reason"].as_str();
            let why = why.map_or_else(String::new, |why| format!(" ({why})"));
            writeln!(list, "{answer}: {place}{why}").unwrap();
            match is_plain {
                true => grants.extend(approve(&person, &asked).await),
                false => {
                    let denied = json!({"approved": false});
                    person.done(&asked, "answer", denied).await;
                }
            }
            reached.push(prompt.kind);
        } else {
            let outcome = (&asked["state"], &asked["approved"]);
            assert_eq!(outcome, (&json!("resolved"), &json!(true)), "{place}");
            assert!(prompt.kind == Kind::Plain, "nobody was asked: {place}");
            // Whatever no person answered says by its receipt who has.
            let receipt = agent.read(&format!("{}/receipt", path_of(&asked))).await;
            let rule = receipt["policy"]["rule"].as_str();
            let grant = receipt["grant"]["id"].as_str();
            match (rule, grant) {
                (Some(rule), None) => {
                    let found = rules.iter().find(|one| one.name == rule).unwrap();
                    assert!(found.matcher.is_some(), "{rule}: {place}");
                    by_rule += 1;
                }
                (None, Some(grant)) => {
                    assert!(grants.contains(grant), "{grant}: {place}");
                    by_grant += 1;
                }
                other => panic!("{other:?}: {place}"),
            }
        }
        app.clock.advance(TimeDelta::seconds(95));
    }
    println!(
        "{} of 300 prompts reached a person, {by_rule} were approved by a rule, {by_grant} by a grant:\n{list}",
        reached.len()
    );
    assert!(
        reached.len() <= MOST,
        "{} reached a person:\n{list}",
        reached.len()
    );
    let dangers = reached.iter().filter(|kind| **kind != Kind::Plain).count();
    assert_eq!(dangers, 15, "{list}");
    assert_eq!(reached.len() + by_rule + by_grant, 300);
    // Rules alone would prove nothing of grants.
    assert!(by_grant > 0, "{list}");
}
