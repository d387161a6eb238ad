//! News of who gets in, which people are told without having asked: tokens that end, and links that were made for
//! another person.

use app::{
    error::UiError,
    view::{EndingToken, LinkNotice},
};
use chrono::TimeDelta;
use domain::{Person, Principal};
use store::MadeLink;

use super::backend::{ForPerson, failed, told};

/// So long before a token ends admins hear of it, and so long after it: an agent may have gone quiet by then.
const ENDS_SOON: TimeDelta = TimeDelta::days(14);
const HAS_ENDED: TimeDelta = TimeDelta::days(7);
/// So long all admins see that a link was made.
const LINK_SHOWN: TimeDelta = TimeDelta::days(7);

impl ForPerson {
    /// The link that was made for the person who looks, until they say that they know.
    pub(super) async fn own_link(&self) -> Result<Option<LinkNotice>, UiError> {
        let who = &self.who()?.person;
        let made = self.state.service.store().made_link(who.id).await;
        let made = made.map_err(failed)?.filter(|made| !made.told);
        Ok(made.map(|made| notice(who, made, true)))
    }

    /// The links that were made lately for everybody else.
    pub(super) async fn links_of_others(&self, by: &Principal) -> Result<Vec<LinkNotice>, UiError> {
        let service = &self.state.service;
        let since = service.now() - LINK_SHOWN;
        let people = service.people(by).await.map_err(told)?.into_iter();
        let made = people.filter_map(|one| {
            let made = one.made_link.filter(|made| made.at > since)?;
            (!by.is_person(one.person.id)).then(|| notice(&one.person, made, false))
        });
        Ok(made.collect())
    }

    /// The tokens that end soon, or have just ended, the first to end first.
    pub(super) async fn ending_tokens(&self, by: &Principal) -> Result<Vec<EndingToken>, UiError> {
        let service = &self.state.service;
        let now = service.now();
        let tokens = service.tokens(by).await.map_err(told)?.into_iter();
        let ending = tokens.filter_map(|one| {
            let at = one.token.expires_at.filter(|_| one.revoked_at.is_none())?;
            let soon = at <= now + ENDS_SOON && now < at + HAS_ENDED;
            soon.then_some(EndingToken {
                id: one.token.id,
                kind: one.token.kind,
                name: one.token.name,
                at,
            })
        });
        let mut ending: Vec<_> = ending.collect();
        ending.sort_by_key(|one| one.at);
        Ok(ending)
    }
}

fn notice(person: &Person, made: MadeLink, yours: bool) -> LinkNotice {
    LinkNotice {
        person: person.id,
        name: person.name.clone(),
        by: made.by.name().unwrap_or_default().to_owned(),
        at: made.at,
        yours,
    }
}
