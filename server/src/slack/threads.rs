//! Hears the messages that were kept: each becomes what the rule makes of it, or is set aside with a note to
//! its author. Nothing is dropped for a failure; it is tried again.
//!
//! Every node does it. A message counts with the changeset that it leads to, so the second node finds it heard.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use chrono::TimeDelta;
use domain::{
    Fault, Refused,
    slack::{Reply, Unseen},
};
use futures::{StreamExt, stream};
use service::{Heard, Service, ServiceError};
use slack::blocks::{Note, decode_message_text, shown_on_card};
use store::{KeptMessage, StoreError};
use tokio_util::sync::CancellationToken;

use super::{inbox::SlackInbox, thread_book::ThreadBook};

/// Time ends a pause without any hint; this is how late it may be noticed.
const POLL: Duration = Duration::from_millis(500);
/// How many messages are read at once, and in how many threads they are heard at once.
const BATCH: u32 = 64;
const THREADS: usize = 8;
/// The pauses of a message in a thread that is no card's: the card's name may not be known yet.
const NO_CARD: [TimeDelta; 3] = [
    TimeDelta::seconds(2),
    TimeDelta::seconds(10),
    TimeDelta::seconds(60),
];
/// Past deadlines are noticed by then.
const DEADLINE: TimeDelta = TimeDelta::seconds(2);
/// The pause after a failure doubles up to this.
const LONGEST_PAUSE: TimeDelta = TimeDelta::minutes(5);

/// Hears messages until the server stops.
pub async fn run(
    service: Service,
    inbox: Arc<SlackInbox>,
    book: ThreadBook,
    stopping: CancellationToken,
) {
    let hearing = Hearing { service, book };
    loop {
        let all = match hearing.hear_due().await {
            Ok(all) => all,
            Err(error) => {
                tracing::error!(%error, "messages from Slack cannot be read");
                true
            }
        };
        tokio::select! {
            () = stopping.cancelled() => return,
            () = tokio::time::sleep(POLL), if all => {}
            () = inbox.news(), if all => {}
            () = std::future::ready(()), if !all => {}
        }
    }
}

struct Hearing {
    service: Service,
    book: ThreadBook,
}

enum Fate {
    /// It was heard, here or elsewhere. The note is for its author.
    Heard(Option<Note>),
    /// It is tried again after this pause.
    Postponed(TimeDelta),
    /// Nothing comes of it. The reason is kept, and the note is for its author.
    Aside(&'static str, Option<Note>),
}

impl Hearing {
    /// Hears what is due. Returns whether that was all.
    async fn hear_due(&self) -> Result<bool, StoreError> {
        let store = self.service.store();
        let due = store.messages_to_hear(self.service.now(), BATCH).await?;
        let all = due.len() < BATCH as usize;
        let mut by_thread = BTreeMap::<_, Vec<KeptMessage>>::new();
        for kept in due {
            let message = &kept.message;
            let thread = (message.channel.clone(), message.thread_ts.clone());
            by_thread.entry(thread).or_default().push(kept);
        }
        stream::iter(by_thread.into_values())
            .for_each_concurrent(THREADS, |messages| self.hear_in_order(messages))
            .await;
        Ok(all)
    }

    /// The messages of one thread, in the order they were written: what is said first answers.
    async fn hear_in_order(&self, mut messages: Vec<KeptMessage>) {
        // Two connections may have changed it. The names are times, all of one length.
        messages.sort_by(|a, b| a.message.ts.cmp(&b.message.ts));
        let mut pause = None;
        for kept in &messages {
            let fate = match pause {
                None => self.fate(kept).await.unwrap_or_else(|error| {
                    let id = kept.id;
                    tracing::warn!(message.id = %id, error = format!("{error:#}"), "a message from Slack is heard later");
                    Fate::Postponed(after_failure(kept.tries))
                }),
                Some(pause) => Fate::Postponed(pause),
            };
            if let Fate::Postponed(span) = &fate {
                pause = Some(*span);
            }
            if let Err(error) = self.carry_out(kept, fate).await {
                // It is still due, and those after it wait for it.
                tracing::error!(message.id = %kept.id, %error, "a message from Slack is heard later");
                return;
            }
        }
    }

    async fn fate(&self, kept: &KeptMessage) -> anyhow::Result<Fate> {
        let message = &kept.message;
        let (channel, thread) = (&message.channel, &message.thread_ts);
        let Some(interaction) = self.book.interaction(channel, thread).await? else {
            if let Some(note) = self.book.below_twin(channel, thread).await? {
                return Ok(Fate::Aside("its card is there twice", Some(note)));
            }
            let waited = self.service.now() - kept.received_at;
            let mut until = TimeDelta::zero();
            let next = NO_CARD.into_iter().find(|pause| {
                until += *pause;
                waited < until
            });
            return Ok(match next {
                Some(pause) => Fate::Postponed(pause),
                None => Fate::Aside("the thread is no card's", None),
            });
        };
        let team = message.team.as_deref();
        let by = match self.book.responder(team, &message.user).await? {
            Ok(by) => by,
            Err(note) => return Ok(Fate::Aside("its author may not answer", Some(note))),
        };
        let reply = Reply {
            message: kept.id,
            text: decode_message_text(&message.text),
            written_at: message.written_at(),
            is_edit: message.is_edit(),
        };
        let heard = self.service.reply(interaction, &reply, shown_on_card, &by);
        let refused = match heard.await {
            Ok(Heard::Remarked(why)) => return Ok(Fate::Heard(Some(unseen(why).into()))),
            Ok(Heard::Counted | Heard::Before) => return Ok(Fate::Heard(None)),
            Err(ServiceError::Refused(refused)) => refused,
            Err(ServiceError::NotFound) => {
                let note = Some(NOT_YOURS.into());
                return Ok(Fate::Aside(
                    "its interaction is not known to its author",
                    note,
                ));
            }
            Err(error) => return Err(error.into()),
        };
        Ok(match refused {
            // It will be closed in a moment, and this a follow-up.
            Refused::Closed { .. } => Fate::Postponed(DEADLINE),
            Refused::NoKey => anyhow::bail!("a decision cannot be signed here"),
            Refused::Altered => {
                anyhow::bail!("the row of its interaction differs from the journal")
            }
            refused => Fate::Aside("the rules refuse it", Some(words(&refused).into())),
        })
    }

    async fn carry_out(&self, kept: &KeptMessage, fate: Fate) -> Result<(), StoreError> {
        let (store, now) = (self.service.store(), self.service.now());
        let message = &kept.message;
        let note = match fate {
            Fate::Heard(note) => note,
            Fate::Postponed(pause) => {
                store.postpone_message(kept.id, now + pause).await?;
                None
            }
            Fate::Aside(why, note) => {
                let is_first = store.set_message_aside(kept.id, now, why).await?;
                // An edit of what was refused was refused before.
                note.filter(|_| is_first && !message.is_edit())
            }
        };
        if let Some(note) = note {
            let (channel, thread) = (&message.channel, &message.thread_ts);
            self.book.tell(channel, thread, &message.user, &note).await;
        }
        Ok(())
    }
}

fn after_failure(tries: u32) -> TimeDelta {
    TimeDelta::seconds(1_i64 << tries.min(10)).min(LONGEST_PAUSE)
}

/// The note to a user whose message is kept and no answer: why, and what to do.
fn unseen(why: Unseen) -> &'static str {
    match why {
        Unseen::Cut => {
            "Your message is kept, but it is no answer: the card does not show all that is asked. Press Read all on \
             the card, or open the dashboard, and answer there."
        }
        Unseen::AskedLater => {
            "Your message is kept, but it is no answer: what is asked now, or an answer that is sent along, came on the card \
             after you wrote it. Look at the card, and reply again if you mean that."
        }
    }
}

/// The note to a user whose message belongs to nothing that they see.
const NOT_YOURS: &str = "Your message was not taken: the question is not known here any more, or it belongs to a team \
     that you are not in. An admin of Handraise can make you a member.";

/// The note to a user whose message was refused: what, why, what to do.
fn words(refused: &Refused) -> String {
    match refused {
        Refused::UseTheButtons => "Your message answered nothing: this takes more than words. Use the buttons of the \
             card."
            .to_owned(),
        Refused::NotAResponder => {
            "Your message was not taken: only responders and admins may answer. An admin of Handraise can change your \
             role."
                .to_owned()
        }
        Refused::Invalid(faults) => {
            let faults: Vec<_> = faults.iter().map(fault).collect();
            format!("Your message was not taken: {}.", faults.join("; "))
        }
        other => format!("Your message was not taken: {other}."),
    }
}

fn fault(fault: &Fault) -> String {
    match &*fault.path {
        "$" => fault.message.clone(),
        _ => format!("it {}", fault.message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_doubles_and_has_an_end() {
        let seconds = |tries| after_failure(tries).num_seconds();
        assert_eq!([0, 1, 2, 5].map(seconds), [1, 2, 4, 32]);
        assert_eq!([9, 10, u32::MAX].map(seconds), [300, 300, 300]);
    }

    #[test]
    fn a_refusal_says_what_and_why() {
        let wrong = |path: &str, what: &str| Refused::Invalid(vec![Fault::new(path, what)]);
        for (refused, expected) in [
            (
                wrong("text", "must be one of: staging, production"),
                "Your message was not taken: it must be one of: staging, production.",
            ),
            (
                wrong("$", "a notification asks for no answer"),
                "Your message was not taken: a notification asks for no answer.",
            ),
            (
                Refused::UseTheButtons,
                "Your message answered nothing: this takes more than words. Use the buttons of the card.",
            ),
        ] {
            assert_eq!(words(&refused), expected);
        }
    }
}
