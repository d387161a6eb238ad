//! For Fedora and its relatives.

use std::path::PathBuf;

use anyhow::Result;

use super::{Bench, system};
use crate::{apt, command};

const ZSH: &str = "usr/share/zsh/site-functions/_handraise";

pub(super) fn make(bench: &Bench<'_>) -> Result<()> {
    if command::find_on_path(&["rpmbuild"]).is_none() {
        apt::install("rpmbuild", &["rpm"], "install the package rpm-build")?;
    }
    let tree = system::tree(bench, "rpm", ZSH)?;
    let top = bench.folder("rpm-top")?;
    let spec = bench.workspace.root.join("packaging/rpm/handraise.spec");
    let mut build = bench.command("rpmbuild");
    build.args(["-bb", "--quiet", "--target", &bench.program.machine]);
    for (name, value) in [
        ("_topdir", top.display().to_string()),
        ("_rpmdir", bench.out.display().to_string()),
        (
            "_rpmfilename",
            "%%{NAME}-%%{VERSION}.%%{ARCH}.rpm".to_owned(),
        ),
        ("_binary_payload", "w6.xzdio".to_owned()),
        ("use_source_date_epoch_as_buildtime", "1".to_owned()),
        ("clamp_mtime_to_source_date_epoch", "1".to_owned()),
        ("_buildhost", "handraise".to_owned()),
        ("handraise_version", bench.program.version.clone()),
        ("handraise_tree", tree.display().to_string()),
    ] {
        build.arg("--define").arg(format!("{name} {value}"));
    }
    command::run(build.arg(spec))
}

fn package(bench: &Bench<'_>) -> PathBuf {
    let (version, machine) = (&bench.program.version, &bench.program.machine);
    bench.out.join(format!("handraise-{version}.{machine}.rpm"))
}

/// Installed below a folder, without the scripts that make the user.
pub(super) fn check(bench: &Bench<'_>) -> Result<()> {
    let root = bench.folder("rpm-tried")?;
    let mut rpm = bench.command("rpm");
    rpm.arg("--root")
        .arg(&root)
        .args(["--install", "--nodeps", "--noscripts", "--ignorearch"])
        .arg(package(bench));
    command::run(&mut rpm)?;
    system::check_service(bench, &root)?;
    bench.answer_a_question(&[root.join("usr/bin/handraise")])
}
