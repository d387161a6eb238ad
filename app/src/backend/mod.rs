//! All that the pages may ask of the server. The server implements it per request, for the person who
//! is signed in; the pages know nothing else of it.

mod around;
mod outbound;
mod providers;
mod settings;
mod teams;

use async_trait::async_trait;
use domain::{Fingerprint, InteractionId, interaction::AnswerDraft};

use crate::{
    desk::Desk,
    error::UiError,
    view::{
        AgentList, AnswerOutcome, Answered, Blocker, Group, HistoryPage, HistoryQuery, SignInLink,
        Story, TaskList, Visitor,
    },
};

pub use around::AroundPages;
pub use outbound::OutboundPages;
pub use providers::ProviderPages;
pub use settings::SettingsPages;
pub use teams::TeamPages;

/// The server, as the pages see it.
#[async_trait]
pub trait Backend: SettingsPages + OutboundPages + ProviderPages + TeamPages + AroundPages {
    /// Who is signed in, and where.
    ///
    /// # Errors
    /// [`UiError::SignedOut`], as with every method but [`Backend::sign_in_link`], [`Backend::has_admin`],
    /// [`Backend::has_passkeys`] and [`ProviderPages::ways_in`].
    async fn visitor(&self) -> Result<Visitor, UiError>;

    /// The first `rows` of the blockers that wait, those that were closed lately, and the counts of the last day.
    async fn desk(&self, rows: u32) -> Result<Desk, UiError>;

    /// One blocker.
    ///
    /// # Errors
    /// [`UiError::NotFound`].
    async fn blocker(&self, id: InteractionId) -> Result<Blocker, UiError>;

    /// One interaction with everything that happened to it.
    ///
    /// # Errors
    /// [`UiError::NotFound`].
    async fn story(&self, id: InteractionId) -> Result<Story, UiError>;

    /// One page of the history.
    async fn history(&self, query: HistoryQuery) -> Result<HistoryPage, UiError>;

    /// The tasks; only those of this status when one is given.
    async fn tasks(&self, status: Option<String>) -> Result<TaskList, UiError>;

    /// The agents.
    async fn agents(&self) -> Result<AgentList, UiError>;

    /// Answers a blocker, or some questions of a form.
    ///
    /// # Errors
    /// [`UiError::NotFound`], [`UiError::NotAllowed`], [`UiError::Invalid`].
    async fn answer(&self, id: InteractionId, draft: AnswerDraft)
    -> Result<AnswerOutcome, UiError>;

    /// Takes a blocker back; one that is closed already stays as it is.
    ///
    /// # Errors
    /// As [`Backend::answer`].
    async fn cancel(&self, id: InteractionId, reason: Option<String>) -> Result<(), UiError>;

    /// Dismisses a blocker whose agent is offline.
    ///
    /// # Errors
    /// As [`Backend::answer`]; [`UiError::Invalid`] when its agent is there.
    async fn dismiss(&self, id: InteractionId) -> Result<(), UiError>;

    /// Those that wait of one fingerprint, or of these ids: at most [`domain::limits::TOGETHER`].
    async fn group(
        &self,
        fingerprint: Option<Fingerprint>,
        ids: Vec<InteractionId>,
    ) -> Result<Group, UiError>;

    /// Answers each for itself, and says what became of each.
    async fn answer_together(
        &self,
        answers: Vec<(InteractionId, AnswerDraft)>,
    ) -> Result<Vec<Answered>, UiError>;

    /// Takes each back for itself, and says what became of each.
    async fn cancel_together(
        &self,
        ids: Vec<InteractionId>,
        reason: Option<String>,
    ) -> Result<Vec<Answered>, UiError>;

    /// Says more about a closed blocker.
    ///
    /// # Errors
    /// As [`Backend::answer`].
    async fn follow_up(&self, id: InteractionId, text: String) -> Result<(), UiError>;

    /// Erases all that was written in an interaction. To do it again changes nothing. `confirm` is the admin's own
    /// password, which is not needed when it was given lately.
    ///
    /// # Errors
    /// [`UiError::AdminsOnly`], [`UiError::NotFound`]; [`UiError::Invalid`] while it waits for an answer, and for a
    /// password that is missing or wrong.
    async fn erase(&self, id: InteractionId, confirm: Option<String>) -> Result<(), UiError>;

    /// Whom a sign-in link lets in; `None` when it was used or has expired.
    async fn sign_in_link(&self, link: String) -> Result<Option<SignInLink>, UiError>;

    /// Whether an admin can sign in. Until one can, everybody is told where the link for the first one is.
    async fn has_admin(&self) -> Result<bool, UiError>;

    /// Whether browsers have passkeys for this server. Whoever wants to sign in may know.
    async fn has_passkeys(&self) -> Result<bool, UiError>;
}
