//! `handraise ask`: asks, and ends when there is an answer.

use std::process::ExitCode;

use anyhow::bail;
use chrono::TimeDelta;
use clap::{Args, ValueEnum};
use machine::clock::{Clock, SystemClock};
use serde_json::{Map, Value, json};

use super::{
    About, Asked, Content, Program, Run, Server, attach::Attach, finish, json, new_key, put, say,
    text,
};
use crate::client::Trust;

/// Asks people and waits for the answer, which it prints.
#[derive(Debug, Args)]
pub struct AskCommand {
    #[command(flatten)]
    about: About,
    /// What kind of answer is asked for [default: choice with --option, else question]
    #[arg(long, value_enum)]
    kind: Option<Kind>,
    /// Something to choose; repeat it
    #[arg(long = "option", value_name = "TEXT")]
    options: Vec<String>,
    /// Several of the options may be chosen
    #[arg(long, requires = "options")]
    multiple: bool,
    /// The tool that is to run, for an approval
    #[arg(long, value_name = "NAME", conflicts_with = "report")]
    tool: Option<String>,
    /// What it is to be called with: a JSON object
    #[arg(long, value_name = "JSON", requires = "tool")]
    arguments: Option<String>,
    /// Lets people change the arguments before they approve: all of them, or as a JSON object says with `paths` and
    /// `schema`. What to go on with is in `amended`, so it needs --json
    #[arg(long, value_name = "JSON", num_args = 0..=1, default_missing_value = "true", requires_all = ["tool", "json"])]
    amendable: Option<String>,
    /// How many different people have to approve
    #[arg(long, value_name = "N")]
    approvals: Option<u32>,
    /// Only members of the team that is asked count for --approvals
    #[arg(long)]
    of_team: bool,
    /// The owner of this agent does not count for --approvals
    #[arg(long)]
    four_eyes: bool,
    /// The plan, in markdown, for a plan review; `-` reads it from standard input
    #[arg(long, value_name = "TEXT")]
    plan: Option<String>,
    /// The earlier plan that this one is the next version of: people see what is different
    #[arg(long, value_name = "ID", requires = "plan")]
    revises: Option<String>,
    /// The questions of a form: a JSON array of {id, prompt, options, multiple}
    #[arg(long, value_name = "JSON")]
    questions: Option<String>,
    /// Whom of the team it is for: `duty` (the person on duty), `team` (all of it) or `person:NAME`
    #[arg(long, value_name = "WHOM")]
    to: Option<String>,
    /// Takes it back when the session ends: `handraise end-session`, or a SessionEnd hook
    #[arg(long, requires = "session")]
    withdraw_on_disconnect: bool,
    /// Seconds until it expires, or `never` [default: the server's, for the kind]
    #[arg(long, value_name = "SECONDS", value_parser = timeout)]
    timeout: Option<Timeout>,
    /// The answer to go on with when nobody answers in time; repeat it with --multiple
    #[arg(long, value_name = "TEXT")]
    fallback: Vec<String>,
    /// Names this question: asking again under the same key goes on with it, also after a crash of the script
    #[arg(long, value_name = "TEXT")]
    key: Option<String>,
    #[command(flatten)]
    attach: Attach,
    #[command(flatten)]
    run: Run,
    /// Prints JSON: outcome, response_text, selected_option, responder and more
    #[arg(long)]
    json: bool,
    /// Runs COMMAND once somebody has approved it, reports what came of it, and ends as it does
    #[arg(long, requires = "command", conflicts_with_all = ["kind", "options", "json", "fallback"])]
    report: bool,
    #[command(flatten)]
    server: Server,
    /// The command with its arguments, for --report. No shell reads it
    #[arg(last = true, value_name = "COMMAND", requires = "report")]
    command: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Kind {
    /// Free text
    Question,
    /// One of the options, or several
    Choice,
    /// That somebody has seen it
    Acknowledgement,
    /// Yes or no to one exact action
    Approval,
    /// A decision about a plan
    PlanReview,
    /// Several questions, one after the other
    Form,
}

#[derive(Clone, Copy, Debug)]
struct Timeout(Option<i64>);

fn timeout(text: &str) -> Result<Timeout, String> {
    if text == "never" {
        return Ok(Timeout(None));
    }
    let seconds = text
        .parse()
        .map_err(|_| "must be a number of seconds, or never")?;
    Ok(Timeout(Some(seconds)))
}

impl AskCommand {
    pub async fn run(mut self) -> anyhow::Result<ExitCode> {
        let (key, run) = (self.key.take(), self.run.run.take());
        let attach = std::mem::take(&mut self.attach);
        let json = self.json;
        let command = std::mem::take(&mut self.command);
        let program = match command.is_empty() {
            true => None,
            false => Some(Program::here(command)?),
        };
        let (server, mut body) = self.split()?;
        if let Some(program) = &program {
            program.describe(&mut body)?;
        }
        let client = server.client()?;
        // What is wrong with the rest is said before a file is sent.
        Content::of(&body)?;
        let attached = attach.send(&client).await?;
        attached.name_in(&mut body);
        let decided = attached.decided(&body);
        let about = Content::of(&decided)?;
        // Whom to believe is settled before anybody is asked.
        if matches!(about, Content::Decision(..)) {
            Trust::of(client.base())?.meet(&client).await?;
        }
        let amendable = body
            .get("amendable")
            .filter(|it| **it != Value::Bool(false))
            .and_then(|_| decided.get("action"))
            .map(|action| serde_json::from_value(action.clone()));
        let approvers = body
            .get("approvals")
            .and_then(|it| it["needed"].as_u64())
            .unwrap_or_default();
        let timeout = body.get("timeout_seconds").and_then(Value::as_i64);
        let beside_a_plan = || attached.beside_a_plan();
        let attachments = body.get("plan").and_then(|_| beside_a_plan());
        let at = key.is_none().then(|| SystemClock.now());
        let key = key.unwrap_or_else(new_key);
        let asked = client.ask(&Value::from(body), &key).await?;
        if asked.is_pending() {
            say(&format!("asked; people answer at {}", asked.dashboard_url));
        }
        let asked = Asked {
            agent_id: asked.agent_id(),
            id: asked.id,
            key: Some(key),
            about,
            at,
            timeout: timeout.and_then(TimeDelta::try_seconds),
            files: None,
            amendable: amendable.transpose()?,
            approvers: usize::try_from(approvers)?,
            attachments,
        };
        finish(&client, asked, Run { run }, json, program).await
    }

    fn split(self) -> anyhow::Result<(Server, Map<String, Value>)> {
        let kind = self.kind.unwrap_or(match self.options.is_empty() {
            true => Kind::Question,
            false => Kind::Choice,
        });
        if self.about.prompt == "-" && self.plan.as_deref() == Some("-") {
            bail!("standard input can be the prompt or the plan, not both");
        }
        let name = kind.to_possible_value();
        let mut body = self
            .about
            .body(name.as_ref().map_or("", |name| name.get_name()))?;
        put(&mut body, "to", self.to);
        put(
            &mut body,
            "withdraw_on_disconnect",
            self.withdraw_on_disconnect.then_some(true),
        );
        put(
            &mut body,
            "options",
            (!self.options.is_empty()).then_some(self.options),
        );
        put(&mut body, "multiple", self.multiple.then_some(true));
        let arguments = json("--arguments", self.arguments)?;
        let action = self
            .tool
            .map(|tool| json!({"tool": tool, "arguments": arguments.unwrap_or_else(|| json!({}))}));
        put(&mut body, "action", action);
        put(&mut body, "amendable", json("--amendable", self.amendable)?);
        let counted = self.approvals.is_some() || self.of_team || self.four_eyes;
        let approvals = counted.then(|| {
            json!({
                "needed": self.approvals.unwrap_or(1),
                "of": if self.of_team { "team" } else { "anyone" },
                "four_eyes": self.four_eyes,
            })
        });
        put(&mut body, "approvals", approvals);
        put(&mut body, "plan", self.plan.map(text).transpose()?);
        put(&mut body, "revises", self.revises);
        put(&mut body, "questions", json("--questions", self.questions)?);
        if let Some(Timeout(seconds)) = self.timeout {
            body.insert("timeout_seconds".to_owned(), seconds.into());
        }
        let fallback = match (&self.fallback[..], kind) {
            ([], _) => None,
            (_, Kind::Form) if self.fallback.len() == 1 => {
                json("--fallback", self.fallback.into_iter().next())?
            }
            ([one], _) if !self.multiple => Some(one.as_str().into()),
            (several, _) => Some(several.into()),
        };
        put(&mut body, "fallback", fallback);
        Ok((self.server, body))
    }
}
