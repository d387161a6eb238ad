//! Whom an agent believes: the keys that were named to it, else those that it has pinned for the server's address. At
//! the first contact it pins the keys it finds there.

use std::{env, fmt::Write as _};

use anyhow::{Context, anyhow, ensure};
use domain::{
    InteractionId,
    interaction::{Consumed, Receipt},
};
use machine::clock::{Clock, SystemClock};
use serde::Deserialize;
use serde_json::Value;
use signing::{MOST_ROTATIONS, Rotation, TrustedKeys, VerifyingKey, Witness, leads_to, named_key};
use url::Url;

use super::decision::SKEW;
use super::{
    Client,
    known_servers::{KnownServers, address_of},
};

/// Names the keys, where nothing is to be pinned.
const VARIABLE: &str = "HANDRAISE_PUBLIC_KEY";

/// A server's word on its keys.
#[derive(Debug, Deserialize)]
pub(crate) struct Keys {
    /// The one that signs.
    pub public_key: VerifyingKey,
    /// The way to those keys. A statement that this program does not know leads nowhere.
    #[serde(default)]
    rotations: Vec<Value>,
    /// Those of other nodes.
    #[serde(default)]
    pub trusted: Vec<VerifyingKey>,
}

impl Keys {
    /// How it came to the key that signs.
    pub(crate) fn rotations(&self) -> Vec<Rotation> {
        let statements = self.rotations.iter().take(MOST_ROTATIONS);
        statements
            .filter_map(|statement| Rotation::deserialize(statement).ok())
            .collect()
    }

    /// All that a first contact believes.
    pub(crate) fn all(&self) -> Vec<VerifyingKey> {
        let others = self.trusted.iter().copied();
        std::iter::once(self.public_key).chain(others).collect()
    }
}

/// Whom an agent believes about one server.
#[derive(Clone, Debug)]
pub(crate) struct Trust {
    address: String,
    keys: Source,
}

#[derive(Clone, Debug)]
enum Source {
    /// The user has named the keys.
    Named(TrustedKeys),
    /// The pinned keys.
    Known(KnownServers),
}

impl Trust {
    /// As the environment says, for the server at `base`.
    ///
    /// # Errors
    /// When its value is no key, or nothing says where known servers are kept.
    pub(crate) fn of(base: &Url) -> anyhow::Result<Self> {
        let keys = match env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
            Some(value) => {
                let keys = value.to_str().and_then(|text| {
                    let keys = text.split(',').map(VerifyingKey::from_base64);
                    keys.collect::<Option<Vec<_>>>()
                });
                let keys = keys.with_context(|| {
                    format!(
                        "{VARIABLE} must be public keys, 32 bytes in base64, separated by commas"
                    )
                })?;
                Source::Named(TrustedKeys::new(keys))
            }
            None => Source::Known(KnownServers::of_user()?),
        };
        let address = address_of(base);
        Ok(Self { address, keys })
    }

    /// These keys and no others, for the server at `base`.
    pub(crate) fn named(base: &Url, keys: TrustedKeys) -> Self {
        Self {
            address: address_of(base),
            keys: Source::Named(keys),
        }
    }

    /// The keys that are believed without asking anybody: none, before the first contact.
    ///
    /// # Errors
    /// When the known servers cannot be read.
    pub(crate) fn keys(&self) -> anyhow::Result<TrustedKeys> {
        match &self.keys {
            Source::Named(keys) => Ok(keys.clone()),
            Source::Known(known) => known.keys_of(&self.address),
        }
    }

    /// Before anything is asked whose answer has to be believed: pins at the first contact. Keys pinned
    /// before stay.
    ///
    /// # Errors
    /// When the known servers cannot be read or written, or the server says nothing of its keys.
    pub(crate) async fn meet(&self, client: &Client) -> anyhow::Result<()> {
        let Source::Known(known) = &self.keys else {
            return Ok(());
        };
        if !known.keys_of(&self.address)?.is_empty() {
            return Ok(());
        }
        let keys = client.keys().await?;
        known.pin_first(&self.address, &keys.all())?;
        client.tell(&format!(
            "{} is met for the first time; its key {} is believed from now on ({})",
            self.address,
            keys.public_key,
            known.path().display()
        ));
        Ok(())
    }

    /// Whether a key that is trusted signed all that the receipt says. A pin follows where its key's statements lead.
    ///
    /// # Errors
    /// One that says why not, and what to do.
    pub(crate) async fn believe(&self, receipt: &Receipt, client: &Client) -> anyhow::Result<()> {
        let trusted = self.keys_with(&named_key(receipt)?, client).await?;
        trusted.verify(receipt)?;
        Ok(())
    }

    /// Whether a key that is trusted signed that this run consumed this interaction: without that, an impostor in the
    /// server's place could give an approval of yesterday once more.
    ///
    /// # Errors
    /// As [`Trust::believe`].
    pub(crate) async fn believe_run(
        &self,
        id: InteractionId,
        run: &str,
        consumed: &Consumed,
        client: &Client,
    ) -> anyhow::Result<()> {
        const VOID: &str = "the server has not signed that this run may begin, so it must not";
        ensure!(consumed.run == run, VOID);
        let key = VerifyingKey::from_base64(&consumed.public_key).context(VOID)?;
        let trusted = self.keys_with(&key, client).await?;
        ensure!(consumed.holds(id, &Witness::new(trusted)), VOID);
        // By now: the server may have been asked for its keys, and have taken its time.
        let age = SystemClock.now() - consumed.at;
        ensure!(age.abs() <= SKEW, VOID);
        Ok(())
    }

    /// The trusted keys, of which this is one.
    async fn keys_with(&self, key: &VerifyingKey, client: &Client) -> anyhow::Result<TrustedKeys> {
        match &self.keys {
            Source::Named(keys) => {
                ensure!(
                    keys.trusts(key),
                    "the receipt is void: it was signed with the key {key}, which {VARIABLE} does not name"
                );
                Ok(keys.clone())
            }
            Source::Known(known) => self.pinned(known, key, client).await,
        }
    }

    async fn pinned(
        &self,
        known: &KnownServers,
        key: &VerifyingKey,
        client: &Client,
    ) -> anyhow::Result<TrustedKeys> {
        let pinned = known.keys_of(&self.address)?;
        if pinned.trusts(key) {
            return Ok(pinned);
        }
        ensure!(
            !pinned.is_empty(),
            "no key is trusted for {}; `handraise trust add {}` pins the one that is there now",
            self.address,
            self.address
        );
        let keys = client.keys().await?;
        let old = leads_to(key, &pinned, &keys.rotations());
        let old = old.ok_or_else(|| anyhow!(self.changed(key, &pinned)))?;
        let pinned = known.follow(&self.address, old, *key)?;
        client.tell(&format!(
            "{} has a new key, {key}, which the one that was trusted has announced; it is believed from now on",
            self.address
        ));
        Ok(pinned)
    }

    /// As ssh puts it.
    fn changed(&self, key: &VerifyingKey, pinned: &TrustedKeys) -> String {
        let address = &self.address;
        let mut said = format!(
            "the key of {address} has CHANGED: its receipts are signed with\n  {key}\nand trusted here is"
        );
        for key in pinned.iter() {
            // Writing to a text does not fail.
            let _ = write!(said, "\n  {key}");
        }
        said + &format!(
            "\nIf this was decided before the server's key was rotated, ask again: a former key is trusted no longer. Else \
             another program answers in its place, or the server has a new key. Ask its operator what \
             `handraise journal verify` prints there; if that is the first of these keys, run\n  \
             handraise trust remove {address}\n  handraise trust add {address} {key}"
        )
    }
}
