//! Carries a plan out: image by image, to a registry or to a directory.

use std::collections::BTreeMap;
use std::path::Path;

use fbc_image::build::{self, Build, Moment};
use fbc_image::image::{CATALOG_LABEL, PlatformName};
use fbc_image::layer::Compression;
use fbc_image::layout::{LayoutFolder, Output};
use fbc_image::registry::copy::RegistryImage;
use fbc_image::registry::observer::BlobOutcome;
use fbc_image::registry::{
    CopyOptions, FolderSink, LocalImage, PlatformChoice, Reference, Source, copy_image,
};
use fbc_image::{BlobFolder, FolderImage, Image, ImageSource as _, LocalReference, Transport};
use fbc_model::Catalog;
use fbc_staging::StagedDirectory;
use futures_util::stream::{self, Stream, StreamExt as _};

use super::attached::{self, Attached, copy_attached};
use super::increment::{Incomplete, Increment};
use super::obstacle::{Kind, Obstacle, Watched};
use super::plan::Content;
use super::record::{Carried, CatalogForm, Copied};
use super::shown::Shown;
use super::{Place, Plan, Prefix};
use crate::clock;
use crate::command::render::OutputFormat;
use crate::failure::Failure;
use crate::filter::folder;
use crate::image_source::ImageName;
use crate::output_folder::Existing;
use crate::registry::OpenSession;

/// Where images are carried to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target<'t> {
    /// To a registry.
    Registry(&'t Prefix),
    /// To a directory that is a layout, without the blobs that an earlier one carried.
    Folder(&'t Path, &'t Carried),
}

/// What a run came to.
#[derive(Default)]
pub(crate) struct Done {
    /// What is at the destination now.
    pub(crate) copied: Vec<Copied>,
    /// What lies beside these images: signatures, attestations, SBOMs.
    pub(crate) attached: Vec<Copied>,
    /// What is not, and why.
    pub(crate) failed: Vec<(String, Failure)>,
    /// Images that do not exist, where that is all right.
    pub(crate) missing: Vec<(String, Failure)>,
    /// Catalogs that were not copied, because images are missing.
    pub(crate) withheld: Vec<String>,
    /// Blobs that travelled.
    pub(crate) sent: usize,
    /// Blobs that were there already.
    pub(crate) present: usize,
    /// The blobs of what was copied.
    pub(crate) carried: Carried,
}

/// How images travel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wishes {
    /// How each is copied.
    pub(crate) copy: CopyOptions,
    /// Whether an image that does not exist is all right.
    pub(crate) skips_missing: bool,
    /// Whether images go without what lies beside them.
    pub(crate) leaves_attached: bool,
    /// How many images travel at the same time; at least one.
    pub(crate) at_once: usize,
}

/// What came of an image: its digest, its blobs, and what lies beside it.
type Outcome = Result<(String, Blobs, Attached), Obstacle>;

/// Copies what a plan names: catalogs last, so that a catalog never arrives before its images, and not at all if one of
/// these could not be copied, unless it does not exist and that is all right. A destination that cannot be reached ends
/// the run.
pub(crate) fn carry_out(
    plan: &Plan,
    target: Target<'_>,
    wishes: &Wishes,
    session: &OpenSession,
) -> Result<Done, Failure> {
    let mut done = Done::default();
    let copies = stream::iter(&plan.images).map(async |(name, (reference, place))| {
        let image = RegistryImage::new(session.client(), reference);
        (name, place, copy_with_attached(&image, reference, place, target, wishes, session).await)
    });
    let outcomes = session.wait(until_no_destination(copies.buffer_unordered(wishes.at_once.max(1))))?;
    for (name, (place, outcome)) in outcomes {
        done.take(name, outcome, place, Some(name.clone()), None, wishes.skips_missing)?;
    }
    let has_failed = !done.failed.is_empty();
    for catalog in &plan.catalogs {
        let name = catalog.source.as_ref().map(Reference::to_string);
        let shown = name.clone().unwrap_or_else(|| catalog.place.to_string());
        if has_failed {
            done.withheld.push(shown);
            continue;
        }
        let (form, outcome) = match &catalog.content {
            Content::Whole(image) => {
                (CatalogForm::Whole, copy_whole(image, &catalog.place, target, wishes, session))
            }
            Content::Folder(folder) => {
                (CatalogForm::Built, copy_built(folder, None, &catalog.place, target, &wishes.copy, session))
            }
            Content::Blobs(blobs, image) => {
                let image = image.as_ref();
                (CatalogForm::Built, copy_blobs(blobs, image, &catalog.place, target, &wishes.copy, session))
            }
        };
        done.take(&shown, outcome, &catalog.place, name, Some(form), false)?;
    }
    Ok(done)
}

/// The outcomes by name; a destination that cannot be reached ends the wait for the others.
async fn until_no_destination<'p>(
    mut copies: impl Stream<Item = (&'p String, &'p Place, Outcome)> + Unpin,
) -> Result<BTreeMap<&'p String, (&'p Place, Outcome)>, Failure> {
    let mut outcomes = BTreeMap::new();
    while let Some((name, place, outcome)) = copies.next().await {
        match outcome {
            Err(Obstacle { failure, kind: Kind::NoDestination }) => return Err(failure),
            outcome => outcomes.insert(name, (place, outcome)),
        };
    }
    Ok(outcomes)
}

/// Copies an image and what lies beside it.
async fn copy_with_attached(
    image: &RegistryImage,
    reference: &Reference,
    place: &Place,
    target: Target<'_>,
    wishes: &Wishes,
    session: &OpenSession,
) -> Outcome {
    let (digest, blobs) = copy(image, place, target, &wishes.copy, session).await?;
    if wishes.leaves_attached {
        return Ok((digest, blobs, Attached::default()));
    }
    let attached = copy_attached(reference, &digest, place, target, &wishes.copy, session).await;
    let attached = attached.map_err(|obstacle| Obstacle {
        failure: obstacle.failure.within("what lies beside it"),
        // The image itself exists.
        kind: if obstacle.kind == Kind::Missing { Kind::Other } else { obstacle.kind },
    })?;
    Ok((digest, blobs, attached))
}

/// Copies what a directory holds.
pub(crate) fn from_folder(
    folder: &Path,
    images: &[Copied],
    prefix: &Prefix,
    options: &CopyOptions,
    session: &OpenSession,
) -> Result<Done, Failure> {
    let mut done = Done::default();
    let target = Target::Registry(prefix);
    // What lies beside images is there before the catalogs are.
    let rank = |one: &&Copied| (one.catalog.is_some(), one.is_attached);
    let mut images: Vec<&Copied> = images.iter().collect();
    images.sort_by_key(rank);
    for one in images {
        let shown = one.source.as_deref().unwrap_or(&one.repository);
        if one.catalog.is_some() && !done.failed.is_empty() {
            done.withheld.push(shown.to_owned());
            continue;
        }
        let place = one.place();
        let outcome =
            LayoutFolder::open(folder, Some(&place.to_string())).map_err(Obstacle::from).and_then(|layout| {
                check_digest(&layout, one)?;
                let image = LocalImage { source: &layout, shown: place.to_string() };
                let image = Incomplete { image };
                match attached::subject_of(&one.tag).filter(|_| one.is_attached) {
                    Some(subject) => {
                        session.wait(attached::copy_list(&image, &subject, &place, target, options, session))
                    }
                    None if one.is_attached && attached::is_signatures(&one.tag) => {
                        session.wait(attached::copy_signatures(&image, &place, target, options, session))
                    }
                    None => session.wait(copy(&image, &place, target, options, session)),
                }
            });
        let before = done.copied.len();
        let outcome = outcome.map(|(digest, blobs)| (digest, blobs, Attached::default()));
        done.take(shown, outcome, &place, one.source.clone(), one.catalog, false)?;
        if one.is_attached {
            done.attached.extend(done.copied.drain(before..));
        }
    }
    Ok(done)
}

/// Refuses an image that is not the one that was carried.
fn check_digest(layout: &LayoutFolder, recorded: &Copied) -> Result<(), Failure> {
    let found = layout.root().digest().to_string();
    if found == recorded.digest {
        return Ok(());
    }
    Err(Failure::refusal(format!("the directory holds {found}, and its record says {}", recorded.digest))
        .help("write the directory again with `fbc mirror --to-folder`"))
}

pub(super) type Blobs = BTreeMap<String, BlobOutcome>;

impl Done {
    /// Notes what came of an image.
    ///
    /// # Errors
    /// If the destination cannot be reached.
    fn take(
        &mut self,
        shown: &str,
        outcome: Outcome,
        place: &Place,
        source: Option<String>,
        catalog: Option<CatalogForm>,
        skips_missing: bool,
    ) -> Result<(), Failure> {
        match outcome {
            Ok((digest, blobs, attached)) => {
                let of_repository = self.carried.entry(place.repository.clone()).or_default();
                for (digest, outcome) in blobs.into_iter().chain(attached.blobs) {
                    match outcome {
                        BlobOutcome::Transferred => self.sent += 1,
                        _ => self.present += 1,
                    }
                    of_repository.insert(digest);
                }
                let Place { repository, tag } = place.clone();
                self.copied.push(Copied { source, repository, tag, digest, catalog, is_attached: false });
                self.attached.extend(attached.copied);
                Ok(())
            }
            Err(Obstacle { failure, kind: Kind::NoDestination }) => Err(failure),
            Err(Obstacle { failure, kind }) => {
                let told = match kind {
                    Kind::Missing if skips_missing => &mut self.missing,
                    _ => &mut self.failed,
                };
                told.push((shown.to_owned(), failure));
                Ok(())
            }
        }
    }
}

pub(super) async fn copy(
    source: &impl Source,
    place: &Place,
    target: Target<'_>,
    options: &CopyOptions,
    session: &OpenSession,
) -> Result<(String, Blobs), Obstacle> {
    let source = Watched::new(source);
    let bar = session.image_bar(&place.to_string());
    let report = match target {
        Target::Registry(prefix) => {
            let reference = session.reference(&prefix.below(&place.to_string()))?;
            let sink = RegistryImage::new(session.client(), &reference);
            let sink = Shown { sink, bar };
            let host = Some(reference.registry());
            copy_image(&source, &sink, options)
                .await
                .map_err(|error| Obstacle::of_copy(error, source.is_missing(), host))?
        }
        Target::Folder(folder, carried) => {
            let name = Some(place.to_string());
            let reference = LocalReference { transport: Transport::Oci, path: folder.to_path_buf(), name };
            let output = Output::begin(&reference)?;
            let sink = FolderSink { client: session.client(), blobs: output.blobs() };
            let sink = Shown { sink: Increment { sink, carried: carried.get(&place.repository) }, bar };
            let report = copy_image(&source, &sink, options)
                .await
                .map_err(|error| Obstacle::of_copy(error, source.is_missing(), None))?;
            output.finish(&report.root)?;
            report
        }
    };
    Ok((report.root.digest().to_string(), report.blobs))
}

fn copy_whole(
    image: &ImageName,
    place: &Place,
    target: Target<'_>,
    wishes: &Wishes,
    session: &OpenSession,
) -> Outcome {
    match image {
        ImageName::Registry(text) => {
            let reference = session.reference(text)?;
            // The plan asked the policy, by the name that the user wrote.
            let image = RegistryImage::unguarded(session.client(), &reference);
            session.wait(copy_with_attached(&image, &reference, place, target, wishes, session))
        }
        ImageName::Local(reference) => {
            let source = reference.open()?;
            let image = LocalImage { source: source.as_ref(), shown: reference.to_string() };
            let (digest, blobs) = session.wait(copy(&image, place, target, &wishes.copy, session))?;
            Ok((digest, blobs, Attached::default()))
        }
    }
}

/// Builds the image of a selection and copies it.
fn copy_blobs(
    catalog: &Catalog,
    original: Option<&ImageName>,
    place: &Place,
    target: Target<'_>,
    options: &CopyOptions,
    session: &OpenSession,
) -> Outcome {
    let work = temporary_folder()?;
    let configs = work.path().join("configs");
    folder::write(catalog, &configs, OutputFormat::Json, Existing::Keep)?;
    copy_built(&configs, original, place, target, options, session)
}

/// Builds the image of a directory and copies it. What the labels of an original say of the catalog still holds, and it is
/// for the same platforms.
fn copy_built(
    folder: &Path,
    original: Option<&ImageName>,
    place: &Place,
    target: Target<'_>,
    options: &CopyOptions,
    session: &OpenSession,
) -> Outcome {
    let (labels, platforms) =
        original.map(|image| traits_of(image, session)).transpose()?.unwrap_or_default();
    let work = temporary_folder()?;
    let blobs = BlobFolder::new(work.path().join("blobs"));
    let built = build::build(
        &Build {
            contents: build::catalog(folder)?,
            labels,
            annotations: BTreeMap::new(),
            base: None,
            platforms,
            compression: Compression::Gzip,
            // Equal content has one digest, whenever it is mirrored.
            created: Moment { seconds: 0, text: clock::Moment::at(0).rfc3339() },
            servers: Vec::new(),
        },
        &blobs,
    )?;
    let image = FolderImage { root: built.root, blobs };
    let image = LocalImage { source: &image, shown: place.to_string() };
    let (digest, blobs) = session.wait(copy(&image, place, target, options, session))?;
    Ok((digest, blobs, Attached::default()))
}

/// The labels of an image, and its platforms.
fn traits_of(
    image: &ImageName,
    session: &OpenSession,
) -> Result<(BTreeMap<String, String>, Vec<PlatformName>), Failure> {
    let images = match image {
        ImageName::Registry(text) => Image::all(&session.documents(text, &PlatformChoice::All)?.1),
        ImageName::Local(reference) => reference.open().and_then(|source| Image::all(source.as_ref())),
    };
    let images = images?;
    let labels = images.first().and_then(|image| image.configuration.labels_of_config());
    let labels = labels.into_iter().flatten().filter(|(key, _)| *key != CATALOG_LABEL);
    let labels = labels.map(|(key, value)| (key.clone(), value.clone())).collect();
    Ok((labels, images.iter().map(Image::platform).collect()))
}

fn temporary_folder() -> Result<StagedDirectory, Failure> {
    let failed = |error: std::io::Error| Failure::io("write to", &std::env::temp_dir(), &error);
    StagedDirectory::scratch(&std::env::temp_dir()).map_err(failed)
}
