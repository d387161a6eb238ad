//! Makes homes blank whose time is over: those of this node, those of nodes that are gone, and those that were too many.

use std::time::Duration;

use chrono::TimeDelta;
use domain::slack_pace::Urgency;
use slack::{blocks::home_without, class::Class, limits::HOME};
use store::{OverdueHome, StoreError};
use tokio::time::{sleep, timeout};

use super::{Homes, PATIENCE};

const BLANK: &str = "Open this tab again to see what waits for you.";
/// How often it is seen whether the time of a home is over.
const LOOK: Duration = Duration::from_secs(2);
/// How many are read at once.
const PAGE: u32 = 16;
/// How long a home is left to the node that makes it blank.
const LEASE: TimeDelta = TimeDelta::seconds(60);
/// When it is tried again if a person has to change a setting first.
const REFUSED: TimeDelta = TimeDelta::hours(1);
/// How long it is tried, as for all else that is owed to Slack.
const TRIED_FOR: TimeDelta = TimeDelta::days(5);

impl Homes {
    pub(super) async fn end_overdue(&self) {
        loop {
            sleep(LOOK).await;
            let overdue = self.service.store().overdue_homes(self.service.now(), PAGE);
            match overdue.await {
                Ok(overdue) => {
                    for home in overdue {
                        self.end(home).await;
                    }
                }
                Err(error) => {
                    tracing::error!(%error, "it is not known which homes in Slack are to be blank");
                }
            }
        }
    }

    async fn end(&self, home: OverdueHome) {
        let now = self.service.now();
        let Some(held) = self.open.hold(&home.user, now) else {
            return;
        };
        let ended = self.make_blank(&home).await;
        if let Err(error) = ended {
            tracing::error!(%error, slack.user = home.user, "a home in Slack is made blank later");
        }
        // Its user may have opened it meanwhile.
        drop(held);
        self.woken.notify_one();
    }

    async fn make_blank(&self, home: &OverdueHome) -> Result<(), StoreError> {
        let (store, now) = (self.service.store(), self.service.now());
        let again_at = now + LEASE;
        if !store.take_overdue_home(home, self.node, again_at).await? {
            return Ok(());
        }
        if now - home.until > TRIED_FOR {
            tracing::error!(
                slack.user = home.user,
                "a home in Slack could not be made blank for days, and is left as it is"
            );
            store.forget_home(&home.user, self.node).await?;
            return Ok(());
        }
        let turn = self
            .service
            .slack_turn(HOME.method, HOME.limit, Urgency::Last);
        if !matches!(timeout(PATIENCE, turn).await, Ok(Ok(()))) {
            return Ok(());
        }
        if store.node_of_home(&home.user).await? != Some(self.node) {
            return Ok(());
        }
        let blocks = home_without(&BLANK.into()).json_blocks();
        let Err(error) = self.client.publish_home(&home.user, &blocks).await else {
            store.forget_home(&home.user, self.node).await?;
            return Ok(());
        };
        if let Some(wait) = error.pause() {
            self.service.slack_refused(error.method, wait).await;
        }
        tracing::warn!(%error, messages = ?error.messages, slack.user = home.user, "a home in Slack is made blank later");
        if matches!(
            error.class,
            Class::Config | Class::Content | Class::TriggerBound
        ) {
            let taken = OverdueHome {
                node: self.node,
                next_at: again_at,
                ..home.clone()
            };
            store
                .take_overdue_home(&taken, self.node, now + REFUSED)
                .await?;
        }
        Ok(())
    }

    /// Has a home of this node made blank as soon as that can be.
    pub(super) async fn end_now(&self, user: &str) {
        let now = self.service.now();
        let ended = self.service.store().take_home(user, self.node, now).await;
        if let Err(error) = ended {
            tracing::error!(%error, slack.user = user, "a home in Slack is made blank later");
        }
    }

    /// Its home has nothing to hide.
    pub(super) async fn forget(&self, user: &str) {
        if let Err(error) = self.service.store().forget_home(user, self.node).await {
            tracing::error!(%error, slack.user = user, "a home in Slack is made blank without need");
        }
    }
}
