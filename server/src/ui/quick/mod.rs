//! `/q/{id}`: one question on a page of its own, which is there before any program: where notifications lead. A plain
//! page with a plain form, made of the same parts as the dashboard's, and of the same calls. It finds out by itself who
//! comes: a text that is sent when its author is signed out is shown to them again.

mod above;
mod amend;
mod amend_fields;
mod answer;
mod earlier;
mod ending;
mod files;
mod form;
mod page;
mod question;
mod style;
mod waiting;

use std::net::IpAddr;

use app::{
    backend::Backend,
    error::UiError,
    view::{AnswerOutcome, Control},
};
use axum::{
    Extension, Router,
    body::Bytes,
    extract::{DefaultBodyLimit, OriginalUri, Path, Query, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Redirect, Response},
    routing::get,
};
use domain::{
    Interaction, InteractionId,
    event::SeenOn,
    interaction::{Ask, Shown},
    limits,
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use service::SignedIn;
use tower_sessions::Session;

use self::{amend::Led, answer::Sent, form::Typed, page::Page, question::Question};
use super::backend::ForPerson;
use crate::{
    auth::{
        address::ClientAddress,
        browser::{self, sign_in_for},
    },
    plain_page::html::Text,
    problem::Problem,
    state::AppState,
};

/// The largest body that is taken here: a file that goes with an answer.
pub const FILE_BYTES: usize = files::BYTES;

/// Their address.
pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/q/{id}", get(show).post(take))
        .route("/q/{id}/amend", get(show_amend).post(take_amend))
        .layer(DefaultBodyLimit::max(limits::BODY_BYTES))
}

/// Where files go that go with an answer: on a telephone one is on its way for longer than any page takes.
pub fn file_routes() -> Router<AppState> {
    files::routes()
}

/// What stands in the address.
#[derive(Default, Deserialize)]
struct Wanted {
    /// What a button of a notification stands for: only proposed here.
    choice: Option<String>,
    /// A question of a form, from 1.
    question: Option<usize>,
    /// The one that was answered just before.
    after: Option<String>,
    /// The ids of files that its author has sent for the answer; none yet for an author who wants to send some.
    files: Option<String>,
    /// The question like it whose answer its author takes: only proposed here.
    earlier: Option<String>,
}

/// `GET /q/{id}`: shows it, and changes nothing.
async fn show(
    State(state): State<AppState>,
    Extension(address): Extension<ClientAddress>,
    OriginalUri(uri): OriginalUri,
    session: Session,
    headers: HeaderMap,
    Path(id): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Problem> {
    let Some(who) = person(&state, &session, &headers, address.0).await? else {
        return Ok(Redirect::to(&sign_in_for(&uri)).into_response());
    };
    let reader = for_person(&state, who, address, session);
    let shown = async {
        let interaction = reader.found(parsed(&id)?).await?;
        if interaction.state.is_pending() {
            let by = reader.principal()?;
            state
                .service
                .note_seen(interaction.id, SeenOn::Question, by);
        }
        let step = wanted.question.and_then(|n| n.checked_sub(1));
        let question = reader.question(&interaction, step).await?;
        let before = Typed {
            files: files::ids(wanted.files.as_deref()),
            ..question.before()
        };
        reader
            .page(&interaction, &question, StatusCode::OK, &before, &wanted)
            .await
    };
    Ok(shown.await.unwrap_or_else(failed).response(&headers))
}

/// `POST /q/{id}`: takes an answer, and leads on.
async fn take(
    State(state): State<AppState>,
    Extension(address): Extension<ClientAddress>,
    session: Session,
    headers: HeaderMap,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Response, Problem> {
    let sent = Sent::read(&body);
    // Now that all of it is there: it may have been sent long after its headers.
    let who = person(&state, &session, &headers, address.0).await?;
    let Some(who) = who.filter(|who| sent.is_by(who.person.id)) else {
        return Ok(signed_out(&id, &sent.typed()).response(&headers));
    };
    let reader = for_person(&state, who, address, session);
    Ok(match reader.answered(&id, &sent).await {
        Ok(place) => Redirect::to(&place).into_response(),
        Err(error) => match reader.again(&id, &sent, &error).await {
            Ok(page) => page.response(&headers),
            Err(error) => failed(error).response(&headers),
        },
    })
}

/// `GET /q/{id}/amend`: the fields in which its arguments are changed. Changes nothing.
async fn show_amend(
    State(state): State<AppState>,
    Extension(address): Extension<ClientAddress>,
    OriginalUri(uri): OriginalUri,
    session: Session,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let Some(who) = person(&state, &session, &headers, address.0).await? else {
        return Ok(Redirect::to(&sign_in_for(&uri)).into_response());
    };
    let reader = for_person(&state, who, address, session);
    let shown = reader.amend_page(&id).await;
    Ok(shown.unwrap_or_else(failed).response(&headers))
}

/// `POST /q/{id}/amend`: shows what would run, or approves what was shown.
async fn take_amend(
    State(state): State<AppState>,
    Extension(address): Extension<ClientAddress>,
    session: Session,
    headers: HeaderMap,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Response, Problem> {
    let sent = Sent::read(&body);
    let who = person(&state, &session, &headers, address.0).await?;
    let Some(who) = who.filter(|who| sent.is_by(who.person.id)) else {
        return Ok(signed_out(&id, &sent.typed()).response(&headers));
    };
    let reader = for_person(&state, who, address, session);
    Ok(match reader.amended(&id, &sent).await {
        Ok(Led::To(place)) => Redirect::to(&place).into_response(),
        Ok(Led::Page(page)) => page.response(&headers),
        Err(error) => failed(error).response(&headers),
    })
}

impl ForPerson {
    /// Answers, and says where to go on.
    async fn answered(&self, id: &str, sent: &Sent) -> Result<String, UiError> {
        let id = parsed(id)?;
        let interaction = self.found(id).await?;
        let question = self
            .question(&interaction, step_of(&interaction, sent))
            .await?;
        if !question.may_answer {
            return Err(UiError::NotAllowed);
        }
        if sent.dismisses() {
            let besides = self.besides(id).await?;
            self.dismiss(id).await?;
            return Ok(match besides.next {
                Some(next) => format!("/q/{}?after={id}", next.id),
                None => format!("/q/{id}?after={id}"),
            });
        }
        let mut draft = sent.draft(&interaction.request.ask)?;
        draft.attachments = Some(sent.files()).filter(|files| !files.is_empty());
        // Whatever a form says: what has no room on the page was not shown on it (rule 11).
        if question.is_open() && !question.shown.offers(draft.verdict()) {
            return Err(UiError::Invalid(
                "This page does not show all of it, so it can only be refused here. Open the full page.".to_owned(),
            ));
        }
        // Before it is answered, it has its place among the others.
        let besides = self.besides(id).await?;
        let is_done = match self.answer(id, draft).await? {
            AnswerOutcome::Sent => true,
            AnswerOutcome::Kept => false,
            // The button was pressed twice, and the first came through.
            AnswerOutcome::TooLate => {
                let now = self.question(&self.found(id).await?, None).await?;
                now.done().is_some() && now.unsent.is_none()
            }
        };
        Ok(match besides.next {
            Some(next) if is_done => format!("/q/{}?after={id}", next.id),
            _ => format!("/q/{id}?after={id}"),
        })
    }

    /// The page again, with what was typed and why it was not sent.
    async fn again(&self, id: &str, sent: &Sent, error: &UiError) -> Result<Page, UiError> {
        let interaction = self.found(parsed(id)?).await?;
        let question = self
            .question(&interaction, step_of(&interaction, sent))
            .await?;
        let typed = Typed {
            problem: Some(error.to_string()),
            asked_if_empty: *error == UiError::Empty,
            ..sent.typed()
        };
        let status = StatusCode::from_u16(error.status());
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        self.page(&interaction, &question, status, &typed, &Wanted::default())
            .await
    }

    /// The page of a question.
    async fn page(
        &self,
        interaction: &Interaction,
        question: &Question,
        status: StatusCode,
        typed: &Typed,
        wanted: &Wanted,
    ) -> Result<Page, UiError> {
        let id = question.row.id;
        let besides = self.besides(id).await?;
        let earlier = self.earlier(interaction, question).await?;
        let taken = earlier.taken(wanted.earlier.as_deref(), typed);
        let typed = taken.as_ref().unwrap_or(typed);
        let form = question.form(typed, wanted.choice.as_deref());
        let end = match question.is_open() {
            true if question.may_answer => form.clone(),
            true => format!("<p class=\"notice\">{}</p>", UiError::NotAllowed),
            false => question.ended(self.state.service.now()),
        };
        // What has no field any more is shown beside what became of it.
        let is_in_form = form.contains("<textarea") && has_its_field(question, typed);
        let typed_text = Some(typed.text.as_str()).filter(|text| !text.is_empty() && !is_in_form);
        let unsent = question
            .unsent
            .as_deref()
            .or(typed_text.filter(|_| typed.problem.is_some()));
        let unsent = unsent.map(ending::unsent).unwrap_or_default();
        let problem = match &typed.problem {
            Some(words) if form.is_empty() => {
                format!(
                    "<p class=\"notice strong\" role=\"alert\">{}</p>",
                    Text(words)
                )
            }
            _ => String::new(),
        };
        let next = besides.next.as_ref().map(|next| format!("/q/{}", next.id));
        let (on, later) = match (&next, question.is_open()) {
            (Some(next), true) => (
                String::new(),
                format!("<a href=\"{next}\">Later: go on to the next</a>"),
            ),
            (Some(next), false) => (link_button(next, "Next question"), String::new()),
            (None, true) => (String::new(), String::new()),
            (None, false) => (NOTHING_ELSE.to_owned(), String::new()),
        };
        // What has no room here.
        let whole = match question.is_open() && question.may_answer && question.shown == Shown::Cut
        {
            true => link_button(&format!("/blockers/{id}"), "Read all of it"),
            false => String::new(),
        };
        let change = match question.is_open() && question.may_answer && question.is_amendable {
            true => amend::way(id),
            false => String::new(),
        };
        let files = match form.is_empty() {
            true => String::new(),
            false => {
                let wanted = wanted.files.is_some() || !typed.files.is_empty();
                files::form(question, &typed.files, wanted)
            }
        };
        let earlier = earlier.section(question, &typed.files);
        let end = match question.is_open() {
            true => [unsent, whole, earlier, end, change, files].concat(),
            false if unsent.is_empty() => end + KEPT,
            false => end + &unsent,
        };
        let full = match question.is_open() {
            true => format!("/blockers/{id}"),
            false => format!("/interactions/{id}"),
        };
        let main = format!(
            "<main data-id=\"{id}\" data-version=\"{version}\" data-by=\"{by}\"{open}{rest}>{after}{who}\
             <h1 dir=\"auto\">{title}</h1>{deadline}{offline}{above}\
             <div class=\"end\">{problem}{end}{on}\
             <nav class=\"more\" aria-label=\"More\">{later}{ahead}<a href=\"{full}\">Full page</a></nav></div></main>",
            version = question.version,
            by = question.reader,
            open = if question.is_open() { " data-open" } else { "" },
            // What is pressed now was meant for what stood here before.
            rest = match wanted.after.is_some() || typed.problem.is_some() {
                true => " data-rest",
                false => "",
            },
            ahead = question.way_ahead().unwrap_or_default(),
            after = self.after(wanted.after.as_deref(), id).await?,
            who = question.who,
            title = Text(&question.title),
            deadline = if question.is_open() {
                question.deadline.as_str()
            } else {
                ""
            },
            offline = question.dismissal(),
            above = question.above(),
        );
        Ok(Page {
            status,
            title: question.title.clone(),
            beside: besides.words(),
            main,
        })
    }

    /// What was answered just before another one, by what is stored of it.
    async fn after(&self, id: Option<&str>, here: InteractionId) -> Result<String, UiError> {
        let id = id.and_then(|id| id.parse::<InteractionId>().ok());
        let Some(id) = id.filter(|id| *id != here) else {
            return Ok(String::new());
        };
        let interaction = match self.found(id).await {
            Err(UiError::NotFound) => return Ok(String::new()),
            found => found?,
        };
        let question = self.question(&interaction, None).await?;
        let ahead = question.way_ahead();
        let ahead = ahead.map_or_else(String::new, |way| format!(". {way}"));
        Ok(question.done().map_or_else(String::new, |done| {
            let about = question.row.preview;
            format!(
                "<p class=\"notice\" role=\"status\">{done}: <a href=\"/q/{id}\"><bdi>{}</bdi></a>{ahead}</p>",
                Text(&question::clipped(&about, 60))
            )
        }))
    }
}

/// Where the page's script shows what was typed in this browser and never sent.
const KEPT: &str = "<section id=\"kept\" class=\"unsent\" hidden><p class=\"said\">Your text was not sent:</p>\
                    <p class=\"text\" dir=\"auto\"></p></section>";

const NOTHING_ELSE: &str = "<p class=\"hint\">Nothing else waits for you.</p>";

fn link_button(place: &str, words: &str) -> String {
    format!("<a class=\"button primary\" href=\"{place}\">{words}</a>")
}

/// Whether the form that is shown asks for what was typed.
fn has_its_field(question: &Question, typed: &Typed) -> bool {
    match (&question.control, &typed.question) {
        (Control::Form(steps), Some(id)) => {
            steps.get(question.step).is_some_and(|step| step.id == *id)
        }
        _ => true,
    }
}

/// The place of the question that is answered.
fn step_of(interaction: &Interaction, sent: &Sent) -> Option<usize> {
    match &interaction.request.ask {
        Ask::Form { questions } => questions
            .iter()
            .position(|it| Some(it.id.as_str()) == sent.question()),
        _ => None,
    }
}

fn parsed(id: &str) -> Result<InteractionId, UiError> {
    id.parse().map_err(|_| UiError::NotFound)
}

fn for_person(
    state: &AppState,
    who: SignedIn,
    address: ClientAddress,
    session: Session,
) -> ForPerson {
    ForPerson {
        state: state.clone(),
        who: Some(who),
        address: Some(address),
        session: Some(session),
    }
}

/// Counts the request, and says whose it is.
async fn person(
    state: &AppState,
    session: &Session,
    headers: &HeaderMap,
    address: IpAddr,
) -> Result<Option<SignedIn>, Problem> {
    let who = browser::person(&state.service, session, headers).await?;
    match &who {
        Some(who) => state.limits.count_person(who.person.id)?,
        None => state.limits.count_stranger(address)?,
    }
    Ok(who)
}

/// Nothing is lost of what was typed.
fn signed_out(id: &str, typed: &Typed) -> Page {
    let back = utf8_percent_encode(&format!("/q/{id}"), NON_ALPHANUMERIC).to_string();
    let unsent = match typed.text.as_str() {
        "" => String::new(),
        text => ending::unsent(text),
    };
    Page {
        status: StatusCode::UNAUTHORIZED,
        title: "You are signed out".to_owned(),
        beside: String::new(),
        main: format!(
            "<main><h1>You are signed out</h1><p class=\"said\">Nothing was sent. Sign in, and this question is here \
             again.</p>{unsent}<div class=\"end\"><a class=\"button primary\" href=\"/sign-in?next={back}\">Sign in</a>\
             </div></main>"
        ),
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it stands where a function of an error is wanted"
)]
fn failed(error: UiError) -> Page {
    let status = StatusCode::from_u16(error.status());
    Page {
        status: status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
        title: "Nothing to answer".to_owned(),
        beside: String::new(),
        main: format!(
            "<main><h1>Nothing to answer</h1><p class=\"said\">{}</p><div class=\"end\">\
             <a class=\"button\" href=\"/\">What waits for you</a></div></main>",
            Text(&error.to_string())
        ),
    }
}
