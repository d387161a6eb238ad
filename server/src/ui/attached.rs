//! Files of a question and of its answer: how they stand on the page, and where a browser gets them.

use std::{fmt::Write, time::Duration};

use app::{error::UiError, view::harmless};
use axum::{
    Extension, Router,
    extract::{Path, State},
    response::Response,
    routing::get,
};
use domain::{
    Interaction, InteractionId, Refused, State as Stage,
    attachment::{Attachment, Media, Part},
};
use service::{ServiceError, SignedIn};
use tokio::time::{Instant, timeout_at};

use super::{action, backend::ForPerson, blocker::made};
use crate::{plain_page::html::Text, problem::Problem, served_file, state::AppState};

/// Beside what is not decided, a text that is longer is only offered to be saved.
const SHOWN_BYTES: u64 = 64 * 1024;
/// So long a page waits for all files of a part. Whatever has become of the place where they are, what is asked has to stand
/// there, and can be denied.
const FETCHING: Duration = Duration::from_secs(3);

/// Where they are.
pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/interactions/{id}/attachments/{place}", get(of_ask))
        .route(
            "/interactions/{id}/answer/attachments/{place}",
            get(of_answer),
        )
}

async fn of_ask(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    Path(path): Path<(String, String)>,
) -> Result<Response, Problem> {
    found(&state, &who, Part::Ask, path).await
}

async fn of_answer(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    Path(path): Path<(String, String)>,
) -> Result<Response, Problem> {
    found(&state, &who, Part::Answer, path).await
}

async fn found(
    state: &AppState,
    who: &SignedIn,
    part: Part,
    (id, place): (String, String),
) -> Result<Response, Problem> {
    let id: InteractionId = id.parse().map_err(|_| Problem::not_found())?;
    let place = place.parse().map_err(|_| Problem::not_found())?;
    let reader = who.principal();
    let (attachment, bytes) = state.service.file(id, part, place, &reader).await?;
    Ok(served_file::response(&attachment, bytes))
}

impl ForPerson {
    /// The files of a part of an interaction, as HTML: every one whole where it is decided on (rule 11), and a word where
    /// one cannot be shown, behind which the page takes no decision. Nothing where there are none.
    pub(super) async fn files(
        &self,
        interaction: &Interaction,
        part: Part,
    ) -> Result<String, UiError> {
        let (files, heading, way): (&[Attachment], _, _) = match (part, &interaction.state) {
            (Part::Ask, _) => (interaction.request.attached(), "Attachments", ""),
            (Part::Answer, Stage::Resolved { answer }) => {
                (&answer.attachments, "Sent with the answer", "/answer")
            }
            (Part::Answer, _) => (&[], "", ""),
        };
        if files.is_empty() || interaction.erased.is_some() {
            return Ok(String::new());
        }
        let mut html = format!(
            "<section class=\"ours attached\" aria-label=\"{heading}\"><h3 class=\"part-title\">{heading}</h3>"
        );
        let until = Instant::now() + FETCHING;
        for (place, file) in files.iter().enumerate() {
            let url = format!("/interactions/{}{way}/attachments/{place}", interaction.id);
            let whole = self
                .file(interaction, part, place, file, &url, until)
                .await?;
            // Writing to a string cannot fail.
            let _ = write!(
                html,
                "<div class=\"attached-file\"><p class=\"attached-name\"><bdi>{name}</bdi> · {kind} · {size} · \
                 <a href=\"{url}\" target=\"_blank\" rel=\"external noopener\">{open}</a></p>{whole}\
                 <p class=\"attached-hash\">sha256 {hash}</p></div>",
                name = Text(&harmless(&file.name)),
                kind = in_a_word(file.media),
                size = file.size_in_words(),
                open = if file.media.is_picture() {
                    "Open at full size"
                } else {
                    "Save"
                },
                hash = Text(&file.sha256),
            );
        }
        html.push_str("</section>");
        Ok(html)
    }

    async fn file(
        &self,
        interaction: &Interaction,
        part: Part,
        place: usize,
        file: &Attachment,
        url: &str,
        until: Instant,
    ) -> Result<String, UiError> {
        let is_decided_on = part == Part::Ask && interaction.asks_for_a_decision();
        let is_picture = file.media.is_picture();
        if !is_picture && !is_decided_on && file.size > SHOWN_BYTES {
            return Ok("<p class=\"attached-note\">It is too long to stand here.</p>".to_owned());
        }
        let service = &self.state.service;
        let fetching = async {
            match is_picture {
                // The browser fetches it.
                true => {
                    let found = service.find_file(interaction, part, place);
                    found.await.map(|()| None)
                }
                false => service.bytes_of(interaction, part, place).await.map(Some),
            }
        };
        let picture = || {
            format!(
                "<img class=\"attached-picture\" src=\"{url}\" alt=\"{}\" decoding=\"sync\">",
                Text(&harmless(&file.name))
            )
        };
        let bytes = match timeout_at(until, fetching).await {
            Ok(Ok(Some(bytes))) => bytes,
            Ok(Ok(None)) => return Ok(picture()),
            not_there => {
                let said = not_shown(not_there.ok().and_then(Result::err));
                // The page takes no yes while a picture in it is not there, and a text is none: whatever could not be read
                // here may be back when the server looks again, and nobody has read it. What decides nothing is answered
                // without it.
                let then = match (is_decided_on && interaction.state.is_pending(), is_picture) {
                    (false, _) => String::new(),
                    (true, true) => picture(),
                    (true, false) => format!("<img hidden alt=\"\" src=\"{url}\">"),
                };
                return Ok(format!("<p class=\"attached-missing\">{said}</p>{then}"));
            }
        };
        let is_diff = file.media == Media::Diff;
        let drawn = made(move || action::file(&String::from_utf8_lossy(&bytes), is_diff));
        Ok(format!(
            "<div class=\"source attached-text\" dir=\"ltr\">{}</div>",
            drawn.await?
        ))
    }
}

/// Why it does not stand there: it is lost, or it is not known what has become of it.
fn not_shown(why: Option<ServiceError>) -> &'static str {
    match why {
        Some(ServiceError::Refused(Refused::FileMissing)) => {
            "<strong>This file is missing, or is no longer the one that was sent.</strong> Nothing is approved with it."
        }
        why => {
            let why = why.map_or_else(|| "it took too long".to_owned(), |why| why.to_string());
            tracing::warn!(error = %why, "a file cannot be shown on a page");
            "<strong>This file cannot be fetched now.</strong> Load the page again in a moment; nothing is approved without it."
        }
    }
}

fn in_a_word(media: Media) -> &'static str {
    match media {
        Media::Png | Media::Jpeg => "picture",
        Media::Text => "text",
        Media::Diff => "difference",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_lost_is_told_from_one_that_cannot_be_had() {
        let lost = not_shown(Some(Refused::FileMissing.into()));
        assert!(lost.contains("is missing"), "{lost}");
        for unknown in [None, Some(Refused::NoFiles.into())] {
            let told = not_shown(unknown);
            assert!(told.contains("cannot be fetched now"), "{told}");
        }
    }
}
