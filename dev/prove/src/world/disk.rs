//! The disk that the databases are on. Run by root it is a file system of its own, in a file, which can be full and read-only;
//! by others it is a folder, and these two faults are left out.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use rustix::fs::{FallocateFlags, fallocate, statvfs};
use rustix::process::geteuid;

/// Without room the database grows no more, which is no fault that was meant.
const ROOM_MB: u64 = 200;
const PAGE: usize = 4096;
const WRITES: usize = 500;

pub(crate) struct Disk {
    /// Where the databases are put.
    pub(crate) folder: PathBuf,
    is_mounted: bool,
}

impl Disk {
    pub(crate) fn prepare(place: &Path, megabytes: u64) -> Result<Self> {
        let folder = place.join("disk");
        fs::create_dir(&folder)?;
        let is_mounted = geteuid().is_root() && mounted(place, &folder, megabytes)?;
        Ok(Self { folder, is_mounted })
    }

    /// Whether it can be full, and read-only.
    pub(crate) fn can_fail(&self) -> bool {
        self.is_mounted
    }

    /// What is left is taken by a file of another program.
    pub(crate) fn fill(&self) -> Result<()> {
        let ballast = File::create(self.ballast())?;
        let mut at = 0;
        // Large pieces first, then whatever is left.
        for piece in [1 << 20, 1 << 16, PAGE as u64] {
            while fallocate(&ballast, FallocateFlags::empty(), at, piece).is_ok() {
                at += piece;
            }
        }
        Ok(())
    }

    pub(crate) fn free(&self) -> Result<()> {
        match fs::remove_file(self.ballast()) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn ballast(&self) -> PathBuf {
        self.folder.join("ballast")
    }

    /// Whether there is no room for what is left of the campaign, and no fault that explains it.
    pub(crate) fn is_used_up(&self) -> Result<bool> {
        let stat = statvfs(&self.folder)?;
        let free_megabytes = stat.f_bavail * stat.f_frsize / (1 << 20);
        Ok(free_megabytes < ROOM_MB && !self.ballast().exists())
    }

    /// Nothing can be written from now on. It takes that no process has a file there open for writing; `false` where one has.
    pub(crate) fn make_read_only(&self) -> Result<bool> {
        remount(&self.folder, "remount,ro")
    }

    pub(crate) fn make_writable(&self) -> Result<bool> {
        remount(&self.folder, "remount,rw")
    }

    /// How long it takes to make 4 KiB durable: the median, and the 99th percentile.
    pub(crate) fn flushes(&self) -> Result<(Duration, Duration)> {
        let path = self.folder.join("measured");
        let mut file = File::create(&path)?;
        file.write_all(&vec![0; PAGE])?;
        file.sync_all()?;
        let mut times = Vec::with_capacity(WRITES);
        for _ in 0..WRITES {
            let begun = Instant::now();
            file.write_all_at(&[0x5a; PAGE], 0)?;
            file.sync_data()?;
            times.push(begun.elapsed());
        }
        fs::remove_file(path)?;
        times.sort();
        Ok((times[WRITES / 2], times[WRITES * 99 / 100]))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if self.is_mounted {
            // Lazily: a process that was killed a moment ago may still have a file open.
            let _ = quiet("umount").arg("-l").arg(&self.folder).status();
        }
    }
}

fn mounted(place: &Path, folder: &Path, megabytes: u64) -> Result<bool> {
    let image = place.join("disk.img");
    File::create(&image)?.set_len(megabytes << 20)?;
    let is_made = quiet("mkfs.ext4").args(["-q", "-F"]).arg(&image).status();
    if !is_made.is_ok_and(|status| status.success()) {
        return Ok(false);
    }
    let mount = quiet("mount")
        .args(["-o", "loop"])
        .arg(&image)
        .arg(folder)
        .status();
    Ok(mount.is_ok_and(|status| status.success()))
}

fn remount(folder: &Path, how: &str) -> Result<bool> {
    let status = quiet("mount").args(["-o", how]).arg(folder).status()?;
    ensure!(
        how.ends_with("ro") || status.success(),
        "the disk stays read-only"
    );
    Ok(status.success())
}

fn quiet(program: &str) -> Command {
    let mut command = Command::new(program);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}
