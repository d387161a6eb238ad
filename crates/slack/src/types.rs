//! Slack's requests and answers, as far as this program needs them.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A message to post. Links in it are not followed, and nothing in it becomes one.
#[derive(Clone, Debug, Serialize)]
pub struct Post<'a> {
    /// The channel's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<&'a str>,
    /// The whole of it in words, for notifications and screen readers.
    pub text: &'a str,
    /// The blocks shown instead.
    #[serde(skip_serializing_if = "<[Value]>::is_empty")]
    pub blocks: &'a [Value],
    /// The message whose thread it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_ts: Option<&'a str>,
    /// The mark to recognise it by later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<&'a Metadata>,
    unfurl_links: bool,
    unfurl_media: bool,
    parse: &'a str,
}

impl<'a> Post<'a> {
    /// To a channel.
    pub fn to(channel: &'a str, text: &'a str, blocks: &'a [Value]) -> Self {
        Self {
            channel: Some(channel),
            ..Self::to_webhook(text, blocks)
        }
    }

    /// To wherever an incoming webhook posts.
    pub fn to_webhook(text: &'a str, blocks: &'a [Value]) -> Self {
        Self {
            channel: None,
            text,
            blocks,
            thread_ts: None,
            metadata: None,
            unfurl_links: false,
            unfurl_media: false,
            parse: "none",
        }
    }
}

/// The part of a message that everybody in the workspace can read, and no page shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metadata {
    /// Letters, digits and underscores.
    pub event_type: String,
    /// Missing unless all metadata was asked for.
    #[serde(default)]
    pub event_payload: Value,
}

/// Where a message is.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Posted {
    /// The channel's id.
    pub channel: String,
    /// Its name in the channel.
    pub ts: String,
}

/// A message as it was read back.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Message {
    /// Its name in the channel.
    pub ts: String,
    /// The thread's parent, or the message itself if it is one.
    pub thread_ts: Option<String>,
    /// Its author.
    pub user: Option<String>,
    /// The workspace of its author, in a channel that several share.
    pub user_team: Option<String>,
    /// The same, by another name.
    pub source_team: Option<String>,
    /// The workspace.
    pub team: Option<String>,
    /// The bot that wrote it.
    pub bot_id: Option<String>,
    /// Its kind, if it is no plain message.
    pub subtype: Option<String>,
    /// Its words, with `&`, `<` and `>` escaped.
    pub text: String,
    /// The client's name for it.
    pub client_msg_id: Option<String>,
    /// The mark to recognise it by.
    pub metadata: Option<Metadata>,
    /// The files in it, as far as Slack says.
    pub files: Vec<FileIn>,
}

/// A file of a message.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct FileIn {
    /// Slack's id of it.
    pub id: String,
}

/// A file that is about to be uploaded.
#[derive(Clone, Copy, Debug)]
pub struct NewFile<'a> {
    /// Its name, which people see.
    pub name: &'a str,
    /// Its bytes.
    pub size: u64,
    /// What it is coloured as, if it is a text.
    pub snippet: Option<&'a str>,
    /// What a screen reader says of a picture.
    pub alt: Option<&'a str>,
}

/// Where the bytes of a file are taken, once. The address is a secret.
#[derive(Clone)]
pub struct UploadPlace {
    /// Slack's id of the file.
    pub file_id: String,
    pub(super) address: SecretString,
}

impl fmt::Debug for UploadPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UploadPlace({}, …)", self.file_id)
    }
}

impl UploadPlace {
    /// For the one that uploads.
    pub(super) fn reveal(&self) -> &str {
        self.address.expose_secret()
    }
}

/// Some of a channel's or a thread's messages.
#[derive(Clone, Debug)]
pub struct Page {
    /// The messages.
    pub messages: Vec<Message>,
    /// Where the next page begins, if there is one.
    pub next: Option<String>,
}

/// The owner of a token.
#[derive(Clone, Debug, Deserialize)]
pub struct Identity {
    /// The workspace's id.
    pub team_id: String,
    /// The workspace's name.
    #[serde(default)]
    pub team: String,
    /// The name of the bot.
    #[serde(default)]
    pub user: String,
    /// The bot as a user.
    pub user_id: String,
    /// The bot as a bot.
    #[serde(default)]
    pub bot_id: Option<String>,
    /// The rights of the token.
    #[serde(skip)]
    pub scopes: Vec<String>,
}

/// A person, or an account that looks like one.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct User {
    /// Their id.
    pub id: String,
    /// The workspace they belong to.
    pub team_id: String,
    /// Their name.
    pub name: String,
    /// Their full name.
    pub real_name: String,
    /// Where their clocks are, by the name of the zone.
    pub tz: String,
    /// They are gone.
    pub deleted: bool,
    /// They are none.
    pub is_bot: bool,
    /// They are a guest.
    pub is_restricted: bool,
    /// They are a guest in one channel.
    pub is_ultra_restricted: bool,
}

/// A channel.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Conversation {
    /// Its id.
    pub id: String,
    /// Its name; conversations of two have none.
    pub name: Option<String>,
    /// The bot is in it.
    pub is_member: bool,
    /// It is a conversation of two, in which no user counts as a member.
    pub is_im: bool,
    /// No user can write in it.
    pub is_archived: bool,
}

/// A modal.
#[derive(Clone, Debug, Deserialize)]
pub struct View {
    /// Its id.
    pub id: String,
    /// Changes whenever it changes.
    #[serde(default)]
    pub hash: String,
}

/// Where Socket Mode is to be connected to, once: any holder can.
#[derive(Clone)]
pub struct SocketUrl(SecretString);

impl SocketUrl {
    /// For the one that connects.
    pub fn reveal(&self) -> &str {
        self.0.expose_secret()
    }
}

impl From<String> for SocketUrl {
    fn from(url: String) -> Self {
        Self(url.into())
    }
}

impl fmt::Debug for SocketUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SocketUrl(…)")
    }
}
