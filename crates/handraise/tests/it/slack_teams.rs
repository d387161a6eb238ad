//! Rule 18 in Slack: what a team is asked is shown in its own channel, and only members who answer, and admins, answer it.

use domain::{Part, team::Profile};
use serde_json::json;
use store::testing::TestDatabase;

use crate::support::{
    caller::id_of,
    fake_slack::{ANA, BEN, MAIN, URGENT},
    people::operator,
    slack_desk::{Desk, approval},
};

store::on_both_databases!(
    only_members_who_answer_and_admins_press_the_card_of_a_team,
    what_a_team_without_a_channel_is_asked_is_shown_in_none,
);

async fn only_members_who_answer_and_admins_press_the_card_of_a_team(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let app = &desk.app;
    let agent = app.agent("backend").await;
    let payments = app.team("Payments").await;
    app.home(payments, "backend").await;
    let profile = Profile {
        name: "Payments".to_owned(),
        slack_channel: Some(MAIN.to_owned()),
        ..Profile::default()
    };
    let (service, by) = (&app.state.service, operator());
    service.change_team(payments, profile, &by).await.unwrap();

    let asked = agent.ask(approval()).await;
    let card = desk.post(&asked).await;
    desk.press(ANA, &card, "approve").await;
    assert_eq!(
        desk.notes(ANA),
        ["This question is not known here any more, or it belongs to a team that you are not in."]
    );
    app.join(payments, "Ana", Part::Reads).await;
    desk.press(ANA, &card, "approve").await;
    assert_eq!(
        desk.notes(ANA)[1..],
        ["You may see this, but not answer it."]
    );
    assert_eq!(agent.poll(&asked).await["state"], "pending");
    app.join(payments, "Ana", Part::Answers).await;
    desk.press(ANA, &card, "approve").await;
    let approved = agent.poll(&asked).await;
    assert_eq!(
        (&approved["approved"], &approved["closed_by"]),
        (&true.into(), &"Ana".into())
    );

    // An admin is in no team.
    let asked = agent.ask(approval()).await;
    let card = desk.post(&asked).await;
    desk.press(BEN, &card, "deny").await;
    desk.send(BEN, &json!({})).await;
    assert_eq!(agent.poll(&asked).await["approved"], false);
    desk.stop().await;
}

async fn what_a_team_without_a_channel_is_asked_is_shown_in_none(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let app = &desk.app;
    let agent = app.agent("backend").await;
    let payments = app.team("Payments").await;
    app.home(payments, "backend").await;
    let asked = agent.ask(json!({"priority": "urgent"})).await;
    // What comes later is there, so this would be.
    let open = app.agent("open").await;
    let later = open.ask(json!({})).await;
    desk.post(&later).await;
    assert_eq!(desk.interaction(id_of(&asked)).await.card, None);
    assert_eq!(desk.slack.messages(MAIN).len(), 1);
    assert_eq!(desk.slack.messages(URGENT).len(), 0);
    desk.stop().await;
}
