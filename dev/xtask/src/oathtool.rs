//! oathtool, which makes codes as an authenticator app does: the tests hold our reading of the standard against it.

use anyhow::Result;

use crate::{apt, command};

pub(crate) fn ensure() -> Result<()> {
    if command::find_on_path(&["oathtool"]).is_some() {
        return Ok(());
    }
    let advice = "install oathtool, from your system or from oath-toolkit";
    apt::install("oathtool", &["oathtool"], advice)
}
