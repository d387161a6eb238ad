//! The month behind: what was asked, answered and done, in the order in which it happened.

use std::collections::BTreeMap;

use anyhow::Context;
use chrono::{DateTime, Datelike, TimeDelta, TimeZone, Utc, Weekday};
use domain::{
    AgentRef, InteractionId, Principal,
    grant::GrantDraft,
    interaction::{AnswerDraft, Outcome},
};
use machine::clock::SetClock;
use rand::{RngExt, SeedableRng, rngs::SmallRng};
use service::{Service, ServiceError};

use super::{
    super::said,
    cast::Cast,
    company::{Company, Past, nth},
    ending::{end_task, goes_on},
};

pub(super) const LENGTH: TimeDelta = TimeDelta::days(30);
/// The company always has the same month.
const SEED: u64 = 1;
/// One night in so many agents ask at any hour, and else in the hours in which people work.
const ANY_HOUR: u32 = 5;
const WORK: std::ops::Range<u32> = 8..18;
/// A grant is for two weeks, and made lately enough to be in force still.
const GRANTED: TimeDelta = TimeDelta::days(14);
const GRANT_USES: i64 = 100;
/// An agent takes an answer as soon as it hears of it, and takes a while to do what it was for.
const TAKES: TimeDelta = TimeDelta::seconds(1);

/// What happens next to one question.
enum Step {
    Ask,
    Answer { by: String, draft: Box<AnswerDraft> },
    TakeBack(String),
    Expire,
    GoOn,
    Finish,
}

/// One asking of something.
#[derive(Clone, Copy)]
struct Turn<'a> {
    of: &'a Past,
    time: usize,
    id: Option<InteractionId>,
}

struct Month<'a> {
    service: &'a Service,
    cast: &'a Cast,
    now: DateTime<Utc>,
    chance: SmallRng,
    /// What is to happen, by when; those of one moment in the order in which they were put here.
    ahead: BTreeMap<(DateTime<Utc>, usize), (Turn<'a>, Step)>,
    put: usize,
    granted: Vec<String>,
}

/// Lives through it, and returns how many questions there were.
pub(super) async fn live(
    service: &Service,
    clock: &SetClock,
    company: &Company,
    cast: &Cast,
    now: DateTime<Utc>,
) -> anyhow::Result<usize> {
    let mut month = Month {
        service,
        cast,
        now,
        chance: SmallRng::seed_from_u64(SEED),
        ahead: BTreeMap::new(),
        put: 0,
        granted: Vec::new(),
    };
    for of in &company.past {
        for time in 0..of.times {
            let at = match of.waits_since {
                Some(minutes) => now - TimeDelta::minutes(minutes),
                None => month.some_time(),
            };
            let id = None;
            month.put(at, Turn { of, time, id }, Step::Ask);
        }
    }
    let mut asked = 0;
    while let Some(((at, _), (turn, step))) = month.ahead.pop_first() {
        if at >= now {
            break;
        }
        clock.advance_to(at);
        asked += usize::from(matches!(step, Step::Ask));
        let agent = &turn.of.agent;
        let done = month.take(turn, step, at).await;
        done.with_context(|| format!("the month went wrong with {agent}: {}", turn.of.ask))?;
    }
    clock.advance_to(now);
    // When each token was used last.
    service.write_uses().await?;
    Ok(asked)
}

impl<'a> Month<'a> {
    fn put(&mut self, at: DateTime<Utc>, turn: Turn<'a>, step: Step) {
        self.put += 1;
        self.ahead.insert((at, self.put), (turn, step));
    }

    /// Mostly at work, rarely at a weekend, and not within the last hour.
    fn some_time(&mut self) -> DateTime<Utc> {
        let latest = self.now - TimeDelta::hours(1);
        loop {
            let days = self.chance.random_range(0..LENGTH.num_days());
            let day = (latest - TimeDelta::days(days)).date_naive();
            let hour = match self.chance.random_range(0..ANY_HOUR) {
                0 => self.chance.random_range(0..24),
                _ => self.chance.random_range(WORK),
            };
            let minute = self.chance.random_range(0..60);
            let second = self.chance.random_range(0..60);
            let Some(at) = day.and_hms_opt(hour, minute, second) else {
                continue;
            };
            let at = Utc.from_utc_datetime(&at);
            let is_weekend = matches!(day.weekday(), Weekday::Sat | Weekday::Sun);
            let is_in_it = at < latest && at > self.now - LENGTH + TimeDelta::hours(1);
            if is_in_it && (!is_weekend || self.chance.random_range(0..4) == 0) {
                return at;
            }
        }
    }

    fn within(&mut self, minutes: i64) -> TimeDelta {
        TimeDelta::minutes(minutes) + TimeDelta::seconds(self.chance.random_range(5..60))
    }

    async fn agent(&self, turn: Turn<'a>) -> anyhow::Result<AgentRef> {
        self.cast.agent(self.service, &turn.of.agent).await
    }

    async fn take(&mut self, turn: Turn<'a>, step: Step, at: DateTime<Utc>) -> anyhow::Result<()> {
        match (step, turn.id) {
            (Step::Ask, _) => self.ask(turn, at).await,
            (_, None) => Ok(()),
            (Step::Answer { by, draft }, Some(id)) => self.answer(turn, id, by, *draft, at).await,
            (Step::TakeBack(reason), Some(id)) => {
                let agent = Principal::Agent(self.agent(turn).await?);
                let reason = Some(reason);
                let taken = self.service.cancel(id, reason, &agent).await;
                taken.map(drop).map_err(said)
            }
            (Step::Expire, Some(_)) => {
                self.service.expire_due().await.map_err(said)?;
                let after = self.within(0);
                self.put(at + after, turn, Step::GoOn);
                Ok(())
            }
            (Step::GoOn, Some(id)) => self.go_on(turn, id, at).await,
            (Step::Finish, Some(id)) => self.finish(turn, id).await,
        }
    }

    async fn ask(&mut self, turn: Turn<'a>, at: DateTime<Utc>) -> anyhow::Result<()> {
        let agent = self.agent(turn).await?;
        let draft = turn.of.draft(turn.time)?;
        let asked = self.service.ask(agent, draft, None, None).await;
        let asked = asked.map_err(said)?.interaction;
        let turn = Turn {
            id: Some(asked.id),
            ..turn
        };
        // A rule or a grant has said what there is to say.
        if !asked.state.is_pending() {
            self.put(at + TAKES, turn, Step::GoOn);
            return Ok(());
        }
        if let Some(reason) = &turn.of.taken_back {
            let after = self.within(6);
            self.put(at + after, turn, Step::TakeBack(reason.clone()));
        } else if let Some(answer) = turn.of.said(turn.time) {
            let draft = answer.draft(&nth(&turn.of.vary, turn.time, turn.time))?;
            let first = at + self.within(answer.after);
            let people = [Some(&answer.by), answer.and.as_ref()];
            for (n, by) in people.into_iter().flatten().enumerate() {
                let (by, draft) = (by.clone(), Box::new(draft.clone()));
                let later = if n == 0 {
                    TimeDelta::zero()
                } else {
                    self.within(7)
                };
                self.put(first + later, turn, Step::Answer { by, draft });
            }
        } else if let Some(deadline) = asked.expires_at {
            self.put(deadline, turn, Step::Expire);
        }
        Ok(())
    }

    async fn answer(
        &mut self,
        turn: Turn<'a>,
        id: InteractionId,
        by: String,
        draft: AnswerDraft,
        at: DateTime<Utc>,
    ) -> anyhow::Result<()> {
        let person = self.cast.person(self.service, &by).await?;
        let answered = self.service.answer(id, draft, &person).await;
        let answered = answered.map_err(said)?;
        if answered.state.is_pending() {
            return Ok(());
        }
        self.put(at + TAKES, turn, Step::GoOn);
        let is_late = at > self.now - GRANTED + TimeDelta::days(3);
        let agent = &turn.of.agent;
        if turn.of.grant && is_late && !self.granted.contains(agent) {
            let offers = self.service.grant_offers(id, &person).await;
            // The widest that is offered: the next ones differ in what may vary.
            let widest = offers.map_err(said)?.pop().context("no grant is offered")?;
            let draft = GrantDraft {
                matcher: Some(widest.matcher),
                for_session: false,
                expires_at: Some(at + GRANTED),
                uses: Some(GRANT_USES),
            };
            let made = self.service.make_grant(id, draft, &person).await;
            made.map_err(said)?;
            self.granted.push(agent.clone());
        }
        Ok(())
    }

    async fn go_on(
        &mut self,
        turn: Turn<'a>,
        id: InteractionId,
        at: DateTime<Utc>,
    ) -> anyhow::Result<()> {
        let agent = self.agent(turn).await?;
        let taken = match self.service.collect(id, &agent).await {
            // Notifications are nothing to take.
            Err(ServiceError::Refused(_)) => return Ok(()),
            taken => taken.map_err(said)?,
        };
        if taken.state.outcome() == Some(Outcome::Approved) {
            let begun = self.service.consume(id, format!("run-{id}"), &agent).await;
            begun.map_err(said)?;
        }
        let after = self.within(2);
        self.put(at + after, turn, Step::Finish);
        Ok(())
    }

    async fn finish(&mut self, turn: Turn<'a>, id: InteractionId) -> anyhow::Result<()> {
        let agent = self.agent(turn).await?;
        let reader = Principal::Agent(agent.clone());
        let one = self.service.interaction(id, &reader);
        let one = one.await.map_err(said)?;
        if goes_on(&one)
            && let Some(report) = turn.of.report(turn.time)
        {
            let reported = self.service.report(id, report.clone(), &agent).await;
            reported.map_err(said)?;
        }
        end_task(self.service, &agent, &one).await
    }
}
