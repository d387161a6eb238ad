//! Standing approvals (rule 15): used while they hold and at no other time, whatever has happened in between.

use std::sync::Arc;

use chrono::TimeDelta;
use domain::{
    AgentRef, Audience, Changeset, Event, Grant, GrantEvent, Interaction, InteractionEvent, Part,
    Parts, Payload, Person, Principal, Role, SecretHash, Team, Token, TokenKind, Verify, Write,
    access::{Access, NewLink},
    decide::{
        access, grant as rules,
        interaction::{self as decide, AskedOf, Erasable},
        team,
    },
    grant::{GrantDraft, GrantEnd, GrantRecord, GrantWrite},
    interaction::{AnswerDraft, Draft, Request},
    sign::{PublicKey, Signature},
    team::Profile,
};
use store::{CommitError, GrantQuery, Store, verify_journal};

use crate::database::{Database, epoch, operator, rand_hash, written};

store::on_both_databases!(
    a_grant_comes_back_as_it_was_and_counts_its_uses,
    of_many_uses_at_once_no_more_than_allowed_count,
    what_is_revoked_is_used_no_more,
    a_row_that_forgets_that_it_was_revoked_is_used_no_more,
    a_row_that_forgets_its_uses_is_used_no_more,
    what_was_approved_begins_no_more_once_its_grant_was_taken_back,
    a_grant_ends_with_the_rights_of_its_person,
    a_grant_ends_with_the_part_in_its_team,
    a_grant_ends_with_the_home_of_its_agent,
    a_grant_ends_with_the_token_of_its_agent,
    a_grant_ends_with_the_token_that_made_it,
    a_grant_ends_with_its_team_and_with_the_right_to_ask_it,
    a_grant_for_a_session_ends_with_it,
    a_grant_is_erased_with_what_it_was_made_from,
    what_a_grant_approves_is_no_news,
    grants_and_approvals_are_listed_to_those_who_may_see_them,
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

fn request(session: Option<&str>) -> Request {
    let draft: Draft = serde_json::from_value(serde_json::json!({
        "kind": "approval", "prompt": "May it run?", "session_id": session,
        "action": {"tool": "Bash", "arguments": {"command": "cargo test"}},
    }))
    .unwrap();
    draft.check(|_| None).unwrap()
}

fn of(team: Option<&Team>) -> AskedOf {
    AskedOf {
        team: team.map(Team::named),
        to: None,
    }
}

/// An approval that was given.
async fn approved(
    database: &Database,
    store: &dyn Store,
    agent: &AgentRef,
    team: Option<&Team>,
    by: &Principal,
) -> Interaction {
    let asking = decide::open_for(
        request(Some("run 1")),
        agent.clone(),
        of(team),
        None,
        None,
        None,
        database.at(1),
    );
    let asked = written(&asking);
    store.commit(asking).await.unwrap();
    let yes = AnswerDraft {
        approved: Some(true),
        ..AnswerDraft::default()
    };
    let answering = decide::answer(&asked, yes, by, None, database.at(2)).unwrap();
    let answered = written(&answering);
    store.commit(answering).await.unwrap();
    answered
}

fn for_a_week() -> GrantDraft {
    GrantDraft {
        expires_at: Some(epoch() + TimeDelta::days(7)),
        ..GrantDraft::default()
    }
}

async fn granted(
    database: &Database,
    store: &dyn Store,
    approval: &Interaction,
    draft: GrantDraft,
    by: &Principal,
) -> Grant {
    let making = rules::make(approval, draft, by, 0, database.at(3)).unwrap();
    let [Write::Grant(GrantWrite::Make(grant))] = &making.writes[..] else {
        panic!("{making:?}");
    };
    let grant = (**grant).clone();
    store.commit(making).await.unwrap();
    grant
}

async fn record(store: &dyn Store, grant: &Grant) -> GrantRecord {
    store.grant(grant.terms.id).await.unwrap().unwrap()
}

/// An ask that this grant approves, decided on it as it was made.
fn using(database: &Database, grant: &Grant, agent: &AgentRef, team: Option<&Team>) -> Changeset {
    let record = GrantRecord {
        grant: grant.clone(),
        uses: 0,
        last_used_at: None,
        ended: None,
    };
    let session = Some("run 1");
    decide::open_granted(
        request(session),
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
    grant: &Grant,
    team: Option<&Team>,
    why: GrantEnd,
) {
    let stored = record(store, grant).await;
    assert_eq!(stored.ended.map(|ended| ended.why), Some(why));
    let late = using(database, grant, &grant.terms.agent, team);
    let opened = written(&late).id;
    let committed = store.commit(late).await;
    assert!(
        matches!(committed, Err(CommitError::Conflict)),
        "{committed:?}"
    );
    assert!(store.interaction(opened).await.unwrap().is_none());
    assert_eq!(record(store, grant).await.uses, stored.uses);

    // The journal tells of it once, so it does not help that the row forgets it.
    let id = grant.terms.id;
    let tells = |event: &Event| match &event.payload {
        Payload::Grant(GrantEvent::Revoked { id: of }) => *of == id && why == GrantEnd::Revoked,
        Payload::Grant(GrantEvent::Ended { id: of, why: told }) => *of == id && *told == why,
        Payload::Interaction(InteractionEvent::Erased(_)) => why == GrantEnd::Erased,
        _ => false,
    };
    let told = store.events_of(grant.terms.made_from, 0, 100);
    let told = told.await.unwrap().into_iter().filter(tells).count();
    assert_eq!(told, 1, "{why:?}");
    let of_it = format!("WHERE terms LIKE '%{id}%'");
    let forget = format!("UPDATE grants SET ended_at = NULL, ended_why = NULL {of_it}");
    database.place.execute(&forget).await.unwrap();
    let late = using(database, grant, &grant.terms.agent, team);
    let committed = store.commit(late).await;
    assert!(
        matches!(committed, Err(CommitError::Conflict)),
        "{committed:?}"
    );
    let at = stored.ended.map(|ended| ended.at.timestamp_millis());
    let again = format!(
        "UPDATE grants SET ended_at = {}, ended_why = '{}' {of_it}",
        at.unwrap(),
        why.name()
    );
    database.place.execute(&again).await.unwrap();
    assert_eq!(record(store, grant).await, stored);
    verify_journal(store).await.unwrap();
}

async fn a_grant_comes_back_as_it_was_and_counts_its_uses(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let ana = person(&database, &*store, "Ana", Role::Responder).await;
    let by = principal(&ana, Parts::default());
    let approval = approved(&database, &*store, &agent, None, &by).await;
    let grant = granted(&database, &*store, &approval, for_a_week(), &by).await;
    let stored = record(&*store, &grant).await;
    assert_eq!(stored.grant, grant);
    assert_eq!(
        (stored.uses, stored.last_used_at, stored.ended),
        (0, None, None)
    );
    assert!(store.proves_grant(&stored.grant));
    let now = database.at(10).at;
    let found = store.grants_in_force(agent.id, "Bash", now).await.unwrap();
    assert_eq!(found, [stored]);
    assert_eq!(store.count_grants(agent.id, now).await.unwrap(), 1);
    for (tool, at) in [("bash", now), ("Bash", grant.terms.expires_at)] {
        assert_eq!(store.grants_in_force(agent.id, tool, at).await.unwrap(), []);
    }

    let first = using(&database, &grant, &agent, None);
    let used = written(&first);
    store.commit(first).await.unwrap();
    assert_eq!(
        store.interaction(used.id).await.unwrap(),
        Some(used.clone())
    );
    let events: Vec<_> = store.events_of(used.id, 0, 10).await.unwrap().collect();
    assert_eq!(Interaction::replay(&events), Some(used.clone()));
    let stored = record(&*store, &grant).await;
    assert_eq!((stored.uses, stored.last_used_at), (1, Some(now)));
    let uses = store.grant_uses(grant.terms.id, epoch(), 10).await.unwrap();
    assert_eq!(uses.len(), 1);
    assert_eq!((uses[0].interaction, uses[0].at), (used.id, now));
    let later = now + TimeDelta::seconds(1);
    assert_eq!(
        store.grant_uses(grant.terms.id, later, 10).await.unwrap(),
        []
    );
    let counts = store.count_uses(&[grant.terms.id], epoch()).await.unwrap();
    assert_eq!(counts.get(&grant.terms.id), Some(&1));
    assert_eq!(store.waiting(&Audience::All, 10).await.unwrap(), []);
    verify_journal(&*store).await.unwrap();
}

async fn of_many_uses_at_once_no_more_than_allowed_count(database: Database) {
    let store = trusting(&database).await;
    let other = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let ana = person(&database, &*store, "Ana", Role::Responder).await;
    let by = principal(&ana, Parts::default());
    let approval = approved(&database, &*store, &agent, None, &by).await;
    let draft = GrantDraft {
        uses: Some(3),
        ..for_a_week()
    };
    let grant = granted(&database, &*store, &approval, draft, &by).await;
    let commits = (0..16).map(|n| {
        let store = if n % 2 == 0 {
            store.clone()
        } else {
            other.clone()
        };
        let using = using(&database, &grant, &agent, None);
        tokio::spawn(async move { store.commit(using).await.is_ok() })
    });
    let mut won = 0;
    for commit in commits.collect::<Vec<_>>() {
        won += u32::from(commit.await.unwrap());
    }
    assert_eq!(won, 3);
    let used = record(&*store, &grant).await;
    assert_eq!(used.uses, 3);
    assert_eq!(used.ended.map(|ended| ended.why), Some(GrantEnd::UsedUp));
    assert!(!used.was_taken_back());
    is_over(&database, &*store, &grant, None, GrantEnd::UsedUp).await;
    assert_eq!(store.count_grants(agent.id, epoch()).await.unwrap(), 0);
}

async fn what_is_revoked_is_used_no_more(database: Database) {
    let store = trusting(&database).await;
    let other = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let ana = person(&database, &*store, "Ana", Role::Responder).await;
    let by = principal(&ana, Parts::default());
    let approval = approved(&database, &*store, &agent, None, &by).await;
    let grant = granted(&database, &*store, &approval, for_a_week(), &by).await;
    let revoking = rules::revoke(&record(&*store, &grant).await, &by, database.at(9)).unwrap();
    let again = revoking.clone();
    store.commit(revoking).await.unwrap();
    assert!(matches!(
        store.commit(again).await,
        Err(CommitError::Conflict)
    ));
    // On another node too, at once.
    is_over(&database, &*other, &grant, None, GrantEnd::Revoked).await;
}

async fn a_row_that_forgets_that_it_was_revoked_is_used_no_more(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let ana = person(&database, &*store, "Ana", Role::Responder).await;
    let by = principal(&ana, Parts::default());
    let approval = approved(&database, &*store, &agent, None, &by).await;
    let grant = granted(&database, &*store, &approval, for_a_week(), &by).await;
    let revoking = rules::revoke(&record(&*store, &grant).await, &by, database.at(9)).unwrap();
    store.commit(revoking).await.unwrap();
    let forget = "UPDATE grants SET ended_at = NULL, ended_why = NULL";
    database.place.execute(forget).await.unwrap();
    let late = using(&database, &grant, &agent, None);
    assert!(matches!(
        store.commit(late).await,
        Err(CommitError::Conflict)
    ));
}

async fn a_row_that_forgets_its_uses_is_used_no_more(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let ana = person(&database, &*store, "Ana", Role::Responder).await;
    let by = principal(&ana, Parts::default());
    let approval = approved(&database, &*store, &agent, None, &by).await;
    let grant = granted(&database, &*store, &approval, for_a_week(), &by).await;
    for _ in 0..2 {
        let using = using(&database, &grant, &agent, None);
        store.commit(using).await.unwrap();
    }
    let forget = "UPDATE grants SET uses = 0";
    database.place.execute(forget).await.unwrap();
    let late = using(&database, &grant, &agent, None);
    assert!(matches!(
        store.commit(late).await,
        Err(CommitError::Conflict)
    ));
}

/// An agent begins what a grant has approved.
fn beginning(
    database: &Database,
    used: &Interaction,
    grant: &Grant,
    agent: &AgentRef,
) -> Changeset {
    let run = "one".to_owned();
    let mut begun = decide::consume(used, agent, run, database.at(12)).unwrap();
    begun.writes.push(Write::Grant(GrantWrite::Stands {
        grant: grant.terms.id,
        made_from: grant.terms.made_from,
    }));
    begun
}

async fn what_was_approved_begins_no_more_once_its_grant_was_taken_back(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let ana = person(&database, &*store, "Ana", Role::Responder).await;
    let by = principal(&ana, Parts::default());
    let approval = approved(&database, &*store, &agent, None, &by).await;
    let once = GrantDraft {
        uses: Some(1),
        ..for_a_week()
    };
    let used_up = granted(&database, &*store, &approval, once, &by).await;
    let lasting = granted(&database, &*store, &approval, for_a_week(), &by).await;
    let mut used = Vec::new();
    for grant in [&used_up, &lasting, &lasting, &lasting] {
        let using = using(&database, grant, &agent, None);
        used.push(written(&using));
        store.commit(using).await.unwrap();
    }
    // One that was used up stands by what it has approved.
    for (used, grant) in [(&used[0], &used_up), (&used[1], &lasting)] {
        let begun = beginning(&database, used, grant, &agent);
        store.commit(begun).await.unwrap();
    }
    let revoking = rules::revoke(&record(&*store, &lasting).await, &by, database.at(11));
    store.commit(revoking.unwrap()).await.unwrap();
    let late = beginning(&database, &used[2], &lasting, &agent);
    assert!(matches!(
        store.commit(late).await,
        Err(CommitError::Conflict)
    ));
    // Whatever the row says of it.
    let forget = "UPDATE grants SET ended_at = NULL, ended_why = NULL";
    database.place.execute(forget).await.unwrap();
    let late = beginning(&database, &used[3], &lasting, &agent);
    assert!(matches!(
        store.commit(late).await,
        Err(CommitError::Conflict)
    ));
    let stored = store.interaction(used[3].id).await.unwrap().unwrap();
    assert_eq!(stored.consumed, None);
}

async fn a_grant_ends_with_the_rights_of_its_person(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    for (name, is_disabled) in [("Ana", true), ("Ben", false)] {
        let person = person(&database, &*store, name, Role::Responder).await;
        let by = principal(&person, Parts::default());
        let approval = approved(&database, &*store, &agent, None, &by).await;
        let grant = granted(&database, &*store, &approval, for_a_week(), &by).await;
        let ending = match is_disabled {
            true => access::disable(&person, true, &[], &operator(), database.at(5)),
            false => access::change(&person, name, Role::Viewer, &operator(), database.at(5)),
        };
        store.commit(ending.unwrap()).await.unwrap();
        is_over(&database, &*store, &grant, None, GrantEnd::HolderLost).await;
        // Who gets them back has approved nothing ahead.
        let now = store.person(person.id).await.unwrap().unwrap();
        let back = match is_disabled {
            true => access::disable(&now, false, &[], &operator(), database.at(6)),
            false => access::change(&now, name, Role::Admin, &operator(), database.at(6)),
        };
        store.commit(back.unwrap()).await.unwrap();
        is_over(&database, &*store, &grant, None, GrantEnd::HolderLost).await;
    }
}

async fn a_grant_ends_with_the_part_in_its_team(database: Database) {
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
    let approval = approved(&database, &*store, &agent, Some(&shop), &by).await;
    let grant = granted(&database, &*store, &approval, for_a_week(), &by).await;
    let using_it = using(&database, &grant, &agent, Some(&shop));
    store.commit(using_it).await.unwrap();
    let leaving = team::remove_member(
        &shop,
        &ana,
        Some(Part::Answers),
        &operator(),
        database.at(5),
    );
    store.commit(leaving.unwrap()).await.unwrap();
    is_over(
        &database,
        &*store,
        &grant,
        Some(&shop),
        GrantEnd::HolderLost,
    )
    .await;
}

async fn a_grant_ends_with_the_home_of_its_agent(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let shop = team(&database, &*store, "Shop").await;
    let ana = person(&database, &*store, "Ana", Role::Responder).await;
    let by = principal(&ana, Parts::default());
    let approval = approved(&database, &*store, &agent, None, &by).await;
    let grant = granted(&database, &*store, &approval, for_a_week(), &by).await;
    let moving = team::set_home(&agent, None, Some(&shop), &operator(), database.at(5));
    store.commit(moving.unwrap()).await.unwrap();
    is_over(&database, &*store, &grant, None, GrantEnd::AgentChanged).await;
}

async fn a_grant_ends_with_the_token_of_its_agent(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let ana = person(&database, &*store, "Ana", Role::Responder).await;
    let by = principal(&ana, Parts::default());
    let approval = approved(&database, &*store, &agent, None, &by).await;
    let grant = granted(&database, &*store, &approval, for_a_week(), &by).await;
    let tokens = store.tokens().await.unwrap();
    let token: &Token = &tokens[0].token;
    assert_eq!(token.kind, TokenKind::Agent);
    let revoking = access::revoke_token(token, &operator(), database.at(5)).unwrap();
    store.commit(revoking).await.unwrap();
    is_over(&database, &*store, &grant, None, GrantEnd::AgentChanged).await;
}

/// A program that answers with a token of its own.
async fn script(database: &Database, store: &dyn Store) -> (Token, Principal) {
    database.token(store, TokenKind::Responder, "desk").await;
    let tokens = store.tokens().await.unwrap();
    let made = tokens.iter().map(|record| &record.token);
    let mut made = made.filter(|token| token.kind == TokenKind::Responder);
    let token = made.next().unwrap().clone();
    let by = Principal::Script {
        id: token.id,
        name: token.name.clone(),
        teams: Parts::default(),
    };
    (token, by)
}

async fn a_grant_ends_with_the_token_that_made_it(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let (token, by) = script(&database, &*store).await;
    let approval = approved(&database, &*store, &agent, None, &by).await;
    let grant = granted(&database, &*store, &approval, for_a_week(), &by).await;
    let used = using(&database, &grant, &agent, None);
    store.commit(used).await.unwrap();
    // What has run out ends nothing for good, and approves nothing.
    let id = grant.terms.id;
    let of_it = format!("WHERE id = (SELECT holder_id FROM grants WHERE terms LIKE '%{id}%')");
    let at = database.at(10).at.timestamp_millis();
    let run_out = format!("UPDATE tokens SET expires_at = {at} {of_it}");
    database.place.execute(&run_out).await.unwrap();
    let late = store.commit(using(&database, &grant, &agent, None)).await;
    assert!(matches!(late, Err(CommitError::Conflict)), "{late:?}");
    assert_eq!(record(&*store, &grant).await.ended, None);
    let longer = format!("UPDATE tokens SET expires_at = NULL {of_it}");
    database.place.execute(&longer).await.unwrap();
    let revoking = access::revoke_token(&token, &operator(), database.at(5)).unwrap();
    store.commit(revoking).await.unwrap();
    is_over(&database, &*store, &grant, None, GrantEnd::HolderLost).await;
}

async fn a_grant_ends_with_its_team_and_with_the_right_to_ask_it(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let ana = person(&database, &*store, "Ana", Role::Admin).await;
    let by = principal(&ana, Parts::default());
    for (name, is_deleted) in [("Shop", true), ("Depot", false)] {
        let asked = team(&database, &*store, name).await;
        let other = team(&database, &*store, &format!("{name} 2")).await;
        let mut grants = Vec::new();
        for team in [&asked, &other] {
            let open = team::set_open(team, &agent, false, true, &operator(), database.at(0));
            store.commit(open.unwrap()).await.unwrap();
            let approval = approved(&database, &*store, &agent, Some(team), &by).await;
            grants.push(granted(&database, &*store, &approval, for_a_week(), &by).await);
        }
        let ending = match is_deleted {
            true => team::delete(&asked, 0, 0, &operator(), database.at(5)),
            false => team::set_open(&asked, &agent, true, false, &operator(), database.at(5)),
        };
        store.commit(ending.unwrap()).await.unwrap();
        let why = GrantEnd::AgentChanged;
        is_over(&database, &*store, &grants[0], Some(&asked), why).await;
        // Those of another team are as they were.
        assert_eq!(record(&*store, &grants[1]).await.ended, None);
        let used = using(&database, &grants[1], &agent, Some(&other));
        store.commit(used).await.unwrap();
    }
}

async fn a_grant_for_a_session_ends_with_it(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let ana = person(&database, &*store, "Ana", Role::Responder).await;
    let by = principal(&ana, Parts::default());
    let approval = approved(&database, &*store, &agent, None, &by).await;
    let draft = GrantDraft {
        for_session: true,
        ..GrantDraft::default()
    };
    let grant = granted(&database, &*store, &approval, draft, &by).await;
    let lasting = granted(&database, &*store, &approval, for_a_week(), &by).await;
    let now = database.at(5).at;
    let of = |session| store.grants_of_session(agent.id, session, now);
    assert_eq!(of("run 2").await.unwrap(), []);
    let open = of("run 1").await.unwrap();
    assert_eq!(open, [record(&*store, &grant).await]);
    let ending = rules::end_with_session(&open[0], &agent, database.at(5)).unwrap();
    let again = ending.clone();
    store.commit(ending).await.unwrap();
    assert!(matches!(
        store.commit(again).await,
        Err(CommitError::Conflict)
    ));
    assert_eq!(of("run 1").await.unwrap(), []);
    is_over(&database, &*store, &grant, None, GrantEnd::SessionEnded).await;
    assert_eq!(record(&*store, &lasting).await.ended, None);
}

async fn a_grant_is_erased_with_what_it_was_made_from(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let ana = person(&database, &*store, "Ana", Role::Responder).await;
    let by = principal(&ana, Parts::default());
    let approval = approved(&database, &*store, &agent, None, &by).await;
    let grant = granted(&database, &*store, &approval, for_a_week(), &by).await;
    let erasable: Erasable = store.erasable(approval.id).await.unwrap().unwrap();
    let admin = person(&database, &*store, "Root", Role::Admin).await;
    let admin = principal(&admin, Parts::default());
    let erasing = decide::erase(&erasable, &admin, database.at(5)).unwrap();
    store.commit(erasing).await.unwrap();
    let stored = record(&*store, &grant).await;
    assert_eq!(stored.grant.terms, grant.terms);
    assert_eq!(stored.grant.scope, None);
    is_over(&database, &*store, &grant, None, GrantEnd::Erased).await;
    let making = rules::make(&approval, for_a_week(), &by, 0, database.at(6)).unwrap();
    assert!(matches!(
        store.commit(making).await,
        Err(CommitError::Conflict)
    ));
}

async fn what_a_grant_approves_is_no_news(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let ana = person(&database, &*store, "Ana", Role::Responder).await;
    let by = principal(&ana, Parts::default());
    let approval = approved(&database, &*store, &agent, None, &by).await;
    let grant = granted(&database, &*store, &approval, for_a_week(), &by).await;
    let before = store.last_seq().await.unwrap();
    store
        .commit(using(&database, &grant, &agent, None))
        .await
        .unwrap();
    let page = store.news(before, 100).await.unwrap();
    assert_eq!((page.news.len(), page.up_to), (0, before + 2));
    // What a person was asked is news.
    let earlier = store.news(0, 100).await.unwrap();
    assert!(!earlier.news.is_empty());
}

async fn grants_and_approvals_are_listed_to_those_who_may_see_them(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let shop = team(&database, &*store, "Shop").await;
    let ana = person(&database, &*store, "Ana", Role::Admin).await;
    let by = principal(&ana, Parts::default());
    let open = approved(&database, &*store, &agent, None, &by).await;
    let closed = approved(&database, &*store, &agent, Some(&shop), &by).await;
    let of_all = granted(&database, &*store, &open, for_a_week(), &by).await;
    let of_shop = granted(&database, &*store, &closed, for_a_week(), &by).await;
    let query = GrantQuery {
        limit: 10,
        ..GrantQuery::default()
    };
    let ids = |found: Vec<GrantRecord>| -> Vec<_> {
        found.into_iter().map(|one| one.grant.terms.id).collect()
    };
    for (audience, seen) in [
        (Audience::All, vec![of_shop.terms.id, of_all.terms.id]),
        (
            Audience::Teams(vec![shop.id]),
            vec![of_shop.terms.id, of_all.terms.id],
        ),
        (Audience::default(), vec![of_all.terms.id]),
    ] {
        assert_eq!(
            ids(store.grants(&audience, query).await.unwrap()),
            seen,
            "{audience:?}"
        );
    }
    let second = GrantQuery {
        before: Some(of_shop.terms.id),
        ..query
    };
    assert_eq!(
        ids(store.grants(&Audience::All, second).await.unwrap()),
        [of_all.terms.id]
    );
    let late = GrantQuery {
        open_since: Some(of_all.terms.expires_at + TimeDelta::seconds(1)),
        ..query
    };
    assert_eq!(store.grants(&Audience::All, late).await.unwrap(), []);

    let read = |before, since, limit| {
        let store = store.clone();
        async move {
            store
                .approvals_before(agent.id, before, since, limit)
                .await
                .unwrap()
        }
    };
    let ids = |found: &[Interaction]| found.iter().map(|one| one.id).collect::<Vec<_>>();
    let found = read(None, epoch(), 10).await;
    assert_eq!(ids(&found), [closed.id, open.id]);
    let at = database.at(2).at;
    assert_eq!(
        ids(&read(Some((at, closed.id)), epoch(), 10).await),
        [open.id]
    );
    assert_eq!(ids(&read(Some((at, open.id)), epoch(), 10).await), []);
    assert_eq!(ids(&read(None, epoch(), 1).await), [closed.id]);
    let later = at + TimeDelta::milliseconds(1);
    assert_eq!(ids(&read(None, later, 10).await), []);
}
