//! TLS towards others: rustls, with whom it trusts.

use std::sync::{Arc, LazyLock};

use anyhow::Context;
use rustls::{ClientConfig, RootCertStore};

/// Authorities as the system trusts them, and those of Mozilla for systems that have none. Read once: reading them takes longer
/// than most requests.
static ROOTS: LazyLock<Arc<RootCertStore>> = LazyLock::new(|| {
    let mut roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    Arc::new(roots)
});

/// For one client. All trust the same authorities.
///
/// # Errors
/// When there is nothing that both the library and the protocol know.
pub fn client_config() -> anyhow::Result<ClientConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .context("cannot set up TLS")?
        .with_root_certificates(Arc::clone(&ROOTS))
        .with_no_client_auth();
    Ok(config)
}
