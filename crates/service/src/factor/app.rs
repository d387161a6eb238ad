//! Codes of an app (RFC 6238): six digits, for half a minute each. One that was used is worth nothing any more, and
//! neither is one before it.

use std::{fmt, net::IpAddr};

use base64::{Engine, engine::general_purpose::STANDARD_NO_PAD as BASE64};
use chrono::{DateTime, Utc};
use domain::{
    FactorId, Fault, Person, PersonId, Refused,
    access::factor::{Factor, FactorSecret, STEP_SECONDS, Shown},
    decide::factor::NewFactor,
    delivery::SealedSecret,
};
use serde::{Deserialize, Serialize};
use totp_rs::{Builder, Secret};

use super::{Known, Service, ServiceError, recovery};

/// 160 bits, as RFC 4226 recommends.
const SECRET_BYTES: usize = 20;
/// How far the clock of a phone may be off, in steps.
const SKEW: i64 = 1;

/// An app that is being added: kept with the browser until its first code has come.
#[derive(Clone, Serialize, Deserialize)]
pub struct PendingApp {
    /// Who adds it: another may come in with the same browser.
    person: PersonId,
    factor: FactorId,
    /// Sealed: what is kept with browsers is in the database.
    sealed: String,
}

impl fmt::Debug for PendingApp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PendingApp({})", self.factor)
    }
}

/// A shared secret in the clear, for the app that is to have it.
pub struct AppSecret {
    /// For typing.
    pub text: String,
    /// For a camera.
    pub uri: String,
}

impl Service {
    /// A new secret for an app of this person.
    ///
    /// # Errors
    /// [`Refused::NoKey`].
    pub fn new_app(&self, person: &Person) -> Result<PendingApp, ServiceError> {
        let factor = FactorId(self.ids.next());
        let secret: [u8; SECRET_BYTES] = rand::random();
        let sealer = &self.outbound.as_ref().ok_or(Refused::NoKey)?.sealer;
        let sealed = sealer.seal(&secret, factor.0.as_bytes());
        let sealed = BASE64.encode(sealed.ok_or(Refused::NoKey)?.0);
        Ok(PendingApp {
            person: person.id,
            factor,
            sealed,
        })
    }

    /// The secret of an app that is being added, for its owner. `host` says where it is good.
    pub fn app_secret(&self, app: &PendingApp, person: &Person, host: &str) -> Option<AppSecret> {
        if app.person != person.id {
            return None;
        }
        let sealed = SealedSecret(BASE64.decode(&app.sealed).ok()?);
        let secret = Secret::from(self.open(app.factor, &sealed)?);
        let text = secret.to_base32();
        let account = encoded(&format!("{} at {host}", person.name));
        let uri = format!("otpauth://totp/Handraise:{account}?secret={text}&issuer=Handraise");
        Some(AppSecret { text, uri })
    }

    /// The app of this person, if it has made a code of this moment.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] when another has begun to add it, [`Refused::Invalid`] when the code is wrong.
    pub fn app_confirmed(
        &self,
        app: &PendingApp,
        person: &Person,
        code: &str,
        name: &str,
    ) -> Result<NewFactor, ServiceError> {
        if app.person != person.id {
            return Err(ServiceError::NotFound);
        }
        let sealed = BASE64.decode(&app.sealed).map(SealedSecret);
        let sealed = sealed.map_err(|_| Refused::NoKey)?;
        let secret = self.open(app.factor, &sealed).ok_or(Refused::NoKey)?;
        let step = step_of(secret, code, self.now(), 0);
        let used = step.ok_or_else(|| vec![Fault::new("code", "is not the one of this moment")])?;
        Ok(NewFactor {
            id: app.factor,
            name: name.to_owned(),
            secret: FactorSecret::App(sealed),
            used,
        })
    }

    /// The code that a person has typed: of an app of theirs, or a recovery code. `None` when it is neither, or was
    /// used before. It is used up by [`Service::come_in_with`].
    ///
    /// # Errors
    /// [`ServiceError::Wait`] after many wrong ones.
    pub async fn show_code(
        &self,
        known: &Known,
        code: &str,
        address: IpAddr,
    ) -> Result<Option<Shown>, ServiceError> {
        let person = &known.person;
        self.attempt_of(person, address)?;
        let factors = self.store.factors(person.id).await?;
        let of_app = factors.into_iter().find_map(|factor| {
            let step = self.step_shown(&factor, code)?;
            Some(Shown::App { factor, step })
        });
        let shown = of_app.or_else(|| recovery::read(code));
        if shown.is_none() {
            tracing::info!(person.id = %person.id, client.address = %address, "a code was wrong");
            self.note_failure(Some(person.clone()), None);
        }
        Ok(shown)
    }

    fn step_shown(&self, factor: &Factor, code: &str) -> Option<i64> {
        let FactorSecret::App(sealed) = &factor.secret else {
            return None;
        };
        let secret = self.open(factor.id, sealed);
        if secret.is_none() {
            tracing::error!(factor.id = %factor.id, "no key of this server opens the secret of an app");
        }
        step_of(secret?, code, self.now(), factor.used)
    }

    fn open(&self, factor: FactorId, sealed: &SealedSecret) -> Option<Vec<u8>> {
        let outbound = self.outbound.as_ref()?;
        outbound.sealer.open(sealed, factor.0.as_bytes())
    }
}

/// The step after `used` that has this code, if it is one of this moment.
fn step_of(secret: Vec<u8>, code: &str, now: DateTime<Utc>, used: i64) -> Option<i64> {
    let app = Builder::new().with_secret(secret).with_skew(0);
    let app = app.build().ok()?;
    let code: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    let present = now.timestamp().div_euclid(STEP_SECONDS);
    (present - SKEW..=present + SKEW)
        .filter(|step| *step > used)
        .find(|step| {
            let at = u64::try_from(step * STEP_SECONDS);
            at.is_ok_and(|at| app.check(&code, at).is_some())
        })
}

/// As a part of a URI: letters, digits and little else stand for themselves.
fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => {
                encoded.push(char::from(byte));
            }
            byte => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6238, appendix B, for SHA-1: the last six of its eight digits.
    #[test]
    fn codes_are_those_of_the_standard() {
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            let now = DateTime::from_timestamp(seconds, 0).unwrap();
            let step = step_of(b"12345678901234567890".to_vec(), code, now, 0);
            assert_eq!(step, Some(seconds / 30), "{seconds}");
        }
    }

    #[test]
    fn a_clock_may_be_off_by_one_step_and_what_was_used_is_worth_nothing() {
        let secret = || b"12345678901234567890".to_vec();
        let step = 1_111_111_111 / 30;
        for (seconds, found) in [
            (-60, false),
            (-30, true),
            (0, true),
            (30, true),
            (60, false),
        ] {
            let now = DateTime::from_timestamp(1_111_111_111 + seconds, 0).unwrap();
            let is = |used| step_of(secret(), "050471", now, used) == Some(step);
            assert_eq!(is(0), found, "{seconds}");
            assert_eq!(is(step - 1), found, "{seconds}");
            assert!(!is(step), "{seconds}");
        }
        let now = DateTime::from_timestamp(1_111_111_111, 0).unwrap();
        assert_eq!(step_of(secret(), " 050 471 ", now, 0), Some(step));
        for code in [
            "", "05047", "0504711", "+50471", "05047a", "０50471", "-50471",
        ] {
            assert_eq!(step_of(secret(), code, now, 0), None, "{code}");
        }
    }

    #[test]
    fn names_are_no_part_of_the_address() {
        assert_eq!(encoded("Ana & Ö?"), "Ana%20%26%20%C3%96%3F");
    }
}
