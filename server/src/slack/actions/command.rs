//! A user types `/handraise`. The answer is for them alone, and they see what they may see on the page.

use domain::{Principal, fault::is_name, interaction::Outcome, limits};
use secrecy::SecretString;
use serde_json::{Value, json};
use slack::blocks::{
    Card, Found, command_help, decode_message_text, duty_list, found_list, waiting_list,
};
use store::InteractionQuery;

use super::{Actions, FAILED};
use crate::slack::home;

/// How much a search shows.
const FOUND: u32 = 10;

/// What was typed, and by whom.
struct Command {
    team: Option<String>,
    user: String,
    text: String,
    response_url: SecretString,
}

impl Command {
    fn parse(payload: &Value) -> Option<Self> {
        let field = |name: &str| payload[name].as_str().map(str::to_owned);
        Some(Self {
            team: field("team_id"),
            user: field("user_id")?,
            text: decode_message_text(&field("text").unwrap_or_default()),
            response_url: field("response_url")?.into(),
        })
    }
}

impl Actions {
    /// Answers a command by the address that came with it, where its author alone sees it: who sends a request of Slack's
    /// again is told nothing.
    pub fn command(&self, payload: &Value) {
        // Slack sends one without a user to see whether the address is good.
        let Some(command) = Command::parse(payload) else {
            return;
        };
        self.tasks.spawn(self.clone().answer(command));
    }

    async fn answer(self, command: Command) {
        let card = self.said_to(&command).await;
        let answer = json!({
            "response_type": "ephemeral", "text": card.text, "blocks": card.json_blocks(),
        });
        let answered = self.client.respond(&command.response_url, &answer).await;
        if let Err(error) = answered {
            tracing::warn!(%error, "the answer to a command could not be sent to Slack");
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
                return command_help(Some("These words cannot be searched for."));
            }
            "search" => self.found(rest, &sees).await,
            other => {
                let why = format!("\"{other}\" is not a command. The commands are:");
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
            // No person ended what was only told.
            ending: one.ending.map(|ending| match ending.outcome {
                Outcome::Delivered => (Outcome::Delivered, None),
                outcome => (outcome, ending.by),
            }),
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
