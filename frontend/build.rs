//! Has the linker say what in the program refers to what, by which the build takes it apart.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-cdylib=--emit-relocs");
}
