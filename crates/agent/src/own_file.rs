//! Files that are their owner's alone, and are written whole or not at all.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::Path,
};

/// For its owner alone, and where it is named: a foreign link does not lead elsewhere.
pub(crate) fn own(options: &mut OpenOptions) -> &OpenOptions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NOFOLLOW.bits();
        options.mode(0o600).custom_flags(flags.cast_signed());
    }
    options
}

/// Puts these bytes at `place`, by way of `new` in the same folder. They are there after the machine was off.
///
/// # Errors
/// When that cannot be.
pub(crate) fn put(place: &Path, new: &Path, bytes: &[u8]) -> io::Result<()> {
    let written = own(OpenOptions::new().write(true).create(true).truncate(true))
        .open(new)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(new, place)?;
            // The name, too, has to be there; a folder that may only be written to is not opened.
            #[cfg(unix)]
            if let Some(folder) = place.parent().and_then(|it| fs::File::open(it).ok()) {
                folder.sync_all()?;
            }
            Ok(())
        });
    if written.is_err() {
        let _ = fs::remove_file(new);
    }
    written
}
