//! Who of a team is on duty, through the front doors: to scripts, to calendars, at a terminal, and in the journal.

use std::{process::Output, time::Duration};

use chrono::TimeDelta;
use domain::{
    Part, Principal, Refused, Role, TeamId,
    duty::{AbsenceDraft, Given, OverrideDraft, RotaDraft},
};
use reqwest::{StatusCode, header};
use serde_json::{Value, json};
use service::ServiceError;
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of},
    people::{operator, person_named},
    program::{handraise, said},
};

store::on_both_databases!(
    a_script_reads_who_is_on_duty_until_when_and_who_follows,
    whoever_cannot_be_is_passed_over_and_a_gap_is_said_as_a_gap,
    whoever_does_not_see_the_team_finds_no_such_team,
    a_calendar_subscribes_by_an_address_that_ends_with_its_persons_place,
    nobody_waits_for_the_calendar_of_who_is_disabled_meanwhile,
    people_say_themselves_that_they_are_away,
    what_is_wrong_is_said_and_nothing_is_half_done,
    commands_set_a_rota_and_show_it,
    the_journal_s_verification_names_a_rota_that_no_event_made,
);

/// Longer than any of it takes.
const IN_TIME: Duration = Duration::from_secs(20);

/// It is 08:00 on Friday the 15th of January 2027: the day of the second began yesterday.
fn daily(people: &[&str]) -> RotaDraft {
    RotaDraft {
        people: people.iter().map(|name| (*name).to_owned()).collect(),
        every: "day".into(),
        at: "09:00".into(),
        zone: "UTC".into(),
        starts: Some("2027-01-11".into()),
    }
}

fn given(text: &str) -> Option<Given> {
    Some(Given::parse("from", text).unwrap())
}

/// A team of these people, who answer, with a rota.
async fn with_rota(app: &TestApp, name: &str, people: &[&str]) -> TeamId {
    let team = app.team(name).await;
    for person in people {
        let (service, by) = (&app.state.service, operator());
        service.invite(person, Role::Responder, &by).await.unwrap();
        app.join(team, person, Part::Answers).await;
    }
    let (service, by) = (&app.state.service, operator());
    service.set_rota(team, &daily(people), &by).await.unwrap();
    team
}

async fn read(desk: &Caller<'_>, team: &str) -> Value {
    desk.read(&format!("/api/v1/teams/{team}/duty")).await
}

fn name(shift: &Value) -> &Value {
    &shift["person"]["name"]
}

async fn a_script_reads_who_is_on_duty_until_when_and_who_follows(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let team = app.team("Payments").await;
    let desk = app.responder_of("desk", team).await;
    let none = read(&desk, "Payments").await;
    let empty = json!({
        "team": {"id": team.to_string(), "name": "Payments"}, "zone": null, "on_duty": null, "next": [],
    });
    assert_eq!(none, empty);
    for person in ["Ana", "Ben", "Cem"] {
        let (service, by) = (&app.state.service, operator());
        service.invite(person, Role::Responder, &by).await.unwrap();
        app.join(team, person, Part::Answers).await;
    }
    let (service, by) = (&app.state.service, operator());
    let rota = daily(&["Ana", "Ben"]);
    service.set_rota(team, &rota, &by).await.unwrap();
    let ben = person_named(&app, "Ben").await;
    let told = read(&desk, &team.to_string()).await;
    assert_eq!(told["zone"], "UTC");
    let now = json!({
        "person": {"id": ben.to_string(), "name": "Ben"}, "why": "turn", "instead_of": null,
        "from": "2027-01-14T09:00:00Z", "until": "2027-01-15T09:00:00Z",
    });
    assert_eq!(told["on_duty"], now);
    assert_eq!(name(&told["next"][0]), "Ana");
    assert_eq!(told["next"][0]["from"], "2027-01-15T09:00:00Z");
    // By its name, however it is capitalised, it is the same.
    assert_eq!(read(&desk, "payments").await, told);

    app.clock.advance(TimeDelta::hours(1));
    assert_eq!(name(&read(&desk, "Payments").await["on_duty"]), "Ana");
    let one = OverrideDraft {
        person: "Cem".into(),
        from: given("2027-01-15T09:00"),
        until: given("2027-01-15T12:00"),
    };
    service.add_override(team, &one, &by).await.unwrap();
    let told = read(&desk, "Payments").await;
    assert_eq!(
        (name(&told["on_duty"]), &told["on_duty"]["why"]),
        (&json!("Cem"), &json!("override"))
    );
    assert_eq!(told["on_duty"]["until"], "2027-01-15T12:00:00Z");
    assert_eq!(name(&told["next"][0]), "Ana");
    service.clear_rota(team, &by).await.unwrap();
    assert_eq!(read(&desk, "Payments").await, empty);
}

async fn whoever_cannot_be_is_passed_over_and_a_gap_is_said_as_a_gap(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let team = with_rota(&app, "Payments", &["Ana", "Ben"]).await;
    let desk = app.responder_of("desk", team).await;
    let (service, by) = (&app.state.service, operator());
    assert_eq!(name(&read(&desk, "Payments").await["on_duty"]), "Ben");
    let ben = person_named(&app, "Ben").await;
    service.disable_person(ben, true, false, &by).await.unwrap();
    let told = read(&desk, "Payments").await["on_duty"].clone();
    let passed = (&told["why"], &told["instead_of"]["name"]);
    assert_eq!(name(&told), "Ana");
    assert_eq!(passed, (&json!("stand_in"), &json!("Ben")));
    // Whoever only reads, or answers nothing by their role, is not asked.
    app.join(team, "Ana", Part::Reads).await;
    let told = read(&desk, "Payments").await;
    assert_eq!(told["on_duty"]["person"], Value::Null);
    assert!(told["on_duty"]["until"].is_string(), "{told}");
    app.join(team, "Ana", Part::Answers).await;
    assert_eq!(name(&read(&desk, "Payments").await["on_duty"]), "Ana");
    let ana = person_named(&app, "Ana").await;
    let viewer = service.change_person(ana, "Ana", Role::Viewer, &by);
    viewer.await.unwrap();
    let told = read(&desk, "Payments").await;
    assert_eq!(told["on_duty"]["person"], Value::Null);
    service
        .disable_person(ben, false, false, &by)
        .await
        .unwrap();
    assert_eq!(name(&read(&desk, "Payments").await["on_duty"]), "Ben");
    // Whoever has left is not on duty, and is still named as whom another one stands in for.
    app.part(team, "Ben").await;
    let told = read(&desk, "Payments").await;
    assert_eq!(told["on_duty"]["person"], Value::Null);
    let responder = service.change_person(ana, "Ana", Role::Responder, &by);
    responder.await.unwrap();
    let told = read(&desk, "Payments").await["on_duty"].clone();
    assert_eq!(
        (name(&told), &told["instead_of"]["name"]),
        (&json!("Ana"), &json!("Ben"))
    );
    // With the team its rota goes.
    service.delete_team(team, None, &by).await.unwrap();
    let gone = desk
        .get("/api/v1/teams/Payments/duty")
        .send()
        .await
        .unwrap();
    assert_eq!(gone.status(), StatusCode::NOT_FOUND);
    let gone = format!("/api/v1/teams/{team}/duty");
    assert_eq!(
        desk.get(&gone).send().await.unwrap().status(),
        StatusCode::NOT_FOUND
    );
}

async fn whoever_does_not_see_the_team_finds_no_such_team(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let team = with_rota(&app, "Payments", &["Ana"]).await;
    let search = app.team("Search").await;
    app.agent("backend").await;
    app.home(team, "backend").await;
    let callers = [
        app.responder("open desk").await,
        app.responder_of("search desk", search).await,
        app.agent("backend").await,
    ];
    let mut said = Vec::new();
    for caller in &callers {
        for path in [
            format!("/api/v1/teams/{team}/duty"),
            "/api/v1/teams/Payments/duty".to_owned(),
            "/api/v1/teams/Nowhere/duty".to_owned(),
            format!("/api/v1/teams/{team}/duty.ics"),
            "/api/v1/teams/Nowhere/duty.ics".to_owned(),
            format!("/api/v1/teams/{team}/duty.ics?key=hr_calendar_1"),
            "/api/v1/teams/%00/duty".to_owned(),
        ] {
            let response = caller.get(&path).send().await.unwrap();
            said.push(json_of(response, StatusCode::NOT_FOUND).await.to_string());
        }
    }
    // There is nothing to tell them apart by.
    said.dedup();
    assert_eq!(said.len(), 1, "{said:?}");
    for path in ["duty", "duty.ics"] {
        let nobody = app.get(&format!("/api/v1/teams/{team}/{path}")).send();
        assert_eq!(nobody.await.unwrap().status(), StatusCode::UNAUTHORIZED);
    }
}

async fn a_calendar_subscribes_by_an_address_that_ends_with_its_persons_place(
    database: TestDatabase,
) {
    let app = TestApp::start(&database).await;
    let team = with_rota(&app, "Payments", &["Ana", "Ben"]).await;
    let search = app.team("Search").await;
    let (service, by) = (&app.state.service, operator());
    let (ana, ben) = (
        person_named(&app, "Ana").await,
        person_named(&app, "Ben").await,
    );
    let path = |team: TeamId| format!("/api/v1/teams/{team}/duty.ics");
    let desk = app.responder_of("desk", team).await;
    let calendar = desk.get(&path(team)).send().await.unwrap();
    assert_eq!(
        calendar.headers()[header::CONTENT_TYPE],
        "text/calendar; charset=utf-8"
    );
    let text = calendar.text().await.unwrap();
    assert!(text.starts_with("BEGIN:VCALENDAR\r\n"), "{text}");
    assert!(text.contains("SUMMARY:On duty: Ana"), "{text}");
    assert!(text.contains("DTSTART:20270115T090000Z"), "{text}");
    let open = async |key: &str, team| {
        let opened = app.get(&format!("{}?key={key}", path(team))).send().await;
        let opened = opened.unwrap();
        let status = opened.status();
        (status, opened.text().await.unwrap())
    };
    let opened = service.open_calendar(team, ana, &by).await.unwrap();
    let key = opened.reveal();
    assert!(key.starts_with("hr_calendar_"), "{key}");
    assert_eq!(open(key, team).await, (StatusCode::OK, text));
    // It opens this calendar alone, and nothing else.
    assert_eq!(open(key, search).await.0, StatusCode::NOT_FOUND);
    assert_eq!(open("", team).await.0, StatusCode::NOT_FOUND);
    let other = app.get(&format!("/api/v1/teams/{team}/duty?key={key}"));
    let other = other.send().await.unwrap();
    assert_eq!(other.status(), StatusCode::UNAUTHORIZED);
    let as_token = app.get("/api/v1/events").bearer_auth(key).send().await;
    assert_eq!(as_token.unwrap().status(), StatusCode::UNAUTHORIZED);
    // A new one ends the last, and each can be taken back.
    let again = service.open_calendar(team, ana, &by).await.unwrap();
    assert_eq!(open(key, team).await.0, StatusCode::NOT_FOUND);
    assert_eq!(open(again.reveal(), team).await.0, StatusCode::OK);
    service.close_calendar(team, ana, &by).await.unwrap();
    service.close_calendar(team, ana, &by).await.unwrap();
    assert_eq!(open(again.reveal(), team).await.0, StatusCode::NOT_FOUND);
    // Whoever leaves, is kept out, or whose team is gone, has none.
    let of_ana = service.open_calendar(team, ana, &by).await.unwrap();
    let of_ben = service.open_calendar(team, ben, &by).await.unwrap();
    app.part(team, "Ana").await;
    assert_eq!(open(of_ana.reveal(), team).await.0, StatusCode::NOT_FOUND);
    app.join(team, "Ana", Part::Reads).await;
    assert_eq!(open(of_ana.reveal(), team).await.0, StatusCode::NOT_FOUND);
    service.disable_person(ben, true, false, &by).await.unwrap();
    assert_eq!(open(of_ben.reveal(), team).await.0, StatusCode::NOT_FOUND);
    service
        .disable_person(ben, false, false, &by)
        .await
        .unwrap();
    assert_eq!(open(of_ben.reveal(), team).await.0, StatusCode::NOT_FOUND);
    let of_ben = service.open_calendar(team, ben, &by).await.unwrap();
    service.delete_team(team, None, &by).await.unwrap();
    assert_eq!(open(of_ben.reveal(), team).await.0, StatusCode::NOT_FOUND);
    // An admin who is in no team has one as long as they are an admin.
    let team = with_rota(&app, "Billing", &["Cem"]).await;
    service.invite("Root", Role::Admin, &by).await.unwrap();
    let root = person_named(&app, "Root").await;
    let of_root = service.open_calendar(team, root, &by).await.unwrap();
    assert_eq!(open(of_root.reveal(), team).await.0, StatusCode::OK);
    let changed = service.change_person(root, "Root", Role::Responder, &by);
    changed.await.unwrap();
    assert_eq!(open(of_root.reveal(), team).await.0, StatusCode::NOT_FOUND);
}

/// A person who is signed in, as the store knows them.
async fn signed_in(app: &TestApp, name: &str) -> Principal {
    let id = person_named(app, name).await;
    let store = app.state.service.store();
    let person = store.person(id).await.unwrap().unwrap();
    Principal::Person {
        id,
        name: person.name,
        role: person.role,
        proven_at: app.state.service.now(),
        teams: store.parts(id).await.unwrap(),
    }
}

async fn nobody_waits_for_the_calendar_of_who_is_disabled_meanwhile(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let names = ["Ana", "Ben", "Cem", "Dora", "Eli"];
    let team = with_rota(&app, "Payments", &names).await;
    let mut people = Vec::new();
    for name in names {
        people.push(person_named(&app, name).await);
    }
    let service = app.state.service.clone();
    // Each is decided as they still are, and written once they are disabled.
    let held = database.hold_writes().await.unwrap();
    let disabled = people.iter().map(|person| {
        let (service, person) = (service.clone(), *person);
        tokio::spawn(async move {
            let by = operator();
            service.disable_person(person, true, false, &by).await
        })
    });
    let disabled: Vec<_> = disabled.collect();
    service.people(&operator()).await.unwrap();
    let opened = people.iter().map(|person| {
        let (service, person) = (service.clone(), *person);
        tokio::spawn(async move { service.open_calendar(team, person, &operator()).await })
    });
    let opened: Vec<_> = opened.collect();
    service.people(&operator()).await.unwrap();
    held.let_go().await.unwrap();
    for disabled in disabled {
        disabled.await.unwrap().unwrap();
    }
    for opened in opened {
        let opened = tokio::time::timeout(IN_TIME, opened).await;
        match opened.expect("it goes on for ever").unwrap() {
            // Before.
            Ok(_) | Err(ServiceError::Refused(Refused::Disabled)) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

async fn people_say_themselves_that_they_are_away(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let team = with_rota(&app, "Payments", &["Ana", "Ben", "Cem"]).await;
    let desk = app.responder_of("desk", team).await;
    let service = &app.state.service;
    let ana = signed_in(&app, "Ana").await;
    assert_eq!(name(&read(&desk, "Payments").await["on_duty"]), "Ana");
    let away = |person: &str, delegate: Option<&str>| AbsenceDraft {
        person: person.into(),
        from: given("2027-01-15"),
        until: given("2027-01-16"),
        delegate: delegate.map(str::to_owned),
    };
    let own = away("Ana", Some("Cem"));
    assert_eq!(service.set_away(team, &own, &ana).await.unwrap(), None);
    // Twice does no harm.
    assert_eq!(service.set_away(team, &own, &ana).await.unwrap(), None);
    let told = read(&desk, "Payments").await["on_duty"].clone();
    assert_eq!(
        (name(&told), &told["instead_of"]["name"]),
        (&json!("Cem"), &json!("Ana"))
    );
    let refused = service.set_away(team, &away("Ben", None), &ana).await;
    assert!(refused.unwrap_err().to_string().contains("admin"));
    let duty = service.store().duty(team).await.unwrap().unwrap().duty;
    let id = duty.unwrap().absences[0].id;
    let refused = service
        .remove_away(team, id, &signed_in(&app, "Ben").await)
        .await;
    assert!(refused.unwrap_err().to_string().contains("admin"));
    // Nobody else learns that there is such a team.
    service
        .invite("Dov", Role::Responder, &operator())
        .await
        .unwrap();
    let dov = signed_in(&app, "Dov").await;
    let refused = service.set_away(team, &away("Dov", None), &dov).await;
    assert!(
        matches!(refused, Err(ServiceError::NotFound)),
        "{refused:?}"
    );
    // Where all are away it is said, and still taken: they are away.
    let by = operator();
    for person in ["Ben", "Cem"] {
        let gap = service
            .set_away(team, &away(person, None), &by)
            .await
            .unwrap();
        let says = gap.is_some_and(|gap| gap.message.contains("everybody is away"));
        assert_eq!(says, person == "Cem");
    }
    let told = read(&desk, "Payments").await;
    assert_eq!(told["on_duty"]["person"], Value::Null);
    service.remove_away(team, id, &ana).await.unwrap();
    assert_eq!(name(&read(&desk, "Payments").await["on_duty"]), "Ana");
}

const HOLIDAYS: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n\
    BEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Cem\r\nDTSTART;VALUE=DATE:20270201\r\nDTEND;VALUE=DATE:20270203\r\nEND:VEVENT\r\n\
    BEGIN:VEVENT\r\nUID:2\r\nSUMMARY:On duty: Ben\r\nDTSTART;VALUE=DATE:20270210\r\nEND:VEVENT\r\n\
    BEGIN:VEVENT\r\nUID:3\r\nSUMMARY:Ben\r\nDTSTART;VALUE=DATE:20260101\r\nEND:VEVENT\r\n\
    END:VCALENDAR\r\n";

async fn what_is_wrong_is_said_and_nothing_is_half_done(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let team = with_rota(&app, "Payments", &["Ana", "Ben", "Cem"]).await;
    let (service, by) = (&app.state.service, operator());
    let import = async |text: &str| service.import_overrides(team, text, &by).await;
    let done = import(HOLIDAYS).await.unwrap();
    assert_eq!((done.added, done.known, done.passed_over), (2, 0, 1));
    let again = import(HOLIDAYS).await.unwrap();
    assert_eq!((again.added, again.known, again.passed_over), (0, 2, 1));
    let dana = service.invite("Dana", Role::Responder, &by).await;
    dana.unwrap();
    app.join(team, "Dana", Part::Answers).await;
    let id = person_named(&app, "Dana").await;
    service.disable_person(id, true, false, &by).await.unwrap();
    let reader = service.invite("Reader", Role::Responder, &by).await;
    reader.unwrap();
    app.join(team, "Reader", Part::Reads).await;

    let before = app.last_seq().await;
    let kept = service.store().duty(team).await.unwrap();
    let rota = |change: fn(&mut RotaDraft)| {
        let mut draft = daily(&["Ana", "Ben"]);
        change(&mut draft);
        draft
    };
    for (draft, path, words) in [
        (
            rota(|it| it.people.push("Dana".into())),
            "people[2]",
            "disabled",
        ),
        (
            rota(|it| it.people.push("Reader".into())),
            "people[2]",
            "who answers",
        ),
        (
            rota(|it| it.people.push("Zoe".into())),
            "people[2]",
            "who answers",
        ),
        (rota(|it| it.people.clear()), "people", "empty"),
        (
            rota(|it| it.zone = "Europe/Atlantis".into()),
            "zone",
            "time zone",
        ),
        (rota(|it| it.at = "24:00".into()), "at", "00:00 to 23:59"),
        (rota(|it| it.every = "month".into()), "every", "day or week"),
        (
            rota(|it| it.starts = Some("2027-03-01".into())),
            "starts",
            "gap",
        ),
        (
            rota(|it| it.starts = Some("soon".into())),
            "starts",
            "a day like",
        ),
    ] {
        let refused = service.set_rota(team, &draft, &by).await;
        assert!(found(refused, path).contains(words), "{draft:?}");
    }
    let one = |person: &str, from: &str, until: &str| OverrideDraft {
        person: person.into(),
        from: given(from),
        until: given(until),
    };
    for (draft, path, words) in [
        (
            one("Ana", "2027-02-02", "2027-02-05"),
            "from",
            "overlaps another override",
        ),
        (
            one("Dana", "2027-03-02", "2027-03-02"),
            "person",
            "disabled",
        ),
        (
            one("Ana", "2027-03-02", "2027-03-01"),
            "until",
            "later than",
        ),
        (
            one("Ana", "2026-03-01", "2026-03-02"),
            "until",
            "over already",
        ),
    ] {
        let refused = service.add_override(team, &draft, &by).await;
        assert!(found(refused, path).contains(words), "{draft:?}");
    }
    let event = |n: usize| {
        format!(
            "BEGIN:VEVENT\r\nUID:{n}\r\nSUMMARY:Ana\r\nDTSTART:203{}0101T000000Z\r\nDURATION:PT1H\r\nEND:VEVENT\r\n",
            n % 10
        )
    };
    let file =
        |events: &str| format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{events}END:VCALENDAR\r\n");
    let many: String = (0..1_001).map(event).collect();
    let good =
        "BEGIN:VEVENT\r\nUID:9\r\nSUMMARY:Ana\r\nDTSTART;VALUE=DATE:20270301\r\nEND:VEVENT\r\n";
    for (text, path, words) in [
        ("garbage".to_owned(), "calendar", "no iCalendar file"),
        (String::new(), "calendar", "no iCalendar file"),
        (file(""), "calendar", "no events"),
        (
            HOLIDAYS[..HOLIDAYS.len() / 2].to_owned(),
            "calendar",
            "no iCalendar file",
        ),
        (file(&many), "calendar", "more than 1000 events"),
        ("x".repeat(2_000_001), "calendar", "more than 2000000 bytes"),
        // The good one does not count either.
        (
            file(&format!(
                "{good}{}",
                good.replace("SUMMARY:Ana", "SUMMARY:Zoe")
            )),
            "events[1].summary",
            "who answers",
        ),
        (
            file(&format!(
                "{good}{}",
                good.replace("SUMMARY:Ana", "SUMMARY:Ben")
            )),
            "events[1].dtstart",
            "overlaps another override",
        ),
        (
            file(&good.replace("20270301", "20270201").replace("Ana", "Ben")),
            "events[0].dtstart",
            "overlaps another override",
        ),
    ] {
        let refused = import(&text).await;
        let short: String = text.chars().take(300).collect();
        assert!(found(refused, path).contains(words), "{short}");
    }
    assert_eq!(app.last_seq().await, before);
    assert_eq!(service.store().duty(team).await.unwrap(), kept);
    // Without a rota there is nothing to make an exception to.
    let search = app.team("Search").await;
    app.join(search, "Ana", Part::Answers).await;
    let refused = service.import_overrides(search, HOLIDAYS, &by).await;
    assert_eq!(found(refused, "team"), "has no rota; set one first");
    let ana = person_named(&app, "Ana").await;
    let refused = service.open_calendar(search, ana, &by).await;
    assert_eq!(found(refused, "team"), "has no rota; set one first");
    let zed = service.invite("Zed", Role::Responder, &by).await;
    zed.unwrap();
    let zed = person_named(&app, "Zed").await;
    let refused = service.open_calendar(team, zed, &by).await;
    assert!(found(refused, "person").contains("add them first"));
}

/// The fault at this path.
fn found<T: std::fmt::Debug>(refused: Result<T, ServiceError>, path: &str) -> String {
    match refused {
        Err(ServiceError::Refused(Refused::Invalid(faults))) => {
            let fault = faults.iter().find(|fault| fault.path == path);
            let fault = fault.unwrap_or_else(|| panic!("{path} in {faults:?}"));
            fault.message.clone()
        }
        other => panic!("{path}: {other:?}"),
    }
}

fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

async fn commands_set_a_rota_and_show_it(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let at = ["--database", &*database.url];
    let duty = |words: &[&str]| handraise(&[&["team", "duty"], words, &at[..]].concat());
    let team = app.team("Payments").await;
    for person in ["Ana", "Ben"] {
        let (service, by) = (&app.state.service, operator());
        service.invite(person, Role::Responder, &by).await.unwrap();
        app.join(team, person, Part::Answers).await;
    }
    let shown = printed(&duty(&["--team", "payments"]));
    assert_eq!(
        shown,
        "Payments has no rota; `handraise team duty rota` gives it one\n"
    );
    let rota = [
        "rota",
        "--team",
        "Payments",
        "--person",
        "Ana",
        "--person",
        "Ben",
        "--every",
        "day",
        "--at",
        "9:00",
        "--zone",
        "Europe/Berlin",
    ];
    printed(&duty(&rota));
    // Twice does no harm.
    printed(&duty(&rota));
    let shown = printed(&duty(&["--team", "Payments"]));
    let lines: Vec<_> = shown.lines().collect();
    assert!(
        lines[0].starts_with("now   ") && lines[0].ends_with("  Ana"),
        "{shown}"
    );
    assert!(
        lines[1].starts_with("then  ") && lines[1].ends_with("  Ben"),
        "{shown}"
    );
    let rule = "rota  every day at 09:00 in Europe/Berlin, from ";
    assert!(
        shown.contains(rule) && shown.contains(": Ana, Ben\n"),
        "{shown}"
    );
    let over = ["override", "--team", "Payments", "--person", "Ben"];
    printed(&duty(&[&over[..], &["--from", "2099-12-24"]].concat()));
    let away = [
        "away",
        "--team",
        "Payments",
        "--person",
        "Ana",
        "--delegate",
        "Ben",
    ];
    printed(&duty(
        &[
            &away[..],
            &["--from", "2099-01-02", "--until", "2099-01-05"],
        ]
        .concat(),
    ));
    let shown = printed(&duty(&["--team", "Payments"]));
    let line = |begins: &str| {
        let found = shown.lines().find(|line| line.starts_with(begins));
        found
            .unwrap_or_else(|| panic!("{begins} in {shown}"))
            .to_owned()
    };
    let (over, away) = (line("override "), line("away "));
    assert!(
        over.ends_with("  2099-12-24 09:00 to 2099-12-25 09:00  Ben"),
        "{over}"
    );
    assert!(
        away.ends_with("  2099-01-02 00:00 to 2099-01-06 00:00  Ana, Ben stands in"),
        "{away}"
    );
    let id = |line: &str| line.split_whitespace().nth(1).unwrap().to_owned();
    printed(&duty(&[
        "override",
        "--team",
        "Payments",
        "--remove",
        &id(&over),
    ]));
    printed(&duty(&[
        "away",
        "--team",
        "Payments",
        "--remove",
        &id(&away),
    ]));
    let gap = printed_with_warning(&duty(&[
        "away",
        "--team",
        "Payments",
        "--person",
        "Ana",
        "--from",
        "2020-01-01",
        "--until",
        "2099-01-01",
    ]));
    assert!(gap.contains("within 366 days"), "{gap}");

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("holidays.ics").display().to_string();
    std::fs::write(
        &file,
        HOLIDAYS.replace("2027", "2098").replace("Cem", "Ana"),
    )
    .unwrap();
    let import = ["import", "--team", "Payments", &file];
    assert_eq!(
        said(&duty(&import), 0),
        "2 added, 0 there already, 1 over or called off"
    );
    assert_eq!(
        said(&duty(&import), 0),
        "0 added, 2 there already, 1 over or called off"
    );
    let calendar = printed(&duty(&["calendar", "--team", "Payments"]));
    assert!(calendar.contains("SUMMARY:On duty: Ben"), "{calendar}");
    let person = ["calendar", "--team", "Payments", "--person", "Ana"];
    let address = said(&duty(&person), 0);
    let (_, path) = address.split_once("/api/").unwrap();
    let path = format!("/api/{path}");
    let subscribed = app.get(&path).send().await.unwrap();
    assert_eq!(subscribed.status(), StatusCode::OK, "{path}");
    let shown = printed(&duty(&["--team", "Payments"]));
    assert!(shown.ends_with("calendar  an address of Ana\n"), "{shown}");
    printed(&duty(&[&person[..], &["--close"]].concat()));
    let closed = app.get(&path).send().await.unwrap();
    assert_eq!(closed.status(), StatusCode::NOT_FOUND);

    let garbage = folder.path().join("garbage.ics").display().to_string();
    std::fs::write(&garbage, [0xff, 0xfe, 0]).unwrap();
    let nowhere = folder.path().join("nowhere.ics").display().to_string();
    for (words, why) in [
        (&["rota", "--team", "Payments"][..], "--person"),
        (
            &[&rota[..11], &["--zone", "Mars/Base"]].concat(),
            "zone is no time zone",
        ),
        (
            &[&rota[..9], &["--at", "25:00", "--zone", "UTC"]].concat(),
            "at must be a time of day",
        ),
        (
            &[
                "override", "--team", "Payments", "--person", "Ana", "--from", "soon",
            ],
            "--from must be a day",
        ),
        (
            &[
                "override",
                "--team",
                "Payments",
                "--person",
                "Zoe",
                "--from",
                "2099-01-01",
            ],
            "person is nobody",
        ),
        (
            &["import", "--team", "Payments", &garbage],
            "no text in UTF-8",
        ),
        (&["import", "--team", "Payments", &nowhere], "cannot open"),
        (
            &["calendar", "--team", "Payments", "--person", "Zoe"],
            "`handraise user list` shows",
        ),
        (&["calendar", "--team", "Payments", "--close"], "--person"),
        (&["--team", "Nope"], "`handraise team list` shows"),
        (&[], "--team says whose duty"),
    ] {
        let output = duty(words);
        assert!(!output.status.success(), "{words:?} {output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(why), "{words:?}: {said}");
    }
    printed(&duty(&["rota", "--team", "Payments", "--clear"]));
    let shown = printed(&duty(&["--team", "Payments"]));
    assert!(shown.contains("has no rota"), "{shown}");
}

fn printed_with_warning(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

async fn the_journal_s_verification_names_a_rota_that_no_event_made(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let team = with_rota(&app, "Payments", &["Ana", "Ben"]).await;
    let (service, by) = (&app.state.service, operator());
    let ana = person_named(&app, "Ana").await;
    let ben = person_named(&app, "Ben").await;
    for person in [ana, ben] {
        service.open_calendar(team, person, &by).await.unwrap();
    }
    service
        .import_overrides(team, &HOLIDAYS.replace("Cem", "Ana"), &by)
        .await
        .unwrap();
    app.part(team, "Ben").await;
    service.disable_person(ana, true, false, &by).await.unwrap();
    let gone = with_rota(&app, "Gone", &["Cem"]).await;
    service.delete_team(gone, None, &by).await.unwrap();
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
    database
        .execute("UPDATE team_duty SET duty = replace(duty, '09:00', '10:00')")
        .await
        .unwrap();
    let hash = match database.url.starts_with("sqlite") {
        true => "X'00'",
        false => "'\\x00'::bytea",
    };
    let by_hand = format!(
        "INSERT INTO team_calendars (team_id, person_id, hash, created_at)
         SELECT t.id, p.id, {hash}, 0 FROM teams t, people p WHERE t.name = 'Payments' AND p.name = 'Cem'"
    );
    database.execute(&by_hand).await.unwrap();
    let output = verify();
    assert!(!output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    for line in [
        "the team Payments: its rota, or who is away, is other than the events say",
        "the team Payments: its calendar opens for others than the events say",
    ] {
        assert!(said.contains(line), "{line} in {said}");
    }
}
