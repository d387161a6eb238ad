//! What the tests stand on: servers, those who talk to them, and what stands in for the world outside. Nothing here is a
//! test; tests take from here, and never from each other.

pub(crate) mod acp;
pub(crate) mod app;
pub(crate) mod browser;
pub(crate) mod caller;
pub(crate) mod carriers;
pub(crate) mod corpus;
pub(crate) mod device;
pub(crate) mod evidence;
pub(crate) mod fake_provider;
pub(crate) mod fake_slack;
pub(crate) mod hooks;
pub(crate) mod html;
pub(crate) mod killing;
pub(crate) mod liar;
pub(crate) mod mail_server;
pub(crate) mod mcp;
pub(crate) mod node;
pub(crate) mod openapi;
pub(crate) mod pages;
pub(crate) mod people;
pub(crate) mod program;
pub(crate) mod push;
pub(crate) mod python;
pub(crate) mod reaching;
pub(crate) mod receiver;
pub(crate) mod scripted_model;
pub(crate) mod second_step;
pub(crate) mod slack_cards;
pub(crate) mod slack_desk;
pub(crate) mod slack_homes;
pub(crate) mod slack_inbound;
pub(crate) mod socket;
pub(crate) mod substitute;
pub(crate) mod teams;
pub(crate) mod terminal;
