//! `handraise token`: credentials of programs.

use anyhow::bail;
use chrono::{DateTime, Utc};
use clap::{Subcommand, ValueEnum};
use domain::{Actor, TokenId, TokenKind, access::Lifetime};
use store::TokenRecord;

use super::{Place, operator, said, team, user};

#[derive(Debug, Subcommand)]
pub(super) enum TokenCommand {
    /// Makes a token and prints it alone on standard output; it is shown only this once.
    #[command(
        after_help = "Examples:\n  export HANDRAISE_TOKEN=$(handraise token create --kind agent --name backend --owner Ana)\n  handraise token create --kind responder --name night-desk --expires 90d"
    )]
    Create {
        /// Whether it asks or answers
        #[arg(long, value_enum)]
        kind: Kind,
        /// The agent's or the script's name, as people will see it
        #[arg(long)]
        name: String,
        /// The person an agent belongs to, by their name; nobody when it is left out
        #[arg(long, value_name = "PERSON")]
        owner: Option<String>,
        /// How long it works: 90d, 12h, through a date like 2030-12-31, or never
        #[arg(long, value_name = "WHEN", default_value = "365d", value_parser = lifetime)]
        expires: Lifetime,
        /// For a responder: the team that it answers for; may be given several times
        #[arg(long = "team", value_name = "TEAM", conflicts_with = "owner")]
        teams: Vec<String>,
        #[command(flatten)]
        place: Place,
    },
    /// Lists the tokens: id, kind, when it was made and last used and when it ends, name, whom it belongs to, who
    /// made it. Never the tokens themselves.
    #[command(after_help = "Example:\n  handraise token list --all")]
    List {
        /// Those that were revoked or have expired as well
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        place: Place,
    },
    /// Says whom an agent's token belongs to, or that it belongs to nobody.
    #[command(
        after_help = "Examples:\n  handraise token owner 019a7c3f-0b1c-7d20-8a55-6f3c1e9d7742 --owner Ana\n  handraise token owner 019a7c3f-0b1c-7d20-8a55-6f3c1e9d7742 --none"
    )]
    Owner {
        /// The token's id, as `handraise token list` shows it
        #[arg(value_name = "ID")]
        id: TokenId,
        /// The person, by their name
        #[arg(
            long,
            value_name = "PERSON",
            conflicts_with = "none",
            required_unless_present = "none"
        )]
        owner: Option<String>,
        /// It belongs to nobody any more
        #[arg(long)]
        none: bool,
        #[command(flatten)]
        place: Place,
    },
    /// Ends a token, at once and for good. What its agent has asked stays.
    #[command(
        after_help = "Example:\n  handraise token revoke 019a7c3f-0b1c-7d20-8a55-6f3c1e9d7742"
    )]
    Revoke {
        /// The token's id, as `handraise token list` shows it
        #[arg(value_name = "ID")]
        id: TokenId,
        #[command(flatten)]
        place: Place,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Kind {
    /// For a program that asks
    Agent,
    /// For a program that answers
    Responder,
}

impl TokenCommand {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Create {
                kind,
                name,
                owner,
                expires,
                teams,
                place,
            } => {
                let (service, _) = place.open(None).await?;
                let by = operator();
                let kind = match kind {
                    Kind::Agent => TokenKind::Agent,
                    Kind::Responder => TokenKind::Responder,
                };
                let mut of = Vec::with_capacity(teams.len());
                for team in &teams {
                    of.push(team::named(&service, team).await?.id);
                }
                let token = match (kind, owner) {
                    (TokenKind::Responder, Some(_)) => {
                        bail!("--owner is for agents: a script belongs to nobody")
                    }
                    (TokenKind::Agent, Some(owner)) => {
                        let owner = user::named(&service, &owner).await?;
                        let token = service.create_owned_token(&name, owner, None, expires, &by);
                        token.await
                    }
                    (_, None) => {
                        let token = service.create_token(kind, &name, expires, &of, &by);
                        token.await
                    }
                };
                println!("{}", token.map_err(said)?.reveal());
            }
            Self::Owner {
                id, owner, place, ..
            } => {
                let (service, _) = place.open(None).await?;
                let owner = match owner {
                    Some(owner) => Some(user::named(&service, &owner).await?),
                    None => None,
                };
                let by = operator();
                let changed = service.change_owner(id, owner, &by).await;
                if !changed.map_err(said)? {
                    bail!("{}", no_such_token(id));
                }
            }
            Self::List { all, place } => {
                let (service, _) = place.open(None).await?;
                let tokens = service.tokens(&operator()).await.map_err(said)?;
                for token in tokens {
                    if all || token.works(service.now()) {
                        println!("{}", line(&token, service.now()));
                    }
                }
            }
            Self::Revoke { id, place } => {
                let (service, _) = place.open(None).await?;
                if !service.revoke_token(id, &operator()).await.map_err(said)? {
                    bail!("{}", no_such_token(id));
                }
            }
        }
        Ok(())
    }
}

fn no_such_token(id: TokenId) -> String {
    format!("there is no token {id} that works; `handraise token list` shows those that do")
}

fn lifetime(text: &str) -> Result<Lifetime, String> {
    let said = text.parse::<Lifetime>();
    said.map_err(|fault| format!("it {}", fault.message))
}

/// Columns of fixed width, the names last since they may be long.
fn line(token: &TokenRecord, now: DateTime<Utc>) -> String {
    let used = token.last_used_at.map_or_else(
        || "never used".to_owned(),
        |at| format!("used {}", at.format("%Y-%m-%d %H:%M")),
    );
    let expires = token.token.expires_at.map_or_else(
        || "never expires".to_owned(),
        |at| {
            let verb = if at <= now { "expired" } else { "expires" };
            format!("{verb} {}", at.format("%Y-%m-%d %H:%M"))
        },
    );
    let by = token.made_by.as_ref().and_then(Actor::name);
    let by = by.map_or_else(String::new, |name| format!("  by {}", visible::line(name)));
    let revoked = token.revoked_at.map_or_else(String::new, |at| {
        format!("  revoked {}", at.format("%Y-%m-%d %H:%M"))
    });
    let owner = token.owner.as_ref().map_or_else(String::new, |owner| {
        let disabled = if owner.is_disabled { " (disabled)" } else { "" };
        format!("  of {}{disabled}", visible::line(&owner.name))
    });
    format!(
        "{}  {:<9}  made {}  {used:<21}  {expires:<24}  {}{owner}{by}{revoked}",
        token.token.id,
        token.token.kind.name(),
        token.created_at.format("%Y-%m-%d %H:%M"),
        visible::line(&token.token.name)
    )
}
