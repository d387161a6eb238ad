//! The command line. Messages and exit codes are part of the interface.

mod journal;
mod key;
mod receipt;
mod token;

use std::{io::Write, net::SocketAddr, path::PathBuf, sync::Arc};

use anyhow::Context;
use clap::{Args, Parser, Subcommand, ValueEnum};
use domain::Role;
use tokio::net::TcpListener;

use token::TokenCommand;

use crate::{
    clock::{SystemClock, SystemIds},
    config::{Config, Flags},
    service::Service,
    signing,
    state::AppState,
    telemetry::{self, LogFormat},
    ui::assets,
};

/// Agents raise a hand, a person answers, and the agent gets that answer once.
#[derive(Debug, Parser)]
#[command(name = "handraise", version, propagate_version = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Starts the server and prints a one-time sign-in link.
    #[command(
        after_help = "Example:\n  handraise serve --addr 127.0.0.1:8080 --database sqlite:///var/lib/handraise/handraise.db"
    )]
    Serve(Serve),
    /// Makes, lists and revokes tokens for agents and for scripts that answer.
    #[command(subcommand)]
    Token(TokenCommand),
    /// Lets people in.
    #[command(subcommand)]
    User(UserCommand),
    /// Checks, exports and signs the journal.
    #[command(subcommand)]
    Journal(journal::JournalCommand),
    /// Checks the receipts of decisions.
    #[command(subcommand)]
    Receipt(receipt::ReceiptCommand),
}

#[derive(Debug, Args)]
struct Serve {
    #[command(flatten)]
    place: Place,
    /// Where to listen [default: 127.0.0.1:3000; environment: HANDRAISE_ADDR]
    #[arg(long, value_name = "ADDRESS:PORT")]
    addr: Option<SocketAddr>,
    /// How log lines look [default: text; environment: HANDRAISE_LOG]
    #[arg(long, value_enum)]
    log: Option<LogFormat>,
}

#[derive(Debug, Args)]
struct Place {
    /// A TOML file with settings
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// sqlite://PATH or postgres://... [default: sqlite://handraise.db; environment: HANDRAISE_DATABASE_URL]
    #[arg(long, value_name = "URL")]
    database: Option<String>,
}

#[derive(Debug, Subcommand)]
enum UserCommand {
    /// Creates a person and prints a one-time sign-in link alone on standard output.
    #[command(after_help = "Example:\n  handraise user invite --name Ana --role responder")]
    Invite {
        /// The name others will see
        #[arg(long)]
        name: String,
        /// What they may do
        #[arg(long, value_enum)]
        role: RoleName,
        /// Where the server listens, for the link [default: 127.0.0.1:3000; environment: HANDRAISE_ADDR]
        #[arg(long, value_name = "ADDRESS:PORT")]
        addr: Option<SocketAddr>,
        #[command(flatten)]
        place: Place,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum RoleName {
    /// Sees everything, answers nothing
    Viewer,
    /// Answers
    Responder,
    /// Answers and manages
    Admin,
}

/// Runs a command.
///
/// # Errors
/// One line that says what went wrong, for standard error.
pub async fn run(cli: Cli) -> anyhow::Result<()> {
    match cli.command {
        Command::Serve(serve) => start(serve).await,
        Command::Token(command) => command.run().await,
        Command::Journal(command) => journal::run(command).await,
        Command::Receipt(command) => receipt::run(command),
        Command::User(UserCommand::Invite {
            name,
            role,
            addr,
            place,
        }) => {
            let (service, config) = place.open(addr).await?;
            let role = match role {
                RoleName::Viewer => Role::Viewer,
                RoleName::Responder => Role::Responder,
                RoleName::Admin => Role::Admin,
            };
            let link = service.invite(&name, role).await.map_err(said)?;
            println!("{}/sign-in/{}", config.public_url(), link.reveal());
            Ok(())
        }
    }
}

async fn start(serve: Serve) -> anyhow::Result<()> {
    let mut config = serve.place.config(serve.addr, serve.log)?;
    telemetry::start(config.log);
    let names = assets::names()?;
    // Before the database: a second server on the same port must not touch it.
    let listener = TcpListener::bind(config.addr)
        .await
        .with_context(|| format!("cannot listen on {}", config.addr))?;
    // Port 0 asks for any free one.
    config.addr = listener
        .local_addr()
        .context("the listener has no address")?;
    let store = store::connect(&config.database_url).await?;
    let key = Arc::new(signing::load_or_create(&config.key_file())?);
    tracing::info!(public_key = %key.verifying_key(), "signs with {}", config.key_file().display());
    let state = AppState::new(
        config,
        names,
        store,
        Arc::new(SystemClock),
        Arc::new(SystemIds),
        key,
    );
    let link = state
        .service
        .invite_first_admin(&login_name())
        .await
        .map_err(said)?;
    // Whoever started the server may have closed its standard output; it serves all the same.
    let _ = writeln!(
        std::io::stdout(),
        "Handraise listens on http://{}\nSign in once, within a day: {}/sign-in/{}",
        state.config.addr,
        state.config.public_url(),
        link.reveal()
    );
    crate::run(state, listener, crate::asked_to_stop()).await
}

impl Place {
    fn config(self, addr: Option<SocketAddr>, log: Option<LogFormat>) -> anyhow::Result<Config> {
        let flags = Flags {
            addr,
            database_url: self.database,
            log,
        };
        Config::load(self.config.as_deref(), flags)
    }

    async fn open(self, addr: Option<SocketAddr>) -> anyhow::Result<(Service, Config)> {
        let config = self.config(addr, None)?;
        let store = store::connect(&config.database_url).await?;
        let service = Service::new(
            store,
            Arc::new(SystemClock),
            Arc::new(SystemIds),
            config.settings(),
        );
        Ok((service, config))
    }
}

/// The first admin gets the name of whoever starts the server.
fn login_name() -> String {
    ["USER", "LOGNAME", "USERNAME"]
        .into_iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|name| !name.trim().is_empty())
        .unwrap_or_else(|| "admin".to_owned())
}

fn said(error: crate::service::ServiceError) -> anyhow::Error {
    use crate::service::ServiceError;
    use domain::Refused;
    match error {
        ServiceError::Refused(Refused::Invalid(faults)) => {
            let faults: Vec<String> = faults
                .iter()
                .map(|fault| format!("{} {}", fault.path, fault.message))
                .collect();
            anyhow::anyhow!("{}", faults.join("; "))
        }
        other => other.into(),
    }
}
