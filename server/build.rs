//! The page is embedded by name, and its names change with its content.

use std::{fs, io};

fn main() -> io::Result<()> {
    // So that the server compiles before the page has been built.
    fs::create_dir_all("../target/site")?;
    println!("cargo:rerun-if-changed=../target/site");
    println!("cargo:rerun-if-changed=../target/site/assets.json");
    Ok(())
}
