//! The file of policies: read when the server starts, and again when an admin or a SIGHUP says so.

use std::{fs, path::Path};

use domain::{Fault, Principal, Refused, policy::Policies};
use service::{Service, ServiceError};
use thiserror::Error;
use toml::{Table, Value};

/// The largest file that is read: TOML may have more white space and comments than rules.
const LARGEST: u64 = 1024 * 1024;

/// Why a file's policies are not in force. Those before them stay.
#[derive(Debug, Error)]
pub enum NotLoaded {
    /// It cannot be read.
    #[error("{0} cannot be read: {1}")]
    Unreadable(String, String),
    /// Something in it is wrong.
    #[error("{file}: {}", words(faults))]
    Wrong {
        /// The file.
        file: String,
        /// All that is.
        faults: Vec<Fault>,
    },
    /// They could not be put in force.
    #[error(transparent)]
    Failed(ServiceError),
}

fn words(faults: &[Fault]) -> String {
    let faults = faults
        .iter()
        .map(|fault| format!("{} {}", fault.path, fault.message));
    faults.collect::<Vec<_>>().join("; ")
}

/// Puts the policies of this file in force, and returns what they ask for that nobody could give as things are; `strictly`,
/// that is a fault.
///
/// # Errors
/// [`NotLoaded`]; then those before them are in force.
pub async fn load(
    service: &Service,
    file: &Path,
    strictly: bool,
    by: &Principal,
) -> Result<Vec<Fault>, NotLoaded> {
    let policies = read_file(file)?;
    match service.load_policies(policies, strictly, by).await {
        Ok(lacking) => Ok(lacking),
        Err(ServiceError::Refused(Refused::Invalid(faults))) => Err(NotLoaded::Wrong {
            file: file.display().to_string(),
            faults,
        }),
        Err(error) => Err(NotLoaded::Failed(error)),
    }
}

/// The policies of a file, unchecked.
///
/// # Errors
/// [`NotLoaded::Unreadable`], [`NotLoaded::Wrong`].
pub fn read_file(file: &Path) -> Result<Policies, NotLoaded> {
    let name = file.display().to_string();
    let unreadable = |error: std::io::Error| NotLoaded::Unreadable(name.clone(), error.to_string());
    let size = fs::metadata(file).map_err(unreadable)?.len();
    if size > LARGEST {
        let why = format!("it has {size} bytes, at most {LARGEST} are allowed");
        return Err(NotLoaded::Unreadable(name, why));
    }
    let text = fs::read_to_string(file).map_err(unreadable)?;
    read(&text).map_err(|faults| NotLoaded::Wrong { file: name, faults })
}

/// Policies as they are written: in TOML, or in JSON, which begins with a brace.
///
/// # Errors
/// What cannot be read of them, with its place.
pub fn read(text: &str) -> Result<Policies, Vec<Fault>> {
    let fault = |path: &str, why: &str| vec![Fault::new(path, why.replace('\n', ", "))];
    if text.trim_start().starts_with('{') {
        let mut json = serde_json::Deserializer::from_str(text);
        let read = serde_path_to_error::deserialize(&mut json);
        let policies: Policies = read.map_err(|error| {
            let path = error.path().to_string();
            fault(&path, &error.inner().to_string())
        })?;
        return match json.end() {
            Ok(()) => Ok(policies),
            Err(error) => Err(fault("$", &error.to_string())),
        };
    }
    let table: Table = toml::from_str(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map_or(1, |before| before.matches('\n').count() + 1);
        fault(&format!("line {line}"), error.message())
    })?;
    serde_path_to_error::deserialize(Value::Table(table)).map_err(|error| {
        let path = error.path().to_string();
        fault(&path, error.inner().message())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = r#"
# Nobody rewrites history.
[[rules]]
name = "no force"
then = "forbid"
reason = "History stays as it is."
match = [{ tool = "Bash", arguments = { command = "git push --force" } }]
not_match = [{ tool = "Bash", arguments = { command = "git push" } }]

[rules.when]
tools = ["Bash"]
arguments = [{ has = { words = ["git", "push", "--force"] } }]

[[rules]]
name = "two for production"
then = "ask"
approvals = { needed = 2, four_eyes = true }
match = [{ tool = "deploy", arguments = { env = "production", times = 1 } }]
not_match = [{ tool = "deploy", arguments = { env = "staging" } }]
when = { tools = ["deploy"], arguments = [{ at = ["env"], has = { is = ["production"] } }] }

[[rules]]
name = "tests"
then = "allow"
match = [{ tool = "Bash", arguments = { command = "cargo test store" } }]
not_match = [{ tool = "Bash", arguments = { command = "cargo test; ls" } }]

[rules.matcher.like]
tool = "Bash"
like = {}
varies = [{ at = ["command"], by = { words = { begin = ["cargo", "test"] } } }]
"#;

    #[test]
    fn policies_are_read_from_toml_and_from_json_alike() {
        let policies = read(RULES).unwrap();
        assert_eq!(policies.check(), Ok(()));
        assert_eq!(policies.rules.len(), 3);
        let json = serde_json::to_string(&policies).unwrap();
        assert_eq!(read(&json).unwrap(), policies);
        assert!(read("").unwrap().rules.is_empty());
    }

    /// As the book shows them.
    #[test]
    fn the_rules_of_the_book_are_in_order() {
        let book = include_str!("../../docs/policies.md");
        let (_, after) = book.split_once("```toml\n").unwrap();
        let (rules, _) = after.split_once("```").unwrap();
        let policies = read(rules).unwrap();
        assert_eq!((policies.check(), policies.rules.len()), (Ok(()), 3));
    }

    /// The first set that it recommends.
    #[test]
    fn the_rules_to_begin_with_are_in_order() {
        let policies = read(include_str!("../../docs/examples/policies.toml")).unwrap();
        assert_eq!(policies.check(), Ok(()));
    }

    #[test]
    fn what_cannot_be_read_is_named_with_its_place() {
        for (text, path) in [
            (
                "[[rules]]\nname = \"a\"\nthen = \"deny\"\n",
                "rules[0].then",
            ),
            ("[[rules]]\nname = 1\n", "rules[0].name"),
            ("[[rules]]\nnam = \"a\"\n", "rules[0].nam"),
            ("[[rules]\n", "line 1"),
            ("\n\nrules = [\n", "line"),
            ("{\"rules\": [{\"name\": 1}]}", "rules[0].name"),
            ("{\"rules\": []} x", "$"),
        ] {
            let faults = read(text).unwrap_err();
            assert!(faults[0].path.starts_with(path), "{text}: {faults:?}");
        }
    }
}
