//! Standing approvals (rule 15): what a person is offered after an approval, what it would have approved, making and revoking.

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    AgentRef, Changeset, Grant, GrantId, Interaction, InteractionId, Principal, Refused, Write,
    decide::{
        grant as rules,
        interaction::{self as decide, AskedOf},
    },
    grant::{GrantDraft, GrantRecord, GrantWrite},
    interaction::{Ask, Outcome, Request, beginning},
    limits,
    matcher::Matcher,
};
use store::{GrantQuery, GrantUse};

use super::{Service, ServiceError, TRIES};

/// How many approvals are read at once when it is looked back: each may be as large as a request.
const PAGE: u32 = 25;
/// How many of what it would have approved are shown.
const SHOWN: usize = 20;
/// How many uses of one grant are shown.
const USES: u32 = 200;
/// What the look-back of a grant's owner tells of.
const WEEK: TimeDelta = TimeDelta::days(7);

/// What can be approved ahead, and what that would have approved.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// Which actions.
    pub matcher: Matcher,
    /// The same in words.
    pub in_words: String,
    /// What it would have approved.
    pub past: Past,
}

/// What a matcher would have approved of what was asked lately.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    /// How many approvals of the agent were looked at.
    pub looked_at: u32,
    /// Whether there are more, which were not.
    pub more: bool,
    /// How many it would have approved.
    pub covered: u32,
    /// How many of them a person has denied.
    pub denied: u32,
    /// The newest of them.
    pub newest: Vec<PastOne>,
}

/// One approval that it would have given.
#[derive(Clone, Debug, PartialEq)]
pub struct PastOne {
    /// Which.
    pub id: InteractionId,
    /// How what was asked begins.
    pub prompt: String,
    /// When.
    pub at: DateTime<Utc>,
    /// How it ended.
    pub outcome: Option<Outcome>,
}

/// A grant, and how it was used.
#[derive(Clone, Debug, PartialEq)]
pub struct GrantShown {
    /// The grant.
    pub record: GrantRecord,
    /// What it covers, in words; `None` once that is erased.
    pub in_words: Option<String>,
    /// How often in the last seven days.
    pub this_week: u64,
    /// Whether it covers something at this moment, as far as can be said without using it.
    pub in_force: bool,
}

impl Service {
    /// What can be approved ahead after this approval, the narrowest first, each with what it would have approved in the last
    /// 30 days. Nothing where the reader may not make a grant of it.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`].
    pub async fn grant_offers(
        &self,
        id: InteractionId,
        by: &Principal,
    ) -> Result<Vec<Offer>, ServiceError> {
        let approval = self.interaction(id, by).await?;
        let offers = rules::offers(&approval, by);
        let pasts = self.pasts(&approval, &offers).await?;
        let pairs = offers.into_iter().zip(pasts);
        let offered = pairs.map(|(matcher, past)| Offer {
            in_words: words(&matcher, Some(&approval)),
            matcher,
            past,
        });
        Ok(offered.collect())
    }

    /// The matcher with this digest among those that can be approved ahead after this approval: who has chosen one has seen what
    /// it would have approved.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`].
    pub async fn offered_matcher(
        &self,
        id: InteractionId,
        digest: &str,
        by: &Principal,
    ) -> Result<Option<Matcher>, ServiceError> {
        let approval = self.interaction(id, by).await?;
        let is_it = |matcher: &Matcher| matcher.digest().is_ok_and(|one| one == digest);
        Ok(rules::offers(&approval, by).into_iter().find(is_it))
    }

    /// What one matcher would have approved, before a grant is made of it.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`]; [`Refused::NotAResponder`], [`Refused::NotInTeam`], [`Refused::NotApproved`],
    /// [`Refused::Invalid`].
    pub async fn grant_past(
        &self,
        id: InteractionId,
        draft: &GrantDraft,
        by: &Principal,
    ) -> Result<Offer, ServiceError> {
        let approval = self.interaction(id, by).await?;
        let tried = self.tried(&approval, draft.clone(), by).await?;
        let grant = made(&tried).ok_or(ServiceError::NotFound)?;
        let scope = grant.scope.as_ref().ok_or(ServiceError::NotFound)?;
        let matcher = scope.matcher.clone();
        let mut pasts = self
            .pasts(&approval, std::slice::from_ref(&matcher))
            .await?;
        Ok(Offer {
            in_words: words(&matcher, Some(&approval)),
            matcher,
            past: pasts.pop().unwrap_or_default(),
        })
    }

    /// Makes a grant of an approval.
    ///
    /// # Errors
    /// As [`Service::grant_past`].
    pub async fn make_grant(
        &self,
        id: InteractionId,
        draft: GrantDraft,
        by: &Principal,
    ) -> Result<GrantShown, ServiceError> {
        by.responder()?;
        for _ in 0..TRIES {
            let approval = self.interaction(id, by).await?;
            let changeset = self.tried(&approval, draft.clone(), by).await?;
            let grant = made(&changeset).ok_or(ServiceError::NotFound)?.terms.id;
            if self.is_first(changeset).await? {
                return self.grant(grant, by).await;
            }
        }
        // The rights that they came with have ended meanwhile.
        Err(Refused::NotAResponder.into())
    }

    async fn tried(
        &self,
        approval: &Interaction,
        draft: GrantDraft,
        by: &Principal,
    ) -> Result<Changeset, ServiceError> {
        let now = self.moment();
        let in_force = self.store.count_grants(approval.agent.id, now.at).await?;
        let in_force = usize::try_from(in_force).unwrap_or(usize::MAX);
        Ok(rules::make(approval, draft, by, in_force, now)?)
    }

    /// Ends a grant, on all nodes: when this returns, nothing is approved by it any more.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`]; [`Refused::NotAResponder`], [`Refused::NotInTeam`].
    pub async fn revoke_grant(
        &self,
        id: GrantId,
        by: &Principal,
    ) -> Result<GrantShown, ServiceError> {
        by.responder()?;
        loop {
            let shown = self.grant(id, by).await?;
            let changeset = match rules::revoke(&shown.record, by, self.moment()) {
                Ok(changeset) => changeset,
                // It has ended already, which is what was wanted.
                Err(Refused::Unchanged) => return Ok(shown),
                Err(refused) => return Err(refused.into()),
            };
            if self.is_first(changeset).await? {
                return self.grant(id, by).await;
            }
        }
    }

    /// One grant.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`], also for one that the reader may not see.
    pub async fn grant(&self, id: GrantId, reader: &Principal) -> Result<GrantShown, ServiceError> {
        let record = self.store.grant(id).await?.ok_or(ServiceError::NotFound)?;
        let terms = &record.grant.terms;
        let team = terms.team.as_ref().map(|team| team.id);
        if !reader.audience().includes(terms.agent.id, team) {
            return Err(ServiceError::NotFound);
        }
        let counts = self.store.count_uses(&[id], self.now() - WEEK).await?;
        self.shown(record, &counts).await
    }

    /// Those that the reader may see, the newest first: all, or those that were in force lately.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn grants(
        &self,
        before: Option<GrantId>,
        all: bool,
        limit: u32,
        reader: &Principal,
    ) -> Result<Vec<GrantShown>, ServiceError> {
        let query = GrantQuery {
            before,
            open_since: (!all).then(|| self.now() - WEEK),
            limit,
        };
        let records = self.store.grants(&reader.audience(), query).await?;
        let ids: Vec<_> = records.iter().map(|one| one.grant.terms.id).collect();
        let counts = self.store.count_uses(&ids, self.now() - WEEK).await?;
        let mut shown = Vec::with_capacity(records.len());
        for record in records {
            shown.push(self.shown(record, &counts).await?);
        }
        Ok(shown)
    }

    /// What a grant approved in the last seven days, the newest first, each with the beginning of its prompt.
    ///
    /// # Errors
    /// As [`Service::grant`].
    pub async fn grant_uses(
        &self,
        id: GrantId,
        reader: &Principal,
    ) -> Result<Vec<(GrantUse, Option<String>)>, ServiceError> {
        self.grant(id, reader).await?;
        let uses = self.store.grant_uses(id, self.now() - WEEK, USES).await?;
        let mut shown = Vec::new();
        for one in uses {
            let interaction = self.store.interaction(one.interaction).await?;
            shown.push((one, interaction.map(|it| beginning(&it.request.prompt))));
        }
        Ok(shown)
    }

    async fn shown(
        &self,
        record: GrantRecord,
        counts: &HashMap<GrantId, u64>,
    ) -> Result<GrantShown, ServiceError> {
        let terms = &record.grant.terms;
        let matcher = record.grant.scope.as_ref().map(|scope| &scope.matcher);
        let in_words = match matcher {
            // Its digest is all that it has of the action.
            Some(matcher) if matcher.is_exact() => {
                let approval = self.store.interaction(terms.made_from).await?;
                Some(words(matcher, approval.as_ref()))
            }
            matcher => matcher.map(Matcher::in_words),
        };
        Ok(GrantShown {
            in_words,
            this_week: counts.get(&terms.id).copied().unwrap_or_default(),
            in_force: record.is_in_force(self.now()) && self.store.proves_grant(&record.grant),
            record,
        })
    }

    /// The grant that covers what is asked, if one does.
    pub(super) async fn grant_for(
        &self,
        request: &Request,
        agent: &AgentRef,
        of: &AskedOf,
    ) -> Result<Option<GrantRecord>, ServiceError> {
        let Some(wanted) = decide::wanted(request, agent, of) else {
            return Ok(None);
        };
        let now = self.moment();
        let tool = &wanted.action.tool;
        let records = self.store.grants_in_force(agent.id, tool, now.at).await?;
        let is_proven = |grant: &Grant| {
            let proven = self.store.proves_grant(grant);
            if !proven {
                tracing::error!(grant.id = %grant.terms.id, "a stored grant is not signed: it approves nothing");
            }
            proven
        };
        Ok(rules::covering(&records, &wanted, &is_proven, now).cloned())
    }

    /// What each of them would have approved of what this agent asked of this team and was closed in the last 30 days.
    async fn pasts(
        &self,
        approval: &Interaction,
        matchers: &[Matcher],
    ) -> Result<Vec<Past>, ServiceError> {
        let mut pasts = vec![Past::default(); matchers.len()];
        if matchers.is_empty() {
            return Ok(pasts);
        }
        let since = self.now() - limits::GRANT_LOOKS_BACK;
        let (mut before, mut looked_at, mut more) = (None, 0, true);
        let mut read = 0;
        while more && read < limits::GRANT_LOOKS_AT {
            let agent = approval.agent.id;
            let page = self
                .store
                .approvals_before(agent, before, since, PAGE)
                .await?;
            more = page.len() >= PAGE as usize;
            before = page.last().map(|last| {
                let closed_at = last.state.closed_at();
                (closed_at.unwrap_or(last.created_at), last.id)
            });
            read += u32::try_from(page.len()).unwrap_or(PAGE);
            // Rule 18: of what other teams were asked not even the number is told.
            let of_team = page
                .iter()
                .filter(|one| one.team_id() == approval.team_id());
            for one in of_team {
                looked_at += 1;
                let covering = matchers.iter().zip(&mut pasts);
                for (_, past) in covering.filter(|(matcher, _)| covers(matcher, one)) {
                    past.take(one);
                }
            }
        }
        for past in &mut pasts {
            (past.looked_at, past.more) = (looked_at, more);
        }
        Ok(pasts)
    }
}

impl Past {
    fn take(&mut self, one: &Interaction) {
        let outcome = one.state.outcome();
        self.covered += 1;
        self.denied += u32::from(outcome == Some(Outcome::Denied));
        // What a person has denied is shown whenever it was.
        if self.newest.len() < SHOWN
            || (outcome == Some(Outcome::Denied) && self.denied as usize <= SHOWN)
        {
            self.newest.push(PastOne {
                id: one.id,
                prompt: beginning(&one.request.prompt),
                at: one.created_at,
                outcome,
            });
        }
    }
}

/// What it covers, in words, by what it was made from.
fn words(matcher: &Matcher, made_from: Option<&Interaction>) -> String {
    match made_from.map(|approval| &approval.request.ask) {
        Some(Ask::Approval { action, .. }) => matcher.in_words_of(action),
        _ => matcher.in_words(),
    }
}

fn covers(matcher: &Matcher, one: &Interaction) -> bool {
    // Rule 14: what a policy asks about each time no grant covers, and what it calls destructive only one for exactly this.
    let is_ruled = one.ruled().is_some_and(|ruled| ruled.then.is_some());
    if is_ruled || (one.request.is_destructive() && !matcher.is_exact()) {
        return false;
    }
    match &one.request.ask {
        // Rule 16: where people are counted no grant decides.
        Ask::Approval {
            action,
            approvals: None,
            ..
        } => matcher.matches(action),
        _ => false,
    }
}

/// The grant that a changeset makes.
fn made(changeset: &Changeset) -> Option<&Grant> {
    changeset.writes.iter().find_map(|write| match write {
        Write::Grant(GrantWrite::Make(grant)) => Some(&**grant),
        _ => None,
    })
}
