//! One's own account, people and tokens.

use chrono::{DateTime, Utc};
use domain::{PersonId, Role, SessionId, TeamId, TokenId, TokenKind};
use leptos::server;

use crate::{
    error::UiError,
    view::{Account, PeopleList, SlackLink, TokenList},
    wire::TreeJson,
};

/// The person who is signed in, and where.
#[server(prefix = "/ui", endpoint = "load-account", output = TreeJson)]
pub async fn load_account() -> Result<Account, UiError> {
    super::answered(super::backend()?.account().await)
}

/// Another password for the person signed in.
#[server(prefix = "/ui", endpoint = "change-password", output = TreeJson)]
pub async fn change_password(current: String, password: String) -> Result<(), UiError> {
    super::answered(super::backend()?.change_password(current, password).await)
}

/// Signs one browser out.
#[server(prefix = "/ui", endpoint = "end-session", output = TreeJson)]
pub async fn end_session(id: SessionId) -> Result<(), UiError> {
    super::answered(super::backend()?.end_session(id).await)
}

/// Signs all browsers out but this one.
#[server(prefix = "/ui", endpoint = "end-other-sessions", output = TreeJson)]
pub async fn end_other_sessions() -> Result<(), UiError> {
    super::answered(super::backend()?.end_other_sessions().await)
}

/// The page a link from Slack leads to.
#[server(prefix = "/ui", endpoint = "load-slack-link", output = TreeJson)]
pub async fn load_slack_link(token: String) -> Result<SlackLink, UiError> {
    super::answered(super::backend()?.slack_link(token).await)
}

/// Links a user of Slack to the person signed in.
#[server(prefix = "/ui", endpoint = "accept-slack-link", output = TreeJson)]
pub async fn accept_slack_link(token: String) -> Result<(), UiError> {
    super::answered(super::backend()?.accept_slack_link(token).await)
}

/// Unlinks the person signed in.
#[server(prefix = "/ui", endpoint = "unlink-slack", output = TreeJson)]
pub async fn unlink_slack() -> Result<(), UiError> {
    super::answered(super::backend()?.unlink_slack().await)
}

/// Says who a person is in Slack.
#[server(prefix = "/ui", endpoint = "set-slack-id", output = TreeJson)]
pub async fn set_slack_id(id: PersonId, slack_id: String) -> Result<(), UiError> {
    super::answered(super::backend()?.set_slack_id(id, slack_id).await)
}

/// Everybody.
#[server(prefix = "/ui", endpoint = "load-people", output = TreeJson)]
pub async fn load_people() -> Result<PeopleList, UiError> {
    super::answered(super::backend()?.people().await)
}

/// Invites a person; returns their link.
#[server(prefix = "/ui", endpoint = "invite-person", output = TreeJson)]
pub async fn invite_person(
    name: String,
    role: Role,
    #[server(default)] confirm: Option<String>,
) -> Result<String, UiError> {
    super::answered(super::backend()?.invite(name, role, confirm).await)
}

/// A new link for a person.
#[server(prefix = "/ui", endpoint = "make-link", output = TreeJson)]
pub async fn make_link(
    id: PersonId,
    #[server(default)] confirm: Option<String>,
) -> Result<String, UiError> {
    super::answered(super::backend()?.make_link(id, confirm).await)
}

/// The person signed in knows of a link that was made for them.
#[server(prefix = "/ui", endpoint = "told-of-link", output = TreeJson)]
pub async fn told_of_link(made_at: DateTime<Utc>) -> Result<(), UiError> {
    super::answered(super::backend()?.told_of_link(made_at).await)
}

/// Another name or role for a person.
#[server(prefix = "/ui", endpoint = "change-person", output = TreeJson)]
pub async fn change_person(
    id: PersonId,
    name: String,
    role: Role,
    #[server(default)] confirm: Option<String>,
) -> Result<(), UiError> {
    let backend = super::backend()?;
    super::answered(backend.change_person(id, name, role, confirm).await)
}

/// Keeps a person out, or lets them in again.
#[server(prefix = "/ui", endpoint = "disable-person", output = TreeJson)]
pub async fn disable_person(
    id: PersonId,
    disabled: bool,
    #[server(default)] revoke_tokens: bool,
) -> Result<(), UiError> {
    let backend = super::backend()?;
    super::answered(backend.disable_person(id, disabled, revoke_tokens).await)
}

/// The tokens.
#[server(prefix = "/ui", endpoint = "load-tokens", output = TreeJson)]
pub async fn load_tokens() -> Result<TokenList, UiError> {
    super::answered(super::backend()?.tokens().await)
}

/// Makes a token and returns it. `home` is an agent's and empty for the one that it has, `teams` are a script's: the form
/// sends both, and what does not go with the kind counts for nothing.
#[server(prefix = "/ui", endpoint = "create-token", output = TreeJson)]
pub async fn create_token(
    kind: TokenKind,
    name: String,
    #[server(default)] expires: Option<String>,
    #[server(default)] home: String,
    #[server(default)] teams: Vec<TeamId>,
    #[server(default)] confirm: Option<String>,
) -> Result<String, UiError> {
    use crate::view::TokenWish;

    let backend = super::backend()?;
    super::answered(match super::teams::chosen(&home) {
        Ok(home) => {
            let wish = TokenWish {
                kind,
                name,
                expires,
                home,
                teams,
            };
            backend.create_token(wish, confirm).await
        }
        Err(error) => Err(error),
    })
}

/// Gives an agent's token another owner; an empty `owner` is nobody.
#[server(prefix = "/ui", endpoint = "change-owner", output = TreeJson)]
pub async fn change_owner(
    id: TokenId,
    owner: String,
    #[server(default)] confirm: Option<String>,
) -> Result<(), UiError> {
    super::answered(super::backend()?.change_owner(id, owner, confirm).await)
}

/// Ends a token.
#[server(prefix = "/ui", endpoint = "revoke-token", output = TreeJson)]
pub async fn revoke_token(id: TokenId) -> Result<(), UiError> {
    super::answered(super::backend()?.revoke_token(id).await)
}
