//! How an image travels: to a registry or to a directory, what is noted of it, and who waits for whom.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use fbc_image::layout::{LAYOUT_FILE, LayoutFolder, Output};
use fbc_image::{ImageError, LocalReference, Transport};
use fbc_registry::copy::RegistryImage;
use fbc_registry::observer::BlobOutcome;
use fbc_registry::{CopyOptions, CopyReport, FetchedManifest, LocalImage, Reference, Source, copy_image};
use fbc_source::OpenSession;
use oci_spec::image::Descriptor;

use super::copy_error::{CopyError, Watched};
use super::joined::There;
use super::record::{Copied, Earlier, Holders};
use super::sink::{FolderPart, RegistryPart};
use super::{Place, Prefix};

/// Where images are carried to.
#[derive(Clone, Copy, Debug)]
pub enum Destination<'t> {
    /// To a registry.
    Registry(&'t Prefix),
    /// To a directory that is a layout.
    Folder(&'t Path),
}

/// How images travel.
#[derive(Clone, Debug, Default)]
pub struct TransferOptions {
    /// How each is copied.
    pub copy: CopyOptions,
    /// Whether an image that does not exist is all right.
    pub skips_missing: bool,
    /// Whether images go without what is attached to them.
    pub leaves_attached: bool,
    /// How many images travel at the same time; at least one.
    pub at_once: usize,
    /// Whether links are trusted that lead out of the repository that a directory of images lies in.
    pub follows_links: bool,
}

/// How the blobs of an image came to the destination, by digest.
pub(super) type Blobs = BTreeMap<String, BlobOutcome>;

/// An image that is at the destination now.
pub(super) struct Arrived {
    pub(super) digest: String,
    /// All its manifests, the root first.
    pub(super) manifests: Vec<Descriptor>,
    pub(super) blobs: Blobs,
    /// Whether an earlier directory brought it, so that this one leaves it out.
    pub(super) is_carried: bool,
    /// Whether anything of it was not there before.
    pub(super) is_new: bool,
}

impl Arrived {
    pub(super) fn new(report: CopyReport, is_carried: bool) -> Self {
        let CopyReport { root, manifests, blobs, is_new } = report;
        let is_new = is_new || blobs.values().any(|outcome| *outcome != BlobOutcome::Existed);
        Self {
            digest: root.digest().to_string(),
            manifests,
            blobs,
            is_carried,
            is_new: is_new && !is_carried,
        }
    }
}

/// A run that copies images.
pub struct Transfer<'t> {
    pub(super) target: Destination<'t>,
    pub(super) options: &'t TransferOptions,
    pub(super) session: &'t OpenSession,
    /// What earlier directories brought, which is left out of this one.
    pub(super) earlier: &'t Earlier,
    /// Where blobs are at the destination.
    pub(super) blobs: RefCell<Holders>,
    /// What was attached to images, by place; the last state of each.
    pub(super) attached: RefCell<BTreeMap<Place, Copied>>,
    pub(super) warnings: RefCell<BTreeSet<String>>,
    turns: Turns,
}

impl<'t> Transfer<'t> {
    /// A run that begins.
    #[must_use]
    pub fn new(
        target: Destination<'t>,
        options: &'t TransferOptions,
        earlier: &'t Earlier,
        session: &'t OpenSession,
    ) -> Self {
        Self {
            target,
            options,
            session,
            earlier,
            // A registry that has a blob in one repository mounts it in others.
            blobs: RefCell::new(match target {
                Destination::Registry(_) => earlier.blobs.clone(),
                Destination::Folder(_) => Holders::new(),
            }),
            attached: RefCell::default(),
            warnings: RefCell::default(),
            turns: Turns::default(),
        }
    }

    /// How attached artifacts are copied: they are for all platforms.
    pub(super) fn for_all_platforms(&self) -> CopyOptions {
        CopyOptions { platform: None, ..self.options.copy.clone() }
    }

    /// Waits until nobody else writes to a place.
    pub(super) async fn turn(&self, place: String) -> tokio::sync::OwnedMutexGuard<()> {
        self.turns.take(place).await
    }

    /// The image of a place in the registry of the destination.
    pub(super) fn reference(&self, prefix: &Prefix, place: &Place) -> Result<Reference, CopyError> {
        Ok(self.session.reference(&prefix.below(&place.to_string()))?)
    }

    /// Copies an image to its place.
    pub(super) async fn copy(
        &self,
        source: &dyn Source,
        place: &Place,
        options: &CopyOptions,
    ) -> Result<Arrived, CopyError> {
        let source = Watched::new(source);
        match self.target {
            Destination::Registry(prefix) => {
                let reference = self.reference(prefix, place)?;
                let image = RegistryImage::new(self.session.client(), &reference);
                let sink = RegistryPart::new(self, image, prefix, &place.repository);
                let report = copy_image(&source, &sink, options).await;
                Ok(Arrived::new(report.map_err(|error| CopyError::of_copy(error, &source))?, false))
            }
            Destination::Folder(folder) => {
                let output = begin(folder, Some(place), self.options.follows_links)?;
                let sink = FolderPart::new(self, output.blobs(), &place.repository);
                let report = copy_image(&source, &sink, options).await;
                let report = report.map_err(|error| CopyError::of_copy(error, &source))?;
                let is_carried = self.earlier.has(place, report.root.digest().as_ref());
                if !is_carried {
                    sink.keep()?;
                    output.finish(&report.root)?;
                }
                Ok(Arrived::new(report, is_carried))
            }
        }
    }

    /// What the destination has under a place, with the manifest.
    pub(super) async fn there(&self, place: &Place) -> Result<Option<(FetchedManifest, There)>, CopyError> {
        match self.target {
            Destination::Registry(prefix) => {
                let reference = self.reference(prefix, place)?;
                let found = self.session.client().find_at_origin(&reference).await?;
                let image = RegistryImage::unguarded(self.session.client(), &reference);
                Ok(found.map(|found| (found, There::Registry(image))))
            }
            Destination::Folder(folder) if folder.join(LAYOUT_FILE).exists() => {
                let shown = place.to_string();
                let layout = match LayoutFolder::open(folder, Some(&shown)) {
                    Err(ImageError::NoImage { .. }) => return Ok(None),
                    opened => opened?,
                };
                let found = LocalImage { source: &layout, shown: shown.clone() }.root().await?;
                Ok(Some((found, There::Folder(Box::new(layout), shown))))
            }
            Destination::Folder(_) => Ok(None),
        }
    }

    /// Notes that a repository has a blob.
    pub(super) fn note_blob(&self, digest: String, repository: &str) {
        self.blobs.borrow_mut().entry(digest).or_default().insert(repository.to_owned());
    }

    /// Notes what is attached to an image now.
    pub(super) fn note_attached(&self, place: Place, digest: String, is_carried: bool) {
        let Place { repository, tag } = place.clone();
        let copied =
            Copied { source: None, repository, tag, digest, catalog: None, is_attached: true, is_carried };
        self.attached.borrow_mut().insert(place, copied);
    }

    pub(super) fn warn(&self, text: String) {
        self.warnings.borrow_mut().insert(text);
    }
}

/// Makes room for an image in a directory.
pub fn begin(folder: &Path, place: Option<&Place>, follows_links: bool) -> Result<Output, ImageError> {
    let name = place.map(ToString::to_string);
    let layout = LocalReference { transport: Transport::Oci, path: folder.to_path_buf(), name };
    Output::begin(&layout, follows_links)
}

/// Who joins what is there with what comes must be alone with the place from reading to writing.
#[derive(Default)]
struct Turns(RefCell<BTreeMap<String, Arc<tokio::sync::Mutex<()>>>>);

impl Turns {
    async fn take(&self, place: String) -> tokio::sync::OwnedMutexGuard<()> {
        let turn = Arc::clone(self.0.borrow_mut().entry(place).or_default());
        turn.lock_owned().await
    }
}
