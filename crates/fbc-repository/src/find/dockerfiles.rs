//! What Dockerfiles copy to the directory that is served.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use fbc_go::allowance::Exceeded;
use fbc_model::tree::Tree;
use fbc_version::OpenShiftRelease;

use super::{Finder, of_file};
use crate::dockerfile::{self, BuildArguments, Copied};
use crate::pipelines::{self, PipelineBuild};
use crate::place::{CatalogPlace, FoundBy, ImageFile, Note};
use crate::survey::{Survey, is_document};
use crate::too_large::RepositoryTooLarge;
use crate::{directories, release, templates};

/// Going through this many bytes of a text takes as long as a step.
const STEP_BYTES: usize = 64;

/// A Dockerfile that gets the directory of the catalog when it is built.
pub(super) struct OpenDockerfile {
    path: PathBuf,
    base: Option<String>,
    copied: Copied,
}

/// A Dockerfile as one build has it.
struct Built<'b> {
    path: &'b Path,
    release: Option<OpenShiftRelease>,
    base: Option<String>,
    arguments: &'b BuildArguments,
    /// The directory that the build sees, where that is known.
    context: Option<&'b Path>,
}

impl Finder<'_> {
    /// Takes what Dockerfiles copy; gives those that have a variable in its place.
    pub(super) fn dockerfiles(&mut self, survey: &Survey) -> Result<Vec<OpenDockerfile>, RepositoryTooLarge> {
        let mut open = Vec::new();
        let builds = if survey.dockerfiles.is_empty() { Vec::new() } else { pipelines::builds(self.tree) };
        for path in &survey.dockerfiles {
            let too_large = of_file(path, "what it copies");
            // One that is too large need not be read.
            let size = self.tree.size(path).and_then(|size| usize::try_from(size).ok()).unwrap_or_default();
            self.allowance.bytes(size).map_err(&too_large)?;
            let text = templates::read_or_note(self.tree, path, &mut self.notes);
            let Some(text) = text else { continue };
            let text = String::from_utf8_lossy(&text);
            let mut of_pipelines: Vec<&PipelineBuild> =
                builds.iter().filter(|build| build.dockerfile == *path).collect();
            self.allowance.steps(builds.len()).map_err(&too_large)?;
            let by_hand = PipelineBuild {
                dockerfile: path.clone(),
                context: PathBuf::new(),
                arguments: BuildArguments::new(),
            };
            let is_by_hand = of_pipelines.is_empty();
            if is_by_hand {
                of_pipelines.push(&by_hand);
            }
            for build in of_pipelines {
                let read = dockerfile::read(path, &text, &build.arguments, self.allowance)?;
                let base_bytes = read.base.as_ref().map_or(0, String::len);
                let (opened, copies): (Vec<Copied>, Vec<Copied>) =
                    read.copies.into_iter().partition(|copied| copied.variable.is_some());
                let built = Built {
                    path,
                    release: read.release,
                    base: read.base.clone(),
                    arguments: &build.arguments,
                    context: (!is_by_hand).then_some(build.context.as_path()),
                };
                for copied in opened {
                    self.allowance.bytes(base_bytes + path.as_os_str().len()).map_err(&too_large)?;
                    open.push(OpenDockerfile { path: path.clone(), base: read.base.clone(), copied });
                }
                self.copies(&built, &copies).map_err(&too_large)?;
            }
        }
        Ok(open)
    }

    /// Takes the copies of one image. If they are of several releases, it is no image of a catalog.
    fn copies(&mut self, built: &Built<'_>, copies: &[Copied]) -> Result<(), Exceeded> {
        let mut places = Vec::new();
        for copied in copies {
            self.allowance
                .bytes(built.base.as_ref().map_or(0, String::len) + built.path.as_os_str().len())?;
            let source = dockerfile::tidy(&copied.from);
            let found = self.in_context(built, &source)?;
            places.push((copied, found, source));
        }
        let releases: BTreeSet<OpenShiftRelease> =
            places.iter().filter_map(|(_, found, _)| release::of_path(found.as_ref()?)).collect();
        if releases.len() > 1 {
            self.notes.push(Note::SeveralReleases {
                dockerfile: built.path.to_path_buf(),
                releases: releases.into_iter().collect(),
            });
            return Ok(());
        }
        for (copied, found, source) in places {
            let is_absent = found.is_none();
            let path = match found {
                Some(path) => path,
                // It may be made from a template, which shows when those are known.
                None => match self.absent(built, &source)? {
                    Some(path) => path,
                    None => {
                        let source = copied.from.clone();
                        self.notes.push(Note::Missing { dockerfile: built.path.to_path_buf(), source });
                        continue;
                    }
                },
            };
            let place = self.place(built, copied, path, is_absent);
            self.add(place)?;
        }
        Ok(())
    }

    /// The catalog that a Dockerfile copies from a path.
    fn place(&self, built: &Built<'_>, copied: &Copied, path: PathBuf, is_absent: bool) -> CatalogPlace {
        let release =
            built.release.or_else(|| release::of_path(built.path)).or_else(|| release::of_path(&path));
        let image = ImageFile {
            path: built.path.to_path_buf(),
            release,
            base: built.base.clone(),
            target: target(self.tree, copied, &path),
            arguments: built.arguments.clone().into_iter().collect(),
        };
        CatalogPlace {
            path,
            releases: release.into_iter().collect(),
            images: vec![image],
            templates: Vec::new(),
            found_by: [FoundBy::Dockerfile].into(),
            is_absent,
        }
    }

    /// What a Dockerfile copies. The build context is its own directory or one above: the closest in which the source is.
    fn in_context(&mut self, built: &Built<'_>, source: &str) -> Result<Option<PathBuf>, Exceeded> {
        for context in built.context.into_iter().chain(built.path.ancestors().skip(1)) {
            let path = context.join(source);
            if !leaves(&path) && self.exists(&path)? {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    /// Where that which a Dockerfile copies would be, if it were there: in the closest context that has the directory around it.
    fn absent(&mut self, built: &Built<'_>, source: &str) -> Result<Option<PathBuf>, Exceeded> {
        for context in built.context.into_iter().chain(built.path.ancestors().skip(1)) {
            let path = context.join(source);
            let around = path.parent().unwrap_or(Path::new("")).to_path_buf();
            if !leaves(&path) && path != context && self.exists(&around)? {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    /// Leaves out what a Dockerfile copies and takes for one catalog, although it holds those of several releases.
    pub(super) fn leave_out_several_releases(&mut self, survey: &Survey) -> Result<(), Exceeded> {
        let found: Vec<PathBuf> = self.catalogs.keys().cloned().collect();
        for path in found {
            self.allowance.steps(1 + survey.versions.len() + self.catalogs.len())?;
            let is_below = |other: &Path| other != path && other.starts_with(&path);
            let mut releases: BTreeSet<OpenShiftRelease> = self
                .catalogs
                .range(path.clone()..)
                .filter(|(other, _)| is_below(other))
                .flat_map(|(_, catalog)| catalog.releases.iter().copied())
                .collect();
            for (directory, release) in survey.versions.iter().filter(|(other, _)| is_below(other)) {
                if let Some(release) = release
                    && directories::catalog_in(self.tree, directory).is_some()
                {
                    releases.insert(*release);
                }
            }
            if releases.len() < 2 {
                continue;
            }
            let releases: Vec<OpenShiftRelease> = releases.into_iter().collect();
            let left_out = self.catalogs.remove(&path).map(|catalog| catalog.images).unwrap_or_default();
            self.notes.extend(
                left_out.into_iter().map(|image| Note::SeveralReleases {
                    dockerfile: image.path,
                    releases: releases.clone(),
                }),
            );
        }
        Ok(())
    }

    /// Gives Dockerfiles with variables the catalogs that they can be built with.
    pub(super) fn open_dockerfiles(&mut self, open: &[OpenDockerfile]) -> Result<(), RepositoryTooLarge> {
        for OpenDockerfile { path, base, copied } in open {
            let too_large = of_file(path, "what it copies");
            let mut is_used = false;
            let context = path.parent().unwrap_or(Path::new(""));
            let compared = 1 + copied.from.len() / STEP_BYTES;
            self.allowance.steps(self.catalogs.len().saturating_mul(compared)).map_err(&too_large)?;
            let Some(around) = copied.around_variable() else { continue };
            for catalog in self.catalogs.values_mut() {
                let below = catalog.path.strip_prefix(context).ok().and_then(Path::to_str);
                let Some(value) = below.and_then(|below| around.value_for(below)) else { continue };
                is_used = true;
                if !catalog.images.is_empty() {
                    continue;
                }
                let releases: Vec<Option<OpenShiftRelease>> = match catalog.releases.is_empty() {
                    true => vec![None],
                    false => catalog.releases.iter().copied().map(Some).collect(),
                };
                let variable = copied.variable.clone().unwrap_or_default();
                for release in releases {
                    let image = ImageFile {
                        path: path.clone(),
                        release,
                        base: base.clone(),
                        target: target(self.tree, copied, &catalog.path),
                        arguments: vec![(variable.clone(), value.to_owned())],
                    };
                    self.allowance.bytes(image.bytes()).map_err(&too_large)?;
                    catalog.images.push(image);
                }
            }
            if let Some(argument) = copied.variable.clone().filter(|_| !is_used) {
                self.notes.push(Note::UnknownArgument { dockerfile: path.clone(), argument });
            }
        }
        Ok(())
    }
}

/// Where a path goes below the directory that is served: what a directory holds goes to the target, a file has a name there.
fn target(tree: &dyn Tree, copied: &Copied, path: &Path) -> PathBuf {
    let is_folder = tree.list(path).is_ok_and(|entries| !entries.is_empty());
    let is_file = !is_folder && path.file_name().is_some_and(|name| is_document(&name.to_string_lossy()));
    match path.file_name().filter(|_| is_file && copied.into_directory) {
        Some(name) => copied.to.join(name),
        None => copied.to.clone(),
    }
}

/// Whether a path has parts that lead elsewhere.
fn leaves(path: &Path) -> bool {
    path.components().any(|part| !matches!(part, Component::Normal(_)))
}
