//! Which template a catalog comes from, where nothing says so: the closest one above it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fbc_go::allowance::{Allowance, Exceeded};
use fbc_model::confined_tree::leads_out;
use fbc_model::tree::Tree;

use crate::place::{Note, Repository, TemplateUse};
use crate::release;
use crate::survey::{Survey, is_document};

/// Whether a file is a template.
pub(crate) fn is_template(tree: &dyn Tree, path: &Path) -> bool {
    tree.read(path).is_ok_and(|bytes| is_template_text(&bytes))
}

/// What a file holds; a note where it leads out of the repository, since what it would say is missing then.
pub(crate) fn read_or_note(tree: &dyn Tree, path: &Path, notes: &mut Vec<Note>) -> Option<Vec<u8>> {
    let read = tree.read(path);
    if read.as_ref().is_err_and(|error| leads_out(&error.to_string())) {
        notes.push(Note::LeadsOut(path.to_path_buf()));
    }
    read.ok()
}

/// Whether a text is a template.
pub(crate) fn is_template_text(bytes: &[u8]) -> bool {
    fbc_template::detect(bytes).is_ok()
}

/// The only template that is called as a catalog that is a file: `templates/y-stream.yaml` of `catalog/y-stream.yaml`.
fn called_as(catalog: &Path, templates: &[&PathBuf]) -> Option<PathBuf> {
    let name = catalog.file_name().filter(|name| is_document(&name.to_string_lossy()))?;
    let mut same = templates.iter().filter(|path| path.file_stem() == Path::new(name).file_stem());
    same.next().filter(|_| same.next().is_none()).map(|path| path.to_path_buf())
}

/// Gives every catalog that has none the template that lies closest above it, or beside a Dockerfile of it, of several the one
/// that is called as it is; else the only one of the repository, unless that is for one release.
///
/// # Errors
/// There are too many templates for too many catalogs.
pub(crate) fn assign(
    tree: &dyn Tree,
    survey: &Survey,
    found: &mut Repository,
    allowance: &Allowance,
) -> Result<(), Exceeded> {
    let Repository { catalogs, notes } = found;
    let mut by_directory: BTreeMap<&Path, Vec<&PathBuf>> = BTreeMap::new();
    let mut is_real =
        |path: &PathBuf| read_or_note(tree, path, notes).is_some_and(|bytes| is_template_text(&bytes));
    let real: Vec<&PathBuf> = survey.templates.iter().filter(|path| is_real(path)).collect();
    for path in &real {
        by_directory.entry(path.parent().unwrap_or(Path::new(""))).or_default().push(path);
    }
    for catalog in catalogs.iter_mut().filter(|catalog| catalog.templates.is_empty()) {
        let beside = catalog.images.iter().filter_map(|image| image.path.parent());
        let mut closest: Vec<&Path> = beside.chain(catalog.path.ancestors()).collect();
        // The root is the last resort, whoever names it.
        closest.sort_by_key(|directory| directory.as_os_str().is_empty());
        let found = closest.into_iter().find_map(|directory| by_directory.get(directory));
        match found.map(Vec::as_slice) {
            Some([template]) => {
                catalog.templates.push(TemplateUse { path: template.to_path_buf(), output: None })
            }
            Some(several) => {
                allowance.steps(several.len() * (1 + notes.len()))?;
                if let Some(path) = called_as(&catalog.path, several) {
                    catalog.templates.push(TemplateUse { path, output: None });
                    continue;
                }
                let note = Note::SeveralTemplates(several.iter().map(|path| path.to_path_buf()).collect());
                if !notes.contains(&note) {
                    notes.push(note);
                }
            }
            None => {
                let only = match real.as_slice() {
                    // What is not there is not the one catalog of the one template.
                    [template] if release::of_path(template).is_none() && !catalog.is_absent => {
                        Some(template.to_path_buf())
                    }
                    all => {
                        allowance.steps(all.len())?;
                        called_as(&catalog.path, all)
                    }
                };
                catalog.templates.extend(only.map(|path| TemplateUse { path, output: None }));
            }
        }
    }
    Ok(())
}
