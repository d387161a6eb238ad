//! `handraise receipt`: checking a decision, and using an approval.

use std::{
    fs,
    io::{Write, stdout},
    path::{Path, PathBuf},
};

use anyhow::{Context, bail, ensure};
use chrono::SecondsFormat;
use clap::{Args, Subcommand};
use domain::{
    digest,
    interaction::{Action, Decision, Kind, Outcome, Receipt},
    json::AnyJson,
};
use machine::clock::{Clock, SystemClock};
use serde::de::DeserializeOwned;
use signing::{TrustedKeys, named_key, verify_by};

use super::{PublicHalf, Run, Server, files};
use crate::client::{
    self, Trust,
    decision::{self, Expected, grants},
};

#[derive(Debug, Subcommand)]
pub enum ReceiptCommand {
    /// Checks that it is an approval, or a plan that may be followed; with an action or a plan, of exactly this, and not
    /// older than a day.
    ///
    /// The key is that of --public-key or --key, else of HANDRAISE_PUBLIC_KEY, else what `handraise trust` knows of the server.
    /// Without any of them only the receipt itself says whose signature it is, and that proves nothing.
    #[command(
        after_help = "Examples:\n  curl -s http://127.0.0.1:3000/api/v1/interactions/ID/receipt -H \"Authorization: Bearer $HANDRAISE_TOKEN\" > receipt.json\n  handraise receipt verify --receipt receipt.json --action action.json --public-key 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n  handraise receipt verify --receipt receipt.json --action action.json --use"
    )]
    Verify(Verify),
}

#[derive(Clone, Debug, Args)]
pub struct Verify {
    /// The receipt, as the API returns it
    #[arg(long, value_name = "FILE")]
    receipt: PathBuf,
    /// The action that is about to be run: {"tool": ..., "arguments": {...}}. It must have been approved
    #[arg(long, value_name = "FILE", conflicts_with = "plan")]
    action: Option<PathBuf>,
    /// Leaves the files out that are a part of the action: they are on another machine, or are no files
    #[arg(long, requires = "action")]
    no_files: bool,
    /// The plan that is about to be followed. Its review must have said to proceed
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// The outcome that is demanded instead: denied, adjust, proceed_clean and so on
    #[arg(long, value_name = "OUTCOME", value_parser = outcome, conflicts_with = "use_it")]
    outcome: Option<Outcome>,
    /// Uses the approval: the server must be there, and no other run may have used it
    #[arg(long = "use", requires = "action")]
    use_it: bool,
    #[command(flatten)]
    run: Run,
    #[command(flatten)]
    server: Server,
    #[command(flatten)]
    public: PublicHalf,
}

fn outcome(name: &str) -> Result<Outcome, String> {
    let known = serde_json::from_value(name.into());
    let decided = known.ok().filter(|outcome: &Outcome| {
        grants(Kind::Approval, *outcome)
            || grants(Kind::PlanReview, *outcome)
            || matches!(outcome, Outcome::Denied | Outcome::Adjust)
    });
    decided.ok_or_else(|| {
        "must be approved, denied, proceed, proceed_clean, proceed_default or adjust".to_owned()
    })
}

impl ReceiptCommand {
    /// Says that the receipt holds, or fails.
    pub async fn run(self) -> anyhow::Result<()> {
        let Self::Verify(command) = self;
        let AnyJson(receipt) = read("receipt", &command.receipt)?;
        let receipt = decision::read(&receipt)?;
        let expected = command.trusted()?;
        match &expected {
            Some(keys) => keys.verify(&receipt)?,
            None => verify_by(&named_key(&receipt)?, &receipt)?,
        }
        // Once: it may come through a pipe.
        let action = command.action.as_ref();
        let action = action.map(|file| read::<Action>("action", file));
        let action = action.transpose()?;
        command.check_content(&receipt, action.as_ref())?;
        command.check_outcome(&receipt)?;
        command.check_time(&receipt)?;
        // A key that comes with the receipt proves nothing about who made both.
        ensure!(
            expected.is_some(),
            "the signature holds, but the receipt names its key itself, which proves nothing: name it with --public-key, or run `handraise trust add URL`"
        );
        if command.use_it {
            command.clone().consume(&receipt).await?;
            // The server may have been away for long.
            command.check_files(action.as_ref())?;
            command.check_time(&receipt)?;
        }
        let decision = &receipt.decision;
        let mut out = stdout();
        let written = writeln!(
            out,
            "the receipt holds: {} of {} was {} by {} on {}; public key {}",
            decision.kind.name(),
            decision.interaction_id,
            decision.outcome.name(),
            visible::line(&deciders(decision)),
            decision
                .answered_at
                .to_rfc3339_opts(SecondsFormat::AutoSi, true),
            decision.public_key,
        );
        written
            .and_then(|()| out.flush())
            .context("standard output is closed")
    }
}

impl Verify {
    /// The keys that count, if any were named or pinned.
    fn trusted(&self) -> anyhow::Result<Option<TrustedKeys>> {
        if let Some(keys) = self.public.named()? {
            return Ok(Some(TrustedKeys::new(keys)));
        }
        let url = self.server.address()?;
        let keys = Trust::of(&client::base(&url)?)?.keys()?;
        Ok(Some(keys).filter(|keys| !keys.is_empty()))
    }

    fn check_files(&self, action: Option<&Action>) -> anyhow::Result<()> {
        let action = action.filter(|_| !self.no_files);
        action.map_or(Ok(()), files::unchanged)
    }

    fn check_content(&self, receipt: &Receipt, action: Option<&Action>) -> anyhow::Result<()> {
        let decision = &receipt.decision;
        let (what, decided, found) = if let Some(action) = action {
            let digest = action
                .digest()
                .context("the action has no canonical form")?;
            self.check_files(Some(action))?;
            ("action", &decision.action_digest, digest)
        } else if let Some(file) = &self.plan {
            let place = file.display();
            let plan = fs::read(file).with_context(|| format!("cannot read the plan {place}"))?;
            ("plan", &decision.plan_digest, digest::sha256(&plan))
        } else {
            return Ok(());
        };
        let Some(decided) = decided else {
            bail!(
                "the receipt is void for this {what}: it is of a {}",
                decision.kind.name()
            );
        };
        ensure!(
            *decided == found,
            "the receipt is void for this {what}: {decided} was decided on, and this is {found}"
        );
        Ok(())
    }

    fn check_outcome(&self, receipt: &Receipt) -> anyhow::Result<()> {
        let decision = &receipt.decision;
        let fits = match (self.outcome, &self.action, &self.plan) {
            (Some(wanted), _, _) => decision.outcome == wanted,
            (None, Some(_), _) => {
                decision.kind == Kind::Approval && grants(Kind::Approval, decision.outcome)
            }
            (None, None, Some(_)) => {
                decision.kind == Kind::PlanReview && grants(Kind::PlanReview, decision.outcome)
            }
            (None, None, None) => grants(decision.kind, decision.outcome),
        };
        ensure!(
            fits,
            "the receipt is void here: its {} was {}",
            decision.kind.name(),
            decision.outcome.name()
        );
        Ok(())
    }

    /// A yes to an act counts only for a while; a no may be looked up for ever.
    fn check_time(&self, receipt: &Receipt) -> anyhow::Result<()> {
        let is_about_to_be = self.action.is_some() || self.plan.is_some();
        if is_about_to_be && grants(receipt.decision.kind, receipt.decision.outcome) {
            decision::is_of_now(receipt, SystemClock.now())?;
        }
        Ok(())
    }

    /// Before anybody runs it.
    async fn consume(self, receipt: &Receipt) -> anyhow::Result<()> {
        let decision = &receipt.decision;
        let expected = Expected {
            interaction_id: None,
            kind: Kind::Approval,
            // It was compared with the action, which is the amended one where it was amended.
            digest: decision
                .asked_digest
                .clone()
                .or_else(|| decision.action_digest.clone())
                .unwrap_or_default(),
            amended: decision
                .action_digest
                .clone()
                .filter(|_| decision.asked_digest.is_some()),
            approvers: 0,
            attachments: None,
            agent_id: None,
            key: None,
            asked_after: None,
            timeout: None,
        };
        decision::check(receipt, &expected, SystemClock.now())?;
        let id = decision.interaction_id.to_string();
        let client = self.server.client()?;
        let trust = match self.public.named()? {
            Some(keys) => Trust::named(client.base(), TrustedKeys::new(keys)),
            None => Trust::of(client.base())?,
        };
        client.consume(&id, &self.run.name(), &trust).await
    }
}

/// Who decided; of several people all of them.
fn deciders(decision: &Decision) -> String {
    match &decision.approvers[..] {
        [] => decision.responder.name.clone(),
        all => {
            let names = all.iter().map(|one| one.responder.name.as_str());
            names.collect::<Vec<_>>().join(", ")
        }
    }
}

fn read<T: DeserializeOwned>(what: &str, file: &Path) -> anyhow::Result<T> {
    let place = file.display();
    let text = fs::read(file).with_context(|| format!("cannot read the {what} {place}"))?;
    // Serde takes a list for an object, too.
    ensure!(
        text.trim_ascii_start().starts_with(b"{"),
        "{place} is not a {what}"
    );
    serde_json::from_slice(&text).with_context(|| format!("{place} is not a {what}"))
}
