//! `/q/{id}`: one question on a page of its own, answered by plain forms, without any script.

use chrono::TimeDelta;
use domain::{Part, Role};
use machine::clock::Clock;
use reqwest::{RequestBuilder, StatusCode, header};
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{Caller, id_of},
    pages::{holds, page, read},
    people::{PASSWORD, cookie_of, operator, person_named},
    second_step::place,
};

store::on_both_databases!(
    a_question_is_answered_and_the_next_comes,
    who_is_on_it_stands_there_and_what_is_put_off_does_not_come_next,
    a_choice_is_answered_by_one_option_or_several,
    an_acknowledgement_is_one_button,
    an_approval_shows_all_of_its_action_and_takes_yes_or_no,
    a_plan_is_decided_in_four_ways,
    a_form_is_answered_question_by_question,
    a_notification_is_read,
    nothing_is_decided_by_looking,
    what_was_answered_before_is_taken_by_a_tap_and_sent_by_none,
    what_was_answered_before_is_shown_to_no_others,
    an_empty_answer_is_asked_for_once_more,
    what_has_no_room_can_only_be_refused_here,
    what_happened_meanwhile_is_told_and_the_text_is_kept,
    a_button_that_is_pressed_twice_counts_once,
    of_a_form_only_what_was_seen_is_sent_along,
    whoever_signs_in_comes_back_to_exactly_this_page,
    a_text_that_is_sent_signed_out_is_shown_again,
    a_viewer_reads_and_cannot_answer_here,
    what_is_not_theirs_is_not_there,
    other_sites_send_no_answer,
    each_page_is_light,
);

/// A person's browser at these pages.
struct Phone<'a> {
    app: &'a TestApp,
    cookie: String,
}

impl<'a> Phone<'a> {
    async fn of(app: &'a TestApp, name: &str, role: Role) -> Self {
        let cookie = app.sign_in(name, role).await;
        Self { app, cookie }
    }

    async fn look(&self, asked: &Value) -> String {
        read(self.app, &self.cookie, &quick(asked)).await
    }

    fn form(&self, asked: &Value, fields: &[(&str, &str)]) -> RequestBuilder {
        self.app
            .post(&quick(asked))
            .header("cookie", &self.cookie)
            .header(header::ORIGIN, self.app.url(""))
            .form(fields)
    }

    /// Sends a form that is taken; where it leads.
    async fn send(&self, asked: &Value, fields: &[(&str, &str)]) -> String {
        let response = self.form(asked, fields).send().await.unwrap();
        let status = response.status();
        if status != StatusCode::SEE_OTHER {
            panic!("{status}: {}", response.text().await.unwrap());
        }
        place(&response).to_owned()
    }

    /// Sends one that is not; the page that says why.
    async fn refused(&self, asked: &Value, fields: &[(&str, &str)], status: StatusCode) -> String {
        page(self.form(asked, fields), status).await
    }
}

/// Where an answer leads that nothing comes after.
fn after_itself(asked: &Value) -> String {
    format!("{}?after={}", quick(asked), asked["id"].as_str().unwrap())
}

fn quick(asked: &Value) -> String {
    format!("/q/{}", asked["id"].as_str().unwrap())
}

/// The value of a hidden field.
fn hidden<'a>(html: &'a str, name: &str) -> &'a str {
    let before = format!("name=\"{name}\" value=\"");
    let (_, rest) = html.split_once(&before).expect(name);
    rest.split_once('"').unwrap().0
}

fn approval(arguments: Value) -> Value {
    json!({"kind": "approval", "prompt": "It is **not** used.", "timeout_seconds": 1080,
           "action": {"tool": "sql", "arguments": arguments}})
}

async fn state(agent: &Caller<'_>, asked: &Value) -> String {
    agent.poll(asked).await["state"]
        .as_str()
        .unwrap()
        .to_owned()
}

async fn a_question_is_answered_and_the_next_comes(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let phone = Phone::of(&app, "Ana", Role::Responder).await;
    let more = json!({"prompt": "**Which** port? <script>alert(1)</script>", "title": "A port",
                      "session_id": "p11", "timeout_seconds": 1080, "fallback": "8080"});
    let first = agent.ask(more).await;
    let second = agent
        .ask(json!({"mode": "async", "title": "Another"}))
        .await;
    let response = app.get(&quick(&first)).header("cookie", &phone.cookie);
    let response = response.send().await.unwrap();
    let policy = response.headers()["content-security-policy"]
        .to_str()
        .unwrap();
    assert!(policy.contains("default-src 'none'; script-src 'self'; style-src 'sha256-"));
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(response.headers()[header::CACHE_CONTROL], "no-store");
    let shown = response.text().await.unwrap();
    holds(
        &shown,
        &[
            ">A port</h1>",
            "SYNC",
            "<bdi>backend</bdi>",
            "p11",
            "18 min</time>",
            "8080</code>",
            "&lt;script&gt;",
            "1 more waits",
            "name=\"text\"",
            "Send answer",
            &format!("href=\"/q/{}\"", second["id"].as_str().unwrap()),
        ],
    );
    // HTML sends line breaks as CR LF; nobody typed them so.
    let by = hidden(&shown, "by");
    let next = phone
        .send(&first, &[("by", by), ("text", "one\r\ntwo 🦀")])
        .await;
    let first_id = first["id"].as_str().unwrap();
    assert_eq!(next, format!("{}?after={first_id}", quick(&second)));
    let got = agent.poll(&first).await;
    assert_eq!(got["answer"]["text"], "one\ntwo 🦀");
    assert_eq!(got["answer"]["responder"]["name"], "Ana");
    assert_eq!(got["answer"]["responder"]["via"], "dashboard");

    let shown = read(&app, &phone.cookie, &next).await;
    holds(
        &shown,
        &["You answered: ", "A port", ">Another</h1>", "ASYNC"],
    );
    assert!(!shown.contains("more wait"), "{shown}");
    // An address says nothing that is not so.
    let made_up = format!(
        "{}?after={}",
        quick(&second),
        second["id"].as_str().unwrap()
    );
    assert!(
        !read(&app, &phone.cookie, &made_up)
            .await
            .contains("You answered")
    );
    // After the last one its own page says what became of it.
    let last = phone.send(&second, &[("text", "80")]).await;
    assert_eq!(last, after_itself(&second));
    let shown = read(&app, &phone.cookie, &last).await;
    holds(
        &shown,
        &[
            "<bdi>You</bdi> answered",
            ">80</p>",
            "Nothing else waits for you.",
        ],
    );
    assert!(!shown.contains("<form"), "{shown}");
}

async fn who_is_on_it_stands_there_and_what_is_put_off_does_not_come_next(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let phone = Phone::of(&app, "Ana", Role::Responder).await;
    let ben = app.sign_in("Ben", Role::Responder).await;
    let first = agent.ask(json!({})).await;
    let put_off = agent.ask(json!({})).await;
    let third = agent.ask(json!({})).await;
    let id = |asked: &Value| asked["id"].as_str().unwrap().to_owned();
    let form = [("id", id(&put_off)), ("minutes", "60".to_owned())];
    let form = form.map(|(name, value)| (name.to_owned(), value));
    let sent = app.submit("/ui/snooze-blocker", &phone.cookie, &form).await;
    assert_eq!(sent.status(), StatusCode::OK);
    let form = [("id".to_owned(), id(&first))];
    let sent = app.submit("/ui/claim-blocker", &ben, &form).await;
    assert_eq!(sent.status(), StatusCode::OK);
    holds(
        &phone.look(&first).await,
        &[
            "<bdi>Ben</bdi> is on it for another ",
            "1 more waits",
            &format!("href=\"{}\"", quick(&third)),
        ],
    );
    // What is put off is still there for who goes to it.
    holds(&phone.look(&put_off).await, &["2 more wait"]);
    // Who hands it over says why.
    let ana = person_named(&app, "Ana").await;
    let form = [
        ("id", id(&first)),
        ("to", format!("person:{ana}")),
        ("why", "You know the <ports>".to_owned()),
    ];
    let form = form.map(|(name, value)| (name.to_owned(), value));
    let sent = app.submit("/ui/hand-over-blocker", &ben, &form).await;
    assert_eq!(sent.status(), StatusCode::OK);
    let shown = phone.look(&first).await;
    holds(
        &shown,
        &["For you: ", "handed it over.", "You know the &lt;ports&gt;"],
    );
    assert!(!shown.contains("is on it"), "{shown}");
}

async fn a_choice_is_answered_by_one_option_or_several(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let phone = Phone::of(&app, "Ana", Role::Responder).await;
    let options =
        json!(["0", {"value": "lru", "label": "LRU <b>", "description": "no new service"}]);
    let one = agent
        .ask(json!({"kind": "choice", "options": options}))
        .await;
    let shown = phone.look(&one).await;
    holds(
        &shown,
        &["type=\"radio\"", "value=\"lru\"", "&lt;b&gt;", "service"],
    );
    let shown = phone
        .refused(&one, &[("text", "")], StatusCode::UNPROCESSABLE_ENTITY)
        .await;
    holds(&shown, &["Pick one of the options first."]);
    phone
        .refused(
            &one,
            &[("selected", "none")],
            StatusCode::UNPROCESSABLE_ENTITY,
        )
        .await;
    // A button of a notification stands for an option; it is only picked.
    let proposed = format!("{}?choice=lru", quick(&one));
    let shown = read(&app, &phone.cookie, &proposed).await;
    holds(&shown, &["Nothing is sent until", "value=\"lru\" checked"]);
    assert_eq!(state(&agent, &one).await, "pending");
    phone.send(&one, &[("selected", "0")]).await;
    assert_eq!(agent.poll(&one).await["answer"]["selected"], json!(["0"]));

    let several = json!({"kind": "choice", "options": ["a", "b", "c"], "multiple": true});
    let any = agent.ask(several.clone()).await;
    holds(&phone.look(&any).await, &["type=\"checkbox\""]);
    phone
        .send(&any, &[("selected", "c"), ("selected", "a")])
        .await;
    assert_eq!(
        agent.poll(&any).await["answer"]["selected"],
        json!(["a", "c"])
    );
    let none = agent.ask(several).await;
    let shown = phone
        .refused(&none, &[("by", "")], StatusCode::UNAUTHORIZED)
        .await;
    holds(&shown, &["You are signed out"]);
    let shown = phone
        .refused(&none, &[("x", "")], StatusCode::UNPROCESSABLE_ENTITY)
        .await;
    holds(
        &shown,
        &[
            "This answer is empty. Send it so?",
            "name=\"empty\" value=\"1\"",
        ],
    );
    phone.send(&none, &[("empty", "1")]).await;
    assert_eq!(agent.poll(&none).await["answer"]["selected"], json!([]));
}

async fn an_acknowledgement_is_one_button(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let phone = Phone::of(&app, "Ana", Role::Responder).await;
    let asked = agent.ask(json!({"kind": "acknowledgement"})).await;
    holds(&phone.look(&asked).await, &[">Acknowledge</button>"]);
    phone.send(&asked, &[]).await;
    assert_eq!(agent.poll(&asked).await["outcome"], "answered");
    holds(
        &phone.look(&asked).await,
        &["<bdi>You</bdi> acknowledged it"],
    );
}

async fn an_approval_shows_all_of_its_action_and_takes_yes_or_no(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let phone = Phone::of(&app, "Ana", Role::Responder).await;
    let action = json!({"query": "DROP TABLE legacy_orders", "n": 0});
    let asked = agent.ask(approval(action.clone())).await;
    let shown = phone.look(&asked).await;
    let digest = asked["action_digest"].as_str().unwrap();
    holds(
        &shown,
        &[
            "What will run",
            "DROP",
            "legacy_orders",
            digest,
            "says about it",
            "the action must not run",
            "value=\"false\">Deny</button>",
            "value=\"true\">Approve</button>",
        ],
    );
    // The action stands before the buttons, and the buttons weigh the same.
    assert!(shown.find("legacy_orders") < shown.find(">Approve<"));
    assert!(!shown.contains("button primary"), "{shown}");
    let fields = [("digest", digest), ("text", "go")];
    let again = phone
        .refused(&asked, &fields, StatusCode::UNPROCESSABLE_ENTITY)
        .await;
    holds(
        &again,
        &[
            "a comment alone decides nothing",
            "\ngo</textarea>",
            "<details open>",
        ],
    );
    // About another action, or about none, nothing is decided.
    let other = format!("sha256:{}", "0".repeat(64));
    for digest in [Some(other.as_str()), None] {
        let mut fields = vec![("approved", "true")];
        fields.extend(digest.map(|digest| ("digest", digest)));
        let shown = phone.refused(&asked, &fields, StatusCode::CONFLICT).await;
        holds(&shown, &["it has changed meanwhile"]);
    }
    assert_eq!(state(&agent, &asked).await, "pending");
    phone
        .send(
            &asked,
            &[("approved", "true"), ("digest", digest), ("text", "go")],
        )
        .await;
    let got = agent.poll(&asked).await;
    assert_eq!(
        (&got["approved"], &got["answer"]["text"]),
        (&json!(true), &json!("go"))
    );
    holds(
        &phone.look(&asked).await,
        &[
            "<bdi>You</bdi> approved it",
            ">go</p>",
            &format!(
                "/settings/grants/new?from={}",
                asked["id"].as_str().unwrap()
            ),
        ],
    );

    let asked = agent.ask(approval(action)).await;
    phone
        .send(
            &asked,
            &[("approved", "false"), ("digest", digest), ("text", "")],
        )
        .await;
    let got = agent.poll(&asked).await;
    assert_eq!(
        (&got["approved"], &got["outcome"]),
        (&json!(false), &json!("denied"))
    );
}

async fn a_plan_is_decided_in_four_ways(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let phone = Phone::of(&app, "Ana", Role::Responder).await;
    for (decision, feedback) in [
        ("proceed", ""),
        ("proceed_clean", "Mind the cache"),
        ("proceed_default", ""),
        ("adjust", "Smaller\r\nsteps"),
    ] {
        let plan = json!({"kind": "plan_review", "plan": "# Move\n\n1. Copy\n2. Delete"});
        let asked = agent.ask(plan).await;
        let shown = read(
            &app,
            &phone.cookie,
            &format!("{}?choice={decision}", quick(&asked)),
        )
        .await;
        holds(
            &shown,
            &[
                "The plan",
                "Delete",
                "name=\"feedback\"",
                &format!("value=\"{decision}\" required checked"),
            ],
        );
        let digest = hidden(&shown, "digest");
        let adjust = [
            ("decision", "adjust"),
            ("feedback", " "),
            ("digest", digest),
        ];
        let again = phone
            .refused(&asked, &adjust, StatusCode::UNPROCESSABLE_ENTITY)
            .await;
        holds(
            &again,
            &["Say what to change", "value=\"adjust\" required checked"],
        );
        let none = [("digest", digest)];
        let again = phone
            .refused(&asked, &none, StatusCode::UNPROCESSABLE_ENTITY)
            .await;
        holds(&again, &["Pick one of the decisions first."]);
        let fields = [
            ("decision", decision),
            ("feedback", feedback),
            ("digest", digest),
        ];
        phone.send(&asked, &fields).await;
        let answer = &agent.poll(&asked).await["answer"];
        assert_eq!(answer["decision"], decision);
        let feedback = Some(feedback.replace("\r\n", "\n")).filter(|it| !it.is_empty());
        assert_eq!(answer["feedback"], json!(feedback));
    }
}

fn form() -> Value {
    json!({"kind": "form", "prompt": "Before I begin:", "questions": [
        {"id": "port", "prompt": "Which port?"},
        {"id": "env", "prompt": "Where?", "options": ["staging", "production"]},
        {"id": "when", "prompt": "When?"},
    ]})
}

async fn a_form_is_answered_question_by_question(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let phone = Phone::of(&app, "Ana", Role::Responder).await;
    let asked = agent.ask(form()).await;
    let shown = phone.look(&asked).await;
    holds(&shown, &["Question 1 of 3", "Send and go on"]);
    let fields = [
        ("question", "port"),
        ("digest", hidden(&shown, "digest")),
        ("text", "80"),
    ];
    assert_eq!(phone.send(&asked, &fields).await, after_itself(&asked));
    let shown = phone.look(&asked).await;
    holds(
        &shown,
        &["Question 2 of 3", "value=\"production\"", "?question=1"],
    );
    // Back to the first, which is there as it was answered.
    let back = format!("{}?question=1", quick(&asked));
    holds(
        &read(&app, &phone.cookie, &back).await,
        &["Question 1 of 3", "\n80</textarea>"],
    );
    let digest = hidden(&shown, "digest");
    let fields = [
        ("question", "env"),
        ("digest", digest),
        ("selected", "staging"),
    ];
    phone.send(&asked, &fields).await;
    let shown = phone.look(&asked).await;
    // All that is sent with the last answer stands above it.
    holds(
        &shown,
        &[
            "Answered so far, and sent with this",
            "80",
            "staging",
            "Send all answers",
        ],
    );
    let digest = hidden(&shown, "digest");
    phone
        .send(
            &asked,
            &[("question", "when"), ("digest", digest), ("text", "now")],
        )
        .await;
    let got = agent.poll(&asked).await;
    let answers = json!({"port": "80", "env": "staging", "when": "now"});
    assert_eq!(got["answer"]["answers"], answers);
    holds(
        &phone.look(&asked).await,
        &["<bdi>You</bdi> answered", "Which", "staging"],
    );
}

async fn a_notification_is_read(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let phone = Phone::of(&app, "Ana", Role::Responder).await;
    let told = agent
        .ask(json!({"kind": "notification", "level": "warning"}))
        .await;
    let shown = phone.look(&told).await;
    holds(&shown, &["Warning", "Nobody has to answer."]);
    assert!(!shown.contains("<form"), "{shown}");
}

async fn nothing_is_decided_by_looking(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let phone = Phone::of(&app, "Ana", Role::Admin).await;
    let asked = agent.ask(approval(json!({"query": "DROP TABLE t"}))).await;
    // That it was opened is noted once, and is all that looking leaves behind.
    phone.look(&asked).await;
    app.until_seen(asked["id"].as_str().unwrap()).await;
    let before = app.last_seq().await;
    for query in [
        "choice=approve",
        "choice=deny",
        "choice=x",
        "approved=true",
        "choice=approve&after=x",
    ] {
        let path = format!("{}?{query}", quick(&asked));
        let shown = read(&app, &phone.cookie, &path).await;
        assert_eq!(
            shown.contains("Nothing is sent until"),
            query.contains("choice=approve") || query == "choice=deny"
        );
        let head = app
            .client()
            .head(app.url(&path))
            .header("cookie", &phone.cookie);
        assert_eq!(head.send().await.unwrap().status(), StatusCode::OK);
    }
    let shown = read(
        &app,
        &phone.cookie,
        &format!("{}?choice=approve", quick(&asked)),
    )
    .await;
    holds(
        &shown,
        &[
            "<button class=\"button primary\" type=\"submit\" name=\"approved\" value=\"true\">Yes, approve<",
        ],
    );
    assert_eq!(app.last_seq().await, before);
    assert_eq!(state(&agent, &asked).await, "pending");
}

const PORT: &str = "Which port should the cache listen on?";

/// What a tap on an earlier answer leads to.
async fn taken(phone: &Phone<'_>, asked: &Value, earlier: &Value, more: &str) -> String {
    let earlier = earlier["id"].as_str().unwrap();
    let place = format!("{}?earlier={earlier}{more}", quick(asked));
    read(phone.app, &phone.cookie, &place).await
}

async fn what_was_answered_before_is_taken_by_a_tap_and_sent_by_none(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let phone = Phone::of(&app, "Ana", Role::Responder).await;
    let earlier = agent.ask(json!({"prompt": PORT})).await;
    desk.done(&earlier, "answer", json!({"text": "6380 <b>"}))
        .await;
    let other = agent.ask(json!({"prompt": "Who feeds the zebras?"})).await;
    desk.done(&other, "answer", json!({"text": "the keeper"}))
        .await;
    let day = app.clock.now().format("on %A").to_string();
    app.clock.advance(TimeDelta::days(2));
    let asked = agent
        .ask(json!({"prompt": "What port should the cache listen on?"}))
        .await;
    let shown = phone.look(&asked).await;
    let link = format!(
        "href=\"{}?earlier={}\"",
        quick(&asked),
        earlier["id"].as_str().unwrap()
    );
    let who = format!("<bdi>desk</bdi> answered {day}");
    holds(
        &shown,
        &["Answered before", &who, PORT, "6380 &lt;b&gt;", &link],
    );
    assert!(!shown.contains("the keeper") && !shown.contains("data-taken"));

    let file = "019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa";
    let shown = taken(&phone, &asked, &earlier, &format!("&files={file}")).await;
    let said = format!("This is what <bdi>desk</bdi> answered {day}. Nothing is sent until");
    let with_file = format!("name=\"attachments\" value=\"{file}\"");
    let again = format!("&amp;files={file}\"");
    holds(
        &shown,
        &[
            &said,
            ">\n6380 &lt;b&gt;</textarea>",
            "data-taken",
            &with_file,
            &again,
        ],
    );
    assert_eq!(state(&agent, &asked).await, "pending");
    // An address puts no words into a form that do not stand there.
    let shown = taken(&phone, &asked, &other, "").await;
    assert!(!shown.contains("the keeper") && !shown.contains("data-taken"));
    phone.send(&asked, &[("text", "6380 <b>")]).await;
    assert_eq!(agent.poll(&asked).await["answer"]["text"], "6380 <b>");

    let choice = json!({"kind": "choice", "prompt": "Which cache?", "options": ["lru", "ttl"]});
    let earlier = agent.ask(choice.clone()).await;
    desk.done(&earlier, "answer", json!({"selected": ["ttl"]}))
        .await;
    let asked = agent.ask(choice).await;
    assert!(!phone.look(&asked).await.contains(" checked"));
    let shown = taken(&phone, &asked, &earlier, "").await;
    holds(&shown, &["value=\"ttl\" checked", "answered today."]);
    assert_eq!(shown.matches(" checked").count(), 1, "{shown}");
}

async fn what_was_answered_before_is_shown_to_no_others(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let phone = Phone::of(&app, "Ana", Role::Responder).await;
    let earlier = agent.ask(json!({"prompt": PORT})).await;
    desk.done(&earlier, "answer", json!({"text": "6380"})).await;
    let asked = agent.ask(json!({"prompt": PORT})).await;
    holds(&phone.look(&asked).await, &["Answered before"]);
    // A viewer has no form in which it could stand.
    let viewer = Phone::of(&app, "Vi", Role::Viewer).await;
    let shown = taken(&viewer, &asked, &earlier, "").await;
    assert!(!shown.contains("Answered before") && !shown.contains("6380"));
    // What everyone was asked is not the word of a team.
    let shop = app.team("Shop").await;
    app.home(shop, "backend").await;
    let of_team = agent.ask(json!({"prompt": PORT})).await;
    let admin = Phone::of(&app, "Ada", Role::Admin).await;
    let shown = taken(&admin, &of_team, &earlier, "").await;
    assert!(!shown.contains("Answered before") && !shown.contains("6380"));
    let service = &app.state.service;
    service.erase(id_of(&earlier), &operator()).await.unwrap();
    let shown = taken(&phone, &asked, &earlier, "").await;
    assert!(!shown.contains("Answered before") && !shown.contains("6380"));
}

async fn an_empty_answer_is_asked_for_once_more(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let phone = Phone::of(&app, "Ana", Role::Responder).await;
    let asked = agent.ask(json!({})).await;
    let fields = [("text", " ")];
    let shown = phone
        .refused(&asked, &fields, StatusCode::UNPROCESSABLE_ENTITY)
        .await;
    holds(
        &shown,
        &[
            "This answer is empty. Send it so?",
            "name=\"empty\" value=\"1\"",
        ],
    );
    assert_eq!(state(&agent, &asked).await, "pending");
    phone.send(&asked, &[("text", " "), ("empty", "1")]).await;
    assert_eq!(agent.poll(&asked).await["answer"]["text"], " ");
}

async fn what_has_no_room_can_only_be_refused_here(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let phone = Phone::of(&app, "Ana", Role::Responder).await;
    let content = format!("{}THE END", "line of a file\n".repeat(900));
    let asked = agent
        .ask(approval(json!({"path": "/etc/x", "content": content})))
        .await;
    let shown = phone.look(&asked).await;
    holds(
        &shown,
        &[
            "longer than a page",
            "only there it can be accepted",
            ">Deny</button>",
            "/blockers/",
        ],
    );
    assert!(
        !shown.contains("THE END") && !shown.contains("value=\"true\""),
        "{shown}"
    );
    // A button of a notification changes nothing about that.
    let shown = read(
        &app,
        &phone.cookie,
        &format!("{}?choice=approve", quick(&asked)),
    )
    .await;
    assert!(!shown.contains("value=\"true\""), "{shown}");
    // Whatever a form says.
    let digest = asked["action_digest"].as_str().unwrap();
    let yes = [("approved", "true"), ("digest", digest)];
    let shown = phone
        .refused(&asked, &yes, StatusCode::UNPROCESSABLE_ENTITY)
        .await;
    holds(&shown, &["does not show all of it"]);
    assert_eq!(state(&agent, &asked).await, "pending");
    phone
        .send(&asked, &[("approved", "false"), ("digest", digest)])
        .await;
    assert_eq!(agent.poll(&asked).await["approved"], false);

    let plan = "A step that has to be read. ".repeat(710);
    let asked = agent
        .ask(json!({"kind": "plan_review", "plan": plan}))
        .await;
    let shown = phone.look(&asked).await;
    holds(
        &shown,
        &[
            "longer than a page",
            "name=\"feedback\"",
            ">Adjust</button>",
        ],
    );
    assert!(!shown.contains("Send decision"), "{shown}");
    let digest = hidden(&shown, "digest").to_owned();
    let go = [("decision", "proceed"), ("digest", digest.as_str())];
    phone
        .refused(&asked, &go, StatusCode::UNPROCESSABLE_ENTITY)
        .await;
    phone
        .send(
            &asked,
            &[
                ("decision", "adjust"),
                ("feedback", "Shorter"),
                ("digest", &digest),
            ],
        )
        .await;
    assert_eq!(agent.poll(&asked).await["outcome"], "adjust");

    // What has no no is answered elsewhere, and nothing of a text is lost.
    let asked = agent.ask(json!({"prompt": "long ".repeat(3_900)})).await;
    let shown = phone.look(&asked).await;
    holds(&shown, &["longer than a page", "Full page"]);
    assert!(!shown.contains("<form"), "{shown}");
    let fields = [("text", "typed before")];
    let shown = phone
        .refused(&asked, &fields, StatusCode::UNPROCESSABLE_ENTITY)
        .await;
    holds(
        &shown,
        &[
            "does not show all of it",
            "Your text was not sent",
            "typed before",
        ],
    );

    // A text in lines fits as it reads, where it does not fit twice.
    let prompt = "A line with a `word` in it.\n\n".repeat(130);
    let asked = agent.ask(json!({"prompt": prompt})).await;
    let shown = phone.look(&asked).await;
    assert!(
        shown.contains("<form") && !shown.contains("As written"),
        "{shown}"
    );
}

async fn what_happened_meanwhile_is_told_and_the_text_is_kept(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let phone = Phone::of(&app, "Ana", Role::Responder).await;
    let ben = Phone::of(&app, "Ben", Role::Responder).await;
    // Answered elsewhere.
    let asked = agent.ask(json!({})).await;
    ben.send(&asked, &[("text", "Ben's text")]).await;
    let late = [("text", "Ana's <text>\r\nin two lines")];
    assert_eq!(phone.send(&asked, &late).await, after_itself(&asked));
    let told = phone.look(&asked).await;
    holds(
        &told,
        &[
            "<bdi>Ben</bdi> answered",
            "Ben's text",
            "Your text was not sent:",
        ],
    );
    holds(&told, &["Ana's &lt;text&gt;\nin two lines"]);
    assert_eq!(agent.poll(&asked).await["answer"]["text"], "Ben's text");
    // Taken back by the agent.
    let asked = agent.ask(json!({})).await;
    agent
        .done(&asked, "cancel", json!({"reason": "found it myself"}))
        .await;
    phone.send(&asked, &[("text", "8080")]).await;
    holds(
        &phone.look(&asked).await,
        &[
            "<bdi>backend</bdi> took it back",
            "found it myself",
            "Your text was not sent:",
            ">8080</p>",
        ],
    );
    // Expired, whether or not the job has come by.
    let asked = agent.ask(json!({"timeout_seconds": 60})).await;
    app.clock.advance(TimeDelta::seconds(61));
    assert_eq!(
        phone.send(&asked, &[("text", "too late")]).await,
        after_itself(&asked)
    );
    app.state.service.expire_due().await.unwrap();
    holds(
        &phone.look(&asked).await,
        &[
            "Nobody answered in time",
            "Your text was not sent:",
            ">too late</p>",
        ],
    );
    // A decision that came too late says nothing of a text.
    let asked = agent.ask(approval(json!({"query": "x"}))).await;
    let digest = asked["action_digest"].as_str().unwrap();
    ben.send(&asked, &[("approved", "false"), ("digest", digest)])
        .await;
    phone
        .send(&asked, &[("approved", "true"), ("digest", digest)])
        .await;
    holds(&phone.look(&asked).await, &["<bdi>Ben</bdi> denied it"]);
    assert_eq!(agent.poll(&asked).await["approved"], false);
}

async fn a_button_that_is_pressed_twice_counts_once(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let phone = Phone::of(&app, "Ana", Role::Responder).await;
    let asked = agent.ask(approval(json!({"query": "x"}))).await;
    let next = agent.ask(json!({"mode": "async"})).await;
    let digest = asked["action_digest"].as_str().unwrap();
    let yes = [("approved", "true"), ("digest", digest)];
    let first = phone.send(&asked, &yes).await;
    assert!(first.starts_with(&quick(&next)), "{first}");
    assert_eq!(phone.send(&asked, &yes).await, first);
    let shown = phone.look(&asked).await;
    assert!(!shown.contains("section class=\"unsent\"><p"), "{shown}");
    assert!(!shown.contains(">Approved</p>"), "{shown}");
}

async fn of_a_form_only_what_was_seen_is_sent_along(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let phone = Phone::of(&app, "Ana", Role::Responder).await;
    let ben = Phone::of(&app, "Ben", Role::Responder).await;
    let asked = agent.ask(form()).await;
    let shown = phone.look(&asked).await;
    let digest = hidden(&shown, "digest");
    let fields = |text| [("question", "port"), ("digest", digest), ("text", text)];
    ben.send(&asked, &fields("443")).await;
    // Somebody else has answered the question that she sees.
    let again = phone
        .refused(&asked, &fields("80"), StatusCode::CONFLICT)
        .await;
    holds(
        &again,
        &[
            "it has changed meanwhile",
            "\n80</textarea>",
            "Question 1 of 3",
        ],
    );
    assert_eq!(agent.poll(&asked).await["progress"], json!({"port": "443"}));
    // One that is no question of it.
    let other = [("question", "x"), ("digest", digest), ("text", "80")];
    let again = phone.refused(&asked, &other, StatusCode::CONFLICT).await;
    holds(
        &again,
        &["Your text was not sent:", ">80</p>", "Question 2 of 3"],
    );
}

async fn whoever_signs_in_comes_back_to_exactly_this_page(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    app.sign_in("Ana", Role::Responder).await;
    let asked = agent.ask(approval(json!({"query": "x"}))).await;
    let wanted = format!("{}?choice=approve", quick(&asked));
    let response = app.get(&wanted).send().await.unwrap();
    let sign_in = place(&response).to_owned();
    let address = reqwest::Url::parse(&app.url(&sign_in)).unwrap();
    assert_eq!(address.path(), "/sign-in");
    let next = address.query_pairs().next().unwrap().1;
    assert_eq!(next, wanted);
    holds(
        &page(app.get(&sign_in), StatusCode::OK).await,
        &[&format!("value=\"{next}\"")],
    );
    let form = [("name", "Ana"), ("password", PASSWORD), ("next", &*next)];
    let response = crate::support::second_step::send(&app, "", "/sign-in", &form).await;
    assert_eq!(place(&response), wanted);
    let cookie = cookie_of(&response);
    holds(&read(&app, &cookie, &wanted).await, &["Yes, approve"]);
    assert_eq!(state(&agent, &asked).await, "pending");
}

async fn a_text_that_is_sent_signed_out_is_shown_again(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let phone = Phone::of(&app, "Ana", Role::Responder).await;
    let ben = Phone::of(&app, "Ben", Role::Responder).await;
    let asked = agent.ask(json!({})).await;
    let page_of_ana = phone.look(&asked).await;
    let by = hidden(&page_of_ana, "by").to_owned();
    assert_eq!(by, person_named(&app, "Ana").await.to_string());
    let fields = [("by", by.as_str()), ("text", "a <long> text")];
    // Another person has signed in in that browser since: it is not their answer.
    let shown = ben.refused(&asked, &fields, StatusCode::UNAUTHORIZED).await;
    holds(
        &shown,
        &[
            "You are signed out",
            "a &lt;long&gt; text",
            "/sign-in?next=%2Fq%2F",
        ],
    );
    app.submit("/sign-out", &phone.cookie, &[]).await;
    let shown = phone
        .refused(&asked, &fields, StatusCode::UNAUTHORIZED)
        .await;
    holds(&shown, &["Nothing was sent", "a &lt;long&gt; text"]);
    assert!(!shown.contains("Which port"), "{shown}");
    assert_eq!(state(&agent, &asked).await, "pending");
}

async fn a_viewer_reads_and_cannot_answer_here(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let phone = Phone::of(&app, "Vic", Role::Viewer).await;
    for more in [
        json!({"prompt": "Which port?"}),
        json!({"kind": "choice", "prompt": "Which port?", "options": ["a", "b"]}),
        form(),
    ] {
        let asked = agent.ask(more).await;
        let shown = phone.look(&asked).await;
        holds(
            &shown,
            &[
                "port?",
                "Your role is viewer: you can read, but not answer.",
            ],
        );
        assert!(!shown.contains("<form"), "{shown}");
        let fields = [("text", "80"), ("selected", "a")];
        let shown = phone.refused(&asked, &fields, StatusCode::FORBIDDEN).await;
        holds(
            &shown,
            &["you can read, but not answer", "Your text was not sent:"],
        );
        assert_eq!(state(&agent, &asked).await, "pending");
    }
}

async fn what_is_not_theirs_is_not_there(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let team = app.team("Payments").await;
    app.home(team, "backend").await;
    let phone = Phone::of(&app, "Ana", Role::Responder).await;
    let asked = agent.ask(json!({"prompt": "zebra?"})).await;
    let nothing = json!({"id": "01890000-0000-7000-8000-000000000000"});
    for asked in [&asked, &nothing, &json!({"id": "x"})] {
        let looked = app.get(&quick(asked)).header("cookie", &phone.cookie);
        let shown = page(looked, StatusCode::NOT_FOUND).await;
        holds(&shown, &["There is no such thing."]);
        assert!(!shown.contains("zebra"), "{shown}");
        let fields = [("text", "80")];
        let shown = phone.refused(asked, &fields, StatusCode::NOT_FOUND).await;
        assert!(!shown.contains("zebra"), "{shown}");
    }
    assert_eq!(state(&agent, &asked).await, "pending");
    // A member who only reads sees it, and cannot answer it.
    app.join(team, "Ana", Part::Reads).await;
    let shown = phone.look(&asked).await;
    holds(&shown, &["zebra?", "<bdi>Payments</bdi>"]);
    assert!(!shown.contains("<form"), "{shown}");
    phone
        .refused(&asked, &[("text", "80")], StatusCode::FORBIDDEN)
        .await;
    assert_eq!(state(&agent, &asked).await, "pending");
}

async fn other_sites_send_no_answer(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let phone = Phone::of(&app, "Ana", Role::Admin).await;
    let asked = agent.ask(json!({})).await;
    let call = || {
        app.post(&quick(&asked))
            .header("cookie", &phone.cookie)
            .form(&[("text", "x")])
    };
    for call in [
        call(),
        call().header(header::ORIGIN, "http://evil.example"),
        call()
            .header(header::ORIGIN, app.url(""))
            .header("sec-fetch-site", "cross-site"),
    ] {
        let text = page(call, StatusCode::FORBIDDEN).await;
        assert!(text.contains("cross_origin"), "{text}");
    }
    assert_eq!(state(&agent, &asked).await, "pending");
}

/// What a browser without anything of it gets, plain and as it comes over the wire: the page with its style, its script
/// and its icon.
async fn weight(phone: &Phone<'_>, asked: &Value) -> (usize, usize) {
    let mut weight = (0, 0);
    for path in [quick(asked).as_str(), "/pkg/quick.js", "/pkg/icon.svg"] {
        let get = |coding| {
            let get = phone.app.get(path).header("cookie", &phone.cookie);
            get.header(header::ACCEPT_ENCODING, coding).send()
        };
        let plain = get("identity").await.unwrap().bytes().await.unwrap().len();
        let coded = get("gzip").await.unwrap();
        assert_eq!(coded.status(), StatusCode::OK);
        weight.0 += plain;
        weight.1 += coded.bytes().await.unwrap().len();
    }
    weight
}

async fn each_page_is_light(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let phone = Phone::of(&app, "Ana", Role::Responder).await;
    let edit = json!({"file_path": "/srv/app/src/main.rs", "old_string": "let port = 80;\n".repeat(8),
                      "new_string": "let port = 8080;\n".repeat(8)});
    let ordinary = [
        json!({"prompt": "Which **port**? `80` is taken.".repeat(5), "title": "A port"}),
        json!({"kind": "choice", "options": ["Redis TTL", {"value": "lru", "label": "LRU in process",
               "description": "no new service, gone with a restart"}, "nothing"]}),
        json!({"kind": "acknowledgement"}),
        approval(
            json!({"command": "kubectl -n prod rollout restart deploy/api && kubectl get pods"}),
        ),
        json!({"kind": "approval", "prompt": "?", "action": {"tool": "Edit", "arguments": edit}}),
        json!({"kind": "plan_review", "plan": "# Move\n\n1. Copy the `orders` table\n2. Compare\n".repeat(8)}),
        form(),
    ];
    for more in ordinary {
        let asked = agent.ask(more.clone()).await;
        let (plain, sent) = weight(&phone, &asked).await;
        println!("{}: {plain} bytes, {sent} compressed", asked["kind"]);
        assert!(plain < 30_000, "{plain}: {more}");
        assert!(sent < 12_000, "{sent}: {more}");
    }
    // Whatever is asked: what has no room is not all there.
    let mut seed: u64 = 7;
    let mut noise = |from: &[char], count: usize| -> String {
        let mut one = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            from[(seed >> 33) as usize % from.len()]
        };
        (0..count).map(|_| one()).collect()
    };
    let letters: Vec<char> = ('!'..='~').collect();
    let far: Vec<char> = ('\u{4e00}'..'\u{9000}').collect();
    let hides: Vec<char> = vec!['\u{202e}', '\u{200b}', 'а', '\t', '\u{2066}', ' '];
    for from in [&letters, &far, &hides] {
        for count in [500, 2_000, 7_000, 9_000, 14_000, 19_000] {
            for approves in [true, false] {
                let text = noise(from, count);
                let line = noise(from, 100).replace('\t', " ");
                let action = json!({"tool": "Bash", "arguments": {"command": text}});
                let more = match approves {
                    true => {
                        json!({"kind": "approval", "prompt": line, "action": action, "title": line})
                    }
                    false => json!({"prompt": text, "title": line, "fallback": text}),
                };
                let asked = agent.ask(more).await;
                let (plain, sent) = weight(&phone, &asked).await;
                println!("{count} odd characters: {plain} bytes, {sent} compressed");
                assert!(sent < 30_000, "{sent} of {plain}");
            }
        }
    }
}
