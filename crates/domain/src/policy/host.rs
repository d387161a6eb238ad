//! Hosts in texts. A browser reads a host in more ways than one: tabs are dropped, `%70` is a `p`, and so is `ｐ`.

use std::net::Ipv4Addr;

use super::Holds;

/// What ends the host of an address.
const AFTER: &[char] = &['/', '?', '#', ' ', '\'', '"', '<', '>', ')', ','];
/// What browsers take for a dot.
const DOTS: &[char] = &['.', '。', '．', '｡'];

/// Whether this host stands in a text, or one below it. Both are in small letters.
pub(super) fn is_in(text: &str, host: &str) -> Holds {
    let is_dropped = |c: char| matches!(c, '\t' | '\n' | '\r');
    let without: Option<String> = text
        .contains(is_dropped)
        .then(|| text.chars().filter(|c| !is_dropped(*c)).collect());
    match () {
        () if stands_in(text, host) => Holds::Yes,
        () if without.is_some_and(|text| stands_in(&text, host)) => Holds::Yes,
        () if may_be_another(text, host) => Holds::Unclear,
        () => Holds::No,
    }
}

fn stands_in(text: &str, host: &str) -> bool {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '-';
    text.match_indices(host).any(|(start, _)| {
        let before = text[..start].chars().next_back();
        let mut after = text[start + host.len()..].chars();
        let ends = match after.next() {
            Some('.') => after.next().is_none_or(|c| !is_of_name(c)),
            Some(c) => !is_of_name(c),
            None => true,
        };
        before.is_none_or(|c| !is_of_name(c)) && ends
    })
}

/// Whether something in it is the name of a host that has to be rewritten before it can be compared.
fn may_be_another(text: &str, host: &str) -> bool {
    let is_number = host.parse::<Ipv4Addr>().is_ok();
    let is_odd = |authority: &str| {
        let is_of_number = |c: char| c.is_ascii_hexdigit() || c == 'x' || c == '.';
        let name = authority.rsplit('@').next().unwrap_or(authority);
        let name = name.split(':').next().unwrap_or(name);
        let is_other_number = is_number
            && name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(is_of_number)
            && name.parse::<Ipv4Addr>().is_err();
        let is_plain = |c: char| c.is_ascii_graphic() && c != '%' && c != '\\' && c != '[';
        is_other_number || !authority.chars().all(is_plain)
    };
    let mut addresses = text.split("://").skip(1);
    let mut words = text.split_whitespace();
    addresses.any(|after| is_odd(after.split(AFTER).next().unwrap_or_default()))
        // Without a scheme it is a name all the same.
        || words.any(|word| !word.contains("://") && !word.is_ascii() && word.trim_end_matches(DOTS).contains(DOTS))
}
