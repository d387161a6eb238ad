//! `handraise serve`: a server from its settings to its end.

use std::{env, io::Write, os::unix::process::CommandExt, path::Path, process::Command, sync::Arc};

use anyhow::{Context, bail};
use domain::Ids;
use machine::clock::{SystemClock, SystemIds};
use server::{
    config::{Config, WebhookUrl},
    journal::{Behind, CheckpointFile},
    slack::way_in::WayIn,
    spans::Spans,
    state::AppState,
    telemetry,
    ui::assets,
};
use service::secret::Secret;
use signing::Keyring;
use tokio::net::TcpListener;

use super::{ServerFlags, beside, login_name, open_files, operator, policy, said};

/// A server that can be set going: it has its port and its database.
pub(super) struct Ready {
    pub(super) state: AppState,
    listener: TcpListener,
}

pub(super) async fn run(flags: ServerFlags) -> anyhow::Result<()> {
    let loaded = flags.load()?;
    let spans = Spans::start(&loaded.config.tracing, SystemIds.next().to_string())?;
    telemetry::start(loaded.config.log, spans.as_ref());
    for unknown in &loaded.unknown_variables {
        tracing::warn!("{unknown}");
    }
    let mut ready = Ready::new(loaded.config, loaded.file.as_deref()).await?;
    ready.state = ready.state.with_spans(spans);
    let link = ready.first_admin_link().await?;
    let config = &ready.state.config;
    let public = config.public_url();
    let mut hello = format!("Handraise listens on http://{}\n", config.addr);
    match link {
        Some(link) => {
            let link = link.reveal();
            hello += &format!("Become its first admin, within a day: {public}/sign-in/{link}\n");
        }
        None => hello += &format!("Sign in: {public}\n"),
    }
    // The program that started the server may have closed its standard output; it serves all the
    // same.
    let _ = write!(std::io::stdout(), "{hello}");
    ready.serve().await
}

impl Ready {
    pub(super) async fn new(mut config: Config, file: Option<&Path>) -> anyhow::Result<Self> {
        let names = assets::names()?;
        // Before the database: a second server on the same port must not touch it.
        let listener = listen(&config).await?;
        // Port 0 asks for any free one.
        config.addr = listener
            .local_addr()
            .context("the listener has no address")?;
        let store = store::connect(config.database_url.reveal()).await?;
        let keys = Keyring::load_or_create(&config.key_file())?;
        let name = config.key_name.clone();
        let signed = CheckpointFile::new(config.checkpoint_file(), name, keys.verifying_keys());
        // Before an event gets a number that another one had.
        if let Some(behind) = Behind::find(&*store, &signed).await? {
            bail!("{behind}");
        }
        // A start that fails says why, and nothing else.
        if let Some(file) = file {
            tracing::info!("settings from {}", file.display());
        }
        tracing::info!(public_key = %keys.verifying_key(), "signs with {}", config.key_file().display());
        open_files::fit(&mut config.limits);
        let state = AppState::new(
            config,
            names,
            store,
            Arc::new(SystemClock),
            Arc::new(SystemIds),
            keys,
        )
        .with_files()?;
        // Before anybody can ask.
        policy::at_start(&state.service, &state.config).await?;
        let slack = WayIn::new(&state.config, &state.service)?;
        let state = state.with_slack(slack);
        let webhook = state.config.webhook_url.as_ref().map(WebhookUrl::reveal);
        state
            .service
            .configure_endpoint(webhook, &operator())
            .await
            .map_err(|error| anyhow::anyhow!("webhook_url: {:#}", said(error)))?;
        let public = state.config.public_url();
        if let Err(error) = state.service.store().serves_at(&public).await {
            tracing::warn!(%error, "links that commands print may not lead here");
        }
        Ok(Self { state, listener })
    }

    /// The link for the first admin, until there is one.
    pub(super) async fn first_admin_link(&self) -> anyhow::Result<Option<Secret>> {
        let service = &self.state.service;
        let link = service.first_admin_link(&login_name(), &operator()).await;
        link.map_err(said)
    }

    /// Serves until the program is asked to stop.
    pub(super) async fn serve(self) -> anyhow::Result<()> {
        let (store, stopping) = (
            Arc::clone(self.state.service.store()),
            self.state.stopping.clone(),
        );
        let serving = server::run(self.state, self.listener, machine::asked_to_stop());
        let vanished = async {
            store.vanished().await;
            if stopping.is_cancelled() {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            done = serving => done,
            () = vanished => Err(begin_anew()),
        }
    }
}

/// Puts this program in its own place, as if it had been killed and started again: only that ends connections that lead nowhere and
/// all that waits on them, wherever it waits. Returns if that cannot be done.
fn begin_anew() -> anyhow::Error {
    tracing::error!(
        "the database does not answer on its connections but can be reached anew, as when its machine lost its power and another \
         took its place: the server begins anew"
    );
    let failed =
        env::current_exe().map(|program| Command::new(program).args(env::args_os().skip(1)).exec());
    let (Ok(failed) | Err(failed)) = failed;
    anyhow::Error::new(failed)
        .context("the server has to be started again, and cannot do that itself")
}

async fn listen(config: &Config) -> anyhow::Result<TcpListener> {
    let addr = config.addr;
    let bound = TcpListener::bind(addr).await;
    if bound.is_err() && beside::serves(addr).await {
        return bound.with_context(|| {
            format!("cannot listen on {addr}, where a Handraise server listens already")
        });
    }
    bound.with_context(|| format!("cannot listen on {addr}"))
}
