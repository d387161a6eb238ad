//! Signing checkpoints, and never two that contradict each other.

use std::{path::PathBuf, sync::Arc};

use domain::journal::{Broken, Chain, Checkpoint, Erasures, Hash, SignedCheckpoint, Tree};
use signing::{Keyring, SigningKey};
use store::{Store, walk_journal};
use tokio::sync::Mutex;

use super::CheckpointFile;

/// How many hashes are read at once.
const PAGE: u32 = 10_000;

/// Signs what the journal has grown by.
pub struct Checkpoints {
    store: Arc<dyn Store>,
    key: Arc<SigningKey>,
    name: String,
    file: CheckpointFile,
    /// The journal as this process has signed or found it, so that each checkpoint reads only what is new.
    known: Mutex<Known>,
}

/// The chain and the tree of the same events.
#[derive(Clone, Default)]
struct Known {
    chain: Chain,
    tree: Tree,
}

impl Checkpoints {
    /// Checkpoints of the log `name` in `file`, by the key that signs now. Earlier ones may have signed those before.
    pub fn new(store: Arc<dyn Store>, keys: &Keyring, name: String, file: PathBuf) -> Self {
        Self {
            store,
            file: CheckpointFile::new(file, name.clone(), keys.verifying_keys()),
            key: keys.signer(),
            name,
            known: Mutex::default(),
        }
    }

    /// Where they are written.
    pub fn file(&self) -> &CheckpointFile {
        &self.file
    }

    /// Writes a checkpoint over all there is, if that is more than the last one was over.
    ///
    /// # Errors
    /// [`Broken`] when the journal no longer begins with what was signed last, or its new events do not
    /// fit: then nothing is signed. Or the database or the file fails.
    pub async fn sign_new(&self) -> anyhow::Result<Option<SignedCheckpoint>> {
        let mut known = self.known.lock().await;
        loop {
            let last = self.last().await?;
            let signed = last.as_ref().map_or(0, |last| last.size);
            // A file that was put back to an older state: begin at the beginning.
            let mut next = if known.tree.size() <= signed {
                known.clone()
            } else {
                Known::default()
            };
            if let Some(last) = &last {
                self.reach(&mut next, last).await?;
                *known = next.clone();
            }
            let Known { chain, tree } = &mut next;
            let mut erasures = Erasures::default();
            walk_journal(&*self.store, chain.seq, |record| {
                chain.follow(&record)?;
                erasures.follow(&record)?;
                tree.push_at(record.seq, &record.hash);
                Ok(())
            })
            .await?;
            erasures.finish()?;
            if next.tree.size() == signed {
                return Ok(None);
            }
            let checkpoint = Checkpoint::of(&next.tree, &self.name).sign(&*self.key);
            if self.append(last, checkpoint.clone()).await? {
                *known = next;
                return Ok(Some(checkpoint));
            }
        }
    }

    /// Goes on to the size of the last checkpoint, by hashes alone, and compares: what was signed must
    /// be a beginning of what is there.
    async fn reach(&self, known: &mut Known, last: &Checkpoint) -> anyhow::Result<()> {
        // From the last known event itself: it must still be there.
        let mut after = (known.chain.seq - 1).max(0);
        while after < last.size {
            let wanted = u32::try_from(last.size - after).unwrap_or(PAGE).min(PAGE);
            let page = self.store.hashes_after(after, wanted).await?;
            if page.is_empty() {
                return Err(Broken::cut_off(after, last).into());
            }
            for (seq, hash) in page {
                // Where numbers were left out, a page holds more than that.
                if after == last.size {
                    break;
                }
                if seq != after + 1 {
                    self.is_left_out(after, seq, last).await?;
                }
                let hash = Hash::try_from(hash).map_err(|_| {
                    Broken::new(seq, "it cannot be read: its hash has not 32 bytes")
                })?;
                if seq == known.chain.seq && hash != known.chain.hash {
                    return Err(Broken::new(seq, "its hash is another than was signed").into());
                }
                if seq > known.chain.seq {
                    known.tree.push_at(seq, &hash);
                    known.chain = Chain { seq, hash };
                }
                after = seq;
            }
        }
        if known.tree.root() != last.root {
            return Err(Broken::rewritten(0, last).into());
        }
        Ok(())
    }

    /// The events between these two are not there.
    ///
    /// # Errors
    /// Unless they were left out when the journal was put back, before the last checkpoint.
    async fn is_left_out(&self, after: i64, seq: i64, last: &Checkpoint) -> anyhow::Result<()> {
        let records = self.store.records_after(seq - 1, 1).await?;
        let goes_on = records.first().is_some_and(|it| it.goes_on_after(after));
        if !goes_on {
            return Err(Broken::new(after + 1, "it is missing").into());
        }
        match seq > last.size {
            true => Err(Broken::left_out(last).into()),
            false => Ok(()),
        }
    }

    async fn last(&self) -> anyhow::Result<Option<Checkpoint>> {
        let file = self.file.clone();
        tokio::task::spawn_blocking(move || file.last()).await?
    }

    async fn append(
        &self,
        last: Option<Checkpoint>,
        next: SignedCheckpoint,
    ) -> anyhow::Result<bool> {
        let file = self.file.clone();
        tokio::task::spawn_blocking(move || file.append_after(last.as_ref(), &next)).await?
    }
}
