//! *Settings → Policies*: what is decided before anybody asks, for admins. A plain page with plain forms, which need nothing of
//! the dashboard's program.

use std::{fmt::Write, net::IpAddr};

use axum::{
    Extension, Form, Router,
    extract::{DefaultBodyLimit, Query, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Redirect, Response},
    routing::{get, post},
};
use domain::{
    Fault, PolicyId, Principal, Refused,
    decide::replay::{Was, Would},
    interaction::Then,
    limits,
    policy::{Policies, PolicyRule},
};
use serde::Deserialize;
use service::{PoliciesShown, PolicySetShown, ServiceError, SignedIn};
use visible::lines;

use crate::{
    auth::address::ClientAddress,
    plain_page::{Script, html::Text, lone},
    policies::{self as files, NotLoaded},
    problem::Problem,
    state::AppState,
};

const PLACE: &str = "/settings/policies";
const TITLE: &str = "Policies";
/// How far back rules are tried before they are put in force.
const DAYS: u32 = 30;
/// How many of what would have been decided otherwise the page names.
const NAMED: usize = 50;

/// Their addresses.
pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route(PLACE, get(show).post(save))
        .route("/settings/policies/load", post(load))
        .layer(DefaultBodyLimit::max(2 * limits::BODY_BYTES))
}

/// What a form that was sent says of itself in the address.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Done {
    done: Option<String>,
}

/// The form: the rules as they are written, which were looked at, and the password of who has not given it lately. `test` is
/// the button that only tries them.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Sent {
    rules: String,
    replaces: String,
    password: String,
    test: Option<String>,
}

/// The page.
async fn show(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    Query(Done { done }): Query<Done>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let by = who.principal();
    let shown = state.service.policies(&by).await?;
    let said = match done.as_deref() {
        Some("saved") => good("In force, on all servers."),
        Some("loaded") => good("The file was read. Its rules are in force on this server."),
        _ => String::new(),
    };
    let written = shown.here.as_ref().map(written).unwrap_or_default();
    Ok(page(&state, &headers, &who, &shown, &said, &written))
}

/// Puts the rules in force, or tries them on what was asked.
async fn save(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    headers: HeaderMap,
    Form(sent): Form<Sent>,
) -> Result<Response, Problem> {
    let (who, wrong) = proven(&state, who, &sent.password, address).await?;
    let by = who.principal();
    let said = match files::read(&sent.rules) {
        _ if wrong => Err(wrong_password()),
        Err(faults) => Err(refusal(&faults)),
        Ok(policies) if sent.test.is_some() => tried(&state, &policies, &by).await?,
        Ok(policies) => {
            let replaces = match &*sent.replaces {
                "" => None,
                id => Some(id.parse::<PolicyId>().map_err(|_| Problem::not_found())?),
            };
            put(&state, policies, replaces, &by).await?
        }
    };
    let (status, said) = match said {
        Ok(Said::Saved) => {
            return Ok(Redirect::to(&format!("{PLACE}?done=saved")).into_response());
        }
        Ok(Said::Tried(words)) => (StatusCode::OK, words),
        Err(words) => (StatusCode::UNPROCESSABLE_ENTITY, words),
    };
    let shown = state.service.policies(&by).await?;
    let page = page(&state, &headers, &who, &shown, &said, &sent.rules);
    Ok((status, page).into_response())
}

/// The form below the rules of the file.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Again {
    password: String,
}

/// An admin, with the password that came with a form, and whether that is another than theirs.
async fn proven(
    state: &AppState,
    who: SignedIn,
    password: &str,
    address: IpAddr,
) -> Result<(SignedIn, bool), Problem> {
    who.principal().admin().map_err(ServiceError::from)?;
    match password {
        "" => Ok((who, false)),
        password => match state.service.prove(&who, password, address).await {
            Ok(proven) => Ok((proven, false)),
            Err(ServiceError::Refused(Refused::Invalid(_))) => Ok((who, true)),
            Err(error) => Err(error.into()),
        },
    }
}

/// The file of this server is read again.
async fn load(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    headers: HeaderMap,
    Form(again): Form<Again>,
) -> Result<Response, Problem> {
    let (who, wrong) = proven(&state, who, &again.password, address).await?;
    let by = who.principal();
    let file = state
        .config
        .policies
        .clone()
        .ok_or_else(Problem::not_found)?;
    let loaded = match wrong {
        true => None,
        false => Some(files::load(&state.service, &file, true, &by).await),
    };
    let said = match loaded {
        None => wrong_password(),
        Some(Ok(_)) => return Ok(Redirect::to(&format!("{PLACE}?done=loaded")).into_response()),
        Some(Err(NotLoaded::Failed(ServiceError::Refused(Refused::Unproven)))) => unproven(),
        Some(Err(NotLoaded::Failed(error))) => return Err(error.into()),
        Some(Err(NotLoaded::Wrong { faults, .. })) => refusal(&faults),
        Some(Err(unreadable @ NotLoaded::Unreadable(..))) => {
            refusal(&[Fault::new("The file", unreadable.to_string())])
        }
    };
    let shown = state.service.policies(&by).await?;
    let written = shown.here.as_ref().map(written).unwrap_or_default();
    let page = page(&state, &headers, &who, &shown, &said, &written);
    Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
}

/// What came of a form.
enum Said {
    Saved,
    /// As HTML.
    Tried(String),
}

async fn put(
    state: &AppState,
    policies: Policies,
    replaces: Option<PolicyId>,
    by: &Principal,
) -> Result<Result<Said, String>, Problem> {
    let set = state.service.set_policies(policies, Some(replaces), by);
    Ok(match set.await {
        Ok(()) => Ok(Said::Saved),
        Err(ServiceError::Refused(Refused::Invalid(faults))) => Err(refusal(&faults)),
        Err(ServiceError::Refused(Refused::Unproven)) => Err(unproven()),
        Err(error) => return Err(error.into()),
    })
}

/// What these would have decided otherwise.
async fn tried(
    state: &AppState,
    policies: &Policies,
    by: &Principal,
) -> Result<Result<Said, String>, Problem> {
    let checked = state.service.check_policies(policies, by).await;
    let replayed = match checked {
        // In place of those that were set here, beside those of the file.
        Ok(()) => state.service.try_policies(policies, DAYS, by).await,
        Err(error) => Err(error),
    };
    let replayed = match replayed {
        Ok(replayed) => replayed,
        Err(ServiceError::Refused(Refused::Invalid(faults))) => return Ok(Err(refusal(&faults))),
        Err(error) => return Err(error.into()),
    };
    let mut html = format!(
        "<section class=\"policy-test\" role=\"status\"><h2 class=\"section-title\">Tried on the last {DAYS} days</h2>\
         <p>{} approvals were asked; {} reached a person, and {} would have. {} would have been decided otherwise.</p><ul>",
        replayed.looked_at, replayed.reached, replayed.would_reach, replayed.otherwise
    );
    for one in replayed.named.iter().take(NAMED) {
        let against = match one.is_against_a_person() {
            true => " <strong>A person decided the other way.</strong>",
            false => "",
        };
        // Writing to a string cannot fail.
        let _ = write!(
            html,
            "<li><a href=\"/interactions/{id}\">{prompt}</a>: was {was}, would be {would}.{against}</li>",
            id = one.id,
            prompt = Text(&lines(&one.prompt)),
            was = Text(&lines(&was(&one.was))),
            would = Text(&lines(&would(&one.would))),
        );
    }
    html.push_str("</ul></section>");
    Ok(Ok(Said::Tried(html)))
}

fn was(was: &Was) -> String {
    match was {
        Was::Waiting => "not decided yet".to_owned(),
        Was::Undecided(outcome) => outcome.name().to_owned(),
        Was::Person { outcome, by } => format!("{} by {by}", outcome.name()),
        Was::Granted(by) => format!("approved by a grant of {by}"),
        Was::Policy { outcome, rule } => format!("{} by the policy {rule}", outcome.name()),
    }
}

fn would(would: &Would) -> String {
    match would {
        Would::Forbidden(rule) => format!("denied by {rule}"),
        Would::Allowed(rule) => format!("approved by {rule}"),
        Would::Asked {
            rule, needed, team, ..
        } => {
            let team = team
                .as_deref()
                .map_or_else(String::new, |team| format!(" of {team}"));
            let rule = rule
                .as_deref()
                .map_or_else(String::new, |rule| format!(" by {rule}"));
            match needed {
                1 => format!("asked of a person{team}{rule}"),
                many => format!("asked of {many} people{team}{rule}"),
            }
        }
    }
}

fn good(words: &str) -> String {
    format!("<p class=\"form-done\" role=\"status\">{words}</p>")
}

fn wrong_password() -> String {
    refusal(&[Fault::new("Your password", "is not this one")])
}

fn unproven() -> String {
    let why = "is needed once more: it was not given in the last 15 minutes";
    refusal(&[Fault::new("Your password", why)])
}

fn refusal(faults: &[Fault]) -> String {
    let lines: String = faults
        .iter()
        .map(|fault| {
            let line = lines(&format!("{} {}", fault.path, fault.message));
            format!("<li>{}</li>", Text(&line))
        })
        .collect();
    format!(
        "<div id=\"refusal\" class=\"refusal\" role=\"alert\"><p>Nothing was changed.</p><ul class=\"plain-faults\">{lines}</ul></div>"
    )
}

/// The rules as they are written; what TOML has no form for, in JSON.
fn written(set: &PolicySetShown) -> String {
    let policies = Policies {
        rules: set.rules.clone(),
    };
    if policies.rules.is_empty() {
        return String::new();
    }
    toml::to_string_pretty(&policies)
        .or_else(|_| serde_json::to_string_pretty(&policies))
        .unwrap_or_default()
}

fn page(
    state: &AppState,
    headers: &HeaderMap,
    who: &SignedIn,
    shown: &PoliciesShown,
    said: &str,
    written: &str,
) -> Response {
    let mut body = format!(
        "{said}<p>What is decided before anybody asks. Forbid comes before ask before allow, over all rules and over standing \
         approvals; where it cannot be told whether a rule applies, a person is asked.</p>"
    );
    if shown.unreadable.is_some() {
        body.push_str(
            "<p class=\"refusal\" role=\"alert\"><span>The rules that were set here cannot be read, or no trusted key signed them: \
             people are asked about everything. Saving puts others in their place.</span></p>",
        );
    }
    let is_proven = who
        .principal()
        .proven_as(who.person.id, state.service.now())
        .is_ok();
    // Two forms can ask for it.
    let password = |id: &str| match is_proven {
        true => String::new(),
        false => format!(
            "<input type=\"text\" value=\"{name}\" autocomplete=\"username\" readonly hidden>\
             <div class=\"labelled\"><label for=\"{id}\">Your password, to put them in force</label><input id=\"{id}\" \
             class=\"field\" type=\"password\" name=\"password\" autocomplete=\"current-password\" \
             maxlength=\"{PASSWORD_MAX_CHARS}\"></div>",
            name = Text(&who.person.name),
            PASSWORD_MAX_CHARS = limits::PASSWORD_MAX_CHARS,
        ),
    };
    if let Some(file) = &state.config.policies {
        let rules = shown
            .file
            .as_ref()
            .map_or_else(String::new, |set| rules(shown, set));
        let _ = write!(
            body,
            "<section><h2 class=\"section-title\">Of the file</h2>{rules}<p class=\"hint\">This server reads {file}. Others read \
             their own.</p><form method=\"post\" action=\"/settings/policies/load\">{to_read}<button class=\"button\" type=\"submit\">Read it \
             again</button></form></section>",
            file = Text(&lines(&file.display().to_string())),
            to_read = password("password-of-file"),
        );
    }
    let here = match &shown.here {
        Some(set) if !set.rules.is_empty() => rules(shown, set),
        _ => "<p class=\"hint\">There are none.</p>".to_owned(),
    };
    let replaces = shown
        .unreadable
        .or(shown.here.as_ref().map(|set| set.terms.id));
    let described = match said.contains("id=\"refusal\"") {
        true => "aria-invalid=\"true\" aria-describedby=\"refusal rules-hint\"",
        false => "aria-describedby=\"rules-hint\"",
    };
    let to_save = password("password");
    let _ = write!(
        body,
        "<section><h2 class=\"section-title\">Set here</h2>{here}\
         <form method=\"post\" action=\"{PLACE}\"><input type=\"hidden\" name=\"replaces\" value=\"{replaces}\">\
         <div class=\"labelled\"><label for=\"rules\">All rules that are set here, in TOML</label>\
         <textarea id=\"rules\" class=\"field policy-text\" name=\"rules\" rows=\"16\" spellcheck=\"false\" {described}>{written}</textarea></div>\
         <p id=\"rules-hint\" class=\"hint\">Each with examples that it must and must not match; they are checked before anything is \
         saved. <a href=\"/docs/policies\">How rules are written</a></p>{to_save}\
         <p class=\"form-end\"><button class=\"button\" type=\"submit\" name=\"test\" value=\"1\">Try on the last {DAYS} days</button> \
         <button class=\"button primary\" type=\"submit\">Put in force</button></p></form></section>",
        replaces = replaces.map_or_else(String::new, |id| id.to_string()),
        written = Text(written),
    );
    if !shown.history.is_empty() {
        let rows: String = shown
            .history
            .iter()
            .map(|terms| {
                let rules = match terms.rules.len() {
                    0 => "no rules".to_owned(),
                    1 => "1 rule".to_owned(),
                    many => format!("{many} rules"),
                };
                let by = lines(terms.by.name().unwrap_or("Somebody"));
                let at = terms.at.format("%Y-%m-%d %H:%M UTC");
                format!(
                    "<li><bdi>{}</bdi> put {rules} in force, {at}</li>",
                    Text(&by)
                )
            })
            .collect();
        let _ = write!(
            body,
            "<section><h2 class=\"section-title\">Who changed them</h2><ul class=\"grant-past\">{rows}</ul></section>"
        );
    }
    body.push_str("<p><a class=\"way-up\" href=\"/settings\">Settings</a></p>");
    lone(state, headers, TITLE, &body, Script::Nothing)
}

fn rules(shown: &PoliciesShown, set: &PolicySetShown) -> String {
    let rows: String = set
        .rules
        .iter()
        .map(|rule| row(rule, shown.used(set, rule)))
        .collect();
    format!("<ul class=\"list grants\">{rows}</ul>")
}

fn row(rule: &PolicyRule, used: u64) -> String {
    let does = match rule.then {
        Some(Then::Forbid) => "Forbids",
        Some(Then::Ask) => "Asks",
        Some(Then::Allow) => "Allows",
        None => "Says that it is destructive",
    };
    let more = match (rule.then, rule.destructive) {
        (Some(_), true) => ", and says that it is destructive",
        _ => "",
    };
    let whose = match rule.agents.len() + rule.teams.len() {
        0 => "every agent".to_owned(),
        _ => {
            let names = rule.agents.iter().chain(&rule.teams);
            names.map(|name| lines(name)).collect::<Vec<_>>().join(", ")
        }
    };
    let used = match (rule.then, used) {
        (Some(Then::Forbid | Then::Allow), 1) => {
            " · decided once in the last seven days".to_owned()
        }
        (Some(Then::Forbid | Then::Allow), many) => {
            format!(" · decided {many} times in the last seven days")
        }
        _ => String::new(),
    };
    let reason = rule.reason.as_deref().map_or_else(String::new, |reason| {
        format!("<p>{}</p>", Text(&lines(reason)))
    });
    // All of it, as it counts.
    let whole = serde_json::to_string_pretty(rule).unwrap_or_default();
    format!(
        "<li class=\"list-row grant-line\"><div><p><strong>{name}</strong></p><p class=\"hint\">{does}{more} · {whose}{used}</p>{reason}\
         <details><summary>All of it</summary><pre tabindex=\"0\">{whole}</pre></details></div></li>",
        name = Text(&lines(&rule.name)),
        whose = Text(&whose),
        whole = Text(&lines(&whole)),
    )
}
