//! How people may come in at a server.

/// The ways in that a server has open, besides one-time links, which an operator makes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WaysIn {
    /// A password, and with it a passkey.
    pub passwords: bool,
    /// The providers that people may come by, by their issuers.
    pub issuers: Vec<String>,
}

impl WaysIn {
    /// Whether one of them is open to somebody who has this. `of_their_own` is a password or a passkey.
    pub fn lead_in<'a>(
        &self,
        of_their_own: bool,
        issuers: impl IntoIterator<Item = &'a str>,
    ) -> bool {
        (self.passwords && of_their_own)
            || issuers
                .into_iter()
                .any(|issuer| self.issuers.iter().any(|open| open == issuer))
    }
}
