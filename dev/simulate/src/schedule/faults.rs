//! What goes wrong in a world, counted.

/// What has gone wrong, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults {
    pub(crate) crashes: u64,
    pub(crate) jumps: u64,
    pub(crate) conflicts: u64,
    pub(crate) unknown_kept: u64,
    pub(crate) unknown_lost: u64,
    pub(crate) failed_calls: u64,
    pub(crate) lost_replies: u64,
    pub(crate) lost_hints: u64,
    pub(crate) pauses: u64,
}

impl Faults {
    #[must_use]
    pub(crate) fn and(self, more: Self) -> Self {
        Self {
            crashes: self.crashes + more.crashes,
            jumps: self.jumps + more.jumps,
            conflicts: self.conflicts + more.conflicts,
            unknown_kept: self.unknown_kept + more.unknown_kept,
            unknown_lost: self.unknown_lost + more.unknown_lost,
            failed_calls: self.failed_calls + more.failed_calls,
            lost_replies: self.lost_replies + more.lost_replies,
            lost_hints: self.lost_hints + more.lost_hints,
            pauses: self.pauses + more.pauses,
        }
    }
}
