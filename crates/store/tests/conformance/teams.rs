//! Rule 18: teams, their members, and lists that show each reader their own.

use std::collections::BTreeMap;

use domain::{
    AgentRef, Audience, Changeset, Day, Interaction, Membership, Part, Parts, Person, PersonId,
    Principal, Role, SecretHash, Team, TokenKind, Write,
    access::{Access, Lifetime, NewLink, Token},
    decide::{
        access::{self, NewToken},
        delivery, interaction as decide, team,
    },
    delivery::{Filter, Format, SealedSecret},
    interaction::{Brief, Draft, Kind},
    task::Work,
    team::Profile,
};
use store::{
    Asker, Asking, CommitError, DeliveryQuery, InteractionQuery, Store, TaskQuery, TeamUse,
};
use uuid::Uuid;

use crate::database::{Database, epoch, operator, rand_hash, said, written};

store::on_both_databases!(
    a_team_comes_back_as_it_was_and_its_name_is_its_own,
    members_come_go_and_are_listed,
    an_agent_asks_its_home_and_what_is_open_to_it,
    nothing_is_asked_of_a_team_that_is_gone,
    a_team_that_is_asked_or_is_a_home_is_not_deleted,
    each_list_shows_a_reader_their_own,
    events_are_heard_by_those_whose_they_are,
    a_moved_question_changes_its_lists,
    a_list_names_the_team_as_it_is_called_now,
    a_responders_token_has_its_teams,
    an_endpoint_hears_of_its_teams,
);

fn profile(name: &str) -> Profile {
    Profile {
        name: name.into(),
        ..Profile::default()
    }
}

/// A committed team.
async fn team(database: &Database, store: &dyn Store, name: &str) -> Team {
    let made = team::create(profile(name), &operator(), database.at(0)).unwrap();
    let [Write::Access(Access::Team(team))] = &made.writes[..] else {
        panic!("{made:?}");
    };
    let team = team.clone();
    store.commit(made).await.unwrap();
    team
}

async fn person(database: &Database, store: &dyn Store, name: &str) -> Person {
    let link = NewLink {
        hash: SecretHash(rand_hash()),
        expires_at: epoch(),
    };
    let made = access::invite(name, Role::Responder, link, &operator(), database.at(0)).unwrap();
    store.commit(made).await.unwrap();
    store
        .account(&Person::name_key(name))
        .await
        .unwrap()
        .unwrap()
        .person
}

async fn home(database: &Database, store: &dyn Store, agent: &AgentRef, team: &Team) {
    let set = team::set_home(agent, None, Some(team), &operator(), database.at(0));
    store.commit(set.unwrap()).await.unwrap();
}

fn asking(database: &Database, agent: &AgentRef, of: Option<&Team>, draft: Draft) -> Changeset {
    let draft = Draft {
        kind: draft.kind.or(Some("question".into())),
        prompt: Some("Which port?".into()),
        ..draft
    };
    let request = draft.check(|_| None).unwrap();
    let team = of.map(Team::named);
    decide::open(
        request,
        agent.clone(),
        team,
        None,
        None,
        None,
        database.at(0),
    )
}

async fn asked(
    database: &Database,
    store: &dyn Store,
    agent: &AgentRef,
    of: Option<&Team>,
) -> Interaction {
    let changeset = asking(database, agent, of, Draft::default());
    let interaction = written(&changeset);
    store.commit(changeset).await.unwrap();
    interaction
}

/// An admin's answer.
fn answered(database: &Database, question: &Interaction) -> Changeset {
    let admin = Principal::Person {
        id: PersonId(Uuid::from_u128(8)),
        name: "Ana".into(),
        role: Role::Admin,
        proven_at: epoch(),
        teams: Parts::default(),
    };
    decide::answer(question, said("80"), &admin, None, database.at(10)).unwrap()
}

fn of(teams: &[&Team]) -> Audience {
    Audience::Teams(teams.iter().map(|team| team.id).collect())
}

async fn a_team_comes_back_as_it_was_and_its_name_is_its_own(database: Database) {
    let store = database.store().await;
    let whole = Profile {
        name: "Payments".into(),
        slack_channel: Some("C0123ABCD".into()),
        timeouts: [(Kind::Approval, Some(60)), (Kind::Question, None)].into(),
    };
    let made = team::create(whole.clone(), &operator(), database.at(0)).unwrap();
    store.commit(made).await.unwrap();
    let payments = store.team_named("payments").await.unwrap().unwrap();
    assert_eq!((&payments.profile, payments.version), (&whole, 1));
    assert_eq!(
        store.team(payments.id).await.unwrap(),
        Some(payments.clone())
    );
    let again = team::create(profile("PAYMENTS"), &operator(), database.at(0)).unwrap();
    let again = store.commit(again).await;
    assert!(matches!(again, Err(CommitError::Conflict)));
    let search = team(&database, &*store, "Search").await;
    let taken = team::change(&search, profile("payments"), &operator(), database.at(1)).unwrap();
    let taken = store.commit(taken).await;
    assert!(matches!(taken, Err(CommitError::Conflict)));
    let renamed = team::change(&payments, profile("Billing"), &operator(), database.at(1)).unwrap();
    store.commit(renamed.clone()).await.unwrap();
    let again = store.commit(renamed).await;
    assert!(matches!(again, Err(CommitError::Conflict)));
    assert_eq!(store.team_named("payments").await.unwrap(), None);
    let billing = store.team_named("billing").await.unwrap().unwrap();
    assert_eq!((billing.id, billing.version), (payments.id, 2));
    let names = store.teams().await.unwrap();
    let names: Vec<_> = names.iter().map(|it| &it.team.profile.name[..]).collect();
    assert_eq!(names, ["Billing", "Search"]);
    // A name is free again when its team is gone.
    let gone = team::delete(&billing, 0, 0, &operator(), database.at(2)).unwrap();
    store.commit(gone).await.unwrap();
    team(&database, &*store, "billing").await;
    let deleted = store.team(billing.id).await.unwrap().unwrap();
    assert_eq!(deleted.deleted_at, Some(database.at(2).at));
}

async fn members_come_go_and_are_listed(database: Database) {
    let store = database.store().await;
    let payments = team(&database, &*store, "Payments").await;
    let search = team(&database, &*store, "Search").await;
    let (ana, ben) = (
        person(&database, &*store, "Ana").await,
        person(&database, &*store, "Ben").await,
    );
    let set = |team: &Team, person: &Person, was: Option<Part>, part| {
        let was = was.map(|part| Membership {
            team: team.named(),
            part,
            issuer: None,
        });
        let (by, now) = (operator(), database.at(1));
        team::set_member(team, person, was.as_ref(), part, &by, now).unwrap()
    };
    for changeset in [
        set(&payments, &ben, None, Part::Answers),
        set(&payments, &ana, None, Part::Reads),
        set(&search, &ana, None, Part::Answers),
    ] {
        store.commit(changeset.clone()).await.unwrap();
        let again = store.commit(changeset).await;
        assert!(matches!(again, Err(CommitError::Conflict)));
    }
    let parts = |parts: &[(&Team, Part)]| -> Parts {
        parts.iter().map(|(team, part)| (team.id, *part)).collect()
    };
    assert_eq!(
        store.parts(ana.id).await.unwrap(),
        parts(&[(&payments, Part::Reads), (&search, Part::Answers)])
    );
    let listed = store.teams().await.unwrap();
    assert_eq!(
        listed[0].members,
        [(ana.clone(), Part::Reads), (ben.clone(), Part::Answers)]
    );
    store
        .commit(set(&payments, &ana, Some(Part::Reads), Part::Answers))
        .await
        .unwrap();
    let removed = team::remove_member(
        &payments,
        &ben,
        Some(Part::Answers),
        &operator(),
        database.at(2),
    );
    let removed = removed.unwrap();
    store.commit(removed.clone()).await.unwrap();
    let again = store.commit(removed).await;
    assert!(matches!(again, Err(CommitError::Conflict)));
    assert_eq!(store.parts(ben.id).await.unwrap(), Parts::default());
    assert_eq!(
        store.teams().await.unwrap()[0].members,
        [(ana.clone(), Part::Answers)]
    );
    // With the team its members go.
    let gone = team::delete(&payments, 0, 0, &operator(), database.at(3)).unwrap();
    store.commit(gone).await.unwrap();
    assert_eq!(
        store.parts(ana.id).await.unwrap(),
        parts(&[(&search, Part::Answers)])
    );
    let late = store.commit(set(&payments, &ben, None, Part::Reads)).await;
    assert!(matches!(late, Err(CommitError::Conflict)));
    assert_eq!(
        store.parts(PersonId(Uuid::nil())).await.unwrap(),
        Parts::default()
    );
}

async fn an_agent_asks_its_home_and_what_is_open_to_it(database: Database) {
    let store = database.store().await;
    let backend = database.agent(&*store, "backend").await;
    let payments = team(&database, &*store, "Payments").await;
    let search = team(&database, &*store, "Search").await;
    let asking = async || store.asking(backend.id, Day(0), 9).await.unwrap();
    assert_eq!(store.asker(backend.id).await.unwrap(), Asker::default());
    assert_eq!(asking().await, Asking::default());
    home(&database, &*store, &backend, &payments).await;
    let open = team::set_open(&search, &backend, false, true, &operator(), database.at(1)).unwrap();
    store.commit(open.clone()).await.unwrap();
    let again = store.commit(open).await;
    assert!(matches!(again, Err(CommitError::Conflict)));
    let may_ask = Asker {
        home: Some(payments.clone()),
        open: vec![search.clone()],
    };
    assert_eq!(asking().await.teams, may_ask);
    assert_eq!(store.asker(backend.id).await.unwrap(), may_ask);
    let listed = store.teams().await.unwrap();
    assert_eq!(
        (&listed[0].homes[..], &listed[0].askers[..]),
        (&[backend.clone()][..], &[][..])
    );
    assert_eq!(
        (&listed[1].homes[..], &listed[1].askers[..]),
        (&[][..], &[backend.clone()][..])
    );
    let agents = store.agents(&Audience::All, Day(0)).await.unwrap();
    assert_eq!(agents[0].home, Some(payments.named()));
    // It stays open when it becomes the home.
    let (was, by) = (Some(payments.id), operator());
    let moved = team::set_home(&backend, was, Some(&search), &by, database.at(2));
    store.commit(moved.unwrap()).await.unwrap();
    let asker = store.asker(backend.id).await.unwrap();
    let both = (Some(search.clone()), vec![search.clone()]);
    assert_eq!((asker.home, asker.open), both);
    let close =
        team::set_open(&search, &backend, true, false, &operator(), database.at(2)).unwrap();
    store.commit(close.clone()).await.unwrap();
    assert!(matches!(
        store.commit(close).await,
        Err(CommitError::Conflict)
    ));
    assert_eq!(asking().await.teams.home, Some(search.clone()));
    let everyone = team::set_home(&backend, Some(search.id), None, &operator(), database.at(2));
    store.commit(everyone.unwrap()).await.unwrap();
    assert_eq!(store.asker(backend.id).await.unwrap(), Asker::default());
    assert_eq!(asking().await.teams, Asker::default());
}

async fn nothing_is_asked_of_a_team_that_is_gone(database: Database) {
    let store = database.store().await;
    let backend = database.agent(&*store, "backend").await;
    let payments = team(&database, &*store, "Payments").await;
    let gone = team::delete(&payments, 0, 0, &operator(), database.at(1)).unwrap();
    store.commit(gone).await.unwrap();
    let late = asking(&database, &backend, Some(&payments), Draft::default());
    let id = written(&late).id;
    assert!(matches!(
        store.commit(late).await,
        Err(CommitError::Conflict)
    ));
    assert_eq!(store.interaction(id).await.unwrap(), None);
    for changeset in [
        team::set_home(&backend, None, Some(&payments), &operator(), database.at(1)).unwrap(),
        team::set_open(
            &payments,
            &backend,
            false,
            true,
            &operator(),
            database.at(1),
        )
        .unwrap(),
    ] {
        assert!(matches!(
            store.commit(changeset).await,
            Err(CommitError::Conflict)
        ));
    }
}

async fn a_team_that_is_asked_or_is_a_home_is_not_deleted(database: Database) {
    let store = database.store().await;
    let backend = database.agent(&*store, "backend").await;
    let payments = team(&database, &*store, "Payments").await;
    let search = team(&database, &*store, "Search").await;
    let delete = || team::delete(&payments, 0, 0, &operator(), database.at(1)).unwrap();
    let question = asked(&database, &*store, &backend, Some(&payments)).await;
    assert!(matches!(
        store.commit(delete()).await,
        Err(CommitError::Conflict)
    ));
    home(&database, &*store, &backend, &payments).await;
    let used = TeamUse {
        pending: 1,
        agents: 1,
    };
    assert_eq!(store.team_use(payments.id).await.unwrap(), used);
    store.commit(answered(&database, &question)).await.unwrap();
    assert!(matches!(
        store.commit(delete()).await,
        Err(CommitError::Conflict)
    ));
    let moved = team::set_home(
        &backend,
        Some(payments.id),
        Some(&search),
        &operator(),
        database.at(1),
    );
    store.commit(moved.unwrap()).await.unwrap();
    let used = TeamUse {
        pending: 0,
        agents: 0,
    };
    assert_eq!(store.team_use(payments.id).await.unwrap(), used);
    store.commit(delete()).await.unwrap();
    // It still says whose it was.
    let closed = store.interaction(question.id).await.unwrap().unwrap();
    assert_eq!(closed.team, Some(payments.named()));
}

async fn each_list_shows_a_reader_their_own(database: Database) {
    let store = database.store().await;
    let backend = database.agent(&*store, "backend").await;
    let devops = database.agent(&*store, "devops").await;
    let payments = team(&database, &*store, "Payments").await;
    let search = team(&database, &*store, "Search").await;
    home(&database, &*store, &backend, &payments).await;
    let in_task = || Draft {
        task: serde_json::from_value(serde_json::json!({"id": "T"})).unwrap(),
        ..Draft::default()
    };
    let mut questions = Vec::new();
    for (agent, team) in [
        (&backend, Some(&payments)),
        (&backend, Some(&search)),
        (&devops, None),
    ] {
        let closing = asked(&database, &*store, agent, team).await;
        store.commit(answered(&database, &closing)).await.unwrap();
        let request = Draft {
            kind: Some("question".into()),
            prompt: Some("Which port?".into()),
            ..in_task()
        };
        let task = store.task(agent.id, "T").await.unwrap();
        let opened = decide::open(
            request.check(|_| None).unwrap(),
            agent.clone(),
            team.map(Team::named),
            None,
            task.as_ref(),
            None,
            database.at(1),
        );
        let pending = written(&opened);
        store.commit(opened).await.unwrap();
        questions.push((closing.id, pending.id));
    }
    let [in_payments, in_search, in_none] = questions[..] else {
        panic!("not three");
    };
    for (audience, seen, tasks) in [
        (Audience::All, vec![in_payments, in_search, in_none], 2),
        (of(&[&payments]), vec![in_payments, in_none], 2),
        (of(&[&search]), vec![in_search, in_none], 1),
        (
            of(&[&payments, &search]),
            vec![in_payments, in_search, in_none],
            2,
        ),
        (of(&[]), vec![in_none], 1),
        (Audience::default(), vec![in_none], 1),
        (Audience::Agent(backend.id), vec![in_payments, in_search], 1),
        (Audience::Agent(devops.id), vec![in_none], 1),
    ] {
        let waiting = store.waiting(&audience, 10).await.unwrap();
        let waiting: Vec<_> = waiting.iter().map(|brief| brief.id).collect();
        let pending: Vec<_> = seen.iter().map(|(_, pending)| *pending).collect();
        assert_eq!(waiting, pending, "{audience:?}");
        let counts = store.waiting_counts(&audience).await.unwrap();
        assert_eq!(counts.sync, pending.len() as i64);
        let closed = store.recently_closed(&audience, 10).await.unwrap();
        assert_eq!(closed.len(), seen.len());
        assert!(
            closed
                .iter()
                .all(|brief| seen.iter().any(|(it, _)| *it == brief.id))
        );
        let counts = store
            .counts(&audience, chrono::DateTime::UNIX_EPOCH)
            .await
            .unwrap();
        assert_eq!(
            (counts.asked, counts.answered),
            (2 * seen.len() as i64, seen.len() as i64)
        );
        for search in [None, Some("port".to_owned())] {
            let query = InteractionQuery {
                audience: audience.clone(),
                search,
                limit: 10,
                ..InteractionQuery::default()
            };
            let found = store.interactions(&query).await.unwrap();
            assert_eq!(found.collect().len(), 2 * seen.len(), "{query:?}");
            assert_eq!(store.briefs(&query).await.unwrap().len(), 2 * seen.len());
        }
        let query = TaskQuery {
            audience: audience.clone(),
            limit: 10,
            ..TaskQuery::default()
        };
        let listed = store.tasks(&query);
        assert_eq!(listed.await.unwrap().collect().len(), tasks, "{audience:?}");
        let agents = store.agents(&audience, Day(0)).await.unwrap();
        assert_eq!(agents.len(), tasks, "{audience:?}");
        let in_task = store
            .waiting_in(&audience, backend.id, "T", 10)
            .await
            .unwrap();
        let of_backend = seen.iter().filter(|it| **it != in_none);
        assert_eq!(in_task.len(), of_backend.count());
    }
    // A rule that decides sees all of a task.
    let work: Work = store.work(backend.id, "T").await.unwrap().unwrap();
    assert_eq!(work.pending.len(), 2);
}

async fn events_are_heard_by_those_whose_they_are(database: Database) {
    let store = database.store().await;
    let backend = database.agent(&*store, "backend").await;
    let payments = team(&database, &*store, "Payments").await;
    let search = team(&database, &*store, "Search").await;
    let question = asked(&database, &*store, &backend, Some(&payments)).await;
    let open = asked(&database, &*store, &backend, None).await;
    let heard = async |audience: Audience| {
        let events = store
            .events_after(0, &audience, 100)
            .await
            .unwrap()
            .collect();
        let of = events
            .iter()
            .filter(|event| event.interaction_id == Some(question.id));
        let teams = events.iter().filter(|event| event.payload.is_of_teams());
        (of.count(), teams.count(), events.len())
    };
    assert_eq!(heard(Audience::All).await, (1, 2, 5));
    // What everyone was asked: the token names an agent.
    assert_eq!(heard(of(&[&search])).await, (0, 0, 1));
    assert_eq!(heard(of(&[&payments])).await, (1, 0, 2));
    assert_eq!(heard(Audience::Agent(backend.id)).await, (1, 0, 2));
    let events = store
        .events_after(0, &Audience::All, 100)
        .await
        .unwrap()
        .collect();
    let of_question = |id| {
        events
            .iter()
            .find(|event| event.interaction_id == Some(id))
            .unwrap()
            .seq
    };
    let teams = store.teams_of_events(0, 100).await.unwrap();
    assert_eq!(teams.get(&of_question(question.id)), Some(&payments.id));
    assert_eq!(teams.get(&of_question(open.id)), None);
    assert_eq!(teams.len(), 1);
    assert!(
        store
            .teams_of_events(of_question(question.id), 100)
            .await
            .unwrap()
            .is_empty()
    );
}

async fn a_moved_question_changes_its_lists(database: Database) {
    let store = database.store().await;
    let backend = database.agent(&*store, "backend").await;
    let payments = team(&database, &*store, "Payments").await;
    let search = team(&database, &*store, "Search").await;
    let question = asked(&database, &*store, &backend, Some(&payments)).await;
    let admin = operator();
    let moving = decide::move_to(&question, &search, &admin, database.at(1)).unwrap();
    store.commit(moving).await.unwrap();
    let moved = store.interaction(question.id).await.unwrap().unwrap();
    assert_eq!(
        (moved.team.clone(), moved.version),
        (Some(search.named()), 2)
    );
    assert!(
        store
            .waiting(&of(&[&payments]), 10)
            .await
            .unwrap()
            .is_empty()
    );
    assert_eq!(store.waiting(&of(&[&search]), 10).await.unwrap().len(), 1);
    let events = store.events_of(question.id, 0, 10).await.unwrap().collect();
    assert_eq!(Interaction::replay(&events).unwrap().team, moved.team);
    assert!(question.as_told(&moved).is_err());
}

async fn a_list_names_the_team_as_it_is_called_now(database: Database) {
    let store = database.store().await;
    let backend = database.agent(&*store, "backend").await;
    let payments = team(&database, &*store, "Payments").await;
    let of_all = asked(&database, &*store, &backend, None).await;
    let waits = asked(&database, &*store, &backend, Some(&payments)).await;
    let decided = asked(&database, &*store, &backend, Some(&payments)).await;
    store.commit(answered(&database, &decided)).await.unwrap();
    let renamed = team::change(&payments, profile("Billing"), &operator(), database.at(0));
    store.commit(renamed.unwrap()).await.unwrap();
    let named = |briefs: Vec<Brief>| {
        let teams = briefs
            .into_iter()
            .map(|brief| (brief.id, brief.team.map(|team| (team.id, team.name))));
        teams.collect::<BTreeMap<_, _>>()
    };
    let billing = Some((payments.id, "Billing".to_owned()));
    let waiting = named(store.waiting(&Audience::All, 10).await.unwrap());
    let both = BTreeMap::from([(of_all.id, None), (waits.id, billing.clone())]);
    assert_eq!(waiting, both);
    let closed = named(store.recently_closed(&Audience::All, 10).await.unwrap());
    assert_eq!(closed, BTreeMap::from([(decided.id, billing.clone())]));
    let query = InteractionQuery {
        audience: Audience::All,
        limit: 10,
        ..InteractionQuery::default()
    };
    let all = named(store.briefs(&query).await.unwrap());
    assert_eq!(
        all,
        BTreeMap::from([
            (of_all.id, None),
            (waits.id, billing.clone()),
            (decided.id, billing)
        ])
    );
}

async fn a_responders_token_has_its_teams(database: Database) {
    let store = database.store().await;
    let payments = team(&database, &*store, "Payments").await;
    let teams = [payments.clone()];
    let new = NewToken {
        kind: TokenKind::Responder,
        name: "desk",
        agent: None,
        lifetime: Lifetime::Never,
        teams: &teams,
        owner: None,
    };
    let hash = SecretHash(rand_hash());
    let made = access::create_token(&new, hash, &operator(), database.at(0)).unwrap();
    store.commit(made).await.unwrap();
    let holder = store.token_holder(&hash).await.unwrap().unwrap();
    assert_eq!(holder.principal.audience(), of(&[&payments]));
    assert!(
        holder
            .principal
            .responder_for(Some(&payments.named()))
            .is_ok()
    );
    let listed: Vec<Token> = store
        .tokens()
        .await
        .unwrap()
        .into_iter()
        .map(|it| it.token)
        .collect();
    assert_eq!(listed[0].teams, [payments.id]);
}

async fn an_endpoint_hears_of_its_teams(database: Database) {
    let store = database.store().await;
    let backend = database.agent(&*store, "backend").await;
    let payments = team(&database, &*store, "Payments").await;
    let search = team(&database, &*store, "Search").await;
    let new = delivery::NewEndpoint {
        id: domain::DestinationId(Uuid::from_u128(77)),
        name: "desk".into(),
        url: "https://desk.example".into(),
        filter: Filter {
            teams: vec![payments.id],
            ..Filter::default()
        },
        format: Format::Standard,
        secret: SealedSecret(vec![1]),
    };
    let (endpoint, made) = delivery::create(new, &operator(), database.at(0)).unwrap();
    store.commit(made).await.unwrap();
    let found = store.endpoint(endpoint.id).await.unwrap().unwrap();
    assert_eq!(found.endpoint.filter.teams, [payments.id]);
    for team in [Some(&payments), Some(&search), None] {
        asked(&database, &*store, &backend, team).await;
    }
    let news = store.news(0, 100).await.unwrap().news;
    let teams: Vec<_> = news.iter().map(|one| one.team).collect();
    assert_eq!(teams, [Some(payments.id), Some(search.id), None]);
    let followers = store.followers(epoch()).await.unwrap();
    assert_eq!(followers[0].listener.owed(&news, 10).len(), 2);
    let none = delivery::set_teams(&endpoint, Vec::new(), &operator(), database.at(1)).unwrap();
    store.commit(none).await.unwrap();
    let followers = store.followers(epoch()).await.unwrap();
    assert_eq!(followers[0].listener.owed(&news, 10).len(), 1);
    // A callback of another team's question is not in a reader's list.
    let wants = Draft {
        callback_url: Some("https://agent.example/1".into()),
        ..Draft::default()
    };
    let asked = asking(&database, &backend, Some(&search), wants);
    let question = written(&asked);
    store.commit(asked).await.unwrap();
    store.commit(answered(&database, &question)).await.unwrap();
    let listed = async |audience| {
        let query = DeliveryQuery {
            audience,
            limit: 10,
            ..DeliveryQuery::default()
        };
        store.deliveries(&query).await.unwrap().len()
    };
    assert_eq!(listed(of(&[&payments])).await, 0);
    assert_eq!(listed(of(&[&search])).await, 1);
    assert_eq!(listed(Audience::All).await, 1);
}
