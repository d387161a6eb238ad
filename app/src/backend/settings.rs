//! The requests of the settings pages.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{PersonId, Role, SessionId, TokenId};

use crate::{
    error::UiError,
    view::{Account, PeopleList, SlackLink, TokenList, TokenWish},
};

/// One's own account; for admins also people and tokens.
///
/// All but the account, links from Slack and what is told of links are [`UiError::AdminsOnly`] to everybody else.
/// A call that takes `confirm`, one's own password, is refused without it once it was not given for a while.
#[async_trait]
pub trait SettingsPages: Send + Sync {
    /// The person who is signed in, and where they are.
    async fn account(&self) -> Result<Account, UiError>;

    /// Another password. Signs every other browser of theirs out.
    ///
    /// # Errors
    /// [`UiError::Invalid`] when the current one is wrong or the new one too weak,
    /// [`UiError::TryLater`].
    async fn change_password(&self, current: String, password: String) -> Result<(), UiError>;

    /// Signs one of their browsers out.
    async fn end_session(&self, id: SessionId) -> Result<(), UiError>;

    /// Signs all of their browsers out but this one.
    async fn end_other_sessions(&self) -> Result<(), UiError>;

    /// The page a link from Slack leads the signed-in person to. Changes nothing.
    async fn slack_link(&self, token: String) -> Result<SlackLink, UiError>;

    /// Links the user of Slack that the link was made for to the person signed in; one that is theirs stays so.
    ///
    /// # Errors
    /// [`UiError::Invalid`] when the link is not good, or the user another person's.
    async fn accept_slack_link(&self, token: String) -> Result<(), UiError>;

    /// Unlinks the person signed in from their user of Slack; who has none stays so.
    async fn unlink_slack(&self) -> Result<(), UiError>;

    /// Says who a person is in Slack, by their member id; an empty one unlinks them.
    ///
    /// # Errors
    /// [`UiError::Invalid`] when it is no such id, or another person's.
    async fn set_slack_id(&self, id: PersonId, slack_id: String) -> Result<(), UiError>;

    /// Everybody.
    async fn people(&self) -> Result<PeopleList, UiError>;

    /// Invites a person. Returns the one-time link to send them; it is shown only this once.
    ///
    /// # Errors
    /// [`UiError::Invalid`] when the name is taken or none.
    async fn invite(
        &self,
        name: String,
        role: Role,
        confirm: Option<String>,
    ) -> Result<String, UiError>;

    /// A new one-time link for a person who has lost their password. Earlier ones end.
    async fn make_link(&self, id: PersonId, confirm: Option<String>) -> Result<String, UiError>;

    /// The person signed in knows of the link that was made for them then.
    async fn told_of_link(&self, made_at: DateTime<Utc>) -> Result<(), UiError>;

    /// Gives a person another name or role.
    ///
    /// # Errors
    /// As [`SettingsPages::invite`]; also for another role of one's own.
    async fn change_person(
        &self,
        id: PersonId,
        name: String,
        role: Role,
        confirm: Option<String>,
    ) -> Result<(), UiError>;

    /// Keeps a person out, or lets them in again. With `revoke_tokens` the tokens that they made end.
    ///
    /// # Errors
    /// [`UiError::Invalid`] for oneself.
    async fn disable_person(
        &self,
        id: PersonId,
        disabled: bool,
        revoke_tokens: bool,
    ) -> Result<(), UiError>;

    /// The tokens that work, and those that were revoked.
    async fn tokens(&self) -> Result<TokenList, UiError>;

    /// Makes a token and returns it; it is shown only this once. An agent's belongs to the person signed in.
    ///
    /// # Errors
    /// [`UiError::Invalid`] when the name is none; [`UiError::NotFound`] when a team is no more.
    async fn create_token(
        &self,
        wish: TokenWish,
        confirm: Option<String>,
    ) -> Result<String, UiError>;

    /// Gives an agent's token another owner, by their id; an empty one is nobody.
    ///
    /// # Errors
    /// [`UiError::Invalid`] when there is no such person, or they are disabled; [`UiError::NotFound`] when
    /// the token was revoked.
    async fn change_owner(
        &self,
        id: TokenId,
        owner: String,
        confirm: Option<String>,
    ) -> Result<(), UiError>;

    /// Ends a token for good; one that has ended stays so.
    async fn revoke_token(&self, id: TokenId) -> Result<(), UiError>;
}
