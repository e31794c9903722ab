//! Carries a plan out: image by image, to a registry or to a folder.

use std::collections::BTreeMap;
use std::path::Path;

use fbc_image::build::{self, Build, Moment};
use fbc_image::layer::Compression;
use fbc_image::layout::{LayoutFolder, Output};
use fbc_image::registry::copy::RegistryImage;
use fbc_image::registry::observer::BlobOutcome;
use fbc_image::registry::{CopyOptions, FolderSink, LocalImage, Reference, Source, copy_image};
use fbc_image::{BlobFolder, FolderImage, LocalReference, Transport};
use fbc_model::Catalog;

use super::plan::Content;
use super::record::{CatalogForm, Copied};
use super::{Place, Plan, Prefix, Selected};
use crate::clock;
use crate::command::render::OutputFormat;
use crate::failure::Failure;
use crate::filter::folder;
use crate::output_folder::Existing;
use crate::registry::session;

/// Where images are carried to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target<'t> {
    /// To a registry.
    Registry(&'t Prefix),
    /// To a folder that is a layout.
    Folder(&'t Path),
}

/// What a run came to.
#[derive(Default)]
pub(crate) struct Done {
    /// What is at the destination now.
    pub(crate) copied: Vec<Copied>,
    /// What is not, and why.
    pub(crate) failed: Vec<(String, Failure)>,
    /// Blobs that travelled.
    pub(crate) sent: usize,
    /// Blobs that were there already.
    pub(crate) present: usize,
}

/// Copies what a plan names: catalogs last, so that a catalog never arrives before its images.
pub(crate) fn carry_out(plan: &Plan, target: Target<'_>, options: &CopyOptions) -> Result<Done, Failure> {
    let session = session()?;
    let mut done = Done::default();
    for (name, (reference, place)) in &plan.images {
        let image = RegistryImage::new(session.client(), reference);
        let digest = done.take(name, copy(&image, place, target, options));
        done.note(digest, Some(name.clone()), place, None);
    }
    for catalog in &plan.catalogs {
        let name = catalog.source.as_ref().map(Reference::to_string);
        let shown = name.clone().unwrap_or_else(|| catalog.place.to_string());
        let (form, outcome) = match &catalog.content {
            Content::Whole => (CatalogForm::Whole, copy_whole(catalog, target, options)),
            Content::Folder(folder) => {
                (CatalogForm::Built, copy_built(folder, &catalog.place, target, options))
            }
            Content::Filtered(filtered) => {
                (CatalogForm::Built, copy_filtered(filtered, &catalog.place, target, options))
            }
        };
        let digest = done.take(&shown, outcome);
        done.note(digest, name, &catalog.place, Some(form));
    }
    Ok(done)
}

/// Copies what a folder holds.
pub(crate) fn from_folder(folder: &Path, images: &[Copied], prefix: &Prefix, options: &CopyOptions) -> Done {
    let mut done = Done::default();
    let is_catalog = |one: &&Copied| one.catalog.is_some();
    for one in images.iter().filter(|one| !is_catalog(one)).chain(images.iter().filter(is_catalog)) {
        let place = one.place();
        let outcome =
            LayoutFolder::open(folder, Some(&place.to_string())).map_err(Failure::from).and_then(|layout| {
                let image = LocalImage { source: &layout, shown: place.to_string() };
                copy(&image, &place, Target::Registry(prefix), options)
            });
        let digest = done.take(one.source.as_deref().unwrap_or(&one.repository), outcome);
        done.note(digest, one.source.clone(), &place, one.catalog);
    }
    done
}

type Blobs = BTreeMap<String, BlobOutcome>;

impl Done {
    fn take(&mut self, shown: &str, outcome: Result<(String, Blobs), Failure>) -> Option<String> {
        match outcome {
            Ok((digest, blobs)) => {
                let sent = blobs.values().filter(|outcome| **outcome == BlobOutcome::Transferred).count();
                self.sent += sent;
                self.present += blobs.len() - sent;
                Some(digest)
            }
            Err(failure) => {
                self.failed.push((shown.to_owned(), failure));
                None
            }
        }
    }

    fn note(
        &mut self,
        digest: Option<String>,
        source: Option<String>,
        place: &Place,
        catalog: Option<CatalogForm>,
    ) {
        if let Some(digest) = digest {
            let Place { repository, tag } = place.clone();
            self.copied.push(Copied { source, repository, tag, digest, catalog });
        }
    }
}

fn copy(
    source: &impl Source,
    place: &Place,
    target: Target<'_>,
    options: &CopyOptions,
) -> Result<(String, Blobs), Failure> {
    let session = session()?;
    let report = match target {
        Target::Registry(prefix) => {
            let reference = session.reference(&prefix.below(&place.to_string()))?;
            session.wait(copy_image(source, &RegistryImage::new(session.client(), &reference), options))?
        }
        Target::Folder(folder) => {
            let name = Some(place.to_string());
            let reference = LocalReference { transport: Transport::Oci, path: folder.to_path_buf(), name };
            let output = Output::begin(&reference)?;
            let sink = FolderSink { client: session.client(), blobs: output.blobs() };
            let report = session.wait(copy_image(source, &sink, options))?;
            output.finish(&report.root)?;
            report
        }
    };
    Ok((report.root.digest().to_string(), report.blobs))
}

fn copy_whole(
    catalog: &Selected,
    target: Target<'_>,
    options: &CopyOptions,
) -> Result<(String, Blobs), Failure> {
    let Some(reference) = &catalog.source else {
        return Err(Failure::new(format!("{} comes from no registry", catalog.place)));
    };
    copy(&RegistryImage::new(session()?.client(), reference), &catalog.place, target, options)
}

/// Builds the image of a selection and copies it.
fn copy_filtered(
    catalog: &Catalog,
    place: &Place,
    target: Target<'_>,
    options: &CopyOptions,
) -> Result<(String, Blobs), Failure> {
    let work = temporary_folder()?;
    let configs = work.path().join("configs");
    folder::write(catalog, &configs, OutputFormat::Json, Existing::Keep)?;
    copy_built(&configs, place, target, options)
}

/// Builds the image of a folder and copies it.
fn copy_built(
    folder: &Path,
    place: &Place,
    target: Target<'_>,
    options: &CopyOptions,
) -> Result<(String, Blobs), Failure> {
    let work = temporary_folder()?;
    let blobs = BlobFolder::new(work.path().join("blobs"));
    let built = build::build(
        &Build {
            contents: build::catalog(folder)?,
            labels: BTreeMap::new(),
            annotations: BTreeMap::new(),
            base: None,
            platforms: Vec::new(),
            compression: Compression::Gzip,
            // Equal content has one digest, whenever it is mirrored.
            created: Moment { seconds: 0, text: clock::Moment::at(0).rfc3339() },
            servers: Vec::new(),
        },
        &blobs,
    )?;
    let image = FolderImage { root: built.root, blobs };
    let options = CopyOptions { platform: None, ..options.clone() };
    copy(&LocalImage { source: &image, shown: place.to_string() }, place, target, &options)
}

fn temporary_folder() -> Result<tempfile::TempDir, Failure> {
    let failed = |error: std::io::Error| Failure::io("write to", &std::env::temp_dir(), &error);
    tempfile::Builder::new().prefix("fbc-mirror-").tempdir().map_err(failed)
}
