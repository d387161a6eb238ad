//! How much one caller, and everybody together, may ask of the server: by the minute ([`Rate`]) and at
//! once ([`Places`]). Each node counts for itself.

mod places;
mod rate;
mod settings;

pub use places::{Full, Place, Places};
pub use rate::{Rate, TooFast};
pub use settings::LimitSettings;

use std::{net::IpAddr, sync::Arc};

use domain::{PersonId, TokenId};
use machine::clock::Clock;
use service::Network;

/// People are never limited below this, at any limit of agents: a page without its socket asks 24 times
/// a minute, and a person who leafs through questions some hundred.
const PEOPLE_AT_LEAST: u32 = 600;
/// How often a minute each place for held requests may be taken anew.
const HOLDS_PER_PLACE: u32 = 6;

/// Every limit, and what counts against it.
pub struct Limits {
    tokens: Rate<TokenId>,
    holds: Rate<TokenId>,
    people: Rate<PersonId>,
    strangers: Rate<Network>,
    /// Open connections.
    pub connections: Arc<Places<()>>,
    /// Open sockets.
    pub sockets: Arc<Places<PersonId>>,
    /// Held requests and event streams.
    pub held: Arc<Places<TokenId>>,
}

impl Limits {
    /// `rate` is a token's, or a stranger's, requests a minute; 0 = any number.
    pub fn new(rate: u32, settings: &LimitSettings, clock: &Arc<dyn Clock>) -> Self {
        let people = if rate > 0 {
            rate.max(PEOPLE_AT_LEAST)
        } else {
            0
        };
        let holds = if rate > 0 {
            settings.held_per_token.saturating_mul(HOLDS_PER_PLACE)
        } else {
            0
        };
        Self {
            tokens: Rate::per_minute(rate, Arc::clone(clock)),
            holds: Rate::per_minute(holds, Arc::clone(clock)),
            people: Rate::per_minute(people, Arc::clone(clock)),
            strangers: Rate::per_minute(rate, Arc::clone(clock)),
            connections: Places::new(settings.connections, 0),
            sockets: Places::new(settings.sockets, settings.sockets_per_person),
            held: Places::new(settings.held, settings.held_per_token),
        }
    }

    /// Counts a request with a good token: by the token, since many agents share an office's address.
    ///
    /// # Errors
    /// [`TooFast`].
    pub fn count_token(&self, token: TokenId) -> Result<(), TooFast> {
        self.tokens.count(&token)
    }

    /// Counts a request that will be held. These have a limit of their own, far above what agents that
    /// wait can reach: it stops those who ask to be held and hang up.
    ///
    /// # Errors
    /// [`TooFast`].
    pub fn count_hold(&self, token: TokenId) -> Result<(), TooFast> {
        self.holds.count(&token)
    }

    /// Counts a request of a person who is signed in.
    ///
    /// # Errors
    /// [`TooFast`].
    pub fn count_person(&self, person: PersonId) -> Result<(), TooFast> {
        self.people.count(&person)
    }

    /// Counts a request of a stranger, by their address.
    ///
    /// # Errors
    /// [`TooFast`].
    pub fn count_stranger(&self, address: IpAddr) -> Result<(), TooFast> {
        self.strangers.count(&Network::of(address))
    }

    /// Forgets callers that have not called for a while, so that a stranger with many addresses does not fill
    /// the memory.
    pub fn forget_idle(&self) {
        self.tokens.forget_idle();
        self.holds.forget_idle();
        self.people.forget_idle();
        self.strangers.forget_idle();
    }

    /// How many callers are remembered.
    pub fn known(&self) -> usize {
        self.tokens.known() + self.holds.known() + self.people.known() + self.strangers.known()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use machine::clock::SystemClock;

    #[test]
    fn a_stranger_has_one_limit_for_all_addresses_of_a_network() {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let limits = Limits::new(2, &Config::default().limits, &clock);
        let count = |address: &str| limits.count_stranger(address.parse().unwrap()).is_ok();
        assert!(count("2001:db8::1") && count("2001:db8::2"));
        assert!(!count("2001:db8::3:4:5:6"));
        assert!(count("2001:db8:0:1::1"));
        assert!(count("192.0.2.1") && count("192.0.2.2"));
        assert_eq!(limits.known(), 4);
    }
}
