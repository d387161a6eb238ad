//! Several notifications in one message, for when they come faster than a channel takes messages.

use domain::Interaction;

use super::{
    block::{Block, Content, Text},
    card::Card,
    spoken::TEXT,
    text::{Address, Markup, Plain, cut, escape, one_line, prose},
    words,
};

/// How much of each is shown. Ten have room on a message with all that stands beside them.
const PROMPT: usize = 450;
/// How much of each is said.
const LINE: usize = 150;

/// The notifications in order, ten at most: anything longer is on the dashboard. `public_url` is as
/// for [`card`](super::card).
pub fn digest(notifications: &[&Interaction], public_url: &str) -> Card {
    let heading = format!("Agent Updates: {}", notifications.len());
    let mut contents = vec![Content::Header {
        text: Plain::new(&heading),
    }];
    let mut lines = vec![heading];
    for one in notifications {
        let request = &one.request;
        let from = format!("{} · {}", words::from(one), words::pressing(request));
        let prompt = prose(&request.prompt);
        let said = match words::title(request) {
            Some(title) => format!("{title}\n{prompt}"),
            None => prompt,
        };
        contents.push(Content::section(&*cut(&said, PROMPT)));
        let mut foot: Vec<Text> = vec![from.as_str().into()];
        foot.push(Markup::default().say("Told ").date(one.created_at).into());
        let address = Address::new(format!("{public_url}/blockers/{}", one.id));
        foot.extend(
            address.map(|address| {
                Text::from(Markup::default().link(&address, "Open on the dashboard"))
            }),
        );
        contents.push(Content::context(foot));
        lines.push(format!("{from}: {}", one_line(&said, LINE)));
    }
    let blocks = contents.into_iter().enumerate();
    Card {
        text: escape(&cut(&lines.join("\n"), TEXT)),
        blocks: blocks
            .map(|(n, content)| Block::new(format!("digest.{n}"), content))
            .collect(),
    }
}
