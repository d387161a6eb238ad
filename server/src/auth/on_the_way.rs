//! What is kept for a browser between its way to a provider and its way back, and what it is told when it came in
//! vain.

use domain::PersonId;
use oidc::Way;
use serde::{Deserialize, Serialize};
use tower_sessions::Session;

use super::session::{failed, keep as keep_with, kept};
use crate::problem::Problem;

const PENDING: &str = "on_the_way";
const REFUSED: &str = "refused";
const CAME_BY: &str = "came_by";
/// Somebody who opens the way in several tabs comes back in any of them.
const MOST: usize = 4;
/// Longer, it does not fit into an address.
const LONGEST_TOKEN: usize = 6 * 1024;

/// One way, which leads back once.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Pending {
    /// The provider's key.
    pub(crate) provider: String,
    pub(crate) way: Way,
    pub(crate) to: To,
    /// The page that they wanted.
    pub(crate) next: String,
}

/// What somebody goes to a provider for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum To {
    SignIn,
    /// Their account here is to know theirs there.
    Connect(PersonId),
    /// They show who they are once more.
    Confirm(PersonId),
}

/// By which provider a browser came in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CameBy {
    /// Its key.
    pub(crate) provider: String,
    pub(crate) id_token: String,
}

/// Keeps it for this browser. What went wrong before is over.
pub(crate) async fn keep(session: &Session, pending: Pending) -> Result<(), Problem> {
    let mut all = pendings(session).await?;
    all.push(pending);
    let first = all.len().saturating_sub(MOST);
    keep_with(session, PENDING, &all.split_off(first)).await?;
    let gone = session.remove_value(REFUSED).await;
    gone.map(|_| ()).map_err(failed)
}

/// Takes the one with this state out: it leads back once.
pub(crate) async fn take(session: &Session, state: &str) -> Result<Option<Pending>, Problem> {
    let mut all = pendings(session).await?;
    let Some(at) = all.iter().position(|one| one.way.state == state) else {
        return Ok(None);
    };
    let found = all.remove(at);
    keep_with(session, PENDING, &all).await?;
    // At once: the same address may be open a second time.
    session.save().await.map_err(failed)?;
    Ok(Some(found))
}

async fn pendings(session: &Session) -> Result<Vec<Pending>, Problem> {
    Ok(kept(session, PENDING).await?.unwrap_or_default())
}

/// Keeps why somebody did not come in, for the page that they are sent to.
pub(crate) async fn refuse(session: &Session, why: &str) -> Result<(), Problem> {
    keep_with(session, REFUSED, &why).await
}

/// Why, if it was a moment ago.
pub(crate) async fn refused(session: &Session) -> Result<Option<String>, Problem> {
    kept(session, REFUSED).await
}

/// Keeps by whom this browser came in, to sign it out there.
pub(crate) async fn came_by(session: &Session, came: CameBy) -> Result<(), Problem> {
    if came.id_token.len() > LONGEST_TOKEN {
        return Ok(());
    }
    keep_with(session, CAME_BY, &came).await
}

/// By whom.
pub(crate) async fn who_came_by(session: &Session) -> Result<Option<CameBy>, Problem> {
    kept(session, CAME_BY).await
}
