//! Who could answer when, by the journal.

use std::collections::BTreeMap;

use domain::{Event, Part, Payload, PersonEvent, PersonId, Role, TeamEvent, TeamId};

/// The rights of each person, from each event on that changed them.
#[derive(Default)]
pub(super) struct Rights(BTreeMap<PersonId, Vec<(i64, Standing)>>);

/// The rights of a person at a time.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    role: Option<Role>,
    is_out: bool,
    answers_in: Vec<TeamId>,
}

impl Standing {
    pub(super) fn is_admin(&self) -> bool {
        self.role == Some(Role::Admin) && !self.is_out
    }

    pub(super) fn is_out(&self) -> bool {
        self.is_out
    }

    pub(super) fn answers(&self) -> bool {
        matches!(self.role, Some(Role::Responder | Role::Admin))
    }

    pub(super) fn is_member(&self, team: TeamId) -> bool {
        self.answers_in.contains(&team)
    }

    pub(super) fn sees(&self, team: Option<TeamId>) -> bool {
        !self.is_out && team.is_none_or(|team| self.is_admin() || self.is_member(team))
    }

    pub(super) fn may_answer(&self, team: Option<TeamId>) -> bool {
        self.answers() && self.sees(team)
    }
}

impl Rights {
    pub(super) fn note(&mut self, event: &Event) {
        match &event.payload {
            Payload::Person(
                PersonEvent::Invited(person)
                | PersonEvent::Changed(person)
                | PersonEvent::Enabled(person),
            ) => self.change(event.seq, person.id, |now| {
                now.role = Some(person.role);
                // Only who is let in again is not out any more.
                if matches!(event.payload, Payload::Person(PersonEvent::Enabled(_))) {
                    now.is_out = false;
                }
            }),
            Payload::Person(PersonEvent::Disabled(person)) => {
                self.change(event.seq, person.id, |now| now.is_out = true);
            }
            Payload::Team(TeamEvent::MemberSet { team, person, part }) => {
                self.change(event.seq, person.id, |now| {
                    now.answers_in.retain(|other| *other != team.id);
                    if *part == Part::Answers {
                        now.answers_in.push(team.id);
                    }
                });
            }
            Payload::Team(TeamEvent::MemberRemoved { team, person }) => {
                self.change(event.seq, person.id, |now| {
                    now.answers_in.retain(|other| *other != team.id);
                });
            }
            _ => {}
        }
    }

    fn change(&mut self, seq: i64, person: PersonId, change: impl FnOnce(&mut Standing)) {
        let all = self.0.entry(person).or_default();
        let mut now = match all.last() {
            Some((_, last)) => last.clone(),
            None => Standing {
                role: None,
                is_out: false,
                answers_in: Vec::new(),
            },
        };
        change(&mut now);
        all.push((seq, now));
    }

    /// As of the commit of this event.
    pub(super) fn at(&self, person: PersonId, seq: i64) -> Option<&Standing> {
        let all = self.0.get(&person)?;
        let until = all.partition_point(|(from, _)| *from < seq);
        Some(&all[until.checked_sub(1)?].1)
    }

    /// Whether it was so at any time after the first event and before the last one.
    pub(super) fn ever(
        &self,
        person: PersonId,
        from: i64,
        until: i64,
        so: impl Fn(&Standing) -> bool,
    ) -> bool {
        let Some(all) = self.0.get(&person) else {
            return false;
        };
        let between = all
            .iter()
            .filter(|(seq, _)| *seq > from && *seq < until)
            .map(|(_, standing)| standing);
        self.at(person, from + 1).into_iter().chain(between).any(so)
    }
}
