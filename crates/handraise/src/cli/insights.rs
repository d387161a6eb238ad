//! `handraise insights`: what ended, in numbers, which are made of the journal.

use std::time::Instant;

use clap::Subcommand;

use super::Place;

#[derive(Debug, Subcommand)]
pub(super) enum InsightsCommand {
    /// Makes all numbers anew from the journal; works beside a running server.
    ///
    /// They are right without it. Until it is done, pages show what is counted by then.
    #[command(after_help = "Example:\n  handraise insights rebuild")]
    Rebuild {
        #[command(flatten)]
        place: Place,
    },
}

pub(super) async fn run(command: InsightsCommand) -> anyhow::Result<()> {
    let InsightsCommand::Rebuild { place } = command;
    let (service, _) = place.open(None).await?;
    let begun = Instant::now();
    service.store().forget_counts().await?;
    let counted = loop {
        let counted = service.count_ended().await?;
        if counted.is_all() {
            break counted;
        }
    };
    let seconds = begun.elapsed().as_secs_f32();
    println!("counted {} events in {seconds:.1} s", counted.seq);
    Ok(())
}
