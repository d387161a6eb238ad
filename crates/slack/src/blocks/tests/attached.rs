//! Files in Slack: their names stand there, and what covers them is accepted elsewhere (rule 11).

use domain::{
    Interaction,
    attachment::{Attachment, Media},
    interaction::{Ask, Kind, Shown},
};
use serde_json::json;

use super::{
    super::{Surface, card, shown_on_card},
    limits::controls,
    samples::{URL, open, with},
};

fn with_file(kind: Kind) -> Interaction {
    let mut asked = open(with(kind, json!({})));
    let file = Attachment {
        name: "screen <!channel>.png".to_owned(),
        media: Media::Png,
        size: 12_345,
        sha256: "a".repeat(64),
    };
    match &mut asked.request.ask {
        Ask::Approval { action, .. } => action.attachments.push(file),
        _ => asked.request.attachments.push(file),
    }
    asked
}

#[test]
fn what_has_files_is_named_on_the_card_and_accepted_on_the_dashboard_alone() {
    for (kind, left) in [
        (Kind::Question, &[][..]),
        (Kind::Choice, &[]),
        (Kind::Acknowledgement, &[]),
        (Kind::Approval, &["deny"]),
        (Kind::PlanReview, &["adjust"]),
        (Kind::Form, &[]),
    ] {
        let asked = with_file(kind);
        assert_eq!(shown_on_card(&asked), Shown::Cut, "{kind:?}");
        let shown = card(&asked, Surface::Interactive, URL);
        let blocks = serde_json::to_string(&shown.json_blocks()).unwrap();
        assert!(blocks.contains(".png (picture, 13 kB)"), "{blocks}");
        // Slack reads no mention in a text that is plain.
        let plain = r#"{"type":"plain_text","text":"screen <!channel>.png"#;
        let told = blocks.matches("<!channel>").count();
        assert_eq!((told, blocks.matches(plain).count()), (1, 1), "{blocks}");
        let names: Vec<String> = controls(&shown).into_iter().map(|(name, _)| name).collect();
        let names: Vec<&str> = names
            .iter()
            .map(String::as_str)
            .filter(|name| *name != "open_dashboard")
            .collect();
        for name in &names {
            assert!(
                left.iter().any(|left| name.contains(left)),
                "{kind:?}: {names:?}"
            );
        }
        assert_eq!(names.is_empty(), left.is_empty(), "{kind:?}: {names:?}");
    }
}
