//! The page is embedded by name, and its names change with its content.

use std::{fs, io};

fn main() -> io::Result<()> {
    // So that the server compiles before the page has been built.
    fs::create_dir_all("../target/site")?;
    // All of it: a file that is not there yet would make the server compile every time.
    println!("cargo:rerun-if-changed=../target/site");
    Ok(())
}
