//! `opm alpha render-graph`.

use std::io::Write as _;

use fbc_graph::mermaid::{MermaidOptions, draw};
use fbc_model::Catalog;

use super::arguments::Invocation;
use super::error::OpmError;
use super::{print, render};
use crate::settings::Settings;

pub(super) fn run(invocation: &Invocation, settings: &Settings) -> Result<(), OpmError> {
    let session = invocation.session(OpmError::Log, settings)?;
    let mut catalog = Catalog::default();
    for reference in &invocation.positionals {
        catalog.append(render::load(reference, &session)?);
    }
    let options = MermaidOptions {
        minimum_edge: invocation.text("minimum-edge").to_owned(),
        package: invocation.text("package-name").to_owned(),
        draw_v0_semantics: invocation.switch("draw-v0-semantics"),
        ..MermaidOptions::default()
    };
    let chart = draw(&catalog, &options).map_err(|error| OpmError::Log(error.to_string()))?;
    let mut err = std::io::stderr().lock();
    for warning in &chart.warnings {
        // A hint is not worth failing for.
        let _ = writeln!(err, "warning: {warning}");
    }
    print(&chart.text)
}
