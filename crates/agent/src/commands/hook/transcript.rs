//! What Claude Code writes down of a session, one JSON object a line: how many tools it was told to call at once. Each block of
//! a message has a line of its own, and they are written when the message is whole.

use std::{
    collections::HashSet,
    fs::File,
    io::{ErrorKind, Read, Seek, SeekFrom},
    path::Path,
};

use anyhow::Context;
use serde_json::Value;

/// The end of a transcript; a call that is about to run is there.
const READ: u64 = 32 * 1024 * 1024;

/// How many calls the message holds that this call is in; `None` before that is known.
///
/// # Errors
/// When the file cannot be read.
pub(super) fn calls_beside(place: &Path, tool_use_id: &str) -> anyhow::Result<Option<usize>> {
    let mut file = match File::open(place) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).context("the transcript cannot be read"),
    };
    let mut end = Vec::new();
    let length = file
        .metadata()
        .context("the transcript cannot be read")?
        .len();
    file.seek(SeekFrom::Start(length.saturating_sub(READ)))
        .and_then(|_| file.take(READ).read_to_end(&mut end))
        .context("the transcript cannot be read")?;
    Ok(count(&end, tool_use_id))
}

fn count(lines: &[u8], tool_use_id: &str) -> Option<usize> {
    // The first and the last may be half a line.
    let lines = lines.split(|byte| *byte == b'\n');
    let messages = lines
        .filter_map(|line| serde_json::from_slice::<Value>(line).ok())
        .filter(|line| line["type"] == "assistant")
        .map(|mut line| line["message"].take());
    let mut of: Vec<(Value, bool, HashSet<String>)> = Vec::new();
    for message in messages {
        let blocks = message["content"].as_array().cloned().unwrap_or_default();
        let calls = blocks.iter().filter(|it| it["type"] == "tool_use");
        let calls = calls.filter_map(|it| it["id"].as_str().map(str::to_owned));
        let is_whole = message["stop_reason"].is_string();
        match of.iter_mut().find(|it| it.0 == message["id"]) {
            Some(known) => {
                known.1 &= is_whole;
                known.2.extend(calls);
            }
            None => of.push((message["id"].clone(), is_whole, calls.collect())),
        }
    }
    let (id, is_whole, calls) = of.iter().find(|it| it.2.contains(tool_use_id))?;
    (id.is_string() && *is_whole).then_some(calls.len())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn line(message: &str, stop: Option<&str>, block: Value) -> String {
        let message = json!({"id": message, "content": [block], "stop_reason": stop});
        json!({"type": "assistant", "message": message}).to_string() + "\n"
    }

    fn call(id: &str) -> Value {
        json!({"type": "tool_use", "id": id, "name": "Bash", "input": {}})
    }

    #[test]
    fn calls_of_one_message_are_counted_once_it_is_whole() {
        let stop = Some("tool_use");
        let text = json!({"type": "text", "text": "tool_use toolu_1"});
        let before = line("m0", stop, call("toolu_0"));
        let sole = before.clone() + &line("m1", stop, text) + &line("m1", stop, call("toolu_1"));
        assert_eq!(count(sole.as_bytes(), "toolu_1"), Some(1));
        assert_eq!(count(sole.as_bytes(), "toolu_2"), None);
        let two = sole.clone() + &line("m1", stop, call("toolu_2"));
        for id in ["toolu_1", "toolu_2"] {
            assert_eq!(count(two.as_bytes(), id), Some(2));
        }
        assert_eq!(count(two.as_bytes(), "toolu_0"), Some(1));
        // The rest of it is still to come.
        let half = before + &line("m1", None, call("toolu_1"));
        assert_eq!(count(half.as_bytes(), "toolu_1"), None);
        assert_eq!(
            count(&two.as_bytes()[10..two.len() - 5], "toolu_1"),
            Some(1)
        );
    }

    #[test]
    fn a_transcript_that_is_not_there_tells_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let none = folder.path().join("none.jsonl");
        assert_eq!(calls_beside(&none, "toolu_1").unwrap(), None);
    }
}
