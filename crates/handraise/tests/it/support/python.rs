//! Python's implementations of what we sign and speak. `cargo xtask test` installs its packages into a folder of their own.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use serde_json::Value;

/// Names the Python that has the packages.
const VARIABLE: &str = "TEST_PYTHON";

/// Whether PyPI's `standardwebhooks` takes these headers and this body for a webhook signed with this secret.
/// Their age is left to the tests' clock.
pub(crate) fn is_a_standard_webhook(input: &Value) -> bool {
    let script = r#"
import datetime, json, sys
import standardwebhooks.webhooks as webhooks

given = json.load(sys.stdin)
sent = datetime.datetime.fromtimestamp(int(given["headers"]["webhook-timestamp"]), datetime.timezone.utc)

class Now(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return sent

webhooks.datetime = Now
try:
    webhooks.Webhook(given["secret"]).verify(given["body"], given["headers"])
    print("true")
except webhooks.WebhookVerificationError as error:
    print("false")
"#;
    match run_script(script, input).trim() {
        "true" => true,
        "false" => false,
        other => panic!("{other:?}"),
    }
}

/// A Python that has the packages.
pub(crate) fn command() -> Command {
    let python = std::env::var(VARIABLE).expect(
        "TEST_PYTHON is not set: run `cargo xtask test`, which makes one, or name one that has what \
         crates/handraise/tests/requirements.txt names",
    );
    Command::new(python)
}

/// What a script prints that finds `input` on its standard input.
pub(crate) fn run_script(script: &str, input: &Value) -> String {
    let mut python = command()
        .args(["-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = python.stdin.take().unwrap();
    stdin.write_all(input.to_string().as_bytes()).unwrap();
    drop(stdin);
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}
