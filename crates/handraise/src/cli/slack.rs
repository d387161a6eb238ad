//! `handraise slack`: making the app, and seeing whether it works.

use std::path::PathBuf;

use anyhow::bail;
use clap::{Args, Subcommand};
use server::{
    config::{self as settings, Flags, LoadError, SlackMode},
    doctor::{Finding, Verdict},
    slack::check,
};
use slack::manifest;

use super::report;

#[derive(Debug, Subcommand)]
pub(super) enum SlackCommand {
    /// Prints the manifest that the Slack app is made from, at https://api.slack.com/apps.
    ///
    /// For Socket Mode, which needs no public address; with --url, or where a signing secret is set, for
    /// requests to this server.
    #[command(
        after_help = "Examples:\n  handraise slack manifest\n  handraise slack manifest --url https://handraise.example\n  handraise slack manifest --link"
    )]
    Manifest {
        /// Where Slack reaches this server: https://... [default: public_url, if a signing secret is set]
        #[arg(long)]
        url: Option<String>,
        /// Prints instead a link that opens Slack with the app ready to be made
        #[arg(long)]
        link: bool,
        #[command(flatten)]
        file: File,
    },
    /// Asks Slack whether tokens, scopes, channels and people are as answers need them. Changes nothing.
    ///
    /// A line each for what is ok, a warning or a problem. Exits with 1 if there is a problem.
    #[command(after_help = "Example:\n  handraise slack check --config handraise.toml")]
    Check {
        #[command(flatten)]
        file: File,
    },
}

#[derive(Debug, Args)]
pub(super) struct File {
    /// A TOML file with settings [default: handraise.toml, if it is here; environment: HANDRAISE_CONFIG]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl File {
    fn load(self) -> Result<settings::Loaded, LoadError> {
        settings::load(
            self.config.as_deref(),
            Flags::default(),
            std::env::vars_os(),
        )
    }
}

pub(super) async fn run(command: SlackCommand) -> anyhow::Result<()> {
    match command {
        SlackCommand::Manifest { url, link, file } => print_manifest(url, link, file),
        SlackCommand::Check { file } => match file.load() {
            Ok(loaded) => report(&check::examine(&loaded.config).await),
            Err(LoadError::Wrong(faults)) => {
                let findings = faults.into_iter().map(|fault| Finding {
                    verdict: Verdict::Problem,
                    about: "configuration",
                    what: fault.to_string(),
                });
                report(&findings.collect::<Vec<_>>())
            }
            Err(unreadable @ LoadError::Unreadable(..)) => Err(unreadable.into()),
        },
    }
}

fn print_manifest(url: Option<String>, link: bool, file: File) -> anyhow::Result<()> {
    let config = file.load()?.config;
    let is_http = matches!(config.slack_mode(), Ok(SlackMode::Http { .. }));
    let url = url.or_else(|| is_http.then(|| config.public_url()));
    if let Some(url) = &url {
        let is_fit = url::Url::parse(url).is_ok_and(|url| {
            url.scheme() == "https" && url.query().is_none() && url.fragment().is_none()
        });
        if !is_fit || url.contains(['"', '\\']) {
            bail!("Slack sends requests to https:// alone, and this is {url}");
        }
    }
    let manifest = manifest::manifest(url.as_deref());
    if link {
        println!("{}", manifest::link(&manifest));
    } else {
        print!("{manifest}");
    }
    Ok(())
}
