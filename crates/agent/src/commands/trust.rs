//! `handraise trust`: the servers whose decisions this agent believes.

use std::{
    io::{Write, stdout},
    time::Duration,
};

use anyhow::{Context, ensure};
use clap::Subcommand;
use sha2::{Digest, Sha256};
use signing::VerifyingKey;
use tokio::time::timeout;

use super::say;
use crate::client::{
    self, Client,
    known_servers::{KnownServers, address_of},
};

/// How long a server may take to say which key it has.
const ASKING: Duration = Duration::from_secs(15);

#[derive(Debug, Subcommand)]
pub enum TrustCommand {
    /// Lists the keys that are believed: address, key, fingerprint.
    #[command(after_help = "Example:\n  handraise trust list")]
    List,
    /// Believes a server: by this key, or by the one that it has now. Prints its fingerprint.
    ///
    /// Compare it with the key that whoever runs the server has from `handraise journal verify`.
    #[command(
        after_help = "Examples:\n  handraise trust add https://handraise.example\n  handraise trust add https://handraise.example 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
    )]
    Add {
        /// The server, as in HANDRAISE_URL
        #[arg(value_name = "URL")]
        url: String,
        /// Its public key, in base64
        #[arg(value_parser = key)]
        key: Option<VerifyingKey>,
    },
    /// Believes a server no longer; the next contact is the first one again.
    #[command(after_help = "Example:\n  handraise trust remove https://handraise.example")]
    Remove {
        /// The server, as in HANDRAISE_URL
        #[arg(value_name = "URL")]
        url: String,
        /// This one of its keys alone
        #[arg(value_parser = key)]
        key: Option<VerifyingKey>,
    },
}

fn key(text: &str) -> Result<VerifyingKey, String> {
    VerifyingKey::try_from(text.to_owned())
}

impl TrustCommand {
    pub async fn run(self) -> anyhow::Result<()> {
        let known = KnownServers::of_user()?;
        match self {
            Self::List => {
                let servers = known.all()?;
                let lines = servers.iter().map(|it| line(&it.address, &it.key));
                print(&lines.collect::<String>())
            }
            Self::Add { url, key } => {
                let address = address_of(&client::base(&url)?);
                let keys = match key {
                    Some(key) => vec![key],
                    None => found(&url).await?,
                };
                let mut lines = String::new();
                for key in keys {
                    known.add(&address, key)?;
                    lines += &line(&address, &key);
                }
                print(&lines)
            }
            Self::Remove { url, key } => {
                let address = address_of(&client::base(&url)?);
                let removed = known.remove(&address, key)?;
                ensure!(
                    removed > 0,
                    "{} knows no such key of {address}",
                    known.path().display()
                );
                Ok(())
            }
        }
    }
}

async fn found(url: &str) -> anyhow::Result<Vec<VerifyingKey>> {
    let client = Client::new(url, None, say)?;
    let keys = timeout(ASKING, client.keys()).await;
    Ok(keys.context("there is no answer from the server")??.all())
}

fn line(address: &str, key: &VerifyingKey) -> String {
    format!("{address} {key} {}\n", fingerprint(key))
}

/// SHA-256 over the key's 32 bytes, in groups that people can read to each other.
fn fingerprint(key: &VerifyingKey) -> String {
    let sum: [u8; 32] = Sha256::digest(key.to_bytes()).into();
    let hex = domain::digest::hex(&sum);
    let groups = hex.as_bytes().chunks(4).take(8);
    let groups: Vec<_> = groups.map(String::from_utf8_lossy).collect();
    format!("SHA256:{}", groups.join(":"))
}

fn print(text: &str) -> anyhow::Result<()> {
    let mut out = stdout();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.context("standard output is closed")
}
