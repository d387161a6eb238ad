//! Pages as a browser without scripts has them: read, sent and followed back.

use reqwest::{RequestBuilder, StatusCode, header};

use super::app::TestApp;

pub(crate) async fn page(request: RequestBuilder, status: StatusCode) -> String {
    let response = request.send().await.unwrap();
    let found = response.status();
    // Without the marks by which leptos finds its places again.
    let text = response.text().await.unwrap().replace("<!>", "");
    assert_eq!(found, status, "{text}");
    text
}

pub(crate) async fn read(app: &TestApp, cookie: &str, path: &str) -> String {
    page(app.get(path).header("cookie", cookie), StatusCode::OK).await
}

/// Sends a form as a browser without scripts does, and follows it back.
pub(crate) async fn send(
    app: &TestApp,
    cookie: &str,
    from: &str,
    call: &str,
    form: &[(&str, &str)],
) -> String {
    let sent = app
        .post(&format!("/ui/{call}"))
        .header("cookie", cookie)
        .header(header::ORIGIN, app.url(""))
        .header(header::ACCEPT, "text/html")
        .header(header::REFERER, app.url(from))
        .form(form);
    let response = sent.send().await.unwrap();
    assert_eq!(response.status(), StatusCode::FOUND, "{call}");
    let place = response.headers()[header::LOCATION].to_str().unwrap();
    let place = place.strip_prefix(&app.url("")).unwrap_or(place).to_owned();
    read(app, cookie, &place).await
}

pub(crate) fn holds(html: &str, parts: &[&str]) {
    for part in parts {
        assert!(html.contains(part), "{part} is not in {html}");
    }
}
