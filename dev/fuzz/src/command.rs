//! Two commands of a shell with a zero between them: the first was approved ahead, the second wants to run under that.

use domain::{
    interaction::Action,
    json::AnyJson,
    matcher::{Matcher, destructive, propose},
};
use serde_json::json;

use crate::known::parts;

/// Signs by which a shell runs, writes or reads something else than the words say, also within double quotes.
const NEVER: [char; 5] = ['`', '$', '\\', '\n', '\r'];

/// A command that a standing approval covers has nothing in it that a shell could read in another way.
pub fn command(bytes: &[u8]) {
    let [approved, wanted] = parts(bytes).map(str::from_utf8);
    let (Ok(approved), Ok(wanted)) = (approved, wanted) else {
        return;
    };
    let [approved, wanted] = [approved, wanted].map(|command| Action {
        tool: "Bash".to_owned(),
        arguments: AnyJson(json!({"cwd": "/srv/app", "input": {"command": command}})),
        operands: Vec::new(),
        attachments: Vec::new(),
    });
    for matcher in propose(&approved) {
        if !matcher.matches(&wanted) {
            continue;
        }
        if matcher.is_exact() {
            assert_eq!(wanted, approved);
            continue;
        }
        assert_eq!(destructive(&wanted), None, "{matcher:?}");
        runs_nothing_else(
            &matcher,
            wanted.arguments.0["input"]["command"].as_str().unwrap(),
        );
    }
}

fn runs_nothing_else(matcher: &Matcher, command: &str) {
    let mut quote = None;
    for (at, c) in command.char_indices() {
        match quote {
            Some(open) if open == c => quote = None,
            Some('\'') => continue,
            Some(_) => {}
            None if c == '\'' || c == '"' => quote = Some(c),
            None => {
                let is_faults = [" 2>&1", " 2>/dev/null"].iter().any(|it| {
                    (0..it.len()).any(|back| {
                        at.checked_sub(back)
                            .and_then(|from| command.get(from..))
                            .is_some_and(|rest| rest.starts_with(it))
                    })
                });
                let is_home = c == '~' && !command[..at].ends_with(char::is_alphanumeric);
                let joins = ";<>(){}*?[]!#".contains(c) || is_home;
                assert!(!joins || is_faults, "{c:?} of {command:?} by {matcher:?}");
                let rest = &command[at..];
                let is_alone = c == '&' && !rest.starts_with("&&") && !command[..at].ends_with('&');
                assert!(!is_alone || is_faults, "{command:?} by {matcher:?}");
            }
        }
        assert!(!NEVER.contains(&c), "{c:?} of {command:?} by {matcher:?}");
        assert!(
            !visible::is_hidden(c),
            "{c:?} of {command:?} by {matcher:?}"
        );
    }
    assert_eq!(quote, None, "{command:?} by {matcher:?}");
}
