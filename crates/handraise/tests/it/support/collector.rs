//! A collector of traces: takes OTLP by HTTP, and knows what it was sent.

use std::{collections::VecDeque, sync::Mutex};

use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest,
    common::v1::{KeyValue, any_value::Value},
    trace::v1::Span,
};
use prost::Message;
use serde_json::json;

use super::receiver::{Got, Manner, Receiver};

/// Listens on loopback until it is dropped.
pub(crate) struct Collector {
    pub(crate) receiver: Receiver,
    come: Mutex<VecDeque<Span>>,
}

impl Collector {
    /// With its manners, request by request; after them it takes all.
    pub(crate) async fn start(manners: impl IntoIterator<Item = Manner>) -> Self {
        Self {
            receiver: Receiver::start(manners).await,
            come: Mutex::default(),
        }
    }

    pub(crate) fn endpoint(&self) -> String {
        format!("http://{}", self.receiver.addr)
    }

    /// The next span of this name, when it comes; those before it are passed over.
    pub(crate) async fn span(&self, name: &str) -> Span {
        loop {
            let next = self.next().await;
            if next.name == name {
                return next;
            }
        }
    }

    /// The next span, when it comes.
    pub(crate) async fn next(&self) -> Span {
        loop {
            if let Some(span) = self.come.lock().unwrap().pop_front() {
                return span;
            }
            let got = self.receiver.wait().await;
            self.come.lock().unwrap().extend(spans(&got));
        }
    }
}

/// What a request brought.
pub(crate) fn spans(got: &Got) -> Vec<Span> {
    assert_eq!(got.path, "/v1/traces");
    assert_eq!(got.headers["content-type"], "application/x-protobuf");
    let sent = ExportTraceServiceRequest::decode(&*got.bytes).unwrap();
    let of_resources = sent.resource_spans.into_iter();
    of_resources
        .flat_map(|of_resource| of_resource.scope_spans)
        .flat_map(|of_scope| of_scope.spans)
        .collect()
}

/// Attributes, by their names.
pub(crate) fn named(attributes: &[KeyValue]) -> serde_json::Value {
    let named = attributes.iter().map(|one| {
        let value = one.value.clone().and_then(|value| value.value);
        let value = match value {
            Some(Value::StringValue(text)) => json!(text),
            Some(Value::IntValue(number)) => json!(number),
            other => panic!("{other:?}"),
        };
        (one.key.clone(), value)
    });
    named.collect::<serde_json::Map<_, _>>().into()
}

/// The name of a span as it stands in a trace: of its trace, and its own.
pub(crate) fn place(span: &Span) -> String {
    format!("{}-{}", hex(&span.trace_id), hex(&span.span_id))
}

/// The same of what it is part of.
pub(crate) fn parent(span: &Span) -> String {
    format!("{}-{}", hex(&span.trace_id), hex(&span.parent_span_id))
}

fn hex(bytes: &[u8]) -> String {
    domain::digest::hex(bytes)
}
