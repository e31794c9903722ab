//! The day on which a release of OpenShift appears: what its files are, from those of the release before it.

use std::path::{Path, PathBuf};

use fbc_version::OpenShiftRelease;

use crate::place::Repository;

/// A file or directory that a release gets from an earlier one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Copied {
    /// What the earlier release has.
    pub from: PathBuf,
    /// What the new release gets.
    pub to: PathBuf,
    /// Whether the text names the release: a Dockerfile.
    pub is_text: bool,
}

/// The last release before another that a repository has catalogs for.
#[must_use]
pub fn before(repository: &Repository, release: OpenShiftRelease) -> Option<OpenShiftRelease> {
    let all = repository.catalogs.iter().flat_map(|catalog| catalog.releases.iter().copied());
    all.filter(|known| *known < release).max()
}

/// What a new release gets: catalogs, templates and Dockerfiles whose paths name the release before it. What several
/// releases share is not copied.
#[must_use]
pub fn copies(repository: &Repository, old: OpenShiftRelease, new: OpenShiftRelease) -> Vec<Copied> {
    let mut copies = Vec::new();
    let mut add = |path: &Path, is_text: bool| {
        let to = PathBuf::from(with_release(&path.to_string_lossy(), old, new));
        if to != path {
            copies.push(Copied { from: path.to_path_buf(), to, is_text });
        }
    };
    for catalog in repository.catalogs.iter().filter(|catalog| catalog.releases.contains(&old)) {
        if catalog.releases.len() == 1 {
            add(&catalog.path, false);
            catalog.templates.iter().for_each(|template| add(&template.path, false));
        }
        let images = catalog.images.iter().filter(|image| image.release == Some(old));
        images.for_each(|image| add(&image.path, true));
    }
    copies.sort();
    copies.dedup();
    copies
}

/// A text with one release in the places of another, as `4.18`, `4-18` and `openshift4/`; longer numbers stay.
#[must_use]
pub fn with_release(text: &str, old: OpenShiftRelease, new: OpenShiftRelease) -> String {
    let dotted = replace_whole(text, &old.to_string(), &new.to_string());
    let dashed = |release: OpenShiftRelease| format!("{}-{}", release.major, release.minor);
    let dashed = replace_whole(&dotted, &dashed(old), &dashed(new));
    dashed.replace(&format!("openshift{}/", old.major), &format!("openshift{}/", new.major))
}

/// Replaces a number where no digit, and no dot with a digit, stands beside it.
fn replace_whole(text: &str, old: &str, new: &str) -> String {
    let mut replaced = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(old) {
        let (before, after) = (&rest[..at], &rest[at + old.len()..]);
        replaced.push_str(before);
        let mut left = replaced.chars().rev();
        let touches_left = match left.next() {
            Some('.') => left.next().is_some_and(|c| c.is_ascii_digit()),
            Some(c) => c.is_ascii_digit(),
            None => false,
        };
        let mut right = after.chars();
        let touches_right = match right.next() {
            Some('.') => right.next().is_some_and(|c| c.is_ascii_digit()),
            Some(c) => c.is_ascii_digit(),
            None => false,
        };
        replaced.push_str(if touches_left || touches_right { old } else { new });
        rest = after;
    }
    replaced.push_str(rest);
    replaced
}

/// The text of `fbc.toml` with a release added to the entries that have the release before it.
#[must_use]
pub fn declared(text: &str, old: OpenShiftRelease, new: OpenShiftRelease) -> String {
    let Ok(table) = toml::de::DeTable::parse(text) else { return text.to_owned() };
    let lists = table.get_ref().get("catalogs").and_then(|list| list.get_ref().as_array());
    let mut places = Vec::new();
    for entry in lists.into_iter().flat_map(|list| list.iter()) {
        let Some(ocp) = entry.get_ref().as_table().and_then(|entry| entry.get("ocp")) else { continue };
        let texts = ocp.get_ref().as_array().into_iter().flat_map(|list| list.iter());
        let releases: Vec<OpenShiftRelease> =
            texts.filter_map(|item| crate::matrix::range(item.get_ref().as_str()?)).flatten().collect();
        if releases.contains(&old) && !releases.contains(&new) {
            places.push((ocp.span(), releases));
        }
    }
    let mut text = text.to_owned();
    for (place, mut releases) in places.into_iter().rev() {
        releases.push(new);
        releases.sort_unstable();
        releases.dedup();
        text.replace_range(place, &crate::declaration::ranges(&releases));
    }
    text
}

#[cfg(test)]
mod tests {
    use fbc_model::tree::MemoryTree;

    use super::*;

    const OLD: OpenShiftRelease = OpenShiftRelease::new(4, 21);
    const NEW: OpenShiftRelease = OpenShiftRelease::new(4, 22);

    #[test]
    fn texts_of_another_release() {
        for (text, expected) in [
            ("FROM r/openshift4/x:v4.21", "FROM r/openshift4/x:v4.22"),
            ("ADD v4.21/catalog /configs", "ADD v4.22/catalog /configs"),
            ("catalog-4-21", "catalog-4-22"),
            ("opm v1.4.21, 4.210, 14.21, 4.21.3", "opm v1.4.21, 4.210, 14.21, 4.21.3"),
            ("for 4.21.", "for 4.22."),
        ] {
            assert_eq!(with_release(text, OLD, NEW), expected);
        }
        let five = OpenShiftRelease::new(5, 0);
        assert_eq!(with_release("r/openshift4/x:v4.21", OLD, five), "r/openshift5/x:v5.0");
    }

    #[test]
    fn what_is_copied() {
        let files = [
            ("v4.21/catalog/a/c.yaml", "schema: olm.package\nname: a\n"),
            ("v4.21/catalog-template.yaml", "schema: olm.template.basic\n"),
            ("v4.21/Dockerfile", "FROM r/x:v4.21\nCOPY catalog /configs\n"),
            ("v4.20/Dockerfile", "FROM r/x:v4.20\nCOPY catalog /configs\n"),
            ("v4.20/catalog/a/c.yaml", "schema: olm.package\nname: a\n"),
        ];
        let tree: MemoryTree = files.into_iter().collect();
        let found = crate::find(&tree).unwrap();
        assert_eq!(before(&found, NEW), Some(OLD));
        let shown: Vec<String> = copies(&found, OLD, NEW)
            .iter()
            .map(|one| format!("{} {}", one.to.display(), one.is_text))
            .collect();
        assert_eq!(
            shown,
            ["v4.22/Dockerfile true", "v4.22/catalog false", "v4.22/catalog-template.yaml false"]
        );
    }

    #[test]
    fn the_configuration_gets_the_release() {
        let text = "# mine\n[[catalogs]]\npath = \"a\"\nocp = [\"4.14..4.21\"] # all\n\n[[catalogs]]\npath = \"b\"\nocp = [\"4.14\"]\n";
        assert_eq!(declared(text, OLD, NEW), text.replace("4.14..4.21", "4.14..4.22"));
    }
}
