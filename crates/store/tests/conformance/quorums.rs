//! Approvals that take several people (rule 16), and amended ones.

use std::{collections::BTreeSet, sync::Arc};

use domain::{
    AgentRef, Audience, Changeset, Interaction, Part, Person, Principal, Refused, Role, SecretHash,
    State, Team, TokenKind, Verify, Write,
    access::{Access, Lifetime, NewLink},
    decide::{
        access,
        interaction::{self as decide, Voters},
        team,
    },
    interaction::{AnswerDraft, Draft, Outcome, Unproven},
    sign::{PublicKey, Sign, Signature},
    team::{Membership, Profile},
};
use serde_json::{Value, json};
use store::{CommitError, Store};

use crate::database::{Database, Stamp, ana, epoch, operator, rand_hash, written};

store::on_both_databases!(
    what_several_approve_comes_back_as_it_was,
    of_many_approvals_at_once_each_person_counts_once,
    who_is_kept_out_in_the_same_moment_does_not_count,
    who_could_not_answer_for_a_time_has_not_approved,
    whose_agent_it_becomes_in_the_same_moment_does_not_count,
    who_gives_up_the_token_that_asked_owns_the_agent_all_the_same,
    an_approval_that_is_written_into_the_database_counts_for_nothing,
    an_amendment_comes_back_and_is_void_once_it_is_changed,
);

/// Believes what [`Stamp`] signs.
struct Believer;

impl Verify for Believer {
    fn holds(&self, key: &PublicKey, message: &[u8], signature: &Signature) -> bool {
        *key == Stamp.public_key() && *signature == Stamp.sign(message)
    }
}

async fn believing(database: &Database) -> Arc<dyn Store> {
    let store = database.store().await;
    store.trust(Arc::new(Believer));
    store
}

async fn somebody(database: &Database, store: &dyn Store, name: &str, role: Role) -> Person {
    let link = NewLink {
        hash: SecretHash(rand_hash()),
        expires_at: epoch(),
    };
    let made = access::invite(name, role, link, &operator(), database.at(0)).unwrap();
    store.commit(made).await.unwrap();
    let key = Person::name_key(name);
    store.account(&key).await.unwrap().unwrap().person
}

async fn principal(store: &dyn Store, person: &Person) -> Principal {
    Principal::Person {
        id: person.id,
        name: person.name.clone(),
        role: person.role,
        proven_at: epoch(),
        teams: store.parts(person.id).await.unwrap(),
    }
}

/// What is known of these, and of the owners of the agent.
async fn voters(store: &dyn Store, people: &[&Person], agent: &AgentRef) -> Voters {
    let mut known = Vec::new();
    for person in people {
        known.push(principal(store, person).await);
    }
    Voters {
        people: known,
        owners: store.owners_of(agent.id, epoch()).await.unwrap(),
        lapsed: Vec::new(),
    }
}

fn deploy(more: Value) -> Draft {
    let mut body = json!({
        "kind": "approval", "prompt": "Deploy?",
        "action": {"tool": "deploy", "arguments": {"replicas": 2}},
    });
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    serde_json::from_value(body).unwrap()
}

async fn asked(
    database: &Database,
    store: &dyn Store,
    agent: &AgentRef,
    of: Option<&Team>,
    draft: Draft,
) -> Interaction {
    let request = draft.check(|_| None).unwrap();
    let (team, now) = (of.map(Team::named), database.at(0));
    let asking = decide::open(request, agent.clone(), team, None, None, None, now);
    let interaction = written(&asking);
    store.commit(asking).await.unwrap();
    interaction
}

fn yes(
    database: &Database,
    interaction: &Interaction,
    by: &Principal,
    voters: &Voters,
) -> Result<Changeset, Refused> {
    let draft = AnswerDraft {
        approved: Some(true),
        ..AnswerDraft::default()
    };
    decide::answer_counted(interaction, draft, by, voters, None, database.at(10))
}

async fn read(store: &dyn Store, of: &Interaction) -> Interaction {
    store.interaction(of.id).await.unwrap().unwrap()
}

async fn replayed(store: &dyn Store, of: &Interaction) -> Interaction {
    let events = store.events_of(of.id, 0, 100).await.unwrap().collect();
    Interaction::replay(&events).unwrap()
}

async fn what_several_approve_comes_back_as_it_was(database: Database) {
    let store = believing(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let (ana, bo) = (
        somebody(&database, &*store, "Ana", Role::Responder).await,
        somebody(&database, &*store, "Bo", Role::Admin).await,
    );
    let known = voters(&*store, &[&ana, &bo], &agent).await;
    let draft = deploy(json!({"approvals": {"needed": 2}}));
    let asked = asked(&database, &*store, &agent, None, draft).await;
    assert_eq!(read(&*store, &asked).await, asked);
    let by = principal(&*store, &ana).await;
    let voting = yes(&database, &asked, &by, &known).unwrap();
    let one = written(&voting);
    store.commit(voting).await.unwrap();
    assert_eq!(read(&*store, &asked).await, one);
    assert_eq!(replayed(&*store, &asked).await, one);
    let listed = store.waiting(&Audience::All, 10).await.unwrap();
    let progress = listed[0].form.unwrap();
    assert_eq!((progress.answered, progress.of), (1, 2));
    let by = principal(&*store, &bo).await;
    let deciding = yes(&database, &one, &by, &known).unwrap();
    let both = written(&deciding);
    store.commit(deciding).await.unwrap();
    assert_eq!(read(&*store, &asked).await, both);
    assert_eq!(replayed(&*store, &asked).await, both);
    assert_eq!(both.approved(), Some(true));
    assert_eq!(both.receipt().unwrap().decision.approvers.len(), 2);
    store::verify_journal(&*store).await.unwrap();
}

/// Reads, decides and commits until it is done or refused, as a node does.
async fn insists(
    database: Arc<Database>,
    store: Arc<dyn Store>,
    asked: Interaction,
    person: Person,
    known: Voters,
) -> bool {
    let by = principal(&*store, &person).await;
    loop {
        let now = read(&*store, &asked).await;
        let Ok(voting) = yes(&database, &now, &by, &known) else {
            return false;
        };
        match store.commit(voting).await {
            Ok(_) => return true,
            Err(CommitError::Conflict) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

async fn of_many_approvals_at_once_each_person_counts_once(database: Database) {
    let store = believing(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let mut people = Vec::new();
    for name in ["Ana", "Bo", "Cy", "Di"] {
        people.push(somebody(&database, &*store, name, Role::Responder).await);
    }
    let refs: Vec<&Person> = people.iter().collect();
    let known = voters(&*store, &refs, &agent).await;
    let draft = deploy(json!({"approvals": {"needed": 3}}));
    let asked = asked(&database, &*store, &agent, None, draft).await;
    let database = Arc::new(database);
    // Each of them on three nodes at once.
    let clicks: Vec<_> = (0..12)
        .map(|n| {
            tokio::spawn(insists(
                database.clone(),
                store.clone(),
                asked.clone(),
                people[n % people.len()].clone(),
                known.clone(),
            ))
        })
        .collect();
    let mut counted = 0;
    for click in clicks {
        counted += u32::from(click.await.unwrap());
    }
    assert_eq!(counted, 3);
    let now = read(&*store, &asked).await;
    assert_eq!(now.approved(), Some(true));
    let approvers = &now.receipt().unwrap().decision.approvers;
    let ids: BTreeSet<_> = approvers.iter().map(|one| one.responder.id).collect();
    assert_eq!((ids.len(), approvers.len()), (3, 3));
    assert_eq!(replayed(&*store, &asked).await, now);
}

async fn who_is_kept_out_in_the_same_moment_does_not_count(database: Database) {
    let store = believing(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let profile = Profile {
        name: "Payments".to_owned(),
        ..Profile::default()
    };
    let made = team::create(profile, &operator(), database.at(0)).unwrap();
    store.commit(made).await.unwrap();
    let key = Person::name_key("Payments");
    let payments = store.team_named(&key).await.unwrap().unwrap();
    let bo = somebody(&database, &*store, "Bo", Role::Responder).await;
    let joins = async |person: &Person| {
        let (by, now) = (operator(), database.at(1));
        let set = team::set_member(&payments, person, None, Part::Answers, &by, now);
        store.commit(set.unwrap()).await.unwrap();
    };
    joins(&bo).await;
    for (n, how) in ["disabled", "viewer", "left"].into_iter().enumerate() {
        let ana = somebody(&database, &*store, &format!("Ana {n}"), Role::Responder).await;
        joins(&ana).await;
        let known = voters(&*store, &[&ana, &bo], &agent).await;
        let draft = deploy(json!({"approvals": {"needed": 2, "of": "team"}}));
        let asked = asked(&database, &*store, &agent, Some(&payments), draft).await;
        let by = principal(&*store, &ana).await;
        let voting = yes(&database, &asked, &by, &known).unwrap();
        let one = written(&voting);
        store.commit(voting).await.unwrap();
        let by = principal(&*store, &bo).await;
        let late = yes(&database, &one, &by, &known).unwrap();
        assert_eq!(written(&late).approved(), Some(true));
        let (admin, now) = (operator(), database.at(2));
        let ends = match how {
            "disabled" => access::disable(&ana, true, &[], &admin, now),
            "viewer" => access::change(&ana, &ana.name, Role::Viewer, &admin, now),
            _ => team::remove_member(&payments, &ana, Some(Part::Answers), &admin, now),
        };
        store.commit(ends.unwrap()).await.unwrap();
        let refused = store.commit(late).await;
        assert!(matches!(refused, Err(CommitError::Conflict)), "{how}");
        assert_eq!(read(&*store, &asked).await, one, "{how}");
        // As they are now, only Bo has approved.
        let known = voters(&*store, &[&bo], &agent).await;
        let anew = yes(&database, &one, &by, &known).unwrap();
        store.commit(anew).await.unwrap();
        let now = read(&*store, &asked).await;
        assert_eq!(
            (now.votes().len(), now.approved()),
            (1, Some(false)),
            "{how}"
        );
    }
}

async fn who_could_not_answer_for_a_time_has_not_approved(database: Database) {
    let store = believing(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let profile = Profile {
        name: "Payments".to_owned(),
        ..Profile::default()
    };
    let made = team::create(profile, &operator(), database.at(0)).unwrap();
    store.commit(made).await.unwrap();
    let key = Person::name_key("Payments");
    let payments = store.team_named(&key).await.unwrap().unwrap();
    let sets = async |person: &Person, had: Option<Part>, part: Part, seconds: i64| {
        let (by, now) = (operator(), database.at(seconds));
        let had = had.map(|part| Membership {
            team: payments.named(),
            part,
            issuer: None,
        });
        let set = team::set_member(&payments, person, had.as_ref(), part, &by, now);
        store.commit(set.unwrap()).await.unwrap();
    };
    for (n, how) in ["disabled", "viewer", "reads", "left", "nothing"]
        .into_iter()
        .enumerate()
    {
        let name = format!("Ana {n}");
        let ana = somebody(&database, &*store, &name, Role::Responder).await;
        sets(&ana, None, Part::Answers, 1).await;
        let admin = operator();
        let known = voters(&*store, &[&ana], &agent).await;
        let draft = deploy(json!({"approvals": {"needed": 2}}));
        let asked = asked(&database, &*store, &agent, Some(&payments), draft).await;
        let by = principal(&*store, &ana).await;
        let voting = yes(&database, &asked, &by, &known).unwrap();
        let at = written(&voting).votes()[0].at;
        store.commit(voting).await.unwrap();
        let has_lapsed = async || store.has_lapsed(ana.id, asked.id, at).await.unwrap();
        assert!(!has_lapsed().await, "{how}");
        let now = || database.at(20);
        let ends = match how {
            "disabled" => Some(access::disable(&ana, true, &[], &admin, now())),
            "viewer" => Some(access::change(&ana, &ana.name, Role::Viewer, &admin, now())),
            "left" => Some(team::remove_member(
                &payments,
                &ana,
                Some(Part::Answers),
                &admin,
                now(),
            )),
            _ => None,
        };
        if let Some(ends) = ends {
            store.commit(ends.unwrap()).await.unwrap();
        }
        if how == "reads" {
            sets(&ana, Some(Part::Answers), Part::Reads, 20).await;
            sets(&ana, Some(Part::Reads), Part::Answers, 21).await;
        }
        if how == "disabled" {
            let account = store.account(&Person::name_key(&name)).await.unwrap();
            let disabled = account.unwrap().person;
            let enabled = access::disable(&disabled, false, &[], &admin, database.at(21));
            store.commit(enabled.unwrap()).await.unwrap();
        }
        let expected = how != "nothing";
        assert_eq!(has_lapsed().await, expected, "{how}");
    }
}

async fn whose_agent_it_becomes_in_the_same_moment_does_not_count(database: Database) {
    let store = believing(&database).await;
    let (ana, bo) = (
        somebody(&database, &*store, "Ana", Role::Responder).await,
        somebody(&database, &*store, "Bo", Role::Responder).await,
    );
    let new = access::NewToken {
        kind: TokenKind::Agent,
        name: "backend",
        agent: None,
        lifetime: Lifetime::Never,
        teams: &[],
        owner: Some(&bo),
    };
    let (hash, by) = (SecretHash(rand_hash()), operator());
    let made = access::create_token(&new, hash, &by, database.at(1)).unwrap();
    let token = made.writes.iter().find_map(|write| match write {
        Write::Access(Access::Token { token, .. }) => Some(token.clone()),
        _ => None,
    });
    store.commit(made).await.unwrap();
    let token = token.unwrap();
    let agent = AgentRef {
        id: token.agent_id.unwrap(),
        name: "backend".into(),
    };
    let known = voters(&*store, &[&ana, &bo], &agent).await;
    assert_eq!(known.owners, [bo.id]);
    let draft = deploy(json!({"approvals": {"four_eyes": true}}));
    let asked = asked(&database, &*store, &agent, None, draft).await;
    let by = principal(&*store, &ana).await;
    let late = yes(&database, &asked, &by, &known).unwrap();
    let given = access::change_owner(&token, Some(&ana), &operator(), database.at(2)).unwrap();
    store.commit(given).await.unwrap();
    let refused = store.commit(late).await;
    assert!(matches!(refused, Err(CommitError::Conflict)));
    let known = voters(&*store, &[&ana, &bo], &agent).await;
    let refused = yes(&database, &asked, &by, &known);
    assert!(
        matches!(refused, Err(Refused::NotCounted(_))),
        "{refused:?}"
    );
    let by = principal(&*store, &bo).await;
    let fine = yes(&database, &asked, &by, &known).unwrap();
    store.commit(fine).await.unwrap();
    assert_eq!(read(&*store, &asked).await.approved(), Some(true));
}

async fn who_gives_up_the_token_that_asked_owns_the_agent_all_the_same(database: Database) {
    let store = believing(&database).await;
    let (ana, bo) = (
        somebody(&database, &*store, "Ana", Role::Responder).await,
        somebody(&database, &*store, "Bo", Role::Responder).await,
    );
    let made = async |owner: &Person, seconds: i64| {
        let new = access::NewToken {
            kind: TokenKind::Agent,
            name: "backend",
            agent: store.agent_named("backend").await.unwrap(),
            lifetime: Lifetime::Never,
            teams: &[],
            owner: Some(owner),
        };
        let (hash, by) = (SecretHash(rand_hash()), operator());
        let made = access::create_token(&new, hash, &by, database.at(seconds)).unwrap();
        let token = made.writes.iter().find_map(|write| match write {
            Write::Access(Access::Token { token, .. }) => Some(token.clone()),
            _ => None,
        });
        store.commit(made).await.unwrap();
        token.unwrap()
    };
    let of_bo = made(&bo, 0).await;
    let agent = AgentRef {
        id: of_bo.agent_id.unwrap(),
        name: "backend".into(),
    };
    let draft = deploy(json!({"approvals": {"four_eyes": true}}));
    let asked = asked(&database, &*store, &agent, None, draft).await;
    // Bo makes a token for Ana and ends their own, and then approves what it asked.
    made(&ana, 1).await;
    let ended = access::revoke_token(&of_bo, &operator(), database.at(2)).unwrap();
    store.commit(ended).await.unwrap();
    let known = voters(&*store, &[&ana, &bo], &agent).await;
    assert_eq!(known.owners.len(), 2);
    for person in [&ana, &bo] {
        let by = principal(&*store, person).await;
        let refused = yes(&database, &asked, &by, &known);
        assert!(
            matches!(refused, Err(Refused::NotCounted(_))),
            "{refused:?}"
        );
    }
    // Nor by what somebody knew before the token was ended.
    let cy = somebody(&database, &*store, "Cy", Role::Responder).await;
    let stale = Voters {
        people: vec![principal(&*store, &cy).await],
        owners: vec![ana.id],
        lapsed: Vec::new(),
    };
    let by = principal(&*store, &cy).await;
    let late = yes(&database, &asked, &by, &stale).unwrap();
    let refused = store.commit(late).await;
    assert!(matches!(refused, Err(CommitError::Conflict)));
}

async fn an_approval_that_is_written_into_the_database_counts_for_nothing(database: Database) {
    let store = believing(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let ana = somebody(&database, &*store, "Ana", Role::Responder).await;
    let known = voters(&*store, &[&ana], &agent).await;
    let draft = deploy(json!({"approvals": {"needed": 2}}));
    let asked = asked(&database, &*store, &agent, None, draft).await;
    let by = principal(&*store, &ana).await;
    let voting = yes(&database, &asked, &by, &known).unwrap();
    store.commit(voting).await.unwrap();
    database
        .place
        .execute(
            "UPDATE interactions SET detail = replace(detail, '\"name\":\"Ana\"', '\"name\":\"Eve, of the board\"')",
        )
        .await
        .unwrap();
    let State::Void { why, .. } = read(&*store, &asked).await.state else {
        panic!("an approval counts that nobody signed");
    };
    assert_eq!(why, Unproven::OtherVote);
    assert_eq!(store.void(), [(asked.id, why)]);
}

async fn an_amendment_comes_back_and_is_void_once_it_is_changed(database: Database) {
    let store = believing(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let draft = deploy(json!({"amendable": {"paths": ["/replicas"]}}));
    let asked = asked(&database, &*store, &agent, None, draft).await;
    assert_eq!(read(&*store, &asked).await, asked);
    let amended: AnswerDraft =
        serde_json::from_value(json!({"approved": true, "arguments": {"replicas": 1}})).unwrap();
    let answer = decide::answer(&asked, amended, &ana(), None, database.at(10)).unwrap();
    let approved = written(&answer);
    store.commit(answer).await.unwrap();
    assert_eq!(read(&*store, &asked).await, approved);
    assert_eq!(replayed(&*store, &asked).await, approved);
    assert_eq!(
        approved.amended().unwrap().arguments.0,
        json!({"replicas": 1})
    );
    database
        .place
        .execute(
            "UPDATE interactions SET detail = replace(detail, '\"replicas\":1', '\"replicas\":9')",
        )
        .await
        .unwrap();
    let now = read(&*store, &asked).await;
    assert_eq!(now.state.outcome(), Some(Outcome::Void));
    assert_eq!((now.approved(), now.amended()), (Some(false), None));
}
