//! A user types `/handraise`. The answer is for them alone, and they see what they may see on the page.

use domain::{Principal, fault::is_name, interaction::Kind, limits};
use secrecy::SecretString;
use serde_json::{Value, json};
use slack::blocks::{
    Card, Found, command_help, decode_message_text, duty_list, found_list, waiting_list,
};
use store::InteractionQuery;
use tokio::sync::oneshot;

use super::{Actions, FAILED};
use crate::slack::home;

/// How much a search shows.
const FOUND: u32 = 10;

/// What was typed, and by whom.
struct Command {
    team: Option<String>,
    user: String,
    text: String,
    response_url: Option<SecretString>,
}

impl Command {
    fn parse(payload: &Value) -> Option<Self> {
        let field = |name: &str| payload[name].as_str().map(str::to_owned);
        Some(Self {
            team: field("team_id"),
            user: field("user_id")?,
            text: decode_message_text(&field("text").unwrap_or_default()),
            response_url: field("response_url").map(SecretString::from),
        })
    }
}

impl Actions {
    /// Answers a command, and returns what Slack is to show, if that is known before Slack can wait no longer. What is known
    /// later is sent after it.
    ///
    /// # Errors
    /// When it ended without an answer.
    pub async fn command(&self, payload: &Value) -> anyhow::Result<Option<Value>> {
        // Slack sends one without a user to see whether the address is good.
        let Some(command) = Command::parse(payload) else {
            return Ok(None);
        };
        self.in_time(|actions, tell| actions.answer(command, tell))
            .await
    }

    async fn answer(self, command: Command, tell: oneshot::Sender<Value>) {
        let card = self.said_to(&command).await;
        let answer = json!({
            "response_type": "ephemeral", "text": card.text, "blocks": card.json_blocks(),
        });
        let Err(answer) = tell.send(answer) else {
            return;
        };
        let Some(url) = &command.response_url else {
            return;
        };
        if let Err(error) = self.client.respond(url, &answer).await {
            tracing::warn!(%error, "a command in Slack is answered by nothing");
        }
    }

    async fn said_to(&self, command: &Command) -> Card {
        let (verb, rest) = split(&command.text);
        if verb == "help" {
            return command_help(None);
        }
        let now = self.service.now();
        let reader = self
            .recogniser
            .reader(command.team.as_deref(), &command.user, now);
        let sees = match reader.await {
            Ok(reader) => reader.sees,
            Err(why) => return why.note_to_reader().to_card(),
        };
        let said = match verb {
            "" => home::waiting(&self.service, &sees)
                .await
                .map(|waiting| waiting_list(&waiting, &self.public_url)),
            "duty" => home::duty(&self.service, &sees)
                .await
                .map(|duty| duty_list(&duty)),
            "search" if rest.is_empty() => {
                return command_help(Some("Say what to search for."));
            }
            "search" if !is_name(rest, limits::LINE_CHARS) => {
                return command_help(Some("That is too long to search for."));
            }
            "search" => self.found(rest, &sees).await,
            other => {
                let why = format!("There is no \"{other}\". This is what there is:");
                return command_help(Some(&why));
            }
        };
        said.unwrap_or_else(|error| {
            tracing::error!(%error, "a command in Slack cannot be answered");
            command_help(Some(FAILED))
        })
    }

    async fn found(&self, words: &str, sees: &Principal) -> Result<Card, service::ServiceError> {
        let query = InteractionQuery {
            audience: sees.audience(),
            search: Some(words.to_owned()),
            // One more than shown tells whether there is more.
            limit: FOUND + 1,
            ..InteractionQuery::default()
        };
        let mut briefs = self.service.briefs(&query).await?;
        let more = briefs.len() > FOUND as usize;
        briefs.truncate(FOUND as usize);
        let found = briefs.into_iter().map(|one| Found {
            id: one.id,
            kind: one.kind,
            agent: one.agent.name,
            words: match one.erased {
                Some(erased) => format!("Erased by {}", erased.by_whom()),
                None => one.title.unwrap_or(one.prompt),
            },
            ending: one
                .ending
                .filter(|_| one.kind != Kind::Notification)
                .map(|ending| (ending.outcome, ending.by)),
            asked_at: one.created_at,
        });
        let found: Vec<_> = found.collect();
        Ok(found_list(words, &found, more, &self.public_url))
    }
}

/// The first word, and what follows it.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let (verb, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (verb, rest.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_a_word_and_what_follows() {
        for (text, expected) in [
            ("", ("", "")),
            ("  duty ", ("duty", "")),
            ("search  two words ", ("search", "two words")),
            ("search\u{a0}x", ("search", "x")),
        ] {
            assert_eq!(split(text), expected);
        }
    }
}
