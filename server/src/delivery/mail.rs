//! Mail: one message with the whole question, and the way to answer it. Nothing is decided by a link alone, since
//! scanners follow links.

use std::{collections::HashSet, time::Duration};

use anyhow::Context;
use async_trait::async_trait;
use domain::{
    DeliveryId, Interaction,
    delivery::{Cause, TryResult},
    interaction::Ask,
};
use lettre::{
    AsyncSmtpTransport, AsyncTransport, Message as Mail, Tokio1Executor,
    message::{
        Mailbox,
        header::{ContentType, Header, HeaderName, HeaderValue},
    },
    transport::smtp::{Error as SmtpError, PoolConfig},
};
use service::{About, Address, Message, Service};
use tokio::time::{Instant, timeout};

use super::{
    courier::Sent,
    person::{Carrier, words},
};
use crate::config::{Hidden, MailSettings};

/// How long a mail server may take.
const IN_TIME: Duration = Duration::from_secs(20);
/// How many connections a mail server gets from this one: many refuse a client that opens dozens.
const AT_ONCE: u32 = 8;
/// The longest subject.
const SUBJECT: usize = 120;
/// How many questions one message tells of, at most.
const TOGETHER: u32 = 50;

/// Hands messages to the mail server.
pub struct Mails {
    service: Service,
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
    public_url: String,
}

impl Mails {
    /// By this server; `None` where there is none.
    ///
    /// # Errors
    /// A sentence on what is wrong with the settings.
    pub fn new(
        service: Service,
        settings: &MailSettings,
        public_url: &str,
    ) -> anyhow::Result<Option<Self>> {
        let Some(url) = &settings.url else {
            return Ok(None);
        };
        let (transport, from) = joined(url, settings)?;
        Ok(Some(Self {
            service,
            transport,
            from,
            public_url: public_url.trim_end_matches('/').to_owned(),
        }))
    }

    /// Whether the mail server of these settings answers, and takes the name and password; `None` where there is none.
    ///
    /// # Errors
    /// Why not.
    pub async fn examine(settings: &MailSettings) -> anyhow::Result<Option<()>> {
        let Some(url) = &settings.url else {
            return Ok(None);
        };
        let (transport, _) = joined(url, settings)?;
        let answers = timeout(IN_TIME, transport.test_connection()).await;
        match answers.context("it did not answer in time")? {
            Ok(true) => Ok(Some(())),
            Ok(false) => anyhow::bail!("it answered, and does not work"),
            Err(error) => Err(anyhow::anyhow!(why(&error))),
        }
    }

    fn mail(&self, message: &Message, id: DeliveryId) -> anyhow::Result<Option<Mail>> {
        let Address::Mail { to, code } = &message.address else {
            return Ok(None);
        };
        let told = match (&message.about, message.cause) {
            (Some(About::Waits(interaction)), cause) => self.question(interaction, cause),
            (Some(About::Closed(_)), _) => return Ok(None),
            (None, Cause::Proof) => self.proof(message, code),
            (None, _) => (
                "It works".to_owned(),
                "Questions that wait for you are sent to this address.\n".to_owned(),
            ),
        };
        self.letter(to, told, id).map(Some)
    }

    fn letter(
        &self,
        to: &str,
        (subject, body): (String, String),
        id: DeliveryId,
    ) -> anyhow::Result<Mail> {
        let settings = format!("{}/settings/reach", self.public_url);
        let body = format!(
            "{body}\n-- \nYou are told of this because you asked Handraise for it: {settings}\n"
        );
        let host = self
            .public_url
            .split_once("://")
            .map_or("handraise", |(_, rest)| rest);
        let host = host.split(['/', ':']).next().unwrap_or("handraise");
        let mail = Mail::builder()
            .from(self.from.clone())
            .to(to.parse().context("no mail address")?)
            .subject(subject)
            // The same at every try, so that whoever gets it twice can tell.
            .message_id(Some(format!("<{id}@{host}>")))
            .header(Unsubscribe(format!("<{settings}>")))
            .header(Automatic)
            .header(ContentType::TEXT_PLAIN)
            .body(body)?;
        Ok(mail)
    }

    /// All that waits, each once; `None` when that is one, or nothing.
    fn digest(&self, messages: &[Message]) -> Option<(String, String)> {
        let waiting = messages.iter().filter_map(|message| match &message.about {
            Some(About::Waits(interaction)) => Some(&**interaction),
            _ => None,
        });
        let mut told = HashSet::new();
        let waiting: Vec<_> = waiting.filter(|one| told.insert(one.id)).collect();
        if waiting.len() < 2 {
            return None;
        }
        let lines = (1..).zip(&waiting).map(|(number, interaction)| {
            let words = words::Words::of(interaction, self.service.now());
            format!(
                "{number}. {}.\n{}\n   {}/q/{}\n",
                words.title,
                indented(&words.body),
                self.public_url,
                interaction.id
            )
        });
        let lines = lines.collect::<Vec<_>>().join("\n");
        let subject = format!("{} questions wait for you", waiting.len());
        Some((subject.clone(), format!("{subject}.\n\n{lines}")))
    }

    async fn hand_over(&self, mail: anyhow::Result<Option<Mail>>) -> Sent {
        let mail = match mail {
            Ok(Some(mail)) => mail,
            Ok(None) => {
                let why = "there is nothing to tell by mail".to_owned();
                return Sent::nothing(TryResult::Withdrawn(why));
            }
            Err(error) => {
                let why = format!("the message cannot be made: {error}");
                return Sent::nothing(TryResult::Invalid(why));
            }
        };
        let begun = Instant::now();
        let reply = match timeout(IN_TIME, self.transport.send(mail)).await {
            Err(_) => TryResult::TimedOut,
            Ok(Ok(_)) => TryResult::Status {
                code: 250,
                retry_after: None,
            },
            Ok(Err(error)) => self.refused(&error, begun).await,
        };
        Sent {
            reply,
            body: String::new(),
            took: begun.elapsed(),
            may_have_arrived: false,
            to: None,
        }
    }

    /// What becomes of a message that was not taken. Only what is said of the mailbox is for good: a password that was
    /// changed or a quota that is used up is mended in time, and the message is sent then.
    async fn refused(&self, error: &SmtpError, begun: Instant) -> TryResult {
        if error.is_timeout() {
            return TryResult::TimedOut;
        }
        let why = why(error);
        let code = error.status().map(u16::from);
        if !code.is_some_and(|code| is_of_mailbox(code, &why)) {
            return TryResult::Failed(why);
        }
        // The same codes are used by servers that let nobody in.
        let left = IN_TIME.saturating_sub(begun.elapsed());
        match timeout(left, self.transport.test_connection()).await {
            Ok(Ok(true)) => TryResult::Invalid(why),
            _ => TryResult::Failed(why),
        }
    }

    fn proof(&self, message: &Message, code: &str) -> (String, String) {
        let body = format!(
            "{name} wants to be reached by mail at this address when an agent waits for an answer.\n\n\
             If that is you, open this and confirm it:\n\n  {url}/settings/reach/prove?id={id}&code={code}\n\n\
             or type this code where you added the address:\n\n  {code}\n\nOtherwise do nothing: nothing else is sent here.\n",
            name = visible::sentence(&message.person.name),
            url = self.public_url,
            id = message.reach.id,
        );
        ("Is this your address?".to_owned(), body)
    }

    fn question(&self, interaction: &Interaction, cause: Cause) -> (String, String) {
        let request = &interaction.request;
        let words = words::Words::of(interaction, self.service.now()).summing_up(cause);
        let about = request.title.as_deref().unwrap_or(&request.prompt);
        let about = about.lines().next().unwrap_or_default();
        let subject = words::cut(
            &format!("{}: {}", words.title, visible::sentence(about)),
            SUBJECT,
        );
        let mut parts = vec![format!("{}.", words.title)];
        if let Some(task) = &request.task {
            let title = task.title.as_deref().unwrap_or(&task.id);
            parts.push(format!("Task: {}", visible::sentence(title)));
        }
        parts.extend(request.title.as_deref().map(visible::sentence));
        parts.push(visible::prose(&request.prompt));
        parts.extend(asked(&request.ask));
        parts.push(format!(
            "Answer it here:\n\n  {}/q/{}",
            self.public_url, interaction.id
        ));
        (subject, parts.join("\n\n") + "\n")
    }
}

fn joined(
    url: &Hidden,
    settings: &MailSettings,
) -> anyhow::Result<(AsyncSmtpTransport<Tokio1Executor>, Mailbox)> {
    let from = settings.from.as_deref();
    let from = from.context("mail.from is missing")?;
    let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(url.reveal())
        .context("mail.url cannot be used")?;
    let pool = PoolConfig::new().max_size(AT_ONCE);
    let transport = transport.timeout(Some(IN_TIME)).pool_config(pool).build();
    let from = from.parse().context("mail.from is no mail address")?;
    Ok((transport, from))
}

/// All that belongs to its kind.
fn asked(ask: &Ask) -> Vec<String> {
    match ask {
        Ask::Question | Ask::Acknowledgement | Ask::Notification { .. } => Vec::new(),
        Ask::Approval {
            action,
            action_digest,
            ..
        } => {
            let view = visible::shape::of(action, action_digest);
            let lines = visible::shape::lines(&view);
            let lines = lines.iter().map(|runs| {
                let texts = runs.iter().map(|run| run.text.as_str());
                texts.collect::<String>()
            });
            let lines: Vec<String> = lines.collect();
            vec![format!("What will run:\n\n{}", indented(&lines.join("\n")))]
        }
        Ask::PlanReview { plan, .. } => {
            vec![format!("The plan:\n\n{}", indented(&visible::prose(plan)))]
        }
        Ask::Choice(choice) => {
            let options = choice.options.iter().map(|one| {
                let about = one.description.as_deref().map(visible::sentence);
                let about = about.map_or_else(String::new, |about| format!(": {about}"));
                format!("  - {}{about}", visible::option(&one.label, &one.value))
            });
            vec![options.collect::<Vec<_>>().join("\n")]
        }
        Ask::Form { questions } => {
            let questions = (1..).zip(questions);
            let questions = questions
                .map(|(number, one)| format!("  {number}. {}", visible::sentence(&one.prompt)));
            vec![questions.collect::<Vec<_>>().join("\n")]
        }
    }
}

fn indented(text: &str) -> String {
    let lines = text.lines().map(|line| format!("  {line}"));
    lines.collect::<Vec<_>>().join("\n")
}

#[async_trait]
impl Carrier for Mails {
    fn in_time(&self) -> Duration {
        IN_TIME
    }

    fn at_once(&self) -> usize {
        AT_ONCE as usize
    }

    async fn carry(&self, message: &Message, id: DeliveryId) -> Sent {
        self.hand_over(self.mail(message, id)).await
    }

    fn together(&self) -> u32 {
        TOGETHER
    }

    async fn carry_together(&self, messages: &[Message], id: DeliveryId) -> Sent {
        let Some(first) = messages.first() else {
            return self.hand_over(Ok(None)).await;
        };
        let mail = match (self.digest(messages), &first.address) {
            (Some(told), Address::Mail { to, .. }) => self.letter(to, told, id).map(Some),
            _ => self.mail(first, id),
        };
        self.hand_over(mail).await
    }
}

/// Whether a mail server's answer says that there is no such mailbox. Where it has an enhanced code too (RFC 3463), that
/// tells a mailbox that is not there from a sender who may not.
fn is_of_mailbox(code: u16, words: &str) -> bool {
    let enhanced = words.split_whitespace().find_map(|word| {
        let mut parts = word.trim_matches(|c: char| !c.is_ascii_digit()).split('.');
        let part = |part: Option<&str>| part?.parse::<u16>().ok();
        let found = (
            part(parts.next())?,
            part(parts.next())?,
            part(parts.next())?,
        );
        parts.next().is_none().then_some(found)
    });
    let is_code = matches!(code, 501 | 550 | 551 | 553);
    is_code
        && match enhanced {
            // 7 and 8 are of the sender's own address; 2.1 is a mailbox that was switched off.
            Some((5, 1, detail)) => !matches!(detail, 7 | 8),
            Some(other) => other == (5, 2, 1),
            None => true,
        }
}

/// A mail server's own words, short. The address is the person's alone: it is sealed, and stands in no error.
fn why(error: &SmtpError) -> String {
    let mut words = error.to_string().replace('\0', "\u{fffd}");
    if let Some(cause) = std::error::Error::source(error) {
        let cause = cause.to_string();
        if !words.contains(&cause) {
            words = format!("{words}: {cause}");
        }
    }
    words::cut(&without_addresses(&words), 200)
}

fn without_addresses(words: &str) -> String {
    let words = words
        .split_whitespace()
        .map(|word| match word.contains('@') {
            true => "(address)",
            false => word,
        });
    words.collect::<Vec<_>>().join(" ")
}

/// Where nothing is sent any more (RFC 2369): a page with a button, since scanners follow links.
#[derive(Clone)]
struct Unsubscribe(String);

impl Header for Unsubscribe {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("List-Unsubscribe")
    }

    fn parse(text: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self(text.to_owned()))
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), self.0.clone())
    }
}

/// So that no program answers it (RFC 3834).
#[derive(Clone)]
struct Automatic;

impl Header for Automatic {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_said_of_the_mailbox_is_for_good() {
        for (code, words, expected) in [
            (550, "permanent error (550): no such mailbox", true),
            (550, "permanent error (550): 5.1.1 unknown user", true),
            (553, "permanent error (553): 5.1.3 bad address", true),
            (501, "permanent error (501): 5.1.3 bad address", true),
            (550, "permanent error (550): 5.2.1 mailbox disabled", true),
            (551, "permanent error (551): user not local", true),
            (
                550,
                "permanent error (550): 5.4.5 daily quota exceeded",
                false,
            ),
            (550, "permanent error (550): 5.7.1 relaying denied", false),
            (553, "permanent error (553): 5.1.8 bad sender", false),
            (535, "permanent error (535): 5.7.8 bad credentials", false),
            (530, "permanent error (530): authenticate first", false),
            (552, "permanent error (552): 5.2.2 mailbox full", false),
            (554, "permanent error (554): no service", false),
            (421, "transient error (421): later", false),
        ] {
            assert_eq!(is_of_mailbox(code, words), expected, "{words}");
        }
    }

    #[test]
    fn no_address_stands_in_an_error() {
        let words = "permanent error (550): <ana@example.com>: unknown\nor ana@example.com, gone";
        let said = without_addresses(words);
        assert_eq!(
            said,
            "permanent error (550): (address) unknown or (address) gone"
        );
    }
}
