//! `handraise team`: who answers for which agents.

use anyhow::{Context, bail};
use clap::Subcommand;
use domain::{AgentRef, Part, Refused, Team, interaction::Kind, team::Profile};
use service::{Service, ServiceError};
use store::TeamRecord;

use super::{Place, duty::DutyArgs, ladder::LadderArgs, operator, said, user};

#[derive(Debug, Subcommand)]
pub(super) enum TeamCommand {
    /// Makes a team. Its members alone, and admins, see and answer what it is asked.
    #[command(
        after_help = "Examples:\n  handraise team create --name Payments\n  handraise team create --name Payments --slack-channel C0123ABCD"
    )]
    Create {
        /// Its name, which agents may ask it by
        #[arg(long)]
        name: String,
        /// The id of the channel of Slack that shows what it is asked; in none if absent
        #[arg(long, value_name = "ID")]
        slack_channel: Option<String>,
        #[command(flatten)]
        place: Place,
    },
    /// Gives a team another name, channel of Slack or other deadlines.
    #[command(
        after_help = "Examples:\n  handraise team change --team Payments --name Billing\n  handraise team change --team Payments --timeout approval=900 --timeout question=never"
    )]
    Change {
        /// The team
        #[arg(long)]
        team: String,
        /// Its new name
        #[arg(long)]
        name: Option<String>,
        /// The id of the channel of Slack that shows what it is asked
        #[arg(long, value_name = "ID", conflicts_with = "no_slack_channel")]
        slack_channel: Option<String>,
        /// No channel of Slack shows what it is asked
        #[arg(long)]
        no_slack_channel: bool,
        /// Where a request names no deadline: a kind and seconds, `never`, or `default` for that of the settings
        #[arg(long = "timeout", value_name = "KIND=WHEN", value_parser = timeout)]
        timeouts: Vec<(Kind, Timeout)>,
        #[command(flatten)]
        place: Place,
    },
    /// Makes a person a member, who answers what the team is asked.
    #[command(
        after_help = "Examples:\n  handraise team add --team Payments --person Ana\n  handraise team add --team Payments --person Ben --reads"
    )]
    Add {
        /// The team
        #[arg(long)]
        team: String,
        /// The person's name
        #[arg(long)]
        person: String,
        /// They only read
        #[arg(long)]
        reads: bool,
        #[command(flatten)]
        place: Place,
    },
    /// Takes a person out of a team, at once.
    #[command(after_help = "Example:\n  handraise team remove --team Payments --person Ana")]
    Remove {
        /// The team
        #[arg(long)]
        team: String,
        /// The person's name
        #[arg(long)]
        person: String,
        #[command(flatten)]
        place: Place,
    },
    /// Says which team an agent asks by itself. What it asked before stays where it is.
    #[command(
        after_help = "Examples:\n  handraise team home --team Payments --agent backend\n  handraise team home --everyone --agent backend"
    )]
    Home {
        /// The team
        #[arg(long, required_unless_present = "everyone")]
        team: Option<String>,
        /// It asks everyone, as agents do that have no home
        #[arg(long, conflicts_with = "team")]
        everyone: bool,
        /// The agent's name
        #[arg(long)]
        agent: String,
        #[command(flatten)]
        place: Place,
    },
    /// Lets an agent ask a team that is not its home, by name.
    #[command(after_help = "Example:\n  handraise team open --team Search --agent backend")]
    Open {
        /// The team
        #[arg(long)]
        team: String,
        /// The agent's name
        #[arg(long)]
        agent: String,
        #[command(flatten)]
        place: Place,
    },
    /// Lets an agent ask a team by name no more.
    #[command(after_help = "Example:\n  handraise team close --team Search --agent backend")]
    Close {
        /// The team
        #[arg(long)]
        team: String,
        /// The agent's name
        #[arg(long)]
        agent: String,
        #[command(flatten)]
        place: Place,
    },
    /// Lists teams with their members and agents.
    #[command(after_help = "Example:\n  handraise team list")]
    List {
        #[command(flatten)]
        place: Place,
    },
    /// Shows who of a team is on duty, and changes it.
    #[command(after_help = "Examples:\n  handraise team duty --team Payments")]
    Duty(Box<DutyArgs>),
    /// Shows who is told when no answer comes, and changes it.
    #[command(
        after_help = "Examples:\n  handraise team ladder\n  handraise team ladder --team Payments"
    )]
    Ladder(Box<LadderArgs>),
    /// Deletes a team. What it was asked is for admins alone then.
    #[command(
        after_help = "Examples:\n  handraise team delete --team Payments\n  handraise team delete --team Payments --move-to Billing"
    )]
    Delete {
        /// The team
        #[arg(long)]
        team: String,
        /// The team that takes what waits, and its agents
        #[arg(long, value_name = "TEAM")]
        move_to: Option<String>,
        #[command(flatten)]
        place: Place,
    },
}

/// A team's deadline for a kind.
#[derive(Clone, Copy, Debug)]
pub(super) enum Timeout {
    Seconds(i64),
    Never,
    Default,
}

impl TeamCommand {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let by = operator();
        match self {
            Self::Create {
                name,
                slack_channel,
                place,
            } => {
                let (service, _) = place.open(None).await?;
                let profile = Profile {
                    name,
                    slack_channel,
                    ..Profile::default()
                };
                service.create_team(profile, &by).await.map_err(said)?;
            }
            Self::Change {
                team,
                name,
                slack_channel,
                no_slack_channel,
                timeouts,
                place,
            } => {
                let (service, _) = place.open(None).await?;
                let team = named(&service, &team).await?;
                let mut profile = team.profile;
                profile.name = name.unwrap_or(profile.name);
                profile.slack_channel = slack_channel
                    .or(profile.slack_channel)
                    .filter(|_| !no_slack_channel);
                for (kind, timeout) in timeouts {
                    match timeout {
                        Timeout::Seconds(seconds) => {
                            profile.timeouts.insert(kind, Some(seconds));
                        }
                        Timeout::Never => {
                            profile.timeouts.insert(kind, None);
                        }
                        Timeout::Default => {
                            profile.timeouts.remove(&kind);
                        }
                    }
                }
                let changed = service.change_team(team.id, profile, &by);
                changed.await.map_err(said)?;
            }
            Self::Add {
                team,
                person,
                reads,
                place,
            } => {
                let (service, _) = place.open(None).await?;
                let (team, person) = (
                    named(&service, &team).await?,
                    user::named(&service, &person).await?,
                );
                let part = if reads { Part::Reads } else { Part::Answers };
                let set = service.set_member(team.id, person, part, &by);
                set.await.map_err(said)?;
            }
            Self::Remove {
                team,
                person,
                place,
            } => {
                let (service, _) = place.open(None).await?;
                let (team, person) = (
                    named(&service, &team).await?,
                    user::named(&service, &person).await?,
                );
                let removed = service.remove_member(team.id, person, &by);
                removed.await.map_err(said)?;
            }
            Self::Home {
                team, agent, place, ..
            } => {
                let (service, _) = place.open(None).await?;
                let team = match team {
                    Some(team) => Some(named(&service, &team).await?.id),
                    None => None,
                };
                let agent = asking(&service, &agent).await?;
                service.set_home(&agent, team, &by).await.map_err(said)?;
            }
            Self::Open { team, agent, place } => set_open(place, &team, &agent, true).await?,
            Self::Close { team, agent, place } => set_open(place, &team, &agent, false).await?,
            Self::List { place } => {
                let (service, _) = place.open(None).await?;
                for record in service.teams(&by).await.map_err(said)? {
                    println!("{}", lines(&record));
                }
            }
            Self::Duty(duty) => duty.run().await?,
            Self::Ladder(ladder) => ladder.run().await?,
            Self::Delete {
                team,
                move_to,
                place,
            } => {
                let (service, _) = place.open(None).await?;
                let team = named(&service, &team).await?;
                let to = match &move_to {
                    Some(name) => Some(named(&service, name).await?.id),
                    None => None,
                };
                match service.delete_team(team.id, to, &by).await {
                    Err(ServiceError::Refused(Refused::TeamInUse { pending, agents })) => bail!(
                        "questions wait for this team ({pending}) or agents have their home there ({agents}); --move-to names \
                         the team that takes them"
                    ),
                    Err(ServiceError::Refused(Refused::Unchanged)) => {
                        bail!("--move-to names this very team")
                    }
                    deleted => deleted.map_err(said)?,
                }
            }
        }
        Ok(())
    }
}

async fn set_open(place: Place, team: &str, agent: &str, open: bool) -> anyhow::Result<()> {
    let (service, _) = place.open(None).await?;
    let team = named(&service, team).await?;
    let agent = asking(&service, agent).await?;
    service
        .set_open(team.id, &agent, open, &operator())
        .await
        .map_err(said)
}

pub(super) async fn named(service: &Service, name: &str) -> anyhow::Result<Team> {
    match service.team_named(name, &operator()).await {
        Err(ServiceError::NotFound) => {
            bail!("no team is called {name:?}; `handraise team list` shows those there are")
        }
        found => found.map_err(said),
    }
}

async fn asking(service: &Service, name: &str) -> anyhow::Result<AgentRef> {
    match service.known_agent(name).await {
        Err(ServiceError::NotFound) => bail!(
            "no agent is called {name:?}; `handraise token create --kind agent` makes one, `handraise token list` \
             shows those there are"
        ),
        found => found.map_err(said),
    }
}

fn timeout(text: &str) -> anyhow::Result<(Kind, Timeout)> {
    let (kind, when) = text
        .split_once('=')
        .context("it is a kind and seconds, as in approval=900")?;
    let kind = Kind::from_name(kind).with_context(|| {
        let names: Vec<_> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        format!("the kind is one of {}", names.join(", "))
    })?;
    let when = match when {
        "never" => Timeout::Never,
        "default" => Timeout::Default,
        seconds => Timeout::Seconds(
            seconds
                .parse()
                .context("the deadline is a number of seconds, never or default")?,
        ),
    };
    Ok((kind, when))
}

/// A line for the team, and one for each member and agent.
fn lines(record: &TeamRecord) -> String {
    let profile = &record.team.profile;
    let channel = profile.slack_channel.as_deref();
    let channel = channel.map_or_else(String::new, |id| format!("  Slack {id}"));
    let timeouts = profile.timeouts.iter().map(|(kind, seconds)| {
        let when = seconds.map_or_else(|| "never".to_owned(), |seconds| seconds.to_string());
        format!("  {}={when}", kind.name())
    });
    let mut lines = vec![format!(
        "{}{channel}{}",
        visible::line(&profile.name),
        timeouts.collect::<String>()
    )];
    for (person, part) in &record.members {
        let disabled = person.disabled_at.map_or("", |_| "  disabled");
        let name = visible::line(&person.name);
        let given = record.given_by.get(&person.id);
        let given = given.map_or(String::new(), |by| {
            format!("  given by {}", visible::line(by))
        });
        lines.push(format!("  {:<8} {name}{given}{disabled}", part.name()));
    }
    for (agents, how) in [(&record.homes, "home of"), (&record.askers, "open to")] {
        let agents = agents.iter();
        lines.extend(agents.map(|agent| format!("  {how:<8} {}", visible::line(&agent.name))));
    }
    lines.join("\n")
}
