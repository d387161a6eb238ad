//! Who is signed in with a browser.

use axum::{
    body::to_bytes,
    extract::{Request, State},
    http::{HeaderMap, Method, Uri, header, uri::PathAndQuery},
    middleware::Next,
    response::{IntoResponse, Redirect, Response},
};
use domain::limits;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use service::{Service, SignedIn};
use tower_sessions::Session;

use crate::{
    auth::{address::ClientAddress, session},
    body::why_unread,
    observe,
    problem::Problem,
    state::AppState,
};

/// Middleware of the pages: finds out who is signed in, as an extension [`SignedIn`]. A stranger gets
/// the sign-in page, and from there to where they wanted to go.
pub async fn identify(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let Some(session) = request.extensions().get::<Session>().cloned() else {
        return Problem::internal().into_response();
    };
    let person = match person(&state.service, &session, request.headers()).await {
        Ok(person) => person,
        Err(problem) => return problem.into_response(),
    };
    if let Err(problem) = count(&state, person.as_ref(), &request) {
        return problem.into_response();
    }
    let person = match person {
        Some(_) if request.method() == Method::POST => {
            match after_the_body(&state, &session, request).await {
                Ok((person, whole)) => {
                    request = whole;
                    person
                }
                Err(problem) => return problem.into_response(),
            }
        }
        person => person,
    };
    match person {
        Some(person) => {
            request.extensions_mut().insert(person);
        }
        None if is_page(request.uri().path()) => {
            return Redirect::to(&sign_in_for(request.uri())).into_response();
        }
        None => {}
    }
    next.run(request).await
}

/// Who it is when all of the request is there: a body may be sent long after its headers.
async fn after_the_body(
    state: &AppState,
    session: &Session,
    request: Request,
) -> Result<(Option<SignedIn>, Request), Problem> {
    let (parts, body) = request.into_parts();
    let bytes = to_bytes(body, limits::BODY_BYTES)
        .await
        .map_err(|error| why_unread(&error))?;
    let person = signed_in(&state.service, session, &parts.headers).await?;
    Ok((person, Request::from_parts(parts, bytes.into())))
}

/// Counts a request by the person, since colleagues share an office's address, or by the address.
fn count(state: &AppState, who: Option<&SignedIn>, request: &Request) -> Result<(), Problem> {
    match (who, request.extensions().get::<ClientAddress>()) {
        (Some(who), _) => state.limits.count_person(who.person.id)?,
        (None, Some(address)) => state.limits.count_stranger(address.0)?,
        (None, None) => {}
    }
    Ok(())
}

/// Who is signed in there.
///
/// # Errors
/// When the database fails.
pub async fn person(
    service: &Service,
    session: &Session,
    headers: &HeaderMap,
) -> Result<Option<SignedIn>, Problem> {
    let who = signed_in(service, session, headers).await?;
    if let Some(who) = &who {
        observe::is_person(who.person.id);
    }
    Ok(who)
}

async fn signed_in(
    service: &Service,
    session: &Session,
    headers: &HeaderMap,
) -> Result<Option<SignedIn>, Problem> {
    match session::cookie(session) {
        Some(cookie) => Ok(service.signed_in(&cookie, &host(headers)).await?),
        None => Ok(None),
    }
}

/// The browser's name for this server, without the port: cookies know none either.
pub fn host(headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST);
    let host = host.and_then(|host| host.to_str().ok()).unwrap_or_default();
    // The colons in an address of IPv6 stand in brackets.
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    name.to_ascii_lowercase()
}

fn is_page(path: &str) -> bool {
    // A link is one plain segment; `..` and its encodings could lead on to a page.
    let open = match path.strip_prefix("/sign-in") {
        Some("") => true,
        Some(rest) => rest.strip_prefix('/').is_some_and(|link| {
            link.bytes().all(|byte| byte.is_ascii_alphanumeric()) || is_way_of_provider(link)
        }),
        None => false,
    };
    !open && !path.starts_with("/ui/") && path != "/sign-out" && path != "/accept-link"
}

/// There, or back.
fn is_way_of_provider(rest: &str) -> bool {
    let key = rest.strip_prefix("with/").unwrap_or_default();
    let key = key.strip_suffix("/back").unwrap_or(key);
    let is_fit = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !key.is_empty() && key.bytes().all(is_fit)
}

pub(crate) fn sign_in_for(uri: &Uri) -> String {
    match uri.path_and_query().map(PathAndQuery::as_str) {
        None | Some("/") => "/sign-in".to_owned(),
        Some(wanted) => {
            let wanted = utf8_percent_encode(wanted, NON_ALPHANUMERIC);
            format!("/sign-in?next={wanted}")
        }
    }
}

/// Where to go after signing in. Only pages of this server: a link must not lead elsewhere through us.
pub fn after_sign_in(wanted: Option<&str>) -> &str {
    let ours = |wanted: &&str| {
        wanted.starts_with('/')
            && !wanted.starts_with("//")
            && wanted
                .bytes()
                .all(|byte| byte.is_ascii_graphic() && byte != b'\\')
            && is_page(wanted)
    };
    wanted.filter(ours).unwrap_or("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_has_one_name_whatever_its_port() {
        for (sent, name) in [
            ("handraise.localhost:3000", "handraise.localhost"),
            ("Handraise.Example", "handraise.example"),
            ("127.0.0.1:3000", "127.0.0.1"),
            ("[::1]:3000", "[::1]"),
            ("[::1]", "[::1]"),
            ("", ""),
        ] {
            let headers = HeaderMap::from_iter([(header::HOST, sent.parse().unwrap())]);
            assert_eq!(host(&headers), name, "{sent}");
        }
        assert_eq!(host(&HeaderMap::new()), "");
    }

    #[test]
    fn signing_in_leads_to_pages_of_ours_only() {
        for wanted in ["/blockers/1?a=b", "/history"] {
            assert_eq!(after_sign_in(Some(wanted)), wanted);
            let back = sign_in_for(&wanted.parse().unwrap());
            assert!(back.starts_with("/sign-in?next=%2F"), "{back}");
        }
        for wanted in [
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "javascript:alert(1)",
            "/a\r\nSet-Cookie: x",
            "/ui/answer-blocker",
            "/sign-out",
            "/sign-in/with/company",
            "/sign-in/with/company/back",
            "",
        ] {
            assert_eq!(after_sign_in(Some(wanted)), "/");
        }
        assert_eq!(after_sign_in(None), "/");
    }
}
