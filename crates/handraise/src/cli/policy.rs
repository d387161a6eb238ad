//! `handraise policy`: what is decided before anybody asks.

use std::{path::PathBuf, sync::Arc};

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use domain::{
    decide::replay::{Otherwise, Replayed, Was, Would},
    interaction::Outcome,
    policy::{Policies, PolicyRule},
};
use server::{
    config::Config,
    policies::{self, read_file},
};
use service::{PolicySetShown, Service};
use signing::{Keyring, Witness};

use super::{Place, operator, said};

#[derive(Debug, Subcommand)]
pub(super) enum PolicyCommand {
    /// Prints the rules in force: those of the file that the settings name, and those that were set here.
    #[command(after_help = "Example:\n  handraise policy show")]
    Show {
        #[command(flatten)]
        place: Place,
    },
    /// Says what is wrong with a file of policies: rules, their examples, teams, and how many people there are. Changes nothing.
    #[command(after_help = "Example:\n  handraise policy check policies.toml")]
    Check {
        #[command(flatten)]
        of: File,
    },
    /// Puts the rules of a file in force on all servers, in place of those that were set here before.
    ///
    /// Beside them each server has those of its own file: forbid comes before ask before allow, over all of them.
    #[command(after_help = "Example:\n  handraise policy set policies.toml")]
    Set {
        #[command(flatten)]
        of: File,
    },
    /// Takes back all rules that were set here. Those of the servers' files stay.
    #[command(after_help = "Example:\n  handraise policy clear")]
    Clear {
        #[command(flatten)]
        place: Place,
    },
    /// Reads the journal under a file's rules, and prints what would have been decided otherwise. Changes nothing.
    ///
    /// Without a file it is the one that the settings name. Those that were set here count too, unless --alone says otherwise.
    #[command(
        after_help = "Examples:\n  handraise policy test --last 30d\n  handraise policy test policies.toml --last 7d --alone"
    )]
    Test {
        /// A file of policies [default: the one that the settings name]
        file: Option<PathBuf>,
        /// How far back, in days, such as 30d
        #[arg(long, value_name = "DAYS", default_value = "30d", value_parser = days)]
        last: u32,
        /// Only the rules of the file
        #[arg(long)]
        alone: bool,
        #[command(flatten)]
        place: Place,
    },
}

#[derive(Debug, Args)]
pub(super) struct File {
    /// A file of policies, in TOML, or in JSON
    file: PathBuf,
    #[command(flatten)]
    place: Place,
}

fn days(text: &str) -> Result<u32, String> {
    let days = text.strip_suffix('d').unwrap_or(text).parse();
    days.map_err(|_| "write a number of days, such as 30d".to_owned())
}

impl PolicyCommand {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let by = operator();
        match self {
            Self::Show { place } => {
                let (service, config) = open(place).await?;
                let shown = service.policies(&by).await.map_err(said)?;
                if let Some(file) = &config.policies {
                    println!("Of the file {}:", file.display());
                    print_rules(&read_file(file)?.rules);
                }
                match (&shown.here, shown.unreadable) {
                    (_, Some(_)) => println!(
                        "Those that were set here cannot be read, or no trusted key signed them: people are asked about everything. `handraise policy set` puts others in their place."
                    ),
                    (Some(set), None) => print_set(set),
                    (None, None) => println!("None were set here."),
                }
                Ok(())
            }
            Self::Check { of } => {
                let (service, _) = open(of.place).await?;
                let policies = read_file(&of.file)?;
                let checked = service.check_policies(&policies, &by).await;
                checked.map_err(said)?;
                println!("{} are in order.", counted(policies.rules.len()));
                Ok(())
            }
            Self::Set { of } => {
                let (service, _) = open(of.place).await?;
                let policies = read_file(&of.file)?;
                let count = policies.rules.len();
                let set = service.set_policies(policies, None, &by).await;
                set.map_err(said)?;
                println!("{} are in force.", counted(count));
                Ok(())
            }
            Self::Clear { place } => {
                let (service, _) = open(place).await?;
                let none = Policies::default();
                service.set_policies(none, None, &by).await.map_err(said)
            }
            Self::Test {
                file,
                last,
                alone,
                place,
            } => {
                let (service, config) = open(place).await?;
                let file = file.or(config.policies);
                let tried = file.as_deref().map(read_file).transpose()?;
                if alone && tried.is_none() {
                    bail!("--alone needs a file: the settings name none");
                }
                let replayed = service
                    .test_policies(tried.as_ref(), alone, last, &by)
                    .await;
                print!("{}", text(&replayed.map_err(said)?, last));
                Ok(())
            }
        }
    }
}

/// With the server's key, which signs what is put in force.
async fn open(place: Place) -> anyhow::Result<(Service, Config)> {
    let (service, config) = place.open(None).await?;
    let keys = Keyring::load_or_create(&config.key_file())
        .context("policies are signed with the server's key")?;
    let trusted = keys.trusted(&config.trusted_keys);
    service.store().trust(Arc::new(Witness::new(trusted)));
    Ok((service.with_signer(keys.signer()), config))
}

fn counted(rules: usize) -> String {
    match rules {
        1 => "1 rule".to_owned(),
        many => format!("{many} rules"),
    }
}

fn print_set(set: &PolicySetShown) {
    let by = set.terms.by.name().unwrap_or("somebody");
    println!(
        "Set here by {} on {}:",
        visible::line(by),
        set.terms.at.format("%Y-%m-%d %H:%M UTC")
    );
    print_rules(&set.rules);
}

fn print_rules(rules: &[PolicyRule]) {
    if rules.is_empty() {
        println!("  no rules");
    }
    for rule in rules {
        let then = rule.then.map_or("destructive", |then| then.name());
        let why = rule.reason.as_deref().unwrap_or_default();
        println!(
            "  {then:12} {}  {}",
            visible::line(&rule.name),
            visible::line(why)
        );
    }
}

/// What the replay found, as lines.
fn text(replayed: &Replayed, days: u32) -> String {
    let mut lines = vec![format!(
        "{} approvals were asked in the last {days} days; {} reached a person, {} would have.",
        replayed.looked_at, replayed.reached, replayed.would_reach
    )];
    if replayed.erased > 0 {
        lines.push(format!(
            "{} more could not be looked at: what was asked is erased.",
            replayed.erased
        ));
    }
    lines.push(match replayed.otherwise {
        0 => "Nothing would have been decided otherwise.".to_owned(),
        many => format!("{many} would have been decided otherwise:"),
    });
    for one in &replayed.named {
        lines.push(format!(
            "  {}  {}  {}  {}  {}",
            one.at.format("%Y-%m-%d %H:%M"),
            one.id,
            visible::line(&one.agent),
            visible::line(&one.tool),
            visible::line(&one.prompt)
        ));
        lines.push(format!("    {}", how(one)));
    }
    let named = u64::try_from(replayed.named.len()).unwrap_or(u64::MAX);
    if replayed.otherwise > named {
        lines.push(format!("  and {} more", replayed.otherwise - named));
    }
    lines.join("\n") + "\n"
}

fn how(one: &Otherwise) -> String {
    let was = match &one.was {
        Was::Waiting => "still waits".to_owned(),
        Was::Undecided(outcome) => outcome.name().to_owned(),
        Was::Person { outcome, by } => {
            let said = match outcome {
                Outcome::Approved => "approved",
                _ => "denied",
            };
            format!("{said} by {}", visible::line(by))
        }
        Was::Granted(by) => format!("approved by a grant of {}", visible::line(by)),
        Was::Policy { outcome, rule } => {
            format!("{} by the policy {}", outcome.name(), visible::line(rule))
        }
    };
    let would = match &one.would {
        Would::Forbidden(rule) => format!("denied by {}", visible::line(rule)),
        Would::Allowed(rule) => format!("approved by {}, and nobody asked", visible::line(rule)),
        Would::Asked {
            rule,
            needed,
            four_eyes,
            team,
        } => {
            let people = match needed {
                1 => "a person asked".to_owned(),
                many => format!("{many} people asked"),
            };
            let eyes = match four_eyes {
                true => ", not the agent's owner",
                false => "",
            };
            let team = team
                .as_deref()
                .map_or_else(String::new, |team| format!(" of {}", visible::line(team)));
            let rule = rule
                .as_deref()
                .map_or_else(String::new, |rule| format!(", by {}", visible::line(rule)));
            format!("{people}{team}{eyes}{rule}")
        }
    };
    let against = match one.is_against_a_person() {
        true => "  (a person decided the other way)",
        false => "",
    };
    format!("was {was}; would be {would}{against}")
}

/// Puts the policies of the settings' file in force as the server starts.
///
/// # Errors
/// When they cannot be read, or something in them is wrong: a server that was told of rules does not start without them.
pub(super) async fn at_start(service: &Service, config: &Config) -> anyhow::Result<()> {
    let Some(file) = &config.policies else {
        return Ok(());
    };
    let lacking = policies::load(service, file, false, &operator()).await?;
    for fault in lacking {
        tracing::warn!("{}: {} {}", file.display(), fault.path, fault.message);
    }
    Ok(())
}
