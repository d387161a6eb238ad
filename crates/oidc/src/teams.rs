//! A claim whose values are teams here, as an operator says it.

use std::{collections::BTreeMap, fmt};

use domain::{Part, Person, fault::is_name, limits::LINE_CHARS};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};

use crate::{Claims, Trouble};

/// A claim whose values are teams here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Teams {
    /// The claim.
    pub claim: String,
    /// Its values that matter.
    pub by_value: BTreeMap<String, Places>,
}

/// What one value means: places in one team or in several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places(Vec<Place>);

/// A place in a team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The team, by its name.
    #[serde(deserialize_with = "team")]
    pub team: String,
    /// What its holder may do there.
    #[serde(default = "answers", deserialize_with = "part")]
    pub part: Part,
}

impl Teams {
    /// The teams that these claims give, by their names, with the greatest part that any value gives there.
    ///
    /// # Errors
    /// When the claim is missing or of another type.
    pub fn given(&self, claims: &Claims) -> Result<BTreeMap<String, Part>, Trouble> {
        let values = claims.texts(&self.claim)?;
        let places = values.iter().filter_map(|value| self.by_value.get(value));
        let mut given: BTreeMap<String, (&str, Part)> = BTreeMap::new();
        for place in places.flat_map(|places| &places.0) {
            let (_, part) = given
                .entry(Person::name_key(&place.team))
                .or_insert((&place.team, place.part));
            *part = place.part.max(*part);
        }
        let given = given.into_values();
        Ok(given.map(|(team, part)| (team.to_owned(), part)).collect())
    }

    /// The names of all teams that it could give.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let places = self.by_value.values().flat_map(|places| &places.0);
        places.map(|place| &*place.team)
    }
}

impl<'de> Deserialize<'de> for Places {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(OneOrMore)
    }
}

struct OneOrMore;

impl<'de> Visitor<'de> for OneOrMore {
    type Value = Places;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a team's name, { team = \"...\", part = \"reads\" }, or a list of these")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Places, E> {
        let team = checked(name.to_owned())?;
        let part = answers();
        Ok(Places(vec![Place { team, part }]))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Places, A::Error> {
        let place = Place::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Places(vec![place]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Places, A::Error> {
        let mut all = Vec::new();
        while let Some(Places(some)) = items.next_element()? {
            all.extend(some);
        }
        match all.is_empty() {
            true => Err(A::Error::custom("it must name a team")),
            false => Ok(Places(all)),
        }
    }
}

impl Serialize for Places {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

fn answers() -> Part {
    Part::Answers
}

fn team<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    checked(String::deserialize(from)?)
}

fn checked<E: Error>(name: String) -> Result<String, E> {
    match is_name(&name, LINE_CHARS) {
        true => Ok(name.trim().to_owned()),
        false => Err(E::custom(format!(
            "it must be a team's name, of at most {LINE_CHARS} characters"
        ))),
    }
}

fn part<'de, D: Deserializer<'de>>(from: D) -> Result<Part, D::Error> {
    let name = String::deserialize(from)?;
    Part::from_name(&name).ok_or_else(|| D::Error::custom("it must be answers or reads"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn teams(map: Value) -> Result<Teams, String> {
        let by_value = serde_json::from_value(map).map_err(|error| error.to_string())?;
        Ok(Teams {
            claim: "groups".into(),
            by_value,
        })
    }

    fn claims(groups: Value) -> Claims {
        let Value::Object(claims) = json!({"groups": groups}) else {
            unreachable!();
        };
        Claims::new(claims)
    }

    #[test]
    fn each_group_gives_its_teams_and_of_several_the_greatest_part_counts() {
        let teams = teams(json!({
            "pay": "Payments", "audit": [{"team": "payments", "part": "reads"}, "Search"],
            "look": {"team": "Search", "part": "reads"}, "desk": {"team": " Desk "},
        }))
        .unwrap();
        let (reads, answers) = (Part::Reads, Part::Answers);
        for (groups, expected) in [
            (json!([]), vec![]),
            (json!(["x", "Pay", "pay "]), vec![]),
            (json!("pay"), vec![("Payments", answers)]),
            (json!(["look"]), vec![("Search", reads)]),
            (
                json!(["audit"]),
                vec![("Search", answers), ("payments", reads)],
            ),
            (
                json!(["pay", "look", "audit"]),
                // As it is written where it was first met.
                vec![("Payments", answers), ("Search", answers)],
            ),
            (json!(["desk"]), vec![("Desk", answers)]),
        ] {
            let given = teams.given(&claims(groups.clone())).unwrap();
            let given: Vec<_> = given.iter().map(|(team, part)| (&**team, *part)).collect();
            assert_eq!(given, expected, "{groups}");
        }
        for groups in [
            json!(null),
            json!(5),
            json!({"pay": true}),
            json!(["pay", 5]),
        ] {
            let given = teams.given(&claims(groups));
            assert!(matches!(given, Err(Trouble::ClaimType { .. })), "{given:?}");
        }
        let missing = teams.given(&Claims::default());
        assert!(matches!(missing, Err(Trouble::ClaimMissing { .. })));
    }

    #[test]
    fn what_is_no_team_is_said() {
        for (map, part) in [
            (json!({"a": 5}), "a team's name"),
            (json!({"a": ""}), "it must be a team's name"),
            (json!({"a": []}), "it must name a team"),
            (json!({"a": [""]}), "it must be a team's name"),
            (json!({"a": {"part": "reads"}}), "missing field `team`"),
            (
                json!({"a": {"team": "b", "part": "root"}}),
                "answers or reads",
            ),
            (json!({"a": {"team": "b", "reads": true}}), "unknown field"),
        ] {
            let said = teams(map.clone()).unwrap_err();
            assert!(said.contains(part), "{map}: {said}");
        }
    }
}
