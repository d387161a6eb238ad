//! What fails, and when: the seed decides.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::Result;
use futures::future::{BoxFuture, FutureExt};
use futures::stream::{FuturesUnordered, StreamExt};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::time::{sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::world::World;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    KillServer,
    KillPostgres,
    Pause,
    ClockJumps,
    DiskFull,
    DiskReadOnly,
}

impl Fault {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::KillServer => "server killed",
            Self::KillPostgres => "PostgreSQL killed",
            Self::Pause => "server paused",
            Self::ClockJumps => "clock jumped",
            Self::DiskFull => "disk full",
            Self::DiskReadOnly => "disk read-only",
        }
    }

    pub(crate) fn is_kill(self) -> bool {
        matches!(self, Self::KillServer | Self::KillPostgres)
    }
}

/// How often each happened.
pub(crate) type Counts = BTreeMap<Fault, usize>;

/// Makes things fail until it is told to stop, or as many were killed as should be.
pub(crate) struct Faults<'a> {
    pub(crate) world: &'a World,
    pub(crate) seed: u64,
    pub(crate) most_kills: usize,
    /// Between two faults, on the average.
    pub(crate) apart: Duration,
    pub(crate) only_kills: bool,
}

impl Faults<'_> {
    /// Cancels `until` when there were enough kills.
    pub(crate) async fn happen(&self, until: &CancellationToken) -> Result<Counts> {
        let mut random = StdRng::seed_from_u64(self.seed);
        let mut counts = Counts::new();
        let mut running: FuturesUnordered<BoxFuture<'_, Result<()>>> = FuturesUnordered::new();
        let mut next = tokio::time::Instant::now() + self.gap(&mut random);
        loop {
            tokio::select! {
                () = until.cancelled() => break,
                Some(done) = running.next() => {
                    done?;
                    continue;
                }
                () = sleep_until(next) => {}
            }
            next = tokio::time::Instant::now() + self.gap(&mut random);
            let fault = self.draw(&mut random);
            match fault {
                // The disk belongs to all of them.
                Fault::DiskFull | Fault::DiskReadOnly | Fault::ClockJumps => {
                    while let Some(done) = running.next().await {
                        done?;
                    }
                    if self.of_all(fault, &mut random).await? {
                        *counts.entry(fault).or_default() += 1;
                    }
                }
                Fault::KillServer | Fault::Pause | Fault::KillPostgres => {
                    let node = random.random_range(0..self.world.nodes.len());
                    running.push(self.of_one(fault, node, &mut random));
                    *counts.entry(fault).or_default() += 1;
                    // One node alone cannot be killed again before it is back.
                    if running.len() >= self.world.nodes.len()
                        && let Some(done) = running.next().await
                    {
                        done?;
                    }
                }
            }
            let kills = counts.iter().filter(|(fault, _)| fault.is_kill());
            let kills: usize = kills.map(|(_, count)| count).sum();
            if kills >= self.most_kills {
                until.cancel();
            }
        }
        while let Some(done) = running.next().await {
            done?;
        }
        Ok(counts)
    }

    fn gap(&self, random: &mut StdRng) -> Duration {
        self.apart.mul_f64(random.random_range(0.3..1.7))
    }

    fn draw(&self, random: &mut StdRng) -> Fault {
        let has_postgres = self.world.postgres.is_some();
        if self.only_kills {
            return match has_postgres && random.random_bool(0.15) {
                true => Fault::KillPostgres,
                false => Fault::KillServer,
            };
        }
        match random.random_range(0..1_000) {
            0..15 if self.world.disk.can_fail() => Fault::DiskFull,
            15..22 if self.world.disk.can_fail() => Fault::DiskReadOnly,
            22..45 if self.world.clock.is_some() => Fault::ClockJumps,
            45..85 => Fault::Pause,
            85..200 if has_postgres => Fault::KillPostgres,
            _ => Fault::KillServer,
        }
    }

    fn of_one(&self, fault: Fault, node: usize, random: &mut StdRng) -> BoxFuture<'_, Result<()>> {
        let node = &self.world.nodes[node];
        // A pause that outlasts the leases, now and then; a single server that is away stops everything.
        let longest = if self.world.nodes.len() > 1 {
            30_000
        } else {
            8_000
        };
        let pause = random.random_range(200..longest);
        let away = Duration::from_millis(random.random_range(0..150));
        let again = random.random_bool(0.1);
        let in_between = again.then(|| Duration::from_millis(random.random_range(0..150)));
        let postgres = self.world.postgres.as_ref();
        async move {
            match (fault, postgres) {
                (Fault::Pause, _) => node.pause(Duration::from_millis(pause)).await,
                (Fault::KillPostgres, Some(postgres)) => postgres.kill_and_restart(away).await,
                _ => node.kill_and_restart(away, in_between).await,
            }
        }
        .boxed()
    }

    /// Whether it came to pass.
    async fn of_all(&self, fault: Fault, random: &mut StdRng) -> Result<bool> {
        let world = self.world;
        match fault {
            Fault::ClockJumps => {
                let Some(clock) = &world.clock else {
                    return Ok(false);
                };
                let jumps = [-60, -5, 2, 30, 300];
                clock.jump(jumps[random.random_range(0..jumps.len())])?;
                sleep(Duration::from_millis(random.random_range(1_500..4_000))).await;
                clock.is_right_again()?;
            }
            Fault::DiskFull => {
                world.disk.fill()?;
                sleep(Duration::from_millis(random.random_range(500..4_000))).await;
                world.disk.free()?;
                self.all_are_up().await?;
            }
            Fault::DiskReadOnly => return self.disk_is_read_only(random).await,
            Fault::KillServer | Fault::KillPostgres | Fault::Pause => return Ok(false),
        }
        Ok(true)
    }

    /// A server that is started on a disk that takes nothing.
    async fn disk_is_read_only(&self, random: &mut StdRng) -> Result<bool> {
        let world = self.world;
        for node in &world.nodes {
            node.kill().await?;
        }
        if let Some(postgres) = &world.postgres {
            postgres.stop().await?;
        }
        let mut is_so = world.disk.make_read_only()?;
        let begun = Instant::now();
        while !is_so && begun.elapsed() < Duration::from_secs(2) {
            sleep(Duration::from_millis(50)).await;
            is_so = world.disk.make_read_only()?;
        }
        if is_so {
            // Both may refuse to start, or say what they cannot do; they must not say that something is done.
            let start = async {
                if let Some(postgres) = &world.postgres {
                    let _ = postgres.try_start().await;
                }
                for node in &world.nodes {
                    let _ = node.try_start().await;
                }
            };
            start.await;
            sleep(Duration::from_millis(random.random_range(300..1_500))).await;
            world.disk.make_writable()?;
        }
        for node in &world.nodes {
            node.kill().await?;
        }
        self.all_are_up().await?;
        Ok(is_so)
    }

    async fn all_are_up(&self) -> Result<()> {
        if let Some(postgres) = &self.world.postgres {
            postgres.revive().await?;
        }
        for node in &self.world.nodes {
            node.start().await?;
        }
        Ok(())
    }
}
