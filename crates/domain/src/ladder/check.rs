//! Ladders as people write them, and what is wrong with them.

use serde::{Deserialize, Serialize};

use super::{After, Circle, Class, Ladder, Rung};
use crate::{
    access::{Person, PersonRef},
    delivery::ReachKind,
    fault::{Fault, Faults},
    ids::PersonId,
    limits::{RUNG_SECONDS_MAX, RUNG_SECONDS_MIN, RUNG_TIMES, RUNGS},
};

/// A ladder as it is written. A class that is left out keeps the rungs it has by default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LadderDraft {
    /// For what is urgent.
    pub urgent: Option<Vec<RungDraft>>,
    /// For what an agent has stopped for.
    pub sync: Option<Vec<RungDraft>>,
    /// For everything else.
    #[serde(rename = "async")]
    pub later: Option<Vec<RungDraft>>,
}

/// A rung as it is written: `0 duty`, `5m team by push,mail`, `half team x3`, `1h admins`, `30m Ana`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RungDraft(pub String);

impl LadderDraft {
    /// The ladder. `person` finds those who may be named in it.
    ///
    /// # Errors
    /// Everything that is wrong, each with its path.
    pub fn check(&self, person: &dyn Fn(&str) -> Option<PersonId>) -> Result<Ladder, Vec<Fault>> {
        let mut faults = Faults::default();
        let default = Ladder::default();
        let mut rungs = |class: Class, drafts: &Option<Vec<RungDraft>>| match drafts {
            None => default.rungs(class).to_vec(),
            Some(drafts) => checked(class.name(), drafts, person, &mut faults),
        };
        let ladder = Ladder {
            urgent: rungs(Class::Urgent, &self.urgent),
            sync: rungs(Class::Sync, &self.sync),
            later: rungs(Class::Async, &self.later),
        };
        faults.into_result(ladder)
    }
}

fn checked(
    name: &str,
    drafts: &[RungDraft],
    person: &dyn Fn(&str) -> Option<PersonId>,
    faults: &mut Faults,
) -> Vec<Rung> {
    if drafts.len() > RUNGS {
        let count = drafts.len();
        faults.add(
            name,
            format!("has {count} rungs, at most {RUNGS} are allowed"),
        );
        return Vec::new();
    }
    let mut rungs = Vec::new();
    for (n, draft) in drafts.iter().enumerate() {
        let path = format!("{name}[{n}]");
        match draft.read(person).and_then(|rung| placed(n, rung)) {
            Ok(rung) => rungs.push(rung),
            Err(why) => faults.add(&path, why),
        }
    }
    rungs
}

/// What a rung has to be by its place.
fn placed(place: usize, rung: Rung) -> Result<Rung, String> {
    let at_once = rung.after == After::Seconds(0);
    match place {
        0 if !at_once => Err("is the first, which is told at once: begin it with 0".to_owned()),
        0 if rung.times != 1 => {
            Err("is the first, which is told at once and so once; repeat a later one".to_owned())
        }
        0 => Ok(rung),
        _ if at_once => Err("must say how long after the rung before it, such as 5m".to_owned()),
        _ => Ok(rung),
    }
}

impl RungDraft {
    fn read(&self, person: &dyn Fn(&str) -> Option<PersonId>) -> Result<Rung, String> {
        let text = self.0.trim();
        let (after, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let after = read_after(after)?;
        let (rest, times) = match rest.trim().rsplit_once(char::is_whitespace) {
            Some((rest, last)) if read_times(last).is_some() => (rest.trim(), last),
            _ => (rest.trim(), "x1"),
        };
        let times = read_times(times).filter(|times| (1..=RUNG_TIMES).contains(times));
        let times = times.ok_or_else(|| format!("must be told from x1 to x{RUNG_TIMES} times"))?;
        let (whom, by) = match rest.rsplit_once(" by ") {
            Some((whom, ways)) => (whom.trim(), read_ways(ways)?),
            None => (rest, Vec::new()),
        };
        let whom = match whom {
            "" => {
                return Err("must say whom: duty, team, admins or the name of a person".to_owned());
            }
            "duty" => Circle::Duty,
            "team" => Circle::Team,
            "admins" => Circle::Admins,
            name => Circle::Person(person(name).ok_or(
                "is not the name of a person who may answer here; write duty, team, admins or such a name",
            )?),
        };
        Ok(Rung {
            after,
            whom,
            by,
            times,
        })
    }
}

fn read_after(text: &str) -> Result<After, String> {
    let how = || "must begin with 0, a time such as 5m, 90s or 2h, or half".to_owned();
    match text {
        "half" => return Ok(After::Half),
        "0" => return Ok(After::Seconds(0)),
        _ => {}
    }
    let unit = text.chars().next_back().ok_or_else(how)?;
    let seconds: i64 = match unit {
        's' => 1,
        'm' => 60,
        'h' => 60 * 60,
        'd' => 24 * 60 * 60,
        _ => return Err(how()),
    };
    let digits = &text[..text.len() - 1];
    let is_plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let count: i64 = digits.parse().ok().filter(|_| is_plain).ok_or_else(how)?;
    let wait = count.checked_mul(seconds).ok_or_else(how)?;
    match (RUNG_SECONDS_MIN..=RUNG_SECONDS_MAX).contains(&wait) {
        true => Ok(After::Seconds(wait)),
        false => Err(format!(
            "must wait from {RUNG_SECONDS_MIN} s to {} d",
            RUNG_SECONDS_MAX / (24 * 60 * 60)
        )),
    }
}

fn read_times(text: &str) -> Option<u32> {
    let digits = text.strip_prefix('x')?;
    let is_plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse().ok().filter(|_| is_plain)
}

fn read_ways(text: &str) -> Result<Vec<ReachKind>, String> {
    let mut ways = Vec::new();
    for name in text.split(',') {
        let way = ReachKind::from_name(name.trim());
        let way = way.ok_or("must name ways out of push, mail, ntfy and slack, after `by`")?;
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    ways.sort_unstable();
    Ok(ways)
}

impl Rung {
    /// It as it is written; `name` says what a person is called.
    pub fn text(&self, name: &dyn Fn(PersonId) -> String) -> String {
        let mut text = self.after.text();
        text.push(' ');
        text.push_str(&match self.whom {
            Circle::Duty => "duty".to_owned(),
            Circle::Team => "team".to_owned(),
            Circle::Admins => "admins".to_owned(),
            Circle::Person(person) => name(person),
        });
        if !self.by.is_empty() {
            let ways: Vec<_> = self.by.iter().map(|way| way.name()).collect();
            text.push_str(&format!(" by {}", ways.join(",")));
        }
        if self.times != 1 {
            text.push_str(&format!(" x{}", self.times));
        }
        text
    }
}

impl After {
    /// It as it is written.
    pub fn text(self) -> String {
        let Self::Seconds(seconds) = self else {
            return "half".to_owned();
        };
        let units = [(24 * 60 * 60, "d"), (60 * 60, "h"), (60, "m")];
        let whole = units.into_iter().find(|(unit, _)| seconds % unit == 0);
        match (seconds, whole) {
            (0, _) => "0".to_owned(),
            (_, Some((unit, name))) => format!("{}{name}", seconds / unit),
            (_, None) => format!("{seconds}s"),
        }
    }
}

/// The person of this name among those who may be named.
pub fn named(people: &[PersonRef], name: &str) -> Option<PersonId> {
    let key = Person::name_key(name);
    let found = people.iter().find(|one| Person::name_key(&one.name) == key);
    found.map(|one| one.id)
}
