//! Files that go with an answer from these pages: each is sent by a form of its own, before the answer that names it. What it
//! has sent so far stands in the page's address.

use app::{
    error::UiError,
    view::{Blocker, BlockerStatus},
};
use axum::{
    Extension, Router,
    extract::{
        DefaultBodyLimit, Multipart, Path, Query, State,
        multipart::{Field, MultipartError},
    },
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Redirect, Response},
    routing::post,
};
use domain::{
    Interaction,
    attachment::Format,
    interaction::{Kind, Shown, Verdict},
    limits,
};
use serde::Deserialize;
use tower_sessions::Session;

use super::{
    Wanted, failed, for_person, form::Typed, page::Page, parsed, person, question::Question,
    signed_out,
};
use crate::{
    auth::address::ClientAddress,
    plain_page::html::Text,
    problem::Problem,
    state::AppState,
    ui::backend::{ForPerson, told},
};

/// A file, and what a form has around it.
pub(crate) const BYTES: usize = limits::ATTACHMENT_BYTES + 16 * 1024;
/// What an id is made of.
const ID: usize = 36;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/q/{id}/files", post(take))
        .layer(DefaultBodyLimit::max(BYTES))
}

/// What has been sent so far, in the address.
#[derive(Default, Deserialize)]
pub(super) struct Named {
    files: Option<String>,
}

impl Named {
    fn ids(&self) -> Vec<String> {
        ids(self.files.as_deref())
    }
}

/// The ids that stand in an address, between commas. What is none of them is left out.
pub(super) fn ids(named: Option<&str>) -> Vec<String> {
    let named = named.unwrap_or_default().split(',');
    let is_id = |id: &&str| id.len() == ID && id.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    let named = named.filter(is_id).take(limits::ATTACHMENTS);
    named.map(str::to_owned).collect()
}

/// `POST /q/{id}/files`: takes one, and shows the question again.
async fn take(
    State(state): State<AppState>,
    Extension(address): Extension<ClientAddress>,
    session: Session,
    headers: HeaderMap,
    Path(id): Path<String>,
    Query(named): Query<Named>,
    body: Multipart,
) -> Result<Response, Problem> {
    let Some(who) = person(&state, &session, &headers, address.0).await? else {
        return Ok(signed_out(&id, &Typed::default()).response(&headers));
    };
    let reader = for_person(&state, who, address, session);
    let mut files = named.ids();
    Ok(match reader.file_of(body).await {
        Ok(sent) => {
            files.push(sent);
            Redirect::to(&format!("/q/{id}?files={}", files.join(","))).into_response()
        }
        Err(error) => match reader.without(&id, files, &error).await {
            Ok(page) => page.response(&headers),
            Err(error) => failed(error).response(&headers),
        },
    })
}

impl ForPerson {
    /// Takes the file out of a form, and returns its id.
    async fn file_of(&self, mut body: Multipart) -> Result<String, UiError> {
        let by = self.principal()?;
        while let Some(field) = body.next_field().await.map_err(broken)? {
            if field.name() == Some("file") {
                return self.file_in(field, &by).await;
            }
        }
        Err(UiError::Invalid("Pick a file first.".to_owned()))
    }

    async fn file_in(&self, field: Field<'_>, by: &domain::Principal) -> Result<String, UiError> {
        let service = &self.state.service;
        let place = service.place_for_file(by).map_err(told)?;
        let name = field.file_name().unwrap_or_default().to_owned();
        let bytes = field.bytes().await.map_err(broken)?;
        if name.is_empty() && bytes.is_empty() {
            return Err(UiError::Invalid("Pick a file first.".to_owned()));
        }
        // Browsers know few types, and not that of a difference.
        let Some(format) = Format::of_file(&name, &bytes) else {
            let why =
                "This is neither a picture (PNG, JPEG, WebP) nor a text, so it cannot be sent.";
            return Err(UiError::Invalid(why.to_owned()));
        };
        let media_type = Some(format.name());
        let sent = service.send_file(place, by, Some(&name), media_type, bytes.into());
        Ok(sent.await.map_err(told)?.id.to_string())
    }

    /// The page again, and why the file was not taken.
    async fn without(
        &self,
        id: &str,
        files: Vec<String>,
        error: &UiError,
    ) -> Result<Page, UiError> {
        let interaction = self.found(parsed(id)?).await?;
        let question = self.question(&interaction, None).await?;
        let typed = Typed {
            problem: Some(error.to_string()),
            files,
            ..question.before()
        };
        let status = StatusCode::from_u16(error.status());
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let wanted = Wanted {
            files: Some(String::new()),
            ..Wanted::default()
        };
        self.page(&interaction, &question, status, &typed, &wanted)
            .await
    }

    /// Whether its answer can have files. Those of a form go with the last of several, and of several approvals none has any.
    pub(super) fn may_have_files(&self, interaction: &Interaction) -> bool {
        self.state.service.keeps_files()
            && interaction.quorum().is_none()
            && interaction.request.kind() != Kind::Form
    }

    /// Whether the page of this question takes an answer with files from this person. What the dialog shows is what it is made
    /// of, and it takes nothing where that has no room on it.
    pub(in crate::ui) async fn answers_with_files(
        &self,
        interaction: &Interaction,
        dialog: &Blocker,
    ) -> Result<bool, UiError> {
        let is_open = dialog.may_answer && dialog.status == BlockerStatus::Open;
        let asked_with = interaction.request.without_files();
        if !is_open || !self.may_have_files(interaction) || asked_with == Shown::Cut {
            return Ok(false);
        }
        let (control, prompt) = (dialog.control.clone(), dialog.prompt_html.clone());
        let question = self.question_of(interaction, control, prompt, None).await?;
        Ok(question.shown.offers(Verdict::Accept))
    }
}

fn broken(error: MultipartError) -> UiError {
    tracing::debug!(%error, "a file did not arrive");
    let most = limits::ATTACHMENT_BYTES / (1024 * 1024);
    UiError::Invalid(format!(
        "The file did not arrive whole, or is larger than {most} MB."
    ))
}

/// In the form of the answer: what goes with it.
pub(super) fn fields(files: &[String]) -> String {
    let fields = files.iter().map(|id| {
        let id = Text(id);
        format!("<input type=\"hidden\" name=\"attachments\" value=\"{id}\">")
    });
    let said = match files.len() {
        0 => return String::new(),
        1 => "One file goes with it.".to_owned(),
        many => format!("{many} files go with it."),
    };
    format!(
        "{}<p class=\"said\" role=\"status\">{said}</p>",
        fields.collect::<String>()
    )
}

/// Below it: one more, if there is room for one. Where its reader came for that, it is open.
pub(super) fn form(question: &Question, files: &[String], wanted: bool) -> String {
    if !question.takes_files || files.len() >= limits::ATTACHMENTS {
        return String::new();
    }
    let open = if wanted { " open" } else { "" };
    format!(
        "<details{open}><summary>Send a file along</summary>\
         <form method=\"post\" enctype=\"multipart/form-data\" action=\"/q/{id}/files?files={files}\">\
         <label>A picture or a text, 5 MB at most<input type=\"file\" name=\"file\" required></label>\
         <div class=\"buttons\"><button class=\"button\" type=\"submit\">Send the file</button></div></form></details>",
        id = question.row.id,
        files = Text(&files.join(",")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_ids_and_nothing_else() {
        let one = "019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa";
        for (named, expected) in [
            (None, 0),
            (Some(""), 0),
            (Some("\"><script>"), 0),
            (Some(one), 1),
            (Some(&*format!("{one},x,{one}")), 2),
            (Some(&*[one; 9].join(",")), limits::ATTACHMENTS),
        ] {
            assert_eq!(ids(named).len(), expected, "{named:?}");
        }
        assert_eq!(fields(&[]), "");
        assert!(fields(&[one.to_owned()]).contains(one));
    }
}
