//! What is covered, and above all what only looks so.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn action(tool: &str, arguments: Value) -> Action {
    serde_json::from_value(json!({"tool": tool, "arguments": arguments})).unwrap()
}

/// A call as a coding agent's hook wraps it.
fn bash(command: &str) -> Action {
    action(
        "Bash",
        json!({"cwd": "/home/ana/shop", "input": {"command": command, "description": "as it says"}}),
    )
}

fn write(path: &str) -> Action {
    action(
        "Write",
        json!({"cwd": "/home/ana/shop", "input": {"file_path": path, "content": "hello"}}),
    )
}

fn fetch(url: &str) -> Action {
    action(
        "WebFetch",
        json!({"cwd": "/home/ana/shop", "input": {"url": url, "prompt": "Sum it up"}}),
    )
}

/// The proposal that narrows by this beginning of its words.
fn proposed(action: &Action, says: &str) -> Matcher {
    let all = propose(action);
    let said: Vec<_> = all.iter().map(Matcher::in_words).collect();
    let found = all
        .into_iter()
        .find(|matcher| matcher.in_words().contains(says));
    found.unwrap_or_else(|| panic!("{says} is not among {said:?}"))
}

fn says(action: &Action) -> Vec<String> {
    propose(action).iter().map(Matcher::in_words).collect()
}

#[test]
fn what_is_approved_exactly_covers_nothing_else() {
    let asked = bash("git push origin main");
    let [exactly] = &*propose(&asked) else {
        panic!("{:?}", says(&asked));
    };
    assert!(exactly.is_exact() && exactly.matches(&asked));
    for other in [
        bash("git push origin main "),
        bash("git push origin  main"),
        bash("git push --force origin main"),
        action("bash", asked.arguments.0.clone()),
        action(
            "Bash",
            json!({"cwd": "/home/ana/other", "input": asked.arguments.0["input"]}),
        ),
        action(
            "Bash",
            json!({"cwd": "/home/ana/shop", "input": {"command": "git push origin main"}}),
        ),
    ] {
        assert!(!exactly.matches(&other), "{other:?}");
    }
}

#[test]
fn a_command_is_covered_by_its_first_words() {
    let words = proposed(&bash("cargo test -p store --locked"), "`cargo test`");
    for command in [
        "cargo test -p store --locked",
        "cargo test",
        "cargo  test   --locked -p domain ",
        "cargo test -p domain writer",
        "cargo test tests/it.rs",
        "cargo test ./tests",
        "cargo test /home/ana/shop/tests",
        "cargo test 'two words'",
    ] {
        assert!(words.matches(&bash(command)), "{command}");
    }
    let mut other = bash("cargo test");
    other.arguments.0["input"]["description"] = "said in another way".into();
    assert!(words.matches(&other));
    other.arguments.0["input"]["timeout"] = 600_000.into();
    assert!(words.matches(&other));
}

#[test]
fn a_command_that_only_looks_so_is_not_covered() {
    let words = proposed(&bash("cargo test -p store"), "`cargo test`");
    for command in [
        "",
        " ",
        "cargo",
        "cargo testx",
        "cargotest",
        "cargo build",
        "CARGO test",
        "Cargo test",
        "./cargo test",
        "/tmp/cargo test",
        "X=1 cargo test",
        "cargo +nightly test",
        "cargo --config x test",
        "cargo test; rm -rf /",
        "cargo test;ls",
        "cargo test && ls",
        "cargo test & ls",
        "cargo test | sh",
        "cargo test || ls",
        "cargo test > /etc/passwd",
        "cargo test >x",
        "cargo test < x",
        "cargo test $(ls)",
        "cargo test $HOME",
        "cargo test ${IFS}",
        "cargo test `ls`",
        "cargo test \"$(ls)\"",
        "cargo test \"`ls`\"",
        "cargo test '$(ls)'",
        "cargo test 'a;b'",
        "cargo test 'a",
        "cargo test 'a'b",
        "cargo test a'b'",
        "cargo test ''",
        "cargo test \"\"",
        "'cargo' test",
        "\"cargo\" test",
        "cargo 'test'",
        "'cargo test'",
        "cargo test\nls",
        "cargo test\rls",
        "cargo test\tls",
        "cargo\ttest",
        "cargo test\u{a0}x",
        "cargo test\u{0}x",
        "cargo test \u{202e}x",
        "сargo test",
        "cargo tеst",
        "cargo test ｘ",
        "cargo test x\\",
        "cargo test \\x",
        "cargo test *",
        "cargo test a?",
        "cargo test [ab]",
        "cargo test {a,b}",
        "cargo test ~/x",
        "cargo test ~root",
        "cargo test !!",
        "cargo test #x",
        "cargo test %PATH%",
        "cargo test ^x",
        "cargo test (x)",
        "cargo test --config x",
        "cargo test --config=x",
        "cargo test -p=store",
        "cargo test -Zunstable",
        "cargo test '-Z'",
        "cargo test \"--config\"",
        "cargo test -- x",
        "cargo test ../other",
        "cargo test a/../../b",
        "cargo test a/..",
        "cargo test ..",
        "cargo test /etc/passwd",
        "cargo test /home/ana/shop",
        "cargo test /home/ana/shopping/x",
        "cargo test /home/ana/shop/../x",
        "cargo test /home/ana/shop/.env",
        "cargo test //home/ana/shop/x",
        "cargo test .env",
        "cargo test .git/hooks",
        "cargo test a/.ssh/id",
        "cargo test '.env x'",
        "cargo test 'x ../y'",
        "cargo test 'x /etc/passwd'",
        "cargo test 'x -rf'",
        "cargo test 'ext::sh x'",
        "cargo test x=y",
        "cargo test a:b",
        "cargo test :main",
        "cargo test +main",
        "cargo test @x",
        "cargo test a,b",
        "cargo test https://evil.example",
        "cargo test delete",
        "cargo test rm",
        "cargo test 'drop table x'",
        "cargo test db-drop",
        "cargo test db.drop",
        "cargo test DEPLOY",
    ] {
        assert!(!words.matches(&bash(command)), "{command:?}");
    }
    let long = format!("cargo test {}", "a".repeat(2_000));
    assert!(!words.matches(&bash(&long)));
    let many = format!("cargo test{}", " a".repeat(60));
    assert!(!words.matches(&bash(&many)));
}

#[test]
fn all_beside_the_command_stays_as_it_was() {
    let asked = bash("cargo test");
    let words = proposed(&asked, "`cargo test`");
    for change in [
        json!({"cwd": "/home/ana/other", "input": {"command": "cargo test"}}),
        json!({"input": {"command": "cargo test"}}),
        json!({"cwd": "/home/ana/shop", "input": {"command": "cargo test", "run_in_background": true}}),
        json!({"cwd": "/home/ana/shop", "input": {"command": "cargo test", "env": {"RUSTC": "/tmp/x"}}}),
        json!({"cwd": "/home/ana/shop", "input": {"command": ["cargo", "test"]}}),
        json!({"cwd": "/home/ana/shop", "input": {"Command": "cargo test"}}),
        json!({"cwd": "/home/ana/shop", "input": "cargo test"}),
        json!({"cwd": "/home/ana/shop", "input": [{"command": "cargo test"}]}),
        json!({"cwd": "/home/ana/shop", "command": "cargo test"}),
        json!({"cwd": "/home/ana/shop"}),
        json!({}),
    ] {
        assert!(!words.matches(&action("Bash", change.clone())), "{change}");
    }
    let mut with = asked.clone();
    with.operands = vec![Operand {
        name: "run.sh".into(),
        sha256: "a".repeat(64),
        size: 3,
    }];
    assert!(!words.matches(&with));
}

#[test]
fn a_script_that_was_changed_is_not_covered() {
    let with = |sha: char, command: &str| {
        let mut action = bash(command);
        action.operands = vec![Operand {
            name: "cases.txt".into(),
            sha256: sha.to_string().repeat(64),
            size: 3,
        }];
        action
    };
    let asked = with('a', "pytest cases.txt");
    let words = proposed(&asked, "`pytest cases.txt`");
    assert!(words.matches(&with('a', "pytest cases.txt other.txt")));
    assert!(!words.matches(&with('b', "pytest cases.txt")));
    assert!(!words.matches(&bash("pytest cases.txt")));
    // Named again it is the approved one all the same.
    assert!(!words.matches(&with('b', "pytest cases.txt cases.txt")));
    // Where any may be named it is whichever.
    let wider = proposed(&asked, "`pytest`");
    assert!(wider.matches(&with('b', "pytest cases.txt")));
    assert!(wider.matches(&bash("pytest other.txt")));
    // But no other than is named there.
    assert!(!wider.matches(&with('b', "pytest other.txt")));
}

#[test]
fn programs_that_run_what_they_are_given_are_approved_exactly_alone() {
    for command in [
        "bash check.sh",
        "sh -c ls",
        "python3.12 tool.py",
        "Python3.exe tool.py",
        "node index.js",
        "sudo ls",
        "env ls",
        "xargs ls",
        "find src",
        "awk x",
        "sed x",
        "curl https://example.com",
        "ssh host",
        "docker run x",
        "kubectl get pods",
        "make test",
        "npx tool",
        "time cargo test",
        "timeout 5 cargo test",
        "./run.sh x",
        "/usr/bin/git status",
        "X=1 git status",
        "git",
        "cargo",
        "git -c x=y status",
        "git config user.name x",
        "git checkout main",
        "git push origin x",
        "git remote add x",
        "npm install lodash",
        "npm i lodash",
        "npm run",
        "cargo install x",
        "cargo add serde",
        "cargo run x-deploy",
        "pip install x",
        "go get x",
        "rm x",
        "echo a; ls",
        "ls $(x)",
        "npm publish",
        "terraform apply",
        "npm run deploy",
        "npm run deployProd",
        "npm run testAndDeploy",
        "uv pip compile x",
        "uv pip",
        "cargo +nightly test",
        "cargo xtask x",
        "yarn workspace shop",
        "bundle exec rake",
        "bundle add x",
        "poetry run python",
        "rustup run stable",
        "mamba install x",
        "dotnet tool x",
        "conda env x",
        "snap x y",
        "gradle test",
        "mvn test",
        "ant test",
        "just test",
        "gh workflow run",
        "gh workflow",
        "gh pr",
        "gh pr create",
        "hg status",
        "unknown check x",
        "GIT status",
        "git.exe status",
    ] {
        let asked = bash(command);
        let wider: Vec<_> = says(&asked).into_iter().skip(1).collect();
        assert!(wider.is_empty(), "{command}: {wider:?}");
        assert!(propose(&asked).iter().all(Matcher::is_exact));
    }
}

#[test]
fn what_is_usual_is_offered_from_narrow_to_wide() {
    for (command, begins) in [
        ("git status --short", vec!["`git status`"]),
        ("cat src/lib.rs", vec!["`cat src/lib.rs`", "`cat`"]),
        (
            "npm run test unit",
            vec!["`npm run test unit`", "`npm run test`"],
        ),
        ("git commit -m 'fix: the total'", vec!["`git commit`"]),
        ("ls -la", vec!["`ls`"]),
        ("gh workflow list", vec!["`gh workflow list`"]),
        ("pytest tests", vec!["`pytest tests`", "`pytest`"]),
    ] {
        let wider: Vec<_> = says(&bash(command)).into_iter().skip(1).collect();
        assert_eq!(wider.len(), begins.len(), "{command}: {wider:?}");
        for (found, begins) in wider.iter().zip(begins) {
            assert!(found.contains(begins), "{found} {begins}");
        }
    }
}

#[test]
fn a_task_that_is_named_in_one_word_is_destructive_all_the_same() {
    for word in [
        "deployProd",
        "db:dropAll",
        "rmAll",
        "shop_DeleteUser",
        "prodDeploy",
    ] {
        assert!(
            destructive(&bash(&format!("shop {word}"))).is_some(),
            "{word}"
        );
        let words = proposed(&bash("npm run test"), "`npm run test`");
        assert!(
            !words.matches(&bash(&format!("npm run test {word}"))),
            "{word}"
        );
    }
}

#[test]
fn what_may_be_anything_is_known_of_its_tool_and_named() {
    let said = says(&bash("cargo test"));
    assert!(
        said[1].ends_with("; anything as `description`, `timeout`"),
        "{said:?}"
    );
    // Of another tool a description may be all that matters.
    let jira = |description: &str| {
        let url = "https://a.example/x";
        action(
            "jira",
            json!({"url": url, "description": description, "limit": 5, "prompt": "x"}),
        )
    };
    let host = proposed(&jira("one"), "`https://a.example/`");
    assert!(!host.in_words().contains("anything"), "{}", host.in_words());
    assert!(!host.matches(&jira("another")));
    let written = json!({"like": {"tool": "jira", "like": {"limit": 5, "prompt": "x"}, "varies": [
        {"at": ["url"], "by": {"host": "https://a.example"}}, {"at": ["description"], "by": "any"},
    ]}});
    let matcher: Matcher = serde_json::from_value(written).unwrap();
    assert!(!matcher.matches(&jira("one")));
    let faults = matcher.check(&jira("one")).unwrap_err();
    assert_eq!(faults[0].path, "matcher.like.varies[1].by");
}

#[test]
fn what_is_approved_exactly_is_known_by_what_it_does() {
    let asked = bash("git push origin `main`");
    let exactly = &propose(&asked)[0];
    assert_eq!(exactly.in_words(), "exactly this call of `Bash`");
    assert_eq!(
        exactly.in_words_of(&asked),
        "exactly this call of `Bash` in `/home/ana/shop`: `git push origin 'main'`"
    );
    let plain = action("exec", json!({"argv": ["make", "deploy"]}));
    assert_eq!(
        propose(&plain)[0].in_words_of(&plain),
        "exactly this call of `exec`: `make deploy`"
    );
    // Of another action it says nothing that is not so.
    for other in [bash("git push origin"), action("Bash", json!({}))] {
        assert_eq!(exactly.in_words_of(&other), exactly.in_words());
    }
    let words = proposed(&bash("cargo test"), "`cargo test`");
    assert_eq!(words.in_words_of(&bash("cargo test")), words.in_words());
}

/// The same call, as a hook wraps it where it runs elsewhere.
fn elsewhere(mut action: Action, folder: &str) -> Action {
    action.arguments.0["cwd"] = folder.into();
    action
}

#[test]
fn what_a_hook_asks_is_covered_in_its_folder_and_the_words_say_so() {
    let here = "/home/ana/shop";
    let file = "/home/ana/shop/src/lib.rs";
    for (asked, says) in [
        (bash("cargo test -p store"), "`cargo test`"),
        (write(file), "below `/home/ana/shop/src/`"),
    ] {
        let matcher = proposed(&asked, says);
        let begins = format!("`{}` in `{here}` with ", asked.tool);
        assert!(
            matcher.in_words().starts_with(&begins),
            "{}",
            matcher.in_words()
        );
        assert!(matcher.matches(&elsewhere(asked.clone(), here)));
        // Another project, a folder in it, one above it: what the same words do there nobody has seen. Even an absolute path may
        // be another there: whether the folder itself is a link is not told.
        for folder in ["/home/ana/other", "/home/ana/shop/src", "/home/ana", ""] {
            assert!(
                !matcher.matches(&elsewhere(asked.clone(), folder)),
                "{says} {folder}"
            );
        }
    }
    // Without a folder it is for no folder, and for no call that a hook wraps.
    let plain = action("Bash", json!({"command": "cargo test -p store"}));
    let words = proposed(&plain, "`cargo test`");
    assert!(
        words.in_words().starts_with("`Bash` with "),
        "{}",
        words.in_words()
    );
    assert!(!words.matches(&bash("cargo test -p store")));
    let odd = elsewhere(bash("cargo test"), "/srv/a` with anything, not `b");
    let words = proposed(&odd, "`cargo test`").in_words();
    assert!(
        words.starts_with("`Bash` in `/srv/a' with anything, not 'b` with a command"),
        "{words}"
    );
}

#[test]
fn an_address_is_the_same_from_any_folder_and_nothing_else_is() {
    let asked = fetch("https://docs.example.com/a");
    let host = proposed(&asked, "`https://docs.example.com/`");
    let words = host.in_words();
    assert!(words.ends_with("; anything as `prompt`, `cwd`"), "{words}");
    assert!(host.matches(&elsewhere(fetch("https://docs.example.com/b"), "/srv/b")));
    assert!(!host.matches(&elsewhere(fetch("https://evil.example/b"), "/srv/b")));
    let mut more = asked.clone();
    more.arguments.0["leads_to"] = json!({"a": "/etc/x"});
    assert!(!host.matches(&more));
    // Nobody may say so of a command, of a path, or of a tool that is not known to touch no file.
    for (asked, says) in [
        (bash("cargo test"), "`cargo test`"),
        (
            write("/home/ana/shop/src/lib.rs"),
            "below `/home/ana/shop/src/`",
        ),
        (
            action("curl", fetch("https://docs.example.com/a").arguments.0),
            "`https://docs.example.com/`",
        ),
    ] {
        let Matcher::Like(mut pattern) = proposed(&asked, says) else {
            panic!("{says} is exact");
        };
        take(&mut pattern.like.0, &["cwd".to_owned()]).unwrap();
        pattern.varies.push(Varying {
            at: vec!["cwd".to_owned()],
            by: Rule::Any,
        });
        let wider = Matcher::Like(pattern);
        assert!(!wider.matches(&asked), "{says}");
        let faults = wider.check(&asked).unwrap_err();
        assert!(faults[0].path.ends_with(".by"), "{says} {faults:?}");
    }
}

#[test]
fn a_path_is_covered_below_its_folder_and_nowhere_else() {
    let below = proposed(
        &write("/home/ana/shop/src/lib.rs"),
        "below `/home/ana/shop/src/`",
    );
    for path in [
        "/home/ana/shop/src/main.rs",
        "/home/ana/shop/src/a/b c/[id].tsx",
    ] {
        assert!(below.matches(&write(path)), "{path}");
    }
    for path in [
        "/home/ana/shop/src",
        "/home/ana/shop/src/",
        "/home/ana/shop/srcs/x",
        "/home/ana/shop/src2",
        "/home/ana/shop/src/../x",
        "/home/ana/shop/src/a/../../x",
        "/home/ana/shop/src/a/../b",
        "/home/ana/shop/src/./x",
        "/home/ana/shop/src//x",
        "/home/ana/shop/src/..",
        "/home/ana/shop/src/.git/hooks/pre-commit",
        "/home/ana/shop/src/.env",
        "/home/ana/shop/src/a/.ssh/x",
        "/home/ana/shop/src/...",
        "/home/ana/shop/src/a.",
        "/home/ana/shop/src/a ",
        "/home/ana/shop/src/ a",
        "/home/ana/shop/src/-rf",
        "/home/ana/shop/src/GIT~1/x",
        "/home/ana/shop/src/x:y",
        "/home/ana/shop/src/x::$DATA",
        "/home/ana/shop/src\\..\\x",
        "/home/ana/shop/src/a\\b",
        "/home/ana/shop/src/%2e%2e/x",
        "/home/ana/shop/src/$HOME",
        "/home/ana/shop/src/`x`",
        "/home/ana/shop/src/*",
        "/home/ana/shop/src/a\n",
        "/home/ana/shop/src/a\0b",
        "/home/ana/shop/src/\u{202e}x",
        "/home/ana/shop/src/g\u{200c}it",
        "/home/ana/shop/src/ä",
        "/HOME/ana/shop/src/x",
        "//home/ana/shop/src/x",
        "/../home/ana/shop/src/x",
        "/proc/self/root/home/ana/shop/src/x",
        "home/ana/shop/src/x",
        "src/x",
        "~/shop/src/x",
        "file:///home/ana/shop/src/x",
        "C:\\home\\ana\\shop\\src\\x",
        "",
        "/",
    ] {
        assert!(!below.matches(&write(path)), "{path:?}");
    }
    let mut with_file = write("/home/ana/shop/src/main.rs");
    let operand = |name: &str| Operand {
        name: name.to_owned(),
        sha256: "a".repeat(64),
        size: 3,
    };
    with_file.operands = vec![operand("/home/ana/shop/src/main.rs")];
    assert!(below.matches(&with_file));
    with_file.operands.push(operand("/etc/passwd"));
    assert!(!below.matches(&with_file));
    // A link that leads elsewhere is one argument more.
    let mut link = write("/home/ana/shop/src/x");
    link.arguments.0["leads_to"] = json!({"/home/ana/shop/src/x": "/etc/x"});
    assert!(!below.matches(&link));
    let mut other = write("/home/ana/shop/src/x");
    other.arguments.0["input"]["mode"] = "0777".into();
    assert!(!below.matches(&other));
}

#[test]
fn no_grant_is_for_a_folder_that_is_too_much() {
    for folder in [
        "/",
        "",
        "/home",
        "/home/ana",
        "/Users/ana",
        "/etc",
        "/etc/nginx",
        "/usr/local/lib",
        "/proc/self",
        "/dev/shm",
        "/tmp",
        "/root",
        "/srv/",
        "/srv/../etc",
        "srv/shop",
        "/srv//shop",
        "/srv/./shop",
        "/private/etc",
        "/Library/x",
    ] {
        assert!(path::fault(folder).is_some(), "{folder}");
    }
    for folder in [
        "/home/ana/shop",
        "/srv/shop",
        "/root/shop",
        "/tmp/run-1",
        "/Users/ana/code",
        "/home/ana/.config/x",
    ] {
        assert_eq!(path::fault(folder), None, "{folder}");
    }
    assert!(says(&write("/etc/passwd")).len() == 1);
    assert!(says(&write("/home/ana/x.txt")).len() == 1);
}

#[test]
fn an_address_is_covered_at_its_host_and_nowhere_else() {
    let host = proposed(
        &fetch("https://docs.example.com/a"),
        "`https://docs.example.com/`",
    );
    for url in [
        "https://docs.example.com",
        "https://docs.example.com/",
        "https://docs.example.com/b/c?d=e#f",
    ] {
        assert!(host.matches(&fetch(url)), "{url}");
    }
    for url in [
        "http://docs.example.com/",
        "https://docs.example.com.evil.example/",
        "https://docs.example.com@evil.example/",
        "https://docs.example.com:443/",
        "https://docs.example.com:pass@evil.example/",
        "https://evil.example/https://docs.example.com/",
        "https://evil.example?https://docs.example.com/",
        "https://docs.example.com\\@evil.example/",
        "https://docs.example.com/\\evil",
        "https://docs.example.com?@evil.example/",
        "https://docs.example.com#@evil.example/",
        "https://docs.example.com./",
        "https://docs.example.comx/",
        "https://Docs.example.com/",
        "https://xdocs.example.com/",
        "https:///docs.example.com/",
        "https:docs.example.com/",
        "//docs.example.com/",
        " https://docs.example.com/",
        "https://docs.example.com/ x",
        "https://docs.example.com/\n",
        "https://docs.example.com/\u{202e}",
        "https://docs.example.com/a@b",
        "https://docs。example.com/",
        "javascript://docs.example.com/",
        "",
    ] {
        assert!(!host.matches(&fetch(url)), "{url:?}");
    }
    for (address, origin) in [
        ("https://a.example/x", Some("https://a.example")),
        ("http://localhost:8080/x", Some("http://localhost:8080")),
        ("https://u:p@a.example/x", None),
        ("ftp://a.example/x", None),
        ("https://com/x", None),
        ("https://a.example:99999999/x", None),
        ("https://[::1]/x", None),
    ] {
        assert_eq!(host::origin(address), origin, "{address}");
    }
}

#[test]
fn what_is_destructive_is_covered_exactly_or_not() {
    for asked in [
        bash("rm -rf build"),
        bash("git reset --hard"),
        bash("git push"),
        bash("npm publish"),
        bash("terraform destroy"),
        bash("psql -c 'DROP TABLE x'"),
        action("delete_user", json!({"path": "/srv/shop/a"})),
        action("mcp__db__dropTable", json!({"path": "/srv/shop/a"})),
        action("HTTPDelete", json!({"url": "https://a.example/x"})),
        action(
            "http",
            json!({"method": "DELETE", "url": "https://a.example/x"}),
        ),
        action(
            "db",
            json!({"sql": "truncate orders", "path": "/srv/shop/a"}),
        ),
        action("send_mail", json!({"path": "/srv/shop/a"})),
    ] {
        assert!(destructive(&asked).is_some(), "{asked:?}");
        let all = propose(&asked);
        assert_eq!(all.len(), 1, "{asked:?}");
        assert!(all[0].is_exact() && all[0].matches(&asked));
    }
    // Nor by a matcher that was made by hand.
    let below = json!({"like": {
        "tool": "http", "like": {"method": "DELETE"}, "varies": [{"at": ["url"], "by": {"host": "https://a.example"}}],
    }});
    let matcher: Matcher = serde_json::from_value(below).unwrap();
    let asked = action(
        "http",
        json!({"method": "DELETE", "url": "https://a.example/x"}),
    );
    assert!(!matcher.matches(&asked));
    let faults = matcher.check(&asked).unwrap_err();
    assert!(faults[0].message.contains("destructive"), "{faults:?}");
    for harmless in [
        bash("cargo test"),
        bash("cat notes.md"),
        write("/srv/shop/a"),
    ] {
        assert_eq!(destructive(&harmless), None, "{harmless:?}");
    }
}

#[test]
fn a_matcher_that_matches_everything_is_refused() {
    let asked = bash("cargo test x");
    for (like, varies, path) in [
        (json!({}), json!([]), "matcher.like.varies"),
        (
            json!({"cwd": "/home/ana/shop"}),
            json!([{"at": ["input"], "by": "any"}]),
            "matcher.like.varies[0].by",
        ),
        (
            json!({"cwd": "/home/ana/shop", "input": {}}),
            json!([{"at": ["input", "command"], "by": "any"}]),
            "matcher.like.varies[0].by",
        ),
        (
            json!({"cwd": "/home/ana/shop", "input": {"command": "cargo test x"}}),
            json!([{"at": ["input", "description"], "by": "any"}]),
            "matcher.like.varies",
        ),
        (
            json!({"cwd": "/home/ana/shop", "input": {"description": "as it says"}}),
            json!([{"at": ["input", "command"], "by": {"words": {"begin": []}}}]),
            "matcher.like.varies[0].by.words.begin",
        ),
        (
            json!({"cwd": "/home/ana/shop", "input": {"description": "as it says"}}),
            json!([{"at": ["input", "command"], "by": {"words": {"begin": ["cargo"]}}}]),
            "matcher.like.varies[0].by.words.begin",
        ),
        (
            json!({"cwd": "/home/ana/shop", "input": {"description": "as it says"}}),
            json!([{"at": ["input", "command"], "by": {"words": {"begin": ["cargo test", "x"]}}}]),
            "matcher.like.varies[0].by.words.begin",
        ),
        (
            json!({"cwd": "/home/ana/shop", "input": {"description": "as it says"}}),
            json!([{"at": ["input", "command"], "by": {"below": "/"}}]),
            "matcher.like.varies[0].by.below",
        ),
        (
            json!({"cwd": "/home/ana/shop", "input": {"description": "as it says"}}),
            json!([{"at": ["input", "command"], "by": {"host": "https://"}}]),
            "matcher.like.varies[0].by.host",
        ),
        (
            json!({"cwd": "/home/ana/shop", "input": {"description": "as it says"}}),
            json!([{"at": [], "by": {"words": {"begin": ["cargo", "test"]}}}]),
            "matcher.like.varies[0].at",
        ),
        (
            json!({"cwd": "/home/ana/shop", "input": {"description": "as it says"}}),
            json!([{"at": ["input", "command"], "by": {"words": {"begin": ["cargo", "test"]}}}, {"at": ["input", "command"], "by": "any"}]),
            "matcher.like.varies[1].at",
        ),
        (
            json!({"cwd": "/home/ana/shop", "input": {"description": "as it says"}}),
            json!([{"at": ["input", "command"], "by": {"words": {"begin": ["cargo", "build"]}}}]),
            "matcher",
        ),
    ] {
        let written = json!({"like": {"tool": "Bash", "like": like, "varies": varies}});
        let matcher: Matcher = serde_json::from_value(written.clone()).unwrap();
        let faults = matcher.check(&asked).unwrap_err();
        assert!(
            faults.iter().any(|fault| fault.path == path),
            "{written}: {faults:?}"
        );
    }
    for unreadable in [
        json!({"everything": {}}),
        json!({"like": {"tool": "Bash", "like": {}, "varies": [], "more": 1}}),
        json!({"like": {"tool": "Bash", "like": {}, "varies": [{"at": ["a"], "by": {"regex": ".*"}}]}}),
        json!({"exactly": {"tool": "Bash"}}),
    ] {
        assert!(
            serde_json::from_value::<Matcher>(unreadable.clone()).is_err(),
            "{unreadable}"
        );
    }
}

#[test]
fn a_matcher_that_was_stored_is_held_to_the_rules_of_today() {
    let written =
        json!({"like": {"tool": "Bash", "like": {}, "varies": [{"at": ["command"], "by": "any"}]}});
    let matcher: Matcher = serde_json::from_value(written).unwrap();
    assert!(!matcher.matches(&action("Bash", json!({"command": "ls"}))));
}

#[test]
fn a_matcher_comes_back_as_it_was_written() {
    for asked in [
        bash("cargo test -p x"),
        write("/srv/shop/src/a"),
        fetch("https://a.example/x"),
    ] {
        for matcher in propose(&asked) {
            let text = serde_json::to_string(&matcher).unwrap();
            let read: Matcher = serde_json::from_str(&text).unwrap();
            assert_eq!(read, matcher);
            assert_eq!(read.digest().unwrap(), matcher.digest().unwrap());
        }
    }
}

proptest! {
    /// Whatever a shell could read otherwise reaches a person.
    #[test]
    fn no_text_with_a_character_of_a_shell_is_covered(
        before in "[a-z ./-]{0,12}", bad in r#"[;|&$()`><\n\r\t\\*?{}~!#^%\[\]]"#, after in ".{0,12}", quote in "['\"]?",
    ) {
        let words = proposed(&bash("cargo test -p store"), "`cargo test`");
        let command = format!("cargo test {quote}{before}{bad}{after}{quote}");
        prop_assert!(!words.matches(&bash(&command)), "{:?}", command);
    }

    #[test]
    fn what_is_covered_has_plain_words_alone(after in ".{0,40}") {
        let words = proposed(&bash("cargo test -p store"), "`cargo test`");
        let command = format!("cargo test {after}");
        if words.matches(&bash(&command)) {
            let plain = |c: char| c.is_ascii_alphanumeric() || " '\"_-./:,".contains(c);
            prop_assert!(command.chars().all(plain), "{:?}", command);
            prop_assert!(!command.contains(".."), "{:?}", command);
        }
    }

    #[test]
    fn no_path_that_leads_up_is_covered(parts in proptest::collection::vec("[a-z]{1,3}|\\.\\.|\\.|\\.[a-z]{1,3}|", 1..6)) {
        let below = proposed(&write("/srv/shop/src/lib.rs"), "below `/srv/shop/src/`");
        let path = format!("/srv/shop/src/{}", parts.join("/"));
        let is_plain = parts.iter().all(|part| !part.is_empty() && !part.starts_with('.'));
        prop_assert_eq!(below.matches(&write(&path)), is_plain, "{}", path);
    }

    #[test]
    fn any_path_that_is_covered_is_below(path in "/?(srv|shop|src|etc|[ -~]{0,4})(/(srv|shop|src|\\.\\.|[ -~]{0,4})){0,6}") {
        let below = proposed(&write("/srv/shop/src/lib.rs"), "below `/srv/shop/src/`");
        if below.matches(&write(&path)) {
            prop_assert!(path.starts_with("/srv/shop/src/") && !path.contains("/."), "{}", path);
        }
    }

    #[test]
    fn no_address_with_more_before_its_path_is_covered(more in "[ -.0-~]{1,12}") {
        let host = proposed(&fetch("https://a.example/x"), "`https://a.example/`");
        let url = format!("https://a.example{more}/");
        prop_assert!(!host.matches(&fetch(&url)), "{}", url);
    }

    /// Each offer covers what it is made from, and is in order.
    #[test]
    fn each_offer_fits_what_it_is_made_from(command in "[ -~]{0,60}", path in "(/[ -~]{0,6}){0,5}", url in "https://[ -~]{0,20}") {
        for asked in [bash(&command), write(&path), fetch(&url), action("t", json!({"command": command, "url": url}))] {
            let all = propose(&asked);
            prop_assert!(all.first().is_some_and(Matcher::is_exact));
            for matcher in all {
                prop_assert!(matcher.check(&asked).is_ok() && matcher.matches(&asked));
            }
        }
    }

    /// Another value anywhere beside the one that varies is another action.
    #[test]
    fn any_other_argument_is_another_action(name in "[a-z_]{1,12}", value in ".{0,8}") {
        prop_assume!(!["command", "description", "explanation", "limit", "offset", "timeout"].contains(&&*name));
        let words = proposed(&bash("cargo test"), "`cargo test`");
        let mut asked = bash("cargo test");
        asked.arguments.0["input"][&name] = value.into();
        prop_assert!(!words.matches(&asked));
    }
}
