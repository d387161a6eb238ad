//! Going over a journal from its first event to its last.

use std::collections::VecDeque;

use chrono::{DateTime, Utc};

use super::{Broken, Chain, Checkpoint, Erasures, Record, Tree};

/// An audit under way: the chain so far, its tree, and the checkpoints still ahead.
#[derive(Clone, Debug, Default)]
pub struct Audit {
    chain: Chain,
    erasures: Erasures,
    tree: Tree,
    /// The smallest first.
    ahead: VecDeque<Checkpoint>,
    at: Option<DateTime<Utc>>,
    found: Audited,
}

/// The facts that an audit found to hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audited {
    /// How many events there are.
    pub events: i64,
    /// How often it was put back, and goes on with other numbers.
    pub restored: usize,
    /// How many interactions were erased.
    pub erased: usize,
    /// How many checkpoints agree with them.
    pub checkpoints: usize,
    /// The size of the largest checkpoint.
    pub signed: i64,
    /// When the last event it covers happened.
    pub signed_until: Option<DateTime<Utc>>,
}

impl Audit {
    /// An audit against these checkpoints, whose signatures were checked.
    pub fn new(mut checkpoints: Vec<Checkpoint>) -> Self {
        checkpoints.sort_by_key(|checkpoint| checkpoint.size);
        Self {
            ahead: checkpoints.into(),
            ..Self::default()
        }
    }

    /// Takes the next stored event.
    ///
    /// # Errors
    /// When it does not fit: neither in the chain nor to a checkpoint.
    pub fn follow(&mut self, record: &Record) -> Result<(), Broken> {
        self.compare()?;
        self.chain.follow(record)?;
        self.erasures.follow(record)?;
        self.found.events += 1;
        self.found.restored += usize::from(record.restored().is_some());
        self.tree.push_at(record.seq, &record.hash);
        self.at = DateTime::from_timestamp_millis(record.at);
        Ok(())
    }

    /// There are no more events.
    ///
    /// # Errors
    /// When a checkpoint knows of more.
    pub fn finish(mut self) -> Result<Audited, Broken> {
        self.compare()?;
        if let Some(larger) = self.ahead.front() {
            return Err(Broken::cut_off(self.chain.seq, larger));
        }
        self.found.erased = self.erasures.finish()?;
        Ok(self.found)
    }

    /// Compares every checkpoint of the present size with the journal.
    fn compare(&mut self) -> Result<(), Broken> {
        let size = self.tree.size();
        while let Some(checkpoint) = self.ahead.pop_front_if(|it| it.size <= size) {
            if checkpoint.size < size {
                return Err(Broken::left_out(&checkpoint));
            }
            if checkpoint.root != self.tree.root() {
                return Err(Broken::rewritten(self.found.signed, &checkpoint));
            }
            self.found.checkpoints += 1;
            self.found.signed = size;
            self.found.signed_until = self.at;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{GENESIS, record::tests::record};

    /// A journal that holds, with its events changed as the case wants and chained anew from there.
    fn journal(events: i64) -> Vec<Record> {
        let mut chain = Chain::default();
        let mut records = Vec::new();
        for seq in 1..=events {
            let next = record(seq, chain.hash);
            chain.follow(&next).unwrap();
            records.push(next);
        }
        records
    }

    #[test]
    fn nothing_comes_after_the_last_number_that_there_is() {
        let mut last = record(1, GENESIS);
        last.seq = i64::MAX;
        last.event_type = "journal.restored".into();
        last.payload = format!(r#"{{"after":0,"signed":0,"number":{}}}"#, i64::MAX);
        last.hash = last.computed_hash();
        let next = record(1, last.hash);
        let broken = audit(&[last, next], Vec::new()).unwrap_err();
        assert_eq!(broken.seq, 1);
    }

    fn checkpoint(records: &[Record], size: usize) -> Checkpoint {
        let mut tree = Tree::default();
        for record in &records[..size] {
            tree.push(&record.hash);
        }
        Checkpoint::of(&tree, "handraise")
    }

    fn audit(records: &[Record], checkpoints: Vec<Checkpoint>) -> Result<Audited, Broken> {
        let mut audit = Audit::new(checkpoints);
        for record in records {
            audit.follow(record)?;
        }
        audit.finish()
    }

    #[test]
    fn a_journal_that_was_left_alone_holds() {
        let records = journal(9);
        // In any order, and of every size.
        let checkpoints = (0..=9).rev().map(|size| checkpoint(&records, size));
        let found = audit(&records, checkpoints.collect()).unwrap();
        assert_eq!((found.events, found.checkpoints, found.signed), (9, 10, 9));
        assert_eq!(
            found.signed_until,
            DateTime::from_timestamp_millis(records[8].at)
        );
        assert_eq!(audit(&[], Vec::new()).unwrap(), Audited::default());
    }

    #[test]
    fn what_was_done_to_it_is_named_by_the_first_event_that_does_not_fit() {
        type Harm = fn(&mut Vec<Record>);
        let cases: [(Harm, i64, &str); 8] = [
            (|it| it[4].payload.push(' '), 5, "content was changed"),
            (|it| drop(it.remove(4)), 5, "missing"),
            (|it| drop(it.remove(0)), 1, "missing"),
            (|it| it.insert(0, record(0, [0; 32])), 0, "inserted"),
            (|it| it.insert(5, it[4].clone()), 5, "inserted"),
            (|it| it.push(record(10, [1; 32])), 10, "does not follow"),
            (
                |it| {
                    it.swap(3, 6);
                    (it[3].seq, it[6].seq) = (4, 7);
                },
                4,
                "does not follow",
            ),
            (|it| it.truncate(6), 7, "signed over 8 events"),
        ];
        for (harm, seq, why) in cases {
            let mut records = journal(9);
            let checkpoints = vec![checkpoint(&records, 3), checkpoint(&records, 8)];
            harm(&mut records);
            let broken = audit(&records, checkpoints).unwrap_err();
            assert_eq!(broken.seq, seq, "{broken}");
            assert!(broken.why.contains(why), "{broken}");
        }
    }

    #[test]
    fn a_chain_that_was_made_anew_is_not_the_one_that_was_signed() {
        let records = journal(9);
        let checkpoints = || vec![checkpoint(&records, 3), checkpoint(&records, 8)];
        let mut forged = records.clone();
        forged[4].payload.push(' ');
        let mut previous = forged[3].hash;
        for record in &mut forged[4..] {
            record.prev_hash = previous;
            record.hash = record.computed_hash();
            previous = record.hash;
        }
        assert!(audit(&forged, Vec::new()).is_ok());
        let broken = audit(&forged, checkpoints()).unwrap_err();
        assert_eq!(broken.seq, 4);
        assert!(broken.why.contains("from here to event 8"), "{broken}");
    }
}
