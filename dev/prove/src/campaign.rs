//! One campaign: the world is built, everything happens at once, then nothing fails any more and all is held against all.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use futures::future::join_all;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::check::Violation;
use crate::check::audit::{self, Audit};
use crate::check::{Promise, readers::Read};
use crate::faults::{Counts, Faults};
use crate::load::page::{self, Page};
use crate::load::{self, Played, readers};
use crate::plant::Plant;
use crate::report::Figures;
use crate::world::World;
use crate::{Options, report};

/// How long it lasts, and what is done in it.
pub(crate) struct Course {
    pub(crate) lasts: Duration,
    pub(crate) apart: Duration,
    pub(crate) only_kills: bool,
    /// How long what is owed may take at the end.
    pub(crate) patience: Option<Duration>,
}

/// What came of it.
pub(crate) struct Outcome {
    pub(crate) figures: Figures,
    pub(crate) violations: Vec<Violation>,
}

pub(crate) async fn run(
    options: &Options,
    course: &Course,
    folder: &Path,
    plant: Option<Plant>,
) -> Result<Outcome> {
    let world = World::build(options, folder, plant)
        .await
        .context("before the campaign")?;
    let flushes = world.disk.flushes()?;
    let stop = CancellationToken::new();
    let faults = Faults {
        world: &world,
        seed: options.seed,
        most_kills: options.kills.unwrap_or(usize::MAX),
        apart: course.apart,
        only_kills: course.only_kills,
    };
    let begun = Instant::now();
    let lasts = async {
        let told = Duration::from_secs(60);
        let mut next = told;
        while begun.elapsed() < course.lasts && !stop.is_cancelled() {
            if world.disk.is_used_up()? {
                eprintln!("prove: the disk has no room for more; this is the end of it");
                break;
            }
            if begun.elapsed() > next {
                eprintln!(
                    "prove: {} s of {}",
                    begun.elapsed().as_secs(),
                    course.lasts.as_secs()
                );
                next += told;
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = sleep(Duration::from_millis(200)) => {}
            }
        }
        stop.cancel();
        anyhow::Ok(())
    };
    let pages = async {
        join_all(
            world
                .people
                .iter()
                .map(|person| page::open(&world, person, options.seed + 7, &stop)),
        )
        .await
    };
    let happens = async {
        let counts = faults.happen(&stop).await;
        stop.cancel();
        counts
    };
    let (played, counts, by_pages, by_stream, pages, lasted_well) = tokio::join!(
        load::play(&world, options.seed, options.at_once, &stop),
        happens,
        readers::by_pages(&world, options.seed + 5, &stop),
        readers::by_stream(&world, options.seed + 6, &stop),
        pages,
        lasts,
    );
    lasted_well?;
    let lasted = begun.elapsed();
    end(
        &world,
        options,
        course,
        (played, counts, [by_pages, by_stream], pages),
        (flushes, lasted),
    )
    .await
}

type Seen = (Played, Result<Counts>, [Read; 2], Vec<Page>);

async fn end(
    world: &World,
    options: &Options,
    course: &Course,
    seen: Seen,
    (flushes, lasted): ((Duration, Duration), Duration),
) -> Result<Outcome> {
    let (mut played, counts, reads, pages) = seen;
    let mut violations = std::mem::take(&mut played.violations);
    let counts = counts.unwrap_or_else(|error| {
        violations.push(Promise::NotBack.broken(None, format!("{error:#}")));
        Counts::new()
    });
    for receiver in world.webhooks.iter().chain(&world.callbacks) {
        receiver.behave();
    }
    if let Some(postgres) = &world.postgres {
        postgres.revive().await?;
    }
    for node in &world.nodes {
        if let Err(error) = node.start().await {
            violations.push(Promise::NotBack.broken(None, format!("{error:#}")));
        }
    }
    let audit: Audit = audit::run(world, &played.kept, &reads, &pages, course.patience)
        .await
        .context("at the end")?;
    violations.extend(audit.violations);
    let figures = report::figures(
        world,
        options,
        &played,
        &report::Seen {
            counts,
            reads: &reads,
            pages: &pages,
            events: audit.events,
            interactions: audit.interactions,
            owed: audit.owed,
            verified: audit.verified,
            flushes,
            lasted,
            violations: violations.len(),
        },
    )?;
    Ok(Outcome {
        figures,
        violations,
    })
}
