//! Layers become files in a directory, and nowhere else.
//!
//! Everything is written into a new directory beside the target, which takes the name of the target when all layers are
//! there and their digests are right. Paths never go through symbolic links of the system: `rootfs` follows links
//! itself, within the directory. Owners and special permission bits are dropped, so that anybody may unpack.

mod archive;
mod limits;
mod rootfs;
mod sparse;

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use oci_spec::image::{Descriptor, Digest};

pub use limits::{Limits, PassedLimit};
pub(crate) use rootfs::OPAQUE;

use fbc_staging::{Root, StagedDirectory, parent_of};

use crate::blob::{Hasher, read_error};
use crate::error::{EntryFault, ImageError};
use crate::image::{Image, ImageSource, open_verified};
use crate::layer::{LayerArchive, Mislabeled, open_layer};
use crate::limits::PATH_BYTES;
use archive::{Entries, EntryKind};
use limits::{Budget, Metered};
use rootfs::Rootfs;
use sparse::SparseContent;

/// What is unpacked, and how much.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Only what is below this directory of the image; it becomes the target itself. Empty for all.
    pub below: PathBuf,
    /// The limits.
    pub limits: Limits,
}

/// Unpacks an image into a directory, which must be empty or absent. Nothing stays of an image that is refused. Gives the layers
/// whose media types say something else than their bytes.
///
/// # Errors
/// If anything about the image is refused, or the directory cannot be written.
pub fn unpack(
    image: &Image,
    source: &dyn ImageSource,
    target: &Path,
    options: &Options,
) -> Result<Vec<Mislabeled>, ImageError> {
    let refused = |reason| Err(ImageError::Target { path: target.to_path_buf(), reason });
    match fs::metadata(target) {
        Ok(metadata) if !metadata.is_dir() => return refused("already exists and is not a directory"),
        Ok(_) => {
            if fs::read_dir(target).map_err(ImageError::io("read", target))?.next().is_some() {
                return refused("is not empty");
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Root::create_around(target).map_err(ImageError::io("create", parent_of(target)))?;
        }
        Err(error) => return Err(ImageError::io("write", target)(error)),
    }
    let work = StagedDirectory::beside(target).map_err(ImageError::io("write", target))?;
    let mislabeled = unpack_into(image, source, work.path(), options)?;
    work.publish(target).map_err(ImageError::io("write", target))?;
    Ok(mislabeled)
}

/// Unpacks an image into an empty directory that nobody else writes to. If it fails, part of the image is there.
///
/// # Errors
/// As [`unpack`].
pub fn unpack_into(
    image: &Image,
    source: &dyn ImageSource,
    folder: &Path,
    options: &Options,
) -> Result<Vec<Mislabeled>, ImageError> {
    let below: PathBuf =
        options.below.components().filter(|part| matches!(part, Component::Normal(_))).collect();
    let mut rootfs = Rootfs::new(folder, options.limits);
    let mut budget = Budget::new(options.limits);
    let mut mislabeled = Vec::new();
    for (layer, diff_id) in image.layers()? {
        match apply(source, layer, &diff_id, &below, &mut rootfs, &mut budget) {
            Ok(found) => mislabeled.extend(found),
            Err(error) => {
                // Damaged bytes look like anything; that they are damaged is what matters then.
                if matches!(error, ImageError::Layer { .. } | ImageError::Entry { .. }) {
                    let read = io::copy(&mut open_verified(source, layer)?, &mut io::sink());
                    read.map_err(read_error(layer.digest()))?;
                }
                return Err(error);
            }
        }
    }
    let escaping = rootfs.escaping_link().map_err(|error| match error.downcast::<ImageError>() {
        Ok(error) => error,
        Err(error) => ImageError::io("read", folder)(error),
    })?;
    if let Some((entry, to)) = escaping {
        let layer = image.descriptor.digest().clone();
        let entry = below.join(entry).display().to_string();
        return Err(ImageError::Entry { layer, entry, fault: EntryFault::LinkEscapes(to) });
    }
    Ok(mislabeled)
}

/// Applies one layer; gives it if its media type is wrong.
fn apply(
    source: &dyn ImageSource,
    layer: &Descriptor,
    diff_id: &Digest,
    below: &Path,
    rootfs: &mut Rootfs,
    budget: &mut Budget,
) -> Result<Option<Mislabeled>, ImageError> {
    let digest = layer.digest();
    let refused = |reason: String| ImageError::Layer { layer: digest.clone(), reason };
    budget.begin_layer(layer.size());
    let LayerArchive { archive, mislabeled } = open_layer(source, layer)?;
    let mut metered = Metered { inner: archive, budget, hasher: Hasher::for_digest(diff_id)?, layer: digest };
    rootfs.begin_layer(digest);
    let mut entries = Entries::new(&mut metered, digest);
    while let Some(entry) = entries.next_entry()? {
        let at =
            |fault: EntryFault| ImageError::Entry { layer: digest.clone(), entry: shown(&entry.path), fault };
        let path = inner_path(&entry.path).map_err(at)?;
        let Some(path) = within(&path, below, &entry.kind).map_err(at)? else { continue };
        let outcome = match &entry.kind {
            EntryKind::HardLink(to) => {
                match inner_path(to).ok().and_then(|to| Some(to.strip_prefix(below).ok()?.to_path_buf())) {
                    Some(inner) => rootfs.hard_link(&path, &inner),
                    None => Err(EntryFault::HardLink(to.display().to_string()).into()),
                }
            }
            EntryKind::Symlink(to) => rootfs.symlink(&path, to, below),
            EntryKind::Folder => rootfs.folder(&path, entry.mode),
            EntryKind::File => rootfs.file(&path, entry.mode, entry.modified, &mut entries.content()),
            EntryKind::Sparse(map) => {
                entries.spend_zeros(map.zeros())?;
                let mut content = SparseContent::new(map, entries.content());
                rootfs.file(&path, entry.mode, entry.modified, &mut content)
            }
            EntryKind::Refused(fault) => Err(fault.clone().into()),
        };
        outcome.map_err(|failure| match failure {
            rootfs::Failure::Refused(fault) => at(fault),
            rootfs::Failure::System(error) => match error.downcast::<ImageError>() {
                Ok(error) => error,
                Err(source) => ImageError::Io { verb: "unpack", path: entry.path.clone(), source },
            },
        })?;
    }
    // The digests cover what follows the archive, too.
    io::copy(&mut metered, &mut io::sink()).map_err(|error| match error.downcast::<ImageError>() {
        Ok(error) => error,
        Err(error) => refused(format!("cannot be decompressed: {error}")),
    })?;
    let found = metered.hasher.finish();
    if found != *diff_id {
        return Err(ImageError::WrongDigest {
            what: "an uncompressed layer",
            expected: diff_id.clone(),
            found,
        });
    }
    rootfs.end_layer()?;
    Ok(mislabeled)
}

/// A path for an error: of a long one the beginning.
fn shown(path: &Path) -> String {
    let text = path.display().to_string();
    match text.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// The path of an entry from the root of the image; archives write `./a` and `/a` as well as `a`. Whoever runs images joins
/// names below the root (`containers/storage:pkg/archive/archive.go` Unpack, `containerd/containerd:pkg/archive/tar.go`).
fn inner_path(path: &Path) -> Result<PathBuf, EntryFault> {
    if path.as_os_str().len() > PATH_BYTES {
        return Err(EntryFault::LongPath);
    }
    let mut inner = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => inner.push(name),
            Component::CurDir | Component::RootDir => {}
            _ => return Err(EntryFault::PathEscapes),
        }
    }
    Ok(inner)
}

/// The path below a directory; `None` for what is not there.
fn within(path: &Path, below: &Path, kind: &EntryKind) -> Result<Option<PathBuf>, EntryFault> {
    if let Ok(inner) = path.strip_prefix(below) {
        if inner.as_os_str().is_empty() && !below.as_os_str().is_empty() && !matches!(kind, EntryKind::Folder)
        {
            return Err(EntryFault::NoFolder(below.display().to_string()));
        }
        return Ok(Some(inner.to_path_buf()));
    }
    if below.starts_with(path) && !matches!(kind, EntryKind::Folder) {
        return Err(EntryFault::NoFolder(path.display().to_string()));
    }
    // A whiteout of the directory itself, or of one that it lies in, removes everything that was there.
    Ok(rootfs::whiteout_covers(path, below).then(|| PathBuf::from(rootfs::OPAQUE)))
}

#[cfg(test)]
mod tests;
