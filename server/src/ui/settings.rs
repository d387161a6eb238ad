//! The settings pages, for the person who is signed in. Who may do what is for the rules to say.

use app::{
    backend::SettingsPages,
    error::UiError,
    view::{
        Account, PeopleList, PersonRow, SessionRow, SlackLink, SlackUser, Standing, TeamName,
        TokenList, TokenRow, TokenWish,
    },
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    Actor, PersonId, Principal, Refused, Role, SessionId, SlackId, Token, TokenId, TokenKind,
    access::Lifetime,
};
use service::{ServiceError, secret::Secret};
use signing::SlackClaim;

use super::{
    backend::{ForPerson, failed, told},
    teams::{homes_of, named},
};

impl ForPerson {
    fn link(&self, secret: &Secret) -> String {
        let public = self.state.config.public_url();
        format!("{public}/sign-in/{}", secret.reveal())
    }

    /// Who acts, after they have given their password once more if they did.
    pub(super) async fn proven(&self, password: Option<String>) -> Result<Principal, UiError> {
        let who = self.who()?;
        let Some(password) = password.filter(|password| !password.is_empty()) else {
            return Ok(who.principal());
        };
        let address = self.address.ok_or(UiError::Internal)?.0;
        match self.state.service.prove(who, &password, address).await {
            Ok(who) => Ok(who.principal()),
            Err(ServiceError::Refused(Refused::Invalid(_))) => {
                Err(UiError::Invalid("This is not your password.".to_owned()))
            }
            Err(error) => Err(told(error)),
        }
    }
}

#[async_trait]
impl SettingsPages for ForPerson {
    async fn account(&self) -> Result<Account, UiError> {
        let who = self.who()?;
        let service = &self.state.service;
        let sessions = service.sessions(who).await.map_err(told)?;
        let sessions = sessions.into_iter().map(|one| SessionRow {
            this: one.id == who.session,
            id: one.id,
            browser: in_words(&one.browser),
            address: one.address,
            created_at: one.created_at,
            seen_at: one.seen_at,
        });
        Ok(Account {
            name: who.person.name.clone(),
            role: who.person.role,
            slack_id: who.person.slack_id.clone(),
            sessions: sessions.collect(),
            as_of: service.now(),
        })
    }

    async fn change_password(&self, current: String, password: String) -> Result<(), UiError> {
        let who = self.who()?;
        let address = self.address.ok_or(UiError::Internal)?.0;
        let service = &self.state.service;
        let changed = service.change_password(who, &current, &password, address);
        match changed.await {
            Err(ServiceError::NotFound) => Err(UiError::SignedOut),
            Err(ServiceError::Refused(Refused::Invalid(_))) => Err(UiError::Invalid(
                "The current password is wrong.".to_owned(),
            )),
            changed => changed.map_err(told),
        }
    }

    async fn end_session(&self, id: SessionId) -> Result<(), UiError> {
        let ended = self.state.service.end_session(self.who()?, id).await;
        ended.map(drop).map_err(told)
    }

    async fn end_other_sessions(&self) -> Result<(), UiError> {
        let ended = self.state.service.end_other_sessions(self.who()?).await;
        ended.map_err(told)
    }

    async fn slack_link(&self, token: String) -> Result<SlackLink, UiError> {
        let who = &self.who()?.person;
        let service = &self.state.service;
        let Ok(SlackClaim { slack_id, name, .. }) = service.slack_claim(&token) else {
            return Ok(SlackLink::Stale);
        };
        let holder = service.store().person_in_slack(&slack_id).await;
        let user = SlackUser {
            id: slack_id,
            name: visible::line(&name),
        };
        let account = who.name.clone();
        Ok(match holder.map_err(failed)? {
            None => SlackLink::Open {
                user,
                account,
                replaces: who.slack_id.clone(),
            },
            Some(holder) if holder.id == who.id => SlackLink::Yours {
                user,
                account,
                role: who.role,
            },
            Some(holder) => SlackLink::Taken {
                user,
                by: holder.name,
            },
        })
    }

    async fn accept_slack_link(&self, token: String) -> Result<(), UiError> {
        let accepted = self.state.service.accept_slack_link(&token, self.who()?);
        match accepted.await {
            Ok(false) => Err(UiError::Invalid(
                "This link no longer works. Answer once more in Slack, and you are shown a new one."
                    .to_owned(),
            )),
            accepted => unless_so_already(accepted.map(|_| ())),
        }
    }

    async fn unlink_slack(&self) -> Result<(), UiError> {
        let (who, by) = (self.who()?.person.id, self.principal()?);
        unless_so_already(self.state.service.link_slack(who, None, &by).await)
    }

    async fn set_slack_id(&self, id: PersonId, slack_id: String) -> Result<(), UiError> {
        let by = self.principal()?;
        by.admin().map_err(|refused| told(refused.into()))?;
        let slack_id = match slack_id.trim() {
            "" => None,
            text => Some(
                SlackId::parse(text)
                    .map_err(|fault| UiError::Invalid(format!("This {}.", fault.message)))?,
            ),
        };
        unless_so_already(self.state.service.link_slack(id, slack_id, &by).await)
    }

    async fn people(&self) -> Result<PeopleList, UiError> {
        let by = self.principal()?;
        let service = &self.state.service;
        let people = service.people(&by).await.map_err(told)?;
        let now = service.now();
        let mut tokens = service.tokens(&by).await.map_err(told)?;
        tokens.retain(|one| one.works(now));
        let rows = people.into_iter().map(|one| PersonRow {
            yourself: by.is_person(one.person.id),
            standing: match (one.person.disabled_at, one.has_password) {
                (Some(_), _) => Standing::Disabled,
                (None, true) => Standing::Active,
                (None, false) => Standing::Invited,
            },
            tokens: tokens
                .iter()
                .filter(|token| token.is_by(one.person.id))
                .map(|token| token.token.name.clone())
                .collect(),
            id: one.person.id,
            name: one.person.name,
            role: one.person.role,
            slack_id: one.person.slack_id,
            link_until: one.link_expires_at,
            seen_at: one.seen_at,
        });
        Ok(PeopleList {
            rows: rows.collect(),
            as_of: now,
        })
    }

    async fn invite(
        &self,
        name: String,
        role: Role,
        confirm: Option<String>,
    ) -> Result<String, UiError> {
        let by = self.proven(confirm).await?;
        let link = self.state.service.invite(&name, role, &by).await;
        Ok(self.link(&link.map_err(told)?))
    }

    async fn make_link(&self, id: PersonId, confirm: Option<String>) -> Result<String, UiError> {
        let by = self.proven(confirm).await?;
        let link = self.state.service.make_link(id, &by).await;
        Ok(self.link(&link.map_err(told)?))
    }

    async fn change_person(
        &self,
        id: PersonId,
        name: String,
        role: Role,
        confirm: Option<String>,
    ) -> Result<(), UiError> {
        let by = self.proven(confirm).await?;
        let changed = self.state.service.change_person(id, &name, role, &by).await;
        changed.map_err(told)
    }

    async fn disable_person(
        &self,
        id: PersonId,
        disabled: bool,
        revoke_tokens: bool,
    ) -> Result<(), UiError> {
        let by = self.principal()?;
        let service = &self.state.service;
        let changed = service.disable_person(id, disabled, revoke_tokens, &by);
        changed.await.map_err(told)
    }

    async fn told_of_link(&self, made_at: DateTime<Utc>) -> Result<(), UiError> {
        let who = self.who()?.person.id;
        let store = self.state.service.store();
        store.told_of_link(who, made_at).await.map_err(failed)
    }

    async fn tokens(&self) -> Result<TokenList, UiError> {
        let service = &self.state.service;
        let by = self.principal()?;
        let tokens = service.tokens(&by).await.map_err(told)?;
        let people = service.people(&by).await.map_err(told)?.into_iter();
        let people = people.filter(|one| one.person.disabled_at.is_none());
        let records = service.teams(&by).await.map_err(told)?;
        let teams: Vec<TeamName> = records.iter().map(named).collect();
        let homes = homes_of(&records);
        let of = |token: &Token| match token.agent_id {
            Some(agent) => homes.get(&agent).cloned().into_iter().collect(),
            None => teams
                .iter()
                .filter(|team| token.teams.contains(&team.id))
                .map(|team| team.name.clone())
                .collect(),
        };
        let rows = tokens.into_iter().map(|one| TokenRow {
            teams: of(&one.token),
            id: one.token.id,
            kind: one.token.kind,
            name: one.token.name,
            created_at: one.created_at,
            made_by: one
                .made_by
                .as_ref()
                .and_then(Actor::name)
                .map(str::to_owned),
            owner: one.owner.map(Into::into),
            expires_at: one.token.expires_at,
            last_used_at: one.last_used_at,
            revoked_at: one.revoked_at,
        });
        Ok(TokenList {
            rows: rows.collect(),
            people: people.map(|one| (one.person.id, one.person.name)).collect(),
            teams,
            as_of: service.now(),
        })
    }

    async fn create_token(
        &self,
        wish: TokenWish,
        confirm: Option<String>,
    ) -> Result<String, UiError> {
        let lifetime = match wish.expires.as_deref().map(str::parse) {
            None => Lifetime::default(),
            Some(Ok(lifetime)) => lifetime,
            Some(Err(fault)) => return Err(told(vec![fault].into())),
        };
        let by = self.proven(confirm).await?;
        let service = &self.state.service;
        let (kind, name) = (wish.kind, &wish.name);
        let token = match kind {
            TokenKind::Agent => {
                let owner = self.who()?.person.id;
                let token = service.create_owned_token(name, owner, wish.home, lifetime, &by);
                token.await
            }
            TokenKind::Responder => {
                let token = service.create_token(kind, name, lifetime, &wish.teams, &by);
                token.await
            }
        };
        Ok(token.map_err(told)?.reveal().to_owned())
    }

    async fn change_owner(
        &self,
        id: TokenId,
        owner: String,
        confirm: Option<String>,
    ) -> Result<(), UiError> {
        let owner = match owner.trim() {
            "" => None,
            text => Some(text.parse().map_err(|_| no_such_person())?),
        };
        let by = self.proven(confirm).await?;
        match self.state.service.change_owner(id, owner, &by).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(UiError::NotFound),
            Err(ServiceError::NotFound) => Err(no_such_person()),
            Err(error) => Err(told(error)),
        }
    }

    async fn revoke_token(&self, id: TokenId) -> Result<(), UiError> {
        let by = self.principal()?;
        let revoked = self.state.service.revoke_token(id, &by).await;
        revoked.map(|_| ()).map_err(told)
    }
}

fn no_such_person() -> UiError {
    UiError::Invalid("There is no such person. Choose somebody from the list.".to_owned())
}

/// People do not have to hear that what they want is so.
fn unless_so_already(done: Result<(), ServiceError>) -> Result<(), UiError> {
    match done {
        Err(ServiceError::Refused(Refused::Unchanged)) => Ok(()),
        done => done.map_err(told),
    }
}

/// "Firefox on Linux" says more than a hundred characters of `User-Agent`. The order matters: most browsers
/// name others too.
fn in_words(browser: &str) -> String {
    const BROWSERS: [(&str, &str); 6] = [
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
        ("curl/", "curl"),
    ];
    const SYSTEMS: [(&str, &str); 6] = [
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS X", "macOS"),
        ("Linux", "Linux"),
    ];
    let named = |known: &[(&str, &'static str)]| {
        let found = known.iter().find(|(mark, _)| browser.contains(mark));
        found.map(|(_, name)| *name)
    };
    match (named(&BROWSERS), named(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => "An unknown browser".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_are_named() {
        for (agent, words) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
                "Firefox on Linux",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
                "Edge on Windows",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
                "Safari on iPhone",
            ),
            ("curl/8.5.0", "curl"),
            ("", "An unknown browser"),
        ] {
            assert_eq!(in_words(agent), words);
        }
    }
}
