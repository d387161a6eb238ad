//! The whole server over real sockets, on both databases.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

mod answering;
mod ask_command;
mod asking;
mod bounds;
mod callbacks;
mod checkpoints;
mod cli;
mod configuring;
mod connections;
mod crash;
mod deadlines;
mod deliveries;
mod delivery_page;
mod doors;
mod duty;
mod erasing;
mod events;
mod hook_command;
mod hooks;
mod hostile_text;
mod html;
mod journal;
mod kept_apart;
mod kinds;
mod limits;
mod lists;
mod live;
mod logs;
mod mcp;
mod mcp_bridge;
mod mcp_clients;
mod mcp_conformance;
mod mcp_permission;
mod mcp_tasks;
mod metrics;
mod openapi;
mod outbound_pages;
mod owners;
mod pages;
mod passkeys;
mod polling;
mod problems;
mod proof;
mod provider_doors;
mod provider_teams;
mod providers;
mod quick;
mod readme;
mod rebinding;
mod receipts;
mod runs;
mod schemathesis;
mod second_factor;
mod sessions;
mod sign_in;
mod slack_actions;
mod slack_answers;
mod slack_calls;
mod slack_clients;
mod slack_erasing;
mod slack_fake;
mod slack_forms;
mod slack_identities;
mod slack_inbound;
mod slack_link_page;
mod slack_models;
mod slack_pace;
mod slack_pages;
mod slack_posting;
mod slack_recovery;
mod slack_replies;
mod slack_setup;
mod slack_socket;
mod slack_teams;
mod slack_trouble;
mod support;
mod tasks;
mod team_pages;
mod teams;
mod watch_command;
