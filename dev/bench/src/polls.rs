//! `polls`: 16 agents look whether a pending question has been answered, again and again.
//! Target: 10,000 per second, p99 3 ms.

use anyhow::Result;

use crate::Bench;
use crate::client::{Call, Interaction, question};
use crate::server::Server;
use crate::{load, report};

const CLIENTS: usize = 16;

pub(crate) async fn run(bench: &Bench) -> Result<()> {
    let server = Server::start(bench)?;
    let mut agent = server.connect_agent().await?;
    let pending = Interaction::read(&agent.send(&question(None)).await?)?;
    let load = load::repeat(bench, &server, CLIENTS, Call::get(pending.path())).await?;
    let row = |figure, value: String, target| report::row("polls", figure, value, target);
    row(
        "polls of one pending question, 16 clients",
        report::per_second(load.per_second()),
        ">= 10000 /s",
    );
    row("p50 / p99 / max", load.latencies.summary(), "p99 <= 3 ms");
    row("processor time of one, server / client", load.cost(), "");
    Ok(())
}
