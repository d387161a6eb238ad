//! The way to a page where rustup cannot download: Debian's own Rust, and a standard library for the
//! browser compiled from Debian's sources of it. Nothing is written outside cargo's target directory,
//! apart from the packages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::progress::announce;
use crate::workspace::{TRIPLE, Workspace};
use crate::{apt, command};

const CARGO: &str = "/usr/bin/cargo";
const RUSTC: &str = "/usr/bin/rustc";
const LINKER: &str = "/usr/bin/rust-lld";
const CLIPPY: &str = "/usr/bin/cargo-clippy";
const PACKAGES: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "rust-web-llvm"];

pub(crate) struct DebianToolchain {
    /// Not cargo's own: two compilers sharing one would undo each other's work.
    pub(crate) target: PathBuf,
    /// Holds the standard library for the browser and borrows the linker from the installed one.
    sysroot: PathBuf,
}

impl DebianToolchain {
    pub(crate) fn cargo(&self, workspace: &Workspace, subcommand: &str) -> Result<Command> {
        let program = if subcommand == "clippy" {
            if !Path::new(CLIPPY).exists() {
                let advice = "apt-get install --no-install-recommends rust-web-clippy";
                apt::install("clippy for Debian's Rust", &["rust-web-clippy"], advice)?;
            }
            CLIPPY
        } else {
            CARGO
        };
        let mut cargo = Command::new(program);
        cargo
            .current_dir(&workspace.root)
            .env("CARGO", CARGO)
            .env("RUSTC", RUSTC)
            .env_remove("RUSTUP_TOOLCHAIN")
            .args([subcommand, "--locked"])
            // Cargo joins this to the flags of .cargo/config.toml, which both builds must share.
            .arg("--config")
            .arg(format!(
                "build.rustflags=['--sysroot={}']",
                self.sysroot.display()
            ))
            .arg("--target-dir")
            .arg(&self.target);
        Ok(cargo)
    }
}

pub(crate) fn ensure(workspace: &Workspace) -> Result<DebianToolchain> {
    let advice = format!(
        "apt-get install --no-install-recommends {}",
        PACKAGES.join(" ")
    );
    let mut installed = Installed::find();
    if !installed.as_ref().is_some_and(Installed::is_complete) {
        apt::install("Debian's Rust toolchain", &PACKAGES, &advice)?;
        installed = Installed::find();
    }
    let installed = installed.context("Debian's packages brought no /usr/bin/rustc")?;
    if !Path::new(LINKER).exists() {
        // It is a link to the lld of the same LLVM, which no package pulls in.
        let lld = format!("lld-{}", installed.llvm);
        apt::install("the linker of Debian's Rust", &[&lld], &advice)?;
    }
    if !installed.is_complete() {
        bail!("Debian's packages brought no source of the standard library or no rust-lld");
    }

    let target = workspace.target.join("debian-wasm");
    let sysroot = target.join(format!("sysroot-{}", installed.version));
    if !sysroot.exists() {
        announce(
            "building Rust's standard library for the browser",
            "about 30 s, once",
            || build_standard_library(&installed, &target, &sysroot),
        )?;
    }
    Ok(DebianToolchain { target, sysroot })
}

/// The words of `/usr/bin/rustc` on itself.
struct Installed {
    sysroot: PathBuf,
    host: String,
    version: String,
    llvm: String,
}

impl Installed {
    fn find() -> Option<Self> {
        if !Path::new(RUSTC).exists() || !Path::new(CARGO).exists() {
            return None;
        }
        let sysroot = command::read(Command::new(RUSTC).args(["--print", "sysroot"])).ok()?;
        let about = command::read(Command::new(RUSTC).arg("-vV")).ok()?;
        let field = |name: &str| {
            about
                .lines()
                .find_map(|line| line.strip_prefix(name))
                .map(|value| value.trim().to_owned())
        };
        Some(Self {
            sysroot: sysroot.into(),
            host: field("host:")?,
            version: field("release:")?,
            llvm: field("LLVM version:")?.split('.').next()?.to_owned(),
        })
    }

    fn host_libraries(&self) -> PathBuf {
        self.sysroot.join("lib/rustlib").join(&self.host)
    }

    fn is_complete(&self) -> bool {
        let source = self.sysroot.join("lib/rustlib/src/rust/library/std");
        Path::new(LINKER).exists() && source.exists()
    }
}

fn build_standard_library(installed: &Installed, target: &Path, sysroot: &Path) -> Result<()> {
    let stub = target.join("standard-library");
    fs::create_dir_all(&stub)?;
    fs::write(
        stub.join("Cargo.toml"),
        "[package]\nname = \"stub\"\nedition = \"2024\"\n[lib]\npath = \"lib.rs\"\n[workspace]\n",
    )?;
    fs::write(stub.join("lib.rs"), "")?;
    command::run(
        Command::new(CARGO)
            .current_dir(&stub)
            .env("RUSTC", RUSTC)
            // -Zbuild-std is unstable. Only this build may use unstable features: with the variable
            // set, crates that look for them would compile differently than they do elsewhere.
            .env("RUSTC_BOOTSTRAP", "1")
            .env_remove("RUSTUP_TOOLCHAIN")
            .args(["build", "--release", "-Zbuild-std=std,panic_abort"])
            .args(["--target", TRIPLE, "--target-dir", "target"]),
    )?;

    // Filled under another name first, so that the name in use only ever means a complete one.
    let unfinished = sysroot.with_extension("unfinished");
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished)?;
    }
    let rustlib = unfinished.join("lib/rustlib");
    let libraries = rustlib.join(TRIPLE).join("lib");
    fs::create_dir_all(&libraries)?;
    let built = stub.join("target").join(TRIPLE).join("release/deps");
    for entry in fs::read_dir(&built).with_context(|| format!("reading {}", built.display()))? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        if name.ends_with(".rlib") && !name.starts_with("libstub-") {
            fs::copy(&path, libraries.join(name))?;
        }
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(installed.host_libraries(), rustlib.join(&installed.host))?;
    fs::rename(&unfinished, sysroot)?;
    Ok(())
}
