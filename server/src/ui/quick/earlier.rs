//! What was answered to questions like this one, above the form. A tap puts an answer into the form, where it is read, changed
//! and sent like one that was typed (rule 20).

use app::{
    error::UiError,
    view::{AnsweredBefore, harmless},
};
use domain::{Interaction, InteractionId, interaction::Shown};

use super::{
    form::Typed,
    question::{Question, clipped},
};
use crate::{plain_page::html::Text, ui::backend::ForPerson};

/// Of a longer answer, and of another question, the beginning stands here. Taken, an answer is whole.
const CHARS: usize = 300;

/// The most alike first.
pub(super) struct Earlier(Vec<AnsweredBefore>);

impl ForPerson {
    /// What the dialog of this question shows of them too.
    pub(super) async fn earlier(
        &self,
        interaction: &Interaction,
        question: &Question,
    ) -> Result<Earlier, UiError> {
        let is_asked = question.is_open() && question.may_answer && question.shown == Shown::Whole;
        let by = self.principal()?;
        Ok(Earlier(match is_asked {
            true => self.answered_before(interaction, &by).await,
            false => Vec::new(),
        }))
    }
}

impl Earlier {
    /// The one of these that its reader has tapped, as what the form holds then.
    pub(super) fn taken(&self, earlier: Option<&str>, typed: &Typed) -> Option<Typed> {
        let id: InteractionId = earlier?.parse().ok()?;
        let one = self.0.iter().find(|one| one.id == id)?;
        Some(Typed {
            text: one.text.clone(),
            selected: one.values.clone(),
            files: typed.files.clone(),
            taken: Some(format!(
                "<p class=\"notice\" role=\"status\">This is what <bdi>{by}</bdi> answered {day}. Nothing is sent until you \
                 send it here.</p>",
                by = Text(&harmless(&one.by)),
                day = Text(&one.day),
            )),
            ..Typed::default()
        })
    }

    /// All of them, where they have room beside what is asked.
    pub(super) fn section(&self, question: &Question, files: &[String]) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        let files = match files {
            [] => String::new(),
            files => format!("&amp;files={}", Text(&files.join(","))),
        };
        let lines = self.0.iter().map(|one| {
            let asked = one.question.as_deref().map(|asked| {
                let asked = clipped(asked, CHARS);
                format!(", asked otherwise: <q dir=\"auto\">{}</q>", Text(&asked))
            });
            format!(
                "<li><p class=\"hint\"><a href=\"/interactions/{of}\"><bdi>{by}</bdi> answered {day}</a>{asked}</p>\
                 <p class=\"text\" dir=\"auto\">{shown}</p>\
                 <a class=\"button\" href=\"/q/{id}?earlier={of}{files}\">Use this answer</a></li>",
                of = one.id,
                by = Text(&harmless(&one.by)),
                day = Text(&one.day),
                asked = asked.unwrap_or_default(),
                shown = Text(&clipped(&one.shown, CHARS)),
                id = question.row.id,
            )
        });
        let section = format!(
            "<section aria-labelledby=\"before\"><h2 id=\"before\">Answered before</h2>\
             <ul class=\"listed before\">{}</ul></section>",
            lines.collect::<String>()
        );
        match question.has_room_for(&section) {
            true => section,
            false => String::new(),
        }
    }
}
