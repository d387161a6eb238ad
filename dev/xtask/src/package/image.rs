//! The image for containers, FROM scratch.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, ensure};

use super::Bench;
use crate::{apt, command};

pub(super) fn make(bench: &Bench<'_>) -> Result<()> {
    ensure!(
        bench.program.is_static,
        "there is nothing but the program in the image, so it has to be static"
    );
    if command::find_on_path(&["buildah"]).is_none() {
        apt::install("buildah", &["buildah"], "install buildah")?;
    }
    let folder = bench.folder("image")?;
    bench.program.put(&folder, "handraise")?;
    bench.program.put_list(&folder)?;
    fs::create_dir(folder.join("data"))?;
    let file = bench.workspace.root.join("packaging/image/Containerfile");
    let mut build = buildah(bench);
    // The form of Docker has a health check, that of OCI has none.
    build
        .args(["bud", "--format", "docker", "--timestamp", &bench.epoch])
        .arg("--file")
        .arg(file)
        .args(["--tag", &tag(bench)])
        .arg(&folder);
    command::run(&mut build)?;
    let mut push = buildah(bench);
    push.args(["push", "--quiet", "--format", "docker"])
        .arg(tag(bench))
        .arg(format!(
            "docker-archive:{}:{}",
            archive(bench).display(),
            tag(bench)
        ));
    command::run(&mut push)
}

/// Without a daemon, also within a container.
fn buildah(bench: &Bench<'_>) -> Command {
    let mut buildah = bench.command("buildah");
    let (containers, running) = places(bench);
    buildah.arg("--root").arg(containers);
    buildah.arg("--runroot").arg(running);
    alone(buildah)
}

fn alone(mut command: Command) -> Command {
    command
        .env("STORAGE_DRIVER", "vfs")
        .env("BUILDAH_ISOLATION", "chroot");
    command
}

/// Where containers are, and what is kept of them while they run.
fn places(bench: &Bench<'_>) -> (PathBuf, PathBuf) {
    let target = &bench.workspace.target;
    (target.join("containers"), target.join("containers.run"))
}

fn tag(bench: &Bench<'_>) -> String {
    format!("handraise:{}", bench.program.version)
}

fn archive(bench: &Bench<'_>) -> PathBuf {
    let name = format!(
        "handraise-{}-{}.image.tar",
        bench.program.version, bench.program.machine
    );
    bench.out.join(name)
}

pub(super) fn check(bench: &Bench<'_>) -> Result<()> {
    let script = bench.workspace.root.join("packaging/image/try.sh");
    let (containers, running) = places(bench);
    let mut tried = alone(bench.command(script));
    command::run(tried.arg(archive(bench)).arg(containers).arg(running))
}
