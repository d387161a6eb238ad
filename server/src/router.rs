//! Every address of the server.

use std::time::Duration;

use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{delete, get, post, put},
};
use tokio::time::timeout;
use tower_http::catch_panic::CatchPanicLayer;

use crate::{
    a2a,
    api::{openapi, v1},
    auth::{address, agent, browser, same_origin, session},
    book, compression, health, mcp,
    observe::{self, Observer},
    problem::Problem,
    slack_requests, socket,
    state::AppState,
    ui::{self, SECURITY_HEADERS, assets},
};

/// Pages take milliseconds.
const RENDERING: Duration = Duration::from_secs(10);

/// The whole server.
pub fn router(state: AppState) -> Router {
    let pages = ui::routes(&state)
        .layer(middleware::from_fn_with_state(
            state.clone(),
            browser::identify,
        ))
        // Each of these finds out by itself who comes: half signed in is not signed in.
        .merge(ui::factor::routes())
        .merge(ui::quick::routes())
        .layer(middleware::from_fn(in_time))
        // A file takes as long to arrive as any body may.
        .merge(ui::quick::file_routes())
        .layer(middleware::from_fn_with_state(
            state.clone(),
            same_origin::require,
        ));
    let for_browsers = pages
        .route("/ws", get(socket::open))
        .layer(session::layer(&state))
        .layer(middleware::map_response(session::secure));
    let strangers = middleware::from_fn_with_state(state.clone(), address::count);
    let observer = Observer {
        metrics: state.metrics.clone(),
        body_time: state.config.limits.body_time(),
    };
    Router::new()
        .route("/healthz", get(health::lives))
        .route("/readyz", get(health::ready))
        .route("/robots.txt", get(robots))
        // For programs that know the host alone (RFC 8615).
        .route(
            "/.well-known/handraise-keys.json",
            get(v1::keys::get).layer(strangers.clone()),
        )
        .route(
            "/.well-known/agent-card.json",
            get(a2a::card::get).layer(strangers),
        )
        .route("/docs", get(openapi::page::show))
        .route("/docs/search", get(book::search))
        .route("/docs/{page}", get(book::show))
        .merge(metrics(&state))
        .route("/slack/events", post(slack_requests::events))
        .route("/slack/interactivity", post(slack_requests::interactivity))
        .route("/slack/commands", post(slack_requests::commands))
        .route("/pkg/{*path}", get(assets::serve))
        // A service worker has a say where it comes from and below, so it comes from the root.
        .route("/sw.js", get(assets::worker))
        .route("/manifest.webmanifest", get(assets::manifest))
        .nest("/api", api(&state))
        .merge(for_browsers)
        .layer(compression::layer())
        // What rmcp answers says its own length, and what A2A streams is short.
        .merge(agents(&state))
        .layer(CatchPanicLayer::custom(|_| {
            Problem::internal().into_response()
        }))
        .layer(middleware::map_request_with_state(
            state.clone(),
            address::note,
        ))
        .layer(middleware::from_fn_with_state(observer, observe::observe))
        .layer(middleware::map_response_with_state(
            state.config.is_https(),
            security_headers,
        ))
        .with_state(state)
}

/// There is nothing to find without signing in.
async fn robots() -> &'static str {
    "User-agent: *\nAllow: /\n"
}

/// Open to everybody, but not at any pace, unless it has an address of its own.
fn metrics(state: &AppState) -> Router<AppState> {
    if state.config.metrics_addr.is_some() {
        return Router::new();
    }
    let strangers = middleware::from_fn_with_state(state.clone(), address::count);
    Router::new().route("/metrics", get(health::metrics).layer(strangers))
}

fn api(state: &AppState) -> Router<AppState> {
    let strangers = middleware::from_fn_with_state(state.clone(), address::count);
    Router::new()
        .route(
            "/v1/interactions",
            post(v1::interactions::create).get(v1::interactions::list),
        )
        .route("/v1/interactions/cancel", post(v1::cancel::cancel_session))
        .route("/v1/interactions/{id}", get(v1::poll::get))
        .route("/v1/interactions/{id}/answer", post(v1::answer::answer))
        .route("/v1/attachments", post(v1::attachments::send))
        .route(
            "/v1/interactions/{id}/attachments/{place}",
            get(v1::attachments::of_ask),
        )
        .route(
            "/v1/interactions/{id}/answer/attachments/{place}",
            get(v1::attachments::of_answer),
        )
        .route("/v1/interactions/{id}/receipt", get(v1::receipt::get))
        .route("/v1/interactions/{id}/cancel", post(v1::cancel::cancel))
        .route("/v1/interactions/{id}/collect", post(v1::collect::collect))
        .route("/v1/interactions/{id}/consume", post(v1::consume::consume))
        .route("/v1/interactions/{id}/report", post(v1::report::report))
        .route(
            "/v1/interactions/{id}/claim",
            post(v1::claim::claim).delete(v1::claim::release),
        )
        .route(
            "/v1/interactions/{id}/follow_up",
            post(v1::follow_up::follow_up),
        )
        .route("/v1/interactions/{id}/dismiss", post(v1::dismiss::dismiss))
        .route("/v1/interactions/{id}/grants", get(v1::grants::offers))
        .route("/v1/grants", get(v1::grants::list).post(v1::grants::make))
        .route("/v1/grants/preview", post(v1::grants::preview))
        .route(
            "/v1/grants/{id}",
            get(v1::grants::get).delete(v1::grants::revoke),
        )
        .route(
            "/v1/memories",
            get(v1::memories::list).post(v1::memories::keep),
        )
        .route(
            "/v1/memories/{id}",
            get(v1::memories::get).delete(v1::memories::revoke),
        )
        .route(
            "/v1/policies",
            get(v1::policies::get).post(v1::policies::add),
        )
        .route("/v1/policies/check", post(v1::policies::check))
        .route("/v1/insights", get(v1::insights::get))
        .route("/v1/insights/{table}", get(v1::insights::table))
        .route("/v1/sessions/end", post(v1::sessions::end))
        .route("/v1/tasks", get(v1::tasks::list))
        .route("/v1/tasks/{id}", put(v1::tasks::put).get(v1::tasks::get))
        .route("/v1/events", get(v1::events::list))
        .route("/v1/callback_secret", get(v1::callback_secret::get))
        .route("/v1/hooks", post(v1::hooks::create).get(v1::hooks::list))
        .route("/v1/hooks/sample", get(v1::hooks::sample))
        .route("/v1/hooks/{id}", delete(v1::hooks::delete))
        .route("/v1/deliveries", get(v1::deliveries::list))
        .route("/v1/deliveries/{id}/retry", post(v1::deliveries::retry))
        .route("/v1/ladder", get(v1::ladder::get))
        .route("/v1/teams/{id}/ladder", get(v1::ladder::of_team))
        .route("/v1/teams/{id}/duty", get(v1::duty::get))
        .route("/v1/teams/{id}/duty.ics", get(v1::duty::calendar))
        .route("/v1/keys", get(v1::keys::get).layer(strangers))
        .route("/v1/openapi.json", get(openapi::serve))
        .fallback(async || Problem::no_route())
        .method_not_allowed_fallback(async || Problem::method_not_allowed())
}

/// The doors of agents that speak a protocol.
fn agents(state: &AppState) -> Router<AppState> {
    let door = middleware::from_fn_with_state(state.clone(), agent::open);
    Router::new()
        .route_service("/mcp", mcp::service(state))
        .route("/a2a", post(a2a::call))
        .layer(door)
}

/// A page that is not rendered in time never will be: the browser is asked to try again.
async fn in_time(request: Request, next: Next) -> Response {
    if let Ok(response) = timeout(RENDERING, next.run(request)).await {
        return response;
    }
    tracing::error!("a page was not rendered in time");
    let mut response = Problem::not_in_time().into_response();
    response
        .headers_mut()
        .insert(header::REFRESH, HeaderValue::from_static("1"));
    response
}

async fn security_headers(State(https): State<bool>, mut response: Response) -> Response {
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        for (name, value) in SECURITY_HEADERS {
            response.headers_mut().insert(name, value);
        }
        if https {
            // This name alone: what else has a name below it is not ours to decide about.
            response.headers_mut().insert(
                header::STRICT_TRANSPORT_SECURITY,
                HeaderValue::from_static("max-age=31536000"),
            );
        }
    }
    response
}
