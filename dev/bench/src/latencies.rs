//! How long something took, each time; all times are kept, so percentiles are exact.

use std::time::Duration;

pub(crate) struct Latencies(Vec<Duration>);

impl From<Vec<Duration>> for Latencies {
    fn from(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }
}

impl Latencies {
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn into_times(self) -> Vec<Duration> {
        self.0
    }

    /// The time that so many percent did not exceed; none if nothing was measured.
    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        let rank = (self.0.len() * percent).div_ceil(100).max(1);
        self.0.get(rank - 1).copied().unwrap_or_default()
    }

    pub(crate) fn max(&self) -> Duration {
        self.percentile(100)
    }

    /// Median, 99th percentile and longest, as the report shows them.
    pub(crate) fn summary(&self) -> String {
        let shown = [self.percentile(50), self.percentile(99), self.max()].map(number);
        format!("{} ms", shown.join(" / "))
    }
}

/// Milliseconds with three figures that count.
pub(crate) fn shown(time: Duration) -> String {
    format!("{} ms", number(time))
}

fn number(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1_000.0;
    if ms < 1.0 {
        format!("{ms:.3}")
    } else if ms < 10.0 {
        format!("{ms:.2}")
    } else if ms < 100.0 {
        format!("{ms:.1}")
    } else {
        format!("{ms:.0}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times_that_were_measured() {
        let times: Vec<_> = (1..=200).rev().map(Duration::from_millis).collect();
        let latencies = Latencies::from(times);
        assert_eq!(latencies.summary(), "100 / 198 / 200 ms");
        let one = Latencies::from(vec![Duration::from_micros(1_234)]);
        assert_eq!(one.summary(), "1.23 / 1.23 / 1.23 ms");
        assert_eq!(Latencies::from(Vec::new()).max(), Duration::ZERO);
    }
}
