//! `handraise watch`: what waits, live in a terminal, and answered there. What is shown and what a key does is
//! plain state ([`state`]); this is the loop around it, which talks to the terminal and the server.

mod answering;
mod cells;
mod editor;
mod feed;
mod fold;
mod given;
mod item;
mod lines;
mod overtaken;
mod reading;
mod state;
mod steady;
#[cfg(test)]
mod tests;
mod view;

use std::{
    collections::VecDeque,
    io::Stdout,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Context;
use ratatui::{
    Terminal,
    backend::CrosstermBackend,
    crossterm::{
        event::{self, DisableBracketedPaste, EnableBracketedPaste, Event, KeyEventKind},
        execute,
    },
};
use serde_json::{Value, json};
use tokio::{sync::mpsc, task::JoinHandle};

use crate::client::{Client, Declined};
use item::Item;
pub(crate) use lines::print;
use machine::clock::{Clock, SystemClock};
use state::{Effect, Message, Refusal, State};
use steady::Steady;

/// How often waiting times move on.
const TICK: Duration = Duration::from_secs(1);

/// The messages the loop hears.
pub(crate) type Messages = mpsc::UnboundedSender<Message>;

/// A place for messages, and where they are read.
pub(crate) fn channel() -> (Messages, mpsc::UnboundedReceiver<Message>) {
    mpsc::unbounded_channel()
}

/// The client's word on the connection.
pub(crate) fn notice(messages: &Messages) -> impl Fn(&str) + Send + Sync + 'static + use<> {
    let messages = messages.clone();
    move |line| {
        // No loop listens any more when the program ends.
        let _ = messages.send(Message::Notice(line.to_owned()));
    }
}

/// Shows the list until the user leaves.
///
/// # Errors
/// When the server refuses, or the terminal cannot be used.
pub(crate) async fn run(
    client: Client,
    read_only: bool,
    messages: Messages,
    heard: mpsc::UnboundedReceiver<Message>,
) -> anyhow::Result<()> {
    let client = Arc::new(client);
    let mut feed = tokio::spawn(feed::follow(Arc::clone(&client), messages.clone()));
    // It restores the terminal at a panic, too.
    let backend = ratatui::try_init()
        .and_then(|_| Terminal::new(Steady::new(CrosstermBackend::new(std::io::stdout()))));
    let mut terminal = backend.context("the terminal cannot be used")?;
    let _ = execute!(std::io::stdout(), EnableBracketedPaste);
    read_keys(messages.clone());
    let colour = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let mut state = State::new(read_only, SystemClock.now());
    let outcome = shown(
        &mut terminal,
        &mut state,
        colour,
        &client,
        (&messages, heard),
        &mut feed,
    )
    .await;
    let _ = execute!(std::io::stdout(), DisableBracketedPaste);
    ratatui::restore();
    feed.abort();
    outcome
}

async fn shown(
    terminal: &mut Terminal<Steady<CrosstermBackend<Stdout>>>,
    state: &mut State,
    colour: bool,
    client: &Arc<Client>,
    (messages, mut heard): (&Messages, mpsc::UnboundedReceiver<Message>),
    feed: &mut JoinHandle<anyhow::Result<()>>,
) -> anyhow::Result<()> {
    let mut tick = tokio::time::interval(TICK);
    let mut stop = Box::pin(machine::asked_to_stop());
    let mut waiting = VecDeque::new();
    loop {
        if state.is_new() {
            // Before the drawing: whoever reacts to it may press a key before it has returned.
            waiting.extend(std::iter::from_fn(|| heard.try_recv().ok()));
            waiting.iter_mut().for_each(Message::mark_ahead);
        }
        let at = loop {
            let mut drawn = None;
            terminal.draw(|frame| drawn = view::draw(frame, state, colour))?;
            let at = Instant::now();
            // The keys at the foot depend on what has been seen, and the room above on the foot.
            if !state.saw(drawn, at) {
                break at;
            }
        };
        let message = match waiting.pop_front() {
            Some(message) => message,
            None => tokio::select! {
                Some(message) = heard.recv() => message,
                _ = tick.tick() => Message::Now(SystemClock.now()),
                () = reached(state.due(at)) => Message::Now(SystemClock.now()),
                ended = &mut *feed => return ended.context("the list cannot be followed")?,
                () = &mut stop => return Ok(()),
            },
        };
        match state.update(message) {
            None => {}
            Some(Effect::Quit) => return Ok(()),
            Some(effect) => {
                tokio::spawn(perform(Arc::clone(client), effect, messages.clone()));
            }
        }
    }
}

/// Never, if there is no such time.
async fn reached(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}

/// Reports the result.
async fn perform(client: Arc<Client>, effect: Effect, messages: Messages) {
    let (id, verb, body) = match effect {
        Effect::Answer { id, body } => (id, "answer", body),
        Effect::Cancel { id, reason } => (id, "cancel", json!({ "reason": reason })),
        Effect::Quit => return,
    };
    let outcome: anyhow::Result<Item> = client.call(&id, verb, &body).await;
    let outcome = match outcome {
        Ok(item) => Ok(Box::new(item)),
        Err(error) => Err(refusal(&client, &id, &body, error).await),
    };
    let _ = messages.send(Message::Sent { id, outcome });
}

/// The obstacle; if another responder was faster, also how it is now.
async fn refusal(client: &Client, id: &str, body: &Value, error: anyhow::Error) -> Refusal {
    let now = match error.downcast_ref::<Declined>() {
        Some(declined) if declined.status == 409 || declined.is_about("digest") => {
            client.get::<Item>(&format!("interactions/{id}")).await.ok()
        }
        _ => None,
    };
    Refusal {
        ours: now.as_ref().is_some_and(|now| now.says(body)),
        now: now.map(Box::new),
        message: format!("{error:#}"),
    }
}

/// A thread of its own: a read of the terminal cannot be given up.
fn read_keys(messages: Messages) {
    std::thread::spawn(move || {
        while let Ok(event) = event::read() {
            let message = match event {
                Event::Key(key) if key.kind != KeyEventKind::Release => Message::Key(key),
                Event::Paste(text) => Message::Paste(text),
                Event::Resize(..) => Message::Now(SystemClock.now()),
                _ => continue,
            };
            if messages.send(message).is_err() {
                return;
            }
        }
    });
}
