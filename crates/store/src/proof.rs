//! Rule 12, where rows are read: a decision is only as good as its receipt proves. An unproven one
//! is an alarm.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use domain::{
    Event, Grant, Interaction, InteractionId, Memory, Verify,
    interaction::{Brief, Outcome, State, Unproven},
    policy::PolicySet,
};

use crate::Result;

/// How many void decisions are remembered: enough to see that something is wrong, and where.
const REMEMBERED: usize = 1_000;

/// The keys whose signatures count, and the decisions that lacked one.
#[derive(Default)]
pub(crate) struct Proof {
    keys: OnceLock<Arc<dyn Verify>>,
    void: Mutex<BTreeMap<InteractionId, Unproven>>,
}

impl Proof {
    /// See [`Interactions::trust`](crate::Interactions::trust).
    pub(crate) fn trust(&self, keys: Arc<dyn Verify>) {
        let _ = self.keys.set(keys);
    }

    /// See [`Interactions::void`](crate::Interactions::void).
    pub(crate) fn void(&self) -> Vec<(InteractionId, Unproven)> {
        let void = self.void.lock().unwrap_or_else(PoisonError::into_inner);
        void.iter().map(|(id, why)| (*id, *why)).collect()
    }

    /// A decision as lists show it, from the interaction as far as it is proven. Nothing is proven of one
    /// that cannot be read.
    pub(crate) fn shown(brief: &Brief, read: Result<Option<Interaction>>) -> Result<Brief> {
        let interaction = match read {
            Ok(interaction) => interaction,
            Err(error) if error.is_of_a_row() => {
                tracing::error!(%error, "a list shows this decision as void");
                None
            }
            Err(error) => return Err(error),
        };
        let Some(interaction) = interaction else {
            let mut void = brief.clone();
            if let Some(ending) = &mut void.ending {
                (ending.outcome, ending.by, ending.answer) = (Outcome::Void, None, None);
            }
            return Ok(void);
        };
        Ok(Brief::from(&interaction))
    }

    /// The interaction as it may be shown and acted on.
    pub(crate) fn of(&self, stored: Interaction) -> Interaction {
        let read = stored.proven(self.keys());
        let has_proof = read.asks_for_a_decision() || read.remembered().is_some();
        if (has_proof || read.state.is_void()) && self.keys.get().is_some() {
            self.remember(&read);
        }
        read
    }

    /// See [`Interactions::proves`](crate::Interactions::proves).
    pub(crate) fn proves(&self, event: &Event) -> bool {
        event.is_proven(self.keys())
    }

    /// See [`Grants::proves_grant`](crate::Grants::proves_grant).
    pub(crate) fn proves_grant(&self, grant: &Grant) -> bool {
        grant.is_proven(self.keys())
    }

    /// See [`Memories::proves_memory`](crate::Memories::proves_memory).
    pub(crate) fn proves_memory(&self, memory: &Memory) -> bool {
        memory.is_proven(self.keys())
    }

    /// See [`PolicySets::proves_policies`](crate::PolicySets::proves_policies).
    pub(crate) fn proves_policies(&self, set: &PolicySet) -> bool {
        set.is_proven(self.keys())
    }

    fn keys(&self) -> &dyn Verify {
        match self.keys.get() {
            Some(keys) => &**keys,
            None => &Nobody,
        }
    }

    /// Raises the alarm once for each, until the row is mended.
    fn remember(&self, read: &Interaction) {
        let mut void = self.void.lock().unwrap_or_else(PoisonError::into_inner);
        let State::Void { why, .. } = &read.state else {
            void.remove(&read.id);
            return;
        };
        if void.len() < REMEMBERED && void.insert(read.id, *why) != Some(*why) {
            tracing::error!(
                interaction.id = %read.id,
                %why,
                "a stored decision is not proven by its receipt: it reads as not approved"
            );
        }
    }
}

/// Trusts no key: a store that is not told which to trust shows no decision.
struct Nobody;

impl Verify for Nobody {
    fn holds(&self, _: &domain::sign::PublicKey, _: &[u8], _: &domain::sign::Signature) -> bool {
        false
    }
}
