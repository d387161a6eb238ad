//! Other implementations of what we sign and speak: those of Node.js and npm, which are wherever the browser tests are.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

/// What `npm ci` in `end2end` brings; `cargo xtask test` runs that.
pub(crate) const NODE_MODULES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../end2end/node_modules");
/// Its own Node.js, where the system's may be too old.
pub(crate) const NODE_22: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../end2end/node_modules/.bin/node"
);

/// Runs the body of a JavaScript function of `input`, which may call `verify(key, message, signature)`,
/// and says what it returned.
pub(crate) fn verified_by_node(body: &str, input: &Value) -> bool {
    run(body, input) == "true"
}

/// The raw public key, in base64, of a private key in PEM.
pub(crate) fn public_key_of(pem: &str) -> String {
    let body = r#"
        const jwk = crypto.createPublicKey(input.pem).export({ format: "jwk" });
        return Buffer.from(jwk.x, "base64url").toString("base64");
    "#;
    run(body, &json!({ "pem": pem }))
}

fn run(body: &str, input: &Value) -> String {
    let script = format!(
        r#"
        const crypto = require("node:crypto");
        const input = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
        const verify = (raw, message, signature) => {{
            const jwk = {{ kty: "OKP", crv: "Ed25519", x: raw.toString("base64url") }};
            const key = crypto.createPublicKey({{ key: jwk, format: "jwk" }});
            return crypto.verify(null, message, key, signature);
        }};
        process.stdout.write(String((() => {{ {body} }})()));
        "#
    );
    run_script(&script, input)
}

/// What a script prints that finds `input` on its standard input.
pub(crate) fn run_script(script: &str, input: &Value) -> String {
    let mut node = Command::new("node")
        .args(["-e", script])
        .env("NODE_PATH", NODE_MODULES)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Node.js is not there: `cargo xtask test` installs it");
    let mut stdin = node.stdin.take().unwrap();
    stdin.write_all(input.to_string().as_bytes()).unwrap();
    drop(stdin);
    let output = node.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Whether npm's `standardwebhooks`, the reference implementation, takes these headers and this body for a
/// webhook signed with this secret. Their age is left to the tests' clock.
pub(crate) fn is_a_standard_webhook(input: &Value) -> bool {
    let body = r#"
        const { Webhook } = require("standardwebhooks");
        Date.now = () => Number(input.headers["webhook-timestamp"]) * 1000;
        try {
            new Webhook(input.secret).verify(input.body, input.headers);
            return true;
        } catch (error) {
            if (error.name !== "WebhookVerificationError" && !/signature/i.test(error.message)) throw error;
            return false;
        }
    "#;
    verified_by_node(body, input)
}
