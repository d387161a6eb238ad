//! `handraise`: the one binary.

use std::process::ExitCode;

use clap::Parser;

use server::cli::Cli;

#[tokio::main]
async fn main() -> ExitCode {
    match server::cli::run(Cli::parse()).await {
        Ok(code) => code,
        Err(error) => {
            eprintln!("handraise: {}", server::cli::message(&error));
            ExitCode::FAILURE
        }
    }
}
