//! The file of known servers: which keys an agent has pinned for which address. Our Python client shares it;
//! `docs/receipts.md` is the rule for both.

use std::{
    env,
    fs::{self, DirBuilder, File, Metadata, OpenOptions},
    io::ErrorKind,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail, ensure};
use signing::{TrustedKeys, VerifyingKey};
use url::Url;

use crate::own_file;

/// Names the file.
const VARIABLE: &str = "HANDRAISE_KNOWN_SERVERS";

/// The keys that were pinned. Cheap: it is read when it is asked.
#[derive(Clone, Debug)]
pub(crate) struct KnownServers {
    path: PathBuf,
}

/// One line of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Line {
    /// Kept as it is.
    Comment(String),
    Server(KnownServer),
}

/// One key of one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KnownServer {
    /// In its normal form, see [`address_of`].
    pub address: String,
    /// The key believed from there.
    pub key: VerifyingKey,
}

/// A server's address in its normal form: no slash at the end, and nothing that leads nowhere else.
pub(crate) fn address_of(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    // Only addresses without a host refuse this.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.as_str().trim_end_matches('/').to_owned()
}

impl KnownServers {
    /// The file of the user who runs this.
    ///
    /// # Errors
    /// When nothing says where it would be.
    pub(crate) fn of_user() -> anyhow::Result<Self> {
        let named = |name: &str| env::var_os(name).filter(|path| !path.is_empty());
        if let Some(path) = named(VARIABLE) {
            return Ok(Self::at(path.into()));
        }
        let config = named("XDG_CONFIG_HOME").map(PathBuf::from);
        // The specification of these folders has relative ones ignored.
        let config = config.filter(|path| path.is_absolute());
        let config = config.or_else(|| Some(PathBuf::from(named("HOME")?).join(".config")));
        let config = config.with_context(|| {
            format!(
                "HOME is not set, so there is no place for known servers; name a file in {VARIABLE}"
            )
        })?;
        Ok(Self::at(config.join("handraise").join("known_servers")))
    }

    /// This file, which may be missing.
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The keys pinned for an address; nothing, before the first contact.
    ///
    /// # Errors
    /// When the file cannot be read, has a line that cannot, or may be changed by others.
    pub(crate) fn keys_of(&self, address: &str) -> anyhow::Result<TrustedKeys> {
        Ok(keys_in(&self.read()?, address))
    }

    /// Every server.
    ///
    /// # Errors
    /// As [`KnownServers::keys_of`].
    pub(crate) fn all(&self) -> anyhow::Result<Vec<KnownServer>> {
        let lines = self.read()?.into_iter();
        let servers = lines.filter_map(|line| match line {
            Line::Server(server) => Some(server),
            Line::Comment(_) => None,
        });
        Ok(servers.collect())
    }

    /// Pins the keys found at the first contact, unless another process was faster. Returns the keys
    /// pinned.
    ///
    /// # Errors
    /// As [`KnownServers::keys_of`]; or the file cannot be written.
    pub(crate) fn pin_first(
        &self,
        address: &str,
        found: &[VerifyingKey],
    ) -> anyhow::Result<TrustedKeys> {
        self.change(|lines| {
            let pinned = keys_in(lines, address);
            if !pinned.is_empty() {
                return pinned;
            }
            lines.extend(found.iter().map(|key| line(address, *key)));
            TrustedKeys::new(found.iter().copied())
        })
    }

    /// Pins one more key, once.
    ///
    /// # Errors
    /// As [`KnownServers::pin_first`].
    pub(crate) fn add(&self, address: &str, key: VerifyingKey) -> anyhow::Result<()> {
        self.change(|lines| {
            let line = line(address, key);
            if !lines.contains(&line) {
                lines.push(line);
            }
        })
    }

    /// Takes an address out, or one of its keys. Returns how many lines went.
    ///
    /// # Errors
    /// As [`KnownServers::pin_first`].
    pub(crate) fn remove(&self, address: &str, key: Option<VerifyingKey>) -> anyhow::Result<usize> {
        self.change(|lines| {
            let before = lines.len();
            lines.retain(|line| match line {
                Line::Server(server) => {
                    server.address != address || key.is_some_and(|key| key != server.key)
                }
                Line::Comment(_) => true,
            });
            before - lines.len()
        })
    }

    /// Puts one key in the place of another, if that one is pinned still. Returns the keys pinned
    /// then.
    ///
    /// # Errors
    /// As [`KnownServers::pin_first`].
    pub(crate) fn follow(
        &self,
        address: &str,
        old: VerifyingKey,
        new: VerifyingKey,
    ) -> anyhow::Result<TrustedKeys> {
        self.change(|lines| {
            if let Some(place) = lines.iter().position(|known| *known == line(address, old)) {
                match lines.contains(&line(address, new)) {
                    true => drop(lines.remove(place)),
                    false => lines[place] = line(address, new),
                }
            }
            keys_in(lines, address)
        })
    }

    fn read(&self) -> anyhow::Result<Vec<Line>> {
        let place = self.path.display();
        let unreadable = || format!("cannot read the known servers {place}");
        refuse_if_anothers(folder_of(&self.path))?;
        let file = match File::open(&self.path) {
            Ok(file) => file,
            // Where a link leads nowhere, what was pinned may be back tomorrow.
            Err(error) if error.kind() == ErrorKind::NotFound && !self.path.is_symlink() => {
                return Ok(Vec::new());
            }
            Err(error) => return Err(error).with_context(unreadable),
        };
        refuse_if_others_may_write(&self.path, &file.metadata().with_context(unreadable)?)?;
        let text = std::io::read_to_string(file).with_context(unreadable)?;
        let lines = text.lines().enumerate();
        lines
            .map(|(n, line)| {
                parsed(line).with_context(|| format!("{place}: line {} is no known server", n + 1))
            })
            .collect()
    }

    /// Changes the file as a whole, one program at a time.
    fn change<T>(&self, how: impl FnOnce(&mut Vec<Line>) -> T) -> anyhow::Result<T> {
        let place = self.path.display();
        let unwritable = || format!("cannot write the known servers {place}");
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder
            .create(folder_of(&self.path))
            .with_context(unwritable)?;
        let lock = own_file::own(OpenOptions::new().write(true).create(true).truncate(false))
            .open(beside(&self.path, ".lock"))
            .with_context(unwritable)?;
        // Until it is closed.
        lock.lock().with_context(unwritable)?;
        let before = self.read()?;
        let mut lines = before.clone();
        let done = how(&mut lines);
        if lines == before {
            return Ok(done);
        }
        let text: String = lines
            .iter()
            .map(|line| format!("{}\n", shown(line)))
            .collect();
        let new = beside(&self.path, ".new");
        own_file::put(&self.path, &new, text.as_bytes()).with_context(unwritable)?;
        Ok(done)
    }
}

fn line(address: &str, key: VerifyingKey) -> Line {
    Line::Server(KnownServer {
        address: address.to_owned(),
        key,
    })
}

fn keys_in(lines: &[Line], address: &str) -> TrustedKeys {
    TrustedKeys::new(lines.iter().filter_map(|line| match line {
        Line::Server(server) if server.address == address => Some(server.key),
        _ => None,
    }))
}

/// A line that is not understood may be the rest of a pin: to read on would be to trust anybody.
fn parsed(line: &str) -> anyhow::Result<Line> {
    let text = line.trim_end();
    if text.is_empty() || text.starts_with('#') {
        return Ok(Line::Comment(line.to_owned()));
    }
    let Some((address, key)) = text.split_once(' ') else {
        bail!("it must be an address, a space and a key");
    };
    let normal = Url::parse(address).ok().filter(Url::has_host);
    ensure!(
        normal.is_some_and(|url| address_of(&url) == address),
        "its address must be as in https://handraise.example"
    );
    let key = VerifyingKey::from_base64(key).context("its key must be 32 bytes in base64")?;
    Ok(self::line(address, key))
}

fn shown(line: &Line) -> String {
    match line {
        Line::Comment(text) => text.clone(),
        Line::Server(KnownServer { address, key }) => format!("{address} {key}"),
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

#[cfg(unix)]
fn refuse_if_others_may_write(path: &Path, file: &Metadata) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let place = path.display();
    let mode = file.permissions().mode();
    ensure!(
        mode & 0o022 == 0,
        "others may write the known servers {place} (its mode is {:04o}); look at what is in it, then run `chmod 600 {place}`",
        mode & 0o7777
    );
    refuse_owner(path, file)
}

#[cfg(not(unix))]
fn refuse_if_others_may_write(_path: &Path, _file: &Metadata) -> anyhow::Result<()> {
    Ok(())
}

/// A user who owns a folder, or may write in it, puts any file into it.
fn refuse_if_anothers(folder: &Path) -> anyhow::Result<()> {
    match fs::metadata(folder) {
        #[cfg(unix)]
        Ok(metadata) => {
            refuse_owner(folder, &metadata)?;
            refuse_if_others_may_replace(folder, &metadata)
        }
        #[cfg(not(unix))]
        Ok(_) => Ok(()),
        // It is not there yet, or opening the file in it will say more.
        Err(_) => Ok(()),
    }
}

/// Where the sticky bit is set, as in `/tmp`, other users may not put another file in the place of
/// ours.
#[cfg(unix)]
fn refuse_if_others_may_replace(folder: &Path, metadata: &Metadata) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let place = folder.display();
    let mode = metadata.permissions().mode();
    ensure!(
        mode & 0o022 == 0 || mode & 0o1000 != 0,
        "others may write into {place} (its mode is {:04o}), so the known servers in it are not believed; look at what is in it, then run `chmod go-w {place}`",
        mode & 0o7777
    );
    Ok(())
}

#[cfg(unix)]
fn refuse_owner(path: &Path, metadata: &Metadata) -> anyhow::Result<()> {
    let owner = std::os::unix::fs::MetadataExt::uid(metadata);
    ensure!(
        is_ours(owner, rustix::process::geteuid().as_raw()),
        "{} belongs to another user ({owner}), so what is in it is not believed",
        path.display()
    );
    Ok(())
}

/// Ours, or that of root, who may do anything anyway.
#[cfg(unix)]
fn is_ours(owner: u32, me: u32) -> bool {
    owner == me || owner == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use signing::SigningKey;

    const HERE: &str = "https://handraise.example";

    fn key(seed: u8) -> VerifyingKey {
        SigningKey::from_seed([seed; 32]).verifying_key()
    }

    fn known(folder: &Path) -> KnownServers {
        KnownServers::at(folder.join("new").join("known_servers"))
    }

    #[test]
    fn one_server_has_one_address() {
        for (url, address) in [
            ("HTTP://LocalHost:80/", "http://localhost"),
            ("https://h.example/desk/", "https://h.example/desk"),
            ("https://me:secret@h.example:443?x=1#y", "https://h.example"),
            ("http://127.0.0.1:3000", "http://127.0.0.1:3000"),
        ] {
            assert_eq!(address_of(&Url::parse(url).unwrap()), address);
        }
    }

    #[test]
    fn the_first_contact_pins_and_a_second_finds_what_is_pinned() {
        let folder = tempfile::tempdir().unwrap();
        let known = known(folder.path());
        assert!(known.keys_of(HERE).unwrap().is_empty());
        let first = known.pin_first(HERE, &[key(1), key(2)]).unwrap();
        assert!(first.trusts(&key(1)) && first.trusts(&key(2)));
        assert_eq!(known.pin_first(HERE, &[key(3)]).unwrap(), first);
        assert_eq!(known.keys_of(HERE).unwrap(), first);
        assert!(
            known
                .keys_of("http://handraise.example")
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn comments_and_other_servers_stay_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let known = known(folder.path());
        known.add(HERE, key(1)).unwrap();
        let other = format!("# ours\n\nhttp://localhost {}\n", key(9));
        let all = format!("{other}{HERE} {}\n", key(1));
        fs::write(known.path(), &all).unwrap();
        known.add(HERE, key(1)).unwrap();
        assert_eq!(fs::read_to_string(known.path()).unwrap(), all);
        assert!(known.follow(HERE, key(1), key(2)).unwrap().trusts(&key(2)));
        assert!(!known.keys_of(HERE).unwrap().trusts(&key(1)));
        // The key that was followed is pinned no more: no key follows from there again.
        assert!(!known.follow(HERE, key(1), key(3)).unwrap().trusts(&key(3)));
        assert_eq!(known.remove(HERE, Some(key(1))).unwrap(), 0);
        assert_eq!(known.remove(HERE, None).unwrap(), 1);
        assert_eq!(fs::read_to_string(known.path()).unwrap(), other);
    }

    #[test]
    fn a_file_that_cannot_be_understood_is_no_first_contact() {
        let folder = tempfile::tempdir().unwrap();
        let known = known(folder.path());
        known.add(HERE, key(1)).unwrap();
        let whole = fs::read_to_string(known.path()).unwrap();
        for damaged in [
            &whole[..whole.len() - 4],
            &whole.replace("https", "HTTPS"),
            &whole.replace(' ', "  x"),
            "handraise.example\n",
        ] {
            fs::write(known.path(), damaged).unwrap();
            let said = format!("{:#}", known.keys_of(HERE).unwrap_err());
            assert!(said.contains("line 1 is no known server: "), "{said}");
            assert!(known.pin_first(HERE, &[key(3)]).is_err());
            assert_eq!(fs::read_to_string(known.path()).unwrap(), *damaged);
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_its_owner_may_change_the_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let known = known(folder.path());
        known.add(HERE, key(1)).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode(known.path()), 0o600);
        assert_eq!(mode(known.path().parent().unwrap()), 0o700);
        fs::set_permissions(known.path(), fs::Permissions::from_mode(0o620)).unwrap();
        let said = format!("{:#}", known.keys_of(HERE).unwrap_err());
        assert!(
            said.contains("others may write") && said.contains("chmod 600"),
            "{said}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_in_which_others_may_replace_the_file_is_not_believed() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let known = known(folder.path());
        known.add(HERE, key(1)).unwrap();
        let parent = known.path().parent().unwrap();
        for (mode, believed) in [
            (0o755, true),
            (0o775, false),
            (0o757, false),
            (0o1777, true),
            (0o2770, false),
        ] {
            fs::set_permissions(parent, fs::Permissions::from_mode(mode)).unwrap();
            match known.keys_of(HERE) {
                Ok(keys) => assert!(believed && keys.trusts(&key(1)), "{mode:o}"),
                Err(why) => {
                    let said = format!("{why:#}");
                    assert!(!believed && said.contains("chmod go-w"), "{said}");
                    assert!(known.pin_first(HERE, &[key(3)]).is_err());
                }
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_belongs_to_another_user_is_not_believed() {
        assert!(is_ours(7, 7) && is_ours(0, 7));
        assert!(!is_ours(8, 7) && !is_ours(7, 0));
        let folder = tempfile::tempdir().unwrap();
        let known = known(folder.path());
        known.add(HERE, key(1)).unwrap();
        let parent = known.path().parent().unwrap().to_owned();
        for place in [known.path(), &parent] {
            // Only root can give away its files.
            if std::os::unix::fs::chown(place, Some(65_534), None).is_err() {
                return;
            }
            let said = format!("{:#}", known.keys_of(HERE).unwrap_err());
            assert!(said.contains("belongs to another user (65534)"), "{said}");
            assert!(known.pin_first(HERE, &[key(3)]).is_err());
            std::os::unix::fs::chown(place, Some(0), None).unwrap();
        }
        assert!(known.keys_of(HERE).unwrap().trusts(&key(1)));
    }

    #[cfg(unix)]
    #[test]
    fn nobodys_link_leads_what_is_written_elsewhere() {
        for ending in [".new", ".lock"] {
            let folder = tempfile::tempdir().unwrap();
            let known = KnownServers::at(folder.path().join("known_servers"));
            let elsewhere = folder.path().join("elsewhere");
            fs::write(&elsewhere, "precious").unwrap();
            let link = beside(known.path(), ending);
            std::os::unix::fs::symlink(&elsewhere, link).unwrap();
            assert!(known.add(HERE, key(1)).is_err(), "{ending}");
            assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "precious");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_nowhere_is_no_first_contact() {
        let folder = tempfile::tempdir().unwrap();
        let known = known(folder.path());
        let away = folder.path().join("away");
        fs::create_dir_all(known.path().parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&away, known.path()).unwrap();
        assert!(known.keys_of(HERE).is_err());
        assert!(known.pin_first(HERE, &[key(1)]).is_err());
        assert!(known.path().is_symlink());
        fs::write(&away, format!("{HERE} {}\n", key(2))).unwrap();
        assert!(known.keys_of(HERE).unwrap().trusts(&key(2)));
    }

    #[test]
    fn many_who_meet_a_server_at_once_pin_one_key_and_lose_none() {
        let folder = tempfile::tempdir().unwrap();
        let known = known(folder.path());
        let threads: Vec<_> = (1..=16)
            .map(|seed| {
                let known = known.clone();
                std::thread::spawn(move || {
                    known.add(&format!("http://h{seed}"), key(seed)).unwrap();
                    known.pin_first(HERE, &[key(seed)]).unwrap()
                })
            })
            .collect();
        let pinned: Vec<_> = threads.into_iter().map(|it| it.join().unwrap()).collect();
        assert!(pinned.iter().all(|keys| *keys == pinned[0]));
        assert_eq!(known.all().unwrap().len(), 17);
    }
}
