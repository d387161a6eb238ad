//! The blocks a message is made of, as Slack's JSON. The types of the texts and the constructors hold the limits of
//! <https://docs.slack.dev/reference/block-kit>.

use serde::Serialize;

use super::text::{Address, Literal, Markup, Name, Plain, length};

const CONTEXT_ELEMENTS: usize = 10;
const ACTIONS_ELEMENTS: usize = 25;
const SELECT_OPTIONS: usize = 100;
const RADIO_BUTTONS: usize = 10;

/// Longest text of a section or a context.
pub(super) type Long = Plain<3_000>;
/// The text of a button.
pub(super) type Label = Plain<75>;

/// One block of a message or a modal.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Block {
    block_id: String,
    #[serde(flatten)]
    content: Content,
}

impl Block {
    pub(super) fn new(block_id: String, content: Content) -> Self {
        Self { block_id, content }
    }
}

/// The content of a block.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Content {
    Header {
        text: Plain<150>,
    },
    Section {
        text: Text,
        /// Slack may fold long ones behind "See more" otherwise, and the responder has to see all of it.
        expand: bool,
    },
    Context {
        elements: Vec<Text>,
    },
    Actions {
        elements: Vec<Element>,
    },
    RichText {
        elements: [RichPart; 1],
    },
    Input(Input),
}

/// A text object.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Text {
    Plain(Long),
    Markup(Markup),
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::Plain(Plain::new(text))
    }
}

impl From<Markup> for Text {
    fn from(markup: Markup) -> Self {
        Self::Markup(markup)
    }
}

impl Content {
    pub(super) fn section(text: impl Into<Text>) -> Self {
        Self::Section {
            text: text.into(),
            expand: true,
        }
    }

    pub(super) fn context(mut elements: Vec<Text>) -> Self {
        elements.truncate(CONTEXT_ELEMENTS);
        Self::Context { elements }
    }

    pub(super) fn actions(mut elements: Vec<Element>) -> Self {
        elements.truncate(ACTIONS_ELEMENTS);
        Self::Actions { elements }
    }

    /// A line in bold.
    pub(super) fn bold(text: &str) -> Self {
        let bold = RichText::Text {
            text: Literal::new(text),
            style: Some(Style { bold: true }),
        };
        Self::RichText {
            elements: [RichPart::RichTextSection { elements: [bold] }],
        }
    }

    /// Lines as a machine reads them. Nothing in them ends it, as three backticks would in markup.
    pub(super) fn preformatted(text: &str) -> Self {
        let text = RichText::Text {
            text: Literal::new(text),
            style: None,
        };
        Self::RichText {
            elements: [RichPart::RichTextPreformatted { elements: [text] }],
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum RichPart {
    RichTextSection { elements: [RichText; 1] },
    RichTextPreformatted { elements: [RichText; 1] },
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum RichText {
    Text {
        text: Literal<3_000>,
        #[serde(skip_serializing_if = "Option::is_none")]
        style: Option<Style>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Style {
    bold: bool,
}

/// The controls people press or fill in.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Element {
    Button {
        action_id: Name,
        text: Label,
        #[serde(skip_serializing_if = "Option::is_none")]
        value: Option<Name>,
        #[serde(skip_serializing_if = "Option::is_none")]
        url: Option<Address>,
        #[serde(skip_serializing_if = "Option::is_none")]
        confirm: Option<Confirm>,
    },
    StaticSelect {
        action_id: Name,
        placeholder: Plain<150>,
        options: Vec<SelectOption>,
        #[serde(skip_serializing_if = "Option::is_none")]
        confirm: Option<Confirm>,
    },
    MultiStaticSelect {
        action_id: Name,
        placeholder: Plain<150>,
        options: Vec<SelectOption>,
    },
    RadioButtons {
        action_id: Name,
        options: Vec<SelectOption>,
    },
    PlainTextInput {
        action_id: Name,
        multiline: bool,
        min_length: u16,
        max_length: u16,
        /// What stands in it, to the last character.
        #[serde(skip_serializing_if = "Option::is_none")]
        initial_value: Option<String>,
    },
}

/// One line of a menu.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct SelectOption {
    text: Plain<75>,
    value: Name,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<Plain<75>>,
}

impl SelectOption {
    pub(super) fn new(text: &str, value: Name, description: Option<&str>) -> Self {
        Self {
            text: Plain::new(text),
            value,
            description: description.map(Plain::new),
        }
    }

    fn length(&self) -> usize {
        let more = self.description.as_ref().map_or(0, Plain::length);
        self.text.length() + self.value.length() + more
    }
}

/// Asks again before something counts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Confirm {
    title: Plain<100>,
    text: Plain<300>,
    confirm: Plain<30>,
    deny: Plain<30>,
}

impl Confirm {
    pub(super) fn new(title: &str, text: &str, confirm: &str, deny: &str) -> Self {
        Self {
            title: Plain::new(title),
            text: Plain::new(text),
            confirm: Plain::new(confirm),
            deny: Plain::new(deny),
        }
    }
}

/// A field of a modal.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Input {
    pub(super) label: Plain<2_000>,
    /// Whether it may be sent as it is.
    pub(super) optional: bool,
    pub(super) element: Element,
}

impl Element {
    /// How long its texts are together.
    pub(super) fn length(&self) -> usize {
        match self {
            Self::Button {
                action_id,
                text,
                value,
                url,
                ..
            } => {
                let value = value.as_ref().map_or(0, Name::length);
                let url = url.as_ref().map_or(0, |url| length(url.as_str()));
                action_id.length() + text.length() + value + url
            }
            Self::StaticSelect {
                action_id, options, ..
            }
            | Self::MultiStaticSelect {
                action_id, options, ..
            }
            | Self::RadioButtons { action_id, options } => {
                action_id.length() + options.iter().map(SelectOption::length).sum::<usize>()
            }
            Self::PlainTextInput {
                action_id,
                initial_value,
                ..
            } => action_id.length() + initial_value.as_deref().map_or(0, length),
        }
    }

    pub(super) fn button(action_id: Name, text: &str, value: Name) -> Self {
        Self::Button {
            action_id,
            text: Plain::new(text),
            value: Some(value),
            url: None,
            confirm: None,
        }
    }

    /// A button that asks again before its press counts.
    pub(super) fn asking_button(
        action_id: Name,
        text: &str,
        value: Name,
        confirm: Confirm,
    ) -> Self {
        Self::Button {
            action_id,
            text: Plain::new(text),
            value: Some(value),
            url: None,
            confirm: Some(confirm),
        }
    }

    pub(super) fn link(action_id: Name, text: &str, url: Address) -> Self {
        Self::Button {
            action_id,
            text: Plain::new(text),
            value: None,
            url: Some(url),
            confirm: None,
        }
    }

    /// A menu. A pick in it counts at once, so it asks again where `confirm` is given.
    pub(super) fn select(
        action_id: Name,
        mut options: Vec<SelectOption>,
        confirm: Option<Confirm>,
    ) -> Self {
        options.truncate(SELECT_OPTIONS);
        Self::StaticSelect {
            action_id,
            placeholder: Plain::new("Pick one"),
            options,
            confirm,
        }
    }

    /// One of a few, none of which is picked beforehand.
    pub(super) fn radio_buttons(action_id: Name, mut options: Vec<SelectOption>) -> Self {
        options.truncate(RADIO_BUTTONS);
        Self::RadioButtons { action_id, options }
    }

    pub(super) fn multi_select(action_id: Name, mut options: Vec<SelectOption>) -> Self {
        options.truncate(SELECT_OPTIONS);
        Self::MultiStaticSelect {
            action_id,
            placeholder: Plain::new("Pick any number"),
            options,
        }
    }
}
