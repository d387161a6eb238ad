//! The binary at a terminal: what it prints, and how it fails.

use std::net::TcpListener;

use store::testing::TestDatabase;

use crate::support::program::handraise;

store::on_both_databases!(
    a_token_is_printed_alone_beside_a_running_server,
    a_token_is_listed_and_revoked,
    an_invitation_is_a_link,
    a_person_is_somebody_in_slack,
    a_team_has_members_and_agents_and_hands_over_what_it_has,
    a_newer_schema_is_one_line,
    a_read_only_database_is_one_line,
    a_server_is_trusted_by_its_key,
);

fn refused(arguments: &[&str]) -> String {
    let output = handraise(arguments);
    assert!(!output.status.success(), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.starts_with("handraise: "), "{said}");
    said
}

fn printed(arguments: &[&str]) -> String {
    let output = handraise(arguments);
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    said.trim_end().to_owned()
}

async fn a_token_is_printed_alone_beside_a_running_server(database: TestDatabase) {
    let app = crate::support::app::TestApp::start(&database).await;
    let create = ["token", "create", "--database", &database.url, "--kind"];
    for (kind, prefix) in [("agent", "hr_agent_"), ("responder", "hr_responder_")] {
        let token = printed(&[&create[..], &[kind, "--name", "night desk"]].concat());
        assert!(token.starts_with(prefix), "{token}");
        let response = app.get("/api/v1/events").bearer_auth(token).send().await;
        assert_eq!(response.unwrap().status(), 200);
    }
    let said = refused(&[&create[..], &["agent", "--name", "two\nlines"]].concat());
    assert!(said.contains("name must be one line"), "{said}");
}

/// In a folder where a server was not started, `token create` would make a database that no server reads.
#[tokio::test(flavor = "multi_thread")]
async fn beside_a_server_of_another_database_none_is_made() {
    let app = crate::support::app::TestApp::start(&TestDatabase::sqlite()).await;
    let here = tempfile::tempdir().unwrap();
    let file = here.path().join("handraise.db");
    let url = format!("sqlite://{}", file.display());
    let addr = app.url("").trim_start_matches("http://").to_owned();
    let with = |addr: &str, create: &[&str]| {
        let settings = here.path().join("handraise.toml");
        std::fs::write(&settings, format!("addr = '{addr}'\n")).unwrap();
        let settings = settings.display().to_string();
        let at = ["--config", &settings, "--database", &url];
        handraise(&[create, &at[..]].concat())
    };
    for create in [
        &["token", "create", "--kind", "agent", "--name", "backend"][..],
        &["user", "invite", "--name", "Ana", "--role", "admin"],
    ] {
        let output = with(&addr, create);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success(), "{said}");
        assert!(said.contains("has another database"), "{said}");
        assert!(
            said.contains(&addr) && said.contains("--database"),
            "{said}"
        );
        assert!(!file.exists());
        // Where no server of ours listens, it is the first command of a new installation.
        let stranger = TcpListener::bind("127.0.0.1:0").unwrap();
        let free = stranger.local_addr().unwrap().to_string();
        drop(stranger);
        assert!(with(&free, create).status.success());
        std::fs::remove_file(&file).unwrap();
    }
}

async fn a_token_is_listed_and_revoked(database: TestDatabase) {
    let app = crate::support::app::TestApp::start(&database).await;
    let at = ["--database", &*database.url];
    let token = printed(
        &[
            &["token", "create", "--kind", "agent", "--name", "night desk"],
            &at[..],
        ]
        .concat(),
    );
    let call = async || {
        let response = app.get("/api/v1/events").bearer_auth(&token).send().await;
        response.unwrap().status()
    };
    assert_eq!(call().await, 200);
    app.state.service.write_uses().await.unwrap();
    let line = printed(&[&["token", "list"], &at[..]].concat());
    for part in ["  used 2027-01-15 08:00  ", "  expires 20", "  night desk"] {
        assert!(line.contains(part), "{part} in {line}");
    }
    assert!(
        !line.contains(&token) && line.contains("  agent  "),
        "{line}"
    );
    let id = line.split_whitespace().next().unwrap();
    let revoke = [&["token", "revoke", id], &at[..]].concat();
    assert!(handraise(&revoke).status.success());
    assert_eq!(call().await, 401);
    let said = refused(&revoke);
    assert!(said.contains("there is no token"), "{said}");
    assert!(
        handraise(&[&["token", "list"], &at[..]].concat())
            .stdout
            .is_empty()
    );
    let all = printed(&[&["token", "list", "--all"], &at[..]].concat());
    assert!(
        all.contains("night desk") && all.contains("  revoked 20"),
        "{all}"
    );
}

async fn an_invitation_is_a_link(database: TestDatabase) {
    let invite = [
        "user",
        "invite",
        "--database",
        &database.url,
        "--name",
        "Ana",
        "--role",
        "responder",
    ];
    let link = printed(&invite);
    assert!(
        link.starts_with("http://handraise.localhost:3000/sign-in/"),
        "{link}"
    );
    let said = refused(&invite);
    assert!(said.contains("somebody else has this name"), "{said}");
    let at = ["--database", &*database.url, "--name", "ana"];
    let again = [&["user", "link", "--addr", "127.0.0.1:4000"], &at[..]].concat();
    let link = printed(&again);
    assert!(
        link.starts_with("http://handraise.localhost:4000/sign-in/"),
        "{link}"
    );
    // A server has run since, elsewhere.
    let served = store::connect(&database.url).await.unwrap();
    served.serves_at("https://ask.example").await.unwrap();
    let link = printed(&[&["user", "link"], &at[..]].concat());
    assert!(link.starts_with("https://ask.example/sign-in/"), "{link}");
    let list = ["user", "list", "--database", &*database.url];
    for (command, standing) in [("disable", "disabled"), ("enable", "invited")] {
        let done = handraise(&[&["user", command], &at[..]].concat());
        assert!(done.status.success() && done.stdout.is_empty(), "{done:?}");
        let line = printed(&list);
        let words: Vec<_> = line.split_whitespace().collect();
        assert_eq!(
            words,
            ["responder", standing, "not", "signed", "in", "-", "Ana"]
        );
    }
    let said = refused(&[
        "user",
        "disable",
        "--name",
        "Ben",
        "--database",
        &database.url,
    ]);
    assert!(said.contains("nobody here is called"), "{said}");
}

async fn a_person_is_somebody_in_slack(database: TestDatabase) {
    let at = ["--database", &*database.url];
    let user = |words: &[&str]| handraise(&[&["user"], words, &at[..]].concat());
    for name in ["Ana", "Ben"] {
        let invited = user(&["invite", "--name", name, "--role", "viewer"]);
        assert!(invited.status.success(), "{invited:?}");
    }
    let ids = || -> Vec<String> {
        let list = String::from_utf8(user(&["list"]).stdout).unwrap();
        let ids = list.lines().map(|line| line.split_whitespace().nth(5));
        ids.map(|id| id.unwrap().to_owned()).collect()
    };
    for (more, after) in [
        (&["--id", "U0ANA"][..], ["U0ANA", "-"]),
        (&["--id", "U0ANA"], ["U0ANA", "-"]),
        (&["--id", "W0ANA"], ["W0ANA", "-"]),
    ] {
        let done = user(&[&["slack", "--name", "ana"], more].concat());
        assert!(done.status.success() && done.stdout.is_empty(), "{done:?}");
        assert_eq!(ids(), after);
    }
    let slack = |more: &[&str]| {
        let words = [&["user", "slack", "--name", "Ben"], more, &at[..]].concat();
        String::from_utf8(handraise(&words).stderr).unwrap()
    };
    for (more, why) in [
        (&["--id", "W0ANA"][..], "this Slack user is Ana already"),
        (&["--id", "@ben"], "Copy member ID"),
        (&["--id", "U0BEN", "--none"], "cannot be used with"),
        (&[], "required"),
    ] {
        let said = slack(more);
        assert!(said.contains(why), "{said}");
    }
    let done = user(&["slack", "--name", "Ana", "--none"]);
    assert!(done.status.success(), "{done:?}");
    assert_eq!(ids(), ["-", "-"]);
}

async fn a_team_has_members_and_agents_and_hands_over_what_it_has(database: TestDatabase) {
    let app = crate::support::app::TestApp::start(&database).await;
    app.agent("backend").await;
    let at = ["--database", &database.url];
    let team = |words: &[&str]| handraise(&[&["team"], words, &at[..]].concat());
    let done = |words: &[&str]| {
        let output = team(words);
        assert!(output.status.success(), "{words:?} {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let fails = |words: &[&str]| refused(&[&["team"], words, &at[..]].concat());
    printed(
        &[
            &["user", "invite", "--name", "Ana", "--role", "responder"],
            &at[..],
        ]
        .concat(),
    );
    done(&["create", "--name", "Payments", "--slack-channel", "C0123"]);
    done(&["create", "--name", "Search"]);
    done(&["add", "--team", "payments", "--person", "ana", "--reads"]);
    done(&["home", "--team", "Payments", "--agent", "backend"]);
    done(&["open", "--team", "Search", "--agent", "backend"]);
    done(&[
        "change",
        "--team",
        "Payments",
        "--timeout",
        "approval=900",
        "--no-slack-channel",
    ]);
    // Twice does no harm.
    done(&["add", "--team", "Payments", "--person", "Ana", "--reads"]);
    assert_eq!(
        done(&["list"]),
        "Payments  approval=900\n  reads    Ana\n  home of  backend\nSearch\n  open to  backend\n"
    );
    for (words, why) in [
        (
            &["create", "--name", "PAYMENTS"][..],
            "another team has this name",
        ),
        (
            &["add", "--team", "Nope", "--person", "Ana"],
            "`handraise team list` shows",
        ),
        (
            &["add", "--team", "Search", "--person", "Zoe"],
            "`handraise user list` shows",
        ),
        (
            &["home", "--team", "Search", "--agent", "nobody"],
            "`handraise token list`",
        ),
        (
            &["change", "--team", "Search", "--slack-channel", "#search"],
            "must be a channel's id",
        ),
        (
            &["delete", "--team", "Payments"],
            "--move-to names the team that takes them",
        ),
        (
            &["delete", "--team", "Payments", "--move-to", "Payments"],
            "this very team",
        ),
    ] {
        let said = fails(words);
        assert!(said.contains(why), "{said}");
    }
    done(&["delete", "--team", "Payments", "--move-to", "Search"]);
    done(&["close", "--team", "Search", "--agent", "backend"]);
    assert_eq!(done(&["list"]), "Search\n  home of  backend\n");
    let token = [
        "token",
        "create",
        "--kind",
        "responder",
        "--name",
        "desk",
        "--team",
    ];
    printed(&[&token[..], &["Search"], &at[..]].concat());
    let said = refused(&[&token[..], &["Payments"], &at[..]].concat());
    assert!(said.contains("`handraise team list` shows"), "{said}");
    let held = handraise(&[&["journal", "verify"], &at[..]].concat());
    assert!(held.status.success(), "{held:?}");
}

async fn a_newer_schema_is_one_line(database: TestDatabase) {
    store::connect(&database.url).await.unwrap();
    let newer =
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
        VALUES (9999, 'from the future', TRUE, '', 0)";
    database.execute(newer).await.unwrap();
    let said = refused(&[
        "serve",
        "--addr",
        "127.0.0.1:0",
        "--database",
        &database.url,
    ]);
    assert!(said.contains("newer than this program"), "{said}");
}

async fn a_read_only_database_is_one_line(database: TestDatabase) {
    store::connect(&database.url).await.unwrap();
    let url = database.read_only_url();
    let said = refused(&["serve", "--addr", "127.0.0.1:0", "--database", &url]);
    assert!(said.contains("read-only"), "{said}");
}

#[test]
fn what_cannot_be_is_one_line() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = taken.local_addr().unwrap().to_string();
    for (arguments, part) in [
        (["serve", "--addr", &addr], "cannot listen on"),
        (
            ["serve", "--config", "/nowhere/handraise.toml"],
            "cannot read the configuration",
        ),
        (
            ["serve", "--database", "mysql://x"],
            "must start with sqlite:// or postgres://",
        ),
        (
            ["serve", "--database", "postgres://x:secret@127.0.0.1:1/x"],
            "cannot open the database",
        ),
        (
            ["serve", "--database", "sqlite:///nowhere/at/all.db"],
            "cannot open the database",
        ),
    ] {
        let mut arguments = arguments.to_vec();
        if !arguments.contains(&"--addr") {
            arguments.extend(["--addr", "127.0.0.1:0"]);
        }
        let said = refused(&arguments);
        assert!(said.contains(part), "{said}");
        assert!(!said.contains("secret"), "{said}");
    }
}

async fn a_server_is_trusted_by_its_key(database: TestDatabase) {
    let app = crate::support::app::TestApp::start(&database).await;
    let folder = tempfile::tempdir().unwrap();
    let trust = |arguments: Vec<String>| {
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_handraise"));
        command.arg("trust").args(arguments);
        command.env("HANDRAISE_KNOWN_SERVERS", folder.path().join("known"));
        async move {
            let output = command.output().await.unwrap();
            let said = String::from_utf8(output.stdout).unwrap();
            (output.status.code().unwrap(), said)
        }
    };
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let (url, key) = (app.url(""), app.public_key());
    let (code, added) = trust(words(&format!("add {url}/"))).await;
    assert_eq!(code, 0);
    let begins = format!("{url} {key} SHA256:");
    assert!(added.starts_with(&begins), "{added}");
    let other = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
    let (code, more) = trust(words(&format!("add {url} {other}"))).await;
    assert_eq!(code, 0);
    let listed = trust(words("list")).await;
    assert_eq!(listed, (0, format!("{added}{more}")));
    assert_eq!(trust(words(&format!("remove {url} {other}"))).await.0, 0);
    assert_eq!(trust(words("list")).await, (0, added));
    assert_eq!(trust(words(&format!("remove {url}"))).await.0, 0);
    assert_eq!(trust(words(&format!("remove {url}"))).await.0, 1);
    assert_eq!(trust(words("list")).await, (0, String::new()));
    for wrong in [
        "add nonsense",
        "add http://h.example AAAA",
        "add http://127.0.0.1:9/x y",
    ] {
        assert_ne!(trust(words(wrong)).await.0, 0, "{wrong}");
    }
}
