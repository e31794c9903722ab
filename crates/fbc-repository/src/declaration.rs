//! `fbc.toml` from what was found: releases whose paths differ in nothing but the release become one entry.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use fbc_model::tree::Tree;
use fbc_version::OpenShiftRelease;

use crate::directories::output_of;
use crate::matrix::Layout;
use crate::place::{CatalogPlace, Repository};

/// What entries have in common whose releases go together; texts are patterns.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    path: String,
    template: Option<String>,
    file: Option<String>,
    is_split: bool,
    dockerfile: Option<String>,
    image_path: Option<String>,
}

/// The releases of a shape, with what their images are built on.
type Cells = BTreeMap<Option<OpenShiftRelease>, Option<String>>;

/// The text of `[[catalogs]]`, to which an `fbc.toml` may have more.
#[must_use]
pub fn declaration(tree: &dyn Tree, repository: &Repository) -> String {
    // What serves several releases names none of them, whatever its name looks like.
    let mut uses: BTreeMap<&Path, BTreeSet<OpenShiftRelease>> = BTreeMap::new();
    for catalog in &repository.catalogs {
        let own = std::iter::once(catalog.path.as_path());
        for path in own.chain(catalog.templates.iter().map(|template| template.path.as_path())) {
            uses.entry(path).or_default().extend(&catalog.releases);
        }
    }
    let is_shared = |path: &Path| uses.get(path).is_some_and(|releases| releases.len() > 1);
    let mut entries: BTreeMap<Shape, Cells> = BTreeMap::new();
    let mut order: Vec<Shape> = Vec::new();
    for catalog in &repository.catalogs {
        for (shape, release, base) in cells(tree, catalog, &is_shared) {
            if !entries.contains_key(&shape) {
                order.push(shape.clone());
            }
            entries.entry(shape).or_default().insert(release, base);
        }
    }
    let mut text = String::new();
    for shape in &order {
        if let Some(cells) = entries.get(shape) {
            entry(&mut text, shape, cells);
        }
    }
    text
}

fn cells(
    tree: &dyn Tree,
    catalog: &CatalogPlace,
    is_shared: &dyn Fn(&Path) -> bool,
) -> Vec<(Shape, Option<OpenShiftRelease>, Option<String>)> {
    let releases: Vec<Option<OpenShiftRelease>> = match catalog.releases.is_empty() {
        true => vec![None],
        false => catalog.releases.iter().copied().map(Some).collect(),
    };
    let mut templates: Vec<_> = catalog.templates.iter().map(Some).collect();
    if templates.is_empty() {
        templates.push(None);
    }
    let known = output_of(tree, &catalog.path);
    let mut cells = Vec::new();
    for release in releases {
        let image = catalog.images.iter().find(|image| image.release == release).or(catalog.images.first());
        let of = |path: &Path| opened(path, release.filter(|_| !is_shared(path)));
        for template in &templates {
            let output = template.and_then(|template| template.output.clone());
            let output = output.map(|path| (Layout::File, path)).or_else(|| known.clone());
            let output = output.filter(|_| template.is_some());
            let below = |path: &Path| path.strip_prefix(&catalog.path).ok().map(Path::to_path_buf);
            let file = output.as_ref().and_then(|(_, path)| below(path));
            let shape = Shape {
                path: of(&catalog.path),
                template: template.map(|template| of(&template.path)),
                file: file.filter(|file| !file.as_os_str().is_empty()).map(|file| file.display().to_string()),
                is_split: output.is_some_and(|(layout, _)| layout == Layout::Split),
                dockerfile: image.map(|image| opened(&image.path, release)),
                image_path: image
                    .map(|image| image.target.display().to_string())
                    .filter(|target| !target.is_empty()),
            };
            let base = image.and_then(|image| image.base.as_deref());
            cells.push((shape, release, base.map(|base| opened(Path::new(base), release))));
        }
    }
    cells
}

/// A path with words in the places of the release.
fn opened(path: &Path, release: Option<OpenShiftRelease>) -> String {
    let text = path.display().to_string();
    let Some(release) = release else { return text };
    let text = text.replace(&release.to_string(), "{ocp}");
    let text = text.replace(&format!("{}-{}", release.major, release.minor), "{major}-{minor}");
    text.replace(&format!("openshift{}/", release.major), "openshift{major}/")
}

fn entry(text: &mut String, shape: &Shape, cells: &Cells) {
    if !text.is_empty() {
        text.push('\n');
    }
    let mut line = |key: &str, value: &str| {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{key} = {value}");
    };
    let mut bases: BTreeMap<&str, Vec<OpenShiftRelease>> = BTreeMap::new();
    for (release, base) in cells {
        if let (Some(release), Some(base)) = (release, base) {
            bases.entry(base).or_default().push(*release);
        }
    }
    let usual = bases.iter().max_by_key(|(_, releases)| (releases.len(), releases.last().copied()));
    let usual = usual.map(|(base, _)| *base).or(cells.values().flatten().next().map(String::as_str));
    let releases: Vec<OpenShiftRelease> = cells.keys().copied().flatten().collect();
    line("[[catalogs]]\npath", &quoted(&shape.path));
    if !releases.is_empty() {
        line("ocp", &ranges(&releases));
    }
    for (key, value) in [
        ("template", &shape.template),
        ("file", &shape.file),
        ("layout", &shape.is_split.then(|| "split".to_owned())),
        ("dockerfile", &shape.dockerfile),
        ("image-path", &shape.image_path),
        ("base-image", &usual.map(str::to_owned)),
    ] {
        if let Some(value) = value {
            line(key, &quoted(value));
        }
    }
    for (base, releases) in bases.iter().filter(|(base, _)| Some(**base) != usual) {
        line("\n[[catalogs.releases]]\nocp", &ranges(releases));
        line("base-image", &quoted(base));
    }
}

/// `["4.14..4.22", "5.0"]`
pub(crate) fn ranges(releases: &[OpenShiftRelease]) -> String {
    let follows = |a: &OpenShiftRelease, b: &OpenShiftRelease| a.major == b.major && a.minor + 1 == b.minor;
    let runs = releases.chunk_by(follows).filter_map(|run| match run {
        [] => None,
        [only] => Some(quoted(&only.to_string())),
        [first, second] => Some(format!("{}, {}", quoted(&first.to_string()), quoted(&second.to_string()))),
        [first, .., last] => Some(quoted(&format!("{first}..{last}"))),
    });
    format!("[{}]", runs.collect::<Vec<_>>().join(", "))
}

/// A text of TOML, whose escapes are those of JSON.
fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    fbc_yaml::json_writer::write_string(&mut quoted, text);
    quoted
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use fbc_model::tree::MemoryTree;

    use super::*;
    use crate::find;

    fn tree(files: &[(&str, &str)]) -> MemoryTree {
        files.iter().map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec())).collect()
    }

    const BLOB: &str = "schema: olm.package\nname: a\n";

    #[test]
    fn what_is_found_again() {
        let mut files = vec![("catalog-template.yaml".to_owned(), "schema: olm.template.basic\n".to_owned())];
        for (release, base) in [
            ("4.14", "r/reg:v4.14"),
            ("4.15", "r/reg-9:v4.15"),
            ("4.16", "r/reg-9:v4.16"),
            ("5.0", "r/reg-9:v5.0"),
        ] {
            files.push((format!("v{release}/Dockerfile"), format!("FROM {base}\nCOPY catalog /configs\n")));
            files.push((format!("v{release}/catalog/a/catalog.json"), BLOB.to_owned()));
        }
        let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        let before = tree(&files);
        let found = find(&before).unwrap();
        let text = declaration(&before, &found);
        assert_eq!(
            text,
            "[[catalogs]]\npath = \"v{ocp}/catalog\"\nocp = [\"4.14..4.16\", \"5.0\"]\ntemplate = \"catalog-template.yaml\"\n\
             file = \"a/catalog.json\"\ndockerfile = \"v{ocp}/Dockerfile\"\nbase-image = \"r/reg-9:v{ocp}\"\n\n\
             [[catalogs.releases]]\nocp = [\"4.14\"]\nbase-image = \"r/reg:v{ocp}\"\n"
        );
        let mut files = files.clone();
        files.push(("fbc.toml", &text));
        let again = find(&tree(&files)).unwrap();
        let paths = |repository: &Repository| {
            repository
                .catalogs
                .iter()
                .map(|catalog| (catalog.path.clone(), catalog.releases.clone(), catalog.images.clone()))
                .collect::<Vec<_>>()
        };
        assert_eq!(paths(&again), paths(&found));
    }

    #[test]
    fn catalogs_of_several_releases_keep_their_names() {
        let files = [
            ("Dockerfile-v4-17", "FROM r/x:v4.17\nCOPY catalog/a-4.17 /configs/a\n"),
            ("Dockerfile-v4-18", "FROM r/x:v4.18\nCOPY catalog/a-4.17 /configs/a\n"),
            ("catalog/a-4.17/catalog.yaml", BLOB),
        ];
        let tree = tree(&files);
        assert_eq!(
            declaration(&tree, &find(&tree).unwrap()),
            "[[catalogs]]\npath = \"catalog/a-4.17\"\nocp = [\"4.17\", \"4.18\"]\n\
             dockerfile = \"Dockerfile-v{major}-{minor}\"\nimage-path = \"a\"\nbase-image = \"r/x:v{ocp}\"\n"
        );
    }
}
