//! The work of this node, in numbers for Prometheus: no names and no texts, and labels whose values
//! the program knows beforehand.
//!
//! Counters count this node's work, so the sum over all nodes is the whole.

use std::{borrow::Cow, fmt, time::Duration};

use chrono::{DateTime, Utc};
use domain::{
    Changeset, Interaction, InteractionEvent, Payload, Write,
    delivery::ReachKind,
    interaction::{Kind, Mode, Outcome},
};
use prometheus_client::{
    encoding::text,
    metrics::{counter::Counter, family::Family, gauge::ConstGauge, histogram::Histogram},
    registry::{Registry, Unit},
};
use store::WaysBy;
use uuid::Uuid;

/// Every name begins with it.
const PREFIX: &str = "handraise";
/// From the quick glance to the question that waited over the weekend, in seconds.
const RESOLUTION: [f64; 11] = [
    1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3_600.0, 14_400.0, 43_200.0, 86_400.0, 604_800.0,
];
/// In seconds.
const LATENCY: [f64; 10] = [
    0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0,
];

/// From the rung to the phone, in seconds: within one, within a minute, or late.
const REACHING: [f64; 7] = [0.1, 0.3, 1.0, 5.0, 60.0, 300.0, 3_600.0];
/// Rungs are counted one by one as far as this; those after it together.
const RUNGS_APART: u32 = 5;

/// A notification is not closed: it never waits.
const OUTCOMES: [Outcome; 10] = [
    Outcome::Answered,
    Outcome::Approved,
    Outcome::Denied,
    Outcome::Proceed,
    Outcome::ProceedClean,
    Outcome::ProceedDefault,
    Outcome::Adjust,
    Outcome::Fallback,
    Outcome::Expired,
    Outcome::Cancelled,
];

type Labels<const N: usize> = [(&'static str, Cow<'static, str>); N];
type Gauges = Family<Labels<1>, prometheus_client::metrics::gauge::Gauge>;
type Histograms = Family<Labels<1>, Histogram, fn() -> Histogram>;

/// Counters and histograms of one server.
pub struct Metrics {
    registry: Registry,
    asked: Family<Labels<2>, Counter>,
    closed: Family<Labels<1>, Counter>,
    resolution: Histograms,
    requests: Family<Labels<3>, Counter>,
    latency: Histograms,
    refusals: Family<Labels<1>, Counter>,
    messages_kept: Counter,
    told: Family<Labels<1>, Counter>,
    reaching: Histograms,
    not_reached: Family<Labels<1>, Counter>,
    silence: Histograms,
    rungs: Family<Labels<1>, Counter>,
}

/// Counts made at the moment of asking.
#[derive(Debug, Default)]
pub struct Now {
    /// Blockers that wait and have stopped their agent.
    pub waiting_sync: i64,
    /// Blockers that wait while their agent goes on.
    pub waiting_async: i64,
    /// Open connections, sockets excepted.
    pub connections: usize,
    /// Open sockets of pages.
    pub sockets: usize,
    /// Held requests and event streams.
    pub held: usize,
    /// Callers that the rate limits remember.
    pub callers: usize,
    /// Decisions that were read and are not proven by their receipts.
    pub void: usize,
    /// The number of the newest event.
    pub last_seq: i64,
    /// How many events the last checkpoint covers; `None` before the first.
    pub signed_seq: Option<i64>,
    /// How long ago the last checkpoint was written.
    pub checkpoint_age: Option<Duration>,
    /// How long ago the last good backup was begun, where the server makes them.
    pub backup_age: Option<Duration>,
    /// How many messages from Slack wait to be heard, where people answer there.
    pub slack_waiting: Option<i64>,
    /// How many connections of Socket Mode there are, where it is used, and how many more Slack counts.
    pub slack_sockets: Option<(usize, u32)>,
    /// The ways by which people can be reached.
    pub ways: Vec<WaysBy>,
    /// What became of spans, where there is a collector for them.
    pub spans: Option<SpanCounts>,
}

/// What became of spans since the start.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpanCounts {
    /// The collector has them.
    pub exported: u64,
    /// It did not take them.
    pub failed: u64,
    /// They found no room to wait for it.
    pub dropped: u64,
}

impl Default for Metrics {
    fn default() -> Self {
        let resolution: fn() -> Histogram = || Histogram::new(RESOLUTION);
        let latency: fn() -> Histogram = || Histogram::new(LATENCY);
        let reaching: fn() -> Histogram = || Histogram::new(REACHING);
        let mut metrics = Self {
            registry: Registry::with_prefix(PREFIX),
            asked: Family::default(),
            closed: Family::default(),
            resolution: Family::new_with_constructor(resolution),
            requests: Family::default(),
            latency: Family::new_with_constructor(latency),
            refusals: Family::default(),
            messages_kept: Counter::default(),
            told: Family::default(),
            reaching: Family::new_with_constructor(reaching),
            not_reached: Family::default(),
            silence: Family::new_with_constructor(resolution),
            rungs: Family::default(),
        };
        metrics.register();
        // A rate needs the zero before the first.
        for outcome in OUTCOMES {
            let labels = [("outcome", outcome.name().into())];
            let _ = metrics.closed.get_or_create(&labels);
        }
        metrics
    }
}

impl Metrics {
    fn register(&mut self) {
        let to = &mut self.registry;
        to.register(
            "interactions_asked",
            "Interactions that agents opened, notifications among them",
            self.asked.clone(),
        );
        to.register(
            "interactions_closed",
            "Blockers that were closed, by how they ended; expired and fallback met their deadline",
            self.closed.clone(),
        );
        to.register_with_unit(
            "resolution",
            "From asking to the end of a blocker",
            Unit::Seconds,
            self.resolution.clone(),
        );
        to.register(
            "people_told",
            "Messages that rungs made for people, by what; those of people_reached arrived",
            self.told.clone(),
        );
        to.register_with_unit(
            "people_reached",
            "From the rung to the arrival of its message, by what",
            Unit::Seconds,
            self.reaching.clone(),
        );
        to.register(
            "people_not_reached",
            "Messages that were given up while their question waited, by what",
            self.not_reached.clone(),
        );
        to.register_with_unit(
            "silence",
            "From asking to a person who was reached, has seen it, or answered",
            Unit::Seconds,
            self.silence.clone(),
        );
        to.register(
            "rungs_climbed",
            "Rungs of ladders that were told, by their number; 0 is at once",
            self.rungs.clone(),
        );
        to.register(
            "http_requests",
            "Requests, by the pattern of their address; gone = the client did not wait",
            self.requests.clone(),
        );
        to.register_with_unit(
            "http_request",
            "From the headers to the answer's headers; held requests are not in it",
            Unit::Seconds,
            self.latency.clone(),
        );
        to.register(
            "refusals",
            "Requests and connections that were refused, by the code of the problem",
            self.refusals.clone(),
        );
        to.register(
            "slack_messages_kept",
            "Replies and edits of people in threads in Slack, each once",
            self.messages_kept.clone(),
        );
    }

    /// A request was answered, or given up by its client. `latency` is `None` when it was held.
    pub fn request(
        &self,
        method: &'static str,
        route: &str,
        status: &'static str,
        latency: Option<Duration>,
    ) {
        let labels = [
            ("method", method.into()),
            ("route", route.to_owned().into()),
            ("status", status.into()),
        ];
        self.requests.get_or_create(&labels).inc();
        if let Some(latency) = latency {
            let [_, route, _] = labels;
            self.latency
                .get_or_create(&[route])
                .observe(latency.as_secs_f64());
        }
    }

    /// A request or a connection was refused.
    pub fn refusal(&self, code: &'static str) {
        self.refusals.get_or_create(&[("code", code.into())]).inc();
    }

    /// So many messages from Slack were kept.
    pub fn kept(&self, messages: u64) {
        self.messages_kept.inc_by(messages);
    }

    /// A message was given up while its question waited.
    pub fn not_reached(&self, by: ReachKind) {
        let labels = [("by", by.name().into())];
        self.not_reached.get_or_create(&labels).inc();
    }

    /// A changeset was committed.
    pub fn committed(&self, tally: Tally) {
        for (kind, mode) in tally.asked {
            let labels = [("kind", kind.name().into()), ("mode", mode.name().into())];
            self.asked.get_or_create(&labels).inc();
        }
        for rung in tally.rungs {
            let number = match rung {
                0..RUNGS_APART => rung.to_string(),
                _ => format!("{RUNGS_APART}+"),
            };
            self.rungs.get_or_create(&[("rung", number.into())]).inc();
        }
        for way in tally.told {
            self.told.get_or_create(&[("by", way.name().into())]).inc();
        }
        for (way, seconds) in tally.arrived {
            let labels = [("by", way.name().into())];
            self.reaching.get_or_create(&labels).observe(seconds);
        }
        for (what, seconds) in tally.silence {
            let labels = [("until", what.into())];
            self.silence.get_or_create(&labels).observe(seconds);
        }
        for (state, outcome, seconds) in tally.closed {
            let labels = [("outcome", outcome.name().into())];
            self.closed.get_or_create(&labels).inc();
            self.resolution
                .get_or_create(&[("state", state.into())])
                .observe(seconds);
        }
    }

    /// Everything, as OpenMetrics text.
    ///
    /// # Errors
    /// Never, as long as writing to a string does not fail.
    pub fn text(&self, now: &Now) -> Result<String, fmt::Error> {
        let mut of_now = Registry::with_prefix(PREFIX);
        for (name, help, value) in now.gauges() {
            of_now.register(name, help, ConstGauge::new(value));
        }
        let waiting = Gauges::default();
        for (mode, count) in [
            (Mode::Sync, now.waiting_sync),
            (Mode::Async, now.waiting_async),
        ] {
            let labels = [("mode", mode.name().into())];
            waiting.get_or_create(&labels).set(count);
        }
        of_now.register("waiting", "Blockers that wait, by mode", waiting);
        let (ways, failing) = now.ways();
        of_now.register("ways", "Ways by which people can be reached", ways);
        of_now.register(
            "ways_failing",
            "Those that do nothing but fail: push services, mailboxes and topics",
            failing,
        );
        if let Some(counts) = now.spans {
            of_now.register(
                "spans",
                "Spans for the collector of traces, by what became of them",
                counts.family(),
            );
        }
        if let Some(age) = now.checkpoint_age {
            of_now.register_with_unit(
                "checkpoint_age",
                "Since the last checkpoint was written; none is while nothing happens",
                Unit::Seconds,
                ConstGauge::new(age.as_secs_f64()),
            );
        }
        if let Some(age) = now.backup_age {
            of_now.register_with_unit(
                "backup_age",
                "Since the last good backup was begun",
                Unit::Seconds,
                ConstGauge::new(age.as_secs_f64()),
            );
        }
        let mut text = String::new();
        text::encode_registry(&mut text, &self.registry)?;
        text::encode_registry(&mut text, &of_now)?;
        text::encode_eof(&mut text)?;
        Ok(text)
    }
}

impl SpanCounts {
    fn family(self) -> Family<Labels<1>, Counter> {
        let family = Family::default();
        for (what, count) in [
            ("exported", self.exported),
            ("failed", self.failed),
            ("dropped", self.dropped),
        ] {
            let labels: Labels<1> = [("result", what.into())];
            let counter: &Counter = &family.get_or_create(&labels);
            counter.inc_by(count);
        }
        family
    }
}

impl Now {
    fn ways(&self) -> (Gauges, Gauges) {
        let (ways, failing) = (Gauges::default(), Gauges::default());
        for one in &self.ways {
            let labels = [("by", one.by.name().into())];
            let set = |of: &Gauges, count| {
                let count = i64::try_from(count).unwrap_or(i64::MAX);
                of.get_or_create(&labels).set(count);
            };
            set(&ways, one.ways);
            set(&failing, one.failing);
        }
        (ways, failing)
    }

    fn gauges(&self) -> impl Iterator<Item = (&'static str, &'static str, i64)> {
        let counted = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let always = [
            (
                "connections",
                "Open connections, sockets excepted",
                counted(self.connections),
            ),
            ("sockets", "Open sockets of pages", counted(self.sockets)),
            (
                "held_requests",
                "Requests that are held, and event streams",
                counted(self.held),
            ),
            (
                "callers",
                "Tokens, people and addresses that the rate limits remember",
                counted(self.callers),
            ),
            (
                "void_decisions",
                "Decisions whose rows say something else than their receipts; any is an alarm",
                counted(self.void),
            ),
            (
                "journal_seq",
                "The number of the newest event",
                self.last_seq,
            ),
        ];
        let signed = self.signed_seq.map(|seq| {
            let help = "How many events the last checkpoint covers";
            ("journal_signed_seq", help, seq)
        });
        let waiting = self.slack_waiting.map(|count| {
            let help = "Messages from Slack that wait to be heard";
            ("slack_messages_waiting", help, count)
        });
        let sockets = self.slack_sockets.map(|(connected, strangers)| {
            let help = "Connections of Socket Mode";
            let of_ours = ("slack_sockets", help, counted(connected));
            let help = "Connections of Socket Mode that Slack counts and that are not ours; clicks get lost there";
            [of_ours, ("slack_strangers", help, strangers.into())]
        });
        always
            .into_iter()
            .chain(signed)
            .chain(waiting)
            .chain(sockets.into_iter().flatten())
    }
}

/// The effect of a changeset on the numbers once it is committed.
#[derive(Debug, Default)]
pub struct Tally {
    asked: Vec<(Kind, Mode)>,
    /// The state, the outcome, and the seconds since it was asked.
    closed: Vec<(&'static str, Outcome, f64)>,
    rungs: Vec<u32>,
    told: Vec<ReachKind>,
    /// By what, and the seconds since the rung.
    arrived: Vec<(ReachKind, f64)>,
    /// What ended it, and the seconds since it was asked.
    silence: Vec<(&'static str, f64)>,
}

impl Tally {
    /// Of a changeset that is about to be committed.
    pub fn of(changeset: &Changeset) -> Self {
        let mut tally = Self::default();
        tally.of_people(changeset);
        for write in &changeset.writes {
            match write {
                Write::Open(opened) => {
                    let request = &opened.request;
                    tally.asked.push((request.kind(), request.mode));
                }
                // Collecting and following up also advance closed interactions.
                Write::Advance(one) if closes(changeset, one) => {
                    let (outcome, at) = (one.state.outcome(), one.state.closed_at());
                    if let (Some(outcome), Some(at)) = (outcome, at) {
                        let seconds = (at - one.created_at).as_seconds_f64().max(0.0);
                        tally.closed.push((one.state.name(), outcome, seconds));
                        // By a person: a deadline and who took it back are no answer.
                        if one.state.name() == "resolved" {
                            tally.silence.push(("answered", seconds));
                        }
                    }
                }
                Write::Advance(_)
                | Write::Erase(_)
                | Write::Task(_)
                | Write::Access(_)
                | Write::Endpoint(_)
                | Write::Reach(_)
                | Write::Tell { .. }
                | Write::Counted(_)
                | Write::Arrived { .. }
                | Write::Ladder(_)
                | Write::Grant(_)
                | Write::Attach(_)
                | Write::Memory(_)
                | Write::Policy(_)
                | Write::Retry { .. }
                | Write::Heard { .. } => {}
            }
        }
        tally
    }
}

impl Tally {
    fn of_people(&mut self, changeset: &Changeset) {
        for event in &changeset.events {
            let Payload::Interaction(what) = &event.payload else {
                continue;
            };
            let asked = event.interaction_id.map(|id| id.0);
            let silent = asked.and_then(|id| since(id, event.at));
            match what {
                InteractionEvent::Climbed { rung, told, .. } => {
                    self.rungs.push(*rung);
                    self.told.extend(told.iter().flat_map(|one| &one.by));
                }
                InteractionEvent::SummedUp { by, .. } => self.told.extend(by),
                InteractionEvent::Reached { by, .. } => {
                    let arrived = changeset.writes.iter().find_map(|write| match write {
                        Write::Arrived { message, at, .. } => since(message.0, *at),
                        _ => None,
                    });
                    self.arrived.extend(arrived.map(|seconds| (*by, seconds)));
                    self.silence
                        .extend(silent.map(|seconds| ("reached", seconds)));
                }
                InteractionEvent::Seen { .. } => {
                    self.silence.extend(silent.map(|seconds| ("seen", seconds)));
                }
                _ => {}
            }
        }
    }
}

/// The seconds since the time with which an id begins, as those of interactions and of messages do.
fn since(id: Uuid, now: DateTime<Utc>) -> Option<f64> {
    let millis = i64::try_from(id.as_u128() >> 80).ok()?;
    let begun = DateTime::from_timestamp_millis(millis)?;
    Some((now - begun).as_seconds_f64().max(0.0))
}

fn closes(changeset: &Changeset, interaction: &Interaction) -> bool {
    changeset
        .events
        .iter()
        .any(|event| event.interaction_id == Some(interaction.id) && event.payload.closes())
}
