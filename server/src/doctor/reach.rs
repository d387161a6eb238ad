//! Whether people can be reached away from the page.

use super::Report;
use crate::{
    config::Config,
    delivery::{mail::Mails, ntfy::Ntfy},
};

/// Looks at who takes messages.
pub(super) async fn examine(config: &Config, report: &mut Report) {
    let url = config.public_url();
    let is_local = [
        "http://localhost",
        "http://handraise.localhost",
        "http://127.0.0.1",
    ];
    match config.is_https() || is_local.iter().any(|start| url.starts_with(start)) {
        true => report.ok("reach", "browsers take notifications from public_url"),
        false => report.warning(
            "reach",
            "browsers take notifications only from a public_url with https://, so notifications reach no one",
        ),
    }
    examine_mail(config, report).await;
    examine_ntfy(config, report).await;
}

async fn examine_ntfy(config: &Config, report: &mut Report) {
    let Some(url) = &config.ntfy.url else {
        return report.ok("reach", "no topics are told: ntfy.url is not set");
    };
    match Ntfy::examine(url, config.outbound_allow.clone()).await {
        Ok(()) => report.ok(
            "reach",
            "the ntfy server answers; each person's test shows whether it takes messages",
        ),
        Err(error) => report.problem("reach", format!("no topic can be told: {error:#}")),
    }
}

async fn examine_mail(config: &Config, report: &mut Report) {
    match Mails::examine(&config.mail).await {
        Ok(None) => report.ok("reach", "no mail is sent: mail.url is not set"),
        Ok(Some(())) => report.ok(
            "reach",
            "the mail server answers, and takes the name and password",
        ),
        Err(error) => report.problem("reach", format!("no mail can be sent: {error:#}")),
    }
}
