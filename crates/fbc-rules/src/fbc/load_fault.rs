//! What the rules of load faults share.

use std::path::Path;

use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, OpmText, Place, Spot};
use fbc_lint::lost::is_catalog_file;
use fbc_lint::rule::Rule;
use fbc_model::load::{FaultPlace, LoadFault, LoadFaultKind};

/// The faults of a kind, without those that `hidden-directory` reports together.
pub(crate) fn of_kind<'c>(context: &Context<'c>, kind: LoadFaultKind) -> impl Iterator<Item = &'c LoadFault> {
    context.catalog.faults.iter().filter(move |fault| fault.kind == kind && hidden_directory(fault).is_none())
}

/// The hidden directory that a fault lies in; nothing if its file looks like one of a catalog.
pub(crate) fn hidden_directory(fault: &LoadFault) -> Option<&Path> {
    if fault.origin.is_none() || is_catalog_file(&fault.path) {
        return None;
    }
    let is_hidden =
        |folder: &&Path| folder.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    // The outermost comes last.
    fault.path.ancestors().skip(1).filter(is_hidden).last()
}

/// A finding at the place of a fault, with opm's text.
pub(crate) fn finding(rule: &'static Rule, fault: &LoadFault, message: impl Into<String>) -> Finding {
    let spot = match &fault.place {
        FaultPlace::File => Spot::File,
        FaultPlace::Byte(byte) => Spot::Byte(*byte),
        FaultPlace::Pointer(pointer) => Spot::Value(pointer.clone()),
    };
    Finding::new(rule, message)
        .at(Place { path: fault.path.clone(), origin: fault.origin, spot })
        .opm(OpmText::Load(fault.message.clone()))
}

/// What to do about a file that opm reads although it is not meant for the catalog; the other help
/// for files that are.
pub(crate) fn stray_file_help(path: &Path, help: impl Into<String>) -> String {
    if is_catalog_file(path) {
        return help.into();
    }
    format!(
        "opm reads every file whatever its name; if this one is not part of the catalog, add the line `{}` to an \
         `.indexignore` file at the root of the catalog",
        ignore_pattern(path)
    )
}

/// A pattern that leaves out the file, and its like.
pub(crate) fn ignore_pattern(path: &Path) -> String {
    let hidden = path.parent().into_iter().flat_map(Path::components).find_map(|component| {
        let name = component.as_os_str().to_string_lossy();
        name.starts_with('.').then(|| format!("{name}/"))
    });
    hidden.unwrap_or_else(|| match path.extension() {
        Some(extension) => format!("*.{}", extension.to_string_lossy()),
        None => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
    })
}
