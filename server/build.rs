//! The page is embedded by name, and its names change with its content.

fn main() {
    println!("cargo:rerun-if-changed=../target/site");
    println!("cargo:rerun-if-changed=../target/site/assets.json");
}
