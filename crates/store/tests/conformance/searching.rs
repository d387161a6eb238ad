//! What a search finds is what a look at every interaction would find, newest first, wherever the words stand.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicU64, Ordering},
};

use domain::{
    AgentRef, Ids, Interaction, InteractionId, Moment, Salt,
    decide::interaction as decide,
    interaction::{Draft, Kind, Mode},
};
use futures::future::join_all;
use store::{InteractionQuery, Store};
use uuid::Uuid;

use crate::database::{Database, Stamp, ana, epoch, said, written};

store::on_both_databases!(
    a_search_finds_what_a_look_at_everything_finds,
    an_interaction_of_many_texts_is_found_once,
    rows_from_before_are_found_newest_first,
);

/// More than are looked through before the index is asked.
const MANY: usize = 3_000;

/// They begin with each other, and are as common as they come early.
const WORDS: [&str; 12] = [
    "deploy",
    "deployment",
    "de",
    "d",
    "cluster",
    "größe",
    "x",
    "deplorable",
    "512",
    "zanzibar",
    "clu",
    "ünder",
];

/// Numbers that look random and are the same in each run.
struct Dice(AtomicU64);

impl Dice {
    fn below(&self, end: u64) -> u64 {
        let mut x = self.0.load(Ordering::Relaxed);
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        self.0.store(x, Ordering::Relaxed);
        (x >> 11) % end
    }

    fn one_of<T: Copy>(&self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }

    /// Some words; the later ones of [`WORDS`] are in few texts.
    fn text(&self) -> String {
        let words = WORDS.iter().enumerate();
        let some = words.filter(|(n, _)| self.below(2 + (*n as u64).pow(3)) == 0);
        let mut text: Vec<_> = some.map(|(_, word)| *word).collect();
        text.push("rest");
        text.join(", ")
    }
}

/// As servers make them whose clocks are apart, jump, and stand still: in no order, and many of one millisecond.
impl Ids for Dice {
    fn next(&self) -> Uuid {
        let millis = match self.below(40) {
            0 => 0xffff_ffff_ffff,
            1 => 5,
            _ => 1_700_000_000_000 + self.below(1_500),
        };
        let rest = (self.below(1 << 40) << 24) | self.below(1 << 24);
        Uuid::from_u64_pair((millis << 16) | 0x7000 | self.below(1 << 12), rest)
    }

    fn salt(&self) -> Salt {
        self.next().into_bytes()
    }
}

/// An interaction, and what stands in each of its texts.
struct Known {
    stored: Interaction,
    texts: Vec<BTreeSet<String>>,
}

impl Known {
    fn new(stored: Interaction) -> Self {
        let asked = format!("{} {}", stored.agent.name, stored.request.prompt);
        let mut known = Self {
            stored,
            texts: Vec::new(),
        };
        let session = known.stored.request.session_id.clone().unwrap_or_default();
        let task = known
            .stored
            .request
            .task
            .as_ref()
            .map(|task| task.id.clone());
        known.add(&format!("{asked} {session} {}", task.unwrap_or_default()));
        known
    }

    fn add(&mut self, text: &str) {
        let words = text.split(|c: char| !c.is_alphanumeric());
        self.texts.push(words.map(str::to_lowercase).collect());
    }

    fn is_found(&self, query: &InteractionQuery) -> bool {
        let (one, asked) = (&self.stored, &self.stored.request);
        let words: Vec<_> = query
            .search
            .iter()
            .flat_map(|text| text.split(' '))
            .collect();
        query.agent.is_none_or(|agent| agent == one.agent.id)
            && query
                .state
                .as_ref()
                .is_none_or(|state| *state == one.state.name())
            && query.kind.is_none_or(|kind| kind == asked.kind())
            && query.mode.is_none_or(|mode| mode == asked.mode)
            && (query.session_id.is_none() || query.session_id == asked.session_id)
            && query
                .task_id
                .as_ref()
                .is_none_or(|id| asked.task.as_ref().is_some_and(|task| task.id == *id))
            && query.before.is_none_or(|before| one.id < before)
            && self.texts.iter().any(|text| {
                words.iter().all(|word| match word.chars().count() {
                    1 => text.contains(*word),
                    _ => text.iter().any(|stands| stands.starts_with(word)),
                })
            })
    }
}

fn at(dice: &Dice) -> Moment<'_> {
    Moment {
        at: epoch(),
        ids: dice,
        signer: Some(&Stamp),
    }
}

fn draft(dice: &Dice) -> Draft {
    let (kind, modes) = dice.one_of(&[
        ("question", [Mode::Sync, Mode::Async]),
        ("acknowledgement", [Mode::Sync, Mode::Async]),
        ("notification", [Mode::Async, Mode::Async]),
    ]);
    let session = dice.below(3);
    Draft {
        kind: Some(kind.into()),
        mode: Some(dice.one_of(&modes)),
        prompt: Some(dice.text()),
        session_id: (session > 0).then(|| format!("s{session}")),
        ..Draft::default()
    }
}

/// Interactions with answers and follow-ups, committed in the order of nothing.
async fn filled(database: &Database, store: &dyn Store, dice: &Dice) -> Vec<Known> {
    let mut agents = Vec::new();
    for name in ["backend", "devops"] {
        agents.push(database.agent(store, name).await);
    }
    let mut all = Vec::new();
    let mut opened = Vec::new();
    for _ in 0..MANY {
        let by: &AgentRef = &agents[dice.below(5).min(1) as usize];
        let request = draft(dice).check(|_| None).unwrap();
        let asked = decide::open(request, by.clone(), None, None, None, None, at(dice));
        all.push(Known::new(written(&asked)));
        opened.push(store.commit(asked));
    }
    for done in join_all(opened).await {
        done.unwrap();
    }
    let mut more = Vec::new();
    for known in &mut all {
        if known.stored.request.kind() != Kind::Question || dice.below(3) == 0 {
            continue;
        }
        let text = dice.text();
        let answer = decide::answer(&known.stored, said(&text), &ana(), None, at(dice)).unwrap();
        known.stored = written(&answer);
        known.add(&format!("Ana answered {text}"));
        more.push(store.commit(answer));
    }
    for done in join_all(more).await {
        done.unwrap();
    }
    let mut said_later = Vec::new();
    for known in &mut all {
        if known.stored.request.kind() != Kind::Question
            || known.stored.state.name() == "pending"
            || dice.below(4) > 0
        {
            continue;
        }
        let text = dice.text();
        let more = decide::follow_up(&known.stored, text.clone(), &ana(), at(dice)).unwrap();
        known.stored = written(&more);
        known.add(&text);
        said_later.push(store.commit(more));
    }
    for done in join_all(said_later).await {
        done.unwrap();
    }
    all.sort_by_key(|known| std::cmp::Reverse(known.stored.id));
    all
}

async fn found(store: &dyn Store, query: &InteractionQuery) -> Vec<InteractionId> {
    let page = store.interactions(query).await.unwrap();
    let (items, next) = page.into_parts();
    let ids: Vec<_> = items.map(|one| one.id).collect();
    assert!(next.is_none() || next == ids.last().copied(), "{query:?}");
    ids
}

async fn a_search_finds_what_a_look_at_everything_finds(database: Database) {
    let store = database.store().await;
    let dice = Dice(AtomicU64::new(0x9e37_79b9_7f4a_7c15));
    let all = filled(&database, &*store, &dice).await;
    let agents: Vec<_> = all.iter().map(|known| known.stored.agent.id).collect();
    for round in 0..60 {
        let mut query = InteractionQuery {
            limit: 1 + dice.below(60) as u32,
            ..InteractionQuery::default()
        };
        let some = (0..=dice.below(3)).map(|_| dice.one_of(&WORDS));
        let mut words: Vec<_> = some.collect();
        words.extend(
            ["ana", "back", "devops"]
                .into_iter()
                .filter(|_| dice.below(12) == 0),
        );
        query.search = Some(words.join(" "));
        // A third has no other condition.
        if round % 3 > 0 {
            let maybe = || dice.below(4) == 0;
            query.agent = maybe().then(|| dice.one_of(&agents));
            query.state =
                maybe().then(|| dice.one_of(&["pending", "resolved", "delivered"]).into());
            query.kind =
                maybe().then(|| dice.one_of(&[Kind::Question, Kind::Notification, Kind::Form]));
            query.mode = maybe().then(|| dice.one_of(&[Mode::Sync, Mode::Async]));
            query.session_id = maybe().then(|| dice.one_of(&["s1", "s2", "s3"]).into());
        }
        query.before =
            (dice.below(3) == 0).then(|| all[dice.below(all.len() as u64) as usize].stored.id);
        // At most so many pages of each.
        for _ in 0..8 {
            let matching = all.iter().filter(|known| known.is_found(&query));
            let expected: Vec<_> = matching
                .take(query.limit as usize)
                .map(|known| known.stored.id)
                .collect();
            assert_eq!(found(&*store, &query).await, expected, "{query:?}");
            let briefs = store.briefs(&query).await.unwrap();
            assert!(
                briefs.iter().map(|one| one.id).eq(expected.iter().copied()),
                "{query:?}"
            );
            if expected.len() < query.limit as usize {
                break;
            }
            query.before = expected.last().copied();
        }
    }
}

async fn an_interaction_of_many_texts_is_found_once(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let mut asked = Vec::new();
    for _ in 0..3 {
        let draft = Draft {
            prompt: Some("redis, please".into()),
            ..Draft::default()
        };
        let one = database.asked(&*store, &agent, draft).await;
        let answer = database.answer(&one, "redis");
        let mut one = written(&answer);
        store.commit(answer).await.unwrap();
        for _ in 0..20 {
            let more = decide::follow_up(&one, "redis".into(), &ana(), database.at(12)).unwrap();
            one = written(&more);
            store.commit(more).await.unwrap();
        }
        asked.insert(0, one.id);
    }
    for (limit, before, expected) in [
        (10, None, &asked[..]),
        (2, None, &asked[..2]),
        (10, Some(asked[0]), &asked[1..]),
        (1, Some(asked[1]), &asked[2..]),
        (1, Some(asked[2]), &[]),
    ] {
        let query = InteractionQuery {
            search: Some("redis".into()),
            before,
            limit,
            ..InteractionQuery::default()
        };
        assert_eq!(found(&*store, &query).await, expected, "{query:?}");
    }
}

/// The rows of a database as version 15 left them; one of them as a database kept it that had been there before there
/// was a search.
async fn rows_from_before_are_found_newest_first(database: Database) {
    database.place.migrate_to(15).await.unwrap();
    let is_sqlite = database.place.url.starts_with("sqlite");
    let id = |n: u128| Uuid::from_u128(((1_700_000_000_000 + n) << 80) | (7 << 76) | n);
    let raw = |id: Uuid| match is_sqlite {
        true => format!("X'{}'", id.simple()),
        false => format!("'{id}'"),
    };
    let agent = AgentRef {
        id: domain::AgentId(id(1)),
        name: "backend".into(),
    };
    let mut sql = format!(
        "INSERT INTO agents (id, name, created_at) VALUES ({}, 'backend', 1);",
        raw(id(1))
    );
    let (words, of) = match is_sqlite {
        true => ("'backend port which'", "lower(request)"),
        false => (
            "'backend port which'::tsvector",
            "to_tsvector('simple', request)",
        ),
    };
    // Not in the order in which they were asked; two of one millisecond.
    for (n, words) in [(3, words), (1, words), (2, of), (4, words)] {
        let draft = Draft {
            prompt: Some("Which *Port*, ünder?".into()),
            kind: Some("question".into()),
            ..Draft::default()
        };
        let asked = written(&database.opened(&agent, draft, None, 0));
        let request = serde_json::to_string(&asked.request)
            .unwrap()
            .replace('\'', "''");
        let detail = serde_json::to_string(&asked.state).unwrap();
        let id = raw(if n == 4 {
            Uuid::from_u128(id(3).as_u128() + 1)
        } else {
            id(n)
        });
        let agent = raw(agent.id.0);
        sql.push_str(&format!(
            "INSERT INTO interactions (id, version, agent_id, kind, mode, urgent, request, state, detail, created_at, weight)
             VALUES ({id}, 1, {agent}, 'question', 'sync', {}, '{request}', 'pending', '{detail}', 1, 1);
             INSERT INTO interaction_words (interaction_id, words) SELECT id, {words} FROM interactions WHERE id = {id};",
            if is_sqlite { "0" } else { "FALSE" },
        ));
    }
    database.place.execute(&sql).await.unwrap();
    let store = database.store().await;
    let ids = [Uuid::from_u128(id(3).as_u128() + 1), id(3), id(2), id(1)].map(InteractionId);
    let query = |search: &str, before, limit| InteractionQuery {
        search: Some(search.into()),
        before,
        limit,
        ..InteractionQuery::default()
    };
    assert_eq!(found(&*store, &query("port whi", None, 10)).await, ids);
    assert_eq!(
        found(&*store, &query("port", Some(ids[0]), 2)).await,
        ids[1..3]
    );
    assert_eq!(found(&*store, &query("ünder", None, 10)).await, [ids[2]]);
    // They go on being found beside what comes.
    let oldest = store.interaction(ids[3]).await.unwrap().unwrap();
    store
        .commit(database.answer(&oldest, "8080, Ünder"))
        .await
        .unwrap();
    assert_eq!(found(&*store, &query("ünder", None, 10)).await, ids[2..]);
    let new = database.asked(&*store, &agent, Draft::default()).await;
    assert_eq!(
        found(&*store, &query("port", Some(ids[2]), 10)).await,
        [ids[3], new.id]
    );
}
