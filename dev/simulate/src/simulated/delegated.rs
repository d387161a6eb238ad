//! Everything that a store may be asked, passed on to the store underneath. Each call waits for its turn before it and after it,
//! and may fail; see [`Simulated::reads`].

use std::{collections::HashMap, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    AgentId, AttachmentId, Audience, Day, Delivery, DeliveryId, DestinationId, Event, Fingerprint,
    Grant, GrantId, Identity, Interaction, InteractionId, Membership, Memory, MemoryId, MessageId,
    Parts, Person, PersonId, PolicyId, SecretHash, SessionId, SlackId, Task, Team, TeamId, TokenId,
    Verify,
    access::{WaysIn, factor::Factor},
    attachment,
    attachment::{Part, Uploaded},
    decide::interaction::{Erasable, Snooze, Versions},
    delivery::{ReachKind, SealedSecret},
    grant::{self, GrantRecord},
    interaction::{Brief, Signs, Unproven},
    journal::Record,
    ladder::{Held, Ladder, Quiet, Reachable},
    memory::MemoryRecord,
    obligation::Obligation,
    policy::{PolicySet, PolicyTerms, Source},
    slack::OnCard,
    slack_pace::Pace,
    task::Work,
};
use store::*;

use super::Simulated;

/// Each method by its name: what it takes, and what it gives when it goes well. `reads` change nothing, `writes` do.
macro_rules! delegated {
    ($($capability:ident { $($how:ident $name:ident($($arg:ident: $kind:ty),*) -> $out:ty;)* } $({ $($hand:tt)* })?)*) => {$(
        #[async_trait]
        impl store::$capability for Simulated {
            $(async fn $name(&self, $($arg: $kind),*) -> Result<$out> {
                self.$how(stringify!($name), self.inner.$name($($arg),*)).await
            })*
            $($($hand)*)?
        }
    )*};
}

delegated! {
    Erasing {
        reads erasable(id: InteractionId) -> Option<Erasable>;
        reads with_words(query: &WithWords, limit: u32) -> Vec<InteractionId>;
        writes scrub() -> bool;
        writes rewrite() -> ();
    }
    Journal {
        reads last_seq() -> i64;
        reads event(seq: i64) -> Option<Event>;
        reads events_of(interaction: InteractionId, after: i64, limit: u32) -> EventPage<Event>;
        reads hashes_after(after: i64, limit: u32) -> Vec<(i64, Vec<u8>)>;
        reads seq_after(after: i64) -> Option<i64>;
        reads last_restored() -> Option<Event>;
    } {
        async fn events_after(&self, after: i64, audience: &Audience, limit: u32) -> Result<EventPage<Event>> {
            let page = self.reads("events_after", self.inner.events_after(after, audience, limit)).await?;
            Ok(self.spoil_page(page))
        }

        async fn records_after(&self, after: i64, limit: u32) -> Result<Vec<Record>> {
            let records = self.reads("records_after", self.inner.records_after(after, limit)).await?;
            Ok(self.spoil_records(records))
        }
    }
    Outbox {
        reads ready(now: DateTime<Utc>) -> Vec<Ready>;
        reads followers(now: DateTime<Utc>) -> Vec<Follower>;
        reads news(after: i64, limit: u32) -> NewsPage;
        writes owe(owing: &[Owing]) -> ();
        writes renew(held: &[(DeliveryId, i64)], until: DateTime<Utc>) -> bool;
        writes call(held: &[(DeliveryId, i64)]) -> bool;
        writes mark(marks: &[Mark]) -> Vec<bool>;
        writes forget_deliveries(ended_before: DateTime<Utc>, limit: u32) -> u64;
        reads delivery(id: DeliveryId) -> Option<Delivery>;
        reads attempts(id: DeliveryId) -> Vec<Attempt>;
        reads deliveries(query: &DeliveryQuery) -> Vec<DeliveryRecord>;
        writes forget_places(limit: u32) -> u64;
        reads stuck_channels() -> Vec<StuckChannel>;
    } {
        async fn claim(&self, wanted: &[(DestinationId, u32)], now: DateTime<Utc>, lease_until: DateTime<Utc>) -> Result<Vec<Claimed>> {
            let claimed = self.writes("claim", self.inner.claim(wanted, now, lease_until)).await?;
            Ok(self.spoil_claimed(claimed))
        }
    }
    Endpoints {
        reads endpoint(id: DestinationId) -> Option<EndpointRecord>;
        reads endpoints() -> Vec<EndpointRecord>;
    }
    Attachments {
        writes expect_file(file: &NewFile, most: u32) -> bool;
        writes file_arrived(file: &NewFile) -> bool;
        writes give_up_file(id: AttachmentId, gone_at: DateTime<Utc>) -> ();
        reads uploaded(holder: attachment::Holder, ids: &[AttachmentId]) -> Vec<Option<Uploaded>>;
        reads files_of(interaction: InteractionId, part: Part) -> Vec<FileOf>;
        writes give_up_files(sent_before: DateTime<Utc>, now: DateTime<Utc>) -> u64;
        reads files_to_remove(now: DateTime<Utc>, after: Option<AttachmentId>, limit: u32) -> Vec<AttachmentId>;
        writes forget_files(ids: &[AttachmentId]) -> ();
    }
    Grants {
        reads grants_in_force(agent: AgentId, tool: &str, now: DateTime<Utc>) -> Vec<GrantRecord>;
        reads count_grants(agent: AgentId, now: DateTime<Utc>) -> u64;
        reads grant(id: GrantId) -> Option<GrantRecord>;
        reads grants(audience: &Audience, query: GrantQuery) -> Vec<GrantRecord>;
        reads grant_uses(grant: GrantId, since: DateTime<Utc>, limit: u32) -> Vec<GrantUse>;
        reads count_uses(grants: &[GrantId], since: DateTime<Utc>) -> HashMap<GrantId, u64>;
        reads grants_of_session(agent: AgentId, session: &str, now: DateTime<Utc>) -> Vec<GrantRecord>;
        reads approvals_before(agent: AgentId, before: Option<(DateTime<Utc>, InteractionId)>, since: DateTime<Utc>, limit: u32) -> Vec<Interaction>;
    } {
        fn proves_grant(&self, grant: &Grant) -> bool {
            self.inner.proves_grant(grant)
        }
    }
    Insights {
        reads counted_to() -> CountedTo;
        writes count_ended(limit: u32) -> CountedTo;
        writes forget_counts() -> ();
        reads insight_names(of: &InsightNames) -> InsightNames;
        reads asked_most(query: &InsightQuery, among: u32, limit: u32) -> Vec<AskedMost>;
    } {
        async fn tallies(&self, query: &InsightQuery, each: &mut (dyn for<'t> FnMut(&'t TallyRecord) + Send)) -> Result<()> {
            self.reads("tallies", self.inner.tallies(query, each)).await
        }
    }
    Interactions {
        reads stored_after(after: Option<InteractionId>, limit: u32) -> Vec<Interaction>;
        reads strays_after(after: Option<InteractionId>, limit: u32) -> Vec<InteractionId>;
        reads interaction_of_card(channel: &str, ts: &str) -> Option<InteractionId>;
        reads interactions_of_card(channel: &str, ts: &str, limit: u32) -> Vec<Interaction>;
        reads like_it_on_cards(one: &Interaction, since: DateTime<Utc>, limit: u32) -> Vec<Interaction>;
        reads threads(closed_since: DateTime<Utc>) -> Vec<Thread>;
        reads asked_under(agent: AgentId, key: &str) -> Option<(InteractionId, [u8; 32])>;
        reads interactions(query: &InteractionQuery) -> Page<Interaction, InteractionId>;
        reads briefs(query: &InteractionQuery) -> Vec<Brief>;
        reads waiting_in(audience: &Audience, agent: AgentId, task: &str, limit: u32) -> Vec<Brief>;
        reads recently_closed(audience: &Audience, limit: u32) -> Vec<Brief>;
        reads pending_weight(agent: AgentId, task: &str) -> i64;
        reads waiting_counts(audience: &Audience) -> WaitingCounts;
        reads counts(audience: &Audience, since: DateTime<Utc>) -> Counts;
        reads plan_versions(id: InteractionId) -> Versions;
        reads claims_run_out(now: DateTime<Utc>, skip: u32, limit: u32) -> Vec<InteractionId>;
        reads claimed(now: DateTime<Utc>, limit: u32) -> Vec<Brief>;
    } {
        fn trust(&self, keys: Arc<dyn Verify>) {
            self.inner.trust(keys);
        }

        fn proven(&self, interaction: Interaction) -> Interaction {
            self.inner.proven(interaction)
        }

        fn proves(&self, event: &Event) -> bool {
            self.inner.proves(event)
        }

        fn void(&self) -> Vec<(InteractionId, Unproven)> {
            self.inner.void()
        }

        async fn interaction(&self, id: InteractionId) -> Result<Option<Interaction>> {
            let read = self.reads("interaction", self.inner.interaction(id)).await?;
            Ok(read.map(|interaction| self.spoil_interaction(interaction)))
        }

        async fn waiting(&self, audience: &Audience, limit: u32) -> Result<Vec<Brief>> {
            let audience = self.spoil_audience(audience);
            self.reads("waiting", self.inner.waiting(&audience, limit)).await
        }

        async fn due(&self, now: DateTime<Utc>, skip: u32, limit: u32) -> Result<Vec<Due>> {
            let due = self.reads("due", self.inner.due(now, skip, limit)).await?;
            Ok(self.spoil_due(due))
        }
    }
    Snoozes {
        writes snooze(snooze: &Snooze) -> ();
        writes end_snooze(person: PersonId, interaction: InteractionId) -> bool;
        reads snoozes_of(person: PersonId, now: DateTime<Utc>) -> Vec<Snooze>;
        writes forget_snoozes(now: DateTime<Utc>) -> u64;
    }
    SignsOfLife {
        writes asked_after(asked: &[(InteractionId, DateTime<Utc>)]) -> ();
        writes listened(agents: &[(AgentId, DateTime<Utc>)]) -> ();
        reads signs(of: &[InteractionId]) -> HashMap<InteractionId, Signs>;
        writes forget_signs(before: DateTime<Utc>) -> u64;
    }
    Tasks {
        reads task(agent: AgentId, id: &str) -> Option<Task>;
        reads tasks(query: &TaskQuery) -> Page<Task, TaskPlace>;
        reads work(agent: AgentId, id: &str) -> Option<Work>;
    }
    Memories {
        reads memories_in_force(team: Option<TeamId>, agent: AgentId, question: &str, now: DateTime<Utc>) -> Vec<MemoryRecord>;
        reads count_memories(holder: grant::Holder, now: DateTime<Utc>) -> u64;
        reads memory(id: MemoryId) -> Option<MemoryRecord>;
        reads memories(audience: &Audience, query: MemoryQuery) -> Vec<MemoryRecord>;
        reads memories_of(interaction: InteractionId) -> Vec<MemoryRecord>;
        reads memory_uses(memory: MemoryId, since: DateTime<Utc>, limit: u32) -> Vec<MemoryUse>;
        reads count_memory_uses(memories: &[MemoryId], since: DateTime<Utc>) -> HashMap<MemoryId, u64>;
        reads earlier_questions(query: &EarlierQuery) -> Vec<Interaction>;
    } {
        fn proves_memory(&self, memory: &Memory) -> bool {
            self.inner.proves_memory(memory)
        }
    }
    Suggestions {
        reads equal_approvals(agent: AgentId, team: Option<TeamId>, alike: Fingerprint, limit: u32) -> Vec<Interaction>;
        writes offer_once(offered: &Offered) -> bool;
        writes decline_offer(person: PersonId, after: InteractionId, at: DateTime<Utc>) -> bool;
    }
    Nodes {
        writes connections_elsewhere(node: NodeId, connections: i64, at: DateTime<Utc>, since: DateTime<Utc>) -> i64;
        writes present_elsewhere(node: NodeId, here: Option<&[Present]>, at: DateTime<Utc>, since: DateTime<Utc>) -> Vec<Present>;
        writes runs(node: NodeId, version: &str, at: DateTime<Utc>) -> ();
        writes stops(node: NodeId) -> ();
        writes take_waits(at: DateTime<Utc>, until: DateTime<Utc>, since: DateTime<Utc>) -> Option<WaitsTaken>;
        writes leave_waits(lease: i64, made_up_to: i64) -> bool;
        writes serves_at(url: &str) -> ();
        reads served_at() -> Option<String>;
    }
    Agents {
        reads agents(audience: &Audience, day: Day) -> Vec<AgentRecord>;
        reads asking(agent: AgentId, day: Day, pending: u32) -> Asking;
        reads stored_by(agent: AgentId, day: Day) -> u64;
        reads agent_named(name: &str) -> Option<AgentId>;
    }
    Tokens {
        reads token_holder(hash: &SecretHash) -> Option<Holder>;
        reads agent_tokens(agent: AgentId, now: DateTime<Utc>, limit: u32) -> Vec<TokenId>;
        reads owners_of(agent: AgentId, since: DateTime<Utc>) -> Vec<PersonId>;
        writes tokens_used(uses: &[(TokenId, DateTime<Utc>)]) -> ();
        reads tokens() -> Vec<TokenRecord>;
    }
    People {
        reads has_lapsed(person: PersonId, interaction: InteractionId, approved_at: DateTime<Utc>) -> bool;
        reads person_in_slack(id: &SlackId) -> Option<Person>;
        reads people(now: DateTime<Utc>) -> Vec<PersonRecord>;
        reads account(name_key: &str) -> Option<Account>;
        reads sign_in_link(hash: &SecretHash, now: DateTime<Utc>) -> Option<Person>;
        reads made_link(person: PersonId) -> Option<MadeLink>;
        writes told_of_link(person: PersonId, made_at: DateTime<Utc>) -> ();
    } {
        async fn person(&self, id: PersonId) -> Result<Option<Person>> {
            let read = self.reads("person", self.inner.person(id)).await?;
            Ok(read.map(|person| self.spoil_person(person)))
        }
    }
    Sessions {
        reads session(hash: &SecretHash, host: &str, now: DateTime<Utc>) -> Option<OpenSession>;
        writes session_proven(session: SessionId, at: DateTime<Utc>) -> ();
        reads sessions(person: PersonId, now: DateTime<Utc>) -> Vec<SessionRecord>;
        reads session_data(hash: &SecretHash, now: DateTime<Utc>) -> Option<SessionData>;
        writes open_session(id: SessionId, hash: &SecretHash, data: &SessionData, now: DateTime<Utc>) -> bool;
        writes keep_session_data(hash: &SecretHash, json: &str) -> ();
        writes drop_unsigned_session(hash: &SecretHash) -> bool;
        writes sessions_used(uses: &[(SessionId, DateTime<Utc>)]) -> ();
    }
    Factors {
        reads factors(person: PersonId) -> Vec<Factor>;
        reads passkey(credential: &[u8]) -> Option<Factor>;
        reads recovery_codes(person: PersonId) -> i64;
    }
    Identities {
        reads person_known_as(identity: &Identity) -> Option<Person>;
        reads identities_of(person: PersonId) -> Vec<IdentityRecord>;
        reads identities() -> Vec<IdentityRecord>;
        reads another_admin(but: Option<PersonId>, ways: Option<&WaysIn>) -> bool;
    }
    PolicySets {
        reads policy_set(id: PolicyId) -> Option<PolicySet>;
        reads policies_after(id: PolicyId) -> Option<PolicyId>;
        reads count_policy_uses(since: DateTime<Utc>) -> Vec<PolicyUses>;
        reads policy_history(source: Source, limit: u32) -> Vec<PolicyTerms>;
    } {
        fn proves_policies(&self, set: &PolicySet) -> bool {
            self.inner.proves_policies(set)
        }

        async fn last_policies(&self, source: Source) -> Result<Option<PolicyId>> {
            let last = self.reads("last_policies", self.inner.last_policies(source)).await?;
            Ok(self.spoil_policies(last))
        }
    }
    Reaches {
        reads reach(id: DestinationId) -> Option<ReachRecord>;
        reads reaches_of(person: PersonId) -> Vec<ReachRecord>;
        reads lost_reaches(person: PersonId, since: DateTime<Utc>, limit: u32) -> Vec<ReachRecord>;
        reads reaches_added(person: PersonId, kind: ReachKind, since: DateTime<Utc>) -> u32;
        reads reach_of_browser(browser: &SecretHash) -> Option<ReachRecord>;
        reads told(interaction: InteractionId) -> Vec<DestinationId>;
        reads told_up_to() -> i64;
        reads to_tell(after: i64, limit: u32) -> ToldPage;
        writes tell(from: i64, up_to: i64, messages: &[Obligation]) -> bool;
        writes push_key(fresh: &SealedSecret) -> SealedSecret;
    }
    ReachNumbers {
        reads messages_since(since: DateTime<Utc>) -> Vec<MessagesBy>;
        reads reaching_since(since: DateTime<Utc>, limit: u32) -> Vec<Reaching>;
        reads ways() -> Vec<WaysBy>;
    }
    Ladders {
        reads ladder(team: Option<TeamId>) -> LadderRecord;
        reads ladders() -> Vec<(Option<TeamId>, Ladder)>;
        reads quiet_hours(person: PersonId) -> Option<Quiet>;
        reads all_quiet_hours() -> Vec<(PersonId, Quiet)>;
        reads anybody_is_reached() -> bool;
        reads climbing(now: DateTime<Utc>, skip: u32, limit: u32) -> Vec<Climbing>;
        reads place_on_ladder(id: InteractionId) -> Option<Climbing>;
        writes leave_ladder(climbing: Climbing) -> ();
        writes put_off_rung(climbing: Climbing, at: DateTime<Utc>) -> ();
        writes join_ladder(now: DateTime<Utc>) -> u64;
        reads answerers(team: Option<TeamId>) -> Vec<Answerer>;
        reads reachable_people(people: &[Answerer], about: Option<InteractionId>, now: DateTime<Utc>) -> Vec<Reachable>;
        reads held_due(now: DateTime<Utc>, limit: u32) -> Vec<HeldDue>;
        writes hold_longer(held: &[Held], until: DateTime<Utc>) -> ();
        writes drop_held(held: &[Held]) -> ();
        reads has_seen(interaction: InteractionId, person: PersonId) -> bool;
        writes forget_sent(before: DateTime<Utc>) -> u64;
    }
    Inbox {
        writes keep_messages(messages: &[NewMessage]) -> u64;
        reads messages_to_hear(now: DateTime<Utc>, limit: u32) -> Vec<KeptMessage>;
        writes postpone_message(id: MessageId, next_at: DateTime<Utc>) -> ();
        writes set_message_aside(id: MessageId, at: DateTime<Utc>, note: &str) -> bool;
        reads is_message_heard(id: MessageId) -> bool;
        reads waiting_messages() -> i64;
        writes forget_messages(before: DateTime<Utc>) -> u64;
    }
    Cards {
        reads question_on_card(id: InteractionId) -> Option<OnCard>;
        writes put_question_on_card(id: InteractionId, on_card: &OnCard) -> ();
        writes put_twin(id: InteractionId, channel: &str, ts: &str) -> ();
        reads interaction_of_twin(channel: &str, ts: &str) -> Option<InteractionId>;
    }
    SlackFiles {
        writes expect_slack_files(interaction: InteractionId, ids: &[String]) -> ();
        reads slack_files(interaction: InteractionId) -> Vec<String>;
        writes forget_slack_files(ids: &[String]) -> ();
    }
    Paces {
        reads pace(method: &str) -> (Pace, i64);
        writes put_pace(method: &str, pace: &Pace, read: i64) -> bool;
    }
    SlackHomes {
        writes take_home(user: &str, node: NodeId, until: DateTime<Utc>) -> Option<NodeId>;
        reads node_of_home(user: &str) -> Option<NodeId>;
        reads overdue_homes(now: DateTime<Utc>, limit: u32) -> Vec<OverdueHome>;
        writes take_overdue_home(home: &OverdueHome, node: NodeId, next_at: DateTime<Utc>) -> bool;
        writes forget_home(user: &str, node: NodeId) -> bool;
    }
    Teams {
        reads team(id: TeamId) -> Option<Team>;
        reads team_named(name_key: &str) -> Option<Team>;
        reads teams() -> Vec<TeamRecord>;
        reads parts(person: PersonId) -> Parts;
        reads memberships(person: PersonId) -> Vec<Membership>;
        reads asker(agent: AgentId) -> Asker;
        reads team_use(team: TeamId) -> TeamUse;
        reads teams_of_events(after: i64, up_to: i64) -> HashMap<i64, TeamId>;
    }
    Duties {
        reads duty(team: TeamId) -> Option<DutyRecord>;
        reads with_rota(teams: &[TeamId]) -> Vec<TeamId>;
        reads calendar_owner(hash: &SecretHash) -> Option<(TeamId, PersonId)>;
    }
}
