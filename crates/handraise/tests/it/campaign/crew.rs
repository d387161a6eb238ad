//! Teams of two, each of whom is reached in two ways or three: enough people that no limit of messages holds any back.

use domain::{
    AgentRef, Part, Principal, Role, TeamId,
    ladder::{LadderDraft, RungDraft},
    team::Profile,
};
use service::{Address, Service};

use crate::support::{
    app::TestApp,
    carriers::Carriers,
    fake_slack::{ANA, BEN},
    people::{invite_linked, operator, person_named},
};

/// The name of one.
pub(super) fn team(n: usize) -> String {
    format!("Team {n}")
}

/// Who has a browser and a topic there.
pub(super) fn first_of(team: usize) -> String {
    format!("Ana {team}")
}

/// Makes a team for each browser, and a ladder of so many rungs, with the shortest wait between them that there is.
pub(super) async fn assemble(
    app: &TestApp,
    agent: &AgentRef,
    carriers: &Carriers,
    rungs: u32,
) -> Vec<TeamId> {
    let (service, by) = (&app.state.service, operator());
    let mut teams = Vec::new();
    for (n, browser) in carriers.browsers.iter().enumerate() {
        let profile = Profile {
            name: team(n),
            slack_channel: Some(super::channel(n)),
            ..Profile::default()
        };
        let made = service.create_team(profile, &by).await.unwrap();
        service.set_open(made.id, agent, true, &by).await.unwrap();
        let (first, second) = (first_of(n), format!("Ben {n}"));
        service.invite(&first, Role::Responder, &by).await.unwrap();
        match [ANA, BEN].get(n) {
            Some(user) => invite_linked(app, &second, Role::Responder, user).await,
            None => drop(service.invite(&second, Role::Responder, &by).await.unwrap()),
        }
        for name in [&first, &second] {
            app.join(made.id, name, Part::Answers).await;
        }
        let first = principal(app, &first).await;
        add(service, &browser.address(service), &first).await;
        add(
            service,
            &Address::ntfy(Some(&format!("topic-{n}"))).unwrap(),
            &first,
        )
        .await;
        let second = principal(app, &second).await;
        let mail = Address::mail(&format!("ben-{n}@example.com")).unwrap();
        let reach = service.add_reach(&mail, "", &second).await.unwrap();
        let Address::Mail { code, .. } = &mail else {
            panic!("{mail:?}");
        };
        assert!(service.prove_reach(reach.id, code, &second).await.unwrap());
        if n < 2 {
            add(service, &Address::Slack {}, &second).await;
        }
        teams.push(made.id);
    }
    let mut ladder = vec![RungDraft("0 team".into())];
    ladder.resize(rungs as usize, RungDraft("30s team".into()));
    let ladder = LadderDraft {
        urgent: Some(ladder.clone()),
        sync: Some(ladder.clone()),
        later: Some(ladder),
    };
    service.set_ladder(None, &ladder, &by).await.unwrap();
    teams
}

async fn add(service: &Service, address: &Address, by: &Principal) {
    service.add_reach(address, "", by).await.unwrap();
}

/// Somebody as a caller.
pub(super) async fn principal(app: &TestApp, name: &str) -> Principal {
    let id = person_named(app, name).await;
    Principal::Person {
        id,
        name: name.to_owned(),
        role: Role::Responder,
        proven_at: chrono::DateTime::UNIX_EPOCH,
        teams: app.state.service.store().parts(id).await.unwrap(),
    }
}
