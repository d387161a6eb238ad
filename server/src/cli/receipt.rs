//! `handraise receipt`: checking a decision without asking the server.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail, ensure};
use chrono::SecondsFormat;
use clap::{Args, Subcommand};
use domain::interaction::{Action, Receipt};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::key::PublicHalf;
use crate::{signing::VerifyingKey, visible};

#[derive(Debug, Subcommand)]
pub(super) enum ReceiptCommand {
    /// Checks the signature, and with an action that it is the one that was decided on.
    ///
    /// Name the key: without --key and --public-key only the receipt itself says whose signature it is.
    #[command(
        after_help = "Example:\n  curl -s http://127.0.0.1:3000/api/v1/interactions/ID/receipt -H \"Authorization: Bearer $HANDRAISE_TOKEN\" > receipt.json\n  handraise receipt verify --receipt receipt.json --action action.json --public-key 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
    )]
    Verify(Verify),
}

#[derive(Debug, Args)]
pub(super) struct Verify {
    /// The receipt, as the API returns it
    #[arg(long, value_name = "FILE")]
    receipt: PathBuf,
    /// The action that is about to be run: {"tool": ..., "arguments": {...}}
    #[arg(long, value_name = "FILE")]
    action: Option<PathBuf>,
    #[command(flatten)]
    public: PublicHalf,
}

pub(super) fn run(command: ReceiptCommand) -> anyhow::Result<()> {
    let ReceiptCommand::Verify(command) = command;
    let written: Value = read("receipt", &command.receipt)?;
    let receipt: Receipt = read("receipt", &command.receipt)?;
    ensure!(
        serde_json::to_value(&receipt)? == written,
        "the receipt is void: it holds more than was signed"
    );
    let expected = command.public.named()?;
    check_signature(&receipt, expected)?;
    if let Some(file) = &command.action {
        check_action(&receipt, &read("action", file)?)?;
    }
    let decision = &receipt.decision;
    // A key that comes with the receipt proves nothing about who made both.
    let trust = match expected {
        Some(_) => "the receipt holds",
        None => "the signature holds, by the key that the receipt names",
    };
    println!(
        "{trust}: {} of {} was {} by {} on {}; public key {}",
        decision.kind.name(),
        decision.interaction_id,
        decision.outcome.name(),
        visible::line(&decision.responder.name),
        decision
            .answered_at
            .to_rfc3339_opts(SecondsFormat::AutoSi, true),
        decision.public_key,
    );
    Ok(())
}

fn check_signature(receipt: &Receipt, expected: Option<VerifyingKey>) -> anyhow::Result<()> {
    let decision = &receipt.decision;
    ensure!(
        decision.is_known(),
        "the receipt is void: its version {} is not known here",
        decision.version
    );
    let named = decision
        .public_key()
        .and_then(|key| VerifyingKey::from_bytes(&key))
        .context("the receipt is void: its public key is none")?;
    if let Some(expected) = expected {
        ensure!(
            expected == named,
            "the receipt is void: it was signed with the key {named}, not with {expected}"
        );
    }
    let signature = receipt
        .signature()
        .context("the receipt is void: its signature is none")?;
    let signed = decision.signed_bytes()?;
    ensure!(
        named.verifies(&signed, &signature),
        "the receipt is void: its signature is not over what it says"
    );
    Ok(())
}

fn check_action(receipt: &Receipt, action: &Action) -> anyhow::Result<()> {
    let decision = &receipt.decision;
    let Some(decided) = &decision.action_digest else {
        bail!(
            "the receipt is void for this action: it is of a {}",
            decision.kind.name()
        );
    };
    let digest = action
        .digest()
        .context("the action has no canonical form")?;
    ensure!(
        *decided == digest,
        "the receipt is void for this action: {decided} was decided on, and this is {digest}"
    );
    Ok(())
}

fn read<T: DeserializeOwned>(what: &str, file: &Path) -> anyhow::Result<T> {
    let place = file.display();
    let text = fs::read(file).with_context(|| format!("cannot read the {what} {place}"))?;
    serde_json::from_slice(&text).with_context(|| format!("{place} is not a {what}"))
}
