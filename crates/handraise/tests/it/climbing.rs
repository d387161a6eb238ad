//! Silence climbs: from whoever is on duty to the team, past claims and quiet hours, until the answer.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use domain::{
    Event, InteractionEvent, Part, Payload, PersonId, Principal, Role, TeamId,
    duty::RotaDraft,
    ladder::{HeldWhy, LadderDraft, QuietDraft, RungDraft},
};
use reqwest::StatusCode;
use serde_json::{Value, json};
use service::Address;
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{Caller, id_of, json_of},
    pages::{holds, page, read},
    people::{operator, owned, person_named},
    program::handraise,
    receiver::{Got, Receiver},
};

store::on_both_databases!(
    silence_climbs_from_whoever_is_on_duty_to_the_team_and_ends_with_the_answer,
    a_claim_stops_the_ladder_until_it_runs_out,
    a_question_that_is_handed_over_is_told_to_them_at_once,
    quiet_hours_hold_back_what_can_wait_and_then_it_comes_as_one,
    a_storm_is_a_few_messages_and_one_that_sums_up_the_rest,
    a_person_who_opens_a_question_has_seen_it_once,
    a_rung_of_a_ladder_of_its_own_is_told_by_it,
    an_admin_sets_ladders_on_the_page_and_at_a_terminal,
    a_person_says_on_the_page_when_they_are_left_alone,
    the_journal_s_verification_names_a_ladder_that_no_event_made,
    the_numbers_say_how_far_silence_climbed,
);

async fn started(database: &TestDatabase, phones: &Receiver) -> TestApp {
    let url = format!("http://{}", phones.addr);
    TestApp::start_with(database, |config| {
        config.outbound_allow = vec!["127.0.0.1".to_owned()].try_into().unwrap();
        config.ntfy.url = Some(url);
    })
    .await
}

/// A responder who reads the topic of their name.
async fn reached(app: &TestApp, name: &str) -> PersonId {
    let (service, by) = (&app.state.service, operator());
    service.invite(name, Role::Responder, &by).await.unwrap();
    reads(app, name).await
}

async fn reads(app: &TestApp, name: &str) -> PersonId {
    let person = person_named(app, name).await;
    let by = principal(person, name);
    let topic = Address::ntfy(Some(name)).unwrap();
    let added = app.state.service.add_reach(&topic, "", &by).await;
    added.unwrap();
    person
}

fn principal(person: PersonId, name: &str) -> Principal {
    Principal::Person {
        id: person,
        name: name.to_owned(),
        role: Role::Responder,
        proven_at: chrono::DateTime::UNIX_EPOCH,
        teams: domain::Parts::default(),
    }
}

/// A team of these people, of whom the first is on duty all day.
async fn on_duty(app: &TestApp, name: &str, people: &[&str]) -> TeamId {
    let team = app.team(name).await;
    for person in people {
        app.join(team, person, Part::Answers).await;
    }
    let rota = RotaDraft {
        people: vec![people[0].to_owned()],
        every: "day".into(),
        at: "09:00".into(),
        zone: "UTC".into(),
        starts: Some("2027-01-11".into()),
    };
    let (service, by) = (&app.state.service, operator());
    service.set_rota(team, &rota, &by).await.unwrap();
    team
}

/// Everything that is due now is told, and has arrived. Who was told what, in the order of their names.
async fn told(app: &TestApp, phones: &Receiver) -> Vec<(String, Got)> {
    app.state.service.climb_due().await.unwrap();
    app.state.service.sum_up_due().await.unwrap();
    app.drain().await;
    let mut told: Vec<_> = phones
        .got()
        .into_iter()
        .map(|got| (got.json()["topic"].as_str().unwrap().to_owned(), got))
        .collect();
    told.sort_by(|one, other| one.0.cmp(&other.0));
    told
}

async fn names(app: &TestApp, phones: &Receiver) -> Vec<String> {
    let told = told(app, phones).await;
    told.into_iter().map(|(name, _)| name).collect()
}

async fn history(app: &TestApp, asked: &Value) -> Vec<Event> {
    let store = app.state.service.store();
    store
        .events_of(id_of(asked), 0, 1_000)
        .await
        .unwrap()
        .collect()
}

async fn types(app: &TestApp, asked: &Value) -> Vec<&'static str> {
    let history = history(app, asked).await;
    history
        .iter()
        .map(|event| event.payload.event_type())
        .collect()
}

async fn answered(desk: &Caller<'_>, asked: &Value) {
    let done = desk.answer(asked, "80").await;
    assert_eq!(done.status(), StatusCode::OK);
}

async fn silence_climbs_from_whoever_is_on_duty_to_the_team_and_ends_with_the_answer(
    database: TestDatabase,
) {
    let phones = Receiver::start([]).await;
    let app = started(&database, &phones).await;
    for name in ["Ana", "Ben", "Cem"] {
        reached(&app, name).await;
    }
    let team = on_duty(&app, "Payments", &["Ana", "Ben"]).await;
    let agent = app.agent("backend").await;
    app.home(team, "backend").await;
    let asked = agent.ask(json!({"timeout_seconds": 3600})).await;
    let first = told(&app, &phones).await;
    assert_eq!(first.len(), 1);
    assert_eq!(first[0].0, "Ana", "she is on duty");
    let place = format!("/q/{}", asked["id"].as_str().unwrap());
    let click = first[0].1.json()["click"].as_str().unwrap().to_owned();
    assert!(click.ends_with(&place), "{click}");
    assert!(names(&app, &phones).await.is_empty(), "told once");
    app.clock.advance(TimeDelta::seconds(299));
    assert!(names(&app, &phones).await.is_empty());
    app.clock.advance(TimeDelta::seconds(1));
    assert_eq!(
        names(&app, &phones).await,
        ["Ana", "Ben"],
        "not Cem, who is in no team"
    );
    // Half of the 55 minutes that are left.
    app.clock.advance(TimeDelta::seconds(27 * 60 + 29));
    assert!(names(&app, &phones).await.is_empty());
    app.clock.advance(TimeDelta::seconds(1));
    assert_eq!(names(&app, &phones).await, ["Ana", "Ben"]);
    let desk = app.responder_of("desk", team).await;
    answered(&desk, &asked).await;
    app.clock.advance(TimeDelta::hours(2));
    assert!(
        names(&app, &phones).await.is_empty(),
        "nothing after the answer"
    );
    let climbed = [
        "interaction.requested",
        "interaction.climbed",
        "interaction.reached",
        "interaction.climbed",
        "interaction.reached",
        "interaction.reached",
        "interaction.climbed",
        "interaction.reached",
        "interaction.reached",
        "interaction.resolved",
    ];
    assert_eq!(types(&app, &asked).await, climbed);
    let cookie = app.sign_in("Ada", Role::Admin).await;
    let story = format!("/interactions/{}", asked["id"].as_str().unwrap());
    let html = read(&app, &cookie, &story).await;
    holds(
        &html,
        &[
            "Told at once",
            "Ana: ntfy",
            "was reached by ntfy",
            "No answer yet: rung 1 was told",
            "5 min after it was asked",
        ],
    );
}

async fn a_claim_stops_the_ladder_until_it_runs_out(database: TestDatabase) {
    let phones = Receiver::start([]).await;
    let app = started(&database, &phones).await;
    reached(&app, "Ana").await;
    let agent = app.agent("backend").await;
    let desk = app.responder("desk").await;
    let asked = agent.ask(json!({"timeout_seconds": 7200})).await;
    assert_eq!(names(&app, &phones).await, ["Ana"]);
    app.clock.advance(TimeDelta::minutes(4));
    desk.done(&asked, "claim", json!({"minutes": 15})).await;
    app.clock.advance(TimeDelta::minutes(14));
    assert!(names(&app, &phones).await.is_empty(), "somebody is on it");
    app.clock.advance(TimeDelta::minutes(1));
    app.state.service.end_claims().await.unwrap();
    assert_eq!(
        names(&app, &phones).await,
        ["Ana"],
        "the next rung, at once"
    );
}

async fn a_question_that_is_handed_over_is_told_to_them_at_once(database: TestDatabase) {
    let phones = Receiver::start([]).await;
    let app = started(&database, &phones).await;
    for name in ["Ana", "Ben"] {
        reached(&app, name).await;
    }
    let team = on_duty(&app, "Payments", &["Ana", "Ben"]).await;
    let agent = app.agent("backend").await;
    app.home(team, "backend").await;
    let asked = agent.ask(json!({"timeout_seconds": 7200})).await;
    assert_eq!(names(&app, &phones).await, ["Ana"]);
    let ben = person_named(&app, "Ben").await;
    let to = domain::interaction::HandTo::Person(ben);
    let id = id_of(&asked);
    let service = &app.state.service;
    let ada = Principal::Person {
        id: PersonId(uuid::Uuid::from_u128(1)),
        name: "Ada".into(),
        role: Role::Admin,
        proven_at: chrono::DateTime::UNIX_EPOCH,
        teams: domain::Parts::default(),
    };
    let over = service
        .hand_over(id, to, Some("You know it".into()), &ada)
        .await;
    over.unwrap();
    assert_eq!(names(&app, &phones).await, ["Ben"]);
    app.clock.advance(TimeDelta::minutes(5));
    assert_eq!(names(&app, &phones).await, ["Ana", "Ben"]);
}

fn quiet(urgent: bool) -> QuietDraft {
    // It is 08:00 in UTC.
    QuietDraft {
        zone: "UTC".into(),
        from: "07:00".into(),
        until: "10:00".into(),
        days: Vec::new(),
        urgent,
    }
}

async fn quiet_hours_hold_back_what_can_wait_and_then_it_comes_as_one(database: TestDatabase) {
    let phones = Receiver::start([]).await;
    let app = started(&database, &phones).await;
    let ana = reached(&app, "Ana").await;
    let (service, by) = (&app.state.service, operator());
    service
        .set_quiet_hours(ana, &quiet(true), &by)
        .await
        .unwrap();
    let agent = app.agent("backend").await;
    let desk = app.responder("desk").await;
    let day = json!({"timeout_seconds": 86_400});
    let (one, two) = (agent.ask(day.clone()).await, agent.ask(day.clone()).await);
    let gone = agent.ask(day).await;
    assert!(names(&app, &phones).await.is_empty());
    let held = history(&app, &one).await;
    let Payload::Interaction(InteractionEvent::Climbed { told: of, .. }) = &held[1].payload else {
        panic!("{held:?}");
    };
    let back = of[0].held.unwrap();
    assert_eq!(back.why, HeldWhy::Quiet);
    assert_eq!(back.until.to_rfc3339(), "2027-01-15T10:00:00+00:00");
    // What ends in them, and what is urgent, cannot wait.
    agent.ask(json!({"timeout_seconds": 3600})).await;
    assert_eq!(names(&app, &phones).await, ["Ana"]);
    agent
        .ask(json!({"priority": "urgent", "timeout_seconds": 86_400}))
        .await;
    assert_eq!(names(&app, &phones).await, ["Ana"]);
    answered(&desk, &gone).await;
    app.clock.advance(TimeDelta::minutes(119));
    told(&app, &phones).await;
    app.clock.advance(TimeDelta::minutes(1));
    let summary = told(&app, &phones).await;
    let of_two = summary.iter().filter(|(_, got)| {
        let json = got.json();
        json["title"]
            .as_str()
            .unwrap()
            .starts_with("2 questions wait")
    });
    assert_eq!(of_two.count(), 1, "{summary:?}");
    for asked in [&one, &two] {
        let types = types(&app, asked).await;
        assert!(types.contains(&"interaction.summed_up"), "{types:?}");
    }
    assert!(!types(&app, &gone).await.contains(&"interaction.summed_up"));
}

async fn a_storm_is_a_few_messages_and_one_that_sums_up_the_rest(database: TestDatabase) {
    const ASKED: usize = 60;
    let phones = Receiver::start([]).await;
    let app = started(&database, &phones).await;
    reached(&app, "Ana").await;
    let agent = app.agent("backend").await;
    for _ in 0..ASKED {
        agent.ask(json!({"timeout_seconds": 86_400})).await;
    }
    assert_eq!(names(&app, &phones).await.len(), 15);
    app.clock.advance(TimeDelta::minutes(4));
    agent
        .ask(json!({"timeout_seconds": 86_400, "priority": "urgent"}))
        .await;
    assert_eq!(
        names(&app, &phones).await.len(),
        1,
        "what is urgent still comes"
    );
    app.clock.advance(TimeDelta::minutes(11));
    let summary = told(&app, &phones).await;
    let sums: Vec<_> = summary
        .iter()
        .map(|(_, got)| got.json()["title"].as_str().unwrap().to_owned())
        .filter(|title| title.contains("questions wait for you"))
        .collect();
    assert_eq!(sums.len(), 1, "{summary:?}");
    // All that were held back, with as many of the others as have come to their second rung by then.
    let of: usize = sums[0].split(' ').next().unwrap().parse().unwrap();
    assert!((ASKED - 15..=ASKED).contains(&of), "{sums:?}");
}

async fn a_person_who_opens_a_question_has_seen_it_once(database: TestDatabase) {
    let phones = Receiver::start([]).await;
    let app = started(&database, &phones).await;
    let cookie = app.sign_in("Ana", Role::Responder).await;
    let viewer = app.sign_in("Vic", Role::Viewer).await;
    let agent = app.agent("backend").await;
    let asked = agent.ask(json!({"timeout_seconds": 3600})).await;
    let place = format!("/blockers/{}", asked["id"].as_str().unwrap());
    for cookie in [&viewer, &cookie, &cookie] {
        read(&app, cookie, &place).await;
    }
    app.until_seen(asked["id"].as_str().unwrap()).await;
    read(&app, &cookie, &place).await;
    let seen = history(&app, &asked).await;
    let seen = seen.iter().filter(|event| {
        matches!(
            &event.payload,
            Payload::Interaction(InteractionEvent::Seen { .. })
        )
    });
    let by: Vec<_> = seen.map(|event| event.actor.name()).collect();
    assert_eq!(by, [Some("Ana")]);
    let story = format!("/interactions/{}", asked["id"].as_str().unwrap());
    holds(&read(&app, &cookie, &story).await, &["opened it"]);
}

fn rungs(rungs: &[&str]) -> LadderDraft {
    let rungs: Vec<_> = rungs
        .iter()
        .map(|rung| RungDraft((*rung).to_owned()))
        .collect();
    LadderDraft {
        urgent: Some(rungs.clone()),
        sync: Some(rungs.clone()),
        later: Some(rungs),
    }
}

async fn a_rung_of_a_ladder_of_its_own_is_told_by_it(database: TestDatabase) {
    let phones = Receiver::start([]).await;
    let app = started(&database, &phones).await;
    for name in ["Ana", "Ben", "Cem"] {
        reached(&app, name).await;
    }
    let team = on_duty(&app, "Payments", &["Ana", "Ben"]).await;
    let agent = app.agent("backend").await;
    app.home(team, "backend").await;
    let (service, by) = (&app.state.service, operator());
    let own = rungs(&["0 duty", "1m Ben x2", "2m team"]);
    service.set_ladder(Some(team), &own, &by).await.unwrap();
    let asked = agent.ask(json!({"timeout_seconds": 86_400})).await;
    assert_eq!(names(&app, &phones).await, ["Ana"]);
    for expected in [&["Ben"][..], &["Ben"], &["Ana", "Ben"]] {
        app.clock.advance(TimeDelta::minutes(2));
        assert_eq!(names(&app, &phones).await, expected);
    }
    app.clock.advance(TimeDelta::hours(5));
    assert!(
        names(&app, &phones).await.is_empty(),
        "it has no more rungs"
    );
    // Shorter meanwhile: what is past its end has left it.
    let shorter = agent.ask(json!({"timeout_seconds": 86_400})).await;
    assert_eq!(names(&app, &phones).await, ["Ana"]);
    service
        .set_ladder(Some(team), &rungs(&[]), &by)
        .await
        .unwrap();
    app.clock.advance(TimeDelta::hours(1));
    assert!(names(&app, &phones).await.is_empty());
    let store = service.store();
    for one in [&asked, &shorter] {
        assert_eq!(store.place_on_ladder(id_of(one)).await.unwrap(), None);
    }
}

async fn form(
    app: &TestApp,
    cookie: &str,
    place: &str,
    fields: &[(&str, &str)],
    status: StatusCode,
) -> String {
    let fields: Vec<_> = fields.iter().copied().map(owned).collect();
    let response = app.submit(place, cookie, &fields).await;
    let found = response.status();
    let text = response.text().await.unwrap();
    assert_eq!(found, status, "{text}");
    text
}

async fn an_admin_sets_ladders_on_the_page_and_at_a_terminal(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let admin = app.sign_in("Ada", Role::Admin).await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    let team = app.team("Payments").await;
    app.join(team, "Ana", Part::Answers).await;
    let place = format!("/settings/teams/{team}/ladder");
    holds(
        &read(&app, &admin, &place).await,
        &["0 duty", "5m team", "uses everyone's ladder"],
    );
    let none = page(
        app.get(&place).header("cookie", &ana),
        StatusCode::FORBIDDEN,
    )
    .await;
    assert!(!none.contains("0 duty"));
    let own = [
        ("urgent", "0 duty\r\n2m Ana x3\r\n"),
        ("sync", "0 duty\r\n\r\n10m team by push,mail"),
        ("async", ""),
    ];
    form(&app, &admin, &place, &own, StatusCode::SEE_OTHER).await;
    form(&app, &ana, &place, &own, StatusCode::FORBIDDEN).await;
    let saved = read(&app, &admin, &format!("{place}?done=saved")).await;
    holds(
        &saved,
        &[
            "2m Ana x3",
            "10m team by push,mail",
            "Saved.",
            "its own ladder",
        ],
    );
    let wrong = [
        ("urgent", "5m duty"),
        ("sync", "0 <b>Eve</b>"),
        ("async", "0 team"),
    ];
    let said = form(
        &app,
        &admin,
        &place,
        &wrong,
        StatusCode::UNPROCESSABLE_ENTITY,
    )
    .await;
    holds(
        &said,
        &[
            "Urgent questions: line 1 is the first, which is told at once: begin it with 0.",
            "Questions that an agent has stopped for: line 1 is not the name of a person who may answer here",
            "aria-invalid=\"true\" aria-describedby=\"refusal rung-hint\"",
            "0 &lt;b&gt;Eve&lt;/b&gt;",
        ],
    );
    let desk = app.responder_of("desk", team).await;
    let told = desk.read("/api/v1/teams/Payments/ladder").await;
    assert_eq!(told["own"], true);
    assert_eq!(told["urgent"], json!(["0 duty", "2m Ana x3"]));
    // An empty box takes the default.
    assert_eq!(told["async"], json!(["0 duty", "5m team", "half team"]));
    let agent = app.agent("backend").await;
    let hidden = agent
        .get("/api/v1/teams/Payments/ladder")
        .send()
        .await
        .unwrap();
    json_of(hidden, StatusCode::NOT_FOUND).await;

    let run = |arguments: &[&str]| {
        let mut all = vec!["team", "ladder"];
        all.extend(arguments);
        all.extend(["--database", &database.url]);
        let output = handraise(&all);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.success(), text, errors)
    };
    let (_, shown, _) = run(&["--team", "Payments"]);
    holds(
        &shown,
        &[
            "The ladder of Payments",
            "  2m Ana x3",
            "async:\n  0 duty\n  5m team\n  half team",
        ],
    );
    let (done, _, errors) = run(&["set", "--sync", "0 team", "--sync", "half admins x2"]);
    assert!(done, "{errors}");
    let (_, everyones, _) = run(&[]);
    holds(
        &everyones,
        &["The ladder of everyone", "  half admins x2", "  5m team"],
    );
    let (done, _, errors) = run(&["set", "--sync", "5m team"]);
    assert!(!done);
    assert!(errors.contains("begin it with 0"), "{errors}");
    assert!(run(&["clear", "--team", "Payments"]).0);
    let (_, shown, _) = run(&["--team", "Payments"]);
    holds(
        &shown,
        &["Payments uses everyone's ladder", "  half admins x2"],
    );
}

async fn a_person_says_on_the_page_when_they_are_left_alone(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    let place = "/settings/quiet-hours";
    holds(&read(&app, &ana, place).await, &["name=\"urgent\" checked"]);
    let night = [
        ("zone", "Europe/Berlin"),
        ("from", "22:00"),
        ("until", "07:00"),
        ("sat", "on"),
        ("sun", "on"),
    ];
    form(&app, &ana, place, &night, StatusCode::SEE_OTHER).await;
    let saved = read(&app, &ana, &format!("{place}?done=saved")).await;
    holds(
        &saved,
        &[
            "value=\"22:00\"",
            "value=\"07:00\"",
            "name=\"sat\" checked",
            "value=\"Europe/Berlin\"",
            "name=\"urgent\"> Tell me about",
            "Saved.",
        ],
    );
    let wrong = [("zone", "Berlin"), ("from", "22:00"), ("until", "")];
    let said = form(&app, &ana, place, &wrong, StatusCode::UNPROCESSABLE_ENTITY).await;
    holds(
        &said,
        &[
            "Until: needs a time, since From has one.",
            "value=\"Berlin\"",
        ],
    );
    form(&app, &ana, place, &[("zone", "")], StatusCode::SEE_OTHER).await;
    let person = person_named(&app, "Ana").await;
    let store = app.state.service.store();
    assert_eq!(store.quiet_hours(person).await.unwrap(), None);
}

async fn the_journal_s_verification_names_a_ladder_that_no_event_made(database: TestDatabase) {
    let phones = Receiver::start([]).await;
    let app = started(&database, &phones).await;
    let ana = reached(&app, "Ana").await;
    let team = on_duty(&app, "Payments", &["Ana"]).await;
    let gone = on_duty(&app, "Gone", &["Ana"]).await;
    let (service, by) = (&app.state.service, operator());
    for team in [None, Some(team), Some(gone)] {
        service
            .set_ladder(team, &rungs(&["0 team"]), &by)
            .await
            .unwrap();
    }
    service.clear_ladder(None, &by).await.unwrap();
    service.delete_team(gone, None, &by).await.unwrap();
    service
        .set_quiet_hours(ana, &quiet(false), &by)
        .await
        .unwrap();
    let agent = app.agent("backend").await;
    let desk = app.responder("desk").await;
    for _ in 0..3 {
        let asked = agent.ask(json!({"timeout_seconds": 600})).await;
        told(&app, &phones).await;
        answered(&desk, &asked).await;
    }
    app.state.checkpoints.sign_new().await.unwrap();
    let key = app.state.config.key_file().display().to_string();
    let checkpoints = app.state.config.checkpoint_file().display().to_string();
    let verify = || {
        handraise(&[
            "journal",
            "verify",
            "--database",
            &database.url,
            "--checkpoints",
            &checkpoints,
            "--key",
            &key,
        ])
    };
    assert!(verify().status.success(), "{:?}", verify());
    for (change, said) in [
        (
            "UPDATE ladders SET ladder = replace(ladder, 'team', 'admins')",
            "a ladder is other than the events say",
        ),
        (
            "UPDATE quiet_hours SET quiet = replace(quiet, '07:00', '00:00')",
            "somebody's are other than the events say",
        ),
    ] {
        database.execute(change).await.unwrap();
        let output = verify();
        assert!(!output.status.success());
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(errors.contains(said), "{errors}");
    }
}

async fn the_numbers_say_how_far_silence_climbed(database: TestDatabase) {
    let phones = Receiver::start([]).await;
    let app = started(&database, &phones).await;
    reached(&app, "Ana").await;
    let agent = app.agent("backend").await;
    agent.ask(json!({"timeout_seconds": 86_400})).await;
    told(&app, &phones).await;
    app.clock.advance(TimeDelta::minutes(5));
    told(&app, &phones).await;
    let text = page(app.get("/metrics"), StatusCode::OK).await;
    let lines: BTreeMap<_, _> = text
        .lines()
        .filter_map(|line| line.rsplit_once(' '))
        .collect();
    for (name, value) in [
        (r#"handraise_rungs_climbed_total{rung="0"}"#, "1"),
        (r#"handraise_rungs_climbed_total{rung="1"}"#, "1"),
        (r#"handraise_people_told_total{by="ntfy"}"#, "2"),
        (r#"handraise_people_reached_seconds_count{by="ntfy"}"#, "2"),
        (r#"handraise_silence_seconds_count{until="reached"}"#, "2"),
    ] {
        assert_eq!(lines.get(name), Some(&value), "{name} in {text}");
    }
}
