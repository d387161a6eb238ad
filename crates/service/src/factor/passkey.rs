//! Passkeys (WebAuthn): a device signs a challenge for this server's name, after its owner has unlocked it. So one
//! is a second factor, and by itself a way in.

use std::net::IpAddr;

use domain::{
    FactorId, Fault, Person, PersonId, Refused,
    access::factor::{Factor, FactorSecret, Shown},
    decide::factor::NewFactor,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::{Host, Url};
use webauthn_rs::prelude::{
    AuthenticationResult, DiscoverableAuthentication, DiscoverableKey, Passkey,
    PasskeyAuthentication, PasskeyRegistration, PublicKeyCredential, RegisterPublicKeyCredential,
    Webauthn, WebauthnBuilder, WebauthnError,
};

use super::{Known, KnownBy, Service, ServiceError};

/// Passkeys for one name of the server. Under another name they are worth nothing.
#[derive(Debug)]
pub struct Passkeys(Webauthn);

impl Passkeys {
    /// Those of a server that people reach at this address. `None` where browsers have none: without TLS, but for
    /// this machine, and where the address has no name.
    pub fn at(public_url: &str) -> Option<Self> {
        let url = Url::parse(public_url).ok()?;
        let Some(Host::Domain(name)) = url.host() else {
            return None;
        };
        let is_here = name == "localhost" || name.ends_with(".localhost");
        if url.scheme() != "https" && !is_here {
            return None;
        }
        let builder = WebauthnBuilder::new(name, &url).ok()?;
        builder.rp_name("Handraise").build().ok().map(Self)
    }
}

/// A passkey that is being added.
#[derive(Debug, Serialize, Deserialize)]
pub struct PendingPasskey {
    /// Who adds it: another may come in with the same browser.
    person: PersonId,
    factor: FactorId,
    state: PasskeyRegistration,
}

/// A challenge for the passkeys of one person.
#[derive(Debug, Serialize, Deserialize)]
pub struct AskedPasskey(PasskeyAuthentication);

/// A challenge for any passkey.
#[derive(Debug, Serialize, Deserialize)]
pub struct AskedAny(DiscoverableAuthentication);

impl Service {
    /// Whether browsers have passkeys for this server.
    pub fn has_passkeys(&self) -> bool {
        self.passkeys.is_some()
    }

    /// Begins to add a passkey: what the browser is asked, as JSON, and what to keep meanwhile.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] where there are none.
    pub async fn new_passkey(
        &self,
        person: &Person,
    ) -> Result<(String, PendingPasskey), ServiceError> {
        let Passkeys(webauthn) = self.passkeys()?;
        let known = self.store.factors(person.id).await?;
        let known = known.iter().filter_map(passkey_of);
        let known = known
            .map(|(_, passkey)| passkey.cred_id().clone())
            .collect();
        let (id, name) = (person.id.0, &person.name);
        let begun = webauthn.start_passkey_registration(id, name, name, Some(known));
        let (options, state) = begun.map_err(failed)?;
        let mut options = serde_json::to_value(options).map_err(unwritten)?;
        // Kept on the device with its owner's name, so that it is found without one.
        let wanted = &mut options["publicKey"]["authenticatorSelection"];
        wanted["residentKey"] = json!("required");
        wanted["requireResidentKey"] = json!(true);
        let factor = FactorId(self.ids.next());
        let pending = PendingPasskey {
            person: person.id,
            factor,
            state,
        };
        Ok((text(&options), pending))
    }

    /// The passkey of this person, if the device has registered it.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] when another has begun to add it, [`Refused::Invalid`] when it has not.
    pub fn passkey_confirmed(
        &self,
        pending: &PendingPasskey,
        person: &Person,
        answer: &str,
        name: &str,
    ) -> Result<NewFactor, ServiceError> {
        if pending.person != person.id {
            return Err(ServiceError::NotFound);
        }
        let Passkeys(webauthn) = self.passkeys()?;
        let answer: RegisterPublicKeyCredential = read(answer)?;
        let finished = webauthn.finish_passkey_registration(&answer, &pending.state);
        let passkey = finished.map_err(|error| unfit(&error))?;
        Ok(NewFactor {
            id: pending.factor,
            name: name.to_owned(),
            secret: FactorSecret::Passkey {
                credential: passkey.cred_id().to_vec(),
                json: serde_json::to_string(&passkey).map_err(unwritten)?,
            },
            used: 0,
        })
    }

    /// Asks for a passkey of this person: what the browser is asked, as JSON, and what to keep meanwhile. `None` when
    /// they have none.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn ask_passkey(
        &self,
        person: &Person,
    ) -> Result<Option<(String, AskedPasskey)>, ServiceError> {
        let Ok(Passkeys(webauthn)) = self.passkeys() else {
            return Ok(None);
        };
        let factors = self.store.factors(person.id).await?;
        let passkeys = factors.iter().filter_map(passkey_of);
        let passkeys: Vec<Passkey> = passkeys.map(|(_, passkey)| passkey).collect();
        if passkeys.is_empty() {
            return Ok(None);
        }
        let (options, state) = webauthn
            .start_passkey_authentication(&passkeys)
            .map_err(failed)?;
        let options = serde_json::to_value(options).map_err(unwritten)?;
        Ok(Some((text(&options), AskedPasskey(state))))
    }

    /// The passkey that a person has shown, if it is one of theirs.
    ///
    /// # Errors
    /// [`ServiceError::Wait`] after many that were not.
    pub async fn show_passkey(
        &self,
        known: &Known,
        asked: &AskedPasskey,
        answer: &str,
        address: IpAddr,
    ) -> Result<Option<Shown>, ServiceError> {
        let Passkeys(webauthn) = self.passkeys()?;
        let Ok(answer) = read::<PublicKeyCredential>(answer) else {
            return Ok(None);
        };
        self.attempt_of(&known.person, address)?;
        let Ok(result) = webauthn.finish_passkey_authentication(&answer, &asked.0) else {
            self.note_failure(Some(known.person.clone()), None);
            return Ok(None);
        };
        let factors = self.store.factors(known.person.id).await?;
        let mut passkeys = factors.iter().filter_map(passkey_of);
        Ok(passkeys.find_map(|(factor, passkey)| shown(factor, passkey, &result)))
    }

    /// Asks for any passkey that a device has for this server.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] where there are none.
    pub fn ask_any_passkey(&self) -> Result<(String, AskedAny), ServiceError> {
        let Passkeys(webauthn) = self.passkeys()?;
        let (options, state) = webauthn
            .start_discoverable_authentication()
            .map_err(failed)?;
        let options = serde_json::to_value(options).map_err(unwritten)?;
        // A button was pressed: the browser asks at once, and not beside a field.
        let only = json!({ "publicKey": options["publicKey"] });
        Ok((text(&only), AskedAny(state)))
    }

    /// A person comes by a passkey alone. `None` when it is nobody's, or its owner may not come in.
    ///
    /// # Errors
    /// [`ServiceError::Wait`] after many of one person that were not right.
    pub async fn come_by_passkey(
        &self,
        asked: AskedAny,
        answer: &str,
        address: IpAddr,
    ) -> Result<Option<(Known, Shown)>, ServiceError> {
        let Passkeys(webauthn) = self.passkeys()?;
        let Ok(answer) = read::<PublicKeyCredential>(answer) else {
            return Ok(None);
        };
        let Ok((owner, credential)) = webauthn.identify_discoverable_authentication(&answer) else {
            return Ok(None);
        };
        let factor = self.store.passkey(credential).await?;
        let Some((factor, passkey)) = factor.as_ref().and_then(passkey_of) else {
            return Ok(None);
        };
        let person = self.store.person(factor.person).await?;
        let Some(person) = person.filter(|one| one.id.0 == owner && one.disabled_at.is_none())
        else {
            return Ok(None);
        };
        // Nobody guesses a signature; but each that fails is an event.
        self.attempt_of(&person, address)?;
        let key = DiscoverableKey::from(&passkey);
        let finished = webauthn.finish_discoverable_authentication_v2(&answer, asked.0, key);
        let Ok(result) = finished else {
            self.note_failure(Some(person), None);
            return Ok(None);
        };
        let by = KnownBy::Passkey;
        let shown = shown(factor, passkey, &result);
        Ok(shown.map(|shown| (Known { person, by }, shown)))
    }

    fn passkeys(&self) -> Result<&Passkeys, ServiceError> {
        self.passkeys.as_deref().ok_or(ServiceError::NotFound)
    }
}

fn passkey_of(factor: &Factor) -> Option<(&Factor, Passkey)> {
    let FactorSecret::Passkey { json, .. } = &factor.secret else {
        return None;
    };
    match serde_json::from_str(json) {
        Ok(passkey) => Some((factor, passkey)),
        Err(error) => {
            tracing::error!(%error, factor.id = %factor.id, "a passkey cannot be read");
            None
        }
    }
}

/// The passkey with what its device has counted.
fn shown(factor: &Factor, mut passkey: Passkey, result: &AuthenticationResult) -> Option<Shown> {
    passkey.update_credential(result)?;
    let json = serde_json::to_string(&passkey).ok()?;
    let factor = factor.clone();
    Some(Shown::Passkey { factor, json })
}

fn read<T: for<'de> Deserialize<'de>>(answer: &str) -> Result<T, ServiceError> {
    serde_json::from_str(answer).map_err(|_| {
        vec![Fault::new(
            "answer",
            "is not what a browser says of a passkey",
        )]
        .into()
    })
}

fn unfit(error: &WebauthnError) -> ServiceError {
    tracing::info!(%error, "a passkey was not taken");
    vec![Fault::new("answer", "does not fit what was asked")].into()
}

fn failed(error: WebauthnError) -> ServiceError {
    tracing::error!(%error, "passkeys do not work");
    Refused::NoKey.into()
}

fn unwritten(error: serde_json::Error) -> ServiceError {
    tracing::error!(%error, "a passkey cannot be written");
    Refused::NoKey.into()
}

fn text(options: &Value) -> String {
    options.to_string()
}

#[cfg(test)]
mod tests {
    use super::Passkeys;

    #[test]
    fn passkeys_are_for_a_name_with_tls_or_for_this_machine() {
        for (url, has) in [
            ("https://ask.example", true),
            ("https://ask.example:8443", true),
            ("http://handraise.localhost:3000", true),
            ("http://localhost:3000", true),
            ("http://ask.example", false),
            ("http://127.0.0.1:3000", false),
            ("https://192.0.2.1", false),
            ("https://[::1]:3000", false),
        ] {
            assert_eq!(Passkeys::at(url).is_some(), has, "{url}");
        }
    }
}
