//! Rows of the journal, a line each, as an export has them.

use domain::journal::{Audit, Chain, Record};

/// A row is written back as it was read. Whoever can write an export can hash it anew, so with right hashes it is audited
/// too: what does not fit is named, and nothing of it takes long.
pub fn record(bytes: &[u8]) {
    let mut audit = Audit::new(Vec::new());
    let mut chain = Chain::default();
    let mut is_whole = true;
    for line in bytes.split(|byte| *byte == b'\n') {
        let Ok(mut record) = serde_json::from_slice::<Record>(line) else {
            continue;
        };
        let again = serde_json::to_vec(&record).unwrap();
        let again: Record = serde_json::from_slice(&again).unwrap();
        assert_eq!(again, record);
        record.prev_hash = chain.hash;
        record.hash = record.computed_hash();
        let _ = (record.left(), record.salted_digest());
        let _ = record.restored();
        if let Ok(event) = record.read() {
            assert_eq!(event.seq, record.seq);
        }
        match chain.follow(&record) {
            Ok(()) => assert_eq!((chain.seq, chain.hash), (record.seq, record.hash)),
            Err(broken) => assert!(!broken.why.is_empty()),
        }
        if is_whole {
            is_whole = audit.follow(&record).is_ok();
        }
    }
    if is_whole {
        let _ = audit.finish();
    }
}
