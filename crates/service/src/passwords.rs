//! Passwords: which are good enough, and their hashes.

use std::sync::LazyLock;

use argon2::{Argon2, PasswordHasher, PasswordVerifier};
use domain::{
    PasswordHash,
    limits::{PASSWORD_MAX_CHARS, PASSWORD_MIN_CHARS},
};
use thiserror::Error;
use tokio::{sync::Semaphore, task::spawn_blocking};
use zxcvbn::{Score, zxcvbn};

use super::ServiceError;

/// The part of a password checked for being guessable: the check takes quadratic time.
const JUDGED_CHARS: usize = 64;
/// A hash takes 19 MiB and tens of milliseconds of a core (RFC 9106's parameters as OWASP gives them, the
/// default of `argon2`), so only so many are computed at once, and only so many callers wait.
const AT_ONCE: usize = 2;
const WAITING: usize = 32;

/// The hash an unknown name is compared with, so that it takes as long as a known one.
static NOBODY: LazyLock<Option<PasswordHash>> = LazyLock::new(|| hashed("nobody has this").ok());

/// Hashes passwords, few at a time.
#[derive(Debug)]
pub(super) struct Passwords {
    at_once: Semaphore,
    waiting: Semaphore,
}

impl Default for Passwords {
    fn default() -> Self {
        Self {
            at_once: Semaphore::new(AT_ONCE),
            waiting: Semaphore::new(WAITING),
        }
    }
}

impl Passwords {
    /// The hash to keep.
    pub(super) async fn hash(&self, password: &str) -> Result<PasswordHash, ServiceError> {
        let password = password.to_owned();
        self.compute(move || hashed(&password))
            .await?
            .map_err(|error| {
                tracing::error!(%error, "a password cannot be hashed");
                ServiceError::Busy
            })
    }

    /// Whether this is the password. Takes as long when there is none.
    pub(super) async fn fits(
        &self,
        password: &str,
        hash: Option<PasswordHash>,
    ) -> Result<bool, ServiceError> {
        let password = password.to_owned();
        self.compute(move || {
            let known = hash.is_some();
            let Some(hash) = hash.or_else(|| NOBODY.clone()) else {
                return false;
            };
            let fits = Argon2::default().verify_password(password.as_bytes(), hash.0.as_str());
            fits.is_ok() && known
        })
        .await
    }

    async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ServiceError> {
        let _waits = self.waiting.try_acquire().map_err(|_| ServiceError::Busy)?;
        let _works = self.at_once.acquire().await;
        spawn_blocking(work).await.map_err(|_| ServiceError::Busy)
    }
}

fn hashed(password: &str) -> Result<PasswordHash, argon2::password_hash::Error> {
    let hash = Argon2::default().hash_password(password.as_bytes())?;
    Ok(PasswordHash(hash.to_string()))
}

/// Why a password is not good enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Weak {
    /// Fewer than 8 characters.
    #[error("must have at least {PASSWORD_MIN_CHARS} characters")]
    Short,
    /// More than 256 characters.
    #[error("must have at most {PASSWORD_MAX_CHARS} characters")]
    Long,
    /// Common, or much like the person's name.
    #[error("is easy to guess; take several unrelated words, or let a password manager make one")]
    Guessable,
}

/// Whether this person may have this password: not too short, not too long, and not one that `zxcvbn`, which
/// knows the common ones, finds easy to guess.
pub(super) fn check(password: &str, name: &str) -> Result<(), Weak> {
    let chars = password.chars().count();
    if chars < PASSWORD_MIN_CHARS {
        return Err(Weak::Short);
    }
    if chars > PASSWORD_MAX_CHARS {
        return Err(Weak::Long);
    }
    let judged: String = password.chars().take(JUDGED_CHARS).collect();
    if zxcvbn(&judged, &[name, "handraise"]).score() < Score::Three {
        return Err(Weak::Guessable);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_short_long_common_or_the_name_is_refused() {
        for (password, weak) in [
            ("", Weak::Short),
            ("k3$Pw!q", Weak::Short),
            (&"x7".repeat(200), Weak::Long),
            ("password1234", Weak::Guessable),
            ("aaaaaaaaaaaaaaaaaaaa", Weak::Guessable),
            ("qwertyuiop", Weak::Guessable),
            ("Ana Example", Weak::Guessable),
            ("handraise", Weak::Guessable),
        ] {
            assert_eq!(check(password, "Ana Example"), Err(weak), "{password}");
        }
        for password in [
            "tin drum walks north",
            "Zq8!rV2#mK5",
            "größere Äpfel fallen weit",
        ] {
            check(password, "Ana").unwrap();
        }
    }

    #[tokio::test]
    async fn only_the_password_fits_and_nobody_has_none() {
        let passwords = Passwords::default();
        let hash = passwords.hash("tin drum walks north").await.unwrap();
        assert!(
            hash.0.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{}",
            hash.0
        );
        for (password, hash, fits) in [
            ("tin drum walks north", Some(hash.clone()), true),
            ("tin drum walks South", Some(hash), false),
            ("nobody has this", None, false),
        ] {
            assert_eq!(passwords.fits(password, hash).await.unwrap(), fits);
        }
    }
}
