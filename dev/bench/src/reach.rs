//! `reach`: 1,000 people in 50 teams have subscribed to notifications, half of them at push services that are dead (half
//! refuse connections, half never answer). Target: from the ask that is committed to the push that is sent, 300 ms in 99
//! of 100; and creates take as long as where nobody is told.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::slice;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

use crate::browser::{Browser, ids};
use crate::client::{Client, Interaction, question};
use crate::latencies::Latencies;
use crate::outbox::{address_of_nobody, silent_receiver};
use crate::server::Server;
use crate::{Bench, report};

const TEAMS: usize = 50;
const OF_A_TEAM: usize = 20;
/// A person gets 15 messages an hour one by one, and the rest is summed up: all that is asked here stays below that. It is
/// 3 of teams, 3 of all, and 1 in each turn of creates.
const ASKED_OF_TEAMS: usize = 150;
const ASKED_OF_ALL: usize = 3;
const PER_SECOND: u32 = 20;
/// How long what was asked last may take.
const LAST: Duration = Duration::from_secs(3);
/// Creates are measured in turns, so that what else the machine does hits both alike. In each, each agent asks once.
const TURNS: usize = 4;
/// With 50 a second, a thousand messages a second take both cores: what is measured then is how the load is shared.
const RATES: [(u32, &str); 2] = [(20, "1"), (50, "")];

/// A key of a browser: that of RFC 8291, appendix A.
const P256DH: &str =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";

pub(crate) async fn run(bench: &Bench) -> Result<()> {
    let row = |figure: &str, value: String, target| report::row("reach", figure, value, target);
    let (server, alone) = (Server::start(bench)?, Server::start(bench)?);
    let mut receivers = JoinSet::new();
    let heard = Arc::default();
    let services = Services {
        well: push_service(&mut receivers, Arc::clone(&heard)).await?,
        refusing: address_of_nobody().await?,
        silent: silent_receiver(&mut receivers).await?,
    };
    report::progress("1,000 people come in and subscribe");
    let agents = people(bench, &server, &services).await?;

    let sent = asked(&server, &agents, ASKED_OF_TEAMS, PER_SECOND, &heard).await?;
    row(
        "asked of teams of 20 until the push is sent",
        sent.times.summary(),
        "p99 <= 300 ms",
    );
    row(
        "not sent three seconds after the last",
        sent.missing(ASKED_OF_TEAMS * OF_A_TEAM / 2).to_string(),
        "0",
    );

    for (per_second, target) in RATES {
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for _ in 0..TURNS {
            without.extend(creates(&alone, slice::from_ref(&alone.agent), per_second).await?);
            with.extend(creates(&server, &agents, per_second).await?);
        }
        let (with, without) = (Latencies::from(with), Latencies::from(without));
        let figure = format!("creates at {per_second} /s, nobody to tell");
        row(&figure, without.summary(), "");
        row("the same, each tells a team of 20", with.summary(), "");
        let ratio = |percent| {
            let without = without.percentile(percent).as_secs_f64().max(1e-9);
            with.percentile(percent).as_secs_f64() / without
        };
        let ratios = format!("{:.2} / {:.2}", ratio(50), ratio(99));
        let figure = "ratio of the medians / of the 99th percentiles";
        row(figure, ratios, target);
        sleep(LAST).await;
    }

    let everyone = [server.agent.clone()];
    let sent = asked(&server, &everyone, ASKED_OF_ALL, 1, &heard).await?;
    row(
        "asked of all 1,000 until the push is sent",
        sent.times.summary(),
        "",
    );
    row(
        "not sent three seconds after the last",
        sent.missing(ASKED_OF_ALL * TEAMS * OF_A_TEAM / 2)
            .to_string(),
        "0",
    );
    Ok(())
}

/// Where browsers have subscribed.
struct Services {
    well: SocketAddr,
    refusing: SocketAddr,
    silent: SocketAddr,
}

impl Services {
    /// The address of the browser of person `n`.
    fn endpoint(&self, n: usize) -> String {
        let service = match n % 4 {
            1 => self.refusing,
            3 => self.silent,
            _ => self.well,
        };
        format!("http://{service}/{n}")
    }
}

/// When a push of each interaction came, by its topic.
type Heard = Mutex<Vec<(String, Instant)>>;

/// How long it took, each time.
struct Sent {
    times: Latencies,
}

impl Sent {
    fn missing(&self, expected: usize) -> usize {
        expected.saturating_sub(self.times.count())
    }
}

/// Makes people and their teams, and an agent of each team. Returns the tokens of the agents.
async fn people(bench: &Bench, server: &Server, services: &Services) -> Result<Vec<String>> {
    let link = server.invite_admin(bench)?;
    let mut admin = Browser::come_by(server.address, &link).await?;
    let mut links = Vec::new();
    for n in 0..TEAMS * OF_A_TEAM {
        let name = format!("person {n}");
        let form = [("name", &*name), ("role", "responder")];
        let link = admin.call("/ui/invite-person", &form).await?;
        let link = link.as_str().context("no link for a person")?;
        links.push((n, link.to_owned()));
    }
    subscribe(server, services, links).await?;
    let known = ids(&admin.call("/ui/load-people", &[]).await?);
    for team in 0..TEAMS {
        let name = format!("team {team}");
        admin.submit("/ui/create-team", &[("name", &name)]).await?;
    }
    let teams = ids(&admin.call("/ui/load-teams", &[]).await?);
    let mut agents = Vec::new();
    for team in 0..TEAMS {
        let id = teams.get(&format!("team {team}"));
        let id = id.context("a team was not made")?;
        for n in team * OF_A_TEAM..(team + 1) * OF_A_TEAM {
            let person = known.get(&format!("person {n}"));
            let person = person.context("a person did not come in")?;
            let form = [("team", &**id), ("person", person), ("part", "answers")];
            admin.submit("/ui/set-member", &form).await?;
        }
        let agent = format!("agent-{team}");
        agents.push(server.create_token(bench, "agent", &agent)?);
        let form = [("agent", &*agent), ("team", id)];
        admin.submit("/ui/set-home", &form).await?;
    }
    Ok(agents)
}

/// Two at a time: each chooses a password, which takes a core for some milliseconds.
async fn subscribe(
    server: &Server,
    services: &Services,
    links: Vec<(usize, String)>,
) -> Result<()> {
    let mut tasks = JoinSet::new();
    for half in links.chunks(links.len().div_ceil(2)) {
        let address = server.address;
        let half: Vec<_> = half
            .iter()
            .map(|(n, link)| (services.endpoint(*n), link.clone()))
            .collect();
        tasks.spawn(async move {
            for (endpoint, link) in half {
                let mut browser = Browser::come_by(address, &link).await?;
                let form = [
                    ("endpoint", &*endpoint),
                    ("p256dh", P256DH),
                    ("auth", AUTH),
                    ("label", "bench"),
                ];
                browser.submit("/settings/reach/push", &form).await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    Ok(())
}

/// Asks so many questions, the agents in turns, and waits for the pushes of the last.
async fn asked(
    server: &Server,
    agents: &[String],
    count: usize,
    per_second: u32,
    heard: &Heard,
) -> Result<Sent> {
    lock(heard).clear();
    let mut clients = Vec::new();
    for agent in agents {
        clients.push(Client::connect(server.address, agent).await?);
    }
    let mut due = Instant::now();
    let mut committed = HashMap::new();
    for n in 0..count {
        sleep_until(due).await;
        due += Duration::from_secs(1) / per_second;
        let client = &mut clients[n % agents.len()];
        let asked = Interaction::read(&client.send(&question(Some(3_600))).await?)?;
        committed.insert(topic(&asked.id)?, Instant::now());
    }
    sleep(LAST).await;
    let heard = std::mem::take(&mut *lock(heard));
    let times = heard.into_iter().filter_map(|(topic, at)| {
        let asked = committed.get(&topic)?;
        // It may be sent before the agent has its answer.
        Some(at.saturating_duration_since(*asked))
    });
    Ok(Sent {
        times: times.collect::<Vec<_>>().into(),
    })
}

/// The topic of pushes about an interaction: its id in base64url.
fn topic(id: &str) -> Result<String> {
    let digits: Vec<u8> = id.bytes().filter(|byte| *byte != b'-').collect();
    ensure!(digits.len() == 32, "{id} is no id");
    let bytes = digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(&String::from_utf8_lossy(pair), 16));
    Ok(URL_SAFE_NO_PAD.encode(bytes.collect::<Result<Vec<_>, _>>()?))
}

/// Each agent asks once, on a connection of its own, so that one that waits holds up no other.
async fn creates(server: &Server, agents: &[String], per_second: u32) -> Result<Vec<Duration>> {
    let mut clients = Vec::new();
    for n in 0..TEAMS {
        clients.push(Client::connect(server.address, &agents[n % agents.len()]).await?);
    }
    let mut tasks = JoinSet::new();
    let mut due = Instant::now();
    for mut client in clients {
        tasks.spawn(async move {
            sleep_until(due).await;
            // Timers wake late, which is none of the server's doing.
            let begun = Instant::now();
            client.send(&question(Some(3_600))).await?;
            anyhow::Ok(begun.elapsed())
        });
        due += Duration::from_secs(1) / per_second;
    }
    tasks.join_all().await.into_iter().collect()
}

/// Answers 201, and notes what came when.
async fn push_service(receivers: &mut JoinSet<()>, heard: Arc<Heard>) -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    receivers.spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let heard = Arc::clone(&heard);
            tokio::spawn(async move {
                let service = service_fn(|request| note(request, &heard));
                // Its sender may hang up.
                let _ = http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), service)
                    .await;
            });
        }
    });
    Ok(address)
}

async fn note(request: Request<Incoming>, heard: &Heard) -> Result<Response<Empty<Bytes>>> {
    let now = Instant::now();
    let topic = request.headers().get("topic");
    let topic = topic.context("a push without a topic")?.to_str()?;
    lock(heard).push((topic.to_owned(), now));
    request.into_body().collect().await?;
    let mut response = Response::new(Empty::new());
    *response.status_mut() = hyper::StatusCode::CREATED;
    Ok(response)
}

fn lock(heard: &Heard) -> std::sync::MutexGuard<'_, Vec<(String, Instant)>> {
    heard.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::topic;

    #[test]
    fn a_topic_is_the_id_in_few_letters() {
        let found = topic("01890000-0000-7000-8000-00000000ffff").unwrap();
        assert_eq!(found, "AYkAAAAAcACAAAAAAAD__w");
        assert!(topic("0189").is_err());
    }
}
