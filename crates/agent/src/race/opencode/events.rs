//! A stream of server-sent events, as far as OpenCode uses it: only data, each event one message.

use anyhow::ensure;

/// Longer events are not read.
const LONGEST: usize = 16 * 1024 * 1024;

/// What has come of a stream and is no whole event yet.
#[derive(Default)]
pub(super) struct Events {
    line: Vec<u8>,
    data: Vec<u8>,
}

impl Events {
    /// The events that are whole with this part.
    ///
    /// # Errors
    /// When one is too long.
    pub(super) fn take(&mut self, part: &[u8]) -> anyhow::Result<Vec<Vec<u8>>> {
        let mut whole = Vec::new();
        for piece in part.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            ensure!(
                self.line.len() + self.data.len() <= LONGEST,
                "an event of OpenCode is longer than {LONGEST} bytes"
            );
            if piece.ends_with(b"\n") {
                whole.extend(self.end_line());
            }
        }
        Ok(whole)
    }

    fn end_line(&mut self) -> Option<Vec<u8>> {
        let line = std::mem::take(&mut self.line);
        let line = line.trim_ascii_end();
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            return Some(data).filter(|data| !data.is_empty());
        }
        if let Some(data) = line.strip_prefix(b"data:") {
            if !self.data.is_empty() {
                self.data.push(b'\n');
            }
            self.data.extend_from_slice(data.trim_ascii_start());
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_whole_however_they_come() {
        let stream =
            b": heartbeat\n\nid: 1\ndata: {\"a\":\r\ndata: 1}\r\n\r\ndata:{}\n\ndata: half\n";
        for size in [1, 2, 7, stream.len()] {
            let mut events = Events::default();
            let parts = stream.chunks(size);
            let whole: Vec<_> = parts.flat_map(|part| events.take(part).unwrap()).collect();
            assert_eq!(whole, [b"{\"a\":\n1}".to_vec(), b"{}".to_vec()], "{size}");
        }
    }

    #[test]
    fn an_event_without_an_end_is_not_kept() {
        let mut events = Events::default();
        assert!(events.take(&vec![b'a'; LONGEST + 1]).is_err());
    }
}
