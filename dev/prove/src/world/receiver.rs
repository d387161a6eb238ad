//! Those who are told: webhooks, and agents that are called back. While the campaign runs some fail after they have taken note, some
//! before, and some say nothing at all.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Result;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::plant::Plant;

/// Longer than a server waits for an answer.
const STALLS: Duration = Duration::from_secs(7);

/// How a receiver fails, in a hundred times.
#[derive(Clone, Copy)]
pub(crate) struct Manners {
    pub(crate) fails_after_storing: u32,
    pub(crate) forgets: u32,
    pub(crate) stalls: u32,
}

impl Manners {
    pub(crate) const GOOD: Self = Self {
        fails_after_storing: 0,
        forgets: 0,
        stalls: 0,
    };
    pub(crate) const BAD: Self = Self {
        fails_after_storing: 3,
        forgets: 3,
        stalls: 1,
    };
}

/// One thing that was told, as often as it came.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    pub(crate) id: String,
    pub(crate) event: String,
    pub(crate) interaction: String,
    /// How it ended, by whom, and what was answered, as the interaction in it says.
    pub(crate) outcome: Option<String>,
    pub(crate) by: Option<String>,
    pub(crate) said: String,
    pub(crate) is_signed: bool,
    /// Of the body, but for the address of the server.
    pub(crate) digest: [u8; 32],
    pub(crate) times: u32,
}

/// One address that is told.
pub(crate) struct Receiver {
    pub(crate) url: String,
    shared: Arc<Shared>,
    running: JoinHandle<()>,
}

/// What is counted as the same: the id, the body and whether its signature held.
type Said = (String, [u8; 32], bool);

struct Shared {
    is_callback: bool,
    manners: Manners,
    behaves: AtomicBool,
    secrets: Mutex<Vec<String>>,
    heard: Mutex<HashMap<Said, Heard>>,
    random: Mutex<StdRng>,
    plant: Option<Plant>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Receiver {
    pub(crate) async fn start(
        is_callback: bool,
        manners: Manners,
        seed: u64,
        plant: Option<Plant>,
    ) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}/told", listener.local_addr()?);
        let shared = Arc::new(Shared {
            is_callback,
            manners,
            behaves: AtomicBool::new(false),
            secrets: Mutex::default(),
            heard: Mutex::default(),
            random: Mutex::new(StdRng::seed_from_u64(seed)),
            plant,
        });
        let routes = Router::new().fallback(told).with_state(Arc::clone(&shared));
        let running = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, routes).await {
                eprintln!("prove: a receiver ends: {error}");
            }
        });
        Ok(Self {
            url,
            shared,
            running,
        })
    }

    /// One of these has to have signed all that comes.
    pub(crate) fn knows(&self, secrets: impl IntoIterator<Item = String>) {
        locked(&self.shared.secrets).extend(secrets);
    }

    /// Takes everything from now on.
    pub(crate) fn behave(&self) {
        self.shared.behaves.store(true, Ordering::Relaxed);
    }

    pub(crate) fn heard(&self) -> Vec<Heard> {
        locked(&self.shared.heard).values().cloned().collect()
    }

    /// How many requests came.
    pub(crate) fn requests(&self) -> u64 {
        let heard = locked(&self.shared.heard);
        heard.values().map(|one| u64::from(one.times)).sum()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.running.abort();
    }
}

async fn told(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let roll: u32 = locked(&shared.random).random_range(0..100);
    let Manners {
        fails_after_storing,
        forgets,
        stalls,
    } = match shared.behaves.load(Ordering::Relaxed) {
        true => Manners::GOOD,
        false => shared.manners,
    };
    if roll < forgets {
        return StatusCode::INTERNAL_SERVER_ERROR;
    }
    let Some(body) = lie(&shared, &headers, body) else {
        return StatusCode::OK;
    };
    keep(&shared, &headers, &body);
    if roll < forgets + fails_after_storing {
        return StatusCode::INTERNAL_SERVER_ERROR;
    }
    if roll < forgets + fails_after_storing + stalls {
        sleep(STALLS).await;
    }
    StatusCode::OK
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

fn keep(shared: &Shared, headers: &HeaderMap, body: &[u8]) {
    let id = header(headers, "webhook-id").to_owned();
    let signed = |secret: &String| {
        let expected = signature(secret, &id, header(headers, "webhook-timestamp"), body);
        let mut given = header(headers, "webhook-signature").split(' ');
        expected.is_some_and(|expected| given.any(|one| one == expected))
    };
    let is_signed = locked(&shared.secrets).iter().any(signed);
    keep_as(shared, id, body, is_signed);
}

fn keep_as(shared: &Shared, id: String, body: &[u8], is_signed: bool) {
    let told: Value = serde_json::from_slice(body).unwrap_or_default();
    let interaction = match shared.is_callback {
        true => &told["interaction"],
        false => &told["data"],
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let named = |name: &str| interaction[name].as_str().map(str::to_owned);
    let has_answer = interaction["answer"].is_object() && interaction["fallback_used"] != true;
    let digest: [u8; 32] = Sha256::digest(without_address(&told).to_string()).into();
    let mut heard = locked(&shared.heard);
    let one = heard
        .entry((id.clone(), digest, is_signed))
        .or_insert_with(|| Heard {
            id,
            event: text(&told["type"]),
            interaction: text(&interaction["id"]),
            outcome: named("outcome"),
            by: named("closed_by"),
            said: match has_answer {
                true => crate::check::history::said(&interaction["answer"]),
                false => String::new(),
            },
            is_signed,
            digest,
            times: 0,
        });
    one.times += 1;
}

/// Servers that share no `public_url` each name themselves in it.
fn without_address(told: &Value) -> Value {
    let mut told = told.clone();
    for name in ["data", "interaction"] {
        if let Some(fields) = told[name].as_object_mut() {
            fields.remove("dashboard_url");
        }
    }
    told
}

/// As Standard Webhooks has it.
fn signature(secret: &str, id: &str, timestamp: &str, body: &[u8]) -> Option<String> {
    let secret = STANDARD.decode(secret.strip_prefix("whsec_")?).ok()?;
    let mut mac = Hmac::<Sha256>::new_from_slice(&secret).ok()?;
    mac.update(format!("{id}.{timestamp}.").as_bytes());
    mac.update(body);
    Some(format!(
        "v1,{}",
        STANDARD.encode(mac.finalize().into_bytes())
    ))
}

/// What the planted fault makes of it; `None` when it swallows it.
fn lie(shared: &Shared, headers: &HeaderMap, body: Bytes) -> Option<Bytes> {
    let Some(plant) = shared.plant else {
        return Some(body);
    };
    let told: Value = serde_json::from_slice(&body).unwrap_or_default();
    let resolved = told["type"] == "interaction.resolved";
    // Some, that the others are as they should be. There are few callbacks.
    let share = if shared.is_callback { 0.7 } else { 0.2 };
    if !locked(&shared.random).random_bool(share) {
        return Some(body);
    }
    let changed = |told: &Value| Some(Bytes::from(told.to_string()));
    let id = header(headers, "webhook-id").to_owned();
    let forged = |told: &Value| {
        // With the right signature: whoever is in the server's place may have the key.
        let body = told.to_string();
        keep_as(shared, format!("{id}-again"), body.as_bytes(), true);
    };
    match plant {
        Plant::SwallowedWebhook if !shared.is_callback => {
            return None;
        }
        Plant::SwallowedCallback if shared.is_callback => {
            return None;
        }
        Plant::ChangedWebhook if resolved && !shared.is_callback => {
            let mut other = told;
            other["data"]["answer"]["text"] = json!("another answer");
            return changed(&other);
        }
        Plant::ForgedCallback if resolved && shared.is_callback => {
            let mut other = told;
            other["interaction"]["closed_by"] = json!("Mallory");
            forged(&other);
        }
        Plant::WebhookUnderAnotherId if !shared.is_callback => forged(&told),
        Plant::InventedWebhook
            if !shared.is_callback && told["type"] == "interaction.requested" =>
        {
            let mut other = told;
            other["type"] = json!("interaction.cancelled");
            other["data"]["outcome"] = json!("cancelled");
            other["data"]["closed_by"] = json!("Mallory");
            // Of one that never existed.
            other["data"]["id"] = json!("01a00000-0000-7000-8000-000000000000");
            forged(&other);
        }
        Plant::WebhookBeforeItHappens
            if !shared.is_callback && told["type"] == "interaction.requested" =>
        {
            let mut other = told;
            other["type"] = json!("interaction.expired");
            other["data"]["outcome"] = json!("expired");
            forged(&other);
        }
        _ => {}
    }
    Some(body)
}
