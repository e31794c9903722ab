//! Where an image is written: under a temporary name beside the target, renamed when it is whole.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use fbc_staging::{Root, StagedDirectory, StagedFile, destination, parent_of};
use oci_spec::image::Descriptor;

use super::names::Named;
use super::{INDEX_FILE, LAYOUT, LAYOUT_FILE, docker_output, names};
use crate::error::ImageError;
use crate::image::Image;
use crate::reference::{LocalReference, Transport};
use crate::store::{BlobFolder, FolderImage, replace_file};

/// An image that is being written. Dropped before [`Output::finish`], it leaves the target as it was; blobs that
/// were put into a layout that exists stay there without a name.
#[derive(Debug)]
pub struct Output {
    reference: LocalReference,
    blobs: BlobFolder,
    /// The layout in the making; none if blobs go straight into one that exists.
    work: Option<StagedDirectory>,
    follows_links: bool,
}

impl Output {
    /// Makes room for an image. The name in the reference is that under which it will be found. Links are followed as
    /// [`destination`] does it.
    ///
    /// # Errors
    /// If the target is something else already, or cannot be written.
    pub fn begin(reference: &LocalReference, follows_links: bool) -> Result<Self, ImageError> {
        let path = &reference.path;
        let target = |reason| Err(ImageError::Target { path: path.clone(), reason });
        let metadata = match fs::metadata(path) {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(ImageError::io("write", path)(error)),
        };
        let is_folder = metadata.as_ref().is_some_and(fs::Metadata::is_dir);
        match reference.transport {
            Transport::Oci if is_folder && path.join(LAYOUT_FILE).exists() => {
                let bytes = fbc_model::tree::read_file(&path.join(LAYOUT_FILE));
                let bytes = bytes.map_err(ImageError::io("read", &path.join(LAYOUT_FILE)))?;
                names::check_version(&bytes, &path.display().to_string())?;
                let blobs = BlobFolder::new(path.join("blobs")).following(follows_links);
                return Ok(Self { reference: reference.clone(), blobs, work: None, follows_links });
            }
            Transport::Oci if is_folder => {
                let mut entries = fs::read_dir(path).map_err(ImageError::io("read", path))?;
                if entries.next().is_some() {
                    return target("is a directory that is not an OCI layout and is not empty");
                }
            }
            Transport::Oci if metadata.is_some() => return target("already exists and is not a directory"),
            Transport::Oci => {
                Root::create_around(path).map_err(ImageError::io("create", parent_of(path)))?;
            }
            _ if is_folder => return target("is a directory, not a file"),
            // Renaming would put a file in the place of a device or pipe.
            _ if metadata.is_some_and(|metadata| !metadata.is_file()) => {
                return target("already exists and is not a regular file");
            }
            _ => {}
        }
        let work = StagedDirectory::beside(path).map_err(ImageError::io("write", path))?;
        let blobs = BlobFolder::new(work.path().join("blobs"));
        Ok(Self { reference: reference.clone(), blobs, work: Some(work), follows_links })
    }

    /// Where the blobs of the image go.
    #[must_use]
    pub fn blobs(&self) -> &BlobFolder {
        &self.blobs
    }

    /// Puts the image under its name.
    ///
    /// # Errors
    /// If the target cannot be written, or the image has several platforms and the target takes one.
    pub fn finish(self, root: &Descriptor) -> Result<(), ImageError> {
        let Self { reference: LocalReference { transport, path, name }, blobs, work, follows_links } = self;
        let name = name.as_deref();
        let Some(work) = work else {
            return put_into(&path, root, name);
        };
        if transport == Transport::DockerArchive {
            let source = FolderImage { root: root.clone(), blobs };
            return match Image::all(&source)?.as_slice() {
                [image] => {
                    write_file(&path, follows_links, |out| docker_output::write(image, &source, name, out))
                }
                several => Err(ImageError::SeveralPlatforms {
                    known: several.iter().map(|image| image.platform().to_string()).collect(),
                }),
            };
        }
        let place = path.display().to_string();
        let index = names::with_image(None, root, name, &place)?;
        replace_file(&work.path().join(LAYOUT_FILE), LAYOUT)?;
        replace_file(&work.path().join(INDEX_FILE), &index)?;
        match transport {
            Transport::OciArchive => write_file(&path, follows_links, |out| archive_of(work.path(), out)),
            _ => publish_layout(work, &path, root, name, follows_links),
        }
    }
}

/// Gives a layout its name; where another process has made one there in the meantime, its image joins that one.
fn publish_layout(
    work: StagedDirectory,
    path: &Path,
    root: &Descriptor,
    name: Option<&str>,
    follows_links: bool,
) -> Result<(), ImageError> {
    let staged = work.path().to_path_buf();
    match work.try_publish(path) {
        Err((work, error)) if is_taken(&error) && path.join(LAYOUT_FILE).exists() => {
            let blobs = BlobFolder::new(path.join("blobs")).following(follows_links);
            blobs.take_all(&BlobFolder::new(staged.join("blobs")))?;
            drop(work);
            put_into(path, root, name)
        }
        outcome => outcome.map_err(|(_, error)| ImageError::io("write", path)(error)),
    }
}

fn is_taken(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists)
}

/// Makes a directory an empty layout, unless it is one already.
pub fn create(folder: &Path) -> Result<(), ImageError> {
    Root::create(folder).map_err(ImageError::io("create", folder))?;
    let layout = folder.join(LAYOUT_FILE);
    if layout.exists() {
        let bytes = fbc_model::tree::read_file(&layout).map_err(ImageError::io("read", &layout))?;
        return names::check_version(&bytes, &folder.display().to_string());
    }
    let mut entries = fs::read_dir(folder).map_err(ImageError::io("read", folder))?;
    if entries.next().is_some() {
        let reason = "is a directory that is not an OCI layout and is not empty";
        return Err(ImageError::Target { path: folder.to_path_buf(), reason });
    }
    // A directory without an index is a layout without images; one with an index alone would not be a layout.
    replace_file(&layout, LAYOUT)?;
    replace_file(&folder.join(INDEX_FILE), &names::empty_index_bytes())
}

/// The names in a layout, in the order in which they stand there.
pub fn names_in(folder: &Path) -> Result<Vec<Named>, ImageError> {
    let index = read_index(folder)?;
    index.map_or(Ok(Vec::new()), |index| names::all(&index, &folder.display().to_string()))
}

/// Names an image in a layout that holds its blobs.
pub fn put_into(folder: &Path, root: &Descriptor, name: Option<&str>) -> Result<(), ImageError> {
    let _lock = lock(folder)?;
    let existing = read_index(folder)?;
    let index = names::with_image(existing.as_deref(), root, name, &folder.display().to_string())?;
    replace_file(&folder.join(INDEX_FILE), &index)
}

/// Takes names out of a layout; how many they were. Their blobs stay.
pub fn take_out(folder: &Path, goes: impl Fn(&Named) -> bool) -> Result<usize, ImageError> {
    let _lock = lock(folder)?;
    let Some(existing) = read_index(folder)? else { return Ok(0) };
    let (index, count) = names::without(&existing, goes, &folder.display().to_string())?;
    if count > 0 {
        replace_file(&folder.join(INDEX_FILE), &index)?;
    }
    Ok(count)
}

/// Others may change a layout at the same time; the lock goes with the file.
fn lock(folder: &Path) -> Result<File, ImageError> {
    let layout = folder.join(LAYOUT_FILE);
    let lock = File::open(&layout).map_err(ImageError::io("open", &layout))?;
    lock.lock().map_err(ImageError::io("lock", &layout))?;
    Ok(lock)
}

fn read_index(folder: &Path) -> Result<Option<Vec<u8>>, ImageError> {
    let path = folder.join(INDEX_FILE);
    match fbc_model::tree::read_file(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some).map_err(ImageError::io("read", &path)),
    }
}

/// Writes a file under a temporary name and renames it; through a link it is written where that leads.
fn write_file(
    path: &Path,
    follows_links: bool,
    write: impl FnOnce(&mut tar::Builder<io::BufWriter<&mut &File>>) -> Result<(), ImageError>,
) -> Result<(), ImageError> {
    let target = destination(path, follows_links).map_err(ImageError::io("write", path))?;
    let staged = StagedFile::beside(&target).map_err(ImageError::io("write", path))?;
    let mut file = staged.as_file().map_err(ImageError::io("write", path))?;
    let mut archive = tar::Builder::new(io::BufWriter::with_capacity(256 << 10, &mut file));
    write(&mut archive)?;
    let written =
        archive.into_inner().and_then(|out| out.into_inner().map_err(io::IntoInnerError::into_error));
    written.map_err(ImageError::io("write", path))?;
    staged.publish(&target).map(drop).map_err(ImageError::io("write", path))
}

/// The archive of a layout: directories and files in order.
fn archive_of<W: io::Write>(folder: &Path, archive: &mut tar::Builder<W>) -> Result<(), ImageError> {
    let mut entries = crate::layer::Entries::default();
    entries.insert_folder(folder, Path::new(""))?;
    entries.iter().try_for_each(|(path, entry)| crate::layer::append(archive, path, entry, 0, path))
}
