//! A user presses a control of the app's home: they are on it, are no longer, or put it off. No answer is given there.

use anyhow::ensure;
use chrono::{DateTime, Days, NaiveTime, TimeDelta, Utc};
use domain::{InteractionId, Principal, Refused, duty::Zone, limits};
use futures::future::join_all;
use service::ServiceError;
use slack::blocks::{HomePress, PutOff, Target};
use tokio::sync::oneshot;

use super::{Actions, CLOSED, Obstacle, UNKNOWN, VIEWER, payload::PressedAtHome, together};
use crate::slack::home;

const NOT_PUT_OFF: &str = "It cannot be put off beyond its deadline.";
const NO_ACCOUNT: &str = "Only people with an account put questions off.";

/// What is done to each.
enum Act {
    Claim,
    Release,
    /// Until then.
    Snooze(DateTime<Utc>),
}

impl Actions {
    /// # Errors
    /// When it could not be kept.
    pub(super) async fn pressed_at_home(&self, pressed: PressedAtHome) -> anyhow::Result<()> {
        let kept = self.in_time(|actions, tell| actions.press_at_home(pressed, tell));
        let kept = kept.await?.unwrap_or(true);
        ensure!(kept, "what was pressed in Slack could not be kept");
        Ok(())
    }

    async fn press_at_home(self, pressed: PressedAtHome, tell: oneshot::Sender<bool>) {
        let done = self.do_at_home(&pressed).await;
        // Slack may wait no longer.
        let _ = tell.send(!matches!(done, Err(Obstacle::Failed)));
        let notice = done.err().map(|obstacle| obstacle.note().words);
        self.homes.pressed(&pressed.who.user, notice);
    }

    async fn do_at_home(&self, pressed: &PressedAtHome) -> Result<(), Obstacle> {
        let (team, now) = (pressed.who.team.as_deref(), self.service.now());
        let reader = self.recogniser.reader(team, &pressed.who.user, now).await;
        let reader = reader.map_err(|why| Obstacle::Refused(why.note_to_reader()))?;
        if reader.sees.responder().is_err() {
            return Err(Obstacle::Refused(VIEWER.into()));
        }
        let by = self.admit(&pressed.who).await?;
        let (target, act) = match pressed.press {
            HomePress::Claim(target) => (target, Act::Claim),
            HomePress::Release(target) => (target, Act::Release),
            HomePress::Snooze(target, put_off) => {
                if !matches!(reader.sees, Principal::Person { .. }) {
                    return Err(Obstacle::Refused(NO_ACCOUNT.into()));
                }
                let until = until(put_off, reader.zone.as_ref(), now);
                (target, Act::Snooze(until))
            }
        };
        let ids = self.ids(target, &reader.sees).await?;
        // At once, so that they are committed in few transactions.
        let acts = ids.iter().map(|id| self.act(*id, &act, &by, &reader.sees));
        together(join_all(acts).await, "done")
    }

    /// A claim is made as the user of Slack that they are, and put off is for the person.
    async fn act(
        &self,
        id: InteractionId,
        act: &Act,
        by: &Principal,
        person: &Principal,
    ) -> Result<(), Obstacle> {
        // What they were shown may be old: another person's claim is never taken or ended from there.
        let done = match act {
            Act::Claim => {
                let claimed = self.service.claim_if_free(id, limits::CLAIM_MINUTES, by);
                claimed.await.map(|_| ())
            }
            Act::Release => self.service.release_own(id, by).await.map(|_| ()),
            Act::Snooze(until) => self.service.snooze(id, *until, person).await.map(|_| ()),
        };
        done.map_err(obstacle)
    }

    /// Those of it that are on their home now. What was asked after they were shown it is not among those that are the same.
    async fn ids(&self, target: Target, sees: &Principal) -> Result<Vec<InteractionId>, Obstacle> {
        let (fingerprint, newest) = match target {
            Target::One(id) => return Ok(vec![id]),
            Target::Alike(fingerprint, newest) => (fingerprint, newest),
        };
        let alike = home::of_group(&self.service, sees, fingerprint, newest).await;
        let alike = alike.map_err(|error| Obstacle::failed(&error))?;
        if alike.is_empty() {
            return Err(Obstacle::Refused(CLOSED.into()));
        }
        if alike.len() > limits::TOGETHER {
            let most = limits::TOGETHER;
            let words = format!("These are more than {most}. Open them on the dashboard.");
            return Err(Obstacle::Refused(words.into()));
        }
        Ok(alike)
    }
}

fn obstacle(error: ServiceError) -> Obstacle {
    let refused = match error {
        ServiceError::Refused(refused) => refused,
        ServiceError::NotFound => return Obstacle::Refused(UNKNOWN.into()),
        error => return Obstacle::failed(&error),
    };
    match refused {
        Refused::Closed { .. } => Obstacle::Refused(CLOSED.into()),
        Refused::NotAResponder | Refused::NotInTeam { .. } => Obstacle::Refused(VIEWER.into()),
        // All that is ours to choose is until when.
        Refused::Invalid(_) => Obstacle::Refused(NOT_PUT_OFF.into()),
        claimed @ Refused::Claimed { .. } => Obstacle::Refused(format!("{claimed}.").into()),
        other => Obstacle::failed(&other.into()),
    }
}

/// When it comes back.
fn until(put_off: PutOff, zone: Option<&Zone>, now: DateTime<Utc>) -> DateTime<Utc> {
    let zone = match put_off {
        PutOff::Minutes(minutes) => return now + TimeDelta::minutes(minutes.into()),
        PutOff::Morning => zone,
    };
    let local = zone.map_or(now.naive_utc(), |zone| zone.local(now));
    let nine = NaiveTime::MIN + TimeDelta::hours(9);
    // In the small hours that is today's.
    let days = Days::new(u64::from(local.time() >= nine));
    let at = (local.date() + days).and_time(nine);
    zone.map_or(at.and_utc(), |zone| zone.moment(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn the_morning_begins_at_nine_where_the_person_is() {
        let berlin = Zone::parse("Europe/Berlin").unwrap();
        for (zone, now, expected) in [
            (None, "2027-01-15T23:30:00Z", "2027-01-16T09:00:00Z"),
            // It is the 16th there already, and nine is still to come.
            (
                Some(&berlin),
                "2027-01-15T23:30:00Z",
                "2027-01-16T08:00:00Z",
            ),
            (
                Some(&berlin),
                "2027-01-16T08:00:00Z",
                "2027-01-17T08:00:00Z",
            ),
            // The clocks are put forward in between.
            (
                Some(&berlin),
                "2027-03-27T12:00:00Z",
                "2027-03-28T07:00:00Z",
            ),
        ] {
            assert_eq!(until(PutOff::Morning, zone, at(now)), at(expected));
        }
        let quarter = until(PutOff::Minutes(15), None, at("2027-01-15T23:50:00Z"));
        assert_eq!(quarter, at("2027-01-16T00:05:00Z"));
    }
}
