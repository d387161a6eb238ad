//! `/q/{id}/amend`: the arguments of an action are changed before it is approved, where its agent takes that. First the
//! fields, then all of it as it would run, with what differs; only there it can be approved (rule 11). Plain pages with
//! plain forms: nothing is kept between them but what they send.

use app::error::UiError;
use axum::http::StatusCode;
use domain::{
    Interaction, InteractionId,
    interaction::{
        Action, Amended, AnswerContent, AnswerDraft, Ask, Checked, FormAnswers, changes,
    },
    json::AnyJson,
};
use serde_json::Value;
use visible::shape;

use super::{
    amend_fields::{self, Fields},
    answer::Sent,
    page::{Page, ROOM},
    parsed,
    question::Question,
};
use crate::{
    plain_page::html::Text,
    ui::{action, backend::ForPerson, markdown},
};

/// Where a press on the page leads.
pub(super) enum Led {
    /// It is approved.
    To(String),
    /// Another page.
    Page(Page),
}

impl ForPerson {
    /// The fields, as the agent asked.
    pub(super) async fn amend_page(&self, id: &str) -> Result<Page, UiError> {
        let (interaction, question) = self.amendable(id).await?;
        let fields = Fields::of(&interaction).ok_or(UiError::NotFound)?;
        Ok(fields_page(&question, &fields, None, None))
    }

    /// What was sent of them: checked and shown whole, changed again, or approved.
    pub(super) async fn amended(&self, id: &str, sent: &Sent) -> Result<Led, UiError> {
        let (interaction, question) = self.amendable(id).await?;
        let fields = Fields::of(&interaction).ok_or(UiError::NotFound)?;
        let read = fields.read(sent);
        let comment = sent.comment();
        let comment = comment.as_deref();
        if sent.is_step("edit") {
            let kept = fields.with(sent, read.ok().map(|AnyJson(value)| value));
            return Ok(Led::Page(fields_page(&question, &kept, None, comment)));
        }
        let checked = read.and_then(|arguments| {
            let digest = sent.digest();
            checked(&interaction, arguments, sent.comment(), digest)
        });
        let (draft, amended) = match checked {
            Ok(checked) => checked,
            Err(why) => {
                let kept = fields.with(sent, None);
                return Ok(Led::Page(fields_page(
                    &question,
                    &kept,
                    Some(&why),
                    comment,
                )));
            }
        };
        let Ask::Approval { action, .. } = &interaction.request.ask else {
            return Err(UiError::NotFound);
        };
        let shown = shown(&question, action, &amended, sent.comment().as_deref());
        if shown.main.len() > ROOM {
            let kept = fields.with(sent, Some(amended.arguments.0));
            let why =
                "This is longer than what can be shown here as a whole, so it cannot be approved.";
            return Ok(Led::Page(fields_page(&question, &kept, Some(why), comment)));
        }
        // What is approved is what stood on the page before, to the last character.
        if !sent.is_step("approve") || sent.amended_digest() != Some(amended.digest.as_str()) {
            return Ok(Led::Page(shown));
        }
        app::backend::Backend::answer(self, question.row.id, draft).await?;
        Ok(Led::To(format!("/q/{}", question.row.id)))
    }

    /// It waits, this person may answer it, and its agent takes changed arguments.
    async fn amendable(&self, id: &str) -> Result<(Interaction, Question), UiError> {
        let interaction = self.found(parsed(id)?).await?;
        let question = self.question(&interaction, None).await?;
        if !question.may_answer {
            return Err(UiError::NotAllowed);
        }
        if interaction.amendable().is_none() {
            let why = "The agent cannot take changed arguments here. Deny it, and say what should change.";
            return Err(UiError::Invalid(why.to_owned()));
        }
        if question.has_files {
            let why =
                "There are files with this, which do not stand here, so nothing is approved here.";
            return Err(UiError::Invalid(why.to_owned()));
        }
        if !question.is_open() {
            return Err(UiError::Invalid(
                "It does not wait any more, so nothing can be changed.".to_owned(),
            ));
        }
        Ok((interaction, question))
    }
}

/// The answer, and what it changes.
fn checked(
    interaction: &Interaction,
    arguments: AnyJson,
    text: Option<String>,
    digest: Option<String>,
) -> Result<(AnswerDraft, Amended), String> {
    let draft = AnswerDraft {
        approved: Some(true),
        arguments: Some(arguments),
        text,
        digest,
        ..AnswerDraft::default()
    };
    let checked = draft
        .clone()
        .check(&interaction.request.ask, &FormAnswers::new());
    match checked {
        Ok(Checked::Whole(AnswerContent::Approval {
            amended: Some(amended),
            ..
        })) => Ok((draft, *amended)),
        Ok(_) => Err("Nothing is changed. To approve it as it is, go back.".to_owned()),
        Err(faults) => {
            let faults = faults.iter();
            let faults: Vec<_> = faults
                .map(|fault| format!("{} {}", fault.path, fault.message))
                .collect();
            Err(format!("{}.", faults.join("; ")))
        }
    }
}

fn fields_page(
    question: &Question,
    fields: &Fields,
    problem: Option<&str>,
    comment: Option<&str>,
) -> Page {
    let id = question.row.id;
    let problem = problem.map(|words| {
        format!(
            "<p id=\"problem\" class=\"notice strong problem\" role=\"alert\">{}</p>",
            Text(words)
        )
    });
    let form = format!(
        "<form class=\"answer\" method=\"post\" action=\"/q/{id}/amend\">\
         <input type=\"hidden\" name=\"by\" value=\"{by}\">{problem}{digest}{comment}{fields}\
         <div class=\"buttons\"><a class=\"button\" href=\"/q/{id}\">Leave it as it is</a>\
         <button class=\"button primary\" type=\"submit\" name=\"step\" value=\"show\">Show what would run</button></div></form>",
        by = question.reader,
        problem = problem.as_deref().unwrap_or_default(),
        digest = hidden("digest", &amend_fields::digest_of(question)),
        comment = comment.map_or_else(String::new, |comment| hidden("text", comment)),
        fields = fields.html(),
    );
    let main = main(
        question,
        "Change it, then approve it",
        &format!("{}<div class=\"end\">{form}</div>", question.who),
    );
    page(question, StatusCode::OK, main)
}

/// All of it as it would run, and what differs from what was asked.
fn shown(question: &Question, asked: &Action, amended: &Amended, comment: Option<&str>) -> Page {
    let id = question.row.id;
    let action = Action {
        arguments: amended.arguments.clone(),
        ..asked.clone()
    };
    let view = action::view(&shape::of(&action, &amended.digest));
    let warning = match view.marked {
        true => super::above::NOT_WHAT_IT_LOOKS_LIKE,
        false => "",
    };
    let form = format!(
        "<form class=\"answer\" method=\"post\" action=\"/q/{id}/amend\">\
         <input type=\"hidden\" name=\"by\" value=\"{by}\">{digest}{amended}{arguments}\
         <label>Comment (optional)<textarea name=\"text\" rows=\"2\" dir=\"auto\">\n{comment}</textarea></label>\
         <div class=\"buttons\"><button class=\"button\" type=\"submit\" name=\"step\" value=\"edit\">Change it again</button>\
         <button class=\"button\" type=\"submit\" name=\"step\" value=\"approve\">Approve what is shown</button></div></form>",
        by = question.reader,
        digest = hidden("digest", &amend_fields::digest_of(question)),
        amended = hidden("amended", &amended.digest),
        arguments = hidden("arguments", &amended.arguments.0.to_string()),
        comment = Text(comment.unwrap_or_default()),
    );
    let above = format!(
        "{who}{deadline}<h2>What you have changed</h2>{difference}\
         <section class=\"action-block\" aria-label=\"What will run\"><h2>What will run, as you have changed it</h2>\
         <div class=\"action-code\" dir=\"ltr\">{html}</div>{warning}<p class=\"action-digest\">{digest}</p></section>\
         <h2>What <bdi>{agent}</bdi> says about what it asked</h2><div class=\"prompt\">{prompt}</div>",
        who = question.who,
        deadline = question.deadline,
        difference = difference(&asked.arguments.0, &amended.arguments.0),
        html = view.html,
        digest = Text(&view.digest),
        agent = Text(&question.row.agent),
        prompt = markdown::as_read(&question.prompt_html),
    );
    let main = main(
        question,
        &question.title,
        &format!("{above}<div class=\"end\">{form}</div>"),
    );
    page(question, StatusCode::OK, main)
}

/// What is there now instead of what, place by place.
pub(super) fn difference(asked: &Value, amended: &Value) -> String {
    let found = changes(asked, amended);
    let lines = found.places.iter().map(|it| {
        let was = it.was.map(|value| format!("<del>{}</del>", drawn(value)));
        let is = it.is.map(|value| format!("<ins>{}</ins>", drawn(value)));
        let arrow = match (&was, &is) {
            (Some(_), Some(_)) => " → ",
            (None, _) => "added: ",
            (_, None) => "taken away: ",
        };
        let name = action::inline(&it.place.join("."));
        let (was, is) = (was.unwrap_or_default(), is.unwrap_or_default());
        match arrow {
            " → " => {
                format!("<li><span class=\"action-name\">{name}</span>: {was}{arrow}{is}</li>")
            }
            word => format!("<li><span class=\"action-name\">{name}</span> {word}{was}{is}</li>"),
        }
    });
    // None that is more is approved; what stands in the database may be.
    let more = found.more.then(|| "<li>and more</li>".to_owned());
    format!(
        "<ul class=\"listed amended\" dir=\"ltr\">{}</ul>",
        lines.chain(more).collect::<String>()
    )
}

/// A value as it is written, in which nothing hides.
fn drawn(value: &Value) -> String {
    match value {
        Value::String(text) => action::inline(text),
        other => action::inline(&other.to_string()),
    }
}

fn main(question: &Question, title: &str, inner: &str) -> String {
    // What is pressed now was meant for what stood here before.
    format!(
        "<main data-id=\"{id}\" data-version=\"{version}\" data-by=\"{by}\" data-open data-rest>\
         <h1 dir=\"auto\">{title}</h1>{inner}<nav class=\"more\" aria-label=\"More\">{back}</nav></main>",
        id = question.row.id,
        version = question.version,
        by = question.reader,
        title = Text(title),
        back = back(question.row.id),
    )
}

fn back(id: InteractionId) -> String {
    format!("<a href=\"/blockers/{id}\">Full page</a>")
}

fn page(question: &Question, status: StatusCode, main: String) -> Page {
    Page {
        status,
        title: question.title.clone(),
        beside: String::new(),
        main,
    }
}

fn hidden(name: &str, value: &str) -> String {
    format!(
        "<input type=\"hidden\" name=\"{name}\" value=\"{}\">",
        Text(value)
    )
}

/// The way there, from the question.
pub(super) fn way(id: InteractionId) -> String {
    format!("<a class=\"button quiet\" href=\"/q/{id}/amend\">Change it first</a>")
}
