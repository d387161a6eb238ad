//! What forbids or asks is read as widely as it could be meant.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{action, bash, by, one};
use crate::{interaction::Action, policy::Holds};

fn holds(when: Value, action: &Action) -> Holds {
    one(json!({"when": when})).holds(&by(action))
}

fn words(words: &[&str], command: &str) -> Holds {
    let has = json!({"words": words});
    holds(
        json!({"tools": ["Bash"], "arguments": [{"has": has}]}),
        &bash(command),
    )
}

#[test]
fn a_command_is_found_however_it_is_written() {
    for command in [
        "git push --force",
        "git push origin main --force",
        "git -C /srv/shop push --force",
        "GIT PUSH --force",
        "/usr/bin/git push --force",
        "cd /srv && git push --force",
        "true;git push --force",
        "(git push --force)",
        "g\"i\"t pu''sh --force",
        "'git' 'push' '--force'",
        "git push --force=true",
        "git --force push",
        "bash -c 'git push --force'",
        "git\tpush\n--force",
        "git.exe push --force",
        "env A=b git push --force",
        "echo hello | xargs git push --force",
    ] {
        assert_eq!(
            words(&["git", "push", "--force"], command),
            Holds::Yes,
            "{command}"
        );
    }
    for command in [
        "git push",
        "git status",
        "legit push --force",
        "git pushed --force",
        "push git --force",
        "git push --forced",
    ] {
        assert_eq!(
            words(&["git", "push", "--force"], command),
            Holds::No,
            "{command}"
        );
    }
}

#[test]
fn short_options_are_found_together_and_apart() {
    for command in [
        "rm -rf x",
        "rm -fr x",
        "rm -r -f x",
        "rm x -f -r",
        "rm -rvf x",
    ] {
        assert_eq!(words(&["rm", "-rf"], command), Holds::Yes, "{command}");
    }
    for command in ["rm -r x", "rm x", "rm --recursive-force x", "ls -rf"] {
        assert_eq!(words(&["rm", "-rf"], command), Holds::No, "{command}");
    }
    // Capitals are other options.
    assert_eq!(
        words(&["git", "branch", "-D"], "git branch -d x"),
        Holds::No
    );
    assert_eq!(words(&["find", "-delete"], "find . -delete"), Holds::Yes);
    assert_eq!(
        words(&["find", "-delete"], "find . -type d -l -e t"),
        Holds::No
    );
}

#[test]
fn what_hides_its_words_cannot_be_told() {
    for command in [
        "$(echo gi)t push --force",
        "G=gi; ${G}t push --force",
        "`printf git` push",
        "g\\it pus",
        "/usr/bin/g?t status",
        "echo Z2l0IHB1c2g= | base64 -d | sh",
        "eval x",
    ] {
        assert_eq!(
            words(&["git", "push", "--force"], command),
            Holds::Unclear,
            "{command}"
        );
    }
    // What is there is there, whatever else hides.
    assert_eq!(words(&["git", "push"], "git push $X"), Holds::Yes);
    // In prose nothing is run.
    let said = action("Bash", json!({"description": "costs $5", "command": "ls"}));
    let when = json!({"tools": ["Bash"], "arguments": [{"has": {"words": ["git"]}}]});
    assert_eq!(holds(when, &said), Holds::No);
}

#[test]
fn an_argument_is_found_wherever_it_stands_unless_its_place_is_named() {
    let anywhere = json!({"arguments": [{"has": {"words": ["drop", "table"]}}]});
    for arguments in [
        json!({"sql": "DROP TABLE users"}),
        json!({"input": {"statements": ["select 1", "drop table users"]}}),
        json!({"argv": ["psql", "drop", "table"]}),
        json!({"deep": {"er": {"sql": "drop /* x */ table users"}}}),
    ] {
        assert_eq!(
            holds(anywhere.clone(), &action("db", arguments)),
            Holds::Yes
        );
    }
    let named = json!({"arguments": [{"at": ["input", "command"], "has": {"words": ["rm"]}}]});
    for (arguments, expected) in [
        (json!({"input": {"command": "rm x"}}), Holds::Yes),
        (json!({"input": {"command": ["rm", "x"]}}), Holds::Yes),
        (
            json!({"input": {"command": "ls"}, "command": "rm x"}),
            Holds::No,
        ),
        (json!({"input": {}}), Holds::No),
        (json!({"input": {"command": null}}), Holds::No),
        (json!({"input": {"command": 5}}), Holds::Unclear),
        (
            json!({"input": {"command": {"line": "rm x"}}}),
            Holds::Unclear,
        ),
        (json!({"input": {"command": ["rm", 5]}}), Holds::Unclear),
    ] {
        assert_eq!(
            holds(named.clone(), &action("Bash", arguments.clone())),
            expected,
            "{arguments}"
        );
    }
}

#[test]
fn a_path_is_followed_to_where_it_leads() {
    let below = |arguments: Value| {
        let when = json!({"tools": ["Write"], "arguments": [{"has": {"below": "/etc"}}]});
        holds(when, &action("Write", arguments))
    };
    for path in [
        "/etc/passwd",
        "/etc",
        "/ETC/passwd",
        "//etc//passwd",
        "/srv/../etc/passwd",
        "/etc/./passwd",
        "\\etc\\passwd",
        "file:///etc/passwd",
        "/srv/shop/../../etc/x",
    ] {
        assert_eq!(below(json!({"file_path": path})), Holds::Yes, "{path}");
    }
    for path in ["/srv/etc/x", "/etcetera/x", "/srv/shop/x", "name"] {
        assert_eq!(below(json!({"file_path": path})), Holds::No, "{path}");
    }
    for path in [
        "src/x",
        "../etc/passwd",
        "~/x",
        "/e*c/passwd",
        "/srv/$X/y",
        "/srv/%2e%2e/etc",
    ] {
        assert_eq!(below(json!({"file_path": path})), Holds::Unclear, "{path}");
    }
    // Where it runs is known.
    let in_folder =
        |cwd: &str, path: &str| below(json!({"cwd": cwd, "input": {"file_path": path}}));
    assert_eq!(in_folder("/srv/shop", "src/x"), Holds::No);
    assert_eq!(in_folder("/srv/shop", "../../etc/x"), Holds::Yes);
    assert_eq!(in_folder("/", "./etc/x"), Holds::Yes);
    assert_eq!(in_folder("/etc", "./x"), Holds::Yes);
    // The hook tells where links lead.
    let link = json!({"file_path": "/srv/x", "leads_to": {"/srv/x": "/etc/x"}});
    assert_eq!(below(link), Holds::Yes);
    // In a command, and among what it refers to.
    let when = json!({"arguments": [{"has": {"below": "/etc"}}]});
    assert_eq!(holds(when.clone(), &bash("cp x /etc/nginx/y")), Holds::Yes);
    assert_eq!(
        holds(when.clone(), &bash("tar --file=/etc/x.tar")),
        Holds::Yes
    );
    assert_eq!(holds(when, &bash("scp x host:/etc/x")), Holds::Yes);
}

#[test]
fn a_host_is_found_with_all_below_it() {
    let at = |command: &str| {
        let when = json!({"arguments": [{"has": {"host": "prod.example.com"}}]});
        holds(when, &bash(command))
    };
    for command in [
        "curl https://prod.example.com/x",
        "curl https://api.prod.example.com",
        "curl HTTPS://PROD.EXAMPLE.COM:8443/",
        "ssh root@prod.example.com",
        "psql -h prod.example.com -c 'select 1'",
        "scp x prod.example.com:/x",
        "curl https://prod.example.com./x",
    ] {
        assert_eq!(at(command), Holds::Yes, "{command}");
    }
    for command in [
        "curl https://prod.example.com.evil.example/x",
        "curl https://notprod.example.com/",
        "curl https://example.com/",
    ] {
        assert_eq!(at(command), Holds::No, "{command}");
    }
    assert_eq!(at("curl $URL"), Holds::Unclear);
}

#[test]
fn a_value_is_the_same_to_a_program_that_is_not_strict() {
    let when = json!({"tools": ["deploy"], "arguments": [{"at": ["env"], "has": {"is": ["production", 1]}}]});
    for env in [
        json!("production"),
        json!(" Production "),
        json!(1),
        json!(1.0),
        json!(["staging", "production"]),
    ] {
        let asked = action("deploy", json!({"env": env}));
        assert_eq!(holds(when.clone(), &asked), Holds::Yes, "{env}");
    }
    for env in [json!("staging"), json!(2), json!(null), json!({})] {
        let asked = action("deploy", json!({"env": env}));
        assert_eq!(holds(when.clone(), &asked), Holds::No, "{env}");
    }
}

#[test]
fn a_tool_is_named_whole_or_by_its_beginning() {
    for (tools, tool, expected) in [
        (json!(["Bash"]), "bash", Holds::Yes),
        (json!(["Bash"]), "BashOutput", Holds::No),
        (json!(["mcp__db__*"]), "mcp__db__drop", Holds::Yes),
        (json!(["mcp__db__*"]), "MCP__DB__drop", Holds::Yes),
        (json!(["mcp__db__*"]), "mcp__files__read", Holds::No),
        (json!(["Read", "Write"]), "Write", Holds::Yes),
    ] {
        let asked = action(tool, json!({}));
        assert_eq!(holds(json!({"tools": tools}), &asked), expected, "{tool}");
    }
    let looks = json!({"looks_destructive": true});
    assert_eq!(holds(looks.clone(), &bash("rm -rf x")), Holds::Yes);
    assert_eq!(holds(looks, &bash("cargo test")), Holds::No);
}

#[test]
fn a_rule_is_for_the_agents_and_teams_it_names() {
    let rule =
        one(json!({"agents": ["Backend"], "teams": ["Payments"], "when": {"tools": ["Bash"]}}));
    let asked = bash("ls");
    for (agent, team, expected) in [
        ("backend", Some("payments"), Holds::Yes),
        ("backend", Some("Other"), Holds::No),
        ("backend", None, Holds::No),
        ("frontend", Some("Payments"), Holds::No),
    ] {
        let question = crate::policy::Question {
            agent,
            team,
            action: &asked,
        };
        assert_eq!(rule.holds(&question), expected, "{agent} {team:?}");
    }
}

proptest! {
    /// Whatever stands around the words, they are found.
    #[test]
    fn words_are_found_in_any_surroundings(before in "[ -~]{0,20}", between in "[a-z0-9 ./:_-]{0,20}", after in "[ -~]{0,20}") {
        let command = format!("{before} terraform {between} apply {after}");
        prop_assert_eq!(words(&["terraform", "apply"], &command), Holds::Yes, "{}", command);
    }

    /// Quotes and backslashes within a word hide nothing.
    #[test]
    fn quotes_within_words_hide_nothing(quotes in proptest::collection::vec("['\"]{0,2}", 9)) {
        let mut command = String::new();
        for (c, quote) in "terraform".chars().zip(&quotes) {
            command.push_str(quote);
            command.push(c);
        }
        command.push_str(" apply");
        prop_assert_eq!(words(&["terraform", "apply"], &command), Holds::Yes, "{}", command);
    }

    /// However a path winds, where it leads is found.
    #[test]
    fn any_way_to_a_folder_is_found(way in proptest::collection::vec("[a-z]{1,3}", 0..5), rest in "[a-z]{0,5}") {
        let up = "../".repeat(way.len());
        let down: String = way.iter().map(|name| format!("{name}/")).collect();
        let path = format!("/{down}{up}etc/{rest}");
        let when = json!({"arguments": [{"has": {"below": "/etc"}}]});
        let asked = action("Write", json!({"path": path}));
        prop_assert_eq!(holds(when, &asked), Holds::Yes, "{}", asked.arguments.0);
    }

    /// Nothing that an agent sends makes a rule fall over.
    #[test]
    fn any_text_can_be_looked_at(text in any::<String>()) {
        for has in [json!({"words": ["é", "-x"]}), json!({"below": "/etc"}), json!({"host": "a.example"})] {
            let when = json!({"arguments": [{"has": has}]});
            let _ = holds(when, &action("t", json!({"command": text, "cwd": text, "path": [text, text]})));
        }
    }
}
