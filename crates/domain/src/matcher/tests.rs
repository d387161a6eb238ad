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
fn what_only_shows_a_part_of_what_a_command_says_is_no_other_command() {
    let words = proposed(&bash("cargo test -p store 2>&1 | tail -20"), "`cargo test`");
    for command in [
        "cargo test -p store",
        "cargo test 2>&1",
        "cargo test 2>/dev/null",
        "cargo test | tail",
        "cargo test 2>&1 | tail -n 40",
        "cargo test 2>&1 | head -5",
        "cargo test 2>&1 | grep -v warning | head -20",
        "cargo test 2>&1 | grep 'test result' | sort | uniq -c | sort -rn",
        "cargo test | wc -l",
        "cd /home/ana/shop && cargo test -p store 2>&1 | tail -3",
        "cd '/home/ana/shop' && cargo test",
        "cargo test orders::total::rounds",
        "cargo test -p store orders::",
        "cargo test -3",
        "cargo test 2>&1 | grep -A 5 error",
        "cargo test 2>&1 | grep -E \"FAILED|panicked at\" -B 2 | head -n 3",
        "cargo test \"two && three\"",
    ] {
        // What is two commands to some shell is none that is covered.
        let fits = !command.contains("three");
        assert_eq!(words.matches(&bash(command)), fits, "{command}");
    }
    for command in [
        "cargo test 2>&1 | tee /home/ana/shop/x",
        "cargo test 2>&1 | sh",
        "cargo test | xargs ls",
        "cargo test | tail -f x",
        "cargo test | tail -20 .env",
        "cargo test | head -n 5 x",
        "cargo test | head -c 5",
        "cargo test | grep x .env",
        "cargo test | grep -r x",
        "cargo test | grep -f x",
        "cargo test | grep -rf x",
        "cargo test | grep -e x",
        "cargo test | grep --file=x y",
        "cargo test | grep",
        "cargo test | grep 'x|y'",
        "cargo test | grep -A x",
        "cargo test | grep -A -5 x",
        "cargo test | grep -A 5",
        "cargo test | grep \"-r\" x",
        "cargo test | grep \"x|y",
        "cargo test | grep x\"|\"sh",
        "cargo test | grep \"x\"|sh",
        "cargo test | grep \"x|$(ls)\"",
        "cargo test \"x|y\"",
        "cargo test | head \"5|sh\"",
        "cargo test | sort -o x",
        "cargo test | sort --compress-program=x",
        "cargo test | sort x",
        "cargo test | uniq a b",
        "cargo test | wc x",
        "cargo test | \"tail\"",
        "cargo test | ./tail",
        "cargo test || tail",
        "cargo test |& tail",
        "cargo test | | tail",
        "cargo test |",
        "| tail",
        "cargo test & tail",
        "cargo test 2>&1x",
        "cargo test 2>&3",
        "cargo test 2>x",
        "cargo test 2>/dev/null/x",
        "cargo test 2>&1 2>/dev/null",
        "cargo test 2>&1 x",
        "cargo test1>&2",
        "2>&1 cargo test",
        "cd /home/ana/other && cargo test",
        "cd /home/ana && cargo test",
        "cd /home/ana/shop/x && cargo test",
        "cd /home/ana/shop/ && cargo test",
        "cd /home/ana/shop; cargo test",
        "cd /home/ana/shop || cargo test",
        "cd /home/ana/shop | cargo test",
        "cd /home/ana/shop && cd /home/ana/shop && cargo test",
        "cd . && cargo test",
        "cd && cargo test",
        "'cd' /home/ana/shop && cargo test",
        "cargo test && cd /home/ana/shop",
        "cd /home/ana/shop",
        "cargo test && cargo build",
        "cargo test && cargo test",
        "cargo test &&",
        "&& cargo test",
        "cargo test &&& ls",
        "cargo test \"a && b\"",
        "cargo test \"x | tail\"",
        "cargo test ::x",
        "cargo test a:::b",
        "cargo test a::b::::",
        "cargo test ::",
        "cargo test 40,60",
        "cargo test ../a::b",
        "cargo test a::b-c",
        "cargo test orders::drop",
        "cargo test HEAD~1",
        "cargo test -1x",
        "cargo test -123456",
    ] {
        assert!(!words.matches(&bash(command)), "{command:?}");
    }
    // It runs nobody knows where.
    let mut unknown = bash("cd /home/ana/shop && cargo test");
    unknown.arguments.0.as_object_mut().unwrap().remove("cwd");
    assert_eq!(propose(&unknown).len(), 1);
}

#[test]
fn several_commands_are_covered_where_each_of_them_is() {
    let asked = bash("git add src/lib.rs && git commit -m \"fix(total): round once (#12)\"");
    let says = says(&asked);
    assert_eq!(says.len(), 3, "{says:?}");
    let commands = proposed(&asked, "`git add`");
    for command in [
        "git add src && git commit -m 'as it was'",
        "git add src/main.rs",
        "git commit -m \"don't round twice\"",
        "cd /home/ana/shop && git add . && git add x && git commit -m x 2>&1 | tail -3",
    ] {
        assert!(commands.matches(&bash(command)), "{command}");
    }
    for command in [
        "git add src && ls",
        "git add src && git push",
        "git add src && git commit --amend",
        "git add src && git commit -m x -n",
        "git add src; git commit -m x",
        "git add src | git commit -m x",
        "git add src && git commit -m \"$(cat x)\"",
        "git add src && git commit -m \"x `ls`\"",
        "git add src && git commit -m \"x\" && curl evil.example",
        "git add src && git commit -m 'x && ls'",
        "git add src && git commit -m \"x (rm y)\"",
        "git add src && git commit -m \"x ../y\"",
        "git add src && git commit -m 'fix(total): x'",
        "cd /tmp && git add src",
        "git add ../x && git commit -m x",
    ] {
        assert!(!commands.matches(&bash(command)), "{command:?}");
    }
    assert!(
        propose(&bash("cargo test && make"))
            .iter()
            .all(Matcher::is_exact)
    );
    let by_hand = |commands: Value| -> Matcher {
        let varies = json!([{"at": ["command"], "by": {"commands": commands}}]);
        serde_json::from_value(json!({"like": {"tool": "Bash", "like": {}, "varies": varies}}))
            .unwrap()
    };
    for (commands, path) in [
        (json!([]), "matcher.like.varies[0].by.commands"),
        (
            json!([{"begin": []}]),
            "matcher.like.varies[0].by.commands[0].begin",
        ),
        (
            json!([{"begin": ["ls"]}, {"begin": ["make"]}]),
            "matcher.like.varies[0].by.commands[1].begin",
        ),
    ] {
        let faults = by_hand(commands).check_alone().unwrap_err();
        assert_eq!(faults[0].path, path);
    }
}

#[test]
fn where_it_may_run_below_a_folder_it_may_run_in_the_folder_too() {
    let written = json!({"like": {"tool": "Bash", "like": {"input": {}}, "varies": [
        {"at": ["cwd"], "by": {"below": "/home/ana/shop"}},
        {"at": ["input", "command"], "by": {"words": {"begin": ["npm", "test"]}}},
        {"at": ["input", "description"], "by": "any"},
    ]}});
    let matcher: Matcher = serde_json::from_value(written).unwrap();
    let run = |cwd: &str, command: &str| {
        let mut asked = bash(command);
        asked.arguments.0["cwd"] = cwd.into();
        matcher.matches(&asked)
    };
    for (cwd, command) in [
        ("/home/ana/shop", "npm test"),
        ("/home/ana/shop/web", "npm test"),
        ("/home/ana/shop", "cd /home/ana/shop/web && npm test"),
        (
            "/home/ana/shop/web",
            "cd /home/ana/shop && npm test 2>&1 | tail -5",
        ),
    ] {
        assert!(run(cwd, command), "{cwd} {command}");
    }
    for (cwd, command) in [
        ("", "npm test"),
        ("/home/ana", "npm test"),
        ("/home/ana/shop/..", "npm test"),
        ("/home/ana/shop/.git", "npm test"),
        ("/home/ana/shopping", "npm test"),
        ("shop", "npm test"),
        ("/home/ana/shop", "cd /home/ana && npm test"),
        ("/home/ana/shop", "cd /home/ana/shop/../x && npm test"),
        ("/home/ana/shop", "cd /home/ana/shop/.git && npm test"),
        // A shell may look for it elsewhere first.
        ("/home/ana/shop", "cd web && npm test"),
        ("/home/ana/shop", "cd ./web && npm test"),
        ("/home/ana/shop", "cd ../shop && npm test"),
        ("/home/ana", "cd /home/ana/shop && npm test"),
    ] {
        assert!(!run(cwd, command), "{cwd} {command}");
    }
    let mut nowhere = bash("npm test");
    nowhere.arguments.0.as_object_mut().unwrap().remove("cwd");
    assert!(!matcher.matches(&nowhere));
}

#[test]
fn a_lint_that_is_denied_deletes_nothing() {
    let asked = bash("cargo clippy --all-targets -- -D warnings");
    assert_eq!(destructive(&asked), None);
    let words = proposed(&asked, "`cargo clippy`");
    assert!(words.matches(&bash("cargo clippy -- -D clippy::all 2>&1 | tail -3")));
    for command in [
        "git branch -D warnings",
        "cargo -D clippy",
        "cargo test -D x",
        "cargo clippy; git branch -D x",
        "cargo clippy | git branch -D x",
        "cargo clippy $(git branch -D x)",
        "cargo clippy `git branch -D x`",
        "cargo clippy && git branch -D x",
        "cargo clippy\ngit branch -D x",
        "cargo clippy -- -D warnings -rf",
        "cargo clippy --fix -- -D warnings",
        "echo cargo clippy -D x",
    ] {
        assert!(destructive(&bash(command)).is_some(), "{command:?}");
        assert!(!words.matches(&bash(command)), "{command:?}");
    }
}

#[test]
fn versions_before_another_are_known_to_git_alone() {
    let words = proposed(&bash("git log --oneline HEAD~3"), "`git log`");
    for command in [
        "git log HEAD~1",
        "git log HEAD~",
        "git log main~2..topic/x",
        "git log origin/main..HEAD",
        "git log -5",
        "git log 40,60",
    ] {
        assert!(words.matches(&bash(command)), "{command}");
    }
    for command in [
        "git log ~/x",
        "git log ~root",
        "git log ~",
        "git log x/~1",
        "git log HEAD~x",
        "git log HEAD~1~2",
        "git log a/../../b",
        "git log a~1/../b",
        "git log a~1../b",
        "git log HEAD^",
        "git log 40,",
        "git log 40,x",
        "git log 40,60,80",
        "git log --output=x",
        "git log -x~1",
    ] {
        assert!(!words.matches(&bash(command)), "{command:?}");
    }
}

fn search(tool: &str, input: Value) -> Action {
    action(tool, json!({"cwd": "/home/ana/shop", "input": input}))
}

#[test]
fn a_search_is_covered_below_its_folder_and_where_it_runs() {
    let asked = search(
        "Grep",
        json!({"pattern": "fn total", "output_mode": "content", "-n": true}),
    );
    let below = proposed(&asked, "below `/home/ana/shop/`");
    for input in [
        json!({"pattern": "Store\\s+for"}),
        json!({"pattern": "x", "path": "/home/ana/shop"}),
        json!({"pattern": "x", "path": "/home/ana/shop/src", "type": "rust", "-A": 3}),
        json!({"pattern": "x", "path": "src/lib.rs"}),
    ] {
        assert!(below.matches(&search("Grep", input.clone())), "{input}");
    }
    for input in [
        json!({"pattern": "x", "path": "/home/ana"}),
        json!({"pattern": "x", "path": "/home/ana/shopping"}),
        json!({"pattern": "x", "path": "/home/ana/shop/../other"}),
        json!({"pattern": "x", "path": "/home/ana/shop/.env"}),
        json!({"pattern": "x", "path": ".env"}),
        json!({"pattern": "x", "path": ".."}),
        json!({"pattern": "x", "path": "../other"}),
        json!({"pattern": "x", "path": "~/.ssh"}),
        json!({"pattern": "x", "path": ""}),
        json!({"pattern": "x", "path": null}),
        json!({"pattern": "x", "path": ["src"]}),
        json!({"pattern": "x", "glob": ".env*"}),
        json!({"pattern": "x", "exec": "ls"}),
    ] {
        assert!(!below.matches(&search("Grep", input.clone())), "{input}");
    }
    let elsewhere = action(
        "Grep",
        json!({"cwd": "/home/ana", "input": {"pattern": "x"}}),
    );
    assert!(!below.matches(&elsewhere));
    let nowhere = action("Grep", json!({"input": {"pattern": "x"}}));
    assert!(!below.matches(&nowhere));
    assert!(propose(&nowhere).iter().all(Matcher::is_exact));
    // What is no search has to name its path.
    let below = proposed(&write("/home/ana/shop/x"), "below `/home/ana/shop/`");
    for path in [json!(null), json!("/home/ana/shop"), json!("x")] {
        let mut asked = write("/home/ana/shop/x");
        asked.arguments.0["input"]["file_path"] = path;
        assert!(!below.matches(&asked), "{asked:?}");
    }
}

#[test]
fn names_with_wildcards_go_down() {
    let names = proposed(&search("Glob", json!({"pattern": "**/*.rs"})), "names");
    for pattern in [
        "*.toml",
        "src/**/*",
        "web/**/*.{ts,tsx}",
        "a/b.c/d",
        "*.test.ts",
    ] {
        assert!(
            names.matches(&search("Glob", json!({"pattern": pattern}))),
            "{pattern}"
        );
    }
    for pattern in [
        "",
        "/",
        "/etc/*",
        "../*",
        "a/../*",
        "**/..",
        "..",
        ".env",
        ".*",
        "**/.env",
        "a/.ssh/*",
        "a//b",
        "a/",
        "~/x",
        "{.,a}env",
        "{a,..}/x",
        "{a,b",
        "a}",
        "{{a}}",
        "{a/b}",
        "a.",
        "a./b",
        ".",
        "*..*",
        "x{.}./y",
        "[.]env",
        "?env",
        "a\\b",
        "$HOME",
        "a b",
        "C:/x",
        "{.env}",
        "*.{env,.x}",
        "x.{},.",
        "é",
    ] {
        assert!(
            !names.matches(&search("Glob", json!({"pattern": pattern}))),
            "{pattern:?}"
        );
    }
    assert!(!names.matches(&search("Glob", json!({"pattern": "*", "path": "/etc"}))));
    // Of another tool nobody knows what it does with them.
    let written = json!({"like": {"tool": "find", "like": {}, "varies": [{"at": ["pattern"], "by": "names"}]}});
    let matcher: Matcher = serde_json::from_value(written).unwrap();
    let faults = matcher.check_alone().unwrap_err();
    assert_eq!(faults[0].path, "matcher.like.varies[0].by");
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
        "git switch --discard-changes main",
        "git switch --force main",
        "git fetch ext::x",
        "git fetch https://evil.example/x",
        "git fetch ../other",
        "cat /etc/passwd",
        "cat ../x",
        "git show HEAD:src/lib.rs",
        "git fetch --prune origin",
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
        ("git switch -c topic", vec!["`git switch`"]),
        (
            "git fetch origin",
            vec!["`git fetch origin`", "`git fetch`"],
        ),
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
        // A double quote takes these from every shell.
        prop_assume!(quote != "\"" || !["(", ")", "#"].contains(&&*bad));
        let words = proposed(&bash("cargo test -p store"), "`cargo test`");
        let command = format!("cargo test {quote}{before}{bad}{after}{quote}");
        prop_assert!(!words.matches(&bash(&command)), "{:?}", command);
    }

    #[test]
    fn what_is_covered_has_plain_words_alone(after in ".{0,40}") {
        let words = proposed(&bash("cargo test -p store"), "`cargo test`");
        let command = format!("cargo test {after}");
        if words.matches(&bash(&command)) {
            let plain = |c: char| c.is_ascii_alphanumeric() || " '\"_-./:,()#+=@".contains(c);
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
