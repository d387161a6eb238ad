//! What a provider says of a person.

use serde_json::{Map, Value};

use crate::Trouble;

/// Claims whose signature, issuer, audience and time were seen to. Those of the ID token, and where it has not all that
/// is asked for, those of the user info beside them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claims(Map<String, Value>);

impl Claims {
    pub(crate) fn new(claims: Map<String, Value>) -> Self {
        Self(claims)
    }

    /// Adds those that it does not have yet.
    pub(crate) fn add(&mut self, more: Map<String, Value>) {
        for (name, value) in more {
            self.0.entry(name).or_insert(value);
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// The texts of a claim that is one or a list of them, such as groups.
    ///
    /// # Errors
    /// When it is missing or something else.
    pub fn texts(&self, name: &str) -> Result<Vec<String>, Trouble> {
        let Some(value) = self.find(name) else {
            // Entra's way to say that there are too many to be said.
            let elsewhere = self.0.get("_claim_names");
            let claim = name.to_owned();
            return Err(match elsewhere.and_then(|names| names.get(name)) {
                Some(_) => Trouble::ClaimElsewhere { claim },
                None => Trouble::ClaimMissing { claim },
            });
        };
        let wrong = |found: &Value| Trouble::ClaimType {
            claim: name.to_owned(),
            found: type_of(found),
        };
        match value {
            Value::String(text) => Ok(vec![text.clone()]),
            Value::Array(items) => items
                .iter()
                .map(|item| item.as_str().map(str::to_owned).ok_or_else(|| wrong(item)))
                .collect(),
            other => Err(wrong(other)),
        }
    }

    /// The name by which others may know them: the first that the provider gives and that is not empty.
    pub fn display_name(&self) -> Option<&str> {
        ["name", "preferred_username", "nickname", "email"]
            .into_iter()
            .filter_map(|name| self.0.get(name)?.as_str())
            .map(str::trim)
            .find(|text| !text.is_empty())
    }

    /// By its name, or by a path through objects, as Keycloak's `realm_access.roles`.
    fn find(&self, name: &str) -> Option<&Value> {
        self.0.get(name).or_else(|| {
            let (first, rest) = name.split_once('.')?;
            rest.split('.')
                .try_fold(self.0.get(first)?, |value, part| value.get(part))
        })
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use domain::Role;
    use serde_json::json;

    use super::*;
    use crate::{Newcomers, Roles, Settings};

    fn claims(json: Value) -> Claims {
        let Value::Object(claims) = json else {
            panic!("{json}");
        };
        Claims::new(claims)
    }

    fn settings(newcomers: Newcomers, claim: Option<&str>) -> Settings {
        let by_value = [
            ("staff", Role::Viewer),
            ("on-call", Role::Responder),
            ("ops", Role::Admin),
        ];
        Settings {
            key: "company".into(),
            name: "Company".into(),
            issuer: "https://id.example".into(),
            client_id: "handraise".into(),
            client_secret: None,
            scopes: Vec::new(),
            roles: claim.map(|claim| Roles {
                claim: claim.into(),
                by_value: BTreeMap::from(by_value.map(|(value, role)| (value.into(), role))),
            }),
            teams: None,
            newcomers,
        }
    }

    #[test]
    fn the_highest_role_of_all_groups_counts_and_no_group_gives_none() {
        let by_claim = settings(Newcomers::ByClaim, Some("groups"));
        for (groups, role) in [
            (json!(["staff", "ops", "on-call"]), Some(Role::Admin)),
            (json!(["x", "on-call"]), Some(Role::Responder)),
            (json!("staff"), Some(Role::Viewer)),
            (json!([]), None),
            (json!(["Ops", "ops ", ""]), None),
        ] {
            let claims = claims(json!({"groups": groups}));
            let found = by_claim.role_of(&claims);
            match role {
                Some(role) => assert_eq!(found, Ok(Some(role)), "{groups}"),
                None => assert!(matches!(found, Err(Trouble::NoRole { .. })), "{groups}"),
            }
            let all = settings(Newcomers::As(Role::Viewer), Some("groups"));
            assert_eq!(all.role_of(&claims), Ok(role.or(Some(Role::Viewer))));
        }
        let silent = settings(Newcomers::As(Role::Responder), None);
        assert_eq!(silent.role_of(&claims(json!({}))), Ok(None));
    }

    #[test]
    fn unknown_people_come_in_only_as_the_settings_say() {
        for (newcomers, without, with) in [
            (Newcomers::Nobody, None, None),
            (Newcomers::ByClaim, None, Some(Role::Admin)),
            (
                Newcomers::As(Role::Viewer),
                Some(Role::Viewer),
                Some(Role::Admin),
            ),
        ] {
            let settings = settings(newcomers, Some("groups"));
            assert_eq!(settings.role_of_newcomer(None), without);
            assert_eq!(settings.role_of_newcomer(Some(Role::Admin)), with);
        }
    }

    #[test]
    fn a_claim_that_is_missing_or_wrong_is_told_apart() {
        let given = claims(json!({
            "none": null, "number": 5, "object": {"a": 1}, "mixed": ["a", 5],
            "_claim_names": {"groups": "src1"}, "realm_access": {"roles": ["a"]}, "a.b": "c",
        }));
        assert_eq!(given.texts("realm_access.roles"), Ok(vec!["a".into()]));
        assert_eq!(given.texts("a.b"), Ok(vec!["c".into()]));
        for (claim, found) in [
            ("none", "null"),
            ("number", "a number"),
            ("object", "an object"),
            ("mixed", "a number"),
        ] {
            let wrong = Trouble::ClaimType {
                claim: claim.into(),
                found,
            };
            assert_eq!(given.texts(claim), Err(wrong));
        }
        for claim in ["teams", "realm_access.teams", "number.a", ""] {
            let missing = Trouble::ClaimMissing {
                claim: claim.into(),
            };
            assert_eq!(given.texts(claim), Err(missing));
        }
        let elsewhere = Trouble::ClaimElsewhere {
            claim: "groups".into(),
        };
        assert_eq!(given.texts("groups"), Err(elsewhere));
    }

    #[test]
    fn people_are_called_as_the_provider_calls_them() {
        for (given, name) in [
            (json!({"name": " Ana ", "email": "a@b"}), Some("Ana")),
            (
                json!({"name": " ", "preferred_username": "ana"}),
                Some("ana"),
            ),
            (json!({"name": 5, "email": "a@b"}), Some("a@b")),
            (json!({}), None),
        ] {
            assert_eq!(claims(given).display_name(), name);
        }
    }
}
