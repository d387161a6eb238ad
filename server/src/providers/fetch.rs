//! Requests to a provider: to addresses that may be reached, without redirects and proxies, in time, and reading no
//! more than any description of a provider has.

use std::{error::Error, sync::Arc, time::Duration};

use async_trait::async_trait;
use machine::tls;
use oidc::{Fetch, Request, Response, Unreached, is_safe};
use reqwest::{Client, redirect::Policy};
use service::guard::{Forbidden, Guard, Guarded, Networks, SystemNames};

use crate::config::ProviderSettings;

/// How long one request may take.
const IN_TIME: Duration = Duration::from_secs(4);
/// How large an answer may be. Lists of keys are some kB, and an ID token with all groups may be some more.
const ANSWER_BYTES: usize = 512 * 1024;

/// Reaches one provider.
pub(super) struct Guided {
    client: Option<Client>,
    guard: Guard,
}

impl Guided {
    /// It may be in `networks` of its own that nobody else's addresses may lead to.
    pub(super) fn new(one: &ProviderSettings, allowed: &Networks) -> Self {
        let networks = allowed.with(&one.networks);
        let client = client(networks.clone()).inspect_err(|error| {
            tracing::error!(provider.key = %one.key, %error, "no request to a provider is possible");
        });
        Self {
            client: client.ok(),
            guard: Guard::new(networks),
        }
    }
}

fn client(networks: Networks) -> anyhow::Result<Client> {
    let resolver = Guarded {
        guard: Arc::new(Guard::new(networks)),
        names: Arc::new(SystemNames),
    };
    let client = Client::builder()
        .tls_backend_preconfigured(tls::client_config()?)
        .dns_resolver(Arc::new(resolver))
        .redirect(Policy::none())
        .no_proxy()
        .timeout(IN_TIME)
        .user_agent(concat!("Handraise/", env!("CARGO_PKG_VERSION")))
        .build()?;
    Ok(client)
}

#[async_trait]
impl Fetch for Guided {
    async fn fetch(&self, request: Request) -> Result<Response, Unreached> {
        let client = self.client.as_ref();
        let client = client.ok_or_else(|| Unreached("TLS cannot be set up".to_owned()))?;
        let url = self.guard.check(&request.uri().to_string());
        let url = url.map_err(|why| Unreached(forbidden(why)))?;
        if !is_safe(&url) {
            return Err(Unreached("it has an address without https".to_owned()));
        }
        let request = reqwest::Request::try_from(request).map_err(|error| failed(&error))?;
        let mut response = client
            .execute(request)
            .await
            .map_err(|error| failed(&error))?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| failed(&error))? {
            if body.len() + chunk.len() > ANSWER_BYTES {
                return Err(Unreached("its answer has no end".to_owned()));
            }
            body.extend_from_slice(&chunk);
        }
        let mut answer = Response::new(body);
        *answer.status_mut() = response.status();
        *answer.headers_mut() = std::mem::take(response.headers_mut());
        Ok(answer)
    }
}

fn forbidden(why: Forbidden) -> String {
    match why {
        Forbidden::NotPublic => {
            "its address is not public; `networks` of the provider can allow it".to_owned()
        }
        other => format!("its address {other}"),
    }
}

/// The last cause says most, and none says the address: a code may be in it.
fn failed(error: &reqwest::Error) -> Unreached {
    let mut cause: &dyn Error = error;
    while let Some(next) = cause.source() {
        cause = next;
        if let Some(why) = cause.downcast_ref::<Forbidden>() {
            return Unreached(forbidden(*why));
        }
    }
    if error.is_timeout() {
        return Unreached("it does not answer in time".to_owned());
    }
    let what = match error.is_connect() {
        true => "no connection",
        false => "no answer",
    };
    let why: String = cause.to_string().chars().take(200).collect();
    Unreached(format!("{what} ({why})"))
}
