//! `/docs/...`: the book, as it is in `docs/`, beside the description of the API: offline, and searchable.

mod pages;
mod search;

use axum::{
    extract::{Path, Query, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Redirect, Response},
};
use serde::Deserialize;

use crate::{
    plain_page::{html::Text, plain_page},
    state::AppState,
};
use pages::{BOOK, Page};

/// Longer ones are no words that anybody looks for.
const LONGEST_QUERY: usize = 200;

/// The words to look for.
#[derive(Deserialize)]
pub(crate) struct Wanted {
    #[serde(default)]
    q: String,
}

/// A page of the book.
pub(crate) async fn show(
    State(state): State<AppState>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Response {
    // As it is called in a folder of files.
    if let Some(name) = name.strip_suffix(".md") {
        return Redirect::permanent(&format!("/docs/{name}")).into_response();
    }
    let Some(page) = BOOK.iter().find(|page| page.name == name) else {
        let body = within(&format!(
            "<h1>No such page</h1><p>The book has no page of this name.</p>{}",
            contents()
        ));
        let page = plain_page(&state, &headers, "No such page", SKIP, &body);
        return (StatusCode::NOT_FOUND, page).into_response();
    };
    plain_page(&state, &headers, &page.title, SKIP, &within(&page.html))
}

/// The parts of the book that have these words.
pub(crate) async fn search(
    State(state): State<AppState>,
    Query(Wanted { q }): Query<Wanted>,
    headers: HeaderMap,
) -> Response {
    let wanted: String = q.chars().take(LONGEST_QUERY).collect();
    let found = search::find(&wanted);
    let mut body = format!("<h1>{}</h1>", heading(found.len(), &wanted));
    match found.is_empty() {
        true => body.push_str(&contents()),
        false => {
            body.push_str("<ul class=\"found\">");
            for part in found {
                body.push_str(&format!(
                    "<li><a href=\"{}\">{}</a><p>{}</p></li>",
                    Text(&part.address),
                    Text(&part.title),
                    part.excerpt
                ));
            }
            body.push_str("</ul>");
        }
    }
    plain_page(&state, &headers, "Search", SKIP, &within(&body))
}

const SKIP: (&str, &str) = ("page", "To the page");

fn within(html: &str) -> String {
    format!("<main class=\"docs-page book\" id=\"page\">{html}</main>")
}

fn heading(found: usize, wanted: &str) -> String {
    if wanted.trim().is_empty() {
        return "The book".to_owned();
    }
    let wanted = format!("“<bdi>{}</bdi>”", Text(wanted.trim()));
    match found {
        0 => format!("Nothing in the book has {wanted}"),
        1 => format!("One part has {wanted}"),
        search::MOST => format!("The first {found} parts that have {wanted}"),
        found => format!("{found} parts have {wanted}"),
    }
}

/// Every page with its title.
fn contents() -> String {
    let link = |page: &Page| {
        format!(
            "<li><a href=\"/docs/{}\">{}</a></li>",
            page.name,
            Text(&page.title)
        )
    };
    format!("<ul>{}</ul>", BOOK.iter().map(link).collect::<String>())
}
