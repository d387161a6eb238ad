//! Cards in Slack: posted once where that can be known, and changed as their interactions do.
//!
//! Slack has no way to post a message only once. So before anything is posted that may be there already, the
//! channel is searched for it; and what is posted again all the same says so. Of all presses on the two cards, the
//! rules take one answer.

mod card;
pub(super) mod failure;
mod files;
mod join;
mod look;
mod mention;
mod news;
pub mod outage;
mod together;
mod turn;
mod twice;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use anyhow::Context;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    DeliveryId, DestinationId, Interaction, InteractionId, PersonId,
    delivery::{Health, Lane, SlackChannel, TryResult},
    interaction::Kind,
    obligation::CardChange,
};
use store::Claimed;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::courier::{Courier, Sent};
use crate::config::{Mirror, SlackMode, WebhookUrl};
use outage::{Outage, Permit};
use service::Service;
use slack::{
    blocks::Surface,
    client::SlackClient,
    limits::{POST, UPDATE},
};

/// A second of Slack's, by which its limits go.
pub const SECOND: Duration = Duration::from_secs(1);
/// Held for longer while a round of cards takes longer: a lane is silent for this long after its node was killed.
const LEASE: TimeDelta = TimeDelta::seconds(6);
/// How often it is held for longer.
const RENEWED: Duration = Duration::from_millis(1_500);
/// A round under way is given up so long after it was held last, before another node may begin.
const UNRENEWED: Duration = Duration::from_millis(4_500);
/// How many cards a lane that is well gets in one round.
const CARDS: u32 = 10;
/// Nothing more is begun in a round after this long: others of the lane may be more urgent, or may be told together.
const BEGUN_WITHIN: Duration = Duration::from_secs(20);
/// So many notifications that wait become one message.
const DIGEST: usize = 3;
/// How many cards are remembered as they look now.
const REMEMBERED: usize = 10_000;

/// Posts and changes cards.
#[derive(Clone)]
pub struct Cards {
    service: Service,
    wire: Arc<Wire>,
    public_url: Arc<str>,
    outage: Arc<Outage>,
    /// The version of interactions that their cards show.
    shown: Arc<Mutex<HashMap<InteractionId, i64>>>,
    mentioned: Arc<Mutex<Mentioned>>,
}

/// Who was mentioned below which message, and when that was last.
type Mentioned = HashMap<(String, PersonId), DateTime<Utc>>;

enum Wire {
    Bot {
        client: SlackClient,
        surface: Surface,
    },
    Webhook {
        client: SlackClient,
        url: WebhookUrl,
    },
}

/// A delivery and what it tells of.
#[derive(Clone)]
struct Told {
    claimed: Claimed,
    change: CardChange,
    /// As it is now, which may be later than the event.
    interaction: Interaction,
    /// How many earlier tries may have posted it.
    earlier: usize,
}

impl Told {
    /// Whether nothing of it was ever in Slack, and nothing has to be: it was erased.
    fn is_needless(&self) -> bool {
        self.change == CardChange::Post && self.earlier == 0 && self.interaction.erased.is_some()
    }
}

impl Cards {
    /// `None` when Slack is not used.
    ///
    /// # Errors
    /// When the HTTP client cannot be set up.
    pub fn new(
        service: Service,
        mode: &SlackMode,
        api_url: &str,
        public_url: &str,
        outage: Arc<Outage>,
    ) -> anyhow::Result<Option<Self>> {
        let client = |token| SlackClient::new(api_url, token, None);
        let wire = match mode {
            SlackMode::Off => return Ok(None),
            SlackMode::SocketMode { bot_token, .. } | SlackMode::Http { bot_token, .. } => {
                Wire::Bot {
                    client: client(Some(bot_token.clone()))?,
                    surface: Surface::Interactive,
                }
            }
            SlackMode::Mirror(Mirror::BotToken { bot_token, .. }) => Wire::Bot {
                client: client(Some(bot_token.clone()))?,
                surface: Surface::Mirror,
            },
            SlackMode::Mirror(Mirror::Webhook(url)) => Wire::Webhook {
                client: client(None)?,
                url: url.clone(),
            },
        };
        Ok(Some(Self {
            service,
            wire: Arc::new(wire),
            public_url: public_url.into(),
            outage,
            shown: Arc::default(),
            mentioned: Arc::default(),
        }))
    }

    /// Tells one channel of all of it, one after the other, in the order in which it happened.
    async fn tell(&self, mut claimed: Vec<Claimed>) -> Vec<(Claimed, Option<Sent>)> {
        let begun = Instant::now();
        claimed.sort_by_key(|one| one.delivery.id);
        let mut outcomes = Vec::with_capacity(claimed.len());
        let mut news = Vec::with_capacity(claimed.len());
        for claimed in claimed {
            match self.told(&claimed).await {
                Ok(Some((change, interaction))) => {
                    let earlier = match change {
                        CardChange::Post | CardChange::Mention => self.earlier(&claimed).await,
                        CardChange::Close | CardChange::Update | CardChange::Files => 0,
                    };
                    let told = Told {
                        claimed,
                        change,
                        interaction,
                        earlier,
                    };
                    if told.is_needless() {
                        outcomes.push((told.claimed, Some(nothing_to_show())));
                        continue;
                    }
                    // What else is in the lane of a mention is about another method, and files are about several.
                    if !matches!(change, CardChange::Mention | CardChange::Files) {
                        let lane = told.claimed.delivery.destination;
                        self.outage.learn(lane, self.method(change));
                    }
                    news.push(told);
                }
                Ok(None) => outcomes.push((claimed, Some(nothing_to_show()))),
                Err(error) => {
                    tracing::error!(error = format!("{error:#}"), delivery.id = %claimed.delivery.id, "a card cannot be prepared");
                    outcomes.push((claimed, None));
                }
            }
        }
        let (digest, single) = parted(news);
        if !digest.is_empty() {
            outcomes.extend(self.post_digest(digest).await);
        }
        // What may be there has to be looked for, which takes time.
        let (unsure, mut sure): (Vec<_>, Vec<_>) = single.into_iter().partition(|one| {
            one.change == CardChange::Post
                && one.earlier > 0
                && matches!(*self.wire, Wire::Bot { .. })
        });
        // Buttons that must not be pressed any more do not wait for the turn to post of a mention.
        sure.sort_by_key(|one| one.change == CardChange::Mention);
        for (n, equals) in together::clusters(sure).into_iter().enumerate() {
            // Whether Slack is back is tried with the first.
            let is_away = |one: &Told| n > 0 && self.outage.is_on(self.method(one.change));
            let is_early = begun.elapsed() < BEGUN_WITHIN;
            if is_early
                && !equals.iter().any(is_away)
                && let Some(shown) = self.show_equals(&equals).await
            {
                outcomes.extend(shown);
                continue;
            }
            for one in equals {
                let outcome = match begun.elapsed() < BEGUN_WITHIN {
                    true if is_away(&one) => Some(failure::until_it_is_back()),
                    true => self.show(&one, &[]).await,
                    false => Some(not_yet()),
                };
                outcomes.push((one.claimed, outcome));
            }
        }
        match begun.elapsed() < BEGUN_WITHIN {
            true => outcomes.extend(self.show_unsure(unsure).await),
            false => outcomes.extend(unsure.into_iter().map(|one| (one.claimed, Some(not_yet())))),
        }
        outcomes
    }

    /// Ends when the lease of one of these may be lost.
    async fn hold(&self, held: &[(DeliveryId, i64)]) {
        let mut given_up = Instant::now() + UNRENEWED;
        loop {
            sleep_until(given_up.min(Instant::now() + RENEWED)).await;
            let asked = Instant::now();
            let until = self.service.now() + LEASE;
            let renewing = self.service.store().renew(held, until);
            match timeout_at(given_up, renewing).await {
                Ok(Ok(true)) => given_up = asked + UNRENEWED,
                Ok(Ok(false)) => return,
                Ok(Err(error)) => tracing::warn!(%error, "a lease cannot be renewed"),
                Err(_) => {
                    tracing::warn!("a lease cannot be renewed in time");
                    return;
                }
            }
        }
    }

    async fn told(&self, claimed: &Claimed) -> anyhow::Result<Option<(CardChange, Interaction)>> {
        let store = self.service.store();
        let seq = claimed.delivery.event_seq;
        let event = store.event(seq).await?;
        let event = event.context("its event is not there")?;
        let Some(id) = event.interaction_id else {
            return Ok(None);
        };
        let interaction = store.interaction(id).await?;
        let change = CardChange::of(&event.payload);
        let told = change.zip(interaction);
        Ok(told.map(|(change, interaction)| {
            // One event has a card changed, and files brought by a lane of their own.
            let card = interaction.card.as_ref();
            let files = card.map(|card| SlackChannel(card.channel.clone()).lane(Lane::Files));
            match files == Some(claimed.delivery.destination) {
                true => (CardChange::Files, interaction),
                false => (change, interaction),
            }
        }))
    }

    /// What this calls. An incoming webhook only posts.
    fn method(&self, change: CardChange) -> &'static str {
        match (&*self.wire, change) {
            (Wire::Bot { .. }, CardChange::Close | CardChange::Update) => UPDATE.method,
            (Wire::Bot { .. }, CardChange::Post | CardChange::Mention | CardChange::Files)
            | (Wire::Webhook { .. }, _) => POST.method,
        }
    }

    /// How many earlier tries may have posted it. If that cannot be read, one may.
    async fn earlier(&self, claimed: &Claimed) -> usize {
        if claimed.lease <= 1 {
            return 0;
        }
        let Ok(attempts) = self.service.store().attempts(claimed.delivery.id).await else {
            return 1;
        };
        let earlier = attempts.iter().filter(|one| one.number != claimed.lease);
        let may_be_there = earlier.filter(|one| match &one.end {
            Some(end) => end.may_have_arrived,
            None => one.called,
        });
        may_be_there.count()
    }

    fn shows(&self, interaction: &Interaction) -> bool {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.get(&interaction.id) == Some(&interaction.version)
    }

    fn remember(&self, id: InteractionId, version: i64) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.len() >= REMEMBERED {
            shown.clear();
        }
        shown.insert(id, version);
    }
}

/// Without cards Slack is not set up: what is due for a channel waits.
#[async_trait]
impl Courier for Option<Cards> {
    fn lease(&self) -> TimeDelta {
        LEASE
    }

    fn most(&self, lane: DestinationId, health: Health, under_way: u32) -> u32 {
        let permit = |cards: &Cards| cards.outage.permit(lane, cards.service.now());
        match (under_way, health.failures) {
            (0, failures) => match self.as_ref().map_or(Permit::All, permit) {
                Permit::All if failures == 0 => CARDS,
                Permit::All | Permit::One => 1,
                Permit::Nothing => 0,
            },
            _ => 0,
        }
    }

    async fn send(&self, claimed: Vec<Claimed>) -> Vec<(Claimed, Option<Sent>)> {
        let Some(cards) = self else {
            let why = || Sent::nothing(TryResult::Parked("Slack is not set up".to_owned()));
            return claimed.into_iter().map(|one| (one, Some(why()))).collect();
        };
        let held: Vec<_> = claimed
            .iter()
            .map(|one| (one.delivery.id, one.lease))
            .collect();
        tokio::select! {
            told = cards.tell(claimed.clone()) => told,
            () = cards.hold(&held) => claimed.into_iter().map(|one| (one, None)).collect(),
        }
    }
}

/// Those notifications that are told together, and the rest.
fn parted(news: Vec<Told>) -> (Vec<Told>, Vec<Told>) {
    let (mut told, mut rest): (Vec<_>, Vec<_>) = news.into_iter().partition(|one| {
        one.interaction.request.kind() == Kind::Notification
            && one.change == CardChange::Post
            && one.earlier == 0
    });
    if told.len() < DIGEST {
        rest.append(&mut told);
        rest.sort_by_key(|one| one.claimed.delivery.id);
    }
    (told, rest)
}

fn not_yet() -> Sent {
    postponed("it waits for its turn", TimeDelta::zero())
}

fn nothing_to_show() -> Sent {
    Sent::nothing(TryResult::Withdrawn(
        "there is nothing to show of it".to_owned(),
    ))
}

fn postponed(why: &str, wait: TimeDelta) -> Sent {
    Sent::nothing(TryResult::Postponed {
        why: why.to_owned(),
        wait,
    })
}

/// Whether Slack has it.
fn is_there(sent: &Sent) -> bool {
    matches!(sent.reply, TryResult::Status { code: 200, .. })
}

fn arrived(took: Duration) -> Sent {
    let reply = TryResult::Status {
        code: 200,
        retry_after: None,
    };
    Sent {
        took,
        ..Sent::nothing(reply)
    }
}
