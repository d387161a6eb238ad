//! `handraise team ladder`: who is told when no answer comes.

use clap::{Args, Subcommand};
use domain::{
    TeamId,
    ladder::{Class, LadderDraft, RungDraft},
};
use service::{Service, TeamLadder};

use super::{Place, operator, said, team::named};

/// Without a command below it, it shows.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct LadderArgs {
    #[command(subcommand)]
    command: Option<LadderCommand>,
    #[command(flatten)]
    whose: Whose,
}

#[derive(Debug, Args)]
struct Whose {
    /// The team [default: everyone]
    #[arg(long)]
    team: Option<String>,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Subcommand)]
enum LadderCommand {
    /// Gives a team, or everyone, a ladder in place of the one it has. A class that is not named gets the default.
    ///
    /// A rung says how long after the one before it (0, 90s, 5m, 2h, 1d, or half of the time that is left), whom (duty, team,
    /// admins or a person's name), by what if not by all that they have (by push,mail), and how often if not once (x3).
    #[command(
        after_help = "Examples:\n  handraise team ladder set --team Payments --sync '0 duty' --sync '5m team' --sync 'half team x2'\n  handraise team ladder set --urgent '0 duty' --urgent '2m team by push x3' --urgent '5m admins'"
    )]
    Set {
        /// A rung for what is urgent, once for each in their order
        #[arg(long, value_name = "RUNG")]
        urgent: Vec<String>,
        /// A rung for what an agent has stopped for
        #[arg(long, value_name = "RUNG")]
        sync: Vec<String>,
        /// A rung for everything else
        #[arg(long = "async", value_name = "RUNG")]
        later: Vec<String>,
        #[command(flatten)]
        whose: Whose,
    },
    /// A team uses everyone's ladder again, and everyone the default.
    #[command(after_help = "Example:\n  handraise team ladder clear --team Payments")]
    Clear {
        #[command(flatten)]
        whose: Whose,
    },
}

impl LadderArgs {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let by = operator();
        match self.command {
            None => {
                let (service, team) = self.whose.open().await?;
                let team = team.map(|team| team.to_string());
                let ladder = service.team_ladder(team.as_deref(), &by).await;
                print!("{}", text(&ladder.map_err(said)?));
                Ok(())
            }
            Some(LadderCommand::Set {
                urgent,
                sync,
                later,
                whose,
            }) => {
                let (service, team) = whose.open().await?;
                let ladder = LadderDraft {
                    urgent: rungs(urgent),
                    sync: rungs(sync),
                    later: rungs(later),
                };
                service.set_ladder(team, &ladder, &by).await.map_err(said)
            }
            Some(LadderCommand::Clear { whose }) => {
                let (service, team) = whose.open().await?;
                service.clear_ladder(team, &by).await.map_err(said)
            }
        }
    }
}

impl Whose {
    async fn open(self) -> anyhow::Result<(Service, Option<TeamId>)> {
        let (service, _) = self.place.open(None).await?;
        let team = match &self.team {
            Some(team) => Some(named(&service, team).await?.id),
            None => None,
        };
        Ok((service, team))
    }
}

fn rungs(written: Vec<String>) -> Option<Vec<RungDraft>> {
    let rungs: Vec<_> = written.into_iter().map(RungDraft).collect();
    (!rungs.is_empty()).then_some(rungs)
}

fn text(ladder: &TeamLadder) -> String {
    let whose = match (&ladder.team, ladder.is_own) {
        (Some(team), true) => format!("The ladder of {}", visible::line(&team.name)),
        (Some(team), false) => format!("{} uses everyone's ladder", visible::line(&team.name)),
        (None, true) => "The ladder of everyone".to_owned(),
        (None, false) => "The ladder of everyone, as it comes".to_owned(),
    };
    let mut lines = vec![whose];
    for class in Class::ALL {
        lines.push(format!("{}:", class.name()));
        let rungs = ladder.rungs(class);
        if rungs.is_empty() {
            lines.push("  no one is told".to_owned());
        }
        lines.extend(
            rungs
                .iter()
                .map(|rung| format!("  {}", visible::line(rung))),
        );
    }
    lines.join("\n") + "\n"
}
