//! Who somebody in Slack is here: recognised, refused, and linked by the link that only they were shown.

use chrono::TimeDelta;
use domain::{PersonId, Principal, Refused, Role, SlackId};
use machine::clock::Clock;
use secrecy::SecretString;
use serde_json::{Value, json};
use server::slack::{recognise::Recogniser, unrecognised::Unrecognised};
use service::ServiceError;
use slack::client::SlackClient;
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    fake_slack::{ANA, APP_TOKEN, BEN, BOT_TOKEN, BOT_USER, FakeSlack, Fault, TEAM},
    people::{operator, person_named},
};

store::on_both_databases!(
    a_linked_person_answers_as_themselves,
    a_role_comes_before_the_list_of_those_who_need_no_account,
    whoever_is_on_the_list_needs_no_account,
    bots_guests_strangers_and_the_gone_are_nobody,
    when_slack_does_not_say_nobody_answers,
    slack_is_asked_once_a_minute_and_we_every_time,
    a_user_of_slack_is_one_person_however_many_want_to_be_it,
);

/// A server that Ana is let in to without an account, if that is said, and its recogniser.
async fn start(
    database: &TestDatabase,
    slack: &FakeSlack,
    allowed: &[&str],
) -> (TestApp, Recogniser) {
    let users: Vec<String> = allowed.iter().map(|id| (*id).to_owned()).collect();
    let app = TestApp::start_with(database, |config| {
        config.slack_api_url = slack.api_url();
        config.slack_allowed_users = users.try_into().unwrap();
    })
    .await;
    let token = |token: &str| Some(SecretString::from(token));
    let client = SlackClient::new(&slack.api_url(), token(BOT_TOKEN), token(APP_TOKEN)).unwrap();
    let recogniser = Recogniser::new(client, app.state.service.clone(), &app.state.config);
    (app, recogniser)
}

fn id(text: &str) -> SlackId {
    SlackId::parse(text).unwrap()
}

async fn link(app: &TestApp, name: &str, slack_id: &str) {
    let person = person_named(app, name).await;
    let (to, by) = (Some(id(slack_id)), operator());
    let linked = app.state.service.link_slack(person, to, &by);
    linked.await.unwrap();
}

async fn who(
    app: &TestApp,
    recogniser: &Recogniser,
    user: &str,
) -> Result<Principal, Unrecognised> {
    recogniser
        .recognise(Some(TEAM), user, app.clock.now())
        .await
}

fn calls(slack: &FakeSlack, method: &str) -> usize {
    slack.look(|world| {
        world
            .calls
            .iter()
            .filter(|(name, _)| name == method)
            .count()
    })
}

async fn a_linked_person_answers_as_themselves(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let (app, recogniser) = start(&database, &slack, &[]).await;
    app.sign_in("Ana Example", Role::Admin).await;
    link(&app, "Ana Example", ANA).await;
    let person = person_named(&app, "Ana Example").await;
    let expected = Principal::SlackUser {
        id: person.0,
        name: "Ana Example".into(),
        role: Role::Admin,
        teams: domain::Parts::default(),
    };
    for team in [Some(TEAM), None] {
        let found = recogniser.recognise(team, ANA, app.clock.now()).await;
        assert_eq!(found.as_ref(), Ok(&expected));
        assert!(found.unwrap().responder().is_ok());
    }
    let service = &app.state.service;
    service.link_slack(person, None, &operator()).await.unwrap();
    assert!(matches!(
        who(&app, &recogniser, ANA).await,
        Err(Unrecognised::Unknown { .. })
    ));
    let events = service
        .store()
        .events_after(0, &domain::Audience::All, 10)
        .await
        .unwrap()
        .collect();
    let types: Vec<_> = events
        .iter()
        .map(|event| event.payload.event_type())
        .collect();
    assert_eq!(types[3..], ["person.slack_linked", "person.slack_unlinked"]);
}

async fn a_role_comes_before_the_list_of_those_who_need_no_account(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let (app, recogniser) = start(&database, &slack, &[ANA]).await;
    app.sign_in("Ana", Role::Viewer).await;
    assert!(who(&app, &recogniser, ANA).await.is_ok());
    link(&app, "Ana", ANA).await;
    assert_eq!(who(&app, &recogniser, ANA).await, Err(Unrecognised::Viewer));
    let service = &app.state.service;
    let person = person_named(&app, "Ana").await;
    let by = operator();
    let change = service.change_person(person, "Ana", Role::Responder, &by);
    change.await.unwrap();
    assert!(who(&app, &recogniser, ANA).await.is_ok());
    let disable = service.disable_person(person, true, false, &by);
    disable.await.unwrap();
    assert_eq!(
        who(&app, &recogniser, ANA).await,
        Err(Unrecognised::Disabled)
    );
}

async fn whoever_is_on_the_list_needs_no_account(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let (app, recogniser) = start(&database, &slack, &[ANA]).await;
    let found = who(&app, &recogniser, ANA).await.unwrap();
    assert_eq!(
        found,
        Principal::SlackUser {
            id: id(ANA).responder_id(),
            name: "Ana".into(),
            role: Role::Responder,
            teams: domain::Parts::default(),
        }
    );
    assert!(found.admin().is_err());
    // Somebody without a full name is called by the one they have.
    slack.set(|world| world.users.get_mut(ANA).unwrap()["real_name"] = " ".into());
    app.clock.advance(TimeDelta::seconds(60));
    let found = who(&app, &recogniser, ANA).await.unwrap();
    assert!(matches!(found, Principal::SlackUser { name, .. } if name == "ana"));
    assert!(matches!(
        who(&app, &recogniser, BEN).await,
        Err(Unrecognised::Unknown { .. })
    ));
}

async fn bots_guests_strangers_and_the_gone_are_nobody(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    // Whoever they are here, and whoever is allowed.
    let (app, recogniser) = start(&database, &slack, &[ANA, BOT_USER, "USLACKBOT"]).await;
    app.sign_in("Ana", Role::Admin).await;
    link(&app, "Ana", ANA).await;
    slack.set(|world| {
        let mut slackbot = world.users[ANA].clone();
        slackbot["id"] = "USLACKBOT".into();
        world.users.insert("USLACKBOT".to_owned(), slackbot);
    });
    let ana = slack.look(|world| world.users[ANA].clone());
    for (field, value, why) in [
        ("deleted", json!(true), Unrecognised::Deleted),
        ("is_bot", json!(true), Unrecognised::Bot),
        ("is_restricted", json!(true), Unrecognised::Guest),
        ("is_ultra_restricted", json!(true), Unrecognised::Guest),
        ("team_id", json!("T0OTHER"), Unrecognised::OtherWorkspace),
        ("team_id", Value::Null, Unrecognised::NotSaid),
        ("team_id", json!(""), Unrecognised::OtherWorkspace),
        ("id", json!(BEN), Unrecognised::NotSaid),
    ] {
        slack.set(|world| {
            let mut changed = ana.clone();
            changed[field] = value.clone();
            world.users.insert(ANA.to_owned(), changed);
        });
        app.clock.advance(TimeDelta::seconds(60));
        let found = who(&app, &recogniser, ANA).await;
        assert_eq!(found, Err(why), "{field}: {value}");
        assert!(
            found
                .unwrap_err()
                .note()
                .words
                .starts_with("This was not taken as an answer: ")
        );
    }
    slack.set(|world| {
        world.users.insert(ANA.to_owned(), ana);
    });
    app.clock.advance(TimeDelta::seconds(60));
    assert!(who(&app, &recogniser, ANA).await.is_ok());
    for bot in [BOT_USER, "USLACKBOT"] {
        assert_eq!(who(&app, &recogniser, bot).await, Err(Unrecognised::Bot));
    }
    // Their click names another workspace, whatever Slack says of them.
    let elsewhere = recogniser.recognise(Some("T0OTHER"), ANA, app.clock.now());
    assert_eq!(elsewhere.await, Err(Unrecognised::OtherWorkspace));
    for nobody in ["U0NOBODY", "", "ana", "C0MAIN"] {
        let found = who(&app, &recogniser, nobody).await;
        assert_eq!(found, Err(Unrecognised::NotSaid), "{nobody}");
    }
}

async fn when_slack_does_not_say_nobody_answers(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let (app, recogniser) = start(&database, &slack, &[ANA]).await;
    for method in ["auth.test", "users.info"] {
        let faults = [
            Fault::DropReply,
            Fault::DoneThen500,
            Fault::DoneThenNonsense,
            Fault::Limited(7),
        ];
        slack.fail(method, faults);
        for fault in faults {
            let found = who(&app, &recogniser, ANA).await;
            assert_eq!(found, Err(Unrecognised::NotSaid), "{method}: {fault:?}");
        }
    }
    // None of that is remembered, but for the pause that Slack wants.
    assert_eq!(
        who(&app, &recogniser, ANA).await,
        Err(Unrecognised::NotSaid)
    );
    app.clock.advance(TimeDelta::seconds(7));
    assert!(who(&app, &recogniser, ANA).await.is_ok());
}

async fn slack_is_asked_once_a_minute_and_we_every_time(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let (app, recogniser) = start(&database, &slack, &[ANA]).await;
    for _ in 0..3 {
        assert!(who(&app, &recogniser, ANA).await.is_ok());
        let nobody = who(&app, &recogniser, "U0NOBODY").await;
        assert_eq!(nobody, Err(Unrecognised::NotSaid));
    }
    assert_eq!(calls(&slack, "users.info"), 2);
    app.clock.advance(TimeDelta::milliseconds(59_999));
    assert!(who(&app, &recogniser, ANA).await.is_ok());
    assert_eq!(calls(&slack, "users.info"), 2);
    slack.set(|world| world.users.get_mut(ANA).unwrap()["deleted"] = true.into());
    app.clock.advance(TimeDelta::milliseconds(1));
    assert_eq!(
        who(&app, &recogniser, ANA).await,
        Err(Unrecognised::Deleted)
    );
    assert_eq!(calls(&slack, "users.info"), 3);
    assert_eq!(calls(&slack, "auth.test"), 1);
}

async fn a_user_of_slack_is_one_person_however_many_want_to_be_it(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let (app, recogniser) = start(&database, &slack, &[]).await;
    app.sign_in("Ana", Role::Responder).await;
    app.sign_in("Ben", Role::Responder).await;
    let (ana, ben) = (
        person_named(&app, "Ana").await,
        person_named(&app, "Ben").await,
    );
    let service = &app.state.service;
    let by = operator();
    let both = [ana, ben].map(|person| service.link_slack(person, Some(id(ANA)), &by));
    let outcomes = futures::future::join_all(both).await;
    let refused = outcomes.into_iter().filter_map(Result::err);
    let refused: Vec<_> = refused.collect();
    let [ServiceError::Refused(Refused::SlackTaken { by: holder })] = &refused[..] else {
        panic!("{refused:?}");
    };
    let Ok(Principal::SlackUser { name, .. }) = who(&app, &recogniser, ANA).await else {
        panic!("nobody has it");
    };
    assert_eq!(*holder, name);
    let nobody = PersonId(uuid::Uuid::from_u128(7));
    let linked = service.link_slack(nobody, Some(id(BEN)), &by).await;
    assert!(matches!(linked, Err(ServiceError::NotFound)));
}
