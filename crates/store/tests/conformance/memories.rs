//! Answers that stand: used while they hold and at no other time, whatever has happened in between; and earlier answers to
//! questions like one, found by the index.

use std::sync::Arc;

use chrono::TimeDelta;
use domain::{
    AgentRef, Audience, Changeset, Event, Interaction, InteractionEvent, Memory, MemoryEvent, Part,
    Parts, Payload, Person, Principal, Role, SecretHash, Team, TokenKind, Write,
    access::{Access, NewLink},
    decide::{
        access,
        interaction::{self as decide, AskedOf, Erasable},
        memory as rules, team,
    },
    grant::Holder,
    interaction::{AnswerDraft, Draft, Kind, Request},
    memory::{MemoryDraft, MemoryEnd, MemoryRecord, MemoryWrite},
    sign::{PublicKey, Signature, Verify},
    team::Profile,
};
use store::{CommitError, EarlierQuery, MemoryQuery, Store, verify_journal};

use crate::database::{Database, epoch, operator, rand_hash, written};

store::on_both_databases!(
    an_answer_that_stands_comes_back_as_it_was_and_counts_its_uses,
    what_is_revoked_answers_no_more,
    a_row_that_forgets_that_it_was_revoked_answers_no_more,
    an_answer_stands_no_longer_than_the_rights_of_its_person,
    an_answer_stands_no_longer_than_the_part_in_its_team,
    an_answer_stands_no_longer_than_its_team,
    an_answer_stands_no_longer_than_its_agent_may_ask_its_team,
    an_answer_stands_no_longer_than_the_token_that_gave_it,
    an_answer_stands_no_longer_than_the_home_and_token_of_its_agent,
    an_answer_is_erased_with_the_question_that_it_was_given_to,
    no_more_than_two_hundred_of_one_person_stand,
    what_a_person_lets_stand_anew_takes_the_place_of_what_stood,
    what_an_earlier_answer_answers_is_no_news,
    answers_that_stand_are_listed_to_those_who_may_see_them,
    earlier_questions_are_those_of_the_same_team_and_kind,
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

async fn person(database: &Database, store: &dyn Store, name: &str, role: Role) -> Person {
    let link = NewLink {
        hash: SecretHash(rand_hash()),
        expires_at: epoch(),
    };
    let made = access::invite(name, role, link, &operator(), database.at(0)).unwrap();
    store.commit(made).await.unwrap();
    let account = store.account(&Person::name_key(name)).await.unwrap();
    account.unwrap().person
}

fn principal(person: &Person, parts: Parts) -> Principal {
    Principal::Person {
        id: person.id,
        name: person.name.clone(),
        role: person.role,
        proven_at: epoch(),
        teams: parts,
    }
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

fn request(prompt: &str) -> Request {
    let draft: Draft =
        serde_json::from_value(serde_json::json!({"kind": "question", "prompt": prompt})).unwrap();
    draft.check(|_| None).unwrap()
}

fn of(team: Option<&Team>) -> AskedOf {
    AskedOf {
        team: team.map(Team::named),
        to: None,
    }
}

/// A question that was answered.
async fn answered(
    database: &Database,
    store: &dyn Store,
    agent: &AgentRef,
    team: Option<&Team>,
    (prompt, text): (&str, &str),
    by: &Principal,
) -> Interaction {
    let asking = decide::open_for(
        request(prompt),
        agent.clone(),
        of(team),
        None,
        None,
        None,
        database.at(1),
    );
    let asked = written(&asking);
    store.commit(asking).await.unwrap();
    let answer = AnswerDraft {
        text: Some(text.to_owned()),
        ..AnswerDraft::default()
    };
    let answering = decide::answer(&asked, answer, by, None, database.at(2)).unwrap();
    let answered = written(&answering);
    store.commit(answering).await.unwrap();
    answered
}

const PORT: (&str, &str) = ("Which port?", "80");

fn for_a_week() -> MemoryDraft {
    MemoryDraft {
        days: Some(7),
        any_agent: false,
    }
}

fn keeping(
    database: &Database,
    answered: &Interaction,
    draft: MemoryDraft,
    by: &Principal,
) -> (Memory, Changeset) {
    let keeping = rules::keep(answered, draft, by, 0, database.at(3)).unwrap();
    let [Write::Memory(MemoryWrite::Keep(memory))] = &keeping.writes[..] else {
        panic!("{keeping:?}");
    };
    ((**memory).clone(), keeping)
}

async fn kept(
    database: &Database,
    store: &dyn Store,
    answered: &Interaction,
    draft: MemoryDraft,
    by: &Principal,
) -> Memory {
    let (memory, keeping) = keeping(database, answered, draft, by);
    store.commit(keeping).await.unwrap();
    memory
}

async fn record(store: &dyn Store, memory: &Memory) -> MemoryRecord {
    store.memory(memory.terms.id).await.unwrap().unwrap()
}

/// An ask that this answers, decided on it as it was made.
fn using(database: &Database, memory: &Memory, agent: &AgentRef, team: Option<&Team>) -> Changeset {
    let record = MemoryRecord {
        memory: memory.clone(),
        uses: 0,
        last_used_at: None,
        ended: None,
    };
    decide::open_remembered(
        request(PORT.0),
        agent.clone(),
        of(team),
        None,
        None,
        &record,
        database.at(10),
    )
    .unwrap()
}

/// It ended for this reason, and a decision from before is not committed any more.
async fn is_over(
    database: &Database,
    store: &dyn Store,
    memory: &Memory,
    agent: &AgentRef,
    team: Option<&Team>,
    why: MemoryEnd,
) {
    let stored = record(store, memory).await;
    assert_eq!(stored.ended.map(|ended| ended.why), Some(why));
    let late = using(database, memory, agent, team);
    let opened = written(&late).id;
    let committed = store.commit(late).await;
    assert!(
        matches!(committed, Err(CommitError::Conflict)),
        "{committed:?}"
    );
    assert!(store.interaction(opened).await.unwrap().is_none());
    assert_eq!(record(store, memory).await.uses, stored.uses);

    // The journal tells of it once, so it does not help that the row forgets it.
    let id = memory.terms.id;
    let tells = |event: &Event| match &event.payload {
        Payload::Memory(MemoryEvent::Revoked { id: of }) => *of == id && why == MemoryEnd::Revoked,
        Payload::Memory(MemoryEvent::Ended { id: of, why: told }) => *of == id && *told == why,
        Payload::Interaction(InteractionEvent::Erased(_)) => why == MemoryEnd::Erased,
        _ => false,
    };
    let told = store.events_of(memory.terms.made_from, 0, 100);
    let told = told.await.unwrap().into_iter().filter(tells).count();
    assert_eq!(told, 1, "{why:?}");
    let of_it = format!("WHERE terms LIKE '%{id}%'");
    let forget = format!("UPDATE memories SET ended_at = NULL, ended_why = NULL {of_it}");
    database.place.execute(&forget).await.unwrap();
    let late = using(database, memory, agent, team);
    let committed = store.commit(late).await;
    assert!(
        matches!(committed, Err(CommitError::Conflict)),
        "{committed:?}"
    );
    let at = stored.ended.map(|ended| ended.at.timestamp_millis());
    let again = format!(
        "UPDATE memories SET ended_at = {}, ended_why = '{}' {of_it}",
        at.unwrap(),
        why.name()
    );
    database.place.execute(&again).await.unwrap();
    assert_eq!(record(store, memory).await, stored);
    verify_journal(store).await.unwrap();
}

async fn an_answer_that_stands_comes_back_as_it_was_and_counts_its_uses(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let ana = person(&database, &*store, "Ana", Role::Responder).await;
    let by = principal(&ana, Parts::default());
    let question = answered(&database, &*store, &agent, None, PORT, &by).await;
    let memory = kept(&database, &*store, &question, for_a_week(), &by).await;
    let stored = record(&*store, &memory).await;
    assert_eq!(stored.memory, memory);
    assert_eq!(
        (stored.uses, stored.last_used_at, stored.ended),
        (0, None, None)
    );
    assert!(store.proves_memory(&stored.memory));
    let now = database.at(10).at;
    let asked = decide::repeated(&request(PORT.0), &agent, &AskedOf::default()).unwrap();
    let digest = asked.question.digest().unwrap();
    let found = store
        .memories_in_force(None, agent.id, &digest, now)
        .await
        .unwrap();
    assert_eq!(found, std::slice::from_ref(&stored));
    assert_eq!(store.memories_of(question.id).await.unwrap(), [stored]);
    let holder = Holder::Person(ana.id);
    assert_eq!(store.count_memories(holder, now).await.unwrap(), 1);
    let other = Holder::Token(domain::TokenId(ana.id.0));
    assert_eq!(store.count_memories(other, now).await.unwrap(), 0);
    let over = memory.terms.expires_at;
    assert_eq!(store.count_memories(holder, over).await.unwrap(), 0);
    let in_force = store.memories_in_force(None, agent.id, &digest, over).await;
    assert_eq!(in_force.unwrap(), []);
    let shop = team(&database, &*store, "Shop").await;
    let in_force = store
        .memories_in_force(Some(shop.id), agent.id, &digest, now)
        .await;
    assert_eq!(in_force.unwrap(), []);

    let first = using(&database, &memory, &agent, None);
    let used = written(&first);
    store.commit(first).await.unwrap();
    assert_eq!(
        store.interaction(used.id).await.unwrap(),
        Some(used.clone())
    );
    let events: Vec<_> = store.events_of(used.id, 0, 10).await.unwrap().collect();
    assert_eq!(Interaction::replay(&events), Some(used.clone()));
    let stored = record(&*store, &memory).await;
    assert_eq!((stored.uses, stored.last_used_at), (1, Some(now)));
    let id = memory.terms.id;
    let uses = store.memory_uses(id, epoch(), 10).await.unwrap();
    assert_eq!(uses.len(), 1);
    assert_eq!((uses[0].interaction, uses[0].at), (used.id, now));
    let later = now + TimeDelta::seconds(1);
    assert_eq!(store.memory_uses(id, later, 10).await.unwrap(), []);
    let counts = store.count_memory_uses(&[id], epoch()).await.unwrap();
    assert_eq!(counts.get(&id), Some(&1));
    assert_eq!(store.waiting(&Audience::All, 10).await.unwrap(), []);
    verify_journal(&*store).await.unwrap();
}

async fn what_is_revoked_answers_no_more(database: Database) {
    let store = trusting(&database).await;
    let other = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let ana = person(&database, &*store, "Ana", Role::Responder).await;
    let by = principal(&ana, Parts::default());
    let question = answered(&database, &*store, &agent, None, PORT, &by).await;
    let memory = kept(&database, &*store, &question, for_a_week(), &by).await;
    let revoking = rules::revoke(&record(&*store, &memory).await, &by, database.at(9)).unwrap();
    let again = revoking.clone();
    store.commit(revoking).await.unwrap();
    assert!(matches!(
        store.commit(again).await,
        Err(CommitError::Conflict)
    ));
    // On another node too, at once.
    is_over(
        &database,
        &*other,
        &memory,
        &agent,
        None,
        MemoryEnd::Revoked,
    )
    .await;
}

async fn a_row_that_forgets_that_it_was_revoked_answers_no_more(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let ana = person(&database, &*store, "Ana", Role::Responder).await;
    let by = principal(&ana, Parts::default());
    let question = answered(&database, &*store, &agent, None, PORT, &by).await;
    let memory = kept(&database, &*store, &question, for_a_week(), &by).await;
    let revoking = rules::revoke(&record(&*store, &memory).await, &by, database.at(9)).unwrap();
    store.commit(revoking).await.unwrap();
    let forget = "UPDATE memories SET ended_at = NULL, ended_why = NULL";
    database.place.execute(forget).await.unwrap();
    let late = using(&database, &memory, &agent, None);
    assert!(matches!(
        store.commit(late).await,
        Err(CommitError::Conflict)
    ));
}

async fn an_answer_stands_no_longer_than_the_rights_of_its_person(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    for (name, is_disabled) in [("Ana", true), ("Ben", false)] {
        let person = person(&database, &*store, name, Role::Responder).await;
        let by = principal(&person, Parts::default());
        let question = answered(&database, &*store, &agent, None, PORT, &by).await;
        let memory = kept(&database, &*store, &question, for_a_week(), &by).await;
        let ending = match is_disabled {
            true => access::disable(&person, true, &[], &operator(), database.at(5)),
            false => access::change(&person, name, Role::Viewer, &operator(), database.at(5)),
        };
        store.commit(ending.unwrap()).await.unwrap();
        is_over(
            &database,
            &*store,
            &memory,
            &agent,
            None,
            MemoryEnd::HolderLost,
        )
        .await;
        // Whoever gets them back has let nothing stand.
        let now = store.person(person.id).await.unwrap().unwrap();
        let back = match is_disabled {
            true => access::disable(&now, false, &[], &operator(), database.at(6)),
            false => access::change(&now, name, Role::Admin, &operator(), database.at(6)),
        };
        store.commit(back.unwrap()).await.unwrap();
        is_over(
            &database,
            &*store,
            &memory,
            &agent,
            None,
            MemoryEnd::HolderLost,
        )
        .await;
    }
}

async fn an_answer_stands_no_longer_than_the_part_in_its_team(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let shop = team(&database, &*store, "Shop").await;
    let ana = person(&database, &*store, "Ana", Role::Responder).await;
    let joining = team::set_member(
        &shop,
        &ana,
        None,
        Part::Answers,
        &operator(),
        database.at(0),
    );
    store.commit(joining.unwrap()).await.unwrap();
    let by = principal(&ana, [(shop.id, Part::Answers)].into_iter().collect());
    let question = answered(&database, &*store, &agent, Some(&shop), PORT, &by).await;
    let memory = kept(&database, &*store, &question, for_a_week(), &by).await;
    let using_it = using(&database, &memory, &agent, Some(&shop));
    store.commit(using_it).await.unwrap();
    let leaving = team::remove_member(
        &shop,
        &ana,
        Some(Part::Answers),
        &operator(),
        database.at(5),
    );
    store.commit(leaving.unwrap()).await.unwrap();
    let why = MemoryEnd::HolderLost;
    is_over(&database, &*store, &memory, &agent, Some(&shop), why).await;
}

async fn an_answer_stands_no_longer_than_its_team(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let shop = team(&database, &*store, "Shop").await;
    let ana = person(&database, &*store, "Ana", Role::Admin).await;
    let by = principal(&ana, Parts::default());
    let question = answered(&database, &*store, &agent, Some(&shop), PORT, &by).await;
    let memory = kept(&database, &*store, &question, for_a_week(), &by).await;
    let forget = "UPDATE teams SET deleted_at = 1";
    database.place.execute(forget).await.unwrap();
    let late = using(&database, &memory, &agent, Some(&shop));
    assert!(matches!(
        store.commit(late).await,
        Err(CommitError::Conflict)
    ));
}

async fn an_answer_stands_no_longer_than_its_agent_may_ask_its_team(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let ana = person(&database, &*store, "Ana", Role::Admin).await;
    let by = principal(&ana, Parts::default());
    for (name, why) in [
        ("Shop", MemoryEnd::TeamDeleted),
        ("Depot", MemoryEnd::AgentChanged),
    ] {
        let shop = team(&database, &*store, name).await;
        let open = team::set_open(&shop, &agent, false, true, &operator(), database.at(0));
        store.commit(open.unwrap()).await.unwrap();
        let question = answered(&database, &*store, &agent, Some(&shop), PORT, &by).await;
        let memory = kept(&database, &*store, &question, for_a_week(), &by).await;
        let ending = match why {
            MemoryEnd::TeamDeleted => team::delete(&shop, 0, 0, &operator(), database.at(5)),
            _ => team::set_open(&shop, &agent, true, false, &operator(), database.at(5)),
        };
        store.commit(ending.unwrap()).await.unwrap();
        is_over(&database, &*store, &memory, &agent, Some(&shop), why).await;
    }
}

async fn an_answer_stands_no_longer_than_the_token_that_gave_it(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    database.token(&*store, TokenKind::Responder, "desk").await;
    let tokens = store.tokens().await.unwrap();
    let made = tokens.iter().map(|record| &record.token);
    let mut made = made.filter(|token| token.kind == TokenKind::Responder);
    let token = made.next().unwrap();
    let by = Principal::Script {
        id: token.id,
        name: token.name.clone(),
        teams: Parts::default(),
    };
    let question = answered(&database, &*store, &agent, None, PORT, &by).await;
    let memory = kept(&database, &*store, &question, for_a_week(), &by).await;
    let used = using(&database, &memory, &agent, None);
    store.commit(used).await.unwrap();
    let revoking = access::revoke_token(token, &operator(), database.at(5)).unwrap();
    store.commit(revoking).await.unwrap();
    let why = MemoryEnd::HolderLost;
    is_over(&database, &*store, &memory, &agent, None, why).await;
}

async fn an_answer_stands_no_longer_than_the_home_and_token_of_its_agent(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let shop = team(&database, &*store, "Shop").await;
    let ana = person(&database, &*store, "Ana", Role::Responder).await;
    let by = principal(&ana, Parts::default());
    let question = answered(&database, &*store, &agent, None, PORT, &by).await;
    let any = MemoryDraft {
        any_agent: true,
        ..for_a_week()
    };
    let of_it = kept(&database, &*store, &question, for_a_week(), &by).await;
    let of_all = kept(&database, &*store, &question, any, &by).await;
    let moving = team::set_home(&agent, None, Some(&shop), &operator(), database.at(5));
    store.commit(moving.unwrap()).await.unwrap();
    is_over(
        &database,
        &*store,
        &of_it,
        &agent,
        None,
        MemoryEnd::AgentChanged,
    )
    .await;
    let back = team::set_home(&agent, Some(shop.id), None, &operator(), database.at(6));
    store.commit(back.unwrap()).await.unwrap();
    let again = kept(&database, &*store, &question, for_a_week(), &by).await;
    let tokens = store.tokens().await.unwrap();
    let revoking = access::revoke_token(&tokens[0].token, &operator(), database.at(7)).unwrap();
    store.commit(revoking).await.unwrap();
    is_over(
        &database,
        &*store,
        &again,
        &agent,
        None,
        MemoryEnd::AgentChanged,
    )
    .await;
    // What stands for every agent is no one's.
    assert_eq!(record(&*store, &of_all).await.ended, None);
    let stranger = database.agent(&*store, "frontend").await;
    let used = using(&database, &of_all, &stranger, None);
    store.commit(used).await.unwrap();
}

async fn an_answer_is_erased_with_the_question_that_it_was_given_to(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let ana = person(&database, &*store, "Ana", Role::Responder).await;
    let by = principal(&ana, Parts::default());
    let question = answered(&database, &*store, &agent, None, PORT, &by).await;
    let memory = kept(&database, &*store, &question, for_a_week(), &by).await;
    let erasable: Erasable = store.erasable(question.id).await.unwrap().unwrap();
    let admin = person(&database, &*store, "Root", Role::Admin).await;
    let admin = principal(&admin, Parts::default());
    let erasing = decide::erase(&erasable, &admin, database.at(5)).unwrap();
    store.commit(erasing).await.unwrap();
    let stored = record(&*store, &memory).await;
    assert_eq!(stored.memory.terms, memory.terms);
    assert_eq!(stored.memory.kept, None);
    is_over(&database, &*store, &memory, &agent, None, MemoryEnd::Erased).await;
    let (_, again) = keeping(&database, &question, for_a_week(), &by);
    assert!(matches!(
        store.commit(again).await,
        Err(CommitError::Conflict)
    ));
    // What it answered meanwhile is erased by itself.
    let earlier = EarlierQuery {
        before: domain::InteractionId(uuid::Uuid::max()),
        team: None,
        kind: Kind::Question,
        words: vec!["port".to_owned()],
        limit: 10,
    };
    assert_eq!(store.earlier_questions(&earlier).await.unwrap(), []);
}

async fn no_more_than_two_hundred_of_one_person_stand(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let ana = person(&database, &*store, "Ana", Role::Responder).await;
    let by = principal(&ana, Parts::default());
    for n in 0..domain::limits::MEMORIES {
        let prompt = format!("Which port has {n}?");
        let question = answered(&database, &*store, &agent, None, (&prompt, "80"), &by).await;
        kept(&database, &*store, &question, for_a_week(), &by).await;
    }
    let question = answered(&database, &*store, &agent, None, PORT, &by).await;
    // Decided while there were fewer.
    let (_, one_more) = keeping(&database, &question, for_a_week(), &by);
    assert!(matches!(
        store.commit(one_more).await,
        Err(CommitError::Conflict)
    ));
}

async fn what_a_person_lets_stand_anew_takes_the_place_of_what_stood(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let other = database.agent(&*store, "frontend").await;
    let ana = person(&database, &*store, "Ana", Role::Responder).await;
    let ben = person(&database, &*store, "Ben", Role::Responder).await;
    let (by, by_ben) = (
        principal(&ana, Parts::default()),
        principal(&ben, Parts::default()),
    );
    let question = answered(&database, &*store, &agent, None, PORT, &by).await;
    let of_all = MemoryDraft {
        any_agent: true,
        ..for_a_week()
    };
    let for_all = kept(&database, &*store, &question, of_all, &by).await;
    let first = kept(&database, &*store, &question, for_a_week(), &by).await;
    let elsewhere = answered(&database, &*store, &other, None, PORT, &by).await;
    let of_other = kept(&database, &*store, &elsewhere, for_a_week(), &by).await;
    let theirs = answered(&database, &*store, &agent, None, PORT, &by_ben).await;
    let of_ben = kept(&database, &*store, &theirs, for_a_week(), &by_ben).await;
    let again = (PORT.0, "8080");
    let question = answered(&database, &*store, &agent, None, again, &by).await;
    let second = kept(&database, &*store, &question, for_a_week(), &by).await;
    let ended = record(&*store, &first).await.ended;
    let (id, why) = (first.terms.id, MemoryEnd::Replaced);
    assert_eq!(ended.map(|it| it.why), Some(why));
    let told = store.events_of(first.terms.made_from, 0, 100);
    let mut told = told.await.unwrap().into_iter().map(|event| event.payload);
    let replaced = Payload::Memory(MemoryEvent::Ended { id, why });
    assert!(told.any(|payload| payload == replaced));
    for stands in [&for_all, &of_other, &of_ben, &second] {
        assert_eq!(record(&*store, stands).await.ended, None);
    }
    let asked = decide::repeated(&request(PORT.0), &agent, &AskedOf::default()).unwrap();
    let digest = asked.question.digest().unwrap();
    let found = store
        .memories_in_force(None, agent.id, &digest, database.at(10).at)
        .await
        .unwrap();
    let found: Vec<_> = found.iter().map(|one| one.memory.terms.id).collect();
    // What stands for another agent alone is not among them.
    let mut expected = [for_all, of_ben, second].map(|one| one.terms.id);
    expected.sort_unstable();
    assert_eq!(found, expected);
    verify_journal(&*store).await.unwrap();
}

async fn what_an_earlier_answer_answers_is_no_news(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let ana = person(&database, &*store, "Ana", Role::Responder).await;
    let by = principal(&ana, Parts::default());
    let question = answered(&database, &*store, &agent, None, PORT, &by).await;
    let memory = kept(&database, &*store, &question, for_a_week(), &by).await;
    let before = store.last_seq().await.unwrap();
    let used = using(&database, &memory, &agent, None);
    store.commit(used).await.unwrap();
    let page = store.news(before, 100).await.unwrap();
    assert_eq!((page.news.len(), page.up_to), (0, before + 2));
}

async fn answers_that_stand_are_listed_to_those_who_may_see_them(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let shop = team(&database, &*store, "Shop").await;
    let ana = person(&database, &*store, "Ana", Role::Admin).await;
    let by = principal(&ana, Parts::default());
    let open = answered(&database, &*store, &agent, None, PORT, &by).await;
    let closed = answered(&database, &*store, &agent, Some(&shop), PORT, &by).await;
    let of_all = kept(&database, &*store, &open, for_a_week(), &by).await;
    let of_shop = kept(&database, &*store, &closed, for_a_week(), &by).await;
    let query = MemoryQuery {
        limit: 10,
        ..MemoryQuery::default()
    };
    let ids = |found: Vec<MemoryRecord>| -> Vec<_> {
        found.into_iter().map(|one| one.memory.terms.id).collect()
    };
    for (audience, seen) in [
        (Audience::All, vec![of_shop.terms.id, of_all.terms.id]),
        (
            Audience::Teams(vec![shop.id]),
            vec![of_shop.terms.id, of_all.terms.id],
        ),
        (Audience::default(), vec![of_all.terms.id]),
    ] {
        let found = store.memories(&audience, query).await.unwrap();
        assert_eq!(ids(found), seen, "{audience:?}");
    }
    let second = MemoryQuery {
        before: Some(of_shop.terms.id),
        ..query
    };
    let found = store.memories(&Audience::All, second).await.unwrap();
    assert_eq!(ids(found), [of_all.terms.id]);
    let late = MemoryQuery {
        open_since: Some(of_all.terms.expires_at + TimeDelta::seconds(1)),
        ..query
    };
    assert_eq!(store.memories(&Audience::All, late).await.unwrap(), []);
}

async fn earlier_questions_are_those_of_the_same_team_and_kind(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let shop = team(&database, &*store, "Shop").await;
    let ana = person(&database, &*store, "Ana", Role::Admin).await;
    let by = principal(&ana, Parts::default());
    let timeout = ("Which timeout for the orders client?", "150 ms");
    let open = answered(&database, &*store, &agent, None, timeout, &by).await;
    let closed = answered(&database, &*store, &agent, Some(&shop), timeout, &by).await;
    answered(&database, &*store, &agent, None, PORT, &by).await;
    // One that waits for its answer is none.
    let asking = decide::open_for(
        request(timeout.0),
        agent.clone(),
        of(None),
        None,
        None,
        None,
        database.at(1),
    );
    store.commit(asking).await.unwrap();
    // Enough others that the newest are not all that is looked at.
    for n in 0..150 {
        let noise = format!("Is job {n} done?");
        answered(&database, &*store, &agent, None, (&noise, "yes"), &by).await;
    }
    let earlier = |team: Option<&Team>, kind, words: &[&str], before| {
        let query = EarlierQuery {
            before,
            team: team.map(|team| team.id),
            kind,
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            limit: 10,
        };
        let store = store.clone();
        async move {
            let found = store.earlier_questions(&query).await.unwrap();
            found.iter().map(|one| one.id).collect::<Vec<_>>()
        }
    };
    let last = domain::InteractionId(uuid::Uuid::max());
    let question = Kind::Question;
    let words: &[&str] = &["timeout", "orders"];
    assert_eq!(earlier(None, question, words, last).await, [open.id]);
    assert_eq!(
        earlier(Some(&shop), question, words, last).await,
        [closed.id]
    );
    assert!(earlier(None, Kind::Choice, words, last).await.is_empty());
    assert!(
        earlier(None, question, &["timeout", "payments"], last)
            .await
            .is_empty()
    );
    assert!(earlier(None, question, &[], last).await.is_empty());
    assert!(earlier(None, question, words, open.id).await.is_empty());
}
