//! What the server signed, checked with its key by the crates that its clients use.

use domain::interaction::{Action, Consumed, Receipt};
use serde_json::Value;
use signing::Witness;

use super::Promise;
use super::history::{Act, Op, Told};
use crate::load::asked::Asked;
use crate::world::World;

pub(crate) fn check(
    world: &World,
    asked: &Asked,
    id: Option<&str>,
    ops: &[Op],
    receipt: Option<&Value>,
) -> Vec<(Promise, String)> {
    let mut found = Vec::new();
    if let (Some(id), Some(receipt)) = (id, receipt)
        && let Err(broken) = decision(world, asked, id, ops, receipt)
    {
        found.push(broken);
    }
    let witness = Witness::new(world.keys.clone());
    for op in ops {
        let (Act::Consume { run }, Told::Seen(seen)) = (&op.act, &op.told) else {
            continue;
        };
        let consumed = serde_json::from_value::<Consumed>(seen.whole["consumed"].clone());
        let holds = consumed.is_ok_and(|consumed| {
            let id = seen.id.parse();
            consumed.run == *run && id.is_ok_and(|id| consumed.holds(id, &witness))
        });
        if !holds {
            found.push((
                Promise::ReceiptVoid,
                format!("the note of consumption is void: {op}"),
            ));
        }
    }
    found
}

fn decision(
    world: &World,
    asked: &Asked,
    id: &str,
    ops: &[Op],
    receipt: &Value,
) -> Result<(), (Promise, String)> {
    let ended = ops.iter().rev().find_map(|op| match &op.told {
        Told::Seen(seen) => seen
            .outcome
            .clone()
            .map(|outcome| (outcome, seen.by.clone().flatten())),
        _ => None,
    });
    let Some((outcome, by)) = ended else {
        return Ok(());
    };
    let is_decided = !matches!(&*outcome, "cancelled" | "expired");
    if receipt["code"].is_string() {
        return match is_decided {
            true => Err((
                Promise::ApprovedWithoutProof,
                format!("it is {outcome}, and its receipt is {receipt}"),
            )),
            false => Ok(()),
        };
    }
    let void = |why: String| (Promise::ReceiptVoid, format!("{why}: {receipt}"));
    let read: Receipt =
        serde_json::from_value(receipt.clone()).map_err(|error| void(error.to_string()))?;
    world
        .keys
        .verify(&read)
        .map_err(|forged| void(forged.to_string()))?;
    let decision = &read.decision;
    let digest = serde_json::from_value::<Action>(asked.body["action"].clone());
    let digest = digest.ok().and_then(|action| action.digest().ok());
    let plan = asked.body["plan"]
        .as_str()
        .map(|plan| domain::digest::sha256(plan.as_bytes()));
    let is_of_it = decision.interaction_id.to_string() == id
        && decision.outcome.name() == outcome
        && by.is_none_or(|by| decision.responder.name == by)
        && decision.action_digest == digest
        && decision.plan_digest == plan;
    match is_of_it {
        true => Ok(()),
        false => Err(void("it is of something else".to_owned())),
    }
}
