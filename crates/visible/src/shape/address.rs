//! An address of the web by its parts: where it leads, and the data sent along, a parameter a line.

use super::text;
use crate::{Ink, Reader, Run};

/// Whether a text is one.
pub(super) fn is_one(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else {
        return false;
    };
    let first = scheme.chars().next();
    first.is_some_and(|c| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
        && !rest.is_empty()
        && !text.chars().any(|c| c.is_whitespace() || c.is_control())
}

/// Its parts: the address itself, each parameter, and the part behind `#`.
pub(super) fn parts(address: &str) -> Vec<Vec<Run>> {
    let reader = Reader::program();
    let mut cuts = vec![0];
    let fragment = address.find('#').unwrap_or(address.len());
    if let Some(query) = address[..fragment].find('?') {
        let more = address[query..fragment].match_indices('&');
        cuts.push(query);
        cuts.extend(more.map(|(at, _)| query + at));
    }
    if fragment < address.len() {
        cuts.push(fragment);
    }
    let ends = cuts.iter().skip(1).copied().chain([address.len()]);
    cuts.iter()
        .zip(ends)
        .map(|(from, to)| {
            let part = &address[*from..to];
            let inks = match *from {
                0 => host(part).map(|host| (host, Ink::Name)),
                _ => part.find('=').map(|at| (1.min(at)..at, Ink::Keyword)),
            };
            text::runs(part, reader, inks.as_slice(), &[])
        })
        .collect()
}

/// The host: not the name and password that may stand before it.
fn host(address: &str) -> Option<std::ops::Range<usize>> {
    let start = address.find("://")? + 3;
    let authority = &address[start..];
    let end = authority.find(['/', '\\']).unwrap_or(authority.len());
    let authority = &authority[..end];
    let user = authority.rfind('@').map_or(0, |at| at + 1);
    let host = &authority[user..];
    let port = host.rfind(':').filter(|at| !host[*at..].contains(']'));
    let end = start + user + port.unwrap_or(host.len());
    Some(start + user..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_what_is_asked_and_no_name_before_it() {
        for (address, expected) in [
            ("https://a.example/b", "a.example"),
            ("https://bank.example@evil.example:8443/x@y", "evil.example"),
            ("https://u:p@[::1]:80", "[::1]"),
            ("https://[::1]", "[::1]"),
        ] {
            assert_eq!(&address[host(address).unwrap()], expected);
        }
    }

    #[test]
    fn parameters_stand_one_by_one() {
        let address = "https://a.example/b?c=d&e#f?g&h";
        let parts = parts(address);
        let texts: Vec<String> = parts.iter().map(|part| crate::back(part)).collect();
        assert_eq!(texts, ["https://a.example/b", "?c=d", "&e", "#f?g&h"]);
        assert!(is_one(address) && !is_one("see https://a.example") && !is_one("://"));
    }
}
