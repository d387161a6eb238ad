//! Files of a question and of its answer: how they stand on the page, and where a browser gets them.

use std::fmt::Write;

use app::{error::UiError, view::harmless};
use axum::{
    Extension, Router,
    extract::{Path, State},
    response::Response,
    routing::get,
};
use domain::{
    Interaction, InteractionId, State as Stage,
    attachment::{Attachment, Media, Part},
};
use service::SignedIn;

use super::{action, backend::ForPerson, blocker::made};
use crate::{plain_page::html::Text, problem::Problem, served_file, state::AppState};

/// Beside what is not decided, a text that is longer is only offered to be saved.
const SHOWN_BYTES: u64 = 64 * 1024;

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
    let file = state.service.file(id, part, place, &who.principal());
    let (attachment, bytes) = file.await?;
    Ok(served_file::response(&attachment, bytes))
}

impl ForPerson {
    /// The files of a part of an interaction, as HTML: every one whole where it is decided on (rule 11), and a word where
    /// one cannot be shown. Nothing where there are none.
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
        for (place, file) in files.iter().enumerate() {
            let url = format!("/interactions/{}{way}/attachments/{place}", interaction.id);
            let whole = self.file(interaction, part, place, file, &url).await?;
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
    ) -> Result<String, UiError> {
        if file.media.is_picture() {
            return Ok(format!(
                "<img class=\"attached-picture\" src=\"{url}\" alt=\"{}\" decoding=\"sync\">",
                Text(&harmless(&file.name))
            ));
        }
        let is_decided_on = part == Part::Ask && interaction.asks_for_a_decision();
        if !is_decided_on && file.size > SHOWN_BYTES {
            return Ok("<p class=\"attached-note\">It is too long to stand here.</p>".to_owned());
        }
        let bytes = self.state.service.bytes_of(interaction, part, place).await;
        let Ok(bytes) = bytes else {
            return Ok("<p class=\"attached-missing\"><strong>This file is missing, or is no longer the one that was sent.</strong> \
                 Nothing is approved with it.</p>"
                .to_owned());
        };
        let is_diff = file.media == Media::Diff;
        let drawn = made(move || {
            let text = String::from_utf8_lossy(&bytes);
            match is_diff {
                true => action::diff(&text),
                false => action::source(&text),
            }
        });
        Ok(format!(
            "<div class=\"source attached-text\" dir=\"ltr\">{}</div>",
            drawn.await?
        ))
    }
}

fn in_a_word(media: Media) -> &'static str {
    match media {
        Media::Png | Media::Jpeg => "picture",
        Media::Text => "text",
        Media::Diff => "difference",
    }
}
