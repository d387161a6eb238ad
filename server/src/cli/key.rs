//! Which key checks a signature.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use crate::signing::{self, VerifyingKey};

#[derive(Debug, Args)]
#[group(multiple = false)]
pub(super) struct PublicHalf {
    /// The key file of the server that signed
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// The public key, where the key file must not be
    #[arg(long, value_name = "BASE64")]
    public_key: Option<String>,
}

impl PublicHalf {
    /// The key that was named; `None` when none was.
    pub(super) fn named(&self) -> anyhow::Result<Option<VerifyingKey>> {
        if let Some(text) = &self.public_key {
            let key = VerifyingKey::from_base64(text);
            return key
                .context("--public-key is not an Ed25519 public key: 32 bytes in base64")
                .map(Some);
        }
        let key = self.key.as_deref().map(signing::load).transpose()?;
        Ok(key.map(|key| key.verifying_key()))
    }

    /// The key that was named, or else that of the file.
    pub(super) fn find(&self, file: &Path) -> anyhow::Result<VerifyingKey> {
        match self.named()? {
            Some(key) => Ok(key),
            None => Ok(signing::load(file)
                .context("the checkpoints need a key: name it with --key or --public-key")?
                .verifying_key()),
        }
    }
}
