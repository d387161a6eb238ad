//! What the database says of itself: tokens that end soon, destinations that take nothing, nodes of different versions.

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use store::Content;

use super::Report;

/// Early enough to hand out new ones before a weekend.
const SOON: TimeDelta = TimeDelta::days(14);
/// A receiver that is started anew is back within that.
const FOR_LONG: TimeDelta = TimeDelta::minutes(10);
/// So many tokens are named.
const NAMED: usize = 5;

pub(super) fn examine(content: &Content, now: DateTime<Utc>, report: &mut Report) {
    examine_tokens(content, now, report);
    examine_destinations(content, now, report);
    examine_nodes(content, report);
}

fn examine_tokens(content: &Content, now: DateTime<Utc>, report: &mut Report) {
    let soon = content.ending_tokens.iter();
    let soon: Vec<String> = soon
        .filter(|(_, at)| now < *at && *at <= now + SOON)
        .map(|(name, at)| format!("{} on {}", visible::line(name), at.date_naive()))
        .collect();
    if soon.is_empty() {
        return report.ok("tokens", "none ends within 14 days");
    }
    let more = match soon.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let named = soon[..soon.len().min(NAMED)].join(", ");
    report.warning(
        "tokens",
        format!("{named}{more} end; make new ones with `handraise token create` before"),
    );
}

fn examine_destinations(content: &Content, now: DateTime<Utc>, report: &mut Report) {
    let mut all_take = true;
    for failing in &content.failing {
        let Some(since) = failing.since.filter(|since| now - *since >= FOR_LONG) else {
            continue;
        };
        all_take = false;
        let what = match &*failing.kind {
            "webhook" => "webhooks; see /settings/webhooks",
            "callback" => "callbacks of agents",
            "slack" => "channels of Slack; `handraise slack check` says more",
            "push" => "browsers' push services",
            "mail" => "mailboxes",
            "ntfy" => "topics of ntfy",
            "direct" => "people in Slack; `handraise slack check` says more",
            _ => "destinations",
        };
        let since = since.to_rfc3339_opts(SecondsFormat::Secs, true);
        let many = failing.destinations;
        report.warning(
            "deliveries",
            format!("{many} take nothing, the first since {since}: {what}"),
        );
    }
    if all_take {
        report.ok("deliveries", "no destination has failed for ten minutes");
    }
}

fn examine_nodes(content: &Content, report: &mut Report) {
    let each = content.nodes.iter();
    let said: Vec<_> = each
        .map(|(version, many)| format!("{many} of {version}"))
        .collect();
    match &said[..] {
        [] => {}
        [one] => report.ok("nodes", format!("running: {one}")),
        _ => report.warning(
            "nodes",
            format!(
                "running: {}; take all of them to one version, since nodes of the one before are only meant for the time of an update",
                said.join(", ")
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use store::Failing;

    use super::*;

    #[test]
    fn what_ends_fails_or_differs_is_named_and_nothing_else() {
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let content = |days, minutes, versions: &[&str]| Content {
            ending_tokens: vec![("backend".into(), now + TimeDelta::days(days))],
            failing: vec![Failing {
                kind: "webhook".into(),
                destinations: 2,
                since: Some(now - TimeDelta::minutes(minutes)),
            }],
            nodes: versions.iter().map(|it| (it.to_string(), 1)).collect(),
            ..Content::default()
        };
        let said = |content: &Content| {
            let mut report = Report::default();
            examine(content, now, &mut report);
            let lines: Vec<String> = report.0.iter().map(ToString::to_string).collect();
            lines
        };
        let all_well = [
            "ok       tokens: none ends within 14 days",
            "ok       deliveries: no destination has failed for ten minutes",
            "ok       nodes: running: 1 of 1.0.0",
        ];
        assert_eq!(said(&content(-1, 9, &["1.0.0"])), all_well);
        assert_eq!(said(&content(15, 9, &["1.0.0"])), all_well);
        let found = said(&content(14, 10, &["1.0.0", "1.1.0"]));
        for (line, part) in found.iter().zip([
            "backend on 2027-01-29 end;",
            "2 take nothing, the first since 2027-01-15T07:50:00Z: webhooks",
            "1 of 1.0.0, 1 of 1.1.0;",
        ]) {
            assert!(
                line.starts_with("warning ") && line.contains(part),
                "{line}"
            );
        }
    }
}
