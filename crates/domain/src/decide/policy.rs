//! Policies are put in force: by an admin, by a server that reads its file, or, only to be stricter, by a program that answers.

use crate::{
    changeset::{Changeset, Write},
    event::{NewEvent, PolicyEvent},
    fault::Fault,
    ids::{EventId, Moment, PolicyId},
    policy::{Policies, PolicyRule, PolicySet, PolicyWrite, Source, Surroundings},
    principal::{Actor, Principal},
    refused::Refused,
};

/// How long people have at least under a rule that a token adds: one who hurries them takes their questions away.
const LEAST_SECONDS: i64 = 60;

/// What is in force until now.
#[derive(Clone, Copy, Debug, Default)]
pub struct Before<'a> {
    /// Which; `None` = there were never any.
    pub id: Option<PolicyId>,
    /// What they say, where they can be read and are proven. Those that cannot are taken the place of all the same.
    pub set: Option<&'a PolicySet>,
}

/// These are in force from now on, in place of `before`, which are those that were set here. A program that answers may only
/// add to them, rules that ask or forbid what its own teams are asked.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::NotAResponder`], [`Refused::Unproven`], [`Refused::Unchanged`],
/// [`Refused::Invalid`], [`Refused::NoKey`].
pub fn set(
    before: Before<'_>,
    policies: Policies,
    surroundings: &Surroundings,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    change(before, policies, &[], surroundings, by, now)
}

/// These rules are in force from now on, beside those that are. One that stands there as it is counts as added: who has lost the
/// reply adds it once more. A program may add no more than by [`set`].
///
/// # Errors
/// As [`set`]; [`Refused::Unchanged`] where all of them stand there.
pub fn add(
    before: Before<'_>,
    added: &Policies,
    surroundings: &Surroundings,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let kept = before.set.map(|set| set.policies.rules.clone());
    let mut rules = kept.unwrap_or_default();
    let (repeated, new): (Vec<_>, Vec<_>) = added
        .rules
        .iter()
        .cloned()
        .partition(|rule| rules.contains(rule));
    rules.extend(new);
    change(before, Policies { rules }, &repeated, surroundings, by, now)
}

fn change(
    before: Before<'_>,
    policies: Policies,
    repeated: &[PolicyRule],
    surroundings: &Surroundings,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = setter(before, &policies, repeated, surroundings, by, now)?;
    checked(&policies, surroundings)?;
    if before.says() == Some(&policies) {
        return Err(Refused::Unchanged);
    }
    put(before, Source::Here, policies, actor, now)
}

/// A server has read these from its file. `before` are those that a file held when one was read last, by whichever server.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::Unproven`], [`Refused::Unchanged`], [`Refused::Invalid`], [`Refused::NoKey`].
pub fn load(
    before: Before<'_>,
    policies: Policies,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.proven_admin(now.at)?;
    policies.check().map_err(Refused::Invalid)?;
    if before.set.is_some_and(|set| set.policies == policies) {
        return Err(Refused::Unchanged);
    }
    put(before, Source::File, policies, actor, now)
}

/// All that is wrong with policies before they are put in force.
///
/// # Errors
/// [`Refused::Invalid`].
pub fn checked(policies: &Policies, surroundings: &Surroundings) -> Result<(), Refused> {
    let mut faults = policies.check().err().unwrap_or_default();
    faults.extend(policies.check_among(surroundings).err().unwrap_or_default());
    match faults.is_empty() {
        true => Ok(()),
        false => Err(Refused::Invalid(faults)),
    }
}

/// Who may put them in force.
fn setter(
    before: Before<'_>,
    policies: &Policies,
    repeated: &[PolicyRule],
    surroundings: &Surroundings,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Actor, Refused> {
    let Principal::Script { teams, .. } = by else {
        return by.proven_admin(now.at);
    };
    let responder = by.responder()?;
    // Of what cannot be read nobody knows what would be weakened.
    let before = before.says().ok_or(Refused::NotAnAdmin)?;
    if !policies.only_add_to(before) {
        let why = "a token can only make policies stricter: keep every rule, and add none that allows; an admin changes them on the page or by `handraise policy set`";
        return Err(Refused::Invalid(vec![Fault::new("rules", why)]));
    }
    let there = surroundings.teams.iter();
    let own: Vec<String> = there
        .filter(|team| teams.answers(team.id))
        .map(|team| team.name.to_lowercase())
        .collect();
    let is_own = |team: &String| own.contains(&team.to_lowercase());
    let mut faults = Vec::new();
    for (n, rule) in policies.rules.iter().enumerate() {
        // Rule 18: that a rule of another team stands there is not told by repeating it either.
        let is_new = !before.rules.contains(rule) || repeated.contains(rule);
        if is_new && (rule.teams.is_empty() || !rule.teams.iter().all(is_own)) {
            let why = "a token adds rules for its own teams alone: name them";
            faults.push(Fault::new(format!("rules[{n}].teams"), why));
        }
        if is_new && rule.team.as_ref().is_some_and(|team| !is_own(team)) {
            let why = "a token hands nothing to another team: name one of its own, or none";
            faults.push(Fault::new(format!("rules[{n}].team"), why));
        }
        let is_hurried = |seconds| seconds < LEAST_SECONDS;
        if is_new && rule.deadline_seconds.is_some_and(is_hurried) {
            let why = format!("a token leaves people {LEAST_SECONDS} seconds at least");
            faults.push(Fault::new(format!("rules[{n}].deadline_seconds"), why));
        }
    }
    match faults.is_empty() {
        true => Ok(Actor::Responder(responder)),
        false => Err(Refused::Invalid(faults)),
    }
}

/// No rule at all.
static NONE: Policies = Policies { rules: Vec::new() };

impl Before<'_> {
    /// What they say; `None` where that is not known.
    fn says(&self) -> Option<&Policies> {
        match (self.id, self.set) {
            (_, Some(set)) => Some(&set.policies),
            (None, None) => Some(&NONE),
            (Some(_), None) => None,
        }
    }
}

fn put(
    before: Before<'_>,
    source: Source,
    policies: Policies,
    actor: Actor,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let signer = now.signer.ok_or(Refused::NoKey)?;
    let id = PolicyId(now.ids.next());
    let set = PolicySet::sign(
        id,
        (source, before.id),
        policies,
        actor.clone(),
        now.at,
        signer,
    );
    let set = set.ok_or(Refused::NoKey)?;
    let terms = Box::new(set.terms.clone());
    let payload = match source {
        Source::Here => PolicyEvent::Set(terms),
        Source::File => PolicyEvent::Loaded(terms),
    };
    let write = PolicyWrite::Set {
        set: Box::new(set),
        replaces: before.id,
    };
    Ok(Changeset {
        writes: vec![Write::Policy(write)],
        events: vec![NewEvent {
            id: EventId(now.ids.next()),
            salt: now.ids.salt(),
            at: now.at,
            actor,
            agent_id: None,
            interaction_id: None,
            task_id: None,
            payload: payload.into(),
        }],
        key: None,
        quota: None,
    })
}
