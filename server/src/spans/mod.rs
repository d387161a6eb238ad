//! Spans for a collector of traces, if the settings name one: OTLP by HTTP. `docs/tracing.md` says what they tell.
//!
//! What the server does is a span of the `tracing` crate ([`own`]), which a layer beside the log hands to a [`queue`]. The
//! time that people take is one of the agent's own trace ([`wait`]), and may be days: nothing in memory lasts so long, so it
//! is made of the journal once it is over ([`follow`]), by whichever node comes by.

mod exporter;
mod follow;
pub(crate) mod own;
mod queue;
mod wait;

use std::{sync::Arc, time::Duration};

use opentelemetry::{InstrumentationScope, KeyValue, trace::TracerProvider};
use opentelemetry_sdk::{
    Resource,
    trace::{Sampler, SdkTracerProvider},
};
use service::{Service, metrics::SpanCounts, spans::TARGET};
use tokio::time::timeout;
use tracing::Subscriber;
use tracing_subscriber::{
    Layer,
    filter::{LevelFilter, filter_fn},
    registry::LookupSpan,
};

use crate::config::TracingSettings;
use exporter::Exporter;
use follow::Follower;
use queue::Queue;

/// The name and the version of what makes the spans.
fn scope() -> InstrumentationScope {
    InstrumentationScope::builder("handraise")
        .with_version(env!("CARGO_PKG_VERSION"))
        .build()
}

/// What becomes of spans in this process.
#[derive(Debug)]
pub struct Spans {
    exporter: Arc<Exporter>,
    queue: Queue,
    provider: SdkTracerProvider,
    follower: Follower,
}

impl Spans {
    /// Sends spans to the collector that the settings name; `None` when they name none. `instance` tells this process from
    /// others. To be called where tasks can be spawned.
    ///
    /// # Errors
    /// When no HTTP client can be set up.
    pub fn start(settings: &TracingSettings, instance: String) -> anyhow::Result<Option<Self>> {
        let Some(address) = settings.address() else {
            return Ok(None);
        };
        let resource = Resource::builder()
            .with_service_name(settings.service_name.clone())
            .with_attributes([
                KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
                KeyValue::new("service.instance.id", instance),
            ])
            .build();
        let exporter = Exporter::new(address, settings.header_map(), &resource)?;
        let exporter = Arc::new(exporter);
        let (queue, intake) = Queue::start(Arc::clone(&exporter));
        let part = Sampler::TraceIdRatioBased(settings.sample);
        let provider = SdkTracerProvider::builder()
            .with_resource(resource)
            .with_sampler(Sampler::ParentBased(Box::new(part)))
            .with_span_processor(intake)
            .build();
        Ok(Some(Self {
            follower: Follower::new(Arc::clone(&exporter)),
            exporter,
            queue,
            provider,
        }))
    }

    /// Takes the spans of the server, and nothing else that is logged.
    pub fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'span> LookupSpan<'span>,
    {
        let ours = filter_fn(|it| it.is_span() && it.target() == TARGET);
        tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer_with_scope(scope()))
            .with_location(false)
            .with_threads(false)
            .with_level(false)
            .with_target(false)
            .with_tracked_inactivity(false)
            // Where a span belongs may turn out while it lasts (`own::find_its_trace`): it is not begun by being entered.
            .with_context_activation(false)
            .with_filter(ours.with_max_level_hint(LevelFilter::INFO))
    }

    /// Begins to follow the journal, where it was not followed before.
    pub(crate) async fn begin(&self, service: &Service) {
        self.follower.begin(service).await;
    }

    /// Tells of waits that are over, as far as no other node does.
    pub(crate) async fn tell_waits(&self, service: &Service) {
        self.follower.tell_waits(service).await;
    }

    /// Sends what there is, for so long at most.
    pub(crate) async fn flush(&self, service: &Service, within: Duration) {
        let all = futures::future::join(self.tell_waits(service), self.queue.flush());
        if timeout(within, all).await.is_err() {
            tracing::warn!("some spans did not go out in time");
        }
    }

    /// What became of spans since the start.
    pub(crate) fn counts(&self) -> SpanCounts {
        self.exporter.counts()
    }
}
