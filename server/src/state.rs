//! What every request can reach.

use std::sync::Arc;

use app::Assets;
use axum::extract::FromRef;
use domain::Ids;
use leptos::config::LeptosOptions;
use store::Store;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    clock::Clock, config::Config, journal::Checkpoints, live::hub::Hub, service::Service,
    signing::SigningKey,
};

/// Cheap to clone.
#[derive(Clone, FromRef)]
pub struct AppState {
    /// The use cases.
    pub service: Service,
    /// Who wants to hear of changes.
    pub hub: Arc<Hub>,
    /// Signs the journal.
    pub checkpoints: Arc<Checkpoints>,
    /// The settings.
    pub config: Arc<Config>,
    /// The names of the page's files.
    pub assets: Arc<Assets>,
    /// Cancelled when the server is to stop.
    pub stopping: CancellationToken,
    /// The open sockets: the server lets them say goodbye.
    pub sockets: TaskTracker,
    /// Asked for by leptos; the page's files are embedded, so nothing in it matters.
    pub leptos: LeptosOptions,
}

impl AppState {
    /// Puts the server together; [`crate::run`] sets it going. `key` signs checkpoints and receipts.
    pub fn new(
        config: Config,
        assets: Assets,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
        key: Arc<SigningKey>,
    ) -> Self {
        let checkpoints = Checkpoints::new(
            store.clone(),
            key.clone(),
            config.key_name.clone(),
            config.checkpoint_file(),
        );
        Self {
            service: Service::new(store, clock, ids, config.settings()).with_signer(key),
            checkpoints: Arc::new(checkpoints),
            hub: Arc::new(Hub::default()),
            config: Arc::new(config),
            assets: Arc::new(assets),
            sockets: TaskTracker::new(),
            stopping: CancellationToken::new(),
            leptos: LeptosOptions::builder().output_name("handraise").build(),
        }
    }
}
