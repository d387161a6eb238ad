//! One question as this page has it, for one reader: whether all of it has room here, and so whether it may be decided
//! here (rule 11).

use app::{
    error::UiError,
    heading, kind_word,
    view::{BlockerStatus, Control, Row, harmless},
};
use domain::{
    Interaction, PersonId,
    interaction::{Ask, FormAnswers, Kind, Mode, Shown, progress_digest},
    time,
};
use serde_json::Value;

use super::{form::Typed, page::ROOM};
use crate::{
    plain_page::html::Text,
    ui::{
        action, around,
        backend::{ForPerson, told},
        blocker::{as_sent, control, fallback, in_place_of_prompt, rendered, status, unsent},
        markdown,
    },
};

/// What only says where a question belongs is cut after this many characters, and a fallback and an answer after those.
const NAME_CHARS: usize = 60;
const FALLBACK_CHARS: usize = 120;
/// As much of what has no room here is shown.
const BEGINNING_CHARS: usize = 800;
const BEGINNING_BYTES: usize = 3_000;
/// Where so little of its time is left, it presses.
const SHORT: f64 = 0.1;

/// A question, for one reader.
pub(super) struct Question {
    pub(super) row: Row,
    pub(super) version: i64,
    /// Who reads it.
    pub(super) reader: PersonId,
    /// Whether they may answer.
    pub(super) may_answer: bool,
    /// Whether its arguments may be changed before it is approved.
    pub(super) is_amendable: bool,
    pub(super) title: String,
    /// Who asks, and for what work.
    pub(super) who: String,
    /// Who is on it, who has approved of several, whom it is for, and what happens without an answer, while it waits.
    pub(super) deadline: String,
    /// That nobody seems to wait for it any more, as a sentence.
    pub(super) offline: Option<String>,
    pub(super) prompt_html: String,
    pub(super) control: Control,
    /// Which question of a form, from 0.
    pub(super) step: usize,
    /// Of the answers that a form has so far.
    pub(super) progress: String,
    /// Open, or what became of it.
    pub(super) status: BlockerStatus,
    /// What this reader sent too late.
    pub(super) unsent: Option<String>,
    /// Whether all that is decided has room here.
    pub(super) shown: Shown,
    /// Its beginning, where it has not.
    pub(super) beginning: String,
    /// Whether files were sent with it, which have no room here.
    pub(super) has_files: bool,
    /// Whether its answer can have files. Those of a form go with the last of several, and of several approvals none has any.
    pub(super) takes_files: bool,
}

impl ForPerson {
    /// The question, if the person may see it. Of a form the one asked for, if others before it are answered.
    pub(super) async fn question(
        &self,
        interaction: &Interaction,
        step: Option<usize>,
    ) -> Result<Question, UiError> {
        let control = control(interaction).await?;
        let control = self.with_versions(control, interaction).await?;
        let prompt_html = match &interaction.erased {
            Some(erased) => in_place_of_prompt(erased),
            None => rendered(interaction.request.prompt.clone()).await?,
        };
        let made = self.question_of(interaction, control, prompt_html, step);
        let mut question = made.await?;
        let service = &self.state.service;
        let presence = service.agent_presence(interaction).await.map_err(told)?;
        question.offline = presence.and_then(|it| around::offline(it, service.now()));
        Ok(question)
    }

    /// The same of parts that are made already, without a look for its agent.
    pub(super) async fn question_of(
        &self,
        interaction: &Interaction,
        control: Control,
        prompt_html: String,
        step: Option<usize>,
    ) -> Result<Question, UiError> {
        let person = &self.who()?.person;
        let store = self.state.service.store();
        let request = &interaction.request;
        let row = Row::from(interaction);
        let none = FormAnswers::new();
        let answers = interaction.progress().unwrap_or(&none);
        let is_over = !interaction.state.is_pending() || interaction.erased.is_some();
        let mut unsent = match is_over {
            true => unsent(&**store, interaction, person).await?,
            false => None,
        };
        let status = status(interaction, person);
        if let BlockerStatus::Closed(ending) = &status
            && ending.by_you
        {
            // A button that was pressed twice: what came second is what had come first.
            let given = interaction.answer().map(|it| as_sent(it, &request.ask));
            unsent = unsent.filter(|text| Some(text) != given.as_ref());
        }
        let step = match &control {
            Control::Form(steps) => {
                let open = steps.iter().position(|step| step.answer.is_none());
                let open = open.unwrap_or(steps.len().saturating_sub(1));
                step.map_or(open, |step| step.min(open))
            }
            _ => 0,
        };
        let mut question = Question {
            version: interaction.version,
            reader: person.id,
            may_answer: self
                .principal()?
                .responder_for(interaction.team.as_ref())
                .is_ok(),
            is_amendable: interaction.amendable().is_some()
                && request.without_files() == Shown::Whole,
            title: match request.title.as_deref() {
                Some(title) => harmless(title),
                None => heading(row.kind, &row.agent),
            },
            who: who(interaction, &row),
            deadline: self.deadline(interaction, &row),
            offline: None,
            prompt_html,
            control,
            step,
            progress: progress_digest(answers),
            status,
            unsent,
            shown: Shown::Whole,
            beginning: String::new(),
            has_files: request.without_files() == Shown::Cut,
            takes_files: self.may_have_files(interaction),
            row,
        };
        question.make_fit(interaction);
        Ok(question)
    }

    /// An interaction, if the person may see it.
    pub(super) async fn found(&self, id: domain::InteractionId) -> Result<Interaction, UiError> {
        let principal = self.principal()?;
        let found = self.state.service.interaction(id, &principal).await;
        found.map_err(told)
    }

    /// Whom it is for, and the words of who handed it over.
    fn meant_for(&self, interaction: &Interaction) -> String {
        let me = self.who().ok().map(|who| who.person.id);
        let words = me.and_then(|me| around::meant_for(interaction, me));
        let Some(words) = words else {
            return String::new();
        };
        let handed = interaction.to.as_ref().and_then(|to| to.handed.as_ref());
        let why = handed.and_then(|handed| handed.why.as_deref());
        let why = why.map_or_else(String::new, |why| {
            format!(" <q dir=\"auto\">{}</q>", Text(&harmless(why)))
        });
        format!("<p class=\"said\" dir=\"auto\">{}{why}</p>", Text(&words))
    }

    fn deadline(&self, interaction: &Interaction, row: &Row) -> String {
        let agent = Text(&row.agent);
        let stopped = match row.mode {
            Mode::Sync => format!("<bdi>{agent}</bdi> has stopped until this is answered. "),
            Mode::Async => String::new(),
        };
        let now = self.state.service.now();
        let on_it = match interaction.claim_at(now) {
            Some(claim) => format!(
                "<p class=\"said\"><bdi>{by}</bdi> is on it for another {left}.</p>",
                by = Text(&harmless(&claim.by.name)),
                left = time::words(claim.until - now),
            ),
            None => String::new(),
        };
        let meant_for = self.meant_for(interaction);
        let me = self.who().ok().map(|who| who.person.id);
        let approvals = me.and_then(|me| around::approvals(interaction, me));
        let approvals = approvals.map_or_else(String::new, |words| {
            format!(
                "<p class=\"said\" role=\"status\" dir=\"auto\">{}</p>",
                Text(&words)
            )
        });
        let policies = around::policies(interaction).map_or_else(String::new, |words| {
            let lines: Vec<_> = words.lines().map(|line| Text(line).to_string()).collect();
            format!("<p class=\"said\" dir=\"auto\">{}</p>", lines.join("<br>"))
        });
        let on_it = policies + &on_it + &approvals + &meant_for;
        let Some(until) = row.expires_at else {
            return format!("{on_it}<p class=\"deadline\">{stopped}It never expires.</p>");
        };
        let short = match time::fraction_left(row.created_at, until, now) < SHORT {
            true => " short",
            false => "",
        };
        let then = match fallback(&interaction.request) {
            Some(fallback) => {
                let fallback = clipped(&fallback, FALLBACK_CHARS);
                format!(
                    "the fallback <code dir=\"auto\">{}</code> is used.",
                    Text(&fallback)
                )
            }
            None if row.kind == Kind::Approval => {
                "it expires, and the action must not run.".to_owned()
            }
            None => format!("it expires, and <bdi>{agent}</bdi> gets no answer."),
        };
        format!(
            "{on_it}<p class=\"deadline{short}\">{stopped}In <time datetime=\"{at}\" title=\"{exact}\" data-left=\"{ms}\">\
             {left}</time> {then}</p>",
            at = until.to_rfc3339(),
            exact = time::exact(until),
            ms = (until - now).num_milliseconds(),
            left = time::words(until - now),
        )
    }
}

impl Question {
    /// Whether it waits.
    pub(super) fn is_open(&self) -> bool {
        self.status == BlockerStatus::Open
    }

    /// Leaves out what can be: first texts as they are written, which stand there as they read; then all but the
    /// beginning, and with it every decision but a no.
    fn make_fit(&mut self, interaction: &Interaction) {
        if self.has_files && interaction.erased.is_none() {
            self.shown = Shown::Cut;
            self.beginning = beginning(interaction);
            return;
        }
        if self.fits() || self.fits_without_comparing() {
            return;
        }
        let texts = std::iter::once(&mut self.prompt_html);
        let texts: Vec<&mut String> = match &mut self.control {
            Control::Decide { plan_html, .. } => texts.chain([plan_html]).collect(),
            Control::Form(steps) => {
                let prompts = steps.iter_mut().map(|step| &mut step.prompt_html);
                texts.chain(prompts).collect()
            }
            _ => texts.collect(),
        };
        for text in texts {
            *text = markdown::as_read(text).to_owned();
        }
        if !self.fits() {
            self.shown = Shown::Cut;
            self.beginning = beginning(interaction);
        }
    }

    /// What is different from the version before helps, and no decision covers it.
    fn fits_without_comparing(&mut self) -> bool {
        let Control::Decide { versions, .. } = &mut self.control else {
            return false;
        };
        let Some(all) = versions.as_mut() else {
            return false;
        };
        if let Some(before) = &mut all.before
            && let Ok(then) = &mut before.shown
        {
            then.difference_html = None;
        }
        if self.fits() {
            return true;
        }
        if let Control::Decide { versions, .. } = &mut self.control {
            *versions = None;
        }
        self.fits()
    }

    /// Whether there is room for this beside all that is decided.
    pub(super) fn has_room_for(&self, more: &str) -> bool {
        self.bytes() + more.len() <= ROOM
    }

    fn fits(&self) -> bool {
        self.bytes() <= ROOM
    }

    fn bytes(&self) -> usize {
        let end = match self.is_open() {
            true => self.form(&Typed::default(), None),
            false => self.ended(self.row.created_at),
        };
        // That its agent is offline is not counted: what was whole a moment ago stays so.
        let parts = [&self.title, &self.who, &self.deadline, &self.above(), &end];
        parts.into_iter().map(String::len).sum()
    }
}

fn who(interaction: &Interaction, row: &Row) -> String {
    let (name, means) = match row.mode {
        Mode::Sync => ("SYNC", "The agent has stopped until this is answered"),
        Mode::Async => ("ASYNC", "The agent goes on meanwhile"),
    };
    let badge = match interaction.state.is_pending() {
        true => format!(
            "<span class=\"badge\" data-mode=\"{}\" title=\"{means}\">{name}</span>",
            row.mode.name()
        ),
        false => String::new(),
    };
    let urgent = match row.urgent {
        true => "<span class=\"urgent\">urgent</span>",
        false => "",
    };
    let task = interaction.request.task.as_ref();
    let task = task.map(|task| task.title.as_deref().unwrap_or(&task.id));
    let names = [
        row.team.clone(),
        row.session_id.as_deref().map(harmless),
        task.map(harmless),
    ];
    let names = names.into_iter().flatten();
    let names = names.map(|name| format!("<bdi>{}</bdi>", Text(&clipped(&name, NAME_CHARS))));
    // Without a title the heading says it.
    let asks = interaction.request.title.as_ref();
    let asks = asks.map(|_| {
        format!(
            "{} from <bdi>{}</bdi>",
            kind_word(row.kind),
            Text(&row.agent)
        )
    });
    let words: Vec<String> = asks.into_iter().chain(names).collect();
    format!(
        "<p class=\"who\">{badge}{urgent}<span>{}</span></p>",
        words.join(" · ")
    )
}

/// A text, or its beginning, for an element that keeps its direction apart.
pub(super) fn clipped(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Arguments by their names, texts among them as they are.
fn plain(arguments: &Value) -> String {
    let Value::Object(fields) = arguments else {
        return arguments.to_string();
    };
    let lines = fields.iter().map(|(name, value)| match value {
        Value::String(text) => format!("{name}: {text}\n"),
        other => format!("{name}: {other}\n"),
    });
    lines.collect()
}

/// The beginning of what is decided, as it is written.
fn beginning(interaction: &Interaction) -> String {
    let request = &interaction.request;
    let text = match &request.ask {
        Ask::Approval { action, .. } => format!("{}\n{}", action.tool, plain(&action.arguments.0)),
        Ask::PlanReview { plan, .. } => plan.clone(),
        _ => request.prompt.clone(),
    };
    let mut chars = BEGINNING_CHARS;
    loop {
        let part: String = text.chars().take(chars).collect();
        let html = action::source(&part);
        if html.len() <= BEGINNING_BYTES || chars == 0 {
            return html;
        }
        chars /= 2;
    }
}
