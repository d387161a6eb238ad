//! People and their users of Slack: admins link them, or people who open the link that only they
//! were shown there.

use domain::{
    Changeset, Moment, Person, PersonId, Principal, Refused, SlackId, decide::access as decide,
};
use signing::{SlackClaim, Unopened};

use super::{Service, ServiceError, SignedIn};

impl Service {
    /// Links a person to a user of Slack, or unlinks them. For oneself only an admin does more than unlink;
    /// see [`Service::accept_slack_link`].
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::SlackTaken`], [`Refused::Unchanged`], [`ServiceError::NotFound`].
    pub async fn link_slack(
        &self,
        person: PersonId,
        slack_id: Option<SlackId>,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        let wanted = slack_id.as_ref();
        self.change_slack_id(person, wanted, |person, holder, now| {
            decide::link_slack(person, slack_id.clone(), holder, by, now)
        })
        .await
    }

    /// The token in the address of a link for this user of Slack, which must be shown to no other. `None`
    /// where there is no key.
    pub fn slack_link(&self, slack_id: &SlackId, team: &str, name: &str) -> Option<String> {
        let links = self.slack_links.as_ref()?;
        Some(links.make(slack_id, team, name, self.now()))
    }

    /// Whom a link was made for.
    ///
    /// # Errors
    /// When it is not good, or no more.
    pub fn slack_claim(&self, token: &str) -> Result<SlackClaim, Unopened> {
        let links = self.slack_links.as_ref().ok_or(Unopened::Forged)?;
        links.open(token, self.now())
    }

    /// Links the user of Slack that a link was made for to the person who opened it. `false` when the link
    /// is not good.
    ///
    /// # Errors
    /// [`Refused::SlackTaken`], [`Refused::Unchanged`], [`Refused::Disabled`].
    pub async fn accept_slack_link(
        &self,
        token: &str,
        who: &SignedIn,
    ) -> Result<bool, ServiceError> {
        let Ok(SlackClaim { slack_id, .. }) = self.slack_claim(token) else {
            return Ok(false);
        };
        self.change_slack_id(who.person.id, Some(&slack_id), |person, holder, now| {
            decide::claim_slack(person, slack_id.clone(), holder, now)
        })
        .await?;
        Ok(true)
    }

    /// Decides on the person as they are, and on the holder of the Slack id.
    async fn change_slack_id(
        &self,
        id: PersonId,
        wanted: Option<&SlackId>,
        decide: impl Fn(&Person, Option<&Person>, Moment<'_>) -> Result<Changeset, Refused>
        + Send
        + Sync,
    ) -> Result<(), ServiceError> {
        loop {
            let person = self.store.person(id).await?;
            let person = person.ok_or(ServiceError::NotFound)?;
            let holder = match wanted {
                Some(wanted) => self.store.person_in_slack(wanted).await?,
                None => None,
            };
            let changed = decide(&person, holder.as_ref(), self.moment())?;
            if self.is_first(changed).await? {
                return Ok(());
            }
        }
    }
}
