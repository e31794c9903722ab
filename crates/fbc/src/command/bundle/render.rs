//! `fbc bundle render`: bundle directories as `olm.bundle` blobs.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use fbc_app::input::bundle::{no_bundle, open};
use fbc_bundle::folder::is_bundle;

use crate::failure::Failure;
use crate::rendering::{RenderingArguments, render};
use crate::settings::Settings;

/// Write bundle directories as the blobs of a catalog
///
/// The output equals that of `opm render` on the directories. Nothing is validated beyond what rendering needs.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Bundle directories and images, in the order of the output
    #[arg(value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    folders: Vec<PathBuf>,
    #[command(flatten)]
    rendering: RenderingArguments,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let session = arguments.rendering.session(&arguments.folders, settings);
    for folder in &arguments.folders {
        if !is_bundle(open(folder, &session)?.tree.as_ref()) {
            return Err(no_bundle(folder).into());
        }
    }
    render(&arguments.folders, &arguments.rendering, &session, settings)
}
