//! The providers of sign-ins: whether each is there, and is the one that the settings mean.

use chrono::{DateTime, Utc};
use domain::Person;
use store::Content;

use super::Report;
use crate::{
    config::Config,
    providers::{Providers, in_time, no_team},
};

const ABOUT: &str = "providers";

pub(super) async fn examine(
    config: &Config,
    content: Option<&Content>,
    now: DateTime<Utc>,
    report: &mut Report,
) {
    let providers = Providers::new(config);
    for provider in providers.all() {
        let settings = &provider.settings;
        let name = visible::line(&settings.name);
        match in_time(provider.check(now)).await {
            Ok(()) => report.ok(
                ABOUT,
                format!(
                    "{name} answers at {}; people must be let come back from there to {}",
                    settings.issuer,
                    providers.redirect(provider)
                ),
            ),
            Err(trouble) => report.problem(ABOUT, trouble.sentence(&name)),
        }
        let Some(content) = content else { continue };
        for team in settings.team_names() {
            if !content.teams.contains(&Person::name_key(team)) {
                report.problem(ABOUT, no_team(&name, team));
            }
        }
    }
    let by_password = config.passwords;
    if !by_password && !providers.all().is_empty() {
        report.ok(
            ABOUT,
            "passwords are no way in; `handraise user invite` makes a link that is",
        );
    }
}
