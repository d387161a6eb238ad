//! What an admin needs to take a policy back. No rule forbids that to everybody: whoever wrote it would stand before a closed
//! door.

use serde_json::json;

use super::{Holds, PolicyRule, Question};
use crate::{
    interaction::{Action, Then},
    json::AnyJson,
};

/// The commands by which an admin gets back in, and takes rules back.
const COMMANDS: &[&str] = &[
    "handraise policy clear",
    "handraise policy set policies.toml",
    "handraise user invite --name Ana --role admin",
    "handraise user list",
    "handraise doctor",
    "handraise serve",
    "systemctl reload handraise",
];
/// The tools that run commands, and how they name them.
const SHELLS: &[(&str, &str)] = &[
    ("Bash", "command"),
    ("bash", "command"),
    ("shell", "command"),
    ("run_shell_command", "command"),
    ("exec", "cmd"),
];

/// The command that this rule forbids to every agent, if it is one that an admin needs.
pub(super) fn forbidden_by(rule: &PolicyRule) -> Option<&'static str> {
    let is_for_all = rule.agents.is_empty() && rule.teams.is_empty();
    if rule.then != Some(Then::Forbid) || !is_for_all {
        return None;
    }
    let forbids = |command: &str| {
        SHELLS.iter().any(|(tool, name)| {
            let flat = json!({*name: command});
            // As the hook wraps a call.
            let wrapped = json!({"cwd": "/srv/handraise", "input": {*name: command}});
            [flat, wrapped].into_iter().any(|arguments| {
                let action = Action {
                    tool: (*tool).to_owned(),
                    arguments: AnyJson(arguments),
                    operands: Vec::new(),
                    attachments: Vec::new(),
                };
                let asked = Question {
                    agent: "",
                    team: None,
                    action: &action,
                };
                rule.holds(&asked) == Holds::Yes
            })
        })
    };
    COMMANDS.iter().copied().find(|command| forbids(command))
}
