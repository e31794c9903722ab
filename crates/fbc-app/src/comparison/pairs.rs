//! Which catalogs are compared: the two that are named, or, in directories of catalogs, those of one name.

use std::path::{Path, PathBuf};

use fbc_source::Error;
use fbc_source::image_source::is_image;
use fbc_source::{CatalogSource, Session};

use crate::layout::{self, Place};

/// Two catalogs that are compared, each as it was named, and with its files.
pub struct Pair {
    /// The old catalog, and where it is.
    pub old: (PathBuf, CatalogSource),
    /// The new one.
    pub new: (PathBuf, CatalogSource),
}

/// What is compared.
pub struct Pairs {
    /// The pairs.
    pub pairs: Vec<Pair>,
    /// Whether they come from directories of catalogs.
    pub is_layout: bool,
}

/// Finds the catalogs. Put together, those of a directory would hide what one loses and another still has.
pub fn find(old: &Path, new: &Path, session: &Session) -> Result<Pairs, Error> {
    let sources = [(old, CatalogSource::open(old, session)?), (new, CatalogSource::open(new, session)?)];
    let [old_source, new_source] = &sources;
    let mut names = [layout::catalogs_of_source(&old_source.1)?, layout::catalogs_of_source(&new_source.1)?];
    if names.iter().any(Option::is_some) {
        // An empty directory is one of catalogs that are all gone, or not there yet.
        for (names, (_, source)) in names.iter_mut().zip(&sources) {
            if source.tree.list(Path::new("")).is_ok_and(|entries| entries.is_empty()) {
                *names = Some(Vec::new());
            }
        }
    }
    let [old_source, new_source] = sources.map(|(path, source)| (path.to_path_buf(), source));
    match names {
        [None, None] => {
            Ok(Pairs { pairs: vec![Pair { old: old_source, new: new_source }], is_layout: false })
        }
        [Some(old_names), Some(new_names)] => {
            let names = layout::both(&old_names, &new_names);
            let pair = |Place { name, .. }: Place| {
                Ok(Pair {
                    old: catalog(old, &old_names, &name, session)?,
                    new: catalog(new, &new_names, &name, session)?,
                })
            };
            Ok(Pairs { pairs: names.into_iter().map(pair).collect::<Result<_, Error>>()?, is_layout: true })
        }
        [Some(names), None] => Err(several(old, &names)),
        [None, Some(names)] if new == Path::new(".") => {
            let old = old.display().to_string();
            let (revision, path) = old.split_once(':').unwrap_or(("HEAD", &old));
            Err(several(new, &names).help(format!(
                "NEW is `.` unless it is named; `fbc diff {revision}:{path} {path}` compares the catalog with that revision"
            )))
        }
        [None, Some(names)] => Err(several(new, &names)),
    }
}

/// One side holds several catalogs, the other is one.
fn several(path: &Path, names: &[Place]) -> Error {
    let first = names.first().map(|place| below(path, &place.name)).unwrap_or_default();
    Error::new(format!(
        "{} holds several catalogs ({}), and the other side is one catalog",
        path.display(),
        layout::described(names)
    ))
    .help(format!("name one of them, such as {}", first.display()))
}

/// A catalog of a directory of catalogs, or nothing in its place.
fn catalog(
    folder: &Path,
    names: &[Place],
    name: &str,
    session: &Session,
) -> Result<(PathBuf, CatalogSource), Error> {
    let path = below(folder, name);
    if !layout::has(names, name) {
        return Ok((path.clone(), CatalogSource::nothing(&path)));
    }
    if is_image(folder) {
        return Err(Error::new(format!("{} is an image with several catalogs", folder.display()))
            .help("`fbc unpack` writes them to a directory; compare that one"));
    }
    let source = CatalogSource::open(&path, session)?;
    Ok((path, source))
}

/// A path in a directory, or at the root of a revision.
fn below(folder: &Path, name: &str) -> PathBuf {
    match folder.to_str() {
        Some(revision) if revision.ends_with(':') && !folder.exists() => {
            PathBuf::from(format!("{revision}{name}"))
        }
        Some(".") => PathBuf::from(name),
        _ => folder.join(name),
    }
}
