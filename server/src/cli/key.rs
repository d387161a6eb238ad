//! `handraise key`: another key for the server. And which key checks a signature.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Subcommand};

use super::Place;
use crate::{
    clock::{Clock, SystemClock},
    signing::{Keyring, VerifyingKey},
};

#[derive(Debug, Subcommand)]
pub(super) enum KeyCommand {
    /// Replaces the server's key by a new one, and has the old one say so: agents that trust the old key follow it.
    ///
    /// Start the server again afterwards: until then it signs with the old key. Keep the old keys where they are, beside
    /// the new one: they open what was sealed with them. If somebody else may have the old key, its word is worth nothing:
    /// move it away instead, and have every agent trust the new one (`handraise trust`).
    #[command(after_help = "Example:\n  handraise key rotate --config handraise.toml")]
    Rotate {
        #[command(flatten)]
        place: Place,
    },
}

pub(super) fn run(command: KeyCommand) -> anyhow::Result<()> {
    let KeyCommand::Rotate { place } = command;
    let file = place.config()?.key_file();
    let rotation = Keyring::rotate(&file, SystemClock.now())?;
    println!("{}", rotation.new);
    eprintln!(
        "handraise: {} holds a new key, which {} has announced; start the server again, so that it signs with it",
        file.display(),
        rotation.old
    );
    Ok(())
}

#[derive(Debug, Args)]
#[group(multiple = false)]
pub(super) struct PublicHalf {
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
    pub(super) fn named(&self) -> anyhow::Result<Option<Vec<VerifyingKey>>> {
        if !self.public_key.is_empty() {
            return Ok(Some(self.public_key.clone()));
        }
        let keys = self.key.as_deref().map(Keyring::load).transpose()?;
        Ok(keys.map(|keys| keys.verifying_keys().collect()))
    }

    /// The keys that were named, or else those of the file.
    pub(super) fn find(&self, file: &Path) -> anyhow::Result<Vec<VerifyingKey>> {
        match self.named()? {
            Some(keys) => Ok(keys),
            None => Ok(Keyring::load(file)
                .context("the checkpoints need a key: name it with --key or --public-key")?
                .verifying_keys()
                .collect()),
        }
    }
}
