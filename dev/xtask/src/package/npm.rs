//! Two packages for npm: the TypeScript client, which has the command `handraise`, and the program for one platform, which
//! the first names as optional.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use super::Bench;
use crate::{command, node};

const CLIENT: &str = "clients/typescript";

pub(super) fn make(bench: &Bench<'_>) -> Result<()> {
    node::ensure()?;
    let version = &bench.program.version;
    let of_platform = platform(bench)?;

    let program = bench.folder("npm-program")?;
    let text = bench.text("npm/package.json", &[])?;
    let mut about: Value = serde_json::from_str(&text)?;
    about["name"] = of_platform.as_str().into();
    about["version"] = version.as_str().into();
    about["cpu"] = [bench.program.node_machine()?].as_slice().into();
    super::write(&format!("{about:#}\n"), &program.join("package.json"))?;
    bench.program.put(&program.join("bin"), "handraise")?;
    bench.program.put_list(&program)?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        bench.put(licence, &program)?;
    }
    pack(bench, &program)?;

    // As it is packed for its tests, and then with the program.
    let source = bench.workspace.root.join(CLIENT);
    node::install(&source)?;
    let mut build = bench.command("npm");
    build.args(["run", "--silent", "build"]);
    command::run(build.current_dir(&source))?;
    let client = bench.folder("npm-client")?;
    for name in ["bin", "dist", "README.md"] {
        let mut copy = bench.command("cp");
        command::run(copy.arg("-R").arg(source.join(name)).arg(&client))?;
    }
    let text = fs::read_to_string(source.join("package.json"))?;
    let mut about: Value = serde_json::from_str(&text)?;
    about["version"] = version.as_str().into();
    about["optionalDependencies"] = serde_json::json!({ of_platform.as_str(): version });
    let parts = about.as_object_mut().context("package.json is no object")?;
    // They are built by now.
    for part in ["scripts", "devDependencies"] {
        parts.remove(part);
    }
    super::write(&format!("{about:#}\n"), &client.join("package.json"))?;
    pack(bench, &client)
}

fn platform(bench: &Bench<'_>) -> Result<String> {
    let machine = bench.program.node_machine()?;
    Ok(format!("handraise-linux-{machine}"))
}

fn pack(bench: &Bench<'_>, folder: &Path) -> Result<()> {
    let mut npm = bench.command("npm");
    npm.args(["pack", "--silent", "--pack-destination"])
        .arg(&bench.out);
    command::run(npm.current_dir(folder))
}

pub(super) fn check(bench: &Bench<'_>) -> Result<()> {
    let folder = bench.folder("npm-tried")?;
    let version = &bench.program.version;
    let packed = |name: &str| -> PathBuf { bench.out.join(format!("{name}-{version}.tgz")) };
    super::write("{ \"private\": true }\n", &folder.join("package.json"))?;
    let mut npm = bench.command("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--silent"])
        .args([packed(&platform(bench)?), packed("handraise")]);
    command::run(npm.current_dir(&folder))?;
    let mut import = bench.command("node");
    import.args([
        "--input-type=module",
        "-e",
        "import { Handraise } from 'handraise'; new Handraise({ token: 'hr_agent_0' });",
    ]);
    command::run(import.current_dir(&folder))?;
    bench.answer_a_question(&[folder.join("node_modules/.bin/handraise")])
}
