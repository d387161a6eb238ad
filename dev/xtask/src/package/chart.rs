//! The Helm chart, and the compose file with Postgres.

use std::fs;

use anyhow::Result;

use super::{Bench, write};
use crate::command;

const CHART: &str = "packaging/helm/handraise";

pub(super) fn make(bench: &Bench<'_>) -> Result<()> {
    bench.put("packaging/compose/compose.yaml", &bench.out)?;
    let folder = bench.folder("chart")?;
    let mut copy = bench.command("cp");
    command::run(
        copy.arg("-R")
            .arg(bench.workspace.root.join(CHART))
            .arg(&folder),
    )?;
    let chart = folder.join("handraise");
    let version = &bench.program.version;
    let about = bench.text("helm/handraise/Chart.yaml", &[("0.1.0", version)])?;
    write(&about, &chart.join("Chart.yaml"))?;
    let mut pack = bench.command(&bench.python);
    pack.args([
        "-c",
        "import sys, helm_python; helm_python.package(sys.argv[1], destination=sys.argv[2])",
    ]);
    // npm names its package so, too.
    let place = bench.out.join("helm");
    fs::create_dir_all(&place)?;
    command::run(pack.arg(&chart).arg(place))
}

pub(super) fn check(bench: &Bench<'_>) -> Result<()> {
    let mut check = bench.command(&bench.python);
    check
        .arg(bench.workspace.root.join("packaging/helm/check.py"))
        .arg(
            bench
                .out
                .join(format!("helm/handraise-{}.tgz", bench.program.version)),
        );
    command::run(&mut check)
}
