//! `handraise demo`: a company to play with, on a database that goes when it ends.
//!
//! The month behind it was lived through by the same use cases as any other, on a clock that is set ([`past`]); what
//! is asked from then on is asked on the real one ([`present`]).

mod cast;
mod company;
mod ending;
mod past;
mod present;

use std::{io::Write, net::Ipv4Addr, sync::Arc, time::Duration};

use anyhow::Context;
use clap::Args;
use machine::clock::{Clock, SetClock, SystemClock};
use server::{config::Config, telemetry};
use service::Service;
use url::Url;

use super::serve::Ready;
use cast::Cast;
use company::Company;

/// Cookies go to all ports of a name: signing in here signs nobody out of a server of their own.
const OWN_NAME: &str = "handraise-demo.localhost";

#[derive(Debug, Args)]
pub(super) struct DemoCommand {
    /// Where it listens on this machine; 0 is any free one
    #[arg(long, value_name = "PORT", default_value_t = 3111)]
    port: u16,
    /// How many seconds pass between two new questions
    #[arg(long, value_name = "SECONDS", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=3_600))]
    every: u32,
}

impl DemoCommand {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let mut config = Config::default();
        telemetry::start_quietly(config.log, None);
        let company = Company::read()?;
        // Removed when this is dropped, at whichever end.
        let folder = tempfile::Builder::new()
            .prefix("handraise-demo-")
            .tempdir()
            .context("there is no place for the database")?;
        let file = Url::from_file_path(folder.path().join("demo.db"))
            .ok()
            .context("the place for the database has no path")?;
        config.database_url = format!("sqlite://{}", file.path())
            .try_into()
            .context("the place for the database has no address")?;
        config.addr = (Ipv4Addr::LOCALHOST, self.port).into();
        config.public_url = (self.port > 0).then(|| format!("http://{OWN_NAME}:{}", self.port));
        let ready = Ready::new(config, None).await?;

        say("A month of a small company goes by …\n");
        let now = SystemClock.now();
        let clock = Arc::new(SetClock::at(now - past::LENGTH));
        let service = Service::new(
            ready.state.service.store().clone(),
            clock.clone(),
            clock.clone(),
            ready.state.config.settings(),
        )
        .with_signer(ready.state.keys.signer());
        let cast = Cast::arrive(&service, &company).await?;
        let lived = past::live(&service, &clock, &company, &cast, now).await?;

        say(&hello(&ready.state.config, &company, &cast, lived));
        let every = Duration::from_secs(self.every.into());
        let present = present::Present::new(ready.state.clone(), company, cast, every);
        let going_on = tokio::spawn(present.go_on());
        let served = ready.serve().await;
        going_on.abort();
        drop(folder);
        say("\nThe company is gone, and its database with it.\n");
        served
    }
}

fn hello(config: &Config, company: &Company, cast: &Cast, lived: usize) -> String {
    let people: Vec<_> = company
        .people
        .iter()
        .map(|person| format!("{} ({})", person.name, person.role))
        .collect();
    format!(
        "{} people, {} teams, {} agents, {lived} questions so far.\n\n  Open      {}\n  Sign in   {}\n  Password  {}\n\nSomething new is asked every few seconds. Answer it, and the agent goes on. Ctrl+C ends it all.\n\n",
        company.people.len(),
        company.teams.len(),
        company.agents.len(),
        config.public_url(),
        people.join(", "),
        cast.password
    )
}

fn say(text: &str) {
    let mut out = std::io::stdout();
    // Whoever reads it may be gone; people play all the same.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
