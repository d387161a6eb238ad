//! What was decided, held against the journal, the rows, the receipts and what the nodes say that are left.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt,
};

use domain::{
    Audience, Event, GrantEvent, GrantId, Interaction, InteractionEvent, InteractionId, Payload,
    PolicyEvent,
    interaction::{Answer, Receipt},
    policy::PolicyTerms,
};
use signing::TrustedKeys;
use store::{DeliveryRecord, Store};

use super::{
    Size, amended, amending,
    cast::{Cast, Run},
    counted, counting, granted, granting, ruled, ruling,
};

/// All that is decided in one campaign.
pub(super) struct Decided {
    grants: Vec<granting::Story>,
    counts: Vec<counting::Story>,
    rules: ruling::Story,
    amendments: Vec<amending::Story>,
}

/// Everything at the same time.
pub(super) async fn play(cast: &Cast, size: &Size) -> Decided {
    let (grants, counts, rules, amendments) = tokio::join!(
        granting::play(cast, size),
        counting::play(cast, size),
        ruling::play(cast, size),
        amending::play(cast, size),
    );
    Decided {
        grants,
        counts,
        rules,
        amendments,
    }
}

/// What was found.
pub(super) struct Verdict {
    pub(super) faults: Vec<String>,
    lines: Vec<String>,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines.join("\n"))
    }
}

/// Holds everything against everything, while nodes are there to ask.
pub(super) async fn judge(
    cast: &Cast,
    store: &dyn Store,
    keys: &TrustedKeys,
    decided: &Decided,
    deliveries: &[DeliveryRecord],
) -> Verdict {
    let mut ledger = Ledger::read(cast, store, keys, deliveries).await;
    let lines = vec![
        granted::judge(&mut ledger, &decided.grants).await,
        counted::judge(&mut ledger, &decided.counts).await,
        ruled::judge(&mut ledger, &decided.rules).await,
        amended::judge(&mut ledger, &decided.amendments).await,
        format!(
            "of all requests {} were sent again, since a node died before it had said what became of them",
            cast.door.unanswered()
        ),
    ];
    ledger.no_row_is_void();
    Verdict {
        faults: ledger.faults,
        lines,
    }
}

/// What is known of everything, and what is wrong with it.
pub(super) struct Ledger<'a> {
    pub(super) cast: &'a Cast,
    pub(super) faults: Vec<String>,
    store: &'a dyn Store,
    keys: &'a TrustedKeys,
    stories: HashMap<InteractionId, Vec<Event>>,
    /// Which interactions anybody was told of.
    told: HashSet<InteractionId>,
    uses: HashMap<GrantId, Vec<(i64, InteractionId)>>,
    revoked: HashMap<GrantId, i64>,
    /// The rules that were put in force, by the number of their event.
    pub(super) policies: BTreeMap<i64, PolicyTerms>,
}

impl<'a> Ledger<'a> {
    async fn read(
        cast: &'a Cast,
        store: &'a dyn Store,
        keys: &'a TrustedKeys,
        deliveries: &[DeliveryRecord],
    ) -> Self {
        let mut ledger = Self {
            cast,
            faults: Vec::new(),
            store,
            keys,
            stories: HashMap::new(),
            told: deliveries
                .iter()
                .filter_map(|one| one.interaction_id)
                .collect(),
            uses: HashMap::new(),
            revoked: HashMap::new(),
            policies: BTreeMap::new(),
        };
        let mut after = 0;
        loop {
            let page = store.events_after(after, &Audience::All, 1_000).await;
            let page = page.unwrap();
            if page.up_to == after {
                return ledger;
            }
            after = page.up_to;
            for event in page {
                ledger.note(event);
            }
        }
    }

    fn note(&mut self, event: Event) {
        match &event.payload {
            Payload::Grant(GrantEvent::Revoked { id }) => {
                let before = self.revoked.insert(*id, event.seq);
                if before.is_some() {
                    self.faults
                        .push(format!("the grant {id} is revoked twice in the journal"));
                }
            }
            Payload::Policy(PolicyEvent::Set(terms)) => {
                self.policies.insert(event.seq, (**terms).clone());
            }
            Payload::Interaction(payload) => {
                let Some(id) = event.interaction_id else {
                    return;
                };
                if let InteractionEvent::Requested {
                    granted: Some(by), ..
                } = payload
                {
                    self.uses.entry(by.id).or_default().push((event.seq, id));
                }
                self.stories.entry(id).or_default().push(event);
            }
            _ => {}
        }
    }

    pub(super) fn fault(&mut self, fault: String) {
        self.faults.push(fault);
    }

    /// What happened to an interaction, in order.
    pub(super) fn story(&self, id: InteractionId) -> Vec<(i64, InteractionEvent)> {
        let events = self.stories.get(&id).into_iter().flatten();
        let payloads = events.filter_map(|event| match &event.payload {
            Payload::Interaction(payload) => Some((event.seq, payload.clone())),
            _ => None,
        });
        payloads.collect()
    }

    /// As far as its receipt proves it.
    pub(super) async fn interaction(&self, id: InteractionId) -> Interaction {
        self.store.interaction(id).await.unwrap().unwrap()
    }

    /// What a grant has approved, each with the number of its event.
    pub(super) fn uses_of(&self, grant: GrantId) -> Vec<(i64, InteractionId)> {
        self.uses.get(&grant).cloned().unwrap_or_default()
    }

    pub(super) fn revoked(&self, grant: GrantId) -> Option<i64> {
        self.revoked.get(&grant).copied()
    }

    /// By which grant it was approved, by the journal.
    pub(super) fn granted(&self, id: InteractionId) -> Option<GrantId> {
        let mut uses = self.uses.iter();
        let found = uses.find(|(_, those)| those.iter().any(|(_, of)| *of == id));
        found.map(|(grant, _)| *grant)
    }

    pub(super) fn is_told(&self, id: InteractionId) -> bool {
        self.told.contains(&id)
    }

    /// The one receipt of a decision, with the number of its event: a key that counts signed it, and the journal, the row
    /// and the nodes have the same.
    pub(super) async fn receipt(
        &mut self,
        agent: &str,
        id: InteractionId,
    ) -> Option<(i64, Receipt)> {
        let mut found: Vec<(i64, Answer)> = Vec::new();
        for (seq, payload) in self.story(id) {
            if let InteractionEvent::Resolved { answer, .. } = payload {
                found.push((seq, answer));
            }
        }
        if found.len() != 1 {
            self.fault(format!("{id} is decided {} times: {found:?}", found.len()));
            return None;
        }
        let (seq, answer) = found.remove(0);
        let Some(receipt) = answer.receipt.clone() else {
            self.fault(format!("{id} is decided without a receipt: {answer:?}"));
            return None;
        };
        if let Err(why) = self.keys.verify(&receipt) {
            self.fault(format!("{id}: {why}"));
        }
        if receipt.decision.interaction_id != id {
            self.fault(format!("{id} has the receipt of another: {receipt:?}"));
        }
        let row = self.interaction(id).await;
        if row.receipt() != Some(&*receipt) {
            let state = row.state;
            self.fault(format!(
                "{id}: the row has another receipt than the journal: {state:?}"
            ));
        }
        let path = format!("/api/v1/interactions/{id}/receipt");
        let shown = self.cast.reads(agent, &path).await;
        match serde_json::from_value::<Receipt>(shown) {
            Ok(shown) if shown == *receipt => {}
            other => self.fault(format!("{id}: a node shows another receipt: {other:?}")),
        }
        Some((seq, *receipt))
    }

    /// An approval is good for one run: who was told that it begins is the one of which the journal tells, signed. `wanted`
    /// says whether one of these had to begin.
    pub(super) async fn ran_once(&mut self, id: InteractionId, runs: &[Run], wanted: bool) {
        let begun: Vec<_> = self
            .story(id)
            .into_iter()
            .filter_map(|(_, payload)| match payload {
                InteractionEvent::Consumed(consumed) => Some(*consumed),
                _ => None,
            })
            .collect();
        let told: Vec<_> = runs
            .iter()
            .filter(|run| run.of == id && run.begins)
            .collect();
        let is_right = match &*begun {
            [] => told.is_empty() && !wanted,
            [one] => told.len() == 1 && told[0].name == one.run,
            _ => false,
        };
        let row = self.interaction(id).await;
        if !is_right || row.consumed != begun.first().cloned() {
            self.fault(format!(
                "{id} was to be run: {wanted}; told to begin: {told:?}, and by the journal: {begun:?}"
            ));
        }
        let keys = signing::Witness::new(self.keys.clone());
        if begun.iter().any(|one| !one.holds(id, &keys)) {
            self.fault(format!("{id}: nobody signed that it was run: {begun:?}"));
        }
    }

    /// Rule 12, of all that was read here.
    fn no_row_is_void(&mut self) {
        let void = self.store.void();
        if !void.is_empty() {
            self.fault(format!("these are void: {void:?}"));
        }
    }
}
