//! What a repository's own files say of its catalogs.

mod dockerfiles;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fbc_go::allowance::{Allowance, Exceeded};
use fbc_model::tree::Tree;

use crate::place::{CatalogPlace, FoundBy, Note, Repository, TemplateUse, without_excess};
use crate::survey::{Survey, survey};
use crate::too_large::RepositoryTooLarge;
use crate::{CONFIGURATION, ci_file, directories, matrix, release, templates};

/// Asking the system for what a directory holds takes as long as so many steps.
const LIST_STEPS: usize = 50;

/// Finds the catalogs of a repository.
///
/// `[[catalogs]]` of `fbc.toml` say it all where they are. Otherwise a directory is a catalog if a Dockerfile copies it to
/// the directory that is served, if a `ci.yaml` maps a template to it, or if it is named after a release and holds blobs;
/// where nothing of this is there, if it holds blobs.
///
/// # Errors
/// The file whose variables, patterns or lists expand to more than they may.
pub fn find(tree: &dyn Tree) -> Result<Repository, RepositoryTooLarge> {
    find_within(tree, &Allowance::default())
}

/// As [`find`], within an allowance of one's own.
///
/// # Errors
/// As [`find`].
pub fn find_within(tree: &dyn Tree, allowance: &Allowance) -> Result<Repository, RepositoryTooLarge> {
    find_charged(tree, allowance).map_err(|error| RepositoryTooLarge { root: tree.location(), ..error })
}

fn find_charged(tree: &dyn Tree, allowance: &Allowance) -> Result<Repository, RepositoryTooLarge> {
    let text = tree.read(Path::new(CONFIGURATION)).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let entries = text.map(|text| matrix::entries_of(&text)).unwrap_or_default();
    let mut finder =
        Finder { tree, allowance, catalogs: BTreeMap::new(), notes: Vec::new(), listed: BTreeMap::new() };
    if !entries.is_empty() {
        for (entry, release) in
            entries.iter().flat_map(|entry| entry.cells().into_iter().map(move |cell| (entry, cell)))
        {
            finder.add(entry.place(release)).map_err(of_file(Path::new(CONFIGURATION), "`catalogs`"))?;
        }
        return Ok(finder.finish());
    }
    let survey = survey(tree);
    if survey.is_partial {
        finder.notes.push(Note::TooMany);
    }
    let of_all = RepositoryTooLarge::of_all;
    finder.closed(&survey).map_err(of_all)?;
    let open = finder.dockerfiles(&survey)?;
    finder.ci_files(&survey)?;
    finder.leave_out_several_releases(&survey).map_err(of_all)?;
    finder.directories(&survey).map_err(of_all)?;
    if finder.catalogs.values().all(|catalog| catalog.is_absent) {
        finder.blobs(&survey).map_err(of_all)?;
    }
    finder.open_dockerfiles(&open)?;
    let mut found = finder.finish();
    templates::assign(tree, &survey, &mut found, allowance).map_err(of_all)?;
    // What is neither there nor made from anything is missing.
    let (catalogs, missing): (Vec<_>, Vec<_>) =
        found.catalogs.into_iter().partition(|catalog| !catalog.is_absent || !catalog.templates.is_empty());
    found.catalogs = catalogs;
    found.notes.extend(missing.into_iter().flat_map(missing_notes));
    found.notes = without_excess(found.notes);
    Ok(found)
}

/// The Dockerfiles that copy a catalog which is not there.
fn missing_notes(catalog: CatalogPlace) -> impl Iterator<Item = Note> {
    let source = catalog.path.display().to_string();
    catalog
        .images
        .into_iter()
        .map(move |image| Note::Missing { dockerfile: image.path, source: source.clone() })
}

/// Says which file is too much, and what of it.
fn of_file(path: &Path, what: &str) -> impl Fn(Exceeded) -> RepositoryTooLarge {
    move |exceeded| RepositoryTooLarge::of_file(path, None, what, exceeded)
}

struct Finder<'t> {
    tree: &'t dyn Tree,
    allowance: &'t Allowance,
    catalogs: BTreeMap<PathBuf, CatalogPlace>,
    notes: Vec<Note>,
    /// The names in directories that copies were looked for in.
    listed: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
}

impl Finder<'_> {
    /// Adds a catalog, to what is known of it already.
    fn add(&mut self, place: CatalogPlace) -> Result<(), Exceeded> {
        self.allowance.bytes(place.bytes())?;
        let known = self.catalogs.entry(place.path.clone()).or_insert_with(|| CatalogPlace {
            path: place.path.clone(),
            is_absent: place.is_absent,
            ..CatalogPlace::default()
        });
        known.is_absent &= place.is_absent;
        known.releases.extend(place.releases);
        known.images.extend(place.images);
        known.found_by.extend(place.found_by);
        for template in place.templates {
            self.allowance.steps(known.templates.len())?;
            if !known.templates.contains(&template) {
                known.templates.push(template);
            }
        }
        Ok(())
    }

    fn finish(self) -> Repository {
        let mut catalogs: Vec<CatalogPlace> = self.catalogs.into_values().collect();
        for catalog in &mut catalogs {
            catalog.images.sort_by(|a, b| (a.release, &a.path).cmp(&(b.release, &b.path)));
            catalog.images.dedup();
        }
        let first = |catalog: &CatalogPlace| catalog.releases.first().copied();
        catalogs.sort_by(|a, b| (first(a), &a.path).cmp(&(first(b), &b.path)));
        Repository { catalogs, notes: self.notes }
    }

    fn exists(&mut self, path: &Path) -> Result<bool, Exceeded> {
        let (parent, Some(name)) = (path.parent().unwrap_or(Path::new("")), path.file_name()) else {
            return Ok(path.as_os_str().is_empty());
        };
        if !self.listed.contains_key(parent) {
            let entries = self.tree.list(parent).unwrap_or_default();
            self.allowance.bytes(parent.as_os_str().len())?;
            self.allowance.steps(LIST_STEPS + entries.len())?;
            let names = entries.into_iter().map(|entry| entry.name).collect();
            self.listed.insert(parent.to_path_buf(), names);
        }
        Ok(self.listed.get(parent).is_some_and(|names| names.contains(Path::new(name))))
    }

    /// Takes directories of releases that may not be listed for catalogs, which are then refused as such; notes others.
    fn closed(&mut self, survey: &Survey) -> Result<(), Exceeded> {
        for (directory, release) in &survey.closed {
            match release {
                None => self.notes.push(Note::Closed(directory.clone())),
                Some(release) => self.add(CatalogPlace {
                    path: directory.clone(),
                    releases: [*release].into(),
                    found_by: [FoundBy::DirectoryName].into(),
                    ..CatalogPlace::default()
                })?,
            }
        }
        Ok(())
    }

    fn ci_files(&mut self, survey: &Survey) -> Result<(), RepositoryTooLarge> {
        for path in &survey.ci_files {
            let read = templates::read_or_note(self.tree, path, &mut self.notes);
            let Some(text) = read else { continue };
            let mappings = match ci_file::mappings(&text) {
                Ok(mappings) => mappings,
                Err(error) => {
                    self.notes.push(Note::CiFile { path: path.clone(), reason: error.to_string() });
                    continue;
                }
            };
            // operators/OPERATOR/ci.yaml, with the catalogs beside `operators`.
            let operator = path.parent().unwrap_or(Path::new(""));
            let root = operator.parent().and_then(Path::parent).unwrap_or(Path::new(""));
            let name = operator.file_name().unwrap_or_default();
            for mapping in mappings {
                for catalog in &mapping.catalogs {
                    let place = root.join(ci_file::CATALOGS).join(catalog);
                    let template = TemplateUse {
                        path: operator.join(ci_file::TEMPLATES).join(&mapping.template),
                        output: Some(place.join(name).join("catalog.yaml")),
                    };
                    let place = CatalogPlace {
                        path: place,
                        releases: release::of_directory(catalog).into_iter().collect(),
                        images: Vec::new(),
                        templates: vec![template],
                        found_by: [FoundBy::CiFile].into(),
                        is_absent: false,
                    };
                    self.add(place).map_err(of_file(path, "`catalog_mapping`"))?;
                }
            }
        }
        Ok(())
    }

    fn directories(&mut self, survey: &Survey) -> Result<(), Exceeded> {
        let there = self.catalogs.iter().filter(|(_, catalog)| !catalog.is_absent);
        let known: BTreeSet<PathBuf> = there.map(|(path, _)| path.clone()).collect();
        for (directory, release) in &survey.versions {
            // What lies below a directory comes right behind it.
            let below = known.range(directory.clone()..).find(|path| *path != directory);
            let is_related = below.is_some_and(|path| path.starts_with(directory))
                || directory.ancestors().skip(1).any(|above| known.contains(above));
            if is_related {
                continue;
            }
            let Some(path) = directories::catalog_in(self.tree, directory) else { continue };
            if release.is_none() {
                self.notes.push(Note::NoRelease(directory.clone()));
            }
            self.add(CatalogPlace {
                path,
                releases: release.iter().copied().collect(),
                found_by: [FoundBy::DirectoryName].into(),
                ..CatalogPlace::default()
            })?;
        }
        Ok(())
    }

    /// Directories that hold blobs: the one around those of packages.
    fn blobs(&mut self, survey: &Survey) -> Result<(), Exceeded> {
        let mut found: BTreeSet<PathBuf> = BTreeSet::new();
        for directory in survey.directories.iter().filter(|path| !path.as_os_str().is_empty()) {
            if directory.ancestors().any(|above| found.contains(above))
                || !directories::holds_blobs(self.tree, directory, 0)
            {
                continue;
            }
            let above = directory.parent().filter(|above| !above.as_os_str().is_empty());
            found.insert(above.unwrap_or(directory).to_path_buf());
        }
        for path in found {
            self.add(CatalogPlace { path, found_by: [FoundBy::Blobs].into(), ..CatalogPlace::default() })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
