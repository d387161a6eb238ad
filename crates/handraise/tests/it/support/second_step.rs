//! Signing in with a second factor, as a browser without scripts does.

use reqwest::{Response, StatusCode, header};

use super::{
    app::TestApp,
    people::{PASSWORD, cookie_of, owned},
};

pub(crate) const SIGN_IN_STEP: &str = "/sign-in/factor";

pub(crate) fn place(response: &Response) -> &str {
    assert_eq!(response.status(), StatusCode::SEE_OTHER);
    response.headers()[header::LOCATION].to_str().unwrap()
}

pub(crate) async fn send(
    app: &TestApp,
    cookie: &str,
    path: &str,
    form: &[(&str, &str)],
) -> Response {
    let form: Vec<_> = form.iter().copied().map(owned).collect();
    app.submit(path, cookie, &form).await
}

/// The password, in a browser that has nothing yet.
pub(crate) async fn password(app: &TestApp, name: &str) -> Response {
    let form = [("name", name), ("password", PASSWORD)];
    send(app, "", "/sign-in", &form).await
}

/// Half signed in: the cookie of the browser.
pub(crate) async fn half(app: &TestApp, name: &str) -> String {
    let response = password(app, name).await;
    assert_eq!(place(&response), SIGN_IN_STEP);
    cookie_of(&response)
}

pub(crate) async fn is_in(app: &TestApp, cookie: &str) -> bool {
    let page = app.get("/").header("cookie", cookie).send().await.unwrap();
    page.status() == StatusCode::OK
}
