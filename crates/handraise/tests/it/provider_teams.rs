//! Teams that a provider gives (rule 18): at each sign-in they are what it says.

use app::desk::frames::{Change, ServerFrame};
use domain::{InteractionId, Part, Role, TeamId, team::Profile};
use reqwest::StatusCode;
use serde_json::{Value, json};
use server::journal::{self, Source};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    browser::{Browser, REFUSED, WAY},
    caller::id_of,
    fake_provider::{FakeProvider, Lie},
    people::{operator, person_named},
    program::{handraise, handraise_with},
    socket::{Socket, next, resumed},
};

store::on_both_databases!(
    teams_follow_the_claim_at_every_sign_in,
    who_loses_a_team_at_a_sign_in_loses_it_on_open_pages,
    without_the_claim_nobody_comes_in_and_nothing_changes,
    a_team_that_is_not_there_lets_nobody_half_in,
    a_team_with_another_name_is_none_that_was_given,
    what_is_taken_out_of_the_map_goes_and_what_was_never_in_it_stays,
    who_connects_or_confirms_is_given_nothing,
    of_many_sign_ins_at_once_each_leaves_the_teams_whole,
    the_journal_s_verification_knows_who_gave_a_team,
    the_doctor_names_a_team_that_is_not_there,
    the_doctor_counts_no_admin_whose_ways_are_closed,
);

/// The teams of this map, by groups. Everybody comes in.
fn map(teams: Value) -> Value {
    json!({"newcomers": "responder", "team_claim": "squads", "teams": teams})
}

fn usual() -> Value {
    map(json!({
        "pay": "Payments", "look": {"team": "payments", "part": "reads"},
        "find": ["Search", {"team": "Payments", "part": "reads"}],
    }))
}

fn squads(squads: Value) -> Lie {
    Lie {
        claims: vec![("squads", squads), ("name", json!("Ana"))],
        ..Lie::default()
    }
}

async fn app(database: &TestDatabase, provider: &FakeProvider, more: Value) -> TestApp {
    TestApp::start_with(database, |config| provider.alone(config, more)).await
}

/// Comes by the provider in a browser of its own, in these squads.
async fn comes<'a>(app: &'a TestApp, provider: &FakeProvider, given: Value) -> Browser<'a> {
    provider.lies(squads(given));
    let mut browser = Browser::new(app);
    assert_eq!(browser.round(provider, WAY).await, "/");
    browser
}

/// Ana's teams, as "Payments: answers, by Company", or "by hand".
async fn teams_of(app: &TestApp, name: &str) -> Vec<String> {
    let person = person_named(app, name).await;
    let all = app.state.service.store().memberships(person).await;
    let said = all.unwrap().into_iter().map(|one| {
        let by = one.issuer.map_or("hand", |_| "Company");
        format!("{}: {}, by {by}", one.team.name, one.part.name())
    });
    said.collect()
}

async fn rename(app: &TestApp, team: TeamId, name: &str) {
    let profile = Profile {
        name: name.to_owned(),
        ..Profile::default()
    };
    let by = operator();
    let changed = app.state.service.change_team(team, profile, &by);
    changed.await.unwrap();
}

async fn verified(app: &TestApp) -> Result<(), String> {
    let store = app.state.service.store().clone();
    let verified = journal::verify(Source::Live(store), Vec::new()).await;
    verified.map(|_| ()).map_err(|error| error.to_string())
}

async fn teams_follow_the_claim_at_every_sign_in(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, usual()).await;
    let agent = app.agent("backend").await;
    let (payments, _) = (app.team("Payments").await, app.team("Search").await);
    app.home(payments, "backend").await;
    let asked = agent.ask(json!({})).await;
    let id = id_of(&asked).to_string();
    let answer = async |browser: &mut Browser<'_>| {
        let form = [("id", &*id), ("text", "80")];
        browser.submit("/ui/answer-blocker", &form).await.status()
    };
    let before = app.last_seq().await;
    let mut ana = comes(&app, &provider, json!([])).await;
    assert_eq!(teams_of(&app, "Ana").await, [""; 0]);
    assert_eq!(answer(&mut ana).await, StatusCode::NOT_FOUND);
    let mut ana = comes(&app, &provider, json!(["x", "look"])).await;
    assert_eq!(teams_of(&app, "Ana").await, ["Payments: reads, by Company"]);
    assert_eq!(answer(&mut ana).await, StatusCode::UNPROCESSABLE_ENTITY);
    // The greatest part of all groups; and the same again is no change.
    for _ in 0..2 {
        comes(&app, &provider, json!(["find", "pay"])).await;
        assert_eq!(
            teams_of(&app, "Ana").await,
            [
                "Payments: answers, by Company",
                "Search: answers, by Company"
            ]
        );
    }
    comes(&app, &provider, json!("find")).await;
    assert_eq!(
        teams_of(&app, "Ana").await,
        ["Payments: reads, by Company", "Search: answers, by Company"]
    );
    assert_eq!(answer(&mut ana).await, StatusCode::UNPROCESSABLE_ENTITY);
    comes(&app, &provider, json!(["pay"])).await;
    assert_eq!(answer(&mut ana).await, StatusCode::OK);
    assert_eq!(agent.poll(&asked).await["answer"]["text"], "80");
    comes(&app, &provider, json!([])).await;
    assert_eq!(teams_of(&app, "Ana").await, [""; 0]);
    let told = app.told().await.split_off(usize::try_from(before).unwrap());
    let told: Vec<_> = told
        .iter()
        .filter(|one| one.starts_with("team."))
        .map(String::as_str)
        .collect();
    let (set, gone) = (
        "team.member_set by Company",
        "team.member_removed by Company",
    );
    assert_eq!(told, [set, set, set, set, gone, set, gone]);
    verified(&app).await.unwrap();
}

async fn who_loses_a_team_at_a_sign_in_loses_it_on_open_pages(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, usual()).await;
    let agent = app.agent("backend").await;
    let payments = app.team("Payments").await;
    app.home(payments, "backend").await;
    let open = app.agent("open").await;
    let ana = comes(&app, &provider, json!(["pay"])).await;
    let mut socket = resumed(&app, &ana.cookie, app.last_seq().await).await;
    let theirs = agent.ask(json!({})).await;
    assert_eq!(heard(&mut socket).await, Heard::Asked(id_of(&theirs)));
    // In another browser, while the page stands open in this one.
    comes(&app, &provider, json!([])).await;
    assert_eq!(heard(&mut socket).await, Heard::Resync);
    agent.ask(json!({})).await;
    let for_all = open.ask(json!({})).await;
    assert_eq!(heard(&mut socket).await, Heard::Asked(id_of(&for_all)));
}

#[derive(Debug, PartialEq, Eq)]
enum Heard {
    Asked(InteractionId),
    Resync,
}

/// What a page hears next, besides who comes and goes.
async fn heard(socket: &mut Socket) -> Heard {
    loop {
        match next(socket).await {
            ServerFrame::Resync => return Heard::Resync,
            ServerFrame::Event { change, .. } => match *change {
                Change::Asked { row } => return Heard::Asked(row.id),
                Change::Other => {}
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }
}

async fn without_the_claim_nobody_comes_in_and_nothing_changes(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, usual()).await;
    app.team("Payments").await;
    let mut first = comes(&app, &provider, json!(["pay"])).await;
    let before = app.last_seq().await;
    for (name, lie, part) in [
        ("missing", Lie::default(), "“squads” is missing"),
        ("null", squads(json!({"pay": true})), "with an object in it"),
        ("a number", squads(json!(5)), "with a number in it"),
        (
            "a number among them",
            squads(json!(["pay", 5])),
            "with a number in it",
        ),
        (
            "elsewhere",
            Lie::default().with("_claim_names", json!({"squads": "src1"})),
            "too many to be told",
        ),
        (
            "of another person",
            Lie {
                userinfo: Some(json!({"sub": "2", "squads": ["pay"]})),
                ..Lie::default()
            },
            "user info is of another person",
        ),
    ] {
        provider.lies(lie);
        let mut browser = Browser::new(&app);
        assert_eq!(browser.round(&provider, WAY).await, REFUSED, "{name}");
        let page = browser.page(REFUSED).await;
        assert!(page.contains(part), "{name}: {page}");
        assert!(!browser.is_in().await, "{name}");
    }
    assert_eq!(app.last_seq().await, before);
    assert!(first.is_in().await);
    // Where the ID token is short, the user info says it.
    provider.lies(Lie {
        userinfo: Some(json!({"sub": crate::support::fake_provider::SUBJECT, "squads": []})),
        ..Lie::default()
    });
    assert_eq!(Browser::new(&app).round(&provider, WAY).await, "/");
    assert_eq!(teams_of(&app, "Ana").await, [""; 0]);
}

const NO_SEARCH: &str = "gives people the team “Search”, and there is none of this name here";

async fn a_team_that_is_not_there_lets_nobody_half_in(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, usual()).await;
    app.team("Payments").await;
    let before = app.last_seq().await;
    provider.lies(squads(json!(["pay", "find"])));
    let mut ana = Browser::new(&app);
    assert_eq!(ana.round(&provider, WAY).await, REFUSED);
    let page = ana.page(REFUSED).await;
    assert!(page.contains(NO_SEARCH), "{page}");
    // Neither person nor identity nor membership.
    assert_eq!(app.last_seq().await, before);
    assert!(!ana.is_in().await);
    // Whom it does not concern comes in, and when it is there all do.
    comes(&app, &provider, json!(["pay"])).await;
    let search = app.team("Search").await;
    comes(&app, &provider, json!(["pay", "find"])).await;
    let before = teams_of(&app, "Ana").await;
    assert_eq!(before.len(), 2);
    let service = &app.state.service;
    service
        .delete_team(search, None, &operator())
        .await
        .unwrap();
    provider.lies(squads(json!(["find"])));
    assert_eq!(Browser::new(&app).round(&provider, WAY).await, REFUSED);
    assert_eq!(
        teams_of(&app, "Ana").await,
        ["Payments: answers, by Company"]
    );
}

async fn a_team_with_another_name_is_none_that_was_given(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, usual()).await;
    let search = app.team("Search").await;
    app.team("Payments").await;
    comes(&app, &provider, json!(["find"])).await;
    rename(&app, search, "Discovery").await;
    provider.lies(squads(json!(["find"])));
    let mut ana = Browser::new(&app);
    assert_eq!(ana.round(&provider, WAY).await, REFUSED);
    assert!(ana.page(REFUSED).await.contains(NO_SEARCH));
    // Who is not in the group any more is not in the team, whatever that is called.
    assert_eq!(teams_of(&app, "Ana").await.len(), 2);
    comes(&app, &provider, json!([])).await;
    assert_eq!(teams_of(&app, "Ana").await, [""; 0]);
}

async fn what_is_taken_out_of_the_map_goes_and_what_was_never_in_it_stays(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let first = app(&database, &provider, usual()).await;
    let (payments, rota) = (first.team("Payments").await, first.team("Rota").await);
    first.team("Search").await;
    comes(&first, &provider, json!(["find"])).await;
    // By an admin's hand: in a team of the map, where the provider has the say, and in another.
    first.join(payments, "Ana", Part::Answers).await;
    first.join(rota, "Ana", Part::Answers).await;
    assert_eq!(
        teams_of(&first, "Ana").await,
        [
            "Payments: answers, by hand",
            "Rota: answers, by hand",
            "Search: answers, by Company"
        ]
    );
    first.stop().await;
    let second = app(&database, &provider, map(json!({"pay": "Payments"}))).await;
    comes(&second, &provider, json!(["pay"])).await;
    assert_eq!(
        teams_of(&second, "Ana").await,
        ["Payments: answers, by Company", "Rota: answers, by hand"]
    );
    second.join(payments, "Ana", Part::Reads).await;
    comes(&second, &provider, json!([])).await;
    assert_eq!(teams_of(&second, "Ana").await, ["Rota: answers, by hand"]);
    comes(&second, &provider, json!(["pay"])).await;
    second.stop().await;
    // A provider that says nothing of teams takes none.
    let third = app(&database, &provider, json!({})).await;
    comes(&third, &provider, json!([])).await;
    assert_eq!(teams_of(&third, "Ana").await.len(), 2);
    verified(&third).await.unwrap();
}

async fn who_connects_or_confirms_is_given_nothing(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, usual()).await;
    app.team("Payments").await;
    let mut ben = Browser::signed_in(&app, "Ben", Role::Responder).await;
    provider.lies(squads(json!(["pay"])));
    ben.round(&provider, &format!("{WAY}?to=connect")).await;
    let now = app.state.service.now().timestamp();
    provider.lies(squads(json!(["pay"])).with("auth_time", json!(now)));
    ben.round(&provider, &format!("{WAY}?to=confirm")).await;
    assert_eq!(teams_of(&app, "Ben").await, [""; 0]);
    assert_eq!(Browser::new(&app).round(&provider, WAY).await, "/");
    assert_eq!(
        teams_of(&app, "Ben").await,
        ["Payments: answers, by Company"]
    );
}

async fn of_many_sign_ins_at_once_each_leaves_the_teams_whole(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, usual()).await;
    app.team("Payments").await;
    app.team("Search").await;
    comes(&app, &provider, json!(["find"])).await;
    provider.lies(squads(json!(["pay"])));
    let mut backs = Vec::new();
    for _ in 0..6 {
        let mut browser = Browser::new(&app);
        let way = browser.way(WAY).await;
        let back = provider.grant(&way, app.state.service.now());
        backs.push((browser, back));
    }
    let came = backs.iter_mut().map(async |(browser, back)| {
        let sent = browser.sent(back).await;
        crate::support::browser::place(&sent)
    });
    for place in futures::future::join_all(came).await {
        assert_eq!(place, "/");
    }
    assert_eq!(
        teams_of(&app, "Ana").await,
        ["Payments: answers, by Company"]
    );
    verified(&app).await.unwrap();
}

async fn the_journal_s_verification_knows_who_gave_a_team(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, usual()).await;
    app.team("Payments").await;
    comes(&app, &provider, json!(["pay"])).await;
    verified(&app).await.unwrap();
    let listed = handraise(&["team", "list", "--database", &database.url]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    let line = format!("  answers  Ana  given by {}", provider.url);
    assert!(listed.contains(&line), "{listed}");
    // As if it were an admin's, so that no sign-in takes it back.
    let by_hand = "UPDATE team_members SET issuer = NULL";
    database.execute(by_hand).await.unwrap();
    let found = verified(&app).await.unwrap_err();
    assert!(
        found.contains("others of its members are given by a provider than the events say"),
        "{found}"
    );
}

async fn the_doctor_names_a_team_that_is_not_there(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, usual()).await;
    app.team("PAYMENTS").await;
    let providers = serde_json::to_string(&json!([{
        "key": "company", "name": "Company", "issuer": provider.url, "client_id": "handraise",
        "networks": ["127.0.0.1"], "newcomers": "responder", "team_claim": "squads",
        "teams": usual()["teams"],
    }]));
    let run = || {
        let variables = [("HANDRAISE_PROVIDERS", providers.as_deref().unwrap())];
        let said = handraise_with(&["doctor", "--database", &database.url], &variables);
        String::from_utf8(said.stdout).unwrap()
    };
    let said = run();
    assert!(said.contains(NO_SEARCH), "{said}");
    assert!(
        said.contains("handraise team create --name 'Search'"),
        "{said}"
    );
    assert!(!said.contains("the team “Payments”"), "{said}");
    app.team("Search").await;
    let said = run();
    assert!(!said.contains("there is none of this name"), "{said}");
}

async fn the_doctor_counts_no_admin_whose_ways_are_closed(database: TestDatabase) {
    let provider = FakeProvider::start().await;
    let app = app(&database, &provider, json!({"newcomers": "viewer"})).await;
    app.sign_in("root", Role::Admin).await;
    let providers = serde_json::to_string(&json!([{
        "key": "company", "name": "Company", "issuer": provider.url, "client_id": "handraise",
        "networks": ["127.0.0.1"], "newcomers": "viewer",
    }]));
    let providers = providers.unwrap();
    for (passwords, expected) in [
        ("true", "one admin can sign in"),
        (
            "false",
            "no admin can sign in by what the settings leave open",
        ),
    ] {
        let variables = [
            ("HANDRAISE_PROVIDERS", &*providers),
            ("HANDRAISE_PASSWORDS", passwords),
        ];
        let said = handraise_with(&["doctor", "--database", &database.url], &variables);
        let said = String::from_utf8(said.stdout).unwrap();
        assert!(said.contains(expected), "{said}");
    }
}
