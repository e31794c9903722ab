//! `opm init`.

use std::fs;

use fbc_model::{Catalog, Icon, Package};

use super::arguments::Invocation;
use super::catalog;
use super::telling::OpmError;
use crate::failure::words;

pub(super) fn run(invocation: &Invocation) -> Result<(), OpmError> {
    let output = invocation.text("output");
    catalog::check_output(output).map_err(OpmError::Fatal)?;
    let icon = file(invocation, "icon")?;
    let description = file(invocation, "description")?;
    let icon = icon.map(Icon::from_image).transpose().map_err(|error| OpmError::Fatal(error.to_string()))?;
    let package = Package {
        name: invocation.positionals.first().cloned().unwrap_or_default(),
        default_channel: invocation.text("default-channel").to_owned(),
        description: description
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default(),
        icon,
        ..Package::default()
    };
    let all = Catalog { packages: vec![package], ..Catalog::default() };
    catalog::write(&all, output, OpmError::Fatal)
}

/// The bytes of the file that a flag names.
fn file(invocation: &Invocation, flag: &str) -> Result<Option<Vec<u8>>, OpmError> {
    let path = invocation.text(flag);
    if path.is_empty() {
        return Ok(None);
    }
    fs::read(path).map(Some).map_err(|error| {
        OpmError::Fatal(format!("open {flag} file: open {path}: {}", words(&error).to_lowercase()))
    })
}
