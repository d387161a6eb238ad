//! Providers of sign-ins: a list, each with all that is said of it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
    path::PathBuf,
};

use domain::{
    Role,
    fault::is_name,
    limits::{ISSUER_CHARS, LINE_CHARS},
};
use oidc::{Newcomers, Places};
use secrecy::SecretString;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error, MapAccess, SeqAccess, Visitor},
};
use service::guard::Networks;
use url::Url;

use super::{Contradiction, Hidden, checked};

/// More would be no list of buttons.
const MOST: usize = 20;
const KEY_CHARS: usize = 32;

/// A provider, as `handraise.default.toml` explains it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderSettings {
    /// Its name in addresses.
    #[serde(deserialize_with = "key")]
    pub key: String,
    /// Its name for people.
    #[serde(deserialize_with = "name")]
    pub name: String,
    /// Its address.
    #[serde(deserialize_with = "issuer")]
    pub issuer: String,
    /// Handraise's name there.
    #[serde(deserialize_with = "client_id")]
    pub client_id: String,
    /// Proves that it is Handraise.
    #[serde(default, deserialize_with = "secret")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<Hidden>,
    /// A file with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_secret_file: Option<PathBuf>,
    /// What is asked for.
    #[serde(default = "scopes", deserialize_with = "some_scopes")]
    pub scopes: Vec<String>,
    /// The claim that says who may do what.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub role_claim: String,
    /// What its values mean.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<String, Role>,
    /// The claim that says who is in which team.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub team_claim: String,
    /// What its values mean.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub teams: BTreeMap<String, Places>,
    /// Whether people come in whom nobody here knows.
    #[serde(default)]
    pub newcomers: Newcomers,
    /// Networks that it may be in although they are not public.
    #[serde(default)]
    pub networks: Networks,
}

impl ProviderSettings {
    /// The secret, wherever it is.
    ///
    /// # Errors
    /// When its file cannot be read, or has none in it.
    pub fn secret(&self) -> Result<Option<SecretString>, String> {
        let Some(file) = &self.client_secret_file else {
            return Ok(self.client_secret.as_ref().map(Hidden::secret));
        };
        let text = fs::read_to_string(file)
            .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        match text.trim_end_matches(['\r', '\n']) {
            "" => Err(format!("{} is empty", file.display())),
            text => Ok(Some(text.to_owned().into())),
        }
    }
}

/// What does not go together, of providers and passwords.
pub(super) fn contradictions(
    providers: &[ProviderSettings],
    passwords: bool,
) -> Vec<Contradiction> {
    let mut found = Vec::new();
    let mut wrong = |setting: &'static str, what: String| {
        found.push(Contradiction { setting, what });
    };
    if !passwords && providers.is_empty() {
        let what = "nobody could sign in: it can be false where there are providers";
        wrong("passwords", what.to_owned());
    }
    if providers.len() > MOST {
        wrong("providers", format!("there may be at most {MOST}"));
    }
    let (mut keys, mut names, mut issuers) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for one in providers {
        let mut wrong = |what: &str| wrong("providers", format!("{}: {what}", one.key));
        if !keys.insert(&one.key) {
            wrong("two have this key");
        }
        if !names.insert(one.name.to_lowercase()) {
            wrong("two have this name");
        }
        if !issuers.insert(&one.issuer) {
            wrong("two have this issuer, and people could not be told apart");
        }
        if one.client_secret.is_some() && one.client_secret_file.is_some() {
            wrong("client_secret and client_secret_file are both set; take one away");
        } else if let Err(why) = one.secret() {
            wrong(&format!("client_secret_file: {why}"));
        }
        match (one.role_claim.is_empty(), one.roles.is_empty()) {
            (true, false) => {
                wrong("roles are set, and role_claim does not say which claim has them");
            }
            (false, true) => {
                wrong("role_claim is set, and roles does not say what its values mean");
            }
            (true, true) if one.newcomers == Newcomers::ByClaim => {
                wrong("newcomers is \"claim\", and role_claim does not say which");
            }
            _ => {}
        }
        match (one.team_claim.is_empty(), one.teams.is_empty()) {
            (true, false) => {
                wrong("teams are set, and team_claim does not say which claim has them");
            }
            (false, true) => {
                wrong("team_claim is set, and teams does not say what its values mean");
            }
            _ => {}
        }
    }
    found
}

/// A list, and never a word of what stands there instead: it may be a secret.
pub(super) fn list<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<ProviderSettings>, D::Error> {
    from.deserialize_any(List)
}

struct List;

const NO_LIST: &str =
    "it must be a list: in the file a section [[providers]] for each, in the environment JSON";

impl<'de> Visitor<'de> for List {
    type Value = Vec<ProviderSettings>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Self::Value, E> {
        Err(E::custom(NO_LIST))
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<Self::Value, A::Error> {
        Err(A::Error::custom(NO_LIST))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(one) = items.next_element()? {
            all.push(one);
        }
        Ok(all)
    }
}

fn key<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let key = String::deserialize(from)?;
    let is_fit = (1..=KEY_CHARS).contains(&key.len())
        && key
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    match is_fit {
        true => Ok(key),
        false => Err(D::Error::custom(format!(
            "it must be a word for addresses, of 1 to {KEY_CHARS} small letters, digits and hyphens"
        ))),
    }
}

fn name<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let name = String::deserialize(from)?;
    match is_name(&name, LINE_CHARS) {
        true => Ok(name),
        false => Err(D::Error::custom(format!(
            "it must be the name that people know it by, of at most {LINE_CHARS} characters"
        ))),
    }
}

fn issuer<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let issuer = String::deserialize(from)?;
    let is_fit = issuer.len() <= ISSUER_CHARS
        && Url::parse(&issuer).is_ok_and(|url| {
            oidc::is_safe(&url) && url.query().is_none() && url.fragment().is_none()
        });
    match is_fit {
        true => Ok(issuer),
        false => Err(D::Error::custom(
            "it must be the provider's address, which begins with https://, such as https://id.example/realms/main \
             (http:// only on this machine)",
        )),
    }
}

fn client_id<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let id = String::deserialize(from)?;
    match id.trim().is_empty() {
        false => Ok(id),
        true => Err(D::Error::custom(
            "it must be what Handraise is called at the provider",
        )),
    }
}

fn secret<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Hidden>, D::Error> {
    let text = checked::hidden_text(from)?;
    Ok(Some(text).filter(|text| !text.is_empty()).map(Hidden::from))
}

fn scopes() -> Vec<String> {
    ["openid", "profile"].map(str::to_owned).into()
}

/// Without `openid` it would be another protocol.
fn some_scopes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let scopes = Vec::<String>::deserialize(from)?;
    let is_one = |scope: &String| {
        !scope.is_empty()
            && scope
                .bytes()
                .all(|b| b.is_ascii_graphic() && b != b'"' && b != b'\\')
    };
    match scopes.iter().all(is_one) && scopes.iter().any(|scope| scope == "openid") {
        true => Ok(scopes),
        false => Err(D::Error::custom(
            "it must be a list of scopes without spaces in them, with \"openid\" among them",
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::{Config, Flags, LoadError, Loaded, load};

    fn given(text: &str, variables: &[(&str, &str)]) -> Result<Loaded, LoadError> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("h.toml");
        fs::write(&file, text).unwrap();
        let variables = variables
            .iter()
            .map(|(name, value)| (name.into(), value.into()));
        load(Some(&file), Flags::default(), variables)
    }

    fn wrong(text: &str, variables: &[(&str, &str)]) -> String {
        given(text, variables).unwrap_err().to_string()
    }

    const WHOLE: &str = "\
        [[providers]]\nkey = 'company'\nname = 'Company'\nissuer = 'https://id.example/realms/main'\n\
        client_id = 'handraise'\nclient_secret = 'pa55word'\nrole_claim = 'groups'\n\
        roles = { staff = 'viewer', ops = 'admin' }\nnewcomers = 'claim'\nnetworks = ['10.1.0.0/16']\n\
        team_claim = 'squads'\nteams = { pay = 'Payments', look = { team = 'Payments', part = 'reads' }, \
        both = ['Search', { team = 'Ops', part = 'reads' }] }\n\
        [[providers]]\nkey = 'other'\nname = 'Other'\nissuer = 'http://localhost:8080'\nclient_id = 'h'\n";

    #[test]
    fn a_list_of_providers_is_read_from_the_file_and_from_the_environment() {
        let loaded = given(WHOLE, &[]).unwrap();
        let [company, other] = &loaded.config.providers[..] else {
            panic!("{loaded:?}");
        };
        assert_eq!(company.roles["ops"], Role::Admin);
        assert_eq!(company.newcomers, Newcomers::ByClaim);
        let teams = serde_json::to_value(&company.teams).unwrap();
        assert_eq!(teams["both"][1], json!({"team": "Ops", "part": "reads"}));
        assert_eq!(
            teams["pay"],
            json!([{"team": "Payments", "part": "answers"}])
        );
        assert_eq!(company.scopes, ["openid", "profile"]);
        assert_eq!(other.newcomers, Newcomers::Nobody);
        assert!(other.secret().unwrap().is_none() && company.secret().unwrap().is_some());
        // What is in force reads as a file with the same meaning, but for the secret, which is never shown.
        let shown = format!("{loaded:?} {}", loaded.in_force());
        assert!(!shown.contains("pa55word"), "{shown}");
        let again: Config = toml::from_str(&loaded.in_force()).unwrap();
        let json = |config: &Config| serde_json::to_value(&config.providers).unwrap();
        assert_eq!(json(&again), json(&loaded.config));
        let one =
            r#" [{"key": "a", "name": "A", "issuer": "https://a.example", "client_id": "h"}]"#;
        let loaded = given(WHOLE, &[("HANDRAISE_PROVIDERS", one)]).unwrap();
        assert_eq!(loaded.config.providers.len(), 1);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place_and_no_secret() {
        for (from, to, part) in [
            (
                "'company'",
                "'Company X'",
                "providers[0].key: it must be a word for addresses",
            ),
            ("'Company'", "''", "providers[0].name: it must be the name"),
            (
                "https://id",
                "http://id",
                "providers[0].issuer: it must be the provider's address, which begins with https://",
            ),
            ("/realms/main", "?a=b", "providers[0].issuer"),
            ("'handraise'", "''", "providers[0].client_id"),
            (
                "client_secret = 'pa55word'",
                "client_secret = 5",
                "providers[0].client_secret: it must be text",
            ),
            (
                "client_secret = 'pa55word'",
                "client_secret_file = '/nowhere'",
                "company: client_secret_file: cannot read /nowhere",
            ),
            ("'admin' }", "'root' }", "providers[0].roles.ops"),
            (
                "newcomers = 'claim'",
                "newcomers = 'root'",
                "providers[0].newcomers: it must be viewer",
            ),
            (
                "newcomers = 'claim'",
                "newcomer = 'claim'",
                "providers[0].newcomer: unknown field `newcomer`",
            ),
            (
                "newcomers = 'claim'",
                "scopes = ['profile']",
                "providers[0].scopes: it must be a list",
            ),
            (
                "role_claim = 'groups'\n",
                "",
                "company: roles are set, and role_claim does not say",
            ),
            (
                "roles = { staff = 'viewer', ops = 'admin' }\n",
                "",
                "company: role_claim is set, and roles does not say",
            ),
            (
                "pay = 'Payments'",
                "pay = ''",
                "providers[0].teams.pay: it must be a team's name",
            ),
            (
                "part = 'reads' }] }",
                "part = 'root' }] }",
                "providers[0].teams.both[1].part: it must be answers or reads",
            ),
            (
                "team_claim = 'squads'\n",
                "",
                "company: teams are set, and team_claim does not say",
            ),
            ("'other'", "'company'", "company: two have this key"),
            ("'Other'", "'company'", "other: two have this name"),
            (
                "'http://localhost:8080'",
                "'https://id.example/realms/main'",
                "other: two have this issuer",
            ),
            (
                "client_id = 'h'\n",
                "",
                "providers[1]: missing field `client_id`",
            ),
        ] {
            assert!(WHOLE.contains(from), "{from}");
            let said = wrong(&WHOLE.replacen(from, to, 1), &[]);
            assert!(said.contains(part) && said.contains("h.toml:1"), "{said}");
            assert!(!said.contains("pa55word"), "{said}");
        }
        for text in [
            "pa55word",
            "[{\"key\": \"pa55word\"",
            "{\"pa55word\": 1}",
            "a,pa55word",
        ] {
            let said = wrong("", &[("HANDRAISE_PROVIDERS", text)]);
            assert!(
                said.contains("it must be a list") && !said.contains("pa55word"),
                "{said}"
            );
        }
        let said = wrong("passwords = false", &[]);
        assert!(said.contains("nobody could sign in"), "{said}");
    }
}
