//! Several people approve one action (rule 16): people are counted, not clicks.

use uuid::Uuid;

use crate::{
    changeset::{Changeset, Standing, Write},
    decide::next::advance,
    event::InteractionEvent,
    ids::{Moment, PersonId},
    interaction::{AnswerContent, Claim, Counted, FormAnswers, Interaction, Quorum, State, Vote},
    ladder::LadderWrite,
    principal::{Actor, Principal, Responder},
    refused::{Refused, Uncounted},
};

/// What is known of the people whose approvals may count, as they are now.
#[derive(Clone, Debug, Default)]
pub struct Voters {
    /// Those who have approved, and the one who does: each a [`Principal::Person`]. Who is disabled, or no person here, is
    /// not among them.
    pub people: Vec<Principal>,
    /// The people whose agent it has been since it was asked; none where one of its tokens belongs to nobody known. Whoever
    /// owned it when it asked is in the request.
    pub owners: Vec<PersonId>,
    /// Of the people, those who could not answer for a time since they approved: that approval is no more, and they may give
    /// another.
    pub lapsed: Vec<PersonId>,
}

/// What one more approval leads to.
pub(super) enum Counting {
    /// It is the last that it takes.
    Enough {
        /// The others.
        before: Vec<Vote>,
        /// What they rest on.
        standing: Box<Standing>,
    },
    /// It takes more.
    TakesMore(Box<Changeset>),
}

/// One more person approves. Of those before, only who may still answer counts.
pub(super) fn count(
    interaction: &Interaction,
    quorum: &Quorum,
    content: &AnswerContent,
    responder: &Responder,
    voters: &Voters,
    now: Moment<'_>,
) -> Result<Counting, Refused> {
    voters.count(responder.id, quorum, interaction)?;
    let votes = interaction.votes().iter();
    let has_lapsed = |vote: &Vote| voters.lapsed.contains(&PersonId(vote.responder.id));
    let mut votes: Vec<Vote> = votes
        .filter(|vote| !has_lapsed(vote))
        .filter(|vote| voters.count(vote.responder.id, quorum, interaction).is_ok())
        .cloned()
        .collect();
    let missing = |votes: &[Vote]| (quorum.needed as usize).saturating_sub(votes.len());
    if let Some(own) = votes.iter().find(|vote| vote.responder.id == responder.id) {
        return Err(Refused::HasApproved {
            at: own.at,
            missing: u32::try_from(missing(&votes)).unwrap_or(u32::MAX),
        });
    }
    if missing(&votes) <= 1 {
        let standing = voters.standing(&votes, responder, quorum, interaction);
        return Ok(Counting::Enough {
            before: votes,
            standing,
        });
    }
    let signer = now.signer.ok_or(Refused::NoKey)?;
    let text = match content {
        AnswerContent::Approval { text, .. } => text.clone(),
        _ => None,
    };
    // Of the action that people see, not a digest stored beside it.
    let digest = interaction.request.ask.digest().ok_or(Refused::NoKey)?;
    let vote = Vote::sign(
        interaction.id,
        digest,
        responder.clone(),
        text,
        now.at,
        signer,
    );
    votes.push(vote.ok_or(Refused::NoKey)?);
    let standing = voters.standing(&votes, responder, quorum, interaction);
    // Who has done their part is on it no longer, and others have to hear of it.
    let is_theirs = |claim: &Claim| claim.is_of(responder);
    let was_claimed = interaction.claim.as_ref().is_some_and(is_theirs);
    let next = Interaction {
        state: State::Pending {
            answers: FormAnswers::new(),
            votes: votes.clone(),
        },
        claim: interaction.claim.clone().filter(|claim| !is_theirs(claim)),
        ..interaction.clone()
    };
    let actor = Actor::Responder(responder.clone());
    let mut changeset = advance(next, actor, InteractionEvent::Approved { votes }, now);
    changeset.writes.push(Write::Counted(standing));
    if was_claimed {
        changeset.writes.push(Write::Ladder(LadderWrite::Resume {
            interaction: interaction.id,
            at: now.at,
        }));
    }
    Ok(Counting::TakesMore(Box::new(changeset)))
}

impl Voters {
    fn standing(
        &self,
        votes: &[Vote],
        responder: &Responder,
        quorum: &Quorum,
        interaction: &Interaction,
    ) -> Box<Standing> {
        let before = votes.iter().map(|vote| vote.responder.id);
        let others = before.filter(|id| *id != responder.id);
        let people = others.chain([responder.id]).map(PersonId).collect();
        Box::new(Standing {
            people,
            team: interaction.team_id(),
            members_only: quorum.of == Counted::Team && !interaction.request.is_for_admins(),
            admins_only: interaction.request.is_for_admins(),
            agent: interaction.agent.id,
            owners: quorum
                .four_eyes
                .then(|| (self.owners.clone(), interaction.created_at)),
        })
    }

    /// Whether the approval of this one counts.
    ///
    /// # Errors
    /// [`Refused::NotCounted`], [`Refused::NotAnAdmin`]; [`Refused::NotAResponder`], [`Refused::NotInTeam`],
    /// [`Refused::NotSeen`] for a person who may not answer it any more.
    pub fn count(
        &self,
        id: Uuid,
        quorum: &Quorum,
        interaction: &Interaction,
    ) -> Result<(), Refused> {
        let known = self.people.iter().find_map(|principal| match principal {
            Principal::Person {
                id: known, teams, ..
            } if known.0 == id => Some((principal, teams)),
            _ => None,
        });
        let (person, teams) = known.ok_or(Refused::NotCounted(Uncounted::Nobody))?;
        person.responder_for(interaction.team.as_ref())?;
        if quorum.four_eyes {
            if self.owners.is_empty() {
                return Err(Refused::NotCounted(Uncounted::NoOwner));
            }
            let mut owners = self.owners.iter().chain(&interaction.request.owners);
            if owners.any(|owner| owner.0 == id) {
                return Err(Refused::NotCounted(Uncounted::OwnsAgent));
            }
        }
        // The team whose members count is not there, so it cannot be asked who is one.
        if interaction.request.is_for_admins() {
            return match person.is_admin() {
                true => Ok(()),
                false => Err(Refused::NotAnAdmin),
            };
        }
        // Where no team is asked, nobody is of it.
        let is_of_team = || {
            interaction
                .team_id()
                .is_some_and(|team| teams.answers(team))
        };
        if quorum.of == Counted::Team && !is_of_team() {
            return Err(Refused::NotCounted(Uncounted::NotInTeam));
        }
        Ok(())
    }
}
