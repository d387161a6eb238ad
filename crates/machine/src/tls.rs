//! TLS towards others: rustls, with whom it trusts.

use std::sync::Arc;

use anyhow::Context;
use rustls::{ClientConfig, RootCertStore};

/// Authorities as the system trusts them, and those of Mozilla for systems that have none.
///
/// # Errors
/// When there is nothing that both the library and the protocol know.
pub fn client_config() -> anyhow::Result<ClientConfig> {
    let mut roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .context("cannot set up TLS")?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(config)
}
