//! How many files the process may open: every connection is one.

use server::limits::LimitSettings;

/// Raises the limit as far as the system lets us, since most start programs with 1,024; then lowers ours to
/// it. A refused client hears why, while a process without a file left can neither accept nor read.
#[cfg(unix)]
pub(super) fn fit(settings: &mut LimitSettings) {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(%error, "the limit of open files cannot be raised");
    }
    let Some(files) = getrlimit(Resource::Nofile).current else {
        return;
    };
    let fitting = fitting(*settings, files);
    if fitting != *settings {
        tracing::info!(
            limits.connections = fitting.connections,
            limits.sockets = fitting.sockets,
            "limits are lowered to the {files} open files that the system allows"
        );
        *settings = fitting;
    }
}

#[cfg(not(unix))]
pub(super) fn fit(_: &mut LimitSettings) {}

/// Connections and sockets for which there are files.
#[cfg(unix)]
fn fitting(settings: LimitSettings, files: u64) -> LimitSettings {
    /// The database, files of our own, the log, connections to the metrics.
    const OTHERS: u64 = 250;
    let files = u32::try_from(files.saturating_sub(OTHERS)).unwrap_or(u32::MAX);
    let unlimited = settings.connections == 0 || settings.sockets == 0;
    let wanted = settings.connections.saturating_add(settings.sockets);
    if !unlimited && wanted <= files {
        return settings;
    }
    let at_most = |setting: u32, share: u32| match setting {
        0 => share.max(1),
        setting => setting.min(share.max(1)),
    };
    let sockets = at_most(settings.sockets, files / 5);
    LimitSettings {
        sockets,
        connections: at_most(settings.connections, files.saturating_sub(sockets)),
        ..settings
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use server::config::Config;

    #[test]
    fn there_are_never_more_connections_than_files() {
        for (connections, sockets, files, fit) in [
            (15_000, 4_000, 20_000, (15_000, 4_000)),
            (15_000, 4_000, 1_250, (800, 200)),
            (15_000, 50, 10_250, (9_950, 50)),
            (0, 0, 1_250, (800, 200)),
            (100, 0, 1_250, (100, 200)),
            (15_000, 4_000, 10, (1, 1)),
        ] {
            let settings = LimitSettings {
                connections,
                sockets,
                ..Config::default().limits
            };
            let found = fitting(settings, files);
            assert_eq!((found.connections, found.sockets), fit);
        }
    }
}
