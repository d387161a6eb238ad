//! Teams at a server, as an admin makes them.

use domain::{Part, TeamId, team::Profile};

use super::{
    app::TestApp,
    people::{operator, person_named},
};

impl TestApp {
    /// A team of this name.
    pub(crate) async fn team(&self, name: &str) -> TeamId {
        let profile = Profile {
            name: name.to_owned(),
            ..Profile::default()
        };
        let made = self.state.service.create_team(profile, &operator()).await;
        made.unwrap().id
    }

    /// Makes somebody a member.
    pub(crate) async fn join(&self, team: TeamId, person: &str, part: Part) {
        let person = person_named(self, person).await;
        let by = operator();
        let set = self.state.service.set_member(team, person, part, &by);
        set.await.unwrap();
    }

    /// Takes somebody out of a team.
    pub(crate) async fn part(&self, team: TeamId, person: &str) {
        let person = person_named(self, person).await;
        let by = operator();
        let removed = self.state.service.remove_member(team, person, &by);
        removed.await.unwrap();
    }

    /// Gives an agent a home.
    pub(crate) async fn home(&self, team: TeamId, agent: &str) {
        let agent = self.state.service.known_agent(agent).await.unwrap();
        let by = operator();
        let set = self.state.service.set_home(&agent, Some(team), &by);
        set.await.unwrap();
    }
}
