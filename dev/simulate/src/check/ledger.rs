//! What the store says in the end, beside what the callers were told.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use anyhow::Result;
use domain::{
    AgentId, AgentRef, Audience, DeliveryId, DestinationId, Event, Interaction, InteractionEvent,
    InteractionId, Payload, interaction::Request, journal::Record,
};
use serde_json::Value;
use signing::Witness;
use store::Store;

use super::{Check, answers, asked, claims, decided, deliveries, rights::Rights, standing};
use crate::{
    model::{At, Deed, Op, Violation},
    world::World,
};

/// How much is read at once.
const PAGE: u32 = 500;

/// Everything that is known in the end.
pub(crate) struct Ledger<'a> {
    pub(super) world: &'a World,
    pub(super) store: Arc<dyn Store>,
    pub(super) witness: Witness,
    pub(super) events: Vec<Event>,
    /// The places in `events` of what happened to each, in order.
    stories: BTreeMap<InteractionId, Vec<usize>>,
    pub(super) rows: BTreeMap<InteractionId, Interaction>,
    pub(super) records: Vec<Record>,
    pub(super) rights: Rights,
    pub(super) ops: Vec<Op>,
    ops_about: BTreeMap<InteractionId, Vec<usize>>,
    /// Requests by their prompt, where no other has it.
    asks: BTreeMap<String, usize>,
    pub(super) shown: Vec<(usize, BTreeMap<InteractionId, Option<domain::TeamId>>)>,
    pub(super) closed: BTreeMap<InteractionId, (String, At)>,
    pub(super) received: BTreeSet<(DeliveryId, DestinationId, i64)>,
    violations: Vec<Violation>,
}

/// Holds everything against everything.
pub(crate) async fn judge(world: &World) -> Result<()> {
    let mut ledger = Ledger::read(world).await?;
    asked::judge(&mut ledger).await?;
    answers::judge(&mut ledger);
    decided::judge(&mut ledger);
    standing::judge(&mut ledger);
    claims::judge(&mut ledger);
    deliveries::judge(&mut ledger);
    let found = ledger.violations;
    world.model.known().violations.extend(found);
    Ok(())
}

impl<'a> Ledger<'a> {
    async fn read(world: &'a World) -> Result<Self> {
        let store = world.store(0);
        let (ops, shown, closed, received) = {
            let known = world.model.known();
            let (ops, shown) = (known.ops.clone(), known.shown.clone());
            (ops, shown, known.closed.clone(), known.received.clone())
        };
        let mut ledger = Self {
            world,
            witness: Witness::new(world.keys.clone()),
            events: Vec::new(),
            stories: BTreeMap::new(),
            rows: BTreeMap::new(),
            records: Vec::new(),
            rights: Rights::default(),
            ops_about: BTreeMap::new(),
            asks: BTreeMap::new(),
            ops,
            shown,
            closed,
            received,
            violations: Vec::new(),
            store,
        };
        ledger.read_journal().await?;
        ledger.read_rows().await?;
        for (place, op) in ledger.ops.iter().enumerate() {
            if let Some(id) = op.about() {
                ledger.ops_about.entry(id).or_default().push(place);
            }
            if let Deed::Ask { prompt, .. } = &op.deed {
                ledger.asks.entry(prompt.clone()).or_insert(place);
            }
        }
        Ok(ledger)
    }

    async fn read_journal(&mut self) -> Result<()> {
        let mut after = 0;
        loop {
            let page = self.store.events_after(after, &Audience::All, PAGE);
            let page = page.await?;
            let (up_to, events) = (page.up_to, page.collect());
            if up_to == after {
                break;
            }
            for event in events {
                if event.seq != after + 1 {
                    let what = format!("event {} comes after event {after}", event.seq);
                    self.found(Check::JournalWithoutGaps, event.interaction_id, what);
                }
                after = event.seq;
                if let Some(id) = event.interaction_id {
                    self.stories.entry(id).or_default().push(self.events.len());
                }
                self.rights.note(&event);
                self.events.push(event);
            }
            after = after.max(up_to);
        }
        if let Err(error) = store::verify_journal(&*self.store).await {
            self.found(Check::JournalChain, None, error.to_string());
        }
        let mut from = 0;
        loop {
            let page = self.store.records_after(from, PAGE).await?;
            match page.last() {
                Some(last) => from = last.seq,
                None => return Ok(()),
            }
            self.records.extend(page);
        }
    }

    async fn read_rows(&mut self) -> Result<()> {
        let mut after = None;
        loop {
            let page = self.store.stored_after(after, PAGE).await?;
            match page.last() {
                Some(last) => after = Some(last.id),
                None => break,
            }
            for stored in page {
                let read = self.store.interaction(stored.id).await?;
                self.rows.extend(read.map(|row| (row.id, row)));
            }
        }
        Ok(())
    }

    pub(super) fn found(&mut self, check: Check, about: Option<InteractionId>, what: String) {
        self.violations.push(Violation { check, about, what });
    }

    pub(super) fn ids(&self) -> Vec<InteractionId> {
        self.stories.keys().copied().collect()
    }

    /// What happened to an interaction itself, in order.
    pub(super) fn story(&self, id: InteractionId) -> Vec<(&Event, &InteractionEvent)> {
        let places = self.stories.get(&id).into_iter().flatten();
        let told = places.filter_map(|place| match &self.events[*place].payload {
            Payload::Interaction(told) => Some((&self.events[*place], told)),
            _ => None,
        });
        told.collect()
    }

    /// All events that name it.
    pub(super) fn events_of(&self, id: InteractionId) -> Vec<Event> {
        let places = self.stories.get(&id).into_iter().flatten();
        places.map(|place| self.events[*place].clone()).collect()
    }

    pub(super) fn ops_about(&self, id: InteractionId) -> Vec<&Op> {
        let places = self.ops_about.get(&id).into_iter().flatten();
        places.map(|place| &self.ops[*place]).collect()
    }

    /// The request with which it began.
    pub(super) fn request(&self, id: InteractionId) -> Option<(&Event, &AgentRef, &Request)> {
        let story = self.story(id);
        let (event, told) = *story.first()?;
        match told {
            InteractionEvent::Requested { agent, request, .. }
            | InteractionEvent::Notified { agent, request, .. } => Some((event, agent, &**request)),
            _ => None,
        }
    }

    pub(super) fn team(&self, id: InteractionId) -> Option<domain::TeamId> {
        match self.story(id).first()?.1 {
            InteractionEvent::Requested { team, .. } | InteractionEvent::Notified { team, .. } => {
                team.as_ref().map(|team| team.id)
            }
            _ => None,
        }
    }

    pub(super) fn is_erased(&self, id: InteractionId) -> bool {
        let story = self.story(id);
        let mut told = story.iter();
        told.any(|(_, told)| matches!(told, InteractionEvent::Erased(_)))
    }

    /// What the agent sent, where its prompt is its own.
    pub(super) fn asked_by(&self, prompt: &str) -> Option<&Op> {
        self.asks.get(prompt).map(|place| &self.ops[*place])
    }

    /// The same of an interaction, also once it is erased.
    pub(super) fn body_of(&self, id: InteractionId) -> Option<&Value> {
        let by_reply = self.ops_about(id).into_iter();
        let mut bodies = by_reply.filter_map(|op| match &op.deed {
            Deed::Ask { body, .. } => Some(body),
            _ => None,
        });
        let by_prompt = || {
            let (_, _, request) = self.request(id)?;
            match &self.asked_by(&request.prompt)?.deed {
                Deed::Ask { body, .. } => Some(body),
                _ => None,
            }
        };
        bodies.next().or_else(by_prompt)
    }

    /// The place of an agent in the cast.
    pub(super) fn agent(&self, id: AgentId) -> Option<usize> {
        let mut agents = self.world.cast.agents.iter();
        agents.position(|agent| agent.id == id)
    }
}
