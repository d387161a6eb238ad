//! The functions the browser calls, under `/ui`. Each takes the [`Backend`] from the request's context and
//! translates; all are POST, and the server checks where the call comes from before it gets here.

mod around;
mod blockers;
mod desk;
mod history;
mod outbound;
mod providers;
mod settings;
mod teams;
mod together;
mod visitor;

pub use around::{
    ClaimBlocker, EndSnooze, HandOverBlocker, ReleaseBlocker, SnoozeBlocker, claim_blocker,
    end_snooze, hand_over_blocker, release_blocker, snooze_blocker,
};
pub(crate) use blockers::SEVERAL;
pub use blockers::{
    AnswerBlocker, CancelBlocker, EraseInteraction, FollowUpBlocker, answer_blocker,
    cancel_blocker, erase_interaction, follow_up_blocker, load_blocker, load_story,
};
pub use desk::load_desk;
pub use history::{load_agents, load_history, load_tasks};
pub use outbound::{
    CreateWebhook, DeleteWebhook, DisableWebhook, RetryDeliveries, RetryDelivery, RotateSecret,
    SetWebhookTeams, TestWebhook, create_webhook, delete_webhook, disable_webhook, load_deliveries,
    load_delivery, load_notices, load_webhooks, retry_deliveries, retry_delivery, rotate_secret,
    set_webhook_teams, test_webhook,
};
pub use providers::{load_connections, load_ways_in};
pub use settings::{
    AcceptSlackLink, ChangeOwner, ChangePassword, ChangePerson, CreateToken, DisablePerson,
    EndOtherSessions, EndSession, InvitePerson, MakeLink, RevokeToken, SetSlackId, ToldOfLink,
    UnlinkSlack, accept_slack_link, change_owner, change_password, change_person, create_token,
    disable_person, end_other_sessions, end_session, invite_person, load_account, load_people,
    load_slack_link, load_tokens, make_link, revoke_token, set_slack_id, told_of_link,
    unlink_slack,
};
pub use teams::{
    ChangeTeam, CreateTeam, DeleteTeam, RemoveMember, SetHome, SetMember, SetOpen, change_team,
    create_team, delete_team, load_own_teams, load_team, load_teams, remove_member, set_home,
    set_member, set_open,
};
pub use together::{AnswerTogether, answer_together, load_group};
pub use visitor::{load_has_admin, load_has_passkeys, load_sign_in_link, load_visitor};

#[cfg(feature = "ssr")]
fn backend() -> Result<std::sync::Arc<dyn crate::backend::Backend>, crate::error::UiError> {
    // Absent while leptos walks the routes at start-up: no person is signed in there.
    leptos::prelude::use_context().ok_or(crate::error::UiError::SignedOut)
}

/// The same for what comes from this person's page. Another may have signed in in that browser since.
#[cfg(feature = "ssr")]
async fn backend_of(
    page: Option<domain::PersonId>,
) -> Result<std::sync::Arc<dyn crate::backend::Backend>, crate::error::UiError> {
    let backend = backend()?;
    if let Some(person) = page
        && answered(backend.visitor().await)?.id != person
    {
        return answered(Err(crate::error::UiError::SignedOut));
    }
    Ok(backend)
}

/// As `UiError::respond_to_call`, for what a server function returns.
#[cfg(feature = "ssr")]
fn answered<T>(outcome: Result<T, crate::error::UiError>) -> Result<T, crate::error::UiError> {
    if let Err(error) = &outcome {
        error.respond_to_call();
    }
    outcome
}
