//! Standing between two programs that speak in lines: the one that has started this one, and one that this one starts.

mod child;
mod lines;
mod out;

use std::time::Duration;

pub(crate) use child::{Running, start};
pub(crate) use lines::{lines, raw_lines};
pub(crate) use out::Out;

/// How long a program may take to end once nobody speaks to it, and questions to be taken back.
pub(crate) const LEAVING: Duration = Duration::from_secs(10);
/// How long what was said last may take to be read.
pub(crate) const WRITING: Duration = Duration::from_secs(2);
