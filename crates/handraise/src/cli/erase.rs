//! `handraise erase`: what people and agents wrote goes, and the journal still holds (rule 19).

use std::{
    io::{BufRead, IsTerminal, Write, stderr, stdin},
    time::Duration,
};

use anyhow::{Context, bail};
use chrono::{DateTime, NaiveDate, Utc};
use clap::Args;
use domain::{Audience, InteractionId};
use service::{EraseEnd, Service};
use store::InteractionQuery;

use super::{Place, operator, said};

/// How many are read at once.
const PAGE: u32 = 200;
/// How long readers may keep the database's log from being emptied.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug, Args)]
pub(super) struct EraseCommand {
    /// Which interaction
    #[arg(long, value_name = "ID", required_unless_present = "agent", conflicts_with_all = ["agent", "before"])]
    interaction: Option<InteractionId>,
    /// All closed ones of this agent
    #[arg(long, value_name = "NAME", requires = "before")]
    agent: Option<String>,
    /// That had ended before this day, or this moment: 2030-01-01, 2030-01-01T12:00:00Z
    #[arg(long, value_name = "DATE", requires = "agent", value_parser = moment)]
    before: Option<DateTime<Utc>>,
    /// Does not ask
    #[arg(long)]
    yes: bool,
    /// Writes the database anew afterwards, so that nothing is left between the rows either. Others wait meanwhile
    #[arg(long)]
    vacuum: bool,
    #[command(flatten)]
    place: Place,
}

impl EraseCommand {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let (service, _) = self.place.open(None).await?;
        match (self.interaction, self.agent, self.before) {
            (Some(id), ..) => {
                let found = service.store().erasable(id).await?;
                let Some(found) = found else {
                    bail!("there is no interaction {id}");
                };
                let about = visible::line(&domain::interaction::beginning(
                    &found.interaction.request.prompt,
                ));
                if found.interaction.erased.is_none() {
                    confirm(
                        self.yes,
                        &format!("Erase all that was written in {id} ({about})?"),
                    )?;
                }
                let end = service.erase(id, &operator()).await.map_err(said)?;
                match end {
                    EraseEnd::Erased => println!("erased {id}"),
                    EraseEnd::Before => println!("{id} was erased before"),
                }
            }
            (None, Some(agent), Some(before)) => {
                erase_of_agent(&service, &agent, before, self.yes).await?;
            }
            // Clap asks for one or the other.
            (None, ..) => bail!("say --interaction, or --agent and --before"),
        }
        let rewritten = match self.vacuum {
            true => service.store().rewrite().await,
            false => Ok(()),
        };
        // Also when there was no room to write it anew.
        scrub(&service).await?;
        rewritten.context("it is erased, but the database cannot be written anew")
    }
}

async fn erase_of_agent(
    service: &Service,
    name: &str,
    before: DateTime<Utc>,
    yes: bool,
) -> anyhow::Result<()> {
    let Some(agent) = service.store().agent_named(name).await? else {
        bail!("there is no agent {}", visible::line(name));
    };
    if service
        .to_erase(agent, before, 1)
        .await
        .map_err(said)?
        .is_empty()
    {
        println!("there is nothing to erase");
        return Ok(());
    }
    let day = before.format("%Y-%m-%d %H:%M UTC");
    let name = visible::line(name);
    confirm(
        yes,
        &format!(
            "Erase all that was written in what {name} asked and that had ended before {day}?"
        ),
    )?;
    let (mut erased, mut failed) = (0_u64, 0_u32);
    loop {
        // Those that cannot be erased stand before the others.
        let limit = PAGE.saturating_add(failed);
        let page = service.to_erase(agent, before, limit).await.map_err(said)?;
        let left: Vec<InteractionId> = page.into_iter().skip(failed as usize).collect();
        if left.is_empty() {
            break;
        }
        for id in left {
            match service.erase_of_many(id, &operator()).await {
                Ok(_) => erased += 1,
                Err(error) => {
                    eprintln!("{id}: {:#}", said(error));
                    failed += 1;
                }
            }
        }
    }
    let pending = InteractionQuery {
        audience: Audience::All,
        agent: Some(agent),
        state: Some("pending".to_owned()),
        limit: 1,
        ..InteractionQuery::default()
    };
    println!("erased {erased}");
    if !service.store().briefs(&pending).await?.is_empty() {
        eprintln!("what still waits for an answer stays: cancel it first, then erase it");
    }
    if failed > 0 {
        bail!("{failed} could not be erased");
    }
    Ok(())
}

/// # Errors
/// When the person says no, or there is nobody to ask.
fn confirm(yes: bool, question: &str) -> anyhow::Result<()> {
    if yes {
        return Ok(());
    }
    if !stdin().is_terminal() {
        bail!("nobody is there to confirm it: say --yes");
    }
    let mut out = stderr();
    write!(out, "{question} It cannot be undone. [y/N] ").context("cannot ask")?;
    out.flush().context("cannot ask")?;
    let mut answer = String::new();
    stdin()
        .lock()
        .read_line(&mut answer)
        .context("cannot read the answer")?;
    match answer.trim().to_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => bail!("nothing was erased"),
    }
}

/// Nothing of it is to be left in the database's log either.
async fn scrub(service: &Service) -> anyhow::Result<()> {
    let done = tokio::time::timeout(PATIENCE, async {
        loop {
            match service.scrub().await {
                Ok(true) => return Ok(()),
                Ok(false) => tokio::time::sleep(Duration::from_millis(200)).await,
                Err(error) => return Err(said(error)),
            }
        }
    });
    match done.await {
        Ok(done) => done,
        Err(_) => bail!(
            "it is erased, but readers kept the database's log from being emptied: run the same command once more"
        ),
    }
}

fn moment(text: &str) -> Result<DateTime<Utc>, String> {
    if let Ok(day) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        return Ok(day.and_time(chrono::NaiveTime::MIN).and_utc());
    }
    DateTime::parse_from_rfc3339(text)
        .map(|at| at.with_timezone(&Utc))
        .map_err(|_| {
            "it must be a day like 2030-01-01, or a moment like 2030-01-01T12:00:00Z".to_owned()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_midnight_in_utc() {
        assert_eq!(
            moment("2030-01-02").unwrap().to_rfc3339(),
            "2030-01-02T00:00:00+00:00"
        );
        assert_eq!(
            moment("2030-01-02T12:00:00+02:00").unwrap().to_rfc3339(),
            "2030-01-02T10:00:00+00:00"
        );
        for wrong in ["", "yesterday", "2030-13-01", "2030-01-02 12:00"] {
            assert!(moment(wrong).is_err(), "{wrong}");
        }
    }
}
