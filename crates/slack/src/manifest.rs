//! The app's manifest: a person makes the Slack app from it.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// The rights of the bot. It does not ask for `chat:write.public`: it would post where it cannot
/// hear.
pub const SCOPES: [&str; 11] = [
    "chat:write",
    "files:write",
    "commands",
    "channels:history",
    "groups:history",
    "im:history",
    "mpim:history",
    "channels:read",
    "groups:read",
    "users:read",
    "metadata.message:read",
];

/// The events it hears of.
const EVENTS: [&str; 7] = [
    "message.channels",
    "message.groups",
    "message.im",
    "message.mpim",
    "app_home_opened",
    "app_uninstalled",
    "tokens_revoked",
];

/// Where Slack sends clicks and views.
pub const INTERACTIVITY: &str = "/slack/interactivity";
/// Where Slack sends events.
pub const EVENT_REQUESTS: &str = "/slack/events";
/// Where Slack sends commands.
pub const COMMANDS: &str = "/slack/commands";
/// The command that people type.
pub const COMMAND: &str = "/handraise";

/// The manifest in YAML: for Socket Mode, or for requests to this address.
pub fn manifest(requests_to: Option<&str>) -> String {
    let address = |key: &str, path: &str| {
        let base = requests_to.map(|base| base.trim_end_matches('/'));
        base.map_or_else(String::new, |base| format!("{key}: \"{base}{path}\"\n"))
    };
    let request_url = |path: &str| address("    request_url", path);
    let command_url = address("      url", COMMANDS);
    let list = |items: &[&str]| {
        items
            .iter()
            .map(|item| format!("      - {item}\n"))
            .collect::<String>()
    };
    format!(
        "_metadata:
  major_version: 1
  minor_version: 1
display_information:
  name: Handraise
  description: Human answers for AI agents
features:
  bot_user:
    display_name: handraise
    always_online: true
  app_home:
    home_tab_enabled: true
    messages_tab_enabled: true
    messages_tab_read_only_enabled: false
  slash_commands:
    - command: {COMMAND}
      description: Questions that wait for you
      usage_hint: \"[search WORDS | duty | help]\"
      should_escape: false
{}oauth_config:
  scopes:
    bot:
{}settings:
  interactivity:
    is_enabled: true
{}  event_subscriptions:
{}    bot_events:
{}  org_deploy_enabled: false
  socket_mode_enabled: {}
  token_rotation_enabled: false
",
        command_url,
        list(&SCOPES),
        request_url(INTERACTIVITY),
        request_url(EVENT_REQUESTS),
        list(&EVENTS),
        requests_to.is_none(),
    )
}

/// An address that opens Slack with the app ready to be made.
pub fn link(manifest: &str) -> String {
    let manifest = utf8_percent_encode(manifest, NON_ALPHANUMERIC);
    format!("https://api.slack.com/apps?new_app=1&manifest_yaml={manifest}")
}
