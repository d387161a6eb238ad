//! Settings at a terminal: what is printed of them, and what a wrong one or a sick server looks like.

use std::{
    collections::BTreeMap,
    fs,
    net::TcpListener,
    path::Path,
    process::{Command, Output},
};

use chrono::TimeDelta;
use domain::Role;
use serde_json::json;
use server::{config::DEFAULT_FILE, journal::CheckpointFile};
use sha2::{Digest, Sha384};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    mail_server::MailServer,
    receiver::{Manner, Receiver},
};

store::on_both_databases!(
    the_doctor_finds_a_healthy_server_healthy,
    the_doctor_changes_nothing_before_the_first_start,
    the_doctor_names_what_is_wrong_and_what_to_do,
    the_doctor_says_whether_people_can_be_reached,
    the_doctor_holds_key_checkpoints_and_journal_against_each_other,
    the_schema_is_made_brought_up_to_date_and_then_left_alone,
);

/// Runs the program in a folder, with nothing of ours in the environment but these.
fn handraise(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_handraise"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("HANDRAISE_") {
            command.env_remove(name);
        }
    }
    command
        .args(arguments)
        .current_dir(folder)
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

fn printed(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let output = handraise(folder, arguments, variables);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The doctor's lines, and whether they say that all is well.
fn doctor(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let output = handraise(folder, &[&["doctor"], arguments].concat(), &[]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(!said.is_empty(), "{:?}", String::from_utf8(output.stderr));
    let is_problem = said.lines().any(|line| line.starts_with("problem  "));
    assert_eq!(output.status.code(), Some(i32::from(is_problem)), "{said}");
    (!is_problem, said)
}

fn has(said: &str, beginning: &str, part: &str) {
    let mut lines = said.lines();
    let is_there = lines.any(|line| line.starts_with(beginning) && line.contains(part));
    assert!(is_there, "no {beginning:?} with {part:?} in\n{said}");
}

/// A file of settings for a server that could be started there.
fn file_for(folder: &Path, database: &TestDatabase, more: &str) -> String {
    let file = folder.join("here.toml");
    let text = format!("database_url = '{}'\n{more}", database.url);
    fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

async fn the_doctor_finds_a_healthy_server_healthy(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    // Some time ago, by any clock.
    app.clock.advance(-TimeDelta::days(500));
    app.sign_in("Ana", Role::Admin).await;
    let agent = app.agent("backend").await;
    agent.ask(json!({})).await;
    app.state.checkpoints.sign_new().await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = file_for(
        folder.path(),
        &database,
        &format!(
            "addr = '{}'\nkey_file = '{}'\ncheckpoint_file = '{}'\n",
            app.addr,
            app.state.config.key_file().display(),
            app.state.config.checkpoint_file().display()
        ),
    );
    let (is_well, said) = doctor(folder.path(), &["--config", &file]);
    assert!(is_well, "{said}");
    assert!(
        said.lines().all(|line| line.starts_with("ok       ")),
        "{said}"
    );
    for part in [
        "up to date",
        "one admin can sign in",
        "public key",
        &format!("is over {} events", app.last_seq().await),
        &format!("a Handraise listens on {}", app.addr),
        &format!("a Handraise answers at {}", app.page_url("")),
    ] {
        has(&said, "ok ", part);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_doctor_warns_of_what_others_may_open() {
    use std::os::unix::fs::PermissionsExt;
    let database = TestDatabase::sqlite();
    let app = TestApp::start(&database).await;
    // Something to sign.
    app.agent("backend").await;
    app.state.checkpoints.sign_new().await.unwrap().unwrap();
    let checkpoints = app.state.config.checkpoint_file();
    let folder = tempfile::tempdir().unwrap();
    let more = format!(
        "key_file = '{}'\ncheckpoint_file = '{}'\n",
        app.state.config.key_file().display(),
        checkpoints.display()
    );
    let file = file_for(folder.path(), &database, &more);
    let warns = |said: &str, file: &Path| {
        let words = format!("run `chmod 600 {}`", file.display());
        said.contains(&words)
    };
    let sqlite = store::database_file(&database.url).unwrap();
    for file_of_ours in [&sqlite, &checkpoints] {
        let (_, said) = doctor(folder.path(), &["--config", &file]);
        assert!(!warns(&said, file_of_ours), "{said}");
        fs::set_permissions(file_of_ours, fs::Permissions::from_mode(0o644)).unwrap();
        let (_, said) = doctor(folder.path(), &["--config", &file]);
        assert!(warns(&said, file_of_ours), "{said}");
    }
}

async fn the_doctor_changes_nothing_before_the_first_start(database: TestDatabase) {
    let database = database.another().await;
    let folder = tempfile::tempdir().unwrap();
    let file = file_for(folder.path(), &database, "addr = '127.0.0.1:0'\n");
    let files = || {
        let entries = fs::read_dir(folder.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        let place = store::database_file(&database.url);
        names.extend(place.filter(|file| file.exists()).map(Into::into));
        names
    };
    let before = files();
    for _ in 0..2 {
        let (is_well, said) = doctor(folder.path(), &["--config", &file]);
        assert!(is_well, "{said}");
        has(&said, "ok       database: ", "`handraise serve` makes");
        has(&said, "ok       key: ", "yet; `handraise serve` makes it");
    }
    assert_eq!(files(), before);
}

async fn the_doctor_says_whether_people_can_be_reached(database: TestDatabase) {
    store::connect(&database.url).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (mails, ntfy) = (MailServer::start().await, Receiver::start([]).await);
    let examined = |more: &str| {
        let settings = format!(
            "{more}[mail]\nurl = '{}'\nfrom = 'h@example.com'\n[ntfy]\nurl = 'http://{}'\n",
            mails.url(),
            ntfy.addr
        );
        let file = file_for(folder.path(), &database, &settings);
        doctor(folder.path(), &["--config", &file, "--addr", "127.0.0.1:0"]).1
    };
    let said =
        examined("outbound_allow = ['127.0.0.1']\npublic_url = 'https://handraise.example'\n");
    has(&said, "ok ", "browsers take notifications from public_url");
    has(
        &said,
        "ok ",
        "the mail server answers, and takes the name and password",
    );
    has(&said, "ok ", "the ntfy server answers");
    assert_eq!(ntfy.got()[0].path, "/v1/health");
    ntfy.behave([Manner::Answers(404, "", "what is ntfy?")]);
    let said =
        examined("outbound_allow = ['127.0.0.1']\npublic_url = 'http://handraise.example'\n");
    has(
        &said,
        "warning ",
        "browsers take notifications only from a public_url with https://",
    );
    has(&said, "problem ", "answered 404");
    // An address in this server's own network has to be allowed.
    let said = examined("");
    has(&said, "problem ", "no topic can be told");
    drop(mails);
    let file = file_for(
        folder.path(),
        &database,
        "[mail]\nurl = 'smtp://127.0.0.1:1'\nfrom = 'h@example.com'\n",
    );
    let (_, said) = doctor(folder.path(), &["--config", &file, "--addr", "127.0.0.1:0"]);
    has(&said, "problem ", "no mail can be sent");
    has(&said, "ok ", "no topics are told: ntfy.url is not set");
}

async fn the_doctor_names_what_is_wrong_and_what_to_do(database: TestDatabase) {
    store::connect(&database.url).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    // It hangs up on whoever asks.
    let addr = taken.local_addr().unwrap();
    std::thread::spawn(move || taken.incoming().for_each(drop));
    let key = folder.path().join("key");
    fs::write(&key, "secret").unwrap();
    let file = file_for(
        folder.path(),
        &database,
        &format!(
            "addr = '{addr}'\npublic_url = 'http://handraise.example'\nkey_file = '{}'\n",
            key.display()
        ),
    );
    let (is_well, said) = doctor(folder.path(), &["--config", &file]);
    assert!(!is_well);
    has(
        &said,
        "warning  people: no admin can sign in",
        "`handraise serve` prints",
    );
    has(&said, "problem  key: ", "");
    has(
        &said,
        "problem  addr: another program listens on",
        "set another addr",
    );
    has(&said, "warning  public_url: ", "not Secure");
    assert!(!said.contains("secret"), "{said}");

    let read_only = database.read_only_url();
    let (_, said) = doctor(
        folder.path(),
        &["--database", &read_only, "--addr", "127.0.0.1:0"],
    );
    has(&said, "problem  database: ", "take");

    let newer =
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
        VALUES (9999, 'from the future', TRUE, '', 0)";
    database.execute(newer).await.unwrap();
    let (_, said) = doctor(folder.path(), &["--config", &file]);
    has(&said, "problem  database: ", "run a newer handraise");
}

async fn the_doctor_holds_key_checkpoints_and_journal_against_each_other(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    app.clock.advance(-TimeDelta::days(500));
    let agent = app.agent("backend").await;
    agent.ask(json!({})).await;
    app.state.checkpoints.sign_new().await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let key = app.state.config.key_file();
    let checkpoints = app.state.config.checkpoint_file();
    let file = file_for(
        folder.path(),
        &database,
        &format!(
            "addr = '127.0.0.1:0'\nkey_file = '{}'\ncheckpoint_file = '{}'\n",
            key.display(),
            checkpoints.display()
        ),
    );
    assert!(doctor(folder.path(), &["--config", &file]).0);

    // The journal of another database.
    let other = folder.path().join("other.db");
    let other = format!("sqlite://{}", other.display());
    store::connect(&other).await.unwrap();
    let (_, said) = doctor(folder.path(), &["--config", &file, "--database", &other]);
    has(
        &said,
        &format!(
            "problem  checkpoints: {} events were signed",
            app.last_seq().await
        ),
        "the journal has 0",
    );

    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
        let (_, said) = doctor(folder.path(), &["--config", &file]);
        has(&said, "problem  key: others may read", "run `chmod 600 ");
    }
    fs::remove_file(&key).unwrap();
    let (_, said) = doctor(folder.path(), &["--config", &file]);
    has(&said, "problem  key: there is no ", "put the key back");
    assert!(!key.exists());

    let another = signing::load_or_create(&key).unwrap();
    let (_, said) = doctor(folder.path(), &["--config", &file]);
    has(
        &said,
        "problem  checkpoints: ",
        "is not signed with the key",
    );
    let name = app.state.config.key_name.clone();
    let kept = CheckpointFile::new(checkpoints, name, [another.verifying_key()]);
    assert!(kept.last().is_err());
}

async fn the_schema_is_made_brought_up_to_date_and_then_left_alone(database: TestDatabase) {
    let database = database.another().await;
    let folder = tempfile::tempdir().unwrap();
    let migrate = || {
        printed(
            folder.path(),
            &["migrate", "--database", &database.url],
            &[],
        )
    };
    if let Some(file) = store::database_file(&database.url) {
        fs::write(file, "").unwrap();
    }
    // As the first version left it.
    let (first, bytes, checksum): (&str, &str, fn(&str) -> String) =
        if database.url.starts_with("sqlite:") {
            let first = include_str!("../../../../migrations/sqlite/0001_init.sql");
            (first, "BLOB", |hex| format!("X'{hex}'"))
        } else {
            let first = include_str!("../../../../migrations/postgres/0001_init.sql");
            (first, "BYTEA", |hex| format!("decode('{hex}', 'hex')"))
        };
    let checksum = checksum(&domain::digest::hex(&Sha384::digest(first)));
    database
        .execute(&format!(
            "{first};
             CREATE TABLE _sqlx_migrations (
                version BIGINT PRIMARY KEY, description TEXT NOT NULL,
                installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
                success BOOLEAN NOT NULL, checksum {bytes} NOT NULL, execution_time BIGINT NOT NULL);
             INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
             VALUES (1, 'init', TRUE, {checksum}, 0)"
        ))
    .await
    .unwrap();
    let (is_well, said) = doctor(
        folder.path(),
        &["--database", &database.url, "--addr", "127.0.0.1:0"],
    );
    assert!(is_well, "{said}");
    has(&said, "warning  database: ", "run `handraise migrate`");
    let said = migrate();
    assert!(
        said.starts_with("brought ") && said.contains("from schema 1 to "),
        "{said}"
    );
    let said = migrate();
    assert!(said.contains(" was up to date: schema "), "{said}");
    let fresh = folder.path().join("fresh.db");
    let url = format!("sqlite://{}", fresh.display());
    let said = printed(folder.path(), &["migrate", "--database", &url], &[]);
    assert!(said.starts_with(&format!("made the tables of {}: schema ", fresh.display())));
}

#[test]
fn the_default_file_is_printed_as_it_is_and_read_where_the_program_runs() {
    let folder = tempfile::tempdir().unwrap();
    let text = printed(folder.path(), &["config"], &[]);
    assert_eq!(text, DEFAULT_FILE);
    let at = |variables: &[(&str, &str)], arguments: &[&str]| {
        let lines = printed(
            folder.path(),
            &[&["config", "--effective"], arguments].concat(),
            variables,
        );
        let settings = lines.lines().filter_map(|line| line.split_once(" = "));
        let settings = settings.map(|(name, rest)| {
            let (value, origin) = rest.split_once(" # ").unwrap();
            (
                name.to_owned(),
                format!("{} from {origin}", value.trim_end()),
            )
        });
        settings.collect::<BTreeMap<String, String>>()
    };
    assert_eq!(at(&[], &[])["addr"], "\"127.0.0.1:3000\" from default");
    fs::write(
        folder.path().join("handraise.toml"),
        "# mine\nkey_name = 'here'\n",
    )
    .unwrap();
    fs::write(folder.path().join("other.toml"), "key_name = 'there'\n").unwrap();
    let other = ("HANDRAISE_CONFIG", "other.toml");
    assert_eq!(at(&[], &[])["key_name"], "\"here\" from handraise.toml:2");
    assert_eq!(at(&[other], &[])["key_name"], "\"there\" from other.toml:1");
    assert_eq!(
        at(&[other], &["--config", "handraise.toml"])["key_name"],
        "\"here\" from handraise.toml:2"
    );
    let secret = ("HANDRAISE_DATABASE_URL", "postgres://h:secret@db/h");
    assert_eq!(
        at(&[secret], &[])["database_url"],
        "\"postgres://h:***@db/h\" from HANDRAISE_DATABASE_URL"
    );
    assert_eq!(
        at(&[secret], &["--log", "json"])["log"],
        "\"json\" from --log"
    );
}

#[test]
fn everything_wrong_is_said_at_once_and_a_strange_variable_is_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("handraise.toml"),
        "\nadr = '127.0.0.1:1'\n",
    )
    .unwrap();
    let serve = [
        "serve",
        "--addr",
        "127.0.0.1:0",
        "--database",
        "sqlite:///nowhere/h.db",
    ];
    let wrong = ("HANDRAISE_TIMEOUT_FORM", "soon");
    for arguments in [&serve[..], &["token", "list"], &["config", "--effective"]] {
        let output = handraise(folder.path(), arguments, &[wrong]);
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(
            String::from_utf8(output.stderr).unwrap(),
            "handraise: the configuration is wrong:\n  \
             handraise.toml:2: unknown key `adr`; did you mean `addr`?\n  \
             HANDRAISE_TIMEOUT_FORM: timeout.form: invalid type: string \"soon\", expected a whole number\n"
        );
    }
    let (is_well, said) = doctor(folder.path(), &[]);
    assert!(!is_well);
    has(
        &said,
        "problem  configuration: handraise.toml:2: ",
        "did you mean `addr`?",
    );

    fs::remove_file(folder.path().join("handraise.toml")).unwrap();
    let output = handraise(folder.path(), &serve, &[("HANDRAISE_ADRR", "127.0.0.1:1")]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("there is no setting HANDRAISE_ADRR; did you mean HANDRAISE_ADDR?"),
        "{said}"
    );
    let left = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 0);
}

#[test]
fn a_password_is_in_nothing_that_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret.toml");
    fs::write(
        &file,
        "database_url = 'postgres://h:pa55word@127.0.0.1:1/h?sslmode=disable'\n",
    )
    .unwrap();
    let file = file.to_str().unwrap();
    let url = "postgres://h:pa55word@127.0.0.1:1/h";
    let silent = |arguments: &[&str], url: &str| {
        let variables = [("RUST_LOG", "trace"), ("HANDRAISE_DATABASE_URL", url)];
        let output = handraise(folder.path(), arguments, &variables);
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(!said.is_empty());
        assert!(!said.contains("pa55word"), "{arguments:?}: {said}");
    };
    let serve = ["serve", "--addr", "127.0.0.1:0"];
    for arguments in [
        &serve[..],
        &["migrate"],
        &["config", "--effective"],
        &["doctor"],
    ] {
        silent(arguments, "postgres://h:1/pa55word@h/h");
        silent(arguments, "postgres://h@127.0.0.1:1/h?pass=pa55word");
        silent(arguments, "postgres:/h:pa55word@h/h");
    }
    // It looks for the server for some seconds, and says what it does.
    silent(&serve, url);
    silent(&["migrate", "--config", file], "");
    silent(&["config", "--effective", "--config", file], "");
    silent(&["config", "--effective", "--database", url], "");
    let (_, said) = doctor(folder.path(), &["--database", url, "--addr", "127.0.0.1:0"]);
    has(
        &said,
        "warning  configuration: everybody on this machine can see the password",
        "",
    );
    let (_, said) = doctor(folder.path(), &["--config", file, "--addr", "127.0.0.1:0"]);
    has(
        &said,
        "warning  configuration: others may read",
        "run `chmod 600 ",
    );
}
