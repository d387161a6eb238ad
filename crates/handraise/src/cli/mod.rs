//! The command line. Messages and exit codes are part of the interface.

mod backup;
mod beside;
mod built;
mod config;
mod demo;
mod doctor;
mod duty;
mod erase;
mod first_minute;
mod health;
mod insights;
mod journal;
mod key;
mod ladder;
mod migrate;
mod open_files;
mod openapi;
mod policy;
mod serve;
mod slack;
mod team;
mod token;
mod user;

use std::{net::SocketAddr, path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::bail;
use clap::{Args, CommandFactory, Parser, Subcommand};
use domain::Principal;
use machine::clock::{SystemClock, SystemIds};
use secrecy::SecretString;
use server::{
    config::{self as settings, Config, Flags, LoadError, Loaded},
    doctor::{Finding, Verdict},
    telemetry::LogFormat,
};
use service::Service;
use store::Store;

pub(crate) use built::built;
use token::TokenCommand;

/// Agents raise a hand, a person answers, and the agent gets that answer once.
#[derive(Debug, Parser)]
#[command(
    name = "handraise",
    version,
    propagate_version = true,
    after_help = "Examples:\n  handraise serve\n  handraise demo\n\nWithout a command, at a terminal, it starts the server and leads to the first answer."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Starts the server. Prints a one-time link for the first admin until there is one.
    #[command(
        after_help = "Example:\n  handraise serve --addr 127.0.0.1:8080 --database sqlite:///var/lib/handraise/handraise.db"
    )]
    Serve(ServerFlags),
    /// Starts a company to play with, on a database that goes when it ends: a month of questions, and new ones.
    ///
    /// Prints who may sign in, and with which password. Listens on this machine alone, reads no settings, and
    /// sends nothing to other machines.
    #[command(after_help = "Examples:\n  handraise demo\n  handraise demo --port 0 --every 2")]
    Demo(demo::DemoCommand),
    /// Makes, lists and revokes tokens for agents and for scripts that answer.
    #[command(
        subcommand,
        after_help = "Example:\n  handraise token create --kind agent --name backend"
    )]
    Token(TokenCommand),
    /// Lets people in, and keeps them out.
    #[command(
        subcommand,
        after_help = "Example:\n  handraise user invite --name Ana --role responder"
    )]
    User(user::UserCommand),
    /// Says who answers for which agents, where not everyone answers for all.
    #[command(
        subcommand,
        after_help = "Example:\n  handraise team create --name Payments"
    )]
    Team(team::TeamCommand),
    /// What is decided before anybody asks: rules that forbid, ask people, or allow.
    #[command(
        subcommand,
        after_help = "Example:\n  handraise policy test --last 30d"
    )]
    Policy(policy::PolicyCommand),
    /// Prints every setting with its meaning and its default, as a file to begin with.
    #[command(
        after_help = "Examples:\n  handraise config > handraise.toml\n  handraise config --effective --config handraise.toml"
    )]
    Config(config::ConfigCommand),
    /// Looks whether the server can work as it is configured, and says what to do. Changes nothing.
    ///
    /// A line each for what is ok, a warning or a problem. Exits with 1 if there is a problem.
    #[command(after_help = "Example:\n  handraise doctor --config handraise.toml")]
    Doctor(ServerFlags),
    /// Asks the server that runs here with these settings whether it is ready. For containers, which are looked after by it.
    ///
    /// Exits with 0 if it is, and else with 1, and says what is missing.
    #[command(after_help = "Example:\n  handraise health --addr 127.0.0.1:3000")]
    Health(ServerFlags),
    /// Brings the database's tables up to date, or makes them. `handraise serve` does so by itself.
    #[command(after_help = "Example:\n  handraise migrate --database sqlite://handraise.db")]
    Migrate {
        #[command(flatten)]
        place: Place,
    },
    /// Makes a backup of a SQLite database, while the server runs: with its attachments and checkpoints, and a manifest.
    ///
    /// It is a folder, which is there when all of it was checked: its pages, its journal, its checkpoints. Prints its name. The key is not
    /// in it: keep that elsewhere. A Postgres server has backups of its own.
    #[command(
        after_help = "Examples:\n  handraise backup /var/backups/handraise\n  handraise backup /var/backups/handraise --keep 7"
    )]
    Backup(backup::BackupCommand),
    /// Puts a backup back, where no database is yet.
    ///
    /// It is verified first. The journal goes on with numbers that were not given out before, and says so. Put the server's key
    /// back before.
    #[command(
        after_help = "Examples:\n  handraise restore /var/backups/handraise/handraise-20300115T080000000Z\n  handraise restore handraise-20300115T080000000Z /srv/handraise.db"
    )]
    Restore(backup::RestoreCommand),
    /// Gives the server another key.
    #[command(subcommand, after_help = "Example:\n  handraise key rotate")]
    Key(key::KeyCommand),
    /// Erases what people and agents wrote in closed interactions; the journal still verifies.
    ///
    /// Who asked, who answered, when and how it ended stays, and so do receipts. Says what it is about to erase and asks.
    #[command(
        after_help = "Examples:\n  handraise erase --interaction 019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa\n  handraise erase --agent backend --before 2030-01-01 --yes"
    )]
    Erase(erase::EraseCommand),
    /// Checks, exports and signs the journal.
    #[command(subcommand, after_help = "Example:\n  handraise journal verify")]
    Journal(journal::JournalCommand),
    /// Makes the numbers of the page *Insights* anew.
    #[command(subcommand, after_help = "Example:\n  handraise insights rebuild")]
    Insights(insights::InsightsCommand),
    /// Asks people and waits for the answer, which it prints.
    ///
    /// It goes on waiting while the server restarts or cannot be reached, and asks once. Exits with 0 when
    /// it was answered or approved, 2 when it was denied (or the plan is to be adjusted), 3 when it expired, 4
    /// when it was cancelled, 1 at a fault, 130 at Ctrl+C. With --report it ends as the command does that it ran.
    #[command(
        after_help = "Examples:\n  handraise ask --prompt 'Which latency?' --timeout 1800 --fallback 200ms\n  handraise ask --prompt 'Which cache?' --option redis --option lru --json\n  handraise ask --kind approval --prompt 'Clean up?' --tool rm --arguments '{}'\n  handraise ask --prompt 'Deploy?' --report -- make deploy"
    )]
    Ask(Box<agent::commands::AskCommand>),
    /// Tells people something that nobody has to answer. Prints its id.
    #[command(after_help = "Example:\n  handraise notify --level success --prompt 'Done.'")]
    Notify(agent::commands::NotifyCommand),
    /// Waits for the answer to what was asked before. Exits as `handraise ask` does.
    ///
    /// A decision counts for what is about to be done alone: without --action or --plan an approval and a plan that may
    /// be followed exit with 1.
    #[command(
        after_help = "Examples:\n  handraise wait 019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa\n  handraise wait 019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa --action action.json"
    )]
    Wait(agent::commands::WaitCommand),
    /// Shows what waits, live, and lets you answer it: with the token of a responder, in a terminal.
    ///
    /// With an agent's token it shows what that agent has asked, and answers nothing. Where there is no
    /// terminal it prints a line for each event. NO_COLOR is honoured.
    #[command(after_help = "Examples:\n  handraise watch\n  handraise watch --json | jq .type")]
    Watch(agent::commands::WatchCommand),
    /// Says what came of an answer, so that people see it: done, or failed.
    #[command(
        after_help = "Example:\n  handraise report 019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa failed --text 'the disk is full'"
    )]
    Report(agent::commands::ReportCommand),
    /// The servers whose decisions this agent believes, by their keys.
    ///
    /// They are pinned at the first contact, in a file of known servers, as ssh does. HANDRAISE_PUBLIC_KEY names keys instead.
    #[command(
        subcommand,
        after_help = "Example:\n  handraise trust add https://handraise.example"
    )]
    Trust(agent::commands::TrustCommand),
    /// Takes a question back that nobody has answered yet.
    #[command(
        after_help = "Example:\n  handraise cancel 019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa --reason 'found it'"
    )]
    Cancel(agent::commands::CancelCommand),
    /// Ends a session, and takes back what was asked in it with --withdraw-on-disconnect.
    ///
    /// Prints the id of each. Everything else of the session waits on, and there may be another one of that name.
    #[command(after_help = "Example:\n  handraise end-session nightly-build")]
    EndSession(agent::commands::EndSessionCommand),
    /// Runs Claude Code without a terminal, and without a process while it waits for people.
    ///
    /// Needs the hooks of `handraise hook install claude-code`. What they ask is put off: Claude Code ends, and is started again,
    /// with the same session, when people have answered. Prints what the last start of it printed, and exits as that one.
    /// Killed, or after the machine was started again, the same command in the same folder goes on with it.
    #[command(
        after_help = "Examples:\n  handraise run -- claude -p 'bring the dependencies up to date'\n  handraise run --timeout 86400 -- claude -p --output-format json < prompt.md"
    )]
    Run(agent::commands::RunCommand),
    /// Goes on with what `handraise run` has left behind, for instance when the machine was started again.
    ///
    /// With the id of one, exits as its program. Else all of them go on at once: exits with 1 if one of several failed.
    #[command(
        after_help = "Examples:\n  handraise resume\n  handraise resume 0d9cfa1f2c3b4a5968778695a4b3c2d1"
    )]
    Resume(agent::commands::ResumeCommand),
    /// Starts the program of a run, once.
    #[command(hide = true)]
    KeepProgram(agent::commands::KeepCommand),
    /// Lets people decide what a coding agent may run.
    #[command(
        subcommand,
        after_help = "Example:\n  handraise hook claude-code --tools Bash,Write || exit 2"
    )]
    Hook(agent::commands::HookCommand),
    /// Prints what makes a shell complete the commands of this program.
    #[command(
        after_help = "Example:\n  handraise completions bash > /etc/bash_completion.d/handraise"
    )]
    Completions {
        /// Which shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Speaks the Model Context Protocol on standard input and output, for clients that cannot reach /mcp.
    ///
    /// A bridge to the server's /mcp. A server that is restarted between two calls is not missed.
    #[command(after_help = "Example:\n  handraise mcp --url http://127.0.0.1:3000")]
    Mcp(agent::commands::McpCommand),
    /// Stands between a coding agent and its client, by the Agent Client Protocol: people may answer what it asks.
    ///
    /// Starts AGENT, and passes its messages and the client's on as they are. May a tool run, and which value belongs in a form: that
    /// is asked in the client and in Handraise, and the first answer counts. An approval reaches AGENT only with its receipt.
    /// While the server is away the client alone is asked.
    #[command(
        after_help = "Examples:\n  handraise acp -- gemini --acp\n  handraise acp --name goose --timeout 3600 -- goose acp"
    )]
    Acp(agent::commands::AcpCommand),
    /// Stands between `codex app-server` and its client: people may answer what Codex asks.
    ///
    /// As `handraise acp` does, in Codex's own protocol: commands, changes of files, permissions, questions of the model, and forms
    /// of MCP servers behind it.
    #[command(
        after_help = "Examples:\n  handraise codex\n  handraise codex --name reviewer --timeout 3600 -- -c approval_policy=untrusted"
    )]
    Codex(agent::commands::CodexCommand),
    /// Follows an OpenCode server: people may answer what it asks.
    ///
    /// Permissions and questions of its sessions stand in its own terminal and in Handraise, and the first answer counts; the other
    /// question is withdrawn. It may be stopped and started again: nothing is asked twice. See docs/opencode.md.
    #[command(
        name = "opencode",
        after_help = "Examples:\n  handraise opencode\n  handraise opencode http://127.0.0.1:4096 --dir /srv/app --name builder --timeout 3600"
    )]
    OpenCode(agent::commands::OpenCodeCommand),
    /// Prints the description of the API for machines, as OpenAPI 3.1. A running server has it too.
    #[command(after_help = "Example:\n  handraise openapi > openapi.json")]
    Openapi,
    /// Checks the receipts of decisions.
    #[command(
        subcommand,
        after_help = "Example:\n  handraise receipt verify --receipt receipt.json --action action.json"
    )]
    Receipt(agent::commands::ReceiptCommand),
    /// Sets Slack up, and sees whether it works.
    #[command(subcommand, after_help = "Example:\n  handraise slack manifest")]
    Slack(slack::SlackCommand),
}

/// What may be said to the server on its command line, and to those that look at its settings.
#[derive(Debug, Args)]
struct ServerFlags {
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
    /// A TOML file with settings [default: handraise.toml, if it is here; environment: HANDRAISE_CONFIG]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// sqlite://PATH or postgres://... [default: sqlite://handraise.db; environment: HANDRAISE_DATABASE_URL]
    ///
    /// Everybody on the machine sees the command line: with a password in it use the environment.
    #[arg(long, value_name = "URL")]
    database: Option<SecretString>,
}

/// Runs a command, and says with which code to exit.
///
/// # Errors
/// One line that tells the fault, for standard error.
pub(crate) async fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let done = match cli.command {
        Command::Ask(command) => return command.run().await,
        Command::Wait(command) => return command.run().await,
        Command::Run(command) => return command.run().await,
        Command::Resume(command) => return command.run().await,
        Command::KeepProgram(command) => return command.run(),
        Command::Hook(command) => return Ok(command.run().await),
        Command::Notify(command) => command.run().await,
        Command::Report(command) => command.run().await,
        Command::Trust(command) => command.run().await,
        Command::Cancel(command) => command.run().await,
        Command::EndSession(command) => command.run().await,
        Command::Watch(command) => command.run().await,
        Command::Completions { shell } => {
            let mut out = std::io::stdout();
            clap_complete::generate(shell, &mut Cli::command(), "handraise", &mut out);
            Ok(())
        }
        Command::Serve(flags) => serve::run(flags).await,
        Command::Demo(command) => command.run().await,
        Command::Token(command) => command.run().await,
        Command::Config(command) => config::run(command),
        Command::Doctor(flags) => doctor::run(flags).await,
        Command::Health(flags) => health::run(flags).await,
        Command::Migrate { place } => migrate::run(place).await,
        Command::Erase(command) => command.run().await,
        Command::Backup(command) => command.run().await,
        Command::Restore(command) => command.run().await,
        Command::Journal(command) => journal::run(command).await,
        Command::Insights(command) => insights::run(command).await,
        Command::Key(command) => key::run(command),
        Command::Mcp(command) => command.run().await,
        Command::Acp(command) => command.run().await,
        Command::Codex(command) => command.run().await,
        Command::OpenCode(command) => command.run().await,
        Command::Openapi => openapi::run(),
        Command::Receipt(command) => command.run().await,
        Command::Slack(command) => slack::run(command).await,
        Command::User(command) => command.run().await,
        Command::Team(command) => command.run().await,
        Command::Policy(command) => command.run().await,
    };
    done.map(|()| ExitCode::SUCCESS)
}

/// `handraise` alone, at a terminal.
///
/// # Errors
/// As [`run`].
pub(crate) async fn first_minute() -> anyhow::Result<ExitCode> {
    first_minute::run().await.map(|()| ExitCode::SUCCESS)
}

/// `handraise hook`, for programs that let a tool run unless this one ends with a certain code: also after an error
/// here, it ends with that code unless the tool may run.
pub(crate) fn hook() -> ExitCode {
    std::panic::set_hook(Box::new(|_| {
        // Before anything is unwound, on whichever thread. Standard output may be the part that
        // failed.
        agent::commands::say("the hook itself failed, so the tool must not run");
        std::process::exit(agent::commands::BLOCKED.into());
    }));
    let command = match Cli::try_parse() {
        Ok(Cli {
            command: Command::Hook(command),
        }) => command,
        Ok(_) => return agent::commands::blocked("this is no hook"),
        Err(error) => return agent::commands::misused(&error),
    };
    // No threads: there may be none to have.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    match runtime {
        Ok(runtime) => last(runtime, command.run()),
        Err(error) => agent::commands::blocked(&format!("the hook cannot start: {error}")),
    }
}

/// Runs the last work of a program. Nothing else is waited for then: a name may still be looked up.
fn last<T>(runtime: tokio::runtime::Runtime, work: impl Future<Output = T>) -> T {
    let done = runtime.block_on(work);
    runtime.shutdown_background();
    done
}

impl ServerFlags {
    fn load(self) -> Result<Loaded, LoadError> {
        self.place.load(self.addr, self.log)
    }
}

impl Place {
    fn load(self, addr: Option<SocketAddr>, log: Option<LogFormat>) -> Result<Loaded, LoadError> {
        let flags = Flags {
            addr,
            database_url: self.database,
            log,
        };
        settings::load(self.config.as_deref(), flags, std::env::vars_os())
    }

    fn config(self) -> Result<Config, LoadError> {
        Ok(self.load(None, None)?.config)
    }

    async fn open(self, addr: Option<SocketAddr>) -> anyhow::Result<(Service, Config)> {
        let config = self.load(addr, None)?.config;
        beside::would_make_another(&config).await?;
        let store = store::connect(config.database_url.reveal()).await?;
        Ok((service(store, &config), config))
    }

    /// With where people reach the server: as these settings say; if they leave it open, where the server was started
    /// last.
    async fn open_with_address(
        self,
        addr: Option<SocketAddr>,
    ) -> anyhow::Result<(Service, String)> {
        let (service, config) = self.open(addr).await?;
        let is_said = addr.is_some() || config.public_url.is_some();
        let served = match is_said {
            true => None,
            false => service.store().served_at().await?,
        };
        let at = served.unwrap_or_else(|| config.public_url());
        Ok((service, at))
    }
}

/// Prints the findings, a line each.
///
/// # Errors
/// When there is a problem among it.
fn report(findings: &[Finding]) -> anyhow::Result<()> {
    for finding in findings {
        println!("{finding}");
    }
    let is_problem = |finding: &&Finding| finding.verdict == Verdict::Problem;
    match findings.iter().filter(is_problem).count() {
        0 => Ok(()),
        1 => bail!("there is a problem"),
        problems => bail!("there are {problems} problems"),
    }
}

/// The first admin gets the name of the user who starts the server.
fn login_name() -> String {
    ["USER", "LOGNAME", "USERNAME"]
        .into_iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|name| !name.trim().is_empty())
        .unwrap_or_else(|| "admin".to_owned())
}

/// The use cases, of this database.
fn service(store: Arc<dyn Store>, config: &Config) -> Service {
    Service::new(
        store,
        Arc::new(SystemClock),
        Arc::new(SystemIds),
        config.settings(),
    )
}

/// Commands act for the user who runs them, who has the database at hand anyway.
fn operator() -> Principal {
    Principal::Operator { name: login_name() }
}

fn said(error: service::ServiceError) -> anyhow::Error {
    use domain::Refused;
    use service::ServiceError;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Every command, with those below it.
    fn all(command: &clap::Command) -> Vec<&clap::Command> {
        let below = command.get_subcommands().flat_map(all);
        std::iter::once(command).chain(below).collect()
    }

    /// As a shell takes the first command of a line.
    fn words(line: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        for (n, part) in line.split('\'').enumerate() {
            if n % 2 == 1 {
                words.last_mut().unwrap().push_str(part);
                continue;
            }
            let ends = part.find(['>', '|', ')']);
            for (n, word) in part[..ends.unwrap_or(part.len())].split(' ').enumerate() {
                if n > 0 {
                    words.push(String::new());
                }
                words.last_mut().unwrap().push_str(word);
            }
            if ends.is_some() {
                break;
            }
        }
        words.retain(|word| !word.is_empty());
        words
    }

    #[test]
    fn a_program_that_is_done_waits_for_nothing() {
        let (keep, waits) = std::sync::mpsc::channel::<()>();
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let work = async {
            tokio::task::spawn_blocking(move || waits.recv());
            7
        };
        assert_eq!(last(runtime.unwrap(), work), 7);
        drop(keep);
    }

    #[test]
    fn every_command_has_examples_in_its_help_and_they_are_right() {
        let cli = Cli::command();
        // One that is hidden is started by this program alone.
        let told = all(&cli).into_iter().filter(|it| !it.is_hide_set());
        for command in told {
            let name = command.get_name();
            let help = command.get_after_help().map(ToString::to_string);
            let help = help.unwrap_or_else(|| panic!("{name} has no example"));
            assert!(help.starts_with("Example"), "{name}: {help}");
            let mut ours = 0;
            for line in help.lines().skip(1) {
                let Some(start) = line.find("handraise ") else {
                    continue;
                };
                Cli::try_parse_from(words(&line[start..])).expect(line);
                ours += 1;
            }
            assert!(ours > 0, "{name}: {help}");
        }
    }

    #[test]
    fn defaults_in_the_help_are_the_defaults() {
        let config = Config::default();
        let mut command = Cli::command();
        let serve = command.find_subcommand_mut("serve").unwrap();
        let help = serve.render_long_help().to_string();
        for default in [
            config.addr.to_string(),
            config.database_url.to_string(),
            "text".into(),
        ] {
            assert!(
                help.contains(&format!("[default: {default}; environment: ")),
                "{help}"
            );
        }
        assert_eq!(config.log, LogFormat::Text);
    }
}
