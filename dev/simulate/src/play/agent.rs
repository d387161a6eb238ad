//! An agent: it asks, looks, takes back, collects, and runs what was approved. Two processes share what it knows.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::{
    AgentRef, Interaction, InteractionId, Principal,
    interaction::{AnswerDraft, Draft, ReportDraft, ReportOutcome},
};
use serde_json::{Value, json};

use super::{
    Chance,
    body::{body, repeated},
};
use crate::{
    model::{By, Deed},
    plant::Plant,
    world::World,
};

/// How much of its own it lets wait.
const OPEN: usize = 6;
/// How much of what it has asked it still looks at.
const RECENT: usize = 24;

/// What an agent knows of what it asks.
pub(super) struct Memory {
    agent: usize,
    asks: Mutex<Vec<Asked>>,
}

#[derive(Clone)]
struct Asked {
    key: String,
    prompt: String,
    body: Value,
    id: Option<InteractionId>,
    is_over: bool,
    is_approved: bool,
    session: Option<String>,
}

impl Memory {
    pub(super) fn new(agent: usize) -> Arc<Self> {
        Arc::new(Self {
            agent,
            asks: Mutex::default(),
        })
    }

    fn asks(&self) -> MutexGuard<'_, Vec<Asked>> {
        self.asks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One process of an agent.
pub(super) async fn play(
    world: Arc<World>,
    memory: Arc<Memory>,
    process: usize,
    mut chance: Chance,
) {
    let process = Process {
        agent: world.cast.agents[memory.agent].clone(),
        name: format!("agent {}.{process}", memory.agent),
        run: format!("run-{process}"),
        world: &world,
        memory: &memory,
    };
    loop {
        world.schedule.turn("thinks").await;
        if world.schedule.is_calm() {
            return;
        }
        process.goes_on(&mut chance).await;
    }
}

struct Process<'a> {
    agent: AgentRef,
    name: String,
    run: String,
    world: &'a World,
    memory: &'a Memory,
}

impl Process<'_> {
    async fn goes_on(&self, chance: &mut Chance) {
        // What is long over is left alone.
        let (first, asks) = {
            let all = self.memory.asks();
            let first = all.len().saturating_sub(RECENT);
            (first, all[first..].to_vec())
        };
        let places: Vec<usize> = (first..first + asks.len()).collect();
        let that = |wanted: &dyn Fn(&Asked) -> bool| -> Vec<usize> {
            let places = places.iter().copied();
            places
                .filter(|place| wanted(&asks[*place - first]))
                .collect()
        };
        let unsure = that(&|asked| asked.id.is_none());
        let open = that(&|asked| !asked.is_over);
        let approved = that(&|asked| asked.is_approved);
        let of = |chance: &mut Chance, those: &[usize]| chance.pick(those).copied();
        let id = |place: usize| asks[place - first].id;
        match chance.below(23) {
            20..23 | 0..3 if open.len() < OPEN => self.asks_anew(chance).await,
            3..5 => {
                if let Some(place) = of(chance, &unsure) {
                    self.asks(chance, place).await;
                }
            }
            5 => {
                if let Some(place) = of(chance, &places) {
                    self.asks(chance, place).await;
                }
            }
            6..12 => {
                let those = if chance.one_in(4) { &places } else { &open };
                if let Some(place) = of(chance, those) {
                    self.looks(chance, place).await;
                }
            }
            12 => {
                if let Some(id) = of(chance, &open).and_then(id) {
                    self.takes_back(chance, id).await;
                }
            }
            13 => {
                if let Some(id) = of(chance, &places).and_then(id) {
                    self.collects(chance, id).await;
                }
            }
            14..18 => {
                let those = if chance.one_in(8) { &places } else { &approved };
                if let Some(id) = of(chance, those).and_then(id) {
                    self.runs(chance, id).await;
                }
            }
            18 if chance.one_in(4) => {
                let session =
                    of(chance, &open).and_then(|place| asks[place - first].session.clone());
                if let Some(session) = session {
                    self.ends_session(chance, session).await;
                }
            }
            19 if self.world.plant == Some(Plant::AgentsApprove) => {
                if let Some(id) = of(chance, &open).and_then(id) {
                    self.approves_itself(chance, id).await;
                }
            }
            _ => {}
        }
    }

    async fn asks_anew(&self, chance: &mut Chance) {
        let place = {
            let mut asks = self.memory.asks();
            let number = asks.len();
            let prompt = format!("q-{}-{number}-q", self.memory.agent);
            let body = match chance.one_in(6) {
                true => repeated(chance),
                false => body(chance, &prompt),
            };
            asks.push(Asked {
                key: format!("key-{number}"),
                prompt: body["prompt"].as_str().unwrap_or_default().to_owned(),
                id: None,
                is_over: body["kind"] == "notification",
                is_approved: false,
                session: body["session_id"].as_str().map(str::to_owned),
                body,
            });
            number
        };
        self.asks(chance, place).await;
    }

    async fn asks(&self, chance: &mut Chance, place: usize) {
        let mut asked = self.memory.asks()[place].clone();
        let is_other = asked.id.is_some() && chance.one_in(3);
        if is_other {
            asked.body["title"] = "Something else".into();
        }
        let Ok(draft) = serde_json::from_value::<Draft>(asked.body.clone()) else {
            return;
        };
        let deed = Deed::Ask {
            agent: self.memory.agent,
            key: asked.key.clone(),
            prompt: asked.prompt.clone(),
            body: asked.body.clone(),
        };
        let (agent, key) = (self.agent.clone(), asked.key.clone());
        let (op, reply) = self
            .world
            .does(&self.name, chance.node(), deed, |service| async move {
                service.ask(agent, draft, Some(&key), None).await
            })
            .await;
        let Some(reply) = reply else {
            return;
        };
        let interaction = reply.interaction;
        self.world.model.known().ops[op].id = Some(interaction.id);
        self.notes(place, &interaction);
    }

    fn notes(&self, place: usize, interaction: &Interaction) {
        let mut asks = self.memory.asks();
        let asked = &mut asks[place];
        asked.id = Some(interaction.id);
        asked.is_over |= !interaction.state.is_pending();
        asked.is_approved |= interaction.approved() == Some(true);
    }

    async fn looks(&self, chance: &mut Chance, place: usize) {
        let Some(id) = self.memory.asks()[place].id else {
            return;
        };
        let (deed, reader) = (Deed::Read { id }, Principal::Agent(self.agent.clone()));
        let begun = self.world.at();
        let read = self
            .world
            .does(&self.name, chance.node(), deed, |service| async move {
                service.interaction(id, &reader).await
            });
        if let (_, Some(interaction)) = read.await {
            let ended = self.world.at();
            self.world.model.has_read(&interaction, begun, ended);
            self.notes(place, &interaction);
        }
    }

    async fn takes_back(&self, chance: &mut Chance, id: InteractionId) {
        let by = Principal::Agent(self.agent.clone());
        let deed = Deed::TakeBack {
            id,
            by: By::Agent(self.memory.agent),
        };
        let reason = Some("No longer needed.".to_owned());
        let work = |service: service::Service| async move { service.cancel(id, reason, &by).await };
        self.world.does(&self.name, chance.node(), deed, work).await;
    }

    async fn collects(&self, chance: &mut Chance, id: InteractionId) {
        let agent = self.agent.clone();
        let work = |service: service::Service| async move { service.collect(id, &agent).await };
        let deed = Deed::Collect { id };
        self.world.does(&self.name, chance.node(), deed, work).await;
    }

    async fn runs(&self, chance: &mut Chance, id: InteractionId) {
        let (agent, run) = (self.agent.clone(), self.run.clone());
        let deed = Deed::Consume {
            id,
            run: run.clone(),
        };
        let work =
            |service: service::Service| async move { service.consume(id, run, &agent).await };
        let (_, begun) = self.world.does(&self.name, chance.node(), deed, work).await;
        if begun.is_none() || chance.one_in(2) {
            return;
        }
        let agent = self.agent.clone();
        let said = ReportDraft {
            outcome: ReportOutcome::Done,
            text: Some("It ran.".to_owned()),
        };
        let work =
            |service: service::Service| async move { service.report(id, said, &agent).await };
        let deed = Deed::Report { id };
        self.world.does(&self.name, chance.node(), deed, work).await;
    }

    async fn ends_session(&self, chance: &mut Chance, session: String) {
        let agent = self.agent.clone();
        let deed = Deed::EndSession {
            agent: self.memory.agent,
            session: session.clone(),
        };
        let work = |service: service::Service| async move {
            service.end_agent_session(&session, &agent).await
        };
        self.world.does(&self.name, chance.node(), deed, work).await;
    }

    /// What is planted: the door takes the agent for a person.
    async fn approves_itself(&self, chance: &mut Chance, id: InteractionId) {
        let by = Principal::Person {
            id: domain::PersonId(self.agent.id.0),
            name: self.agent.name.clone(),
            role: domain::Role::Admin,
            proven_at: self.world.node(0).now(),
            teams: Default::default(),
        };
        let answer = json!({"approved": true});
        let Ok(draft) = serde_json::from_value::<AnswerDraft>(answer) else {
            return;
        };
        let work = |service: service::Service| async move { service.answer(id, draft, &by).await };
        let deed = Deed::Read { id };
        self.world.does(&self.name, chance.node(), deed, work).await;
    }
}
