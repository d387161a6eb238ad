//! The methods that are called, each with its arguments and its result.

use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use reqwest::header::{DATE, HeaderMap};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    client::{Arguments, CallError, SlackClient, Token},
    types::{
        Conversation, Identity, Message, NewFile, Page, Post, Posted, SocketUrl, UploadPlace, User,
        View,
    },
};

/// The most that one read returns of a thread or a channel.
const PAGE: &str = "200";

#[derive(Deserialize)]
struct Messages {
    messages: Vec<Message>,
    #[serde(default)]
    response_metadata: Option<Next>,
}

#[derive(Deserialize)]
struct Next {
    #[serde(default)]
    next_cursor: String,
}

#[derive(Deserialize)]
struct Permalink {
    permalink: String,
}

#[derive(Deserialize)]
struct InChannel {
    channel: Conversation,
}

#[derive(Deserialize)]
struct InUser {
    user: User,
}

#[derive(Deserialize)]
struct InView {
    view: View,
}

#[derive(Deserialize)]
struct Place {
    file_id: String,
    upload_url: String,
}

#[derive(Deserialize)]
struct Opened {
    url: String,
}

/// Blocks with names that no message or view has had.
fn renamed(blocks: &[Value]) -> Vec<Value> {
    let draw = rand::random::<u64>();
    let mut blocks = blocks.to_vec();
    for block in &mut blocks {
        if let Some(name) = block["block_id"].as_str() {
            block["block_id"] = format!("{name}.{draw:x}").into();
        }
    }
    blocks
}

/// For answers in which only success matters.
#[derive(Deserialize)]
struct Done {}

/// # Errors
/// Each fails with a [`CallError`] that says by its class how to go on.
impl SlackClient {
    /// Our identity, and our rights.
    pub async fn auth_test(&self) -> Result<Identity, CallError> {
        let answer = self.call("auth.test", Token::Bot, Arguments::Form(&[]));
        let (identity, headers): (Identity, _) = answer.await?;
        Ok(Identity {
            scopes: scopes(&headers),
            ..identity
        })
    }

    /// Posts a message. Slack has no way to post it only once.
    pub async fn post_message(&self, post: &Post<'_>) -> Result<Posted, CallError> {
        self.json("chat.postMessage", post).await
    }

    /// Makes a message look different. Without blocks it would keep the old ones with their buttons, so
    /// there must be some; each has another name than any before, as Slack wants it. Returns when that was done at the
    /// latest, by Slack's clock, if Slack says so.
    pub async fn update_message(
        &self,
        at: &Posted,
        text: &str,
        blocks: &[Value],
    ) -> Result<Option<DateTime<Utc>>, CallError> {
        let blocks = renamed(blocks);
        let body = json!({ "channel": at.channel, "ts": at.ts, "text": text, "blocks": blocks, "parse": "none" });
        let answer = self.call("chat.update", Token::Bot, Arguments::Json(&body));
        let (Done {}, headers) = answer.await?;
        Ok(answered_by(&headers))
    }

    /// Says something that only one person sees. It may not arrive.
    pub async fn post_ephemeral(&self, user: &str, post: &Post<'_>) -> Result<(), CallError> {
        let mut body = serde_json::to_value(post).unwrap_or_default();
        body["user"] = user.into();
        let Done {} = self.json("chat.postEphemeral", &body).await?;
        Ok(())
    }

    /// The address of a message, for people.
    pub async fn get_permalink(&self, at: &Posted) -> Result<String, CallError> {
        let form = [("channel", &*at.channel), ("message_ts", &*at.ts)];
        let Permalink { permalink } = self.form("chat.getPermalink", &form).await?;
        Ok(permalink)
    }

    /// The messages of a thread, its parent first, after `oldest` if that is given, with their metadata.
    pub async fn replies(
        &self,
        channel: &str,
        parent: &str,
        oldest: Option<&str>,
        page: Option<&str>,
    ) -> Result<Page, CallError> {
        let more = [("ts", Some(parent)), ("oldest", oldest), ("cursor", page)];
        self.read("conversations.replies", channel, &more).await
    }

    /// The messages of a channel without those in threads, the newest first, with their metadata.
    pub async fn history(
        &self,
        channel: &str,
        oldest: Option<&str>,
        page: Option<&str>,
    ) -> Result<Page, CallError> {
        let more = [("oldest", oldest), ("cursor", page)];
        self.read("conversations.history", channel, &more).await
    }

    /// A channel's facts, and whether we are in it.
    pub async fn conversation_info(&self, channel: &str) -> Result<Conversation, CallError> {
        let form = [("channel", channel)];
        let InChannel { channel } = self.form("conversations.info", &form).await?;
        Ok(channel)
    }

    /// The facts of a user.
    pub async fn user_info(&self, user: &str) -> Result<User, CallError> {
        let InUser { user } = self.form("users.info", &[("user", user)]).await?;
        Ok(user)
    }

    /// A place for the bytes of a file, which no user sees before it is shared.
    pub async fn upload_place(&self, file: NewFile<'_>) -> Result<UploadPlace, CallError> {
        let length = file.size.to_string();
        let mut form = vec![("filename", file.name), ("length", &*length)];
        form.extend(file.snippet.map(|kind| ("snippet_type", kind)));
        form.extend(file.alt.map(|text| ("alt_txt", text)));
        let place: Place = self.form("files.getUploadURLExternal", &form).await?;
        Ok(UploadPlace {
            file_id: place.file_id,
            address: place.upload_url.into(),
        })
    }

    /// Uploads the bytes of a file.
    pub async fn upload(&self, place: &UploadPlace, bytes: Bytes) -> Result<(), CallError> {
        self.put_bytes("file upload", place.reveal(), bytes).await
    }

    /// Has uploaded files appear, with their titles, in one message of a thread: all of them, or none.
    pub async fn share_files(
        &self,
        at: &Posted,
        files: &[(String, String)],
    ) -> Result<(), CallError> {
        let files = files.iter();
        let files = files.map(|(id, title)| json!({ "id": id, "title": title }));
        let files = Value::Array(files.collect()).to_string();
        let form = [
            ("files", &*files),
            ("channel_id", &*at.channel),
            ("thread_ts", &*at.ts),
        ];
        let Done {} = self.form("files.completeUploadExternal", &form).await?;
        Ok(())
    }

    /// Deletes a file wherever it appears. One that is not there any more is deleted.
    pub async fn delete_file(&self, id: &str) -> Result<(), CallError> {
        let deleted: Result<Done, _> = self.form("files.delete", &[("file", id)]).await;
        match deleted {
            Err(error) if matches!(&*error.code, "file_not_found" | "file_deleted") => Ok(()),
            other => other.map(|Done {}| ()),
        }
    }

    /// Opens a modal for the user whose act the trigger came with, within three seconds.
    pub async fn open_view(&self, trigger_id: &str, view: &Value) -> Result<View, CallError> {
        let body = json!({ "trigger_id": trigger_id, "view": view });
        let InView { view } = self.json("views.open", &body).await?;
        Ok(view)
    }

    /// Makes a modal look different, if it still is as it was known.
    pub async fn update_view(&self, known: &View, view: &Value) -> Result<View, CallError> {
        let mut body = json!({ "view_id": known.id, "view": view });
        if !known.hash.is_empty() {
            body["hash"] = known.hash.as_str().into();
        }
        let InView { view } = self.json("views.update", &body).await?;
        Ok(view)
    }

    /// Shows somebody this as the app's home, in place of what was there. Each block has another name than any before.
    pub async fn publish_home(&self, user: &str, blocks: &[Value]) -> Result<(), CallError> {
        let view = json!({ "type": "home", "blocks": renamed(blocks) });
        let body = json!({ "user_id": user, "view": view });
        let Done {} = self.json("views.publish", &body).await?;
        Ok(())
    }

    /// An address for one connection of Socket Mode.
    pub async fn open_connection(&self) -> Result<SocketUrl, CallError> {
        let answer = self.call("apps.connections.open", Token::App, Arguments::Form(&[]));
        let (Opened { url }, _) = answer.await?;
        Ok(url.into())
    }

    /// Posts through an incoming webhook.
    pub async fn post_webhook(&self, url: &str, post: &Post<'_>) -> Result<(), CallError> {
        let body = serde_json::to_value(post).unwrap_or_default();
        self.post_to("incoming webhook", url, &body).await
    }

    /// Answers through the address that came with a click.
    pub async fn respond(&self, url: &SecretString, body: &Value) -> Result<(), CallError> {
        self.post_to("response_url", url.expose_secret(), body)
            .await
    }

    async fn json<T: for<'de> Deserialize<'de>>(
        &self,
        method: &'static str,
        body: &impl Serialize,
    ) -> Result<T, CallError> {
        // The body has only names and text.
        let body = serde_json::to_value(body).unwrap_or_default();
        let answer = self.call(method, Token::Bot, Arguments::Json(&body));
        Ok(answer.await?.0)
    }

    async fn form<T: for<'de> Deserialize<'de>>(
        &self,
        method: &'static str,
        form: &[(&str, &str)],
    ) -> Result<T, CallError> {
        let answer = self.call(method, Token::Bot, Arguments::Form(form));
        Ok(answer.await?.0)
    }

    async fn read(
        &self,
        method: &'static str,
        channel: &str,
        more: &[(&str, Option<&str>)],
    ) -> Result<Page, CallError> {
        let mut form = vec![
            ("channel", channel),
            ("limit", PAGE),
            ("include_all_metadata", "true"),
        ];
        form.extend(
            more.iter()
                .filter_map(|(name, value)| Some((*name, (*value)?))),
        );
        let found: Messages = self.form(method, &form).await?;
        let next = found.response_metadata.map(|next| next.next_cursor);
        Ok(Page {
            messages: found.messages,
            next: next.filter(|cursor| !cursor.is_empty()),
        })
    }
}

/// When Slack had answered. It names the second, so this is the end of it.
fn answered_by(headers: &HeaderMap) -> Option<DateTime<Utc>> {
    let date = headers.get(DATE)?.to_str().ok()?;
    let second = DateTime::parse_from_rfc2822(date).ok()?;
    Some(second.to_utc() + TimeDelta::seconds(1))
}

/// The rights of a token, as the header of every answer to it says.
fn scopes(headers: &HeaderMap) -> Vec<String> {
    let header = headers.get("x-oauth-scopes");
    let header = header.and_then(|header| header.to_str().ok());
    let scopes = header.unwrap_or_default().split(',').map(str::trim);
    let scopes = scopes.filter(|scope| !scope.is_empty());
    scopes.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    #[test]
    fn slack_has_answered_when_the_second_it_names_is_over() {
        let answered = |date: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(DATE, HeaderValue::from_static(date));
            answered_by(&headers).map(|at| at.timestamp())
        };
        let date = "Tue, 14 Nov 2023 22:13:20 GMT";
        assert_eq!(answered(date), Some(1_700_000_001));
        assert_eq!(answered("soon"), None);
        assert_eq!(answered_by(&HeaderMap::new()), None);
    }
}
