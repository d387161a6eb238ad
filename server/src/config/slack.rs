//! The settings of Slack come to one way in, or a mirror, or nothing.

use std::collections::BTreeMap;

use domain::{SlackId, delivery::SlackChannel};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use service::Channels;

use super::{Config, WebhookUrl, checked::is_channel};

/// How Slack is used.
#[derive(Clone, Debug)]
pub enum SlackMode {
    /// Not at all.
    Off,
    /// Cards with buttons; what people do comes through connections that we open.
    SocketMode {
        /// Posts, reads and opens views.
        bot_token: SecretString,
        /// Opens connections.
        app_token: SecretString,
        /// Where cards go.
        channels: Channels,
    },
    /// Cards with buttons; what people do comes as signed requests.
    Http {
        /// Posts, reads and opens views.
        bot_token: SecretString,
        /// The secret that requests are signed with.
        signing_secret: SecretString,
        /// Where cards go.
        channels: Channels,
    },
    /// Cards without buttons, because nothing would hear of a click.
    Mirror(Mirror),
}

/// The credential a mirror posts with.
#[derive(Clone, Debug)]
pub enum Mirror {
    /// To the channels that are named.
    BotToken {
        /// Posts and updates.
        bot_token: SecretString,
        /// Where cards go.
        channels: Channels,
    },
    /// To the one channel that the webhook was made for.
    Webhook(WebhookUrl),
}

/// Two settings that cannot both be meant, or one that is missing for another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The setting that is there.
    pub setting: &'static str,
    /// Its fault.
    pub what: String,
}

impl SlackMode {
    /// Where cards go; what a webhook posts goes to one place that has no other name.
    pub fn routes(&self) -> Option<Channels> {
        match self {
            Self::Off => None,
            Self::Mirror(Mirror::Webhook(_)) => Some(Channels {
                default: SlackChannel::OF_WEBHOOK.to_owned(),
                urgent: None,
                sessions: BTreeMap::new(),
            }),
            _ => self.channels().cloned(),
        }
    }

    /// Where cards go, unless a webhook decides that.
    pub fn channels(&self) -> Option<&Channels> {
        match self {
            Self::SocketMode { channels, .. }
            | Self::Http { channels, .. }
            | Self::Mirror(Mirror::BotToken { channels, .. }) => Some(channels),
            Self::Off | Self::Mirror(Mirror::Webhook(_)) => None,
        }
    }
}

impl Config {
    /// How Slack is used.
    ///
    /// # Errors
    /// All that contradicts itself.
    pub fn slack_mode(&self) -> Result<SlackMode, Vec<Contradiction>> {
        let wrong = self.slack_contradictions();
        if !wrong.is_empty() {
            return Err(wrong);
        }
        if let Some(url) = &self.slack_webhook_url {
            return Ok(SlackMode::Mirror(Mirror::Webhook(url.clone())));
        }
        let (Some(bot_token), Some(default)) = (&self.slack_bot_token, &self.slack_default_channel)
        else {
            return Ok(SlackMode::Off);
        };
        let bot_token = bot_token.secret();
        let channels = Channels {
            default: default.clone(),
            urgent: self.slack_urgent_channel.clone(),
            sessions: self.slack_session_overrides.0.clone(),
        };
        Ok(match (&self.slack_app_token, &self.slack_signing_secret) {
            (Some(app_token), _) => SlackMode::SocketMode {
                bot_token,
                app_token: app_token.secret(),
                channels,
            },
            (None, Some(signing_secret)) => SlackMode::Http {
                bot_token,
                signing_secret: signing_secret.secret(),
                channels,
            },
            (None, None) => SlackMode::Mirror(Mirror::BotToken {
                bot_token,
                channels,
            }),
        })
    }

    fn slack_contradictions(&self) -> Vec<Contradiction> {
        let mut wrong = Vec::new();
        let mut say = |setting, what: &str| {
            wrong.push(Contradiction {
                setting,
                what: what.to_owned(),
            });
        };
        let (has_bot, has_hook) = (
            self.slack_bot_token.is_some(),
            self.slack_webhook_url.is_some(),
        );
        let ways = [
            ("slack_app_token", self.slack_app_token.is_some()),
            ("slack_signing_secret", self.slack_signing_secret.is_some()),
        ];
        let ways = ways
            .into_iter()
            .filter_map(|(name, is_set)| is_set.then_some(name));
        let ways: Vec<_> = ways.collect();
        if ways.len() == 2 {
            say(
                "slack_app_token",
                "slack_signing_secret is set as well; answers come by Socket Mode or by signed requests, so \
                 take one of them away",
            );
        }
        for way in &ways {
            if !has_bot {
                say(
                    way,
                    "slack_bot_token is missing, and nothing can be posted without it",
                );
            }
        }
        if has_hook && has_bot {
            say(
                "slack_webhook_url",
                "slack_bot_token is set as well; cards are posted with one of them, so take the other away",
            );
        }
        if has_bot && self.slack_default_channel.is_none() {
            say(
                "slack_bot_token",
                "slack_default_channel is missing; set it to the id of the channel that cards go to",
            );
        }
        let channels = [
            (
                "slack_default_channel",
                self.slack_default_channel.is_some(),
            ),
            ("slack_urgent_channel", self.slack_urgent_channel.is_some()),
            (
                "slack_session_overrides",
                !self.slack_session_overrides.0.is_empty(),
            ),
        ];
        for (name, _) in channels
            .into_iter()
            .filter(|(_, is_set)| *is_set && !has_bot)
        {
            match has_hook {
                true => say(
                    name,
                    "slack_webhook_url posts to the channel it was made for; take this away",
                ),
                false => say(
                    name,
                    "slack_bot_token is missing, and nothing is posted there without it",
                ),
            }
        }
        wrong
    }
}

/// Channels of sessions, written `SESSION=CHANNEL`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct SessionChannels(BTreeMap<String, String>);

impl TryFrom<Vec<String>> for SessionChannels {
    type Error = String;

    fn try_from(items: Vec<String>) -> Result<Self, Self::Error> {
        let mut sessions = BTreeMap::new();
        for item in items {
            // A session may have any character in its name.
            let Some((session, channel)) = item.rsplit_once('=') else {
                return Err(format!(
                    "`{item}` must be SESSION=CHANNEL, such as nightly=C0123456789"
                ));
            };
            if session.is_empty() || !is_channel(channel) {
                return Err(format!(
                    "`{item}` must be a session's id and a channel's, such as nightly=C0123456789"
                ));
            }
            if sessions
                .insert(session.to_owned(), channel.to_owned())
                .is_some()
            {
                return Err(format!("the session `{session}` has two channels"));
            }
        }
        Ok(Self(sessions))
    }
}

impl From<SessionChannels> for Vec<String> {
    fn from(channels: SessionChannels) -> Self {
        let pairs = channels.0.into_iter();
        pairs
            .map(|(session, channel)| format!("{session}={channel}"))
            .collect()
    }
}

/// People who may answer in Slack, by their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct SlackUsers(Vec<String>);

impl SlackUsers {
    /// Whether this user is among them. An empty list has none.
    pub fn contains(&self, user: &str) -> bool {
        self.0.iter().any(|allowed| allowed == user)
    }

    /// Their ids.
    pub fn ids(&self) -> &[String] {
        &self.0
    }
}

impl TryFrom<Vec<String>> for SlackUsers {
    type Error = String;

    fn try_from(users: Vec<String>) -> Result<Self, Self::Error> {
        for user in &users {
            SlackId::parse(user).map_err(|fault| format!("`{user}` {}", fault.message))?;
        }
        Ok(Self(users))
    }
}

impl From<SlackUsers> for Vec<String> {
    fn from(users: SlackUsers) -> Self {
        users.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Hidden;

    /// With these settings and no others of Slack's.
    fn config(settings: &[(&str, &str)]) -> Config {
        let mut config = Config::default();
        for (name, value) in settings {
            let secret = || Some(Hidden::from((*value).to_owned()));
            match *name {
                "bot" => config.slack_bot_token = secret(),
                "app" => config.slack_app_token = secret(),
                "signing" => config.slack_signing_secret = secret(),
                "default" => config.slack_default_channel = Some((*value).to_owned()),
                "urgent" => config.slack_urgent_channel = Some((*value).to_owned()),
                "session" => {
                    config.slack_session_overrides = vec![(*value).to_owned()].try_into().unwrap();
                }
                "webhook" => config.slack_webhook_url = Some((*value).to_owned().into()),
                other => panic!("{other}"),
            }
        }
        config
    }

    const BOT: (&str, &str) = ("bot", "xoxb-1");
    const APP: (&str, &str) = ("app", "xapp-1");
    const SIGNING: (&str, &str) = ("signing", "0123456789abcdef");
    const DEFAULT: (&str, &str) = ("default", "C1");
    const URGENT: (&str, &str) = ("urgent", "C2");
    const SESSION: (&str, &str) = ("session", "s=C3");
    const WEBHOOK: (&str, &str) = ("webhook", "https://hooks.slack.com/services/T/B/x");

    #[test]
    fn the_settings_that_are_there_say_how_slack_is_used() {
        let mode = |settings: &[_]| config(settings).slack_mode().unwrap();
        assert!(matches!(mode(&[]), SlackMode::Off));
        assert!(matches!(
            mode(&[WEBHOOK]),
            SlackMode::Mirror(Mirror::Webhook(_))
        ));
        let mirror = mode(&[BOT, DEFAULT]);
        assert!(matches!(mirror, SlackMode::Mirror(Mirror::BotToken { .. })));
        assert!(matches!(
            mode(&[BOT, APP, DEFAULT]),
            SlackMode::SocketMode { .. }
        ));
        let http = mode(&[BOT, SIGNING, DEFAULT, URGENT, SESSION]);
        assert!(matches!(http, SlackMode::Http { .. }));
        assert!(!format!("{http:?}").contains("xoxb"), "{http:?}");
        let channels = http.channels().unwrap();
        for (session, is_urgent, channel) in [
            (None, false, "C1"),
            (None, true, "C2"),
            (Some("t"), true, "C2"),
            (Some("s"), false, "C3"),
            (Some("s"), true, "C3"),
        ] {
            assert_eq!(channels.channel_for(session, is_urgent), channel);
        }
        assert_eq!(channels.all().len(), 3);
        assert_eq!(mirror.channels().unwrap().channel_for(None, true), "C1");
    }

    #[test]
    fn what_contradicts_itself_is_refused_by_the_setting_that_is_there() {
        for (settings, at) in [
            (&[BOT][..], &["slack_bot_token"][..]),
            (&[APP], &["slack_app_token"]),
            (&[SIGNING], &["slack_signing_secret"]),
            (&[BOT, APP, SIGNING, DEFAULT], &["slack_app_token"]),
            (&[BOT, DEFAULT, WEBHOOK], &["slack_webhook_url"]),
            (&[WEBHOOK, DEFAULT], &["slack_default_channel"]),
            (
                &[DEFAULT, URGENT, SESSION],
                &[
                    "slack_default_channel",
                    "slack_urgent_channel",
                    "slack_session_overrides",
                ],
            ),
            (&[WEBHOOK, APP], &["slack_app_token"]),
            (&[BOT, URGENT], &["slack_bot_token"]),
        ] {
            let wrong = config(settings).slack_mode().unwrap_err();
            let found: Vec<_> = wrong.iter().map(|one| one.setting).collect();
            assert_eq!(found, at, "{settings:?}");
        }
    }

    #[test]
    fn lists_are_of_ids() {
        let sessions = |text: &str| SessionChannels::try_from(vec![text.to_owned()]);
        assert!(sessions("a=b=C1").unwrap().0.contains_key("a=b"));
        for wrong in [
            "",
            "C1",
            "=C1",
            "s=",
            "s=general",
            "s=#general",
            "s=c1",
            "s=U1",
        ] {
            assert!(sessions(wrong).is_err(), "{wrong}");
        }
        let twice = vec!["s=C1".to_owned(), "s=C2".to_owned()];
        assert!(SessionChannels::try_from(twice).is_err());
        let users = |text: &str| SlackUsers::try_from(vec![text.to_owned()]);
        assert!(users("U0ANA").unwrap().contains("U0ANA"));
        for wrong in ["", "U", "ana", "@ana", "u0ana", "C1"] {
            assert!(users(wrong).is_err(), "{wrong}");
        }
        assert!(!SlackUsers::default().contains(""));
    }
}
