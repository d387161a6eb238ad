//! The spans of the server itself. Without a collector they are none, and cost nothing.

use axum::http::HeaderMap;
use domain::{
    Interaction, TraceParent,
    delivery::{DestinationKind, TryResult},
    interaction::Kind,
};
use opentelemetry::{Context, trace::TraceContextExt};
use service::spans::TARGET;
use store::{Claimed, Store};
use tracing::{
    Span,
    field::{self, Empty},
};
use tracing_opentelemetry::OpenTelemetrySpanExt;

use super::wait;
use crate::{delivery::courier::Sent, traceparent};

/// Of a request that has just come in, in the trace that it names, if it names one.
pub(crate) fn request(method: &'static str, route: &str, headers: &HeaderMap) -> Span {
    let span = tracing::info_span!(
        target: TARGET,
        parent: None,
        "request",
        otel.name = %format_args!("{method} {route}"),
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = method,
        http.route = route,
        http.response.status_code = Empty,
        error.type = Empty,
    );
    if !span.is_disabled()
        && let Some(parent) = traceparent::of(headers)
    {
        // Fails only where nobody listens.
        let _ = span.set_parent(remote(parent));
    }
    span
}

/// It was answered so; `code` is that of the problem.
pub(crate) fn answered(span: &Span, status: u16, code: Option<&'static str>) {
    span.record("http.response.status_code", i64::from(status));
    if let Some(code) = code {
        span.record("error.type", code);
    }
    if status >= 500 {
        span.record("otel.status_code", "ERROR");
    }
}

/// Of deliveries to one destination, as they are tried together.
pub(crate) fn delivery(kind: DestinationKind, deliveries: usize) -> Span {
    tracing::info_span!(
        target: TARGET,
        parent: None,
        "delivery",
        otel.name = %format_args!("deliver {}", kind.name()),
        otel.kind = "client",
        handraise.destination = kind.name(),
        handraise.deliveries = deliveries as i64,
        handraise.interaction.id = Empty,
        http.response.status_code = Empty,
        otel.status_code = Empty,
    )
}

/// Puts the span of a delivery that is under way into the trace in which its interaction was asked: below the time that people
/// take, if it takes any.
pub(crate) async fn find_its_trace(store: &dyn Store, claimed: &[Claimed]) {
    let span = Span::current();
    let (false, [one]) = (span.is_disabled(), claimed) else {
        // Several may be of several traces.
        return;
    };
    let event = store.event(one.delivery.event_seq).await;
    let about = event.ok().flatten().and_then(|event| event.interaction_id);
    let Some(id) = about else {
        return;
    };
    span.record("handraise.interaction.id", field::display(id));
    let interaction = store.interaction(id).await.ok().flatten();
    if let Some(parent) = interaction.and_then(|about| parent_of_deliveries(&about)) {
        // Fails only where nobody listens.
        let _ = span.set_parent(remote(parent));
    }
}

fn parent_of_deliveries(about: &Interaction) -> Option<TraceParent> {
    let asked_in = about.request.trace?;
    Some(match about.request.kind() {
        Kind::Notification => asked_in,
        _ => asked_in.waiting_for(about.id),
    })
}

/// The place from which the receiver of the delivery goes on that is under way: its span, or where there are none, the place in
/// which the agent asked.
pub(crate) fn place_of_receiver(about: &Interaction) -> Option<TraceParent> {
    place(&Span::current()).or(about.request.trace)
}

/// What came of the deliveries that are under way.
pub(crate) fn tried(outcomes: &[(Claimed, Option<Sent>)]) {
    let span = Span::current();
    if let [(_, Some(sent))] = outcomes
        && let TryResult::Status { code, .. } = sent.reply
    {
        span.record("http.response.status_code", i64::from(code));
    }
    let failed = |sent: &Option<Sent>| {
        sent.as_ref()
            .is_none_or(|sent| sent.reply.tells_of_health() && !sent.reply.is_success())
    };
    if outcomes.iter().any(|(_, sent)| failed(sent)) {
        span.record("otel.status_code", "ERROR");
    }
}

/// The place of a span, if it is one of those that go to a collector.
fn place(span: &Span) -> Option<TraceParent> {
    let context = span.context();
    let context = context.span().span_context().clone();
    context.is_valid().then(|| TraceParent {
        trace_id: context.trace_id().to_bytes(),
        span_id: context.span_id().to_bytes(),
        flags: context.trace_flags().to_u8(),
    })
}

fn remote(parent: TraceParent) -> Context {
    Context::new().with_remote_span_context(wait::context(parent, true))
}
