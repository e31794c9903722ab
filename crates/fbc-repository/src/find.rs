//! What a repository's own files say of its catalogs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fbc_lint::policy::OcpVersion;
use fbc_model::tree::Tree;

use crate::dockerfile::{self, Copied, Dockerfile};
use crate::place::{CatalogPlace, FoundBy, ImageFile, Note, Repository, TemplateUse};
use crate::survey::{Survey, survey};
use crate::{CONFIGURATION, ci_file, directories, matrix, release, templates};

/// Finds the catalogs of a repository.
///
/// `[[catalogs]]` of `fbc.toml` say it all where they are. Otherwise a directory is a catalog if a Dockerfile copies it to
/// the directory that is served, if a `ci.yaml` maps a template to it, or if it is named after a release and holds blobs;
/// where nothing of this is there, if it holds blobs.
#[must_use]
pub fn find(tree: &dyn Tree) -> Repository {
    let text = tree.read(Path::new(CONFIGURATION)).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let entries = text.map(|text| matrix::entries_of(&text)).unwrap_or_default();
    let mut finder = Finder { tree, catalogs: BTreeMap::new(), notes: Vec::new() };
    if !entries.is_empty() {
        for (entry, release) in
            entries.iter().flat_map(|entry| entry.cells().into_iter().map(move |cell| (entry, cell)))
        {
            finder.add(entry.place(release));
        }
        return finder.finish();
    }
    let survey = survey(tree);
    if survey.is_partial {
        finder.notes.push(Note::TooMany);
    }
    let open = finder.dockerfiles(&survey);
    finder.ci_files(&survey);
    finder.directories(&survey);
    if finder.catalogs.is_empty() {
        finder.blobs(&survey);
    }
    finder.open_dockerfiles(&open);
    let mut found = finder.finish();
    templates::assign(tree, &survey, &mut found.catalogs, &mut found.notes);
    found.notes.sort();
    found
}

struct Finder<'t> {
    tree: &'t dyn Tree,
    catalogs: BTreeMap<PathBuf, CatalogPlace>,
    notes: Vec<Note>,
}

/// A Dockerfile that gets the directory of the catalog when it is built.
struct OpenDockerfile {
    path: PathBuf,
    dockerfile: Dockerfile,
    copied: Copied,
}

impl Finder<'_> {
    /// Adds a catalog, to what is known of it already.
    fn add(&mut self, place: CatalogPlace) {
        let known = self
            .catalogs
            .entry(place.path.clone())
            .or_insert_with(|| CatalogPlace { path: place.path.clone(), ..CatalogPlace::default() });
        known.releases.extend(place.releases);
        known.images.extend(place.images);
        known.found_by.extend(place.found_by);
        for template in place.templates {
            if !known.templates.contains(&template) {
                known.templates.push(template);
            }
        }
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

    fn exists(&self, path: &Path) -> bool {
        let (parent, Some(name)) = (path.parent().unwrap_or(Path::new("")), path.file_name()) else {
            return path.as_os_str().is_empty();
        };
        self.tree.list(parent).is_ok_and(|entries| entries.iter().any(|entry| entry.name == Path::new(name)))
    }

    /// Takes what Dockerfiles copy; gives those that have a variable in its place.
    fn dockerfiles(&mut self, survey: &Survey) -> Vec<OpenDockerfile> {
        let mut open = Vec::new();
        for path in &survey.dockerfiles {
            let Ok(text) = self.tree.read(path) else { continue };
            let dockerfile = dockerfile::read(&String::from_utf8_lossy(&text));
            for copied in &dockerfile.copies {
                let (path, copied, dockerfile) = (path.clone(), copied.clone(), dockerfile.clone());
                match copied.variable {
                    Some(_) => open.push(OpenDockerfile { path, dockerfile, copied }),
                    None => self.dockerfile(path, &dockerfile, &copied),
                }
            }
        }
        open
    }

    fn dockerfile(&mut self, path: PathBuf, dockerfile: &Dockerfile, copied: &Copied) {
        let source = dockerfile::tidy(&copied.from);
        let Some(found) = self.in_context(&path, &source) else {
            self.notes.push(Note::Missing { dockerfile: path, source: copied.from.clone() });
            return;
        };
        let release =
            dockerfile.release.or_else(|| release::of_path(&path)).or_else(|| release::of_path(&found));
        let image = ImageFile {
            path,
            release,
            base: dockerfile.base.clone(),
            target: copied.to.clone(),
            arguments: Vec::new(),
        };
        self.add(CatalogPlace {
            path: found,
            releases: release.into_iter().collect(),
            images: vec![image],
            templates: Vec::new(),
            found_by: [FoundBy::Dockerfile].into(),
        });
    }

    /// What a Dockerfile copies. The build context is its own directory or one above: the closest in which the source is.
    fn in_context(&self, dockerfile: &Path, source: &str) -> Option<PathBuf> {
        let contexts = dockerfile.ancestors().skip(1);
        contexts.map(|context| context.join(source)).find(|path| self.exists(path) && !leaves(path))
    }

    fn ci_files(&mut self, survey: &Survey) {
        for path in &survey.ci_files {
            let Ok(text) = self.tree.read(path) else { continue };
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
                    self.add(CatalogPlace {
                        path: place,
                        releases: release::of_directory(catalog).into_iter().collect(),
                        images: Vec::new(),
                        templates: vec![template],
                        found_by: [FoundBy::CiFile].into(),
                    });
                }
            }
        }
    }

    fn directories(&mut self, survey: &Survey) {
        let known: BTreeSet<PathBuf> = self.catalogs.keys().cloned().collect();
        for (directory, release) in &survey.versions {
            let related = |path: &PathBuf| {
                path != directory && (path.starts_with(directory) || directory.starts_with(path))
            };
            if known.iter().any(related) {
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
            });
        }
    }

    /// Directories that hold blobs: the one around those of packages.
    fn blobs(&mut self, survey: &Survey) {
        let mut found: BTreeSet<PathBuf> = BTreeSet::new();
        for directory in survey.directories.iter().filter(|path| !path.as_os_str().is_empty()) {
            if found.iter().any(|path| directory.starts_with(path))
                || !directories::holds_blobs(self.tree, directory, 0)
            {
                continue;
            }
            let above = directory.parent().filter(|above| !above.as_os_str().is_empty());
            found.insert(above.unwrap_or(directory).to_path_buf());
        }
        for path in found {
            self.add(CatalogPlace { path, found_by: [FoundBy::Blobs].into(), ..CatalogPlace::default() });
        }
    }

    /// Gives Dockerfiles with variables the catalogs that they can be built with.
    fn open_dockerfiles(&mut self, open: &[OpenDockerfile]) {
        for OpenDockerfile { path, dockerfile, copied } in open {
            let context = path.parent().unwrap_or(Path::new(""));
            for catalog in self.catalogs.values_mut().filter(|catalog| catalog.images.is_empty()) {
                let below = catalog.path.strip_prefix(context).ok().and_then(Path::to_str);
                let Some(value) = below.and_then(|below| copied.value_for(below)) else { continue };
                let releases: Vec<Option<OcpVersion>> = match catalog.releases.is_empty() {
                    true => vec![None],
                    false => catalog.releases.iter().copied().map(Some).collect(),
                };
                catalog.images.extend(releases.into_iter().map(|release| ImageFile {
                    path: path.clone(),
                    release,
                    base: dockerfile.base.clone(),
                    target: copied.to.clone(),
                    arguments: vec![(copied.variable.clone().unwrap_or_default(), value.clone())],
                }));
            }
        }
    }
}

/// Whether a path has parts that lead elsewhere.
fn leaves(path: &Path) -> bool {
    path.components().any(|part| !matches!(part, std::path::Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use fbc_model::tree::MemoryTree;

    use super::*;

    const BLOB: &str = "---\nschema: olm.package\nname: a\n";
    const TEMPLATE: &str = "schema: olm.template.basic\nentries: []\n";

    fn tree(files: &[(&str, &str)]) -> MemoryTree {
        files.iter().map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec())).collect()
    }

    /// `RELEASES PATH TEMPLATE DOCKERFILE`, for each catalog.
    fn shown(files: &[(&str, &str)]) -> Vec<String> {
        let found = find(&tree(files));
        let line = |catalog: &CatalogPlace| {
            let releases: Vec<String> = catalog.releases.iter().map(ToString::to_string).collect();
            let mut parts = vec![releases.join(","), catalog.path.display().to_string()];
            parts.extend(catalog.templates.iter().map(|template| template.path.display().to_string()));
            parts.extend(catalog.images.iter().map(|image| image.path.display().to_string()));
            parts.join(" ")
        };
        found.catalogs.iter().map(line).collect()
    }

    #[test]
    fn dockerfiles_beside_their_catalogs() {
        let files = [
            ("v4.18/catalog.Dockerfile", "FROM r/ose-operator-registry:v4.18\nADD v4.18/catalog /configs\n"),
            ("v4.18/catalog-template.json", "{\"schema\": \"olm.template.basic\", \"entries\": []}"),
            ("v4.18/catalog/a/catalog.yaml", BLOB),
            ("v4.9/Containerfile.catalog", "FROM r/ose-operator-registry:v4.9\nCOPY catalog/ /configs\n"),
            ("v4.9/catalog/a/catalog.yaml", BLOB),
        ];
        assert_eq!(
            shown(&files),
            [
                "4.9 v4.9/catalog v4.9/Containerfile.catalog",
                "4.18 v4.18/catalog v4.18/catalog-template.json v4.18/catalog.Dockerfile"
            ]
        );
    }

    #[test]
    fn dockerfiles_at_the_root_share_catalogs() {
        let files = [
            ("Dockerfile-v4-15.catalog", "FROM r/x:v4.15\nCOPY catalog/a-old /configs/a\n"),
            ("Dockerfile-v4-16.catalog", "FROM r/x@sha256:00\nCOPY catalog/a-old /configs/a\n"),
            ("Dockerfile-v5-0.catalog", "FROM r/x:v5.0\nCOPY catalog/a /configs/a\n"),
            ("Dockerfile.gone", "FROM r/x:v5.0\nCOPY gone /configs/a\n"),
            ("catalog/catalog-template.yaml", TEMPLATE),
            ("catalog/a/catalog.yaml", BLOB),
            ("catalog/a-old/catalog.yaml", BLOB),
        ];
        assert_eq!(
            shown(&files),
            [
                "4.15,4.16 catalog/a-old catalog/catalog-template.yaml Dockerfile-v4-15.catalog Dockerfile-v4-16.catalog",
                "5.0 catalog/a catalog/catalog-template.yaml Dockerfile-v5-0.catalog"
            ]
        );
        let notes = find(&tree(&files)).notes;
        assert_eq!(
            notes,
            [Note::Missing { dockerfile: "Dockerfile.gone".into(), source: "gone".to_owned() }]
        );
    }

    #[test]
    fn versions_of_something_else_are_no_releases() {
        let files = [
            ("v10.16/Containerfile.catalog", "FROM r/x:v4.16\nCOPY catalog/ /configs\n"),
            ("v10.16/catalog/a/catalog.yaml", BLOB),
            ("v10.17/catalog/a/catalog.yaml", BLOB),
        ];
        assert_eq!(shown(&files), [" v10.17/catalog", "4.16 v10.16/catalog v10.16/Containerfile.catalog"]);
        assert_eq!(find(&tree(&files)).notes, [Note::NoRelease("v10.17".into())]);
    }

    #[test]
    fn one_dockerfile_with_an_argument() {
        let files = [
            ("catalog.Dockerfile", "FROM r/opm\nARG INPUT_DIR\nCOPY ./${INPUT_DIR}/ /configs/a\n"),
            ("catalog-template.yaml", TEMPLATE),
            ("catalog-4-14/package.yaml", BLOB),
            ("catalog-4-14/bundles/a.yaml", "schema: olm.bundle\n"),
            ("catalog-4-9/package.yaml", BLOB),
        ];
        assert_eq!(
            shown(&files),
            [
                "4.9 catalog-4-9 catalog-template.yaml catalog.Dockerfile",
                "4.14 catalog-4-14 catalog-template.yaml catalog.Dockerfile"
            ]
        );
        let arguments = find(&tree(&files)).catalogs[0].images[0].arguments.clone();
        assert_eq!(arguments, [("INPUT_DIR".to_owned(), "catalog-4-9".to_owned())]);
    }

    #[test]
    fn catalogs_of_many_operators() {
        let mapping = "fbc:\n  enabled: true\n  catalog_mapping:\n  - {template_name: t.yaml, catalog_names: [v4.17, v4.18], type: olm.semver}\n";
        let files = [
            ("catalogs/v4.17/a/catalog.yaml", BLOB),
            ("catalogs/v4.18/a/catalog.yaml", BLOB),
            ("catalogs/v4.18/b/catalog.yaml", BLOB),
            ("operators/a/ci.yaml", mapping),
            ("operators/a/catalog-templates/t.yaml", "schema: olm.semver\n"),
            ("operators/a/4.18/manifests/x.yaml", "kind: Service\n"),
            ("operators/a/4.18/metadata/annotations.yaml", "annotations: {}\n"),
            ("operators/b/ci.yaml", "reviewers: []\n"),
        ];
        assert_eq!(
            shown(&files),
            [
                "4.17 catalogs/v4.17 operators/a/catalog-templates/t.yaml",
                "4.18 catalogs/v4.18 operators/a/catalog-templates/t.yaml"
            ]
        );
    }

    #[test]
    fn directories_of_releases() {
        let files = [
            ("catalog/v4.18/catalog-template.yaml", TEMPLATE),
            ("catalog/v4.18/a/catalog.yaml", BLOB),
            ("catalog/v4.19/a/catalog.yaml", BLOB),
            ("catalog/v4.19/b/catalog.yaml", BLOB),
            ("releases/4.4/notes.yaml", "kind: Release\n"),
        ];
        assert_eq!(
            shown(&files),
            ["4.18 catalog/v4.18/a catalog/v4.18/catalog-template.yaml", "4.19 catalog/v4.19"]
        );
    }

    #[test]
    fn blobs_alone_and_nothing_at_all() {
        assert_eq!(shown(&[("a/b/catalog.yaml", BLOB), ("README.md", "x")]), [" a"]);
        assert_eq!(shown(&[("main.go", "x"), ("config/x.yaml", "kind: Pod\n")]), [""; 0]);
    }

    #[test]
    fn the_configuration_says_it_all() {
        let files = [
            ("fbc.toml", "[[catalogs]]\npath = \"c/{minor}\"\nocp = [\"4.17..4.18\"]\n"),
            ("v4.18/catalog/a/catalog.yaml", BLOB),
        ];
        assert_eq!(shown(&files), ["4.17 c/17", "4.18 c/18"]);
    }
}
