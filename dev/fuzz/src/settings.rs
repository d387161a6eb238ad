//! A file of settings.

use std::{fs, sync::LazyLock};

use server::config::{Flags, LoadError, Origin, load};
use tempfile::TempDir;
use toml::Table;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().unwrap());

/// All that is wrong is named with its line; what is right is shown as a file that reads.
pub fn settings(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    let thread = std::thread::current().id();
    let file = FOLDER.path().join(format!("{thread:?}.toml"));
    fs::write(&file, text).unwrap();
    let loaded = match load(Some(&file), Flags::default(), []) {
        Ok(loaded) => loaded,
        Err(LoadError::Wrong(faults)) => {
            assert!(!faults.is_empty());
            let lines = text.lines().count().max(1);
            for fault in faults {
                if let Origin::File(_, line) = &fault.origin {
                    assert!((1..=lines).contains(line), "{fault} of {lines} lines");
                }
                assert!(!fault.what.is_empty());
            }
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let config = &loaded.config;
    assert!(!config.public_url().ends_with('/') && !config.agent_url().ends_with('/'));
    let _ = (config.is_https(), config.settings(), config.attachments());
    let shown = loaded.in_force();
    let read: Result<Table, _> = toml::from_str(&shown);
    assert!(read.is_ok(), "{read:?}: {shown}");
    for secret in ["xoxb-", "xapp-"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}
