//! The operator: puts policies in force, keeps people out and lets them in, changes roles and teams, and erases.

use std::sync::Arc;

use domain::{Part, Role, policy::Policies};
use service::Service;

use super::{Chance, SETS, policies::rules};
use crate::{
    cast::{DISABLED, ROLE_CHANGES, TEAM_CHANGES, operator},
    model::Deed,
    world::World,
};

/// The operator's day.
pub(super) async fn play(world: Arc<World>, mut chance: Chance) {
    let mut number = 0;
    loop {
        world.schedule.turn("thinks").await;
        if world.schedule.is_calm() {
            return;
        }
        match chance.below(10) {
            0..4 => {
                number += 1;
                let set = chance.below(SETS);
                set_policies(&world, &mut chance, set, number).await;
            }
            4 | 5 => {
                let disabled = chance.one_in(2);
                let person = world.cast.people[DISABLED].person.id;
                let work = |service: Service| async move {
                    let root = operator();
                    service.disable_person(person, disabled, false, &root).await
                };
                let deed = Deed::Disable { person, disabled };
                world.does("root", chance.node(), deed, work).await;
            }
            6 => {
                let answers = chance.one_in(2);
                let one = &world.cast.people[ROLE_CHANGES].person;
                let (person, name) = (one.id, one.name.clone());
                let role = if answers {
                    Role::Responder
                } else {
                    Role::Viewer
                };
                let work = |service: Service| async move {
                    service
                        .change_person(person, &name, role, &operator())
                        .await
                };
                let deed = Deed::SetRole { person, answers };
                world.does("root", chance.node(), deed, work).await;
            }
            7 => {
                let is_member = chance.one_in(2);
                let person = world.cast.people[TEAM_CHANGES].person.id;
                let team = world.cast.team;
                let work = |service: Service| async move {
                    match is_member {
                        true => {
                            service
                                .set_member(team, person, Part::Answers, &operator())
                                .await
                        }
                        false => service.remove_member(team, person, &operator()).await,
                    }
                };
                let deed = Deed::SetMember {
                    person,
                    team,
                    is_member,
                };
                world.does("root", chance.node(), deed, work).await;
            }
            8 => {
                let closed: Vec<_> = world.model.known().closed.keys().copied().collect();
                if let Some(id) = chance.pick(&closed).copied() {
                    let work =
                        |service: Service| async move { service.erase(id, &operator()).await };
                    world
                        .does("root", chance.node(), Deed::Erase { id }, work)
                        .await;
                }
            }
            _ => {}
        }
        // Not at it all the time.
        for _ in 0..chance.below(4) {
            world.schedule.turn("rests").await;
        }
    }
}

async fn set_policies(world: &World, chance: &mut Chance, set: usize, number: usize) {
    let Ok(policies) = serde_json::from_value::<Policies>(rules(set, number)) else {
        return;
    };
    let work =
        |service: Service| async move { service.set_policies(policies, None, &operator()).await };
    let deed = Deed::SetPolicies { set, number };
    world.does("root", chance.node(), deed, work).await;
}
