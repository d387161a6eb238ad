//! Whether Slack would work as it is configured. Asks Slack, and changes nothing there.

use service::Channels;
use slack::{
    class::Class,
    client::{CallError, SlackClient},
    manifest,
    types::{Identity, User},
};

use super::{recognise, unrecognised::Unrecognised};
use crate::{
    config::{Config, Mirror, SlackMode},
    doctor::{Finding, Report},
};

const ABOUT: &str = "slack";
const BOT: &str = "slack_bot_token";
const APP: &str = "slack_app_token";
const PEOPLE: &str = "slack_allowed_users";
/// Without these nothing can be asked, or no answer be heard.
const NEEDED: [&str; 4] = [
    "chat:write",
    "channels:history",
    "groups:history",
    "users:read",
];

/// Looks at everything that answers in Slack need.
pub async fn examine(config: &Config) -> Vec<Finding> {
    let mut report = Report::default();
    match config.slack_mode() {
        Ok(mode) => examine_mode(config, &mode, &mut report).await,
        // They are refused when the settings are read.
        Err(wrong) => {
            for one in wrong {
                report.problem(one.setting, one.what);
            }
        }
    }
    report.0
}

/// The same of the app alone: whether its token is good, and has the scopes it needs.
pub(crate) async fn examine_app(config: &Config, report: &mut Report) {
    let Ok(mode) = config.slack_mode() else {
        return;
    };
    let Some(token) = mode.bot_token() else {
        return;
    };
    let hears = !matches!(mode, SlackMode::Mirror(_));
    match SlackClient::new(&config.slack_api_url, Some(token.clone()), None) {
        Ok(client) => {
            examine_bot(&client, hears, report).await;
        }
        Err(error) => report.problem(ABOUT, format!("{error:#}")),
    }
}

async fn examine_mode(config: &Config, mode: &SlackMode, report: &mut Report) {
    let (bot_token, app_token, channels) = match mode {
        SlackMode::Off => {
            report.problem(
                ABOUT,
                "not set up; make an app from what `handraise slack manifest` prints, install it, and set \
                 slack_bot_token, slack_default_channel and slack_app_token",
            );
            return;
        }
        SlackMode::Mirror(Mirror::Webhook(url)) => {
            report.ok(
                ABOUT,
                format!("a mirror through {url}; whether it works shows with the first card"),
            );
            return;
        }
        SlackMode::Mirror(Mirror::BotToken {
            bot_token,
            channels,
        }) => {
            report.ok(
                ABOUT,
                "a mirror: cards without buttons, since nothing would hear of a click",
            );
            (bot_token, None, channels)
        }
        SlackMode::SocketMode {
            bot_token,
            app_token,
            channels,
        } => {
            report.ok(ABOUT, "answers come by Socket Mode");
            (bot_token, Some(app_token), channels)
        }
        SlackMode::Http {
            bot_token,
            channels,
            ..
        } => {
            examine_requests(config, report);
            (bot_token, None, channels)
        }
    };
    let client = SlackClient::new(
        &config.slack_api_url,
        Some(bot_token.clone()),
        app_token.cloned(),
    );
    let client = match client {
        Ok(client) => client,
        Err(error) => return report.problem(ABOUT, format!("{error:#}")),
    };
    let hears = !matches!(mode, SlackMode::Mirror(_));
    let identity = examine_bot(&client, hears, report).await;
    if app_token.is_some() {
        examine_app_token(&client, report).await;
    }
    let Some(identity) = identity else { return };
    examine_channels(&client, channels, &identity, report).await;
    if hears {
        examine_people(&client, config, &identity, report).await;
    }
}

fn examine_requests(config: &Config, report: &mut Report) {
    let url = config.public_url();
    if config.is_https() {
        report.ok(ABOUT, format!("answers come as signed requests to {url}"));
    } else {
        report.problem(
            ABOUT,
            format!("Slack sends requests to https:// alone, and public_url is {url}; correct it, or use Socket Mode"),
        );
    }
}

async fn examine_bot(client: &SlackClient, hears: bool, report: &mut Report) -> Option<Identity> {
    let identity = match client.auth_test().await {
        Ok(identity) => identity,
        Err(error) => {
            report.problem(
                BOT,
                advice(
                    &error,
                    "copy it again from the app's page \"OAuth & Permissions\"",
                ),
            );
            return None;
        }
    };
    report.ok(BOT, format!("{} in {}", identity.user, identity.team));
    let missing = |wanted: &[&'static str]| -> Vec<&'static str> {
        let is_missing = |scope: &&&'static str| !identity.scopes.iter().any(|has| has == **scope);
        wanted.iter().filter(is_missing).copied().collect()
    };
    let needed = if hears {
        missing(&NEEDED)
    } else {
        missing(&NEEDED[..1])
    };
    let all = missing(&manifest::SCOPES);
    let what = "to the app's bot token scopes and install it again";
    if !needed.is_empty() {
        report.problem(
            BOT,
            format!("scopes are missing; add {} {what}", needed.join(", ")),
        );
    } else if hears && !all.is_empty() {
        report.warning(
            BOT,
            format!("some scopes are missing; add {} {what}", all.join(", ")),
        );
        if all.contains(&"files:write") {
            report.warning(
                BOT,
                "without files:write Slack shows the names of attachments and no file; all else works, and they are on the dashboard",
            );
        }
        if all.contains(&"commands") {
            let command = manifest::COMMAND;
            report.warning(
                BOT,
                format!(
                    "without commands there is no {command}; an app that was made from an older manifest has no home either: see docs/slack.md"
                ),
            );
        }
    } else {
        report.ok(BOT, "it has the scopes it needs");
    }
    Some(identity)
}

async fn examine_app_token(client: &SlackClient, report: &mut Report) {
    match client.open_connection().await {
        Ok(_) => report.ok(APP, "it opens connections"),
        Err(error) => report.problem(
            APP,
            advice(
                &error,
                "make one with the scope connections:write under \"Basic Information\"",
            ),
        ),
    }
}

async fn examine_channels(
    client: &SlackClient,
    channels: &Channels,
    identity: &Identity,
    report: &mut Report,
) {
    for (id, setting) in channels.all() {
        match client.conversation_info(id).await {
            Ok(channel) if channel.is_archived => {
                report.problem(setting, format!("{id} is archived; unarchive it, or name another"));
            }
            Ok(channel) if channel.is_member || channel.is_im => {
                let name = channel.name.map_or_else(String::new, |name| format!(" #{name}"));
                report.ok(setting, format!("{id}{name}"));
            }
            Ok(channel) => report.problem(
                setting,
                format!(
                    "the app is not in {id} #{}; type /invite @{} there",
                    channel.name.unwrap_or_default(),
                    identity.user
                ),
            ),
            Err(error) if error.code == "channel_not_found" => report.problem(
                setting,
                format!(
                    "the app does not see {id}; if it is a private channel type /invite @{} there, else correct the id",
                    identity.user
                ),
            ),
            Err(error) if error.code == "missing_scope" => report.warning(
                setting,
                format!("cannot look at {id}: {error}; add that scope and install the app again"),
            ),
            Err(error) => report.problem(setting, advice(&error, &format!("look at {id} in Slack"))),
        }
    }
}

async fn examine_people(
    client: &SlackClient,
    config: &Config,
    identity: &Identity,
    report: &mut Report,
) {
    let ids = config.slack_allowed_users.ids();
    if ids.is_empty() {
        report.ok(
            PEOPLE,
            "is empty; only people whose Slack user is linked to their account may answer in Slack",
        );
    }
    for id in ids {
        match client.user_info(id).await {
            Ok(user) => match objection(&user, identity) {
                None => report.ok(PEOPLE, format!("{id} is {}", user.real_name)),
                Some(why) => report.problem(PEOPLE, format!("{id} {why}; take it away")),
            },
            Err(error) if error.code == "user_not_found" => {
                report.problem(
                    PEOPLE,
                    format!("there is no {id} in {}; correct it", identity.team),
                );
            }
            Err(error) => report.problem(PEOPLE, advice(&error, &format!("look at {id} in Slack"))),
        }
    }
}

fn objection(user: &User, identity: &Identity) -> Option<&'static str> {
    Some(match recognise::objection(user, &identity.team_id)? {
        Unrecognised::Deleted => "is deactivated",
        Unrecognised::Bot => "is a bot",
        Unrecognised::Guest => "is a guest",
        Unrecognised::OtherWorkspace => "belongs to another workspace",
        _ => "may not answer",
    })
}

/// The remedy of a failed call: `otherwise`, if nothing else must be said first.
fn advice(error: &CallError, otherwise: &str) -> String {
    match error.class {
        Class::NotDone { retry_after: None } => {
            format!("{error}; see that slack_api_url can be reached from here")
        }
        Class::NotDone { .. } | Class::Ambiguous => format!("{error}; try again in a minute"),
        Class::Config | Class::Content | Class::TriggerBound => format!("{error}; {otherwise}"),
    }
}
