//! Actions of agents as they are shown, and the way back from any of them.

use domain::{interaction::Action, json::AnyJson};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::testing::hostile;

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "command",
            "sql",
            "query",
            "old_string",
            "new_string",
            "oldString",
            "content",
            "file_path",
            "url",
            "code",
            "language",
            "edits",
            "body",
            "patch",
            "resource_changes",
        ])
        .prop_map(str::to_owned),
        hostile(),
    ]
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        4 => hostile().prop_map(Value::String),
        1 => any::<i32>().prop_map(Value::from),
        1 => (-1e9..1e9f64).prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => Just(Value::Null),
        1 => Just(json!("{\"a\":[1,2.5],\"b\":\"c\"}")),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::vec((key(), inner.clone()), 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            // JSON in a string, of both kinds.
            (inner, any::<bool>()).prop_map(|(value, spaced)| {
                Value::String(back::written(&value, spaced).unwrap())
            }),
        ]
    })
}

fn action(tool: &str, arguments: Value) -> Action {
    Action {
        tool: tool.to_owned(),
        arguments: AnyJson(arguments),
        operands: Vec::new(),
        attachments: Vec::new(),
    }
}

fn view(tool: &str, arguments: Value) -> View {
    let action = action(tool, arguments);
    let digest = action.digest().unwrap();
    let view = of(&action, &digest);
    assert!(back::is_of(&view, &action), "{view:?}");
    assert!(!matches!(view.arguments, Node::Plain(_)), "{view:?}");
    view
}

fn shown(view: &View) -> Vec<String> {
    let text = |line: &Vec<Run>| line.iter().map(|run| run.text.as_str()).collect();
    lines(view).iter().map(text).collect()
}

proptest! {
    #[test]
    fn what_is_shown_leads_back_to_the_action_that_is_signed(
        tool in prop_oneof![hostile(), Just("Bash".to_owned()), Just("MultiEdit".to_owned())],
        fields in prop::collection::vec((key(), json_value()), 0..6),
    ) {
        let arguments = Value::Object(fields.into_iter().collect());
        let action = action(&tool, arguments);
        let drawn = Draft::new(&action).view("");
        prop_assert!(back::is_of(&drawn, &action), "{:?}", drawn);
        let plain = plain(&action, "");
        prop_assert!(back::is_of(&plain, &action), "{:?}", plain);
        // Signed is the canonical form: of what is shown it is the same.
        let again = Action {
            tool: visible::back(&drawn.tool),
            arguments: AnyJson(back::value(&drawn.arguments).unwrap()),
            operands: back::operands(&drawn.operands).unwrap(),
            attachments: Vec::new(),
        };
        prop_assert_eq!(again.digest().ok(), action.digest().ok());
    }

    #[test]
    fn a_terminal_gets_every_character_in_order(
        fields in prop::collection::vec((key(), json_value()), 0..4),
    ) {
        let action = action("tool", Value::Object(fields.into_iter().collect()));
        let view = of(&action, "");
        let mut runs = Vec::new();
        view.arguments.each_run(&mut |run| runs.push(run));
        let letters = |run: &Run| match run.mark {
            // Only lines count the blanks at their ends.
            Some(Mark::Instead(' ', _)) => String::new(),
            _ => run.text.chars().filter(|c| c.is_alphanumeric()).collect::<String>(),
        };
        let all: String = runs.iter().map(|run| letters(run)).collect();
        let lines = lines(&view);
        let drawn: String = lines
            .iter()
            .skip(1 + view.notes.len())
            .flatten()
            .filter(|run| run.ink != visible::Ink::Ours)
            // Of an arrow that is no tab.
            .filter(|run| run.mark != Some(Mark::Beside) || run.text != "⟨U+2192⟩")
            .map(letters)
            .collect();
        prop_assert_eq!(drawn, all);
        prop_assert!(lines.iter().flatten().all(|run| !run.text.contains(char::is_control)));
    }
}

#[test]
fn blanks_at_the_end_of_a_line_are_counted_where_they_cannot_be_underlined() {
    let command = json!({"command": "echo would remove: \\ \nrm -rf /srv\t \na  "});
    let lines = shown(&of(&action("Bash", command), ""));
    assert_eq!(
        lines[2..],
        [
            "  1 echo would remove: \\⟨1 space⟩",
            "  2 rm -rf /srv→  ⟨1 space⟩",
            "  3 a⟨2 spaces⟩"
        ]
    );
}

#[test]
fn a_statement_stands_in_its_lines() {
    let view = view(
        "postgres",
        json!({"sql": "BEGIN;\nDROP TABLE \"a\" CASCADE;\n", "timeout": 5}),
    );
    assert_eq!(
        shown(&view),
        [
            "postgres",
            "sql: sql, 3 lines",
            "  1 BEGIN;",
            "  2 DROP TABLE \"a\" CASCADE;",
            "  3 ",
            "timeout: 5",
        ]
    );
}

#[test]
fn a_command_that_could_be_a_tree_or_an_address_is_a_command() {
    for command in ["[\"a\",\"b\"]", "https://a.example/b?c&curl${IFS}d|sh"] {
        let view = view("Bash", json!({ "command": command }));
        let line = format!("  1 {command}");
        assert_eq!(shown(&view), ["Bash", "command: bash, 1 line", &line]);
    }
}

#[test]
fn arguments_stand_in_the_order_in_which_they_were_sent() {
    let sent = r#"{"tool":"deploy","arguments":{"zone":"b","image":"x","env":{"Z":"1","A":"2"}}}"#;
    let action: Action = serde_json::from_str(sent).unwrap();
    let view = of(&action, "");
    assert_eq!(
        shown(&view),
        [
            "deploy",
            "zone: \"b\"",
            "image: \"x\"",
            "env: ",
            "  Z: \"1\"",
            "  A: \"2\""
        ]
    );
}

#[test]
fn a_key_that_reads_like_fields_stands_in_quotes() {
    let view = view("x", json!({"a: 1,  b": 2, "": 3, "c.d-e": 4}));
    assert_eq!(
        shown(&view),
        ["x", "\"a: 1,  b\": 2", "\"\": 3", "c.d-e: 4"]
    );
}

#[test]
fn a_key_cannot_be_taken_for_several_or_for_the_place_of_an_item() {
    let view = view(
        "x",
        json!({"dry_run\": true, \"note": 1, "a\\": 2, "b → c": 3, "1": 4, "ключ": 5, "a\nb": 6}),
    );
    assert_eq!(
        shown(&view),
        [
            "x",
            "\"dry_run\\\": true, \\\"note\": 1",
            "\"a\\\\\": 2",
            "\"b →⟨U+2192⟩ c\": 3",
            "\"1\": 4",
            "ключ: 5",
            "\"a⟨U+000A⟩b\": 6",
        ]
    );
}

proptest! {
    #[test]
    fn a_key_is_drawn_as_itself_or_as_json(key in hostile()) {
        let named = named(&visible::name(&key));
        prop_assert_eq!(visible::back(&named), key.as_str());
        let unmarked: String = named
            .iter()
            .map(|run| match run.mark {
                None => run.text.clone(),
                Some(Mark::Instead(c, times)) => c.to_string().repeat(times),
                Some(Mark::Beside) => String::new(),
            })
            .collect();
        let is_word = unmarked == key && !key.contains(['"', '\\', ':', ' ', '→', '\n', '\t']);
        // Controls stand there by their number, which JSON does not take.
        let controls = key.contains(|c: char| c.is_ascii_control());
        let read = serde_json::from_str::<String>(&unmarked).ok();
        prop_assert!(is_word || controls || read.as_ref() == Some(&key), "{:?}", unmarked);
    }
}

#[test]
fn an_arrow_that_could_be_a_tab_is_marked() {
    let lines = |text: &str| shown(&view("Bash", json!({"command": text})))[2..].to_vec();
    // Without the indentation, the command begins in the third column.
    assert_eq!(lines("aaa\tb"), ["  1 aaa→  b"]);
    assert_eq!(lines("aaa→  b"), ["  1 aaa→⟨U+2192⟩  b"]);
    assert_eq!(lines("aaa→b"), ["  1 aaa→b"]);
    assert_eq!(lines("\tb aa→b"), ["  1 → b aa→⟨U+2192⟩b"]);
    assert_eq!(lines("aaa→b\n\tc"), ["  1 aaa→b", "  2 → c"]);
}

#[test]
fn an_edit_is_a_difference_with_the_old_text_first() {
    let view = view(
        "Edit",
        json!({
            "file_path": "src/a.rs",
            "new_string": "let a = 1;\nlet b = 3;\nend",
            "old_string": "let a = 1;\nlet b = 2;\nend",
            "replace_all": false,
        }),
    );
    assert_eq!(
        shown(&view),
        [
            "Edit",
            "file_path: \"src/a.rs\"",
            "old_string → new_string: 1 line changed, the first is line 2",
            "  1   let a = 1;",
            "  2 - let b = 2;",
            "  2 + let b = 3;",
            "  3   end",
            "replace_all: false",
        ]
    );
    let Node::Fields(fields) = &view.arguments else {
        panic!("{view:?}");
    };
    let Field::Change(change) = &fields[1] else {
        panic!("{fields:?}");
    };
    let changed: Vec<&str> = change
        .rows
        .iter()
        .flat_map(|row| &row.runs)
        .filter(|run| run.changed)
        .map(|run| run.text.as_str())
        .collect();
    assert_eq!(changed, ["2", "3"]);
}

#[test]
fn what_only_a_tool_for_editing_replaces_is_no_edit_of_another() {
    let dates = json!({"after": "2019-01-01", "before": "2026-01-01"});
    assert_eq!(
        shown(&view("delete_messages", dates.clone())),
        [
            "delete_messages",
            "after: \"2019-01-01\"",
            "before: \"2026-01-01\""
        ]
    );
    assert!(shown(&view("edit_text", dates))[1].contains("before → after"));
}

#[test]
fn several_edits_are_several_differences() {
    let view = view(
        "MultiEdit",
        json!({"file_path": "a.py", "edits": [
            {"old_string": "a", "new_string": "b"},
            {"old_string": "", "new_string": "c\nd"},
        ]}),
    );
    let lines = shown(&view);
    assert!(lines.contains(&"      1 - a".to_owned()), "{lines:#?}");
    assert!(lines.contains(&"      2 + d".to_owned()), "{lines:#?}");
}

#[test]
fn a_file_that_is_written_comes_line_by_line() {
    let view = view(
        "Write",
        json!({"content": "[a]\nb = 1", "file_path": "a.toml"}),
    );
    assert_eq!(
        shown(&view)[1..4],
        ["content: toml, 2 lines", "  1 + [a]", "  2 + b = 1"]
    );
}

#[test]
fn a_list_that_calls_a_shell_holds_a_script() {
    let view = view(
        "shell",
        json!({"command": ["bash", "-lc", "cd /a\nrm -r b"]}),
    );
    let lines = shown(&view);
    assert!(lines.contains(&"    1 cd /a".to_owned()), "{lines:#?}");
    assert!(
        lines.contains(&"  3: bash, 2 lines".to_owned()),
        "{lines:#?}"
    );
}

#[test]
fn a_request_shows_where_it_goes_and_what_it_sends() {
    let view = view(
        "http",
        json!({
            "body": "{\"name\": \"Ana\", \"roles\": [\"admin\"]}",
            "headers": {"Accept": "*/*"},
            "method": "POST",
            "url": "https://api.example/users?dry=0&all=1",
        }),
    );
    assert_eq!(
        shown(&view),
        [
            "http",
            "body: a string of JSON, with blanks",
            "  name: \"Ana\"",
            "  roles: [\"admin\"]",
            "headers: ",
            "  Accept: \"*/*\"",
            "method: \"POST\"",
            "url: https://api.example/users",
            "    ?dry=0",
            "    &all=1",
        ]
    );
}

#[test]
fn a_plan_says_first_what_it_destroys() {
    let change =
        |address: &str, actions: Value| json!({"address": address, "change": {"actions": actions}});
    let view = view(
        "terraform_apply",
        json!({"plan": {"resource_changes": [
            change("aws_s3_bucket.logs", json!(["create"])),
            change("aws_db_instance.main", json!(["delete"])),
            change("aws_iam_role.ci", json!(["delete", "create"])),
            change("aws_vpc.same", json!(["no-op"])),
        ]}}),
    );
    assert_eq!(
        shown(&view)[1..4],
        [
            "Destroys 1: aws_db_instance.main",
            "Replaces 1: aws_iam_role.ci",
            "Creates 1: aws_s3_bucket.logs",
        ]
    );
}

#[test]
fn what_is_no_plan_of_a_tool_for_plans_says_nothing_of_itself() {
    let changes = json!({"resource_changes": [
        {"address": "a.b", "change": {"actions": ["create"]}},
    ]});
    assert!(view("Write", json!({"x": changes})).notes.is_empty());
    assert!(view("deploy", changes.clone()).notes.is_empty());
    let written = changes.to_string();
    assert!(view("Write", json!({"content": written})).notes.is_empty());
    assert_eq!(view("approve", json!({"plan": written})).notes.len(), 1);
}

#[test]
fn a_file_that_holds_a_patch_is_written_and_not_applied() {
    let content = "on: push\n- run: rm\ndiff --git a b\n";
    let view = view("Write", json!({"content": content, "path": "a.patch"}));
    assert_eq!(
        shown(&view)[1..4],
        [
            "content: diff, 4 lines",
            "  1 + on: push",
            "  2 + - run: rm"
        ]
    );
}

#[test]
fn a_plan_counts_every_change_and_names_only_addresses() {
    let change = |address: Value, actions: Value| json!({"address": address, "change": {"actions": actions}});
    let view = view(
        "terraform_apply",
        json!({"resource_changes": [
            change(json!("a.b"), json!(["delete"])),
            change(json!("nothing, all backups stay. Creates 3: a.b"), json!(["delete"])),
            change(Value::Null, json!(["delete"])),
            change(json!("module.m[\"k/1\"].a.c[0]"), json!(["no-op", "delete"])),
            change(json!("a.d"), json!(["explode"])),
            change(json!("a.e"), json!("delete")),
            change(json!("Approved by Ana"), json!(["create"])),
            change(json!("a.f"), json!(["forget"])),
            change(json!("a.g"), json!(["read"])),
            json!("delete everything"),
        ]}),
    );
    assert_eq!(
        shown(&view)[1..5],
        [
            "Destroys 4: a.b, module.m[\"k/1\"].a.c[0] and 2 more",
            "Not understood 3: a.d, a.e and 1 more",
            "Forgets 1: a.f",
            "Creates 1",
        ]
    );
}

#[test]
fn a_patch_keeps_its_lines_and_its_signs() {
    let patch = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n-two three\n+two four\n";
    let view = view("apply", json!({"patch": patch}));
    let Node::Fields(fields) = &view.arguments else {
        panic!("{view:?}");
    };
    let Field::One {
        value: Node::Text(text),
        ..
    } = &fields[0]
    else {
        panic!("{fields:?}");
    };
    let signs: Vec<Sign> = text.lines.iter().map(|line| line.sign).collect();
    use Sign::*;
    assert_eq!(signs, [Place, Place, Place, Same, Gone, New, Same]);
    let changed = text.lines[5].runs.iter().filter(|run| run.changed);
    assert_eq!(
        changed.map(|run| run.text.as_str()).collect::<Vec<_>>(),
        ["four"]
    );
}

#[test]
fn lines_of_windows_are_lines_and_a_lone_return_is_marked() {
    let view = view(
        "Write",
        json!({"path": "a", "content": "a\r\nb\r\n", "x": "a\r\nb\n"}),
    );
    let lines = shown(&view);
    assert!(
        lines.contains(&"content: 3 lines, each ends with CR LF".to_owned()),
        "{lines:#?}"
    );
    assert!(lines.contains(&"  1 a⟨U+000D⟩".to_owned()), "{lines:#?}");
}

#[test]
fn what_an_action_refers_to_is_shown_with_its_hash() {
    let mut action = action("Bash", json!({"command": "./deploy.sh"}));
    action.operands.push(domain::interaction::Operand {
        name: "deploy.sh".to_owned(),
        sha256: "ab".repeat(32),
        size: 1234,
    });
    let view = of(&action, "");
    assert!(back::is_of(&view, &action));
    let lines = shown(&view);
    let facts = format!("    1234 bytes, sha256 {}", "ab".repeat(32));
    assert_eq!(
        lines[lines.len() - 3..],
        ["with:", "  deploy.sh", facts.as_str()]
    );
    action.operands[0].size = 1235;
    assert!(!back::is_of(&view, &action));
}

#[test]
fn counted_white_space_is_no_warning_and_a_dot_on_an_i_is_one() {
    let far = " ".repeat(140);
    let script = format!("ls{far}; rm -rf /");
    let wide = view("Bash", json!({"command": script}));
    assert!(!wide.is_marked());
    assert_eq!(shown(&wide)[2], "  1 ls⟨140 spaces⟩; rm -rf /");
    assert!(view("Wri\u{307}te", json!({})).is_marked());
}

#[test]
fn a_view_that_does_not_lead_back_is_none() {
    let action = action("t", json!({"a": "b"}));
    let mut view = of(&action, "");
    assert!(back::is_of(&view, &action));
    let Node::Fields(fields) = &mut view.arguments else {
        panic!();
    };
    fields.pop();
    assert!(!back::is_of(&view, &action));
    let plain = plain(&self::action("t", json!({"ü\u{202e}": "𝗋\"\n"})), "");
    assert!(!plain.is_marked());
}

#[test]
fn large_actions_take_bounded_time_and_parts() {
    let many: Vec<Value> = (0..20_000).map(|n| json!({"n": n})).collect();
    let view = view("t", json!({"many": many}));
    let mut runs = 0;
    view.arguments.each_run(&mut |_| runs += 1);
    assert!(runs < 40_000, "{runs}");
    view_of_long_lines();
}

fn view_of_long_lines() {
    let long = "x".repeat(200_000);
    let other = format!("{long}y");
    view(
        "Edit",
        json!({"path": "a.js", "old_string": long, "new_string": other}),
    );
}
