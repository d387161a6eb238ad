//! `handraise slack`: the manifest, and the check, at a terminal.

use std::{
    path::Path,
    process::{Command, Output},
};

use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use crate::support::{
    fake_slack::{ANA, APP_TOKEN, BEN, BOT_TOKEN, FakeSlack, Fault, MAIN, SIGNING_SECRET, URGENT},
    python,
};

/// Runs the program in a folder, with nothing of ours in the environment but these.
fn slack(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_handraise"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("HANDRAISE_") {
            command.env_remove(name);
        }
    }
    let command = command.arg("slack").args(arguments).current_dir(folder);
    let variables = variables
        .iter()
        .map(|(name, value)| (format!("HANDRAISE_SLACK_{name}"), value));
    command.envs(variables).output().unwrap()
}

fn printed(arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = slack(folder.path(), arguments, variables);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The lines of a check, and whether they have no problem among them.
async fn check(fake: &FakeSlack, variables: &[(&str, &str)]) -> (bool, String) {
    let mut all = vec![("API_URL".to_owned(), fake.api_url())];
    all.extend(
        variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
    );
    let output = spawn_blocking(move || {
        let folder = tempfile::tempdir().unwrap();
        let variables: Vec<_> = all
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        slack(folder.path(), &["check"], &variables)
    });
    let output = output.await.unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    let is_problem = said.lines().any(|line| line.starts_with("problem  "));
    assert_eq!(
        output.status.code(),
        Some(i32::from(is_problem)),
        "{said}{errors}"
    );
    for secret in [BOT_TOKEN, APP_TOKEN, SIGNING_SECRET] {
        assert!(
            !said.contains(secret) && !errors.contains(secret),
            "{said}{errors}"
        );
    }
    (!is_problem, said)
}

fn has(said: &str, beginning: &str, part: &str) {
    let mut lines = said.lines();
    let is_there = lines.any(|line| line.starts_with(beginning) && line.contains(part));
    assert!(is_there, "no {beginning:?} with {part:?} in\n{said}");
}

const SOCKET: [(&str, &str); 4] = [
    ("BOT_TOKEN", BOT_TOKEN),
    ("APP_TOKEN", APP_TOKEN),
    ("DEFAULT_CHANNEL", MAIN),
    ("ALLOWED_USERS", "U0ANA,U0BEN"),
];

#[test]
fn the_manifest_is_yaml_for_either_way_and_a_link_holds_the_same() {
    let read = |yaml: &str| -> Value {
        let script =
            "import json, sys, yaml\nprint(json.dumps(yaml.safe_load(json.load(sys.stdin))))";
        serde_json::from_str(&python::run_script(script, &yaml.into())).unwrap()
    };
    let yaml = printed(&["manifest"], &[]);
    let socket = read(&yaml);
    assert_eq!(socket["settings"]["socket_mode_enabled"], true);
    assert_eq!(
        socket["settings"]["interactivity"],
        json!({ "is_enabled": true })
    );
    let scopes = socket["oauth_config"]["scopes"]["bot"].as_array().unwrap();
    assert!(scopes.contains(&"chat:write".into()) && !scopes.contains(&"chat:write.public".into()));
    assert_eq!(
        socket["settings"]["event_subscriptions"]["bot_events"][0],
        "message.channels"
    );

    let http = read(&printed(
        &["manifest", "--url", "https://handraise.example/"],
        &[],
    ));
    let settings = &http["settings"];
    assert_eq!(settings["socket_mode_enabled"], false);
    assert_eq!(
        settings["interactivity"]["request_url"],
        "https://handraise.example/slack/interactivity"
    );
    assert_eq!(
        settings["event_subscriptions"]["request_url"],
        "https://handraise.example/slack/events"
    );
    assert_eq!(http["oauth_config"], socket["oauth_config"]);
    let command = &socket["features"]["slash_commands"][0];
    assert_eq!(
        (&command["command"], &command["url"]),
        (&"/handraise".into(), &Value::Null)
    );
    assert_eq!(socket["features"]["app_home"]["home_tab_enabled"], true);
    assert_eq!(
        http["features"]["slash_commands"][0]["url"],
        "https://handraise.example/slack/commands"
    );

    let link = printed(&["manifest", "--link"], &[]);
    let link = url::Url::parse(link.trim()).unwrap();
    let pairs: Vec<_> = link.query_pairs().collect();
    assert_eq!(pairs[0], ("new_app".into(), "1".into()));
    assert_eq!(pairs[1], ("manifest_yaml".into(), yaml.into()));

    let folder = tempfile::tempdir().unwrap();
    // From the settings, and only to where Slack sends.
    let signed = [
        ("BOT_TOKEN", BOT_TOKEN),
        ("SIGNING_SECRET", SIGNING_SECRET),
        ("DEFAULT_CHANNEL", MAIN),
    ];
    let file = folder.path().join("handraise.toml");
    std::fs::write(&file, "public_url = 'https://here.example'\n").unwrap();
    let output = slack(folder.path(), &["manifest"], &signed);
    let yaml = String::from_utf8(output.stdout).unwrap();
    assert!(yaml.contains("https://here.example/slack/events"), "{yaml}");
    for url in [
        "http://handraise.example",
        "https://handraise.example?x",
        "nowhere",
    ] {
        let output = slack(folder.path(), &["manifest", "--url", url], &[]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && output.stdout.is_empty());
        assert!(
            said.contains("https:// alone") && said.lines().count() == 1,
            "{said}"
        );
    }
}

#[tokio::test]
async fn a_slack_that_is_set_up_is_found_so_and_left_as_it_is() {
    let fake = FakeSlack::start().await;
    let mut variables = SOCKET.to_vec();
    variables.push(("URGENT_CHANNEL", URGENT));
    variables.push(("SESSION_OVERRIDES", "nightly=C0URGENT"));
    let (is_well, said) = check(&fake, &variables).await;
    assert!(
        is_well && said.lines().all(|line| line.starts_with("ok  ")),
        "{said}"
    );
    has(&said, "ok       slack_bot_token: ", "handraise in Fake");
    has(&said, "ok       slack_app_token: ", "opens connections");
    has(&said, "ok       slack_default_channel: ", "#agents");
    has(&said, "ok       slack_urgent_channel: ", "#urgent");
    has(&said, "ok       slack_allowed_users: ", "U0ANA is Ana");
    assert!(fake.messages(MAIN).is_empty() && fake.notes(ANA).is_empty());

    let hook = fake.webhook_url(MAIN);
    let (is_well, said) = check(&fake, &[("WEBHOOK_URL", &hook)]).await;
    assert!(
        is_well && said.contains("a mirror") && !said.contains("services"),
        "{said}"
    );
    let (is_well, said) = check(&fake, &[SOCKET[0], SOCKET[2]]).await;
    assert!(is_well && said.contains("a mirror"), "{said}");
}

#[tokio::test]
async fn what_is_wrong_is_named_with_what_to_do() {
    let fake = FakeSlack::start().await;
    let (_, said) = check(&fake, &[]).await;
    has(
        &said,
        "problem  slack: not set up",
        "`handraise slack manifest`",
    );
    let (_, said) = check(&fake, &[("BOT_TOKEN", BOT_TOKEN)]).await;
    has(
        &said,
        "problem  configuration: HANDRAISE_SLACK_BOT_TOKEN: ",
        "slack_default_channel is missing",
    );
    let (_, said) = check(&fake, &[("BOT_TOKEN", "xoxb-wrong"), SOCKET[1], SOCKET[2]]).await;
    has(
        &said,
        "problem  slack_bot_token: ",
        "invalid_auth; copy it again",
    );
    let (_, said) = check(&fake, &[SOCKET[0], ("APP_TOKEN", "xapp-wrong"), SOCKET[2]]).await;
    has(&said, "problem  slack_app_token: ", "connections:write");
    has(
        &said,
        "ok       slack_allowed_users: ",
        "only people whose Slack user is linked to their account may answer",
    );
    let signed = [SOCKET[0], ("SIGNING_SECRET", SIGNING_SECRET), SOCKET[2]];
    let (_, said) = check(&fake, &signed).await;
    has(
        &said,
        "problem  slack: Slack sends requests to https:// alone",
        "public_url",
    );

    fake.set(|world| {
        world.channels.get_mut(MAIN).unwrap().is_member = false;
        world.channels.get_mut(URGENT).unwrap().is_archived = true;
        world
            .scopes
            .retain(|scope| !["groups:history", "metadata.message:read"].contains(scope));
        world.users.get_mut(ANA).unwrap()["is_restricted"] = true.into();
        world.users.get_mut(BEN).unwrap()["team_id"] = "T0OTHER".into();
    });
    let mut variables = SOCKET.to_vec();
    variables[3] = ("ALLOWED_USERS", "U0ANA,U0BEN,U0BOT,U0NONE");
    variables.push(("URGENT_CHANNEL", URGENT));
    variables.push(("SESSION_OVERRIDES", "nightly=C0NONE"));
    let (_, said) = check(&fake, &variables).await;
    has(
        &said,
        "problem  slack_bot_token: scopes are missing",
        "add groups:history to",
    );
    has(
        &said,
        "problem  slack_default_channel: ",
        "type /invite @handraise there",
    );
    has(&said, "problem  slack_urgent_channel: ", "archived");
    has(
        &said,
        "problem  slack_session_overrides: ",
        "does not see C0NONE",
    );
    for part in [
        "U0ANA is a guest",
        "U0BEN belongs to another workspace",
        "U0BOT is a bot",
        "there is no U0NONE",
    ] {
        has(&said, "problem  slack_allowed_users: ", part);
    }
    fake.set(|world| {
        world.scopes.push("groups:history");
        world.scopes.retain(|scope| *scope != "commands");
    });
    let (_, said) = check(&fake, &variables).await;
    has(
        &said,
        "warning  slack_bot_token: without commands",
        "/handraise",
    );
    has(
        &said,
        "warning  slack_bot_token: some scopes are missing",
        "metadata.message:read",
    );
    fake.set(|world| world.scopes.retain(|scope| *scope != "files:write"));
    let (_, said) = check(&fake, &variables).await;
    has(
        &said,
        "warning  slack_bot_token: without files:write",
        "attachments",
    );
    fake.set(|world| world.scopes.retain(|scope| !scope.ends_with(":read")));
    let (_, said) = check(&fake, &SOCKET).await;
    has(
        &said,
        "warning  slack_default_channel: ",
        "missing_scope (needed: channels:read,groups:read)",
    );

    fake.fail("auth.test", [Fault::Limited(30), Fault::DoneThen500]);
    let (_, said) = check(&fake, &SOCKET).await;
    has(&said, "problem  slack_bot_token: ", "try again in a minute");
    let (_, said) = check(&fake, &SOCKET).await;
    has(
        &said,
        "problem  slack_bot_token: ",
        "HTTP 500; try again in a minute",
    );
}
