//! What a server says of what it keeps, and whether it says the same later.

use std::collections::BTreeMap;

use reqwest::StatusCode;
use serde_json::Value;

use super::life::Lived;
use crate::support::{app::TestApp, caller::Caller};

/// Every answer, by its path and by who asked.
pub(super) type Said = BTreeMap<String, Value>;

/// Lists and single things, as those see them who may.
const BY_DESK: [&str; 10] = [
    "/api/v1/interactions?limit=200",
    "/api/v1/events?limit=1000",
    "/api/v1/grants?all=true",
    "/api/v1/memories?all=true",
    "/api/v1/policies",
    "/api/v1/tasks",
    "/api/v1/ladder",
    "/api/v1/hooks",
    "/api/v1/deliveries?limit=200",
    "/api/v1/interactions?q=port",
];
const BY_AGENT: [&str; 4] = [
    "/api/v1/keys",
    "/api/v1/callback_secret",
    "/api/v1/interactions?limit=200",
    "/api/v1/events?limit=1000",
];

/// All that there is to say.
pub(super) async fn said(app: &TestApp, lived: &Lived) -> Said {
    let caller = |token: &str| Caller {
        app,
        token: token.to_owned(),
    };
    let (agent, desk) = (caller(&lived.agent), caller(&lived.desk));
    let mut said = Said::new();
    for path in BY_DESK {
        said.insert(format!("desk {path}"), desk.read(path).await);
    }
    for path in BY_AGENT {
        said.insert(format!("agent {path}"), agent.read(path).await);
    }
    let all = &said["desk /api/v1/interactions?limit=200"]["items"];
    let all: Vec<_> = all
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].clone())
        .collect();
    assert!(all.len() > 30, "{}", all.len());
    for id in all {
        let path = format!("/api/v1/interactions/{}", id.as_str().unwrap());
        said.insert(format!("agent {path}"), agent.read(&path).await);
        let receipt = format!("{path}/receipt");
        let found = agent.get(&receipt).send().await.unwrap();
        if found.status() == StatusCode::OK {
            said.insert(format!("agent {receipt}"), found.json().await.unwrap());
        }
    }
    said
}

/// Whether everything that was said is said still. More may be said by now, and more may have happened.
pub(super) fn covers(before: &Value, now: &Value) -> Result<(), String> {
    let (last_before, last_now) = (&before["last_seq"], &now["last_seq"]);
    if let (Some(last_before), Some(last_now)) = (last_before.as_i64(), last_now.as_i64()) {
        let (mut before, mut now) = (before.clone(), now.clone());
        for (page, last) in [(&mut before, last_before), (&mut now, last_now)] {
            page.as_object_mut().unwrap().remove("last_seq");
            let items = page["items"].as_array_mut().unwrap();
            items.retain(|event| event["seq"].as_i64() <= Some(last_before.min(last)));
        }
        return covers(&before, &now);
    }
    match (before, now) {
        (Value::Object(before), Value::Object(now)) => {
            for (name, before) in before {
                let now = now.get(name).ok_or_else(|| format!("no {name} any more"))?;
                covers(before, now).map_err(|why| format!("{name}.{why}"))?;
            }
            Ok(())
        }
        (Value::Array(before), Value::Array(now)) => {
            // Deliveries of what has happened since.
            let seq = |of: &Value| of["event_seq"].as_i64();
            let last = before.iter().filter_map(seq).max();
            let now: Vec<_> = now
                .iter()
                .filter(|one| seq(one).is_none_or(|seq| Some(seq) <= last))
                .collect();
            if before.len() != now.len() {
                return Err(format!(" {} instead of {}", now.len(), before.len()));
            }
            for (n, (before, now)) in before.iter().zip(now).enumerate() {
                covers(before, now).map_err(|why| format!("{n}.{why}"))?;
            }
            Ok(())
        }
        (before, now) if before == now => Ok(()),
        (before, now) => Err(format!(" {now} instead of {before}")),
    }
}
