//! A person between their password, or their link, and their factor: not signed in, and nothing but the way on
//! is open to them. Kept with their browser.

use std::fmt;

use base64::{Engine, engine::general_purpose::STANDARD_NO_PAD as BASE64};
use domain::{PasswordHash, Person, PersonId, SecretHash};
use serde::{Deserialize, Serialize};

use super::{Known, KnownBy, Service, ServiceError};
use crate::secret::Secret;

/// Who has come half of the way, and how.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Half {
    person: PersonId,
    by: HalfBy,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum HalfBy {
    /// Names the password that was given: another one, set meanwhile, ends the way.
    Password { named: String },
    /// The link, which is used up at the end of the way, and the password that they chose.
    Link { link: String, chosen: String },
}

impl fmt::Debug for Half {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Half({})", self.person)
    }
}

impl Known {
    /// Who it is.
    pub fn person(&self) -> &Person {
        &self.person
    }
}

impl Half {
    /// What to keep with the browser of a person who has more to show. `None` when there is nothing to wait for.
    pub fn of(known: &Known) -> Option<Self> {
        let by = match &known.by {
            KnownBy::Passkey => return None,
            KnownBy::Password(hash) => HalfBy::Password {
                named: name_of(hash),
            },
            KnownBy::Link { link, hash } => HalfBy::Link {
                link: BASE64.encode(link.0),
                chosen: hash.0.clone(),
            },
        };
        Some(Self {
            person: known.person.id,
            by,
        })
    }
}

impl Service {
    /// The person, if what they came with is still good.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn known_again(&self, half: &Half) -> Result<Option<Known>, ServiceError> {
        let Some(person) = self.store.person(half.person).await? else {
            return Ok(None);
        };
        if person.disabled_at.is_some() {
            return Ok(None);
        }
        let by = match &half.by {
            HalfBy::Password { named } => {
                let hash = self.password_of(&person).await?;
                match hash.filter(|hash| name_of(hash) == *named) {
                    Some(hash) => KnownBy::Password(hash),
                    None => return Ok(None),
                }
            }
            HalfBy::Link { link, chosen } => {
                let bytes = BASE64.decode(link).ok();
                let Some(bytes) = bytes.and_then(|bytes| bytes.try_into().ok()) else {
                    return Ok(None);
                };
                let link = SecretHash(bytes);
                let of_link = self.store.sign_in_link(&link, self.now()).await?;
                if of_link.map(|person| person.id) != Some(person.id) {
                    return Ok(None);
                }
                KnownBy::Link {
                    link,
                    hash: PasswordHash(chosen.clone()),
                }
            }
        };
        Ok(Some(Known { person, by }))
    }

    pub(super) async fn password_of(
        &self,
        person: &Person,
    ) -> Result<Option<PasswordHash>, ServiceError> {
        let account = self.store.account(&Person::name_key(&person.name)).await?;
        // Another person may have the name by now.
        let account = account.filter(|account| account.person.id == person.id);
        Ok(account.and_then(|account| account.password))
    }
}

/// Names a password without saying anything of it: its hash has a salt of its own.
fn name_of(hash: &PasswordHash) -> String {
    BASE64.encode(Secret::from_outside(&hash.0).hash().0)
}
