//! `cargo xtask package`: the program in the forms in which people install programs, and each of them tried.
//!
//! What the packages are made from, apart from the program, stands in `packaging/`.

mod chart;
mod deb;
mod image;
mod npm;
mod program;
mod rpm;
mod system;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};

use crate::progress::announce;
use crate::workspace::Workspace;
use crate::{command, python};

use program::Program;

/// With exact versions.
const REQUIREMENTS: &str = "packaging/requirements.txt";

#[derive(Args)]
pub(crate) struct Options {
    /// Which of them; all when none is named
    #[arg(value_enum, value_name = "PACKAGE")]
    kinds: Vec<Kind>,

    /// Takes this program, instead of building one
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,

    /// Installs each in a folder of its own, and has a question asked and answered with it
    #[arg(long = "try")]
    tried: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// The program with its licences, as tar.gz
    Archive,
    /// For pip, pipx and uvx: the program and the Python client
    Wheel,
    /// For npm and npx: the TypeScript client, and the program in a package of its own
    Npm,
    /// For Debian and Ubuntu, with a service
    Deb,
    /// For Fedora and its relatives, with a service
    Rpm,
    /// For containers; needs buildah
    Image,
    /// For Kubernetes, and a compose file with Postgres
    Chart,
}

/// What every package is made with.
struct Bench<'a> {
    workspace: &'a Workspace,
    program: Program,
    /// Where the packages go.
    out: PathBuf,
    /// For what is put together on the way.
    stage: PathBuf,
    /// Python with the tools that are Python's.
    python: PathBuf,
    /// The time of the last commit: all times in packages are that.
    epoch: String,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let out = workspace.target.join("packages");
    let stage = workspace.target.join("tmp/package");
    emptied(&out)?;
    emptied(&stage)?;
    let program = match &options.program {
        Some(path) => path.clone(),
        None => program::build(workspace)?,
    };
    let bench = Bench {
        workspace,
        program: Program::of(workspace, &program, &stage)?,
        python: python::environment(workspace, "package-tools", &[REQUIREMENTS])?,
        epoch: epoch(workspace)?,
        out,
        stage,
    };
    if !bench.program.is_static {
        eprintln!(
            "xtask: {} is linked dynamically: what is made of it works on machines like this one alone",
            program.display()
        );
    }
    let all = Kind::value_variants();
    let kinds = match options.kinds.as_slice() {
        [] => all,
        some => some,
    };
    for kind in all.iter().filter(|kind| kinds.contains(kind)) {
        let name = kind.to_possible_value();
        let name = name.as_ref().map_or("", |value| value.get_name());
        announce(&format!("package: {name}"), "up to a minute", || {
            bench.make(*kind)?;
            match options.tried {
                true => bench.check(*kind),
                false => Ok(()),
            }
        })?;
    }
    println!("{}", bench.out.display());
    Ok(())
}

impl Bench<'_> {
    fn make(&self, kind: Kind) -> Result<()> {
        match kind {
            Kind::Archive => self.make_archive(),
            Kind::Wheel => wheel::make(self),
            Kind::Npm => npm::make(self),
            Kind::Deb => deb::make(self),
            Kind::Rpm => rpm::make(self),
            Kind::Image => image::make(self),
            Kind::Chart => chart::make(self),
        }
    }

    fn check(&self, kind: Kind) -> Result<()> {
        match kind {
            Kind::Archive => self.check_archive(),
            Kind::Wheel => wheel::check(self),
            Kind::Npm => npm::check(self),
            Kind::Deb => deb::check(self),
            Kind::Rpm => rpm::check(self),
            Kind::Image => image::check(self),
            Kind::Chart => chart::check(self),
        }
    }

    fn archive(&self) -> String {
        format!(
            "handraise-{}-{}-linux",
            self.program.version, self.program.machine
        )
    }

    fn make_archive(&self) -> Result<()> {
        let folder = self.folder("archive")?;
        let name = self.archive();
        let tree = folder.join(&name);
        self.program.put(&tree, "handraise")?;
        self.program.put_list(&tree)?;
        for file in [
            "LICENSE-APACHE",
            "LICENSE-MIT",
            "README.md",
            "packaging/systemd/handraise.service",
            "packaging/systemd/handraise.toml",
        ] {
            self.put(file, &tree)?;
        }
        let mut tar = self.command("tar");
        tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner"])
            .arg(format!("--mtime=@{}", self.epoch))
            .args(["--use-compress-program", "gzip --best --no-name", "-cf"])
            .arg(self.out.join(format!("{name}.tar.gz")))
            .arg(&name);
        command::run(tar.current_dir(&folder))
    }

    fn check_archive(&self) -> Result<()> {
        let folder = self.folder("archive-tried")?;
        let name = self.archive();
        let mut tar = self.command("tar");
        tar.arg("-xf").arg(self.out.join(format!("{name}.tar.gz")));
        command::run(tar.current_dir(&folder))?;
        self.answer_a_question(&[folder.join(name).join("handraise")])
    }

    /// From the installed program to the first answer.
    fn answer_a_question(&self, program: &[PathBuf]) -> Result<()> {
        let script = self.workspace.root.join("packaging/try.sh");
        command::run(self.command(script).args(program))
    }

    /// A program that is told which time to write into what it makes.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env("SOURCE_DATE_EPOCH", &self.epoch);
        command
    }

    /// An empty folder.
    fn folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.stage.join(name);
        emptied(&folder)?;
        Ok(folder)
    }

    /// Copies a file of the repository into a folder.
    fn put(&self, file: &str, folder: &Path) -> Result<()> {
        let from = self.workspace.root.join(file);
        let name = from.file_name().context("a file without a name")?;
        copy(&from, &folder.join(name))
    }

    /// A text of `packaging`, with what differs from time to time put into it.
    fn text(&self, file: &str, values: &[(&str, &str)]) -> Result<String> {
        let path = self.workspace.root.join("packaging").join(file);
        let text =
            fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        let fill = |text: String, (name, value): &(&str, &str)| text.replace(name, value);
        Ok(values.iter().fold(text, fill))
    }
}

/// The time of the last commit, or the one that whoever builds from an archive of the source names.
fn epoch(workspace: &Workspace) -> Result<String> {
    if let Ok(said) = std::env::var("SOURCE_DATE_EPOCH") {
        return Ok(said);
    }
    let mut git = Command::new("git");
    git.args(["log", "-1", "--format=%ct"]);
    command::read(git.current_dir(&workspace.root)).context("set SOURCE_DATE_EPOCH")
}

fn emptied(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("removing {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))
}

/// With its mode, and with the folders that it stands in.
fn copy(from: &Path, to: &Path) -> Result<()> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).with_context(|| format!("creating {}", parent.display()))?;
    }
    fs::copy(from, to)
        .with_context(|| format!("copying {} to {}", from.display(), to.display()))?;
    Ok(())
}

fn write(text: &str, to: &Path) -> Result<()> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).with_context(|| format!("creating {}", parent.display()))?;
    }
    fs::write(to, text).with_context(|| format!("writing {}", to.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_version_stands_wherever_a_version_stands() {
        let workspace = Workspace::find().unwrap();
        let text = |file: &str| fs::read_to_string(workspace.root.join(file)).unwrap();
        let version = env!("CARGO_PKG_VERSION");
        for (file, line) in [
            (
                "clients/python/src/handraise/version.py",
                format!("\"{version}\""),
            ),
            (
                "clients/typescript/package.json",
                format!("\"version\": \"{version}\""),
            ),
            (
                "packaging/helm/handraise/Chart.yaml",
                format!("\nversion: {version}\nappVersion: {version}\n"),
            ),
        ] {
            assert!(text(file).contains(&line), "{file} does not say {line}");
        }
    }

    #[test]
    fn what_a_service_is_given_is_what_the_packages_install() {
        let workspace = Workspace::find().unwrap();
        let text =
            |file: &str| fs::read_to_string(workspace.root.join("packaging").join(file)).unwrap();
        let service = text("systemd/handraise.service");
        assert!(service.contains(
            "ExecStart=/usr/bin/handraise serve --config /etc/handraise/handraise.toml\n"
        ));
        assert!(text("deb/conffiles").contains("/etc/handraise/handraise.toml\n"));
        for (file, made) in [
            ("deb/postinst", "/var/lib/handraise"),
            ("rpm/handraise.spec", "/var/lib/handraise"),
            ("systemd/handraise.toml", "sqlite:///var/lib/handraise/"),
        ] {
            assert!(text(file).contains(made), "{file}");
        }
    }
}
