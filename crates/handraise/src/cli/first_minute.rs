//! `handraise` alone, at a terminal: a server, and the way to the first answer.

use std::{env, fs, io::Write, path::Path};

use domain::{
    Event, Ids, Interaction, InteractionEvent, InteractionId, Payload, TokenKind, access::Lifetime,
    interaction::Kind,
};
use machine::clock::SystemIds;
use server::{config::Config, hub::news, spans::Spans, state::AppState, telemetry};
use service::{Service, secret::Secret};

use super::{Place, operator, said, serve::Ready};

/// How the agent is called whose token is made at the first start.
const AGENT: &str = "first-agent";
/// Where agents look for a server by themselves.
const HERE: &str = "http://127.0.0.1:3000";
/// How many events are read at once.
const PAGE: u32 = 100;
/// More of a text does not belong on one line of a terminal.
const SHOWN: usize = 160;

pub(super) async fn run() -> anyhow::Result<()> {
    let nothing_said = Place {
        config: None,
        database: None,
    };
    let loaded = nothing_said.load(None, None)?;
    let spans = Spans::start(&loaded.config.tracing, SystemIds.next().to_string())?;
    telemetry::start_quietly(loaded.config.log, spans.as_ref());
    for unknown in &loaded.unknown_variables {
        tracing::warn!("{unknown}");
    }
    let mut ready = Ready::new(loaded.config, loaded.file.as_deref()).await?;
    ready.state = ready.state.with_spans(spans);
    let link = ready.first_admin_link().await?;
    let token = first_token(&ready.state.service).await?;
    // What happened before this moment is no first answer.
    let after = ready.state.service.last_seq().await.map_err(said)?;
    show(&hello(&ready.state.config, link.as_ref(), token.as_ref()));
    let state = ready.state.clone();
    let telling = tokio::spawn(async move {
        let stopping = state.stopping.clone();
        let telling = tell_the_first_answer(state, after);
        // The database is gone once the server has stopped.
        stopping.run_until_cancelled(telling).await;
    });
    let served = ready.serve().await;
    telling.abort();
    served
}

/// A token to ask with, where no agent has one that works.
async fn first_token(service: &Service) -> anyhow::Result<Option<Secret>> {
    let by = operator();
    let tokens = service.tokens(&by).await.map_err(said)?;
    let now = service.now();
    if tokens
        .iter()
        .any(|one| one.token.kind == TokenKind::Agent && one.works(now))
    {
        return Ok(None);
    }
    let kept = Lifetime::default();
    let token = service.create_token(TokenKind::Agent, AGENT, kept, &[], &by);
    token.await.map(Some).map_err(said)
}

fn hello(config: &Config, link: Option<&Secret>, token: Option<&Secret>) -> String {
    let public = config.public_url();
    let database = match store::database_file(config.database_url.reveal()) {
        Some(file) => std::path::absolute(&file)
            .unwrap_or(file)
            .display()
            .to_string(),
        None => config.database_url.to_string(),
    };
    let come_in = match link {
        Some(link) => format!(
            "Become the first admin; the link works once, within a day:\n\n     {public}/sign-in/{}",
            link.reveal()
        ),
        None => format!("Sign in:\n\n     {public}"),
    };
    let program = program();
    let url = match config.agent_url() {
        url if url == HERE => String::new(),
        url => format!("HANDRAISE_URL={url} "),
    };
    let ask = format!("{program} ask --prompt 'What shall I begin with?'");
    let ask = match token {
        Some(token) => format!(
            "Ask something from another terminal, with the token of an agent, which is shown only this once:\n\n     {url}HANDRAISE_TOKEN={} {ask}",
            token.reveal()
        ),
        None => format!(
            "Ask something from another terminal:\n\n     {url}HANDRAISE_TOKEN=$({program} token create --kind agent --name another-agent) {ask}"
        ),
    };
    format!(
        "Handraise listens on http://{}, and keeps everything in {database}.\n\n  1. {come_in}\n\n  2. {ask}\n\n  3. Answer it on the page. How it goes on is shown here.\n\nCtrl+C stops the server; `{program} --help` names all commands.\n\n",
        config.addr
    )
}

/// How to start this program once more: by its name where a shell finds it.
fn program() -> String {
    let Ok(this) = env::current_exe() else {
        return "handraise".to_owned();
    };
    let path = env::var_os("PATH").unwrap_or_default();
    let mut found = env::split_paths(&path).map(|folder| folder.join("handraise"));
    let is_this = |file: &Path| fs::canonicalize(file).ok() == fs::canonicalize(&this).ok();
    match found.find(|file| file.is_file()) {
        Some(file) if is_this(&file) => "handraise".to_owned(),
        _ => quoted(&this.display().to_string()),
    }
}

/// As a shell reads it as one word.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    match text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// Follows the first question to its answer, and says so.
async fn tell_the_first_answer(state: AppState, mut after: i64) {
    let (reader, service) = (operator(), &state.service);
    let mut feed = state.hub.feed();
    let mut first: Option<InteractionId> = None;
    loop {
        let page = match service.events(after, PAGE, &reader).await {
            Ok(page) => page,
            Err(error) => {
                tracing::warn!(%error, "the first answer cannot be shown here");
                return;
            }
        };
        let read = page.up_to;
        for event in page {
            let Some(id) = event.interaction_id else {
                continue;
            };
            if first.is_none() && is_a_question(&event) {
                first = Some(id);
            }
            if first != Some(id) {
                continue;
            }
            let Ok(interaction) = service.interaction(id, &reader).await else {
                continue;
            };
            match told(&event, &interaction, &state.config.public_url()) {
                Told::Line(line) => show(&line),
                Told::Last(line) => {
                    show(&line);
                    return;
                }
                // The next one may be answered.
                Told::Over(line) => {
                    show(&line);
                    first = None;
                }
                Told::Nothing => {}
            }
        }
        if read == after {
            news(&mut feed, &reader, after).await;
        }
        after = read;
    }
}

fn is_a_question(event: &Event) -> bool {
    matches!(&event.payload, Payload::Interaction(InteractionEvent::Requested { request, .. })
        if request.kind() != Kind::Notification)
}

enum Told {
    Line(String),
    Over(String),
    Last(String),
    Nothing,
}

fn told(event: &Event, of: &Interaction, public: &str) -> Told {
    let Payload::Interaction(happened) = &event.payload else {
        return Told::Nothing;
    };
    let agent = shown(&of.agent.name);
    match happened {
        InteractionEvent::Requested { request, .. } => Told::Line(format!(
            "{agent} asks: {}\n     {public}/blockers/{}\n",
            shown(&request.prompt),
            of.id
        )),
        InteractionEvent::Resolved { answer, .. } => {
            let said = answer.content.to_text(&of.request.ask);
            let took = (answer.answered_at - of.created_at).num_seconds();
            Told::Line(format!(
                "{} answers, {took} s later: {}\n",
                shown(&answer.responder.name),
                shown(&said)
            ))
        }
        InteractionEvent::Collected { .. } => Told::Last(format!(
            "{agent} has the answer, and goes on.\n\nThat is all there is to it. From here on the page shows what happens.\n"
        )),
        InteractionEvent::Expired { .. } => Told::Over(format!(
            "No answer came in time, and {agent} goes on without one. The next question may be the first that is answered.\n"
        )),
        InteractionEvent::Cancelled { .. } => Told::Over(format!(
            "{agent}'s question was taken back. The next one may be the first that is answered.\n"
        )),
        _ => Told::Nothing,
    }
}

/// What others wrote, on one line of a terminal.
fn shown(text: &str) -> String {
    let line = visible::line(text);
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn show(text: &str) {
    let mut out = std::io::stdout();
    // The terminal may be gone; the server is not.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_for_a_shell() {
        for (path, word) in [
            ("/usr/bin/handraise", "/usr/bin/handraise"),
            ("/home/a b/h", "'/home/a b/h'"),
            ("/it's/h", r"'/it'\''s/h'"),
        ] {
            assert_eq!(quoted(path), word);
        }
    }

    #[test]
    fn an_agent_that_looks_elsewhere_is_told_where_and_one_without_a_token_how_to_make_one() {
        let mut config = Config::default();
        let token = Secret::from_outside("hr_agent_1");
        let text = hello(&config, Some(&Secret::from_outside("abc")), Some(&token));
        for part in [
            "     http://handraise.localhost:3000/sign-in/abc\n",
            "     HANDRAISE_TOKEN=hr_agent_1 ",
            "/handraise.db.\n",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        config.addr = "127.0.0.1:4000".parse().unwrap();
        let text = hello(&config, None, None);
        for part in [
            "Sign in:\n\n     http://handraise.localhost:4000\n",
            "     HANDRAISE_URL=http://127.0.0.1:4000 HANDRAISE_TOKEN=$(",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}
