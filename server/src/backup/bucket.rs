//! Backups in a bucket of S3. The manifest comes last and goes first, so that a backup without one does not count.

use std::{
    fs::File,
    io::Read,
    path::{Component, Path},
    sync::Arc,
};

use anyhow::{Context, anyhow, ensure};
use chrono::NaiveDateTime;
use futures::StreamExt;
use object_store::{MultipartUpload, ObjectStore, ObjectStoreExt, path};
use tokio::{io::AsyncWriteExt, task::spawn_blocking};

use super::{
    Manifest, files,
    manifest::MANIFEST,
    place::{name_of, time_of},
};

/// What is uploaded at once. S3 takes 10,000 parts: 160 GB.
const PART: usize = 16 << 20;

/// A folder in a bucket.
#[derive(Clone)]
pub(super) struct Bucket {
    store: Arc<dyn ObjectStore>,
    below: path::Path,
    url: String,
}

impl Bucket {
    /// `url`: `s3://BUCKET/FOLDER`.
    pub(super) fn open(url: &str) -> anyhow::Result<Self> {
        let (store, below) = attached::bucket(url).map_err(|why| anyhow!(why))?;
        Ok(Self {
            store,
            below,
            url: url.trim_end_matches('/').to_owned(),
        })
    }

    /// Uploads the backup in this folder, and says where it is.
    pub(super) async fn upload(
        &self,
        backup: &Path,
        manifest: &Manifest,
    ) -> anyhow::Result<String> {
        let name = name_of(backup)?;
        let to = self.below.clone().join(name);
        for (file, sum) in &manifest.files {
            let at = beneath(&to, file);
            self.put(&backup.join(file), &at).await?;
            let there = self.store.head(&at).await.map_err(said)?;
            ensure!(there.size == sum.bytes, "{at} did not arrive whole");
        }
        self.put(&backup.join(MANIFEST), &beneath(&to, MANIFEST))
            .await?;
        Ok(format!("{}/{name}", self.url))
    }

    async fn put(&self, file: &Path, at: &path::Path) -> anyhow::Result<()> {
        let failed = || format!("cannot upload {at}");
        let mut upload = self
            .store
            .put_multipart(at)
            .await
            .map_err(said)
            .with_context(failed)?;
        let sent = send(file, &mut *upload).await;
        if sent.is_err() {
            // Parts that no file came of cost money.
            let _ = upload.abort().await;
        }
        sent.with_context(failed)
    }

    /// Removes all but the newest so many.
    pub(super) async fn keep(&self, newest: usize) -> anyhow::Result<()> {
        let mut names = self.names().await?;
        names.truncate(names.len().saturating_sub(newest));
        for name in names {
            let folder = self.below.clone().join(&*name);
            let removed = || format!("cannot remove the backup {name}");
            let manifest = beneath(&folder, MANIFEST);
            self.store
                .delete(&manifest)
                .await
                .map_err(said)
                .with_context(removed)?;
            let mut files = self.store.list(Some(&folder));
            while let Some(file) = files.next().await {
                let at = file.map_err(said).with_context(removed)?.location;
                self.store
                    .delete(&at)
                    .await
                    .map_err(said)
                    .with_context(removed)?;
            }
        }
        Ok(())
    }

    /// The last good backup.
    pub(super) async fn last(&self) -> anyhow::Result<Option<(Manifest, usize)>> {
        let names = self.names().await?;
        let Some(last) = names.last() else {
            return Ok(None);
        };
        let at = beneath(&self.below.clone().join(&**last), MANIFEST);
        let text = self.store.get(&at).await.map_err(said)?;
        let text = text.bytes().await.map_err(said)?;
        let manifest = Manifest::parse(
            &String::from_utf8_lossy(&text),
            &format!("{}/{last}", self.url),
        )?;
        Ok(Some((manifest, names.len())))
    }

    /// The whole ones, oldest first.
    async fn names(&self) -> anyhow::Result<Vec<String>> {
        let unreadable = || format!("cannot read {}", self.url);
        let found = self.store.list_with_delimiter(Some(&self.below)).await;
        let mut names: Vec<(NaiveDateTime, String)> = Vec::new();
        for folder in found
            .map_err(said)
            .with_context(unreadable)?
            .common_prefixes
        {
            let Some(name) = folder.filename().map(str::to_owned) else {
                continue;
            };
            let Some(at) = time_of(&name) else { continue };
            match self.store.head(&beneath(&folder, MANIFEST)).await {
                Ok(_) => names.push((at, name)),
                Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(said(error)).with_context(unreadable),
            }
        }
        names.sort();
        Ok(names.into_iter().map(|(_, name)| name).collect())
    }

    /// Fetches the backup that this is, into a folder that is not there yet.
    pub(super) async fn download(&self, to: &Path) -> anyhow::Result<()> {
        files::make_folder(to)?;
        self.get(MANIFEST, to)
            .await
            .with_context(|| format!("{} is no backup", self.url))?;
        let manifest = Manifest::read(to)?;
        for file in manifest.files.keys() {
            let is_inside = |part: Component<'_>| matches!(part, Component::Normal(_));
            ensure!(
                Path::new(file).components().all(is_inside),
                "the backup is damaged: {MANIFEST} names {file:?}, which is outside of it"
            );
            if let Some(folder) = to.join(file).parent() {
                files::make_folder(folder)?;
            }
            self.get(file, to).await?;
        }
        Ok(())
    }

    async fn get(&self, file: &str, to: &Path) -> anyhow::Result<()> {
        let at = beneath(&self.below, file);
        let failed = || format!("cannot download {at}");
        let found = self
            .store
            .get(&at)
            .await
            .map_err(said)
            .with_context(failed)?;
        let made = files::make_file(&to.join(file)).with_context(failed)?;
        let (mut made, mut parts) = (tokio::fs::File::from_std(made), found.into_stream());
        while let Some(part) = parts.next().await {
            made.write_all(&part.map_err(said).with_context(failed)?)
                .await
                .with_context(failed)?;
        }
        made.flush().await.with_context(failed)
    }
}

async fn send(file: &Path, upload: &mut dyn MultipartUpload) -> anyhow::Result<()> {
    let mut file = File::open(file)?;
    loop {
        let (part, rest) = spawn_blocking(move || {
            let mut part = Vec::new();
            let read = file.by_ref().take(PART as u64).read_to_end(&mut part);
            read.map(|_| (part, file))
        })
        .await??;
        file = rest;
        let is_last = part.len() < PART;
        upload.put_part(part.into()).await.map_err(said)?;
        if is_last {
            upload.complete().await.map_err(said)?;
            return Ok(());
        }
    }
}

/// The file of this name, which may be in a folder of it.
fn beneath(folder: &path::Path, file: &str) -> path::Path {
    file.split('/').fold(folder.clone(), path::Path::join)
}

/// It says of itself what caused it, with a page of XML behind the first line.
fn said(error: object_store::Error) -> anyhow::Error {
    let text = error.to_string();
    anyhow!("{}", text.lines().next().unwrap_or_default())
}
