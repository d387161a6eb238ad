//! An interaction as the dialog shows it.

use app::{
    error::UiError,
    view::{
        ActionView, Blocker, BlockerStatus, ChoiceView, ClosedRow, Closure, Control, Earlier,
        Ending, FormStep, OptionView, Remark, Row, harmless,
    },
};
use domain::{
    Actor, Audience, Interaction, InteractionEvent, InteractionId, Payload, Person, State,
    attachment::Part,
    decide,
    interaction::{
        Answer, AnswerContent, Ask, Choice, Erased, FormAnswer, FormAnswers, Mode, Outcome, Report,
        Request, TaskRef,
    },
};
use store::{InteractionQuery, Store};
use visible::shape;

use super::{
    action, around,
    backend::{ForPerson, failed},
    markdown, plan,
    story::{day_of, grant_of, policy_of},
};

/// How many earlier questions of the session stand beside it.
const EARLIER: u32 = 5;
/// How many events are read at once.
const EVENTS: u32 = 200;

impl ForPerson {
    /// The dialog's content.
    pub(super) async fn shown(&self, interaction: &Interaction) -> Result<Blocker, UiError> {
        let person = &self.who()?.person;
        let store = self.state.service.store();
        let request = &interaction.request;
        let unsent = if interaction.state.is_pending() || interaction.erased.is_some() {
            None
        } else {
            unsent(&**store, interaction, person).await?
        };
        let mut prompt_html = match &interaction.erased {
            Some(erased) => in_place_of_prompt(erased),
            None => rendered(request.prompt.clone()).await?,
        };
        let control = control(interaction).await?;
        let mut control = self.with_versions(control, interaction).await?;
        let files = self.files(interaction, Part::Ask).await?;
        // Where what they belong to stands.
        match &mut control {
            Control::Approve(action) => action.html.push_str(&files),
            Control::Decide { plan_html, .. } => plan_html.push_str(&files),
            _ => prompt_html.push_str(&files),
        }
        prompt_html.push_str(&self.files(interaction, Part::Answer).await?);
        let title = request.title.as_deref().map(harmless);
        Ok(Blocker {
            row: Row::from(interaction),
            title,
            prompt_html,
            control,
            task: request.task.clone().map(harmless_task),
            fallback: fallback(request).filter(|_| interaction.erased.is_none()),
            status: status(interaction, person),
            earlier: earlier(&**store, interaction, self.audience()?).await?,
            answered_before: Vec::new(),
            suggestion: None,
            slack_link: slack_link(interaction),
            unsent,
            around: self.around(interaction).await?,
            may_answer: self
                .principal()?
                .responder_for(interaction.team.as_ref())
                .is_ok(),
            with_files: false,
            team: interaction.team.as_ref().map(|team| harmless(&team.name)),
            as_of: self.state.service.now(),
        })
    }
}

/// Slack says where a message is; nothing but a web address becomes a link.
fn slack_link(interaction: &Interaction) -> Option<String> {
    let posted = interaction.card.as_ref()?.posted.as_ref()?;
    let link = posted.permalink.clone()?;
    link.starts_with("https://").then_some(link)
}

/// Who erased it, and when (rule 19).
pub(super) fn in_place_of_prompt(erased: &Erased) -> String {
    let by = markdown::phrase(&visible::line(erased.by_whom()));
    let at = erased.at.format("%Y-%m-%d %H:%M UTC");
    format!(
        "<p class=\"erased\">All that was written here was erased by <bdi>{by}</bdi>, {at}.</p>"
    )
}

pub(super) async fn control(interaction: &Interaction) -> Result<Control, UiError> {
    Ok(match &interaction.request.ask {
        // There is nothing left to show beside that.
        Ask::Question
        | Ask::Choice(_)
        | Ask::Acknowledgement
        | Ask::Approval { .. }
        | Ask::PlanReview { .. }
        | Ask::Form { .. }
            if interaction.erased.is_some() =>
        {
            Control::Text
        }
        Ask::Question => Control::Text,
        Ask::Choice(choice) => Control::Choice(options(choice)),
        Ask::Acknowledgement => Control::Acknowledge,
        Ask::Approval { action, .. } => {
            // Of the action that is shown, not one stored beside it.
            let digest = interaction.request.ask.digest().unwrap_or_default();
            let action = action.clone();
            let view = made(move || action::view(&shape::of(&action, &digest)));
            Control::Approve(ActionView {
                amendable: interaction.amendable().is_some(),
                ..view.await?
            })
        }
        Ask::PlanReview { plan, .. } => Control::Decide {
            digest: interaction.request.ask.digest().unwrap_or_default(),
            plan_html: rendered(plan.clone()).await?,
            lines: plan.lines().count(),
            source_html: match interaction.state.is_pending() {
                true => {
                    let plan = plan.clone();
                    made(move || plan::listed(&plan)).await?
                }
                false => None,
            },
            versions: None,
        },
        Ask::Form { questions } => {
            let none = FormAnswers::new();
            let answers = match &interaction.state {
                State::Resolved {
                    answer:
                        Answer {
                            content: AnswerContent::Form { answers },
                            ..
                        },
                } => Some(answers),
                _ => interaction.progress(),
            };
            let answers = answers.unwrap_or(&none);
            let mut steps = Vec::with_capacity(questions.len());
            for question in questions {
                let choice = question.choice();
                let answer = answers.get(&question.id);
                steps.push(FormStep {
                    id: question.id.clone(),
                    prompt_html: rendered(question.prompt.clone()).await?,
                    answer_html: answer.map(|answer| given(answer, choice.as_ref())),
                    choice: choice.as_ref().map(options),
                    answer: answer.cloned(),
                });
            }
            Control::Form(steps)
        }
        Ask::Notification { level } => Control::Nothing { level: *level },
    })
}

/// Who closed it; of an approval that took several people, all of them.
fn closed_by(interaction: &Interaction) -> Option<String> {
    let approvers = interaction
        .receipt()
        .map(|receipt| &receipt.decision.approvers);
    match approvers {
        Some(all) if all.len() > 1 => {
            let names: Vec<_> = all.iter().map(|one| one.responder.name.clone()).collect();
            Some(around::listed(&names))
        }
        _ => interaction.state.closed_by().map(str::to_owned),
    }
}

/// What was changed before it was approved, and the comment, as the page shows them below who did.
fn changed(answer: &AnswerContent, ask: &Ask) -> Option<String> {
    let (
        AnswerContent::Approval {
            text,
            amended: Some(amended),
            ..
        },
        Ask::Approval { action, .. },
    ) = (answer, ask)
    else {
        return None;
    };
    let lines = domain::interaction::differences(&action.arguments.0, &amended.arguments.0);
    let lines: Vec<String> = lines.iter().map(|line| visible::unhidden(line)).collect();
    let comment = text.as_deref().filter(|text| !text.is_empty());
    let comment = comment.map_or_else(String::new, |text| format!("\n\n{text}"));
    Some(format!(
        "Approved: Changed before it was approved:\n{}{comment}",
        lines.join("\n")
    ))
}

/// The answer that the agent goes on with after the deadline.
pub(super) fn fallback(request: &Request) -> Option<String> {
    let answer = request.fallback.as_ref()?;
    Some(agents_answer(answer, &request.ask))
}

/// A task in whose words nothing is hidden. Its id is a name that addresses are made of.
pub(super) fn harmless_task(mut task: TaskRef) -> TaskRef {
    for text in [&mut task.title, &mut task.description, &mut task.step] {
        *text = text.as_deref().map(harmless_prose);
    }
    task
}

/// Prose in which nothing hides and nothing reorders.
fn harmless_prose(text: &str) -> String {
    visible::isolated(&visible::unhidden(text))
}

/// A fallback: the agent's words.
fn agents_answer(answer: &AnswerContent, ask: &Ask) -> String {
    visible::picked(answer, ask).unwrap_or_else(|| harmless_prose(&answer.to_text(ask)))
}

/// An answer as it was typed.
pub(super) fn persons_answer(answer: &AnswerContent, ask: &Ask) -> String {
    visible::picked(answer, ask).unwrap_or_else(|| as_sent(answer, ask))
}

/// An answer as a text. With comments on a plan come the agent's words that they are about, and with changed arguments those
/// that stayed.
pub(super) fn as_sent(answer: &AnswerContent, ask: &Ask) -> String {
    match answer {
        AnswerContent::Plan { comments, .. } if !comments.is_empty() => {
            harmless_prose(&answer.to_text(ask))
        }
        AnswerContent::Approval {
            amended: Some(_), ..
        } => harmless_prose(&answer.to_text(ask)),
        _ => answer.to_text(ask),
    }
}

/// An answer to a question of a form, to read.
fn given(answer: &FormAnswer, choice: Option<&Choice>) -> String {
    let Some(choice) = choice else {
        return markdown::phrase(&answer.to_text());
    };
    let values = match answer {
        FormAnswer::One(value) => std::slice::from_ref(value),
        FormAnswer::Several(values) => values,
    };
    let lines = values.iter().map(|value| {
        let picked = choice.options.iter().find(|option| option.value == *value);
        let label = picked.map_or(value.as_str(), |option| &option.label);
        let label = markdown::phrase(&visible::option(label, value));
        let more = picked.and_then(|option| option.description.as_deref());
        let more = more.map(|text| {
            let text = markdown::phrase(&visible::line(text));
            format!("<span class=\"option-label option-more\">{text}</span>")
        });
        format!("<li>{label} {}</li>", more.unwrap_or_default())
    });
    format!("<ul>{}</ul>", lines.collect::<String>())
}

/// Options of which nothing is hidden.
fn options(choice: &Choice) -> ChoiceView {
    let options = choice.options.iter().map(|option| OptionView {
        value: option.value.clone(),
        label_html: markdown::phrase(&visible::option(&option.label, &option.value)),
        description_html: option
            .description
            .as_deref()
            .map(|text| markdown::phrase(&visible::line(text))),
    });
    ChoiceView {
        options: options.collect(),
        multiple: choice.multiple,
    }
}

pub(super) fn status(interaction: &Interaction, reader: &Person) -> BlockerStatus {
    let state = &interaction.state;
    let request = &interaction.request;
    let (Some(outcome), Some(at)) = (state.outcome(), state.closed_at()) else {
        return BlockerStatus::Open;
    };
    let by_id = match state {
        State::Resolved { answer } => Some(answer.responder.id),
        State::Cancelled {
            by: Actor::Responder(by),
            ..
        } => Some(by.id),
        _ => None,
    };
    let reason = match state {
        State::Cancelled { reason, .. } => reason.as_deref().map(harmless_prose),
        _ => None,
    };
    let failed = outcome == Outcome::Expired && request.mode == Mode::Sync;
    BlockerStatus::Closed(Box::new(Ending {
        outcome,
        by: closed_by(interaction),
        // Of several who approved all are named.
        by_you: by_id == Some(reader.id.0)
            && (outcome != Outcome::Approved || interaction.votes().is_empty()),
        at,
        answer: interaction.answer().map(|answer| match outcome {
            Outcome::Fallback => agents_answer(answer, &request.ask),
            _ => changed(answer, &request.ask)
                .unwrap_or_else(|| persons_answer(answer, &request.ask)),
        }),
        granted: match state {
            State::Resolved { answer } => grant_of(answer),
            _ => None,
        },
        remembered: interaction.remembered().map(|it| day_of(it.answered_at)),
        may_stand: false,
        ruled: match state {
            State::Resolved { answer } => policy_of(answer),
            _ => None,
        },
        goes_on: decide::grant::can_be_made_of(interaction),
        reason,
        collected_at: interaction.collected_at,
        callback: interaction.callback,
        report: interaction.report.clone().map(|report| Report {
            text: report.text.as_deref().map(harmless_prose),
            ..report
        }),
        follow_ups: interaction
            .follow_ups
            .iter()
            .filter(|_| interaction.erased.is_none())
            .map(|said| Remark {
                text: said.text.clone(),
                by: said.responder.name.clone(),
                at: said.at,
            })
            .collect(),
        failed_task: request
            .task
            .as_ref()
            .filter(|_| failed)
            .map(|task| task.id.clone()),
    }))
}

async fn earlier(
    store: &dyn Store,
    interaction: &Interaction,
    audience: Audience,
) -> Result<Vec<Earlier>, UiError> {
    let Some(session_id) = interaction.request.session_id.clone() else {
        return Ok(Vec::new());
    };
    let query = InteractionQuery {
        audience,
        agent: Some(interaction.agent.id),
        session_id: Some(session_id),
        before: Some(interaction.id),
        limit: EARLIER,
        ..InteractionQuery::default()
    };
    let found = store.briefs(&query).await.map_err(failed)?;
    let earlier = found.iter().map(|one| {
        let closed = ClosedRow::new(one);
        Earlier {
            id: one.id,
            waits: one.ending.is_none(),
            question: Row::from(one).preview,
            answer: closed.and_then(
                |ClosedRow {
                     closure: Closure { answer, .. },
                     ..
                 }| answer,
            ),
            created_at: one.created_at,
        }
    });
    Ok(earlier.collect())
}

/// The last text this person sent too late.
pub(super) async fn unsent(
    store: &dyn Store,
    interaction: &Interaction,
    person: &Person,
) -> Result<Option<String>, UiError> {
    let id: InteractionId = interaction.id;
    let mut unsent = None;
    let mut after = 0;
    loop {
        let page = store.events_of(id, after, EVENTS).await.map_err(failed)?;
        let more = page.more;
        after = page.up_to;
        for event in page {
            match (event.payload, event.actor) {
                (
                    Payload::Interaction(InteractionEvent::AnswerRejected { answer, .. }),
                    Actor::Responder(by),
                ) if by.id == person.id.0 => {
                    unsent = Some(as_sent(&answer, &interaction.request.ask));
                }
                _ => {}
            }
        }
        if !more {
            return Ok(unsent);
        }
    }
}

/// Off the threads that serve everybody: it may take a moment.
pub(super) async fn rendered(text: String) -> Result<String, UiError> {
    // Marked after rendering: what joins a word in prose stays.
    made(move || markdown::to_html(&text)).await
}

pub(super) async fn made<T: Send + 'static>(
    make: impl FnOnce() -> T + Send + 'static,
) -> Result<T, UiError> {
    tokio::task::spawn_blocking(make).await.map_err(|error| {
        tracing::error!(%error, "what was asked cannot be drawn");
        UiError::Internal
    })
}
