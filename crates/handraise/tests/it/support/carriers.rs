//! All that carries messages to people, each failing, stalling and forgetting as it likes: push services, a mail server, an
//! ntfy server, Slack.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{InteractionId, delivery::ReachKind};
use machine::clock::{Clock, SystemClock};
use rand::{RngExt, SeedableRng, rngs::StdRng};

use super::{
    fake_slack::{ANA, BEN, FakeSlack, Fault},
    mail_server::MailServer,
    push::Subscribed,
    receiver::{Manner, Receiver},
};

/// How long they misbehave, request by request; after that all is well.
const MANNERS: usize = 400;
/// How long the mail server keeps its senders waiting, in looks.
const STALLS: u32 = 20;

/// A message about a question, as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    pub(crate) by: ReachKind,
    /// What tells one message from another, however often it comes.
    pub(crate) id: String,
    pub(crate) about: InteractionId,
    /// Whether it asks for an answer; else it says that none is needed any more.
    pub(crate) asks: bool,
    /// Not later than this.
    pub(crate) at: DateTime<Utc>,
}

/// All of them.
pub(crate) struct Carriers {
    pub(crate) mails: MailServer,
    pub(crate) ntfy: Receiver,
    pub(crate) slack: FakeSlack,
    pub(crate) browsers: Vec<Subscribed>,
    random: StdRng,
    stalls: u32,
    /// What came, first to last; Slack's last.
    pub(crate) heard: Vec<Heard>,
}

impl Carriers {
    pub(crate) async fn start(seed: u64, browsers: usize) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let ntfy = Receiver::start(manners(&mut random, MANNERS)).await;
        let mut subscribed = Vec::new();
        for _ in 0..browsers {
            subscribed.push(Subscribed::at(manners(&mut random, MANNERS / 20)).await);
        }
        let mut carriers = Self {
            mails: MailServer::start().await,
            ntfy,
            slack: FakeSlack::start().await,
            browsers: subscribed,
            random,
            stalls: 0,
            heard: Vec::new(),
        };
        // Slack lives in our time.
        carriers.look(false);
        carriers
    }

    /// Time passes: they misbehave in another way, and what has come is looked at.
    pub(crate) fn look(&mut self, misbehave: bool) {
        let now = SystemClock.now();
        self.slack.advance(now - self.slack.clock().now());
        self.hear(now, misbehave);
        self.stalls = self.stalls.saturating_sub(1);
        if self.stalls == 0 {
            self.mails.release();
        }
        match self.random.random_range(0..40) {
            _ if !misbehave => {}
            0 => {
                self.mails.hold();
                self.stalls = STALLS;
            }
            5 => self.slack.fail("chat.postMessage", [Fault::DropReply]),
            6 => self.slack.fail("chat.postMessage", [Fault::Limited(2)]),
            7 => self.slack.fail("chat.postMessage", [Fault::DoneThen500]),
            8 => self
                .slack
                .fail("chat.postMessage", [Fault::Refused("service_unavailable")]),
            9 => self.slack.fail("chat.update", [Fault::DropReply]),
            10 => self.slack.fail("chat.update", [Fault::Limited(3)]),
            _ => {}
        }
    }

    /// From now on all is well, also for whoever hangs.
    pub(crate) fn behave(&self) {
        self.mails.behave_well();
        self.ntfy.behave_well();
        for browser in &self.browsers {
            browser.service.behave_well();
        }
    }

    fn hear(&mut self, at: DateTime<Utc>, misbehave: bool) {
        for browser in &self.browsers {
            for got in browser.got() {
                let what = &got["handraise"];
                let Some(about) = what["interaction"].as_str() else {
                    continue;
                };
                self.heard.push(Heard {
                    by: ReachKind::Push,
                    id: what["message"].as_str().unwrap().to_owned(),
                    about: about.parse().unwrap(),
                    asks: what["is"] == "question",
                    at,
                });
            }
        }
        for got in self.ntfy.got() {
            let got = got.json();
            let Some(about) = question(got["click"].as_str().unwrap()) else {
                continue;
            };
            self.heard.push(Heard {
                by: ReachKind::Ntfy,
                id: got["sequence_id"].as_str().unwrap().to_owned(),
                about,
                asks: true,
                at,
            });
        }
        let mails = self.mails.got();
        for _ in &mails {
            // Of every ten messages four are not taken: more, and nothing would be sent for minutes.
            match self.random.random_range(0..10) {
                _ if !misbehave => {}
                0 => self.mails.says("451 try again"),
                1 => self.mails.says(""),
                2 => self.mails.says_to("HELLO", "421 too busy"),
                3 => self.mails.says_to("RCPT", "450 not now"),
                _ => {}
            }
        }
        for mail in mails {
            // One that asks whose address it is leads to no question.
            let Some(about) = question(&mail) else {
                continue;
            };
            let (_, id) = mail.split_once("Message-ID: <").unwrap();
            self.heard.push(Heard {
                by: ReachKind::Mail,
                id: id.split('@').next().unwrap().to_owned(),
                about,
                asks: true,
                at,
            });
        }
    }

    /// What was written to people in Slack, since it does not go away there.
    pub(crate) fn hear_slack(&mut self) {
        let heard = self.slack.look(|world| {
            let written = [ANA, BEN].map(|user| world.in_channel(user).cloned());
            let heard = written.into_iter().flatten().filter_map(|one| {
                let blocks = serde_json::to_string(&one.blocks).unwrap();
                let seconds: f64 = one.ts.parse().unwrap();
                let at = DateTime::UNIX_EPOCH
                    + TimeDelta::from_std(Duration::from_secs_f64(seconds)).unwrap();
                Some(Heard {
                    by: ReachKind::Slack,
                    id: one.metadata.as_ref()?["event_payload"]["message"]
                        .as_str()?
                        .to_owned(),
                    about: question(&one.text).or_else(|| question(&blocks))?,
                    asks: true,
                    at,
                })
            });
            heard.collect::<Vec<_>>()
        });
        self.heard.extend(heard);
    }
}

/// Every third request goes wrong: an error, a wish to wait, a stall, and a reply that never comes though all is done.
fn manners(random: &mut StdRng, many: usize) -> Vec<Manner> {
    let one = |_| match random.random_range(0..100) {
        0..10 => Manner::Answers(500, "", "no"),
        10..16 => Manner::Answers(429, "retry-after: 2\r\n", "slower"),
        16..20 => Manner::Hangs,
        20..28 => Manner::DropsTheReply,
        28..32 => Manner::BreaksOff,
        _ => Manner::Answers(201, "", "ok"),
    };
    (0..many).map(one).collect()
}

/// The question that a link leads to.
fn question(text: &str) -> Option<InteractionId> {
    let (_, rest) = text.split_once("/q/")?;
    rest.get(..36)?.parse().ok()
}
