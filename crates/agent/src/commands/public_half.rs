//! Which key checks a signature, as flags.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use signing::{Keyring, VerifyingKey};

/// The keys that a signature is checked by.
#[derive(Clone, Debug, Args)]
#[group(multiple = false)]
pub struct PublicHalf {
    /// The key file of the server that signed
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// The public key, where the key file must not be; several, separated by commas, after a rotation
    #[arg(long, value_name = "BASE64", value_delimiter = ',', value_parser = public_key)]
    public_key: Vec<VerifyingKey>,
}

fn public_key(text: &str) -> Result<VerifyingKey, String> {
    let key = VerifyingKey::from_base64(text);
    key.ok_or_else(|| "it is not an Ed25519 public key: 32 bytes in base64".to_owned())
}

impl PublicHalf {
    /// The keys that were named, the newest first; `None` when none was.
    pub fn named(&self) -> anyhow::Result<Option<Vec<VerifyingKey>>> {
        if !self.public_key.is_empty() {
            return Ok(Some(self.public_key.clone()));
        }
        let keys = self.key.as_deref().map(Keyring::load).transpose()?;
        Ok(keys.map(|keys| keys.verifying_keys().collect()))
    }

    /// The keys that were named, or else those of the file.
    pub fn find(&self, file: &Path) -> anyhow::Result<Vec<VerifyingKey>> {
        match self.named()? {
            Some(keys) => Ok(keys),
            None => Ok(Keyring::load(file)
                .context("the checkpoints need a key: name it with --key or --public-key")?
                .verifying_keys()
                .collect()),
        }
    }
}
