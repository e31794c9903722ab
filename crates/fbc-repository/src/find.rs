//! What a repository's own files say of its catalogs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fbc_go::allowance::{Allowance, Exceeded};
use fbc_model::tree::Tree;
use fbc_version::OpenShiftRelease;

use crate::dockerfile::{self, Copied};
use crate::place::{CatalogPlace, FoundBy, ImageFile, Note, Repository, TemplateUse, without_excess};
use crate::survey::{Survey, survey};
use crate::too_large::RepositoryTooLarge;
use crate::{CONFIGURATION, ci_file, directories, matrix, release, templates};

/// Going through this many bytes of a text takes as long as a step.
const STEP_BYTES: usize = 64;
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
    finder.directories(&survey).map_err(of_all)?;
    if finder.catalogs.is_empty() {
        finder.blobs(&survey).map_err(of_all)?;
    }
    finder.open_dockerfiles(&open)?;
    let mut found = finder.finish();
    templates::assign(tree, &survey, &mut found, allowance).map_err(of_all)?;
    found.notes = without_excess(found.notes);
    Ok(found)
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

/// A Dockerfile that gets the directory of the catalog when it is built.
struct OpenDockerfile {
    path: PathBuf,
    base: Option<String>,
    copied: Copied,
}

impl Finder<'_> {
    /// Adds a catalog, to what is known of it already.
    fn add(&mut self, place: CatalogPlace) -> Result<(), Exceeded> {
        self.allowance.bytes(place.bytes())?;
        let known = self
            .catalogs
            .entry(place.path.clone())
            .or_insert_with(|| CatalogPlace { path: place.path.clone(), ..CatalogPlace::default() });
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

    /// Takes what Dockerfiles copy; gives those that have a variable in its place.
    fn dockerfiles(&mut self, survey: &Survey) -> Result<Vec<OpenDockerfile>, RepositoryTooLarge> {
        let mut open = Vec::new();
        for path in &survey.dockerfiles {
            let too_large = of_file(path, "what it copies");
            // One that is too large need not be read.
            let size = self.tree.size(path).and_then(|size| usize::try_from(size).ok()).unwrap_or_default();
            self.allowance.bytes(size).map_err(&too_large)?;
            let text = templates::read_or_note(self.tree, path, &mut self.notes);
            let Some(text) = text else { continue };
            let read = dockerfile::read(path, &String::from_utf8_lossy(&text), self.allowance)?;
            let base_bytes = read.base.as_ref().map_or(0, String::len);
            for copied in read.copies {
                self.allowance.bytes(base_bytes + path.as_os_str().len()).map_err(&too_large)?;
                match copied.variable {
                    Some(_) => {
                        open.push(OpenDockerfile { path: path.clone(), base: read.base.clone(), copied })
                    }
                    None => {
                        self.copied(path, read.release, read.base.clone(), &copied).map_err(&too_large)?;
                    }
                }
            }
        }
        Ok(open)
    }

    fn copied(
        &mut self,
        path: &Path,
        release: Option<OpenShiftRelease>,
        base: Option<String>,
        copied: &Copied,
    ) -> Result<(), Exceeded> {
        let source = dockerfile::tidy(&copied.from);
        let Some(found) = self.in_context(path, &source)? else {
            self.notes.push(Note::Missing { dockerfile: path.to_path_buf(), source: copied.from.clone() });
            return Ok(());
        };
        let release = release.or_else(|| release::of_path(path)).or_else(|| release::of_path(&found));
        let image = ImageFile {
            path: path.to_path_buf(),
            release,
            base,
            target: copied.to.clone(),
            arguments: Vec::new(),
        };
        self.add(CatalogPlace {
            path: found,
            releases: release.into_iter().collect(),
            images: vec![image],
            templates: Vec::new(),
            found_by: [FoundBy::Dockerfile].into(),
        })
    }

    /// What a Dockerfile copies. The build context is its own directory or one above: the closest in which the source is.
    fn in_context(&mut self, dockerfile: &Path, source: &str) -> Result<Option<PathBuf>, Exceeded> {
        for context in dockerfile.ancestors().skip(1) {
            let path = context.join(source);
            if !leaves(&path) && self.exists(&path)? {
                return Ok(Some(path));
            }
        }
        Ok(None)
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
                    };
                    self.add(place).map_err(of_file(path, "`catalog_mapping`"))?;
                }
            }
        }
        Ok(())
    }

    fn directories(&mut self, survey: &Survey) -> Result<(), Exceeded> {
        let known: BTreeSet<PathBuf> = self.catalogs.keys().cloned().collect();
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

    /// Gives Dockerfiles with variables the catalogs that they can be built with.
    fn open_dockerfiles(&mut self, open: &[OpenDockerfile]) -> Result<(), RepositoryTooLarge> {
        for OpenDockerfile { path, base, copied } in open {
            let too_large = of_file(path, "what it copies");
            let Some(around) = copied.around_variable() else { continue };
            let context = path.parent().unwrap_or(Path::new(""));
            let compared = 1 + copied.from.len() / STEP_BYTES;
            self.allowance.steps(self.catalogs.len().saturating_mul(compared)).map_err(&too_large)?;
            for catalog in self.catalogs.values_mut().filter(|catalog| catalog.images.is_empty()) {
                let below = catalog.path.strip_prefix(context).ok().and_then(Path::to_str);
                let Some(value) = below.and_then(|below| around.value_for(below)) else { continue };
                let releases: Vec<Option<OpenShiftRelease>> = match catalog.releases.is_empty() {
                    true => vec![None],
                    false => catalog.releases.iter().copied().map(Some).collect(),
                };
                for release in releases {
                    let image = ImageFile {
                        path: path.clone(),
                        release,
                        base: base.clone(),
                        target: copied.to.clone(),
                        arguments: vec![(copied.variable.clone().unwrap_or_default(), value.to_owned())],
                    };
                    self.allowance.bytes(image.bytes()).map_err(&too_large)?;
                    catalog.images.push(image);
                }
            }
        }
        Ok(())
    }
}

/// Whether a path has parts that lead elsewhere.
fn leaves(path: &Path) -> bool {
    path.components().any(|part| !matches!(part, std::path::Component::Normal(_)))
}

#[cfg(test)]
mod tests;
