//! The hostile texts that every surface is tested with: `dev/fixtures/hostile_text.json`.

use domain::limits;
use serde::Deserialize;

/// One text.
#[derive(Deserialize)]
pub(crate) struct Hostile {
    pub(crate) name: String,
    text: Text,
    /// What people must be able to read of it.
    pub(crate) shows: Vec<String>,
    /// What must not stand in the HTML.
    #[serde(default)]
    pub(crate) never: Vec<String>,
    /// What must stand in an approval for what hides, reorders or pretends.
    #[serde(default)]
    pub(crate) marks: Vec<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Text {
    Whole(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Part {
    Once(String),
    Repeated { times: usize, of: String },
}

impl Hostile {
    /// Every text of the corpus.
    pub(crate) fn all() -> Vec<Self> {
        #[derive(Deserialize)]
        struct Corpus {
            texts: Vec<Hostile>,
        }
        let corpus = include_str!("../../../../../dev/fixtures/hostile_text.json");
        serde_json::from_str::<Corpus>(corpus).unwrap().texts
    }

    /// The whole text.
    pub(crate) fn text(&self) -> String {
        let text: String = match &self.text {
            Text::Whole(text) => text.clone(),
            Text::Parts(parts) => parts
                .iter()
                .map(|part| match part {
                    Part::Once(text) => text.clone(),
                    Part::Repeated { times, of } => of.repeat(*times),
                })
                .collect(),
        };
        assert!(text.chars().count() <= limits::TEXT_CHARS, "{}", self.name);
        text
    }

    /// The beginning of the text, where only one line without control characters is allowed.
    pub(crate) fn line(&self, max: usize) -> String {
        let text = self.text();
        let one_line = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        one_line.take(max).collect()
    }

    /// What can be read of the first characters of it.
    pub(crate) fn shows_within(&self, chars: usize) -> Vec<String> {
        let start = self.line(chars);
        let shows = self.shows.iter();
        shows.filter(|it| start.contains(&***it)).cloned().collect()
    }
}
