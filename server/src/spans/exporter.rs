//! Sends spans to the collector: one request of OTLP by HTTP. A collector that is not there is nothing to the server: it is
//! counted, and told once.

use std::{
    error::Error,
    fmt,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use anyhow::Context;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header::CONTENT_TYPE};
use machine::tls;
use opentelemetry_proto::{
    tonic::collector::trace::v1::{ExportTraceServiceRequest, ExportTraceServiceResponse},
    transform::{
        common::tonic::ResourceAttributesWithSchema,
        trace::tonic::group_spans_by_resource_and_scope,
    },
};
use opentelemetry_sdk::{Resource, trace::SpanData};
use prost::Message;
use reqwest::{Client, redirect::Policy};
use service::metrics::SpanCounts;
use url::Url;

/// How long a request may take.
const IN_TIME: Duration = Duration::from_secs(5);
/// How much of an answer is read.
const ANSWER_BYTES: usize = 64 * 1024;
/// Asked for by the specification.
const PROTOBUF: HeaderValue = HeaderValue::from_static("application/x-protobuf");

/// Why spans are not with the collector.
#[derive(Debug)]
pub(super) enum NotTaken {
    /// The same may be taken later.
    Later,
    /// These never will be.
    Never,
}

/// The way to the collector.
pub(super) struct Exporter {
    client: Client,
    address: Url,
    headers: HeaderMap,
    resource: ResourceAttributesWithSchema,
    exported: AtomicU64,
    failed: AtomicU64,
    dropped: AtomicU64,
    /// Why nothing could be sent since the last time that something could, and how many had failed before.
    outage: Mutex<Option<Outage>>,
}

struct Outage {
    failed_before: u64,
}

impl fmt::Debug for Exporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exporter")
            .field("address", &self.address.as_str())
            .finish_non_exhaustive()
    }
}

impl Exporter {
    pub(super) fn new(
        address: Url,
        headers: HeaderMap,
        resource: &Resource,
    ) -> anyhow::Result<Self> {
        let client = Client::builder()
            .tls_backend_preconfigured(tls::client_config()?)
            .redirect(Policy::none())
            .no_proxy()
            .timeout(IN_TIME)
            .user_agent(concat!("Handraise/", env!("CARGO_PKG_VERSION")))
            .build()
            .context("cannot set up the HTTP client")?;
        Ok(Self {
            client,
            address,
            headers,
            resource: resource.into(),
            exported: AtomicU64::default(),
            failed: AtomicU64::default(),
            dropped: AtomicU64::default(),
            outage: Mutex::default(),
        })
    }

    /// Sends spans, once.
    pub(super) async fn export(&self, spans: &[SpanData]) -> Result<(), NotTaken> {
        let resource_spans = group_spans_by_resource_and_scope(spans.to_vec(), &self.resource);
        let body = ExportTraceServiceRequest { resource_spans }.encode_to_vec();
        let request = self.client.post(self.address.clone());
        let request = request.headers(self.headers.clone());
        let sent = request.header(CONTENT_TYPE, PROTOBUF).body(body).send();
        let mut response = match sent.await {
            Ok(response) => response,
            Err(error) => {
                self.fails(&last_cause(&error));
                return Err(NotTaken::Later);
            }
        };
        let status = response.status();
        if !status.is_success() {
            self.fails(&format!("the collector answered {}", status.as_u16()));
            return Err(match status {
                StatusCode::BAD_REQUEST
                | StatusCode::PAYLOAD_TOO_LARGE
                | StatusCode::UNPROCESSABLE_ENTITY => NotTaken::Never,
                _ => NotTaken::Later,
            });
        }
        let mut answer = Vec::new();
        while answer.len() < ANSWER_BYTES
            && let Ok(Some(chunk)) = response.chunk().await
        {
            answer.extend_from_slice(&chunk);
        }
        // One that does not say so has taken all.
        let said = ExportTraceServiceResponse::decode(&*answer).unwrap_or_default();
        let rejected = said.partial_success.map_or(0, |part| part.rejected_spans);
        let rejected = u64::try_from(rejected).unwrap_or(0);
        self.works();
        self.failed.fetch_add(rejected, Ordering::Relaxed);
        let taken = (spans.len() as u64).saturating_sub(rejected);
        self.exported.fetch_add(taken, Ordering::Relaxed);
        Ok(())
    }

    /// So many are given up.
    pub(super) fn give_up(&self, spans: usize) {
        self.failed.fetch_add(spans as u64, Ordering::Relaxed);
    }

    /// One more has found no room.
    pub(super) fn drop_one(&self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether the last request found no collector.
    pub(super) fn is_out(&self) -> bool {
        let outage = self.outage.lock();
        outage.unwrap_or_else(PoisonError::into_inner).is_some()
    }

    pub(super) fn counts(&self) -> SpanCounts {
        SpanCounts {
            exported: self.exported.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
            dropped: self.dropped.load(Ordering::Relaxed),
        }
    }

    /// Told once, until something arrives again.
    fn fails(&self, why: &str) {
        let mut outage = self.outage.lock().unwrap_or_else(PoisonError::into_inner);
        if outage.is_none() {
            let failed_before = self.lost();
            *outage = Some(Outage { failed_before });
            tracing::warn!(
                why,
                "spans do not reach their collector; handraise_spans counts those that are lost"
            );
        }
    }

    fn works(&self) {
        let mut outage = self.outage.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(outage) = outage.take() {
            let lost = self.lost() - outage.failed_before;
            tracing::info!(lost, "spans reach their collector again");
        }
    }

    fn lost(&self) -> u64 {
        self.failed.load(Ordering::Relaxed) + self.dropped.load(Ordering::Relaxed)
    }
}

/// It says most, and not the address.
fn last_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    match error.is_timeout() {
        true => "no answer in time".to_owned(),
        false => cause.to_string(),
    }
}
