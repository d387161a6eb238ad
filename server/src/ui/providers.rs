//! What pages show of providers, for the browser that asks.

use app::{
    backend::ProviderPages,
    error::UiError,
    view::{Connections, ProviderName, WaysIn},
};
use async_trait::async_trait;
use domain::limits::PROOF_LASTS;
use oidc::Provider;

use super::backend::{ForPerson, told};
use crate::auth::on_the_way;

impl ForPerson {
    async fn refused(&self) -> Result<Option<String>, UiError> {
        match &self.session {
            Some(session) => on_the_way::refused(session)
                .await
                .map_err(|_| UiError::Internal),
            None => Ok(None),
        }
    }

    /// Whether one of the providers could say once more who the person is.
    pub(super) async fn comes_by_provider(&self) -> Result<bool, UiError> {
        let providers = self.state.providers.all();
        if providers.is_empty() {
            return Ok(false);
        }
        let theirs = self.state.service.identities_of(self.who()?.person.id);
        let theirs = theirs.await.map_err(told)?;
        Ok(theirs.iter().any(|one| {
            let issuer = &one.identity.issuer;
            providers.iter().any(|it| it.settings.issuer == *issuer)
        }))
    }
}

#[async_trait]
impl ProviderPages for ForPerson {
    async fn ways_in(&self) -> Result<WaysIn, UiError> {
        Ok(WaysIn {
            passwords: self.state.config.passwords,
            providers: self.state.providers.all().iter().map(name).collect(),
            refused: self.refused().await?,
        })
    }

    async fn connections(&self) -> Result<Connections, UiError> {
        let who = self.who()?;
        let service = &self.state.service;
        let theirs = service.identities_of(who.person.id).await.map_err(told)?;
        let providers = self.state.providers.all().iter().map(|provider| {
            let issuer = &provider.settings.issuer;
            let linked = theirs.iter().find(|one| one.identity.issuer == *issuer);
            let since = linked.map(|one| one.linked_at.format("%Y-%m-%d").to_string());
            (name(provider), since)
        });
        Ok(Connections {
            providers: providers.collect(),
            proven: service.now() < who.proven_at + PROOF_LASTS,
            refused: self.refused().await?,
        })
    }
}

fn name(provider: &Provider) -> ProviderName {
    ProviderName {
        key: provider.settings.key.clone(),
        name: visible::line(&provider.settings.name),
    }
}
