//! What ended, in numbers: each end is counted once, however often and in whichever steps, and counting anew gives the same.

use std::sync::Arc;

use chrono::TimeDelta;
use domain::{
    AgentRef, Audience, Changeset, Day, Interaction, Parts, PersonId, Principal, Role, Team, Write,
    access::Access,
    decide::{grant as rules, interaction as decide, interaction::AskedOf, team},
    grant::{GrantDraft, GrantRecord, GrantWrite},
    insight::By,
    interaction::{AnswerDraft, Draft, Kind, Mode, Outcome, Request},
    sign::{PublicKey, Signature, Verify},
    team::Profile,
};
use store::{
    AskedMost, CountedTo, InsightNames, InsightQuery, Store, TallyRecord, WhichTeam, verify_journal,
};
use uuid::Uuid;

use crate::database::{Database, ana, epoch, operator, said, written};

store::on_both_databases!(
    what_has_ended_is_counted_once,
    counted_in_any_steps_and_anew_it_is_the_same,
    of_nodes_that_count_at_once_each_end_is_counted_by_one,
    what_waits_and_what_is_told_is_not_counted,
    what_a_grant_approved_is_nobodys_answer,
    what_was_counted_stays_when_its_words_are_erased,
    a_reader_sees_the_counts_of_their_teams,
    counts_are_narrowed_by_what_was_asked,
    counts_that_cannot_be_read_are_an_error_and_made_anew,
    a_database_from_before_is_counted_from_its_first_event,
    numbers_that_are_left_out_hold_nothing_up,
    equal_approvals_are_counted_by_agent_and_team,
    erased_approvals_are_asked_no_more,
);

struct Trusting;

impl Verify for Trusting {
    fn holds(&self, _: &PublicKey, _: &[u8], _: &Signature) -> bool {
        true
    }
}

async fn trusting(database: &Database) -> Arc<dyn Store> {
    let store = database.store().await;
    store.trust(Arc::new(Trusting));
    store
}

async fn team(database: &Database, store: &dyn Store, name: &str) -> Team {
    let profile = Profile {
        name: name.into(),
        ..Profile::default()
    };
    let made = team::create(profile, &operator(), database.at(0)).unwrap();
    let [Write::Access(Access::Team(team))] = &made.writes[..] else {
        panic!("{made:?}");
    };
    let team = team.clone();
    store.commit(made).await.unwrap();
    team
}

fn everything() -> InsightQuery {
    InsightQuery {
        audience: Audience::All,
        first: Day(0),
        last: Day(100_000),
        kind: None,
        agent: None,
        team: None,
    }
}

async fn count_all(store: &dyn Store, at_once: u32) {
    while !store.count_ended(at_once).await.unwrap().is_all() {}
}

async fn tallies(store: &dyn Store, query: &InsightQuery) -> Vec<TallyRecord> {
    let mut found = Vec::new();
    let mut each = |record: &TallyRecord| found.push(record.clone());
    store.tallies(query, &mut each).await.unwrap();
    found
}

/// How many ended how, with who ended them.
async fn ends(store: &dyn Store, query: &InsightQuery) -> Vec<(By, Outcome, u64)> {
    let mut ends = Vec::new();
    for record in tallies(store, query).await {
        for (end, count) in record.tally.ends() {
            ends.push((end.by, end.outcome, count.ended));
        }
    }
    ends.sort();
    ends
}

fn anas() -> By {
    By::Responder(Uuid::from_u128(8))
}

fn approval(command: &str) -> Request {
    let draft: Draft = serde_json::from_value(serde_json::json!({
        "kind": "approval", "prompt": "May it run?", "session_id": "run 1",
        "action": {"tool": "Bash", "arguments": {"command": command}},
    }))
    .unwrap();
    draft.check(|_| None).unwrap()
}

async fn asked(
    database: &Database,
    store: &dyn Store,
    agent: &AgentRef,
    of: Option<&Team>,
    request: Request,
) -> Interaction {
    let of = AskedOf {
        team: of.map(Team::named),
        to: None,
    };
    let now = database.at(0);
    let asking = decide::open_for(request, agent.clone(), of, None, None, None, now);
    let asked = written(&asking);
    store.commit(asking).await.unwrap();
    asked
}

fn decision(
    database: &Database,
    asked: &Interaction,
    approved: bool,
    by: &Principal,
    seconds: i64,
) -> Changeset {
    let draft = AnswerDraft {
        approved: Some(approved),
        ..AnswerDraft::default()
    };
    decide::answer(asked, draft, by, None, database.at(seconds)).unwrap()
}

async fn decided(
    database: &Database,
    store: &dyn Store,
    asked: &Interaction,
    approved: bool,
) -> Interaction {
    let deciding = decision(database, asked, approved, &admin(), 20);
    let decided = written(&deciding);
    store.commit(deciding).await.unwrap();
    decided
}

fn admin() -> Principal {
    Principal::Person {
        id: PersonId(Uuid::from_u128(8)),
        name: "Ana".into(),
        role: Role::Admin,
        proven_at: epoch(),
        teams: Parts::default(),
    }
}

async fn erase(database: &Database, store: &dyn Store, interaction: &Interaction) {
    let erasable = store.erasable(interaction.id).await.unwrap().unwrap();
    let erasing = decide::erase(&erasable, &admin(), database.at(30)).unwrap();
    store.commit(erasing).await.unwrap();
}

/// Every way in which something ends, over two days, by two agents of which one asks a team.
async fn life(database: &Database, store: &dyn Store) {
    let backend = database.agent(store, "backend").await;
    let frontend = database.agent(store, "frontend").await;
    let payments = team(database, store, "Payments").await;
    for n in 0..6 {
        let mut draft = serde_json::json!({"mode": "async", "timeout_seconds": 60});
        if n == 3 {
            draft["fallback"] = "80".into();
        }
        let draft: Draft = serde_json::from_value(draft).unwrap();
        let opening = database.question(&backend, draft, n * 20_000);
        let question = written(&opening);
        store.commit(opening).await.unwrap();
        let ending = match n {
            0 => decide::answer(
                &question,
                said("80"),
                &ana(),
                None,
                database.at(n * 20_000 + 7),
            ),
            1 => {
                let now = database.at(n * 20_000 + 5);
                decide::cancel(&question, &ana(), None, None, now)
            }
            2 | 3 => decide::expire(&question, None, database.at(n * 20_000 + 61)),
            _ => continue,
        };
        store.commit(ending.unwrap()).await.unwrap();
    }
    for approved in [true, false, true] {
        let asked = asked(
            database,
            store,
            &frontend,
            Some(&payments),
            approval("cargo test"),
        )
        .await;
        decided(database, store, &asked, approved).await;
    }
}

async fn what_has_ended_is_counted_once(database: Database) {
    let store = database.store().await;
    let store = &*store;
    let none = CountedTo { seq: 0, newest: 0 };
    assert_eq!(store.count_ended(10).await.unwrap(), none);
    let agent = database.agent(store, "backend").await;
    let question = database.asked(store, &agent, Draft::default()).await;
    store
        .commit(database.answer(&question, "80"))
        .await
        .unwrap();
    let one = CountedTo { seq: 1, newest: 3 };
    assert_eq!(store.count_ended(1).await.unwrap(), one);
    assert_eq!(tallies(store, &everything()).await, []);
    count_all(store, 1).await;
    // What comes after the end is none.
    let more = decide::follow_up(
        &store_of(store, &question).await,
        "and 81".into(),
        &ana(),
        database.at(11),
    );
    store.commit(more.unwrap()).await.unwrap();
    count_all(store, 100).await;
    let known = store.counted_to().await.unwrap();
    assert_eq!((known.seq, known.newest), (4, 4));
    let found = tallies(store, &everything()).await;
    let [record] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!(record.day, Day::of(epoch()));
    assert_eq!((record.agent, record.team), (agent.id, None));
    let [(end, count)] = record.tally.ends() else {
        panic!("{record:?}");
    };
    assert_eq!((end.kind, end.mode), (Kind::Question, Mode::Sync));
    assert_eq!((end.by, end.outcome), (anas(), Outcome::Answered));
    assert_eq!((count.ended, count.waited), (1, 10_000));
    // 1,700,000,000 is at 22:13.
    let [(at, asked)] = record.tally.hours() else {
        panic!("{record:?}");
    };
    assert_eq!((at.kind, at.hour, *asked), (Kind::Question, 22, 1));
    let mut wanted = InsightNames::default();
    wanted.agents.insert(agent.id, String::new());
    wanted.responders.insert(Uuid::from_u128(8), String::new());
    wanted.responders.insert(Uuid::from_u128(9), String::new());
    let names = store.insight_names(&wanted).await.unwrap();
    assert_eq!(names.agents[&agent.id], "backend");
    // She is no person of this database: it is the name that she had then.
    assert_eq!(names.responders[&Uuid::from_u128(8)], "Ana");
    assert_eq!(names.responders.len(), 1);
}

async fn store_of(store: &dyn Store, interaction: &Interaction) -> Interaction {
    store.interaction(interaction.id).await.unwrap().unwrap()
}

async fn counted_in_any_steps_and_anew_it_is_the_same(database: Database) {
    let store = trusting(&database).await;
    let store = &*store;
    life(&database, store).await;
    count_all(store, 3).await;
    let kept = tallies(store, &everything()).await;
    assert_eq!(
        ends(store, &everything()).await,
        [
            (By::Nobody, Outcome::Fallback, 1),
            (By::Nobody, Outcome::Expired, 1),
            (By::Nobody, Outcome::Cancelled, 1),
            (anas(), Outcome::Answered, 1),
            (anas(), Outcome::Approved, 2),
            (anas(), Outcome::Denied, 1),
        ]
    );
    let days: Vec<i64> = kept.iter().map(|record| record.day.0).collect();
    assert!(
        days.is_sorted() && days[0] < days[days.len() - 1],
        "{days:?}"
    );
    for at_once in [1, 2, 1_000] {
        store.forget_counts().await.unwrap();
        assert_eq!(tallies(store, &everything()).await, []);
        assert_eq!(store.counted_to().await.unwrap().seq, 0);
        count_all(store, at_once).await;
        assert_eq!(tallies(store, &everything()).await, kept);
    }
    verify_journal(store).await.unwrap();
}

async fn of_nodes_that_count_at_once_each_end_is_counted_by_one(database: Database) {
    let store = trusting(&database).await;
    life(&database, &*store).await;
    let nodes = [
        store.clone(),
        database.store().await,
        database.store().await,
    ];
    let counting = nodes.map(|node| tokio::spawn(async move { count_all(&*node, 1).await }));
    // And asks go on meanwhile.
    let agent = database.agent(&*store, "backend").await;
    for _ in 0..5 {
        let question = database.asked(&*store, &agent, Draft::default()).await;
        store
            .commit(database.answer(&question, "80"))
            .await
            .unwrap();
    }
    for one in counting {
        one.await.unwrap();
    }
    count_all(&*store, 1_000).await;
    let kept = tallies(&*store, &everything()).await;
    let total: u64 = ends(&*store, &everything())
        .await
        .iter()
        .map(|(_, _, ended)| ended)
        .sum();
    assert_eq!(total, 7 + 5);
    store.forget_counts().await.unwrap();
    count_all(&*store, 1_000).await;
    assert_eq!(tallies(&*store, &everything()).await, kept);
}

async fn what_waits_and_what_is_told_is_not_counted(database: Database) {
    let store = database.store().await;
    let store = &*store;
    let agent = database.agent(store, "backend").await;
    database.asked(store, &agent, Draft::default()).await;
    let told = Draft {
        kind: Some("notification".into()),
        ..Draft::default()
    };
    database.asked(store, &agent, told).await;
    count_all(store, 100).await;
    assert_eq!(tallies(store, &everything()).await, []);
}

async fn what_a_grant_approved_is_nobodys_answer(database: Database) {
    let store = trusting(&database).await;
    let store = &*store;
    let agent = database.agent(store, "backend").await;
    let asked = asked(&database, store, &agent, None, approval("cargo test")).await;
    let link = domain::access::NewLink {
        hash: domain::SecretHash(crate::database::rand_hash()),
        expires_at: epoch(),
    };
    let now = database.at(0);
    let inviting = domain::decide::access::invite("Root", Role::Admin, link, &operator(), now);
    store.commit(inviting.unwrap()).await.unwrap();
    let key = domain::Person::name_key("Root");
    let root = store.account(&key).await.unwrap().unwrap().person;
    let root = Principal::Person {
        id: root.id,
        name: root.name,
        role: Role::Admin,
        proven_at: epoch(),
        teams: Parts::default(),
    };
    let deciding = decision(&database, &asked, true, &root, 2);
    let approved = written(&deciding);
    store.commit(deciding).await.unwrap();
    let draft = GrantDraft {
        expires_at: Some(epoch() + TimeDelta::days(7)),
        ..GrantDraft::default()
    };
    let making = rules::make(&approved, draft, &root, 0, database.at(3)).unwrap();
    let [Write::Grant(GrantWrite::Make(grant))] = &making.writes[..] else {
        panic!("{making:?}");
    };
    let record = GrantRecord {
        grant: (**grant).clone(),
        uses: 0,
        last_used_at: None,
        ended: None,
    };
    store.commit(making).await.unwrap();
    let using = decide::open_granted(
        approval("cargo test"),
        agent.clone(),
        AskedOf::default(),
        None,
        None,
        &record,
        database.at(10),
    );
    store.commit(using.unwrap()).await.unwrap();
    count_all(store, 2).await;
    let Principal::Person { id, .. } = root else {
        panic!("no person");
    };
    assert_eq!(
        ends(store, &everything()).await,
        [
            (By::Grant, Outcome::Approved, 1),
            (By::Responder(id.0), Outcome::Approved, 1),
        ]
    );
}

async fn what_was_counted_stays_when_its_words_are_erased(database: Database) {
    let store = trusting(&database).await;
    let store = &*store;
    let agent = database.agent(store, "backend").await;
    let mut all = Vec::new();
    for n in 0..2 {
        let draft = Draft::default();
        let question = database.asked(store, &agent, draft).await;
        store
            .commit(database.answer(&question, "80"))
            .await
            .unwrap();
        all.push(question);
        if n == 0 {
            count_all(store, 100).await;
        }
    }
    // One that is counted, and one that is not yet.
    for question in &all {
        erase(&database, store, question).await;
    }
    count_all(store, 100).await;
    let kept = tallies(store, &everything()).await;
    assert_eq!(
        ends(store, &everything()).await,
        [(anas(), Outcome::Answered, 2)]
    );
    store.forget_counts().await.unwrap();
    count_all(store, 100).await;
    assert_eq!(tallies(store, &everything()).await, kept);
}

async fn a_reader_sees_the_counts_of_their_teams(database: Database) {
    let store = trusting(&database).await;
    let store = &*store;
    life(&database, store).await;
    let search = team(&database, store, "Search").await;
    count_all(store, 100).await;
    let found = tallies(store, &everything()).await;
    let payments = found.iter().find_map(|record| record.team).unwrap();
    let total = |audience: Audience| async move {
        let query = InsightQuery {
            audience,
            ..everything()
        };
        let found = ends(store, &query).await;
        found.iter().map(|(_, _, ended)| ended).sum::<u64>()
    };
    assert_eq!(total(Audience::All).await, 7);
    assert_eq!(total(Audience::Teams(vec![payments])).await, 7);
    // Of no team, or of another: only what is everyone's.
    assert_eq!(total(Audience::Teams(vec![])).await, 4);
    assert_eq!(total(Audience::Teams(vec![search.id])).await, 4);
    let frontend = store.agent_named("frontend").await.unwrap().unwrap();
    assert_eq!(total(Audience::Agent(frontend)).await, 3);
}

async fn counts_are_narrowed_by_what_was_asked(database: Database) {
    let store = trusting(&database).await;
    let store = &*store;
    life(&database, store).await;
    count_all(store, 100).await;
    let found = tallies(store, &everything()).await;
    let payments = found.iter().find_map(|record| record.team).unwrap();
    let frontend = store.agent_named("frontend").await.unwrap();
    let total = |query: InsightQuery| async move {
        let found = ends(store, &query).await;
        found.iter().map(|(_, _, ended)| ended).sum::<u64>()
    };
    let today = Day::of(epoch());
    for (query, expected) in [
        (
            InsightQuery {
                kind: Some(Kind::Approval),
                ..everything()
            },
            3,
        ),
        (
            InsightQuery {
                kind: Some(Kind::Form),
                ..everything()
            },
            0,
        ),
        (
            InsightQuery {
                agent: frontend,
                ..everything()
            },
            3,
        ),
        (
            InsightQuery {
                team: Some(WhichTeam::Everyone),
                ..everything()
            },
            4,
        ),
        (
            InsightQuery {
                team: Some(WhichTeam::One(payments)),
                ..everything()
            },
            3,
        ),
        // Asked at 22:13, and then every 20,000 seconds.
        (
            InsightQuery {
                last: today,
                ..everything()
            },
            4,
        ),
        (
            InsightQuery {
                first: Day(today.0 + 1),
                ..everything()
            },
            3,
        ),
        (
            InsightQuery {
                first: Day(today.0 + 2),
                ..everything()
            },
            0,
        ),
    ] {
        assert_eq!(total(query.clone()).await, expected, "{query:?}");
    }
}

async fn counts_that_cannot_be_read_are_an_error_and_made_anew(database: Database) {
    let store = trusting(&database).await;
    let store = &*store;
    life(&database, store).await;
    count_all(store, 100).await;
    let kept = tallies(store, &everything()).await;
    let empty = match database.place.url.starts_with("sqlite") {
        true => "UPDATE insights SET counts = x''",
        false => "UPDATE insights SET counts = ''::bytea",
    };
    database.place.execute(empty).await.unwrap();
    let mut each = |_: &TallyRecord| panic!("it cannot be read");
    let found = store.tallies(&everything(), &mut each).await;
    let why = found.unwrap_err().to_string();
    assert!(why.contains("handraise insights rebuild"), "{why}");
    store.forget_counts().await.unwrap();
    count_all(store, 100).await;
    assert_eq!(tallies(store, &everything()).await, kept);
}

/// As a server of the version before leaves it: the events are there, and nothing is counted.
async fn a_database_from_before_is_counted_from_its_first_event(database: Database) {
    let store = trusting(&database).await;
    life(&database, &*store).await;
    store.close().await;
    drop(store);
    let reopened = trusting(&database).await;
    let counted = reopened.counted_to().await.unwrap();
    assert_eq!(counted.seq, 0);
    assert!(!counted.is_all());
    count_all(&*reopened, 1_000).await;
    assert_eq!(ends(&*reopened, &everything()).await.len(), 6);
}

/// A journal that was put back leaves numbers out, perhaps very many.
async fn numbers_that_are_left_out_hold_nothing_up(database: Database) {
    let store = trusting(&database).await;
    let store = &*store;
    life(&database, store).await;
    count_all(store, 100).await;
    let kept = tallies(store, &everything()).await;
    store.forget_counts().await.unwrap();
    let before = "UPDATE insight_position SET seq = -4000000000000000";
    database.place.execute(before).await.unwrap();
    let counted = store.count_ended(1_000).await.unwrap();
    assert!(counted.is_all(), "{counted:?}");
    assert_eq!(tallies(store, &everything()).await, kept);
}

async fn equal_approvals_are_counted_by_agent_and_team(database: Database) {
    let store = trusting(&database).await;
    let store = &*store;
    let backend = database.agent(store, "backend").await;
    let frontend = database.agent(store, "frontend").await;
    let payments = team(&database, store, "Payments").await;
    let mut last_approved = None;
    for (agent, of, command, approved) in [
        (&backend, None, "cargo test a1", true),
        (&backend, None, "cargo test a2", true),
        (&backend, None, "cargo test a3", false),
        (&backend, Some(&payments), "cargo test a4", true),
        (&backend, Some(&payments), "cargo test a5", true),
        (&frontend, None, "cargo test a6", true),
        (&backend, None, "cargo build", true),
    ] {
        let asked = asked(&database, store, agent, of, approval(command)).await;
        let decided = decided(&database, store, &asked, approved).await;
        if command == "cargo test a2" {
            last_approved = Some(decided.id);
        }
    }
    // It waits.
    asked(&database, store, &backend, None, approval("cargo test a7")).await;
    let brief = |found: Vec<AskedMost>| {
        let brief = found.into_iter().map(|one| {
            let team = one.team.map(|team| team.name);
            (one.agent.name, team, one.asked, one.approved, one.denied)
        });
        brief.collect::<Vec<_>>()
    };
    let found = store.asked_most(&everything(), 100, 10).await.unwrap();
    assert_eq!(Some(found[0].newest), last_approved);
    let backends = |team: Option<&str>, asked, approved, denied| {
        let team = team.map(str::to_owned);
        ("backend".to_owned(), team, asked, approved, denied)
    };
    let all = [backends(None, 3, 2, 1), backends(Some("Payments"), 2, 2, 0)];
    assert_eq!(brief(found), all);
    let found = store.asked_most(&everything(), 100, 1).await.unwrap();
    assert_eq!(brief(found), all[..1]);
    // Those of the newest ones alone: one of the three came before these six.
    let found = store.asked_most(&everything(), 6, 10).await.unwrap();
    assert_eq!(
        found.iter().map(|one| one.asked).collect::<Vec<_>>(),
        [2, 2]
    );
    for (query, expected) in [
        (
            InsightQuery {
                audience: Audience::Teams(vec![]),
                ..everything()
            },
            &all[..1],
        ),
        (
            InsightQuery {
                audience: Audience::Teams(vec![payments.id]),
                ..everything()
            },
            &all[..],
        ),
        (
            InsightQuery {
                team: Some(WhichTeam::One(payments.id)),
                ..everything()
            },
            &all[1..],
        ),
        (
            InsightQuery {
                team: Some(WhichTeam::Everyone),
                ..everything()
            },
            &all[..1],
        ),
        (
            InsightQuery {
                agent: Some(frontend.id),
                ..everything()
            },
            &all[..0],
        ),
        // Ids of this test are of long before that.
        (
            InsightQuery {
                first: Day::of(epoch()),
                ..everything()
            },
            &all[..0],
        ),
    ] {
        let found = store.asked_most(&query, 100, 10).await.unwrap();
        assert_eq!(brief(found), expected, "{query:?}");
    }
}

async fn erased_approvals_are_asked_no_more(database: Database) {
    let store = trusting(&database).await;
    let store = &*store;
    let agent = database.agent(store, "backend").await;
    let mut all = Vec::new();
    for _ in 0..3 {
        let asked = asked(&database, store, &agent, None, approval("cargo test")).await;
        all.push(decided(&database, store, &asked, true).await);
    }
    erase(&database, store, &all[2]).await;
    let found = store.asked_most(&everything(), 100, 10).await.unwrap();
    assert_eq!((found[0].asked, found[0].newest), (2, all[1].id));
    erase(&database, store, &all[1]).await;
    assert_eq!(store.asked_most(&everything(), 100, 10).await.unwrap(), []);
}
