//! The end: all nodes are up, nothing fails any more, and what was acknowledged is looked for in the journal and at every node.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use futures::stream::{self, StreamExt};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::history::{Ending, Seen, said};
use super::hooks::{self, Owed};
use super::readers::{self, Read};
use super::story::Kept;
use super::{Promise, Violation};
use crate::load::door::{self, Said};
use crate::load::page::Page;
use crate::world::World;
use crate::world::receiver::Receiver;

/// A destination that has failed three times in a row is given a rest of up to five minutes.
const DELIVERED_WITHIN: Duration = Duration::from_secs(330);
const AT_ONCE: usize = 8;
/// Every so many looks.
const TRIED_AGAIN: u32 = 24;
const A_MOMENT: Duration = Duration::from_secs(2);
const TOLD: [&str; 5] = [
    "interaction.requested",
    "interaction.resolved",
    "interaction.expired",
    "interaction.cancelled",
    "notification.sent",
];

/// One interaction, as the journal tells of it.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) prompt: String,
    asked: usize,
    /// The number of the event by which it is asked, of a blocker, and of the one that closes it.
    asked_at: Option<i64>,
    ended_at: Option<i64>,
    pub(crate) endings: Vec<(String, Ending)>,
    consumed: Vec<String>,
    collected: usize,
    too_late: Vec<(String, String)>,
    events: HashSet<String>,
}

#[derive(Default)]
pub(crate) struct Journal {
    pub(crate) interactions: HashMap<String, Told>,
    /// Each event by its number, with its digest.
    pub(crate) events: BTreeMap<i64, u64>,
    /// Tasks that failed.
    pub(crate) failed_tasks: usize,
}

pub(crate) fn digest_of(event: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    event.to_string().hash(&mut hasher);
    hasher.finish()
}

impl Journal {
    async fn read(world: &World) -> Result<(Self, Vec<Violation>)> {
        let (mut journal, mut found, mut after) = (Self::default(), Vec::new(), 0);
        loop {
            let page = get(world, &format!("/api/v1/events?after={after}&limit=1000")).await?;
            let items = page["items"]
                .as_array()
                .context("a page of events has no items")?;
            if items.is_empty() {
                return Ok((journal, found));
            }
            for event in items {
                let seq = event["seq"].as_i64().context("an event has no number")?;
                if seq <= after {
                    let promise = match journal.events.contains_key(&seq) {
                        true => Promise::EventDoubled,
                        false => Promise::EventsReordered,
                    };
                    found.push(promise.broken(None, format!("event {seq} came after {after}")));
                }
                if journal.events.insert(seq, digest_of(event)).is_none() {
                    journal.add(event);
                }
                after = after.max(seq);
            }
            after = page["last_seq"].as_i64().unwrap_or(after).max(after);
        }
    }

    fn add(&mut self, event: &Value) {
        let kind = event["type"].as_str().unwrap_or_default();
        let seq = event["seq"].as_i64();
        self.failed_tasks += usize::from(kind == "task.failed");
        let Some(id) = event["interaction_id"]
            .as_str()
            .filter(|_| !kind.starts_with("task."))
        else {
            return;
        };
        let payload = &event["payload"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let one = self.interactions.entry(id.to_owned()).or_default();
        one.events.insert(kind.to_owned());
        let by = || event["actor"]["name"].as_str().map(str::to_owned);
        let ending = |outcome: String, by, said| Ending { outcome, by, said };
        if matches!(
            kind,
            "interaction.resolved" | "interaction.expired" | "interaction.cancelled"
        ) {
            one.ended_at = seq;
        }
        match kind {
            "interaction.requested" | "notification.sent" => {
                one.asked += 1;
                one.asked_at = seq.filter(|_| kind == "interaction.requested");
                one.prompt = text(&payload["request"]["prompt"]);
            }
            "interaction.resolved" => {
                let answer = &payload["answer"];
                let by = answer["responder"]["name"].as_str().map(str::to_owned);
                let ending = ending(text(&payload["outcome"]), by, said(&answer["content"]));
                one.endings.push((kind.to_owned(), ending));
            }
            "interaction.expired" => {
                let outcome = payload["outcome"].as_str().unwrap_or("expired").to_owned();
                one.endings
                    .push((kind.to_owned(), ending(outcome, None, String::new())));
            }
            "interaction.cancelled" => {
                let ending = ending("cancelled".to_owned(), by(), String::new());
                one.endings.push((kind.to_owned(), ending));
            }
            "interaction.collected" => one.collected += 1,
            "interaction.consumed" => one.consumed.push(text(&payload["run"])),
            "interaction.answer_rejected" => {
                one.too_late
                    .push((by().unwrap_or_default(), said(&payload["answer"])));
            }
            _ => {}
        }
    }
}

async fn get(world: &World, path: &str) -> Result<Value> {
    let begun = Instant::now();
    let mut node = 0;
    loop {
        // The journal is the measure: no liar stands before it.
        let url = match path.starts_with("/api/v1/interactions") {
            true => world.url(node % world.nodes.len(), false),
            false => world.honest_url(node % world.nodes.len(), false),
        };
        let get = world.client.get(format!("{url}{path}"));
        match door::said(get.bearer_auth(&world.responders[0].secret)).await {
            Said::Status(status, value) if status.is_success() => return Ok(value),
            Said::Status(status, value) if status == 404 => {
                return Ok(json!({"missing": value}));
            }
            _ if begun.elapsed() < door::PATIENCE => sleep(Duration::from_millis(200)).await,
            _ => bail!("no node answers {path}"),
        }
        node += 1;
    }
}

/// What was found, and figures.
pub(crate) struct Audit {
    pub(crate) violations: Vec<Violation>,
    pub(crate) events: usize,
    pub(crate) interactions: usize,
    pub(crate) owed: usize,
    pub(crate) verified: String,
}

pub(crate) async fn run(
    world: &World,
    kept: &[Kept],
    reads: &[Read],
    pages: &[Page],
    patience: Option<Duration>,
) -> Result<Audit> {
    // Deadlines that have just passed, and presses that have just arrived.
    sleep(A_MOMENT).await;
    let (journal, mut violations) = Journal::read(world).await?;
    violations.extend(promised(kept, &journal));
    violations.extend(shown(world, kept, &journal).await?);
    violations.extend(cards(world, kept));
    for read in reads {
        violations.extend(readers::check(read, &journal.events));
    }
    for page in pages {
        violations.extend(of_page(page, &journal));
    }
    let (events, interactions) = (journal.events.len(), journal.interactions.len());
    let owed = delivered(
        world,
        kept,
        journal,
        patience.unwrap_or(DELIVERED_WITHIN),
        &mut violations,
    )
    .await?;
    let verified = match world.launch.run(&["journal", "verify"]).await {
        Ok(said) => said,
        Err(error) => {
            violations.push(Promise::JournalBroken.broken(None, error.to_string()));
            String::new()
        }
    };
    Ok(Audit {
        violations,
        events,
        interactions,
        owed,
        verified,
    })
}

/// What agents and responders were told, against the journal.
fn promised(kept: &[Kept], journal: &Journal) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut by_prompt: HashMap<&str, Vec<&str>> = HashMap::new();
    for (id, told) in &journal.interactions {
        by_prompt.entry(&told.prompt).or_default().push(id);
    }
    for one in kept {
        let mut broken = |promise: Promise, what: String| {
            let mut violation = promise.broken(one.id.as_deref(), what);
            violation.history.clone_from(&one.history);
            found.push(violation);
        };
        let ids = by_prompt.remove(one.asked.prompt()).unwrap_or_default();
        if ids.len() > 1 {
            broken(Promise::AskDoubled, format!("one ask is there as {ids:?}"));
        }
        let Some(id) = &one.id else {
            continue;
        };
        let Some(told) = journal.interactions.get(id) else {
            broken(
                Promise::AskLost,
                format!(
                    "{} was acknowledged and is not in the journal",
                    one.asked.mark
                ),
            );
            continue;
        };
        if told.prompt != one.asked.prompt() {
            broken(
                Promise::AskChanged,
                format!("the journal has {:?}", told.prompt),
            );
        }
        if told.asked != 1 {
            broken(
                Promise::EventDoubled,
                format!("it is asked {} times in the journal", told.asked),
            );
        }
        if told.endings.len() > 1 {
            broken(
                Promise::TwoWinners,
                format!("the journal has {:?}", told.endings),
            );
        }
        if told.consumed.len() > 1 {
            broken(
                Promise::UsedTwice,
                format!("the journal has {:?}", told.consumed),
            );
        }
        if told.collected > 1 {
            broken(
                Promise::EventDoubled,
                format!("it is collected {} times", told.collected),
            );
        }
        let is_told = one.asked.kind == "notification";
        if let (Some(ending), false) = (&one.ending, is_told) {
            match told.endings.first() {
                None => broken(
                    Promise::AnswerLost,
                    format!("{ending:?} was acknowledged or shown and is not in the journal"),
                ),
                Some((_, kept)) if !is_same(kept, ending) => {
                    broken(
                        Promise::AnswerChanged,
                        format!("{ending:?} was acknowledged or shown, the journal has {kept:?}"),
                    );
                }
                Some(_) => {}
            }
        }
        if let Some(run) = &one.consumed
            && told.consumed.first() != Some(run)
        {
            broken(
                Promise::ConsumptionLost,
                format!(
                    "{run:?} was acknowledged, the journal has {:?}",
                    told.consumed
                ),
            );
        }
        if one.is_collected && told.collected == 0 && told.consumed.is_empty() {
            broken(
                Promise::CollectionLost,
                "it was acknowledged and is not in the journal".to_owned(),
            );
        }
        if one.has_pressed && told.endings.is_empty() {
            broken(
                Promise::AnswerLost,
                "a press in Slack was acknowledged, and it still waits".to_owned(),
            );
        }
        for late in &one.too_late {
            if !told.too_late.contains(late) {
                broken(
                    Promise::LateAnswerLost,
                    format!("{late:?} is not in the journal"),
                );
            }
        }
    }
    for (prompt, ids) in by_prompt {
        let what = format!("{ids:?} is in the journal, and was asked by no agent: {prompt:?}");
        found.push(Promise::AskInvented.broken(ids.first().copied(), what));
    }
    found
}

/// The fallback is told of as an expiry, and as what the agent gets.
fn is_same(kept: &Ending, shown: &Ending) -> bool {
    let of_deadline = |ending: &Ending| super::model::is_of_deadline(&ending.outcome);
    kept == shown || of_deadline(kept) && of_deadline(shown)
}

/// What each node shows of what is in the journal.
async fn shown(world: &World, kept: &[Kept], journal: &Journal) -> Result<Vec<Violation>> {
    let looks = kept
        .iter()
        .filter_map(|one| Some((one, one.id.as_deref()?)));
    let looks = looks.map(|(one, id)| async move {
        let value = get(world, &format!("/api/v1/interactions/{id}")).await?;
        let Some(seen) = Seen::read(value) else {
            let lost = Promise::AskLost.broken(Some(id), "it was acknowledged and is not there");
            return anyhow::Ok(Some(lost));
        };
        let kept = journal
            .interactions
            .get(id)
            .and_then(|told| told.endings.first());
        let is_so = match kept {
            None => seen.state == "pending" || seen.outcome.as_deref() == Some("delivered"),
            Some((_, ending)) => {
                let shown = Ending {
                    outcome: seen.outcome.clone().unwrap_or_default(),
                    by: seen.by.clone().flatten(),
                    said: seen.said.clone(),
                };
                is_same(ending, &shown)
            }
        };
        // What lapses while this is read is not in the journal yet.
        let lapses = seen
            .outcome
            .as_deref()
            .is_some_and(super::model::is_of_deadline);
        Ok((!is_so && !lapses).then(|| {
            let promise = if seen.state == "pending" {
                Promise::AnswerLost
            } else {
                Promise::AnswerChanged
            };
            let mut broken = promise.broken(
                Some(id),
                format!("the journal has {kept:?}, shown is {}", seen.whole),
            );
            broken.history.clone_from(&one.history);
            broken
        }))
    });
    let results: Vec<_> = stream::iter(looks)
        .buffer_unordered(AT_ONCE)
        .collect()
        .await;
    let mut found = Vec::new();
    for result in results {
        found.extend(result?);
    }
    Ok(found)
}

/// A card is there once.
fn cards(world: &World, kept: &[Kept]) -> Vec<Violation> {
    let mut found = Vec::new();
    let Some(slack) = &world.slack else {
        return found;
    };
    for (n, one) in kept
        .iter()
        .filter(|one| one.asked.is_in_slack)
        .map(|one| (one.asked.n, one))
    {
        if let Some(id) = &one.id
            && slack.count(n, id) > 1
        {
            found.push(
                Promise::CardDoubled.broken(Some(id), "there are several cards of it in Slack"),
            );
        }
    }
    found
}

/// An open page saw each blocker come and go.
fn of_page(page: &Page, journal: &Journal) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut broken = |promise: Promise, id: Option<&str>, what: String| {
        found.push(promise.broken(id, format!("the page of {}: {what}", page.person)));
    };
    let mut last = 0;
    for (seq, ..) in &page.changes {
        if *seq <= last {
            broken(
                Promise::EventDoubled,
                None,
                format!("event {seq} came after {last}"),
            );
        }
        last = last.max(*seq);
    }
    // One that was told to read everything again has not seen what came before that.
    if page.resyncs > 0 {
        return found;
    }
    let saw: HashSet<(&str, &str)> = page
        .changes
        .iter()
        .map(|(_, change, id)| (&**change, &**id))
        .collect();
    for (id, told) in &journal.interactions {
        let (asked, ended) = (told.asked_at, told.ended_at);
        let misses = |at: Option<i64>, change| {
            at.is_some_and(|at| at <= last) && !saw.contains(&(change, &**id))
        };
        if misses(asked, "asked") {
            broken(Promise::PageMissed, Some(id), "it was not shown".to_owned());
        }
        if misses(ended.filter(|_| asked.is_some()), "closed") {
            broken(
                Promise::PageMissed,
                Some(id),
                "its end was not shown".to_owned(),
            );
        }
    }
    found
}

/// What each receiver is owed: webhooks everything, callbacks the ends of what was asked with their address.
fn owed(world: &World, kept: &[Kept], journal: &Journal) -> Vec<Owed> {
    let mut all = Owed::new();
    for (id, told) in &journal.interactions {
        let told = told.events.iter().filter(|event| TOLD.contains(&&***event));
        all.extend(told.map(|event| (id.clone(), event.clone())));
    }
    let mut called: Vec<Owed> = vec![Owed::new(); world.callbacks.len()];
    let places = kept
        .iter()
        .filter_map(|one| Some((one.asked.prompt(), one.asked.callback?)));
    let places: HashMap<&str, usize> = places.collect();
    for (id, told) in &journal.interactions {
        // Those that were asked without a word of it are called back as well.
        if let Some(place) = places.get(&*told.prompt) {
            called[*place].extend(
                told.endings
                    .iter()
                    .map(|(event, _)| (id.clone(), event.clone())),
            );
        }
    }
    let webhooks = world.webhooks.iter().map(|_| all.clone());
    webhooks.chain(called).collect()
}

/// Waits until everything that is owed has come, and nothing more happens that would be. Says how much that is.
async fn delivered(
    world: &World,
    kept: &[Kept],
    mut journal: Journal,
    patience: Duration,
    violations: &mut Vec<Violation>,
) -> Result<usize> {
    let receivers: Vec<&Receiver> = world.webhooks.iter().chain(&world.callbacks).collect();
    let (begun, mut tries) = (Instant::now(), 0);
    let owed = loop {
        let owed = owed(world, kept, &journal);
        let all = || receivers.iter().zip(&owed);
        while begun.elapsed() < patience
            && all().any(|(receiver, owed)| !hooks::missing(&receiver.heard(), owed).is_empty())
        {
            // A try takes up to five seconds, and what is asked for anew meanwhile begins anew.
            if tries % TRIED_AGAIN == 0 {
                try_again(world).await?;
            }
            tries += 1;
            sleep(Duration::from_millis(500)).await;
        }
        let (again, _) = Journal::read(world).await?;
        let has_grown = self::owed(world, kept, &again) != owed;
        journal = again;
        if !has_grown || begun.elapsed() > patience {
            break owed;
        }
    };
    for (place, (receiver, owed)) in receivers.iter().zip(&owed).enumerate() {
        let name = match place < world.webhooks.len() {
            true => format!("webhook {place}"),
            false => format!("callback {}", place - world.webhooks.len()),
        };
        // A task that failed is told of as well, under the interaction that it waited for.
        let mut heard = receiver.heard();
        heard.retain(|one| one.event != "task.failed");
        violations.extend(hooks::check(&name, &heard, owed, &journal));
    }
    Ok(owed.iter().map(HashSet::len).sum())
}

/// What waits for its next try is tried now. What is owed to Slack waits among it, for Slack's pace.
async fn try_again(world: &World) -> Result<()> {
    let mut cursor = String::new();
    loop {
        let page = format!("/api/v1/deliveries?state=due&limit=200{cursor}");
        let due = get(world, &page).await?;
        for one in due["items"].as_array().into_iter().flatten() {
            let is_told = matches!(
                one["destination"]["kind"].as_str(),
                Some("webhook" | "callback")
            );
            let Some(id) = one["id"].as_str().filter(|_| is_told) else {
                continue;
            };
            let url = world.url(0, false);
            let retry = world
                .client
                .post(format!("{url}/api/v1/deliveries/{id}/retry"));
            // One that has arrived meanwhile is refused, which is as good.
            door::said(retry.bearer_auth(&world.responders[0].secret)).await;
        }
        match due["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return Ok(()),
        }
    }
}
