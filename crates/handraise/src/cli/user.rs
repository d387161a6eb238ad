//! `handraise user`: people.

use std::net::SocketAddr;

use anyhow::bail;
use clap::{Subcommand, ValueEnum};
use domain::{Person, PersonId, Refused, Role, SlackId};
use service::{Service, ServiceError};
use store::PersonRecord;

use super::{Place, operator, said};

#[derive(Debug, Subcommand)]
pub(super) enum UserCommand {
    /// Invites a person and prints a one-time link alone on standard output.
    #[command(after_help = "Example:\n  handraise user invite --name Ana --role responder")]
    Invite {
        /// The name others will see, and the person signs in with
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
    /// Prints a new one-time link for somebody who has lost their password; earlier links end.
    #[command(after_help = "Example:\n  handraise user link --name Ana")]
    Link {
        /// Their name
        #[arg(long)]
        name: String,
        /// Where the server listens, for the link [default: 127.0.0.1:3000; environment: HANDRAISE_ADDR]
        #[arg(long, value_name = "ADDRESS:PORT")]
        addr: Option<SocketAddr>,
        #[command(flatten)]
        place: Place,
    },
    /// Lists people: role, whether they can come in, when they were last seen, who they are in Slack, name.
    #[command(after_help = "Example:\n  handraise user list")]
    List {
        #[command(flatten)]
        place: Place,
    },
    /// Says who a person is in Slack, so that they can answer there, or that they are nobody there.
    #[command(
        after_help = "Examples:\n  handraise user slack --name Ana --id U0123456789\n  handraise user slack --name Ana --none"
    )]
    Slack {
        /// Their name
        #[arg(long)]
        name: String,
        /// Their member id; in their profile in Slack choose "Copy member ID"
        #[arg(long, value_parser = slack_id, conflicts_with = "none", required_unless_present = "none")]
        id: Option<SlackId>,
        /// They are nobody in Slack any more
        #[arg(long)]
        none: bool,
        #[command(flatten)]
        place: Place,
    },
    /// Takes away all second factors of a person who has lost them, and signs them out everywhere. With a link from
    /// `handraise user link` a person comes in without one, too, and keeps it.
    #[command(after_help = "Example:\n  handraise user reset-factors --name Ana")]
    ResetFactors {
        /// Their name
        #[arg(long)]
        name: String,
        #[command(flatten)]
        place: Place,
    },
    /// Keeps a person out, at once. What they have answered stays.
    #[command(
        after_help = "Examples:\n  handraise user disable --name Ana\n  handraise user disable --name Ana --revoke-tokens"
    )]
    Disable {
        /// Their name
        #[arg(long)]
        name: String,
        /// The tokens that they made end with it
        #[arg(long)]
        revoke_tokens: bool,
        #[command(flatten)]
        place: Place,
    },
    /// Lets a disabled person in again, with the password they had.
    #[command(after_help = "Example:\n  handraise user enable --name Ana")]
    Enable {
        /// Their name
        #[arg(long)]
        name: String,
        #[command(flatten)]
        place: Place,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum RoleName {
    /// Sees what belongs to everyone and to their teams, answers nothing
    Viewer,
    /// Answers
    Responder,
    /// Answers and manages
    Admin,
}

impl UserCommand {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let by = operator();
        match self {
            Self::Invite {
                name,
                role,
                addr,
                place,
            } => {
                let (service, at) = place.open_with_address(addr).await?;
                let role = match role {
                    RoleName::Viewer => Role::Viewer,
                    RoleName::Responder => Role::Responder,
                    RoleName::Admin => Role::Admin,
                };
                let link = service.invite(&name, role, &by).await.map_err(said)?;
                println!("{at}/sign-in/{}", link.reveal());
            }
            Self::Link { name, addr, place } => {
                let (service, at) = place.open_with_address(addr).await?;
                let person = named(&service, &name).await?;
                let link = service.make_link(person, &by).await.map_err(said)?;
                println!("{at}/sign-in/{}", link.reveal());
            }
            Self::List { place } => {
                let (service, _) = place.open(None).await?;
                for one in service.people(&by).await.map_err(said)? {
                    println!("{}", line(&one));
                }
            }
            Self::Slack {
                name, id, place, ..
            } => {
                let (service, _) = place.open(None).await?;
                let person = named(&service, &name).await?;
                match service.link_slack(person, id, &by).await {
                    // Running it twice does no harm.
                    Err(ServiceError::Refused(Refused::Unchanged)) => {}
                    done => done.map_err(said)?,
                }
            }
            Self::ResetFactors { name, place } => {
                let (service, _) = place.open(None).await?;
                let person = named(&service, &name).await?;
                match service.reset_factors(person, &by).await {
                    // Running it twice does no harm.
                    Err(ServiceError::Refused(Refused::Unchanged)) => {}
                    done => done.map_err(said)?,
                }
            }
            Self::Disable {
                name,
                revoke_tokens,
                place,
            } => disable(place, &name, true, revoke_tokens).await?,
            Self::Enable { name, place } => disable(place, &name, false, false).await?,
        }
        Ok(())
    }
}

async fn disable(
    place: Place,
    name: &str,
    disabled: bool,
    revoke_tokens: bool,
) -> anyhow::Result<()> {
    let (service, _) = place.open(None).await?;
    let person = named(&service, name).await?;
    let by = operator();
    let done = service.disable_person(person, disabled, revoke_tokens, &by);
    done.await.map_err(said)
}

pub(super) async fn named(service: &Service, name: &str) -> anyhow::Result<PersonId> {
    let people = service.people(&operator()).await.map_err(said)?;
    let key = Person::name_key(name);
    let found = people
        .iter()
        .find(|one| Person::name_key(&one.person.name) == key);
    let Some(found) = found else {
        bail!("nobody here is called {name:?}; `handraise user list` shows who is");
    };
    Ok(found.person.id)
}

fn slack_id(text: &str) -> Result<SlackId, String> {
    SlackId::parse(text).map_err(|fault| format!("it {}", fault.message))
}

/// Columns of fixed width, the name last since it may be long.
fn line(one: &PersonRecord) -> String {
    let state = match (one.person.disabled_at, one.has_password) {
        (Some(_), _) => "disabled",
        (None, true) => "active",
        (None, false) => "invited",
    };
    let seen = one.seen_at.map_or_else(
        || "not signed in".to_owned(),
        |at| format!("seen {}", at.format("%Y-%m-%d %H:%M")),
    );
    let role = one.person.role.name();
    let name = visible::line(&one.person.name);
    let slack = one.person.slack_id.as_ref().map_or("-", SlackId::as_str);
    format!("{role:<9}  {state:<8}  {seen:<21}  {slack:<11}  {name}")
}
