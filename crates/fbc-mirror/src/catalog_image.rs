//! Catalogs on their way: as they are, or built from a directory or a selection.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

use fbc_image::build::{self, Build, Format, Moment};
use fbc_image::image::{CATALOG_LABEL, PlatformName};
use fbc_image::layer::Compression;
use fbc_image::{BlobFolder, FolderImage, Image, LocalReference};
use fbc_model::Catalog;
use fbc_model::writer;
use fbc_registry::copy::RegistryImage;
use fbc_registry::{LocalImage, PlatformChoice};
use fbc_source::image_source::ImageName;
use fbc_source::package_files::package_files;
use fbc_source::{Error, OpenSession};

use super::copy_error::{CopyError, Kind};
use super::plan::{Content, Selected};
use super::record::CatalogForm;
use super::transfer::{Arrived, Transfer};

impl Transfer<'_> {
    /// Copies a catalog of a plan.
    pub(super) fn copy_catalog(&self, catalog: &Selected) -> (CatalogForm, Result<Arrived, CopyError>) {
        match &catalog.content {
            Content::Whole(pinned) => {
                // The plan asked the policy, by the name that the user wrote.
                let image = RegistryImage::unguarded(self.session.client(), pinned);
                let copy = self.copy_with_attached(&image, pinned, &catalog.place);
                let copied = self.session.wait(copy);
                let name = ImageName::Registry(pinned.to_string());
                self.form_of(&name, copied)
            }
            Content::File(reference) => {
                let copied = self.copy_file(reference, catalog);
                self.form_of(&ImageName::Local(reference.clone()), copied)
            }
            Content::Folder(folder, _) => (CatalogForm::Built, self.copy_built(folder, None, catalog)),
            Content::Blobs(blobs, image) => {
                (CatalogForm::Built, self.copy_blobs(blobs, image.as_ref(), catalog))
            }
        }
    }

    /// What a catalog is that was copied as it is.
    fn form_of(
        &self,
        image: &ImageName,
        copied: Result<Arrived, CopyError>,
    ) -> (CatalogForm, Result<Arrived, CopyError>) {
        let Ok(arrived) = copied else { return (CatalogForm::Whole, copied) };
        match images_of(image, self.session) {
            Ok(images) if images.iter().any(Image::runs_something) => (CatalogForm::Whole, Ok(arrived)),
            Ok(_) => (CatalogForm::Bare, Ok(arrived)),
            Err(error) => (CatalogForm::Whole, Err(error.into())),
        }
    }

    fn copy_file(&self, reference: &LocalReference, catalog: &Selected) -> Result<Arrived, CopyError> {
        let opened = reference.open()?;
        let image = LocalImage { source: opened.as_ref(), shown: reference.to_string() };
        self.session.wait(self.copy(&image, &catalog.place, &self.options.copy))
    }

    /// Builds the image of a selection and copies it.
    fn copy_blobs(
        &self,
        blobs: &Catalog,
        original: Option<&ImageName>,
        catalog: &Selected,
    ) -> Result<Arrived, CopyError> {
        let work = self.session.reading().scratch_directory()?;
        let configs = work.path().join("configs");
        for (path, bytes) in package_files(blobs, writer::Format::Json)? {
            let file = work.create_file(&Path::new("configs").join(path));
            let written = file.and_then(|mut file| file.write_all(&bytes));
            written.map_err(|error| Error::io("write", &configs, &error))?;
        }
        self.copy_built(&configs, original, catalog)
    }

    /// Builds the image of a directory and copies it. What the labels of an original say of the catalog still holds, and
    /// it is for the same platforms.
    fn copy_built(
        &self,
        folder: &Path,
        original: Option<&ImageName>,
        catalog: &Selected,
    ) -> Result<Arrived, CopyError> {
        let traits = original.map(|image| traits_of(image, self.session)).transpose()?;
        let traits = traits.unwrap_or_default();
        match self.copy_built_as(folder, &traits, catalog) {
            // What is built here may have either format.
            Err(CopyError { kind: Kind::Format, .. }) if traits.format == Format::Oci => {
                self.copy_built_as(folder, &Traits { format: Format::Docker, ..traits }, catalog)
            }
            copied => copied,
        }
    }

    fn copy_built_as(
        &self,
        folder: &Path,
        traits: &Traits,
        catalog: &Selected,
    ) -> Result<Arrived, CopyError> {
        let work = self.session.reading().scratch_directory()?;
        let blobs = BlobFolder::new(work.path().join("blobs"));
        let built = build::build(
            &Build {
                contents: build::catalog([(folder, Path::new(""))])?,
                labels: traits.labels.clone(),
                annotations: BTreeMap::new(),
                base: None,
                base_name: None,
                format: traits.format,
                platforms: traits.platforms.clone(),
                compression: Compression::Gzip,
                // Equal content has one digest, whenever it is mirrored.
                created: Moment { seconds: 0, text: fbc_go::time::rfc3339(0) },
                servers: Vec::new(),
            },
            &blobs,
        )?;
        let image = FolderImage { root: built.root, blobs };
        let image = LocalImage { source: &image, shown: catalog.place.to_string() };
        self.session.wait(self.copy(&image, &catalog.place, &self.options.copy))
    }
}

/// An image for all its platforms.
fn images_of(image: &ImageName, session: &OpenSession) -> Result<Vec<Image>, Error> {
    let images = match image {
        ImageName::Registry(text) => Image::all(&session.documents(text, &PlatformChoice::All)?.1),
        ImageName::Local(reference) => reference.open().and_then(|source| Image::all(source.as_ref())),
    };
    Ok(images?)
}

/// What an image that was built of a part of another one has of that one.
#[derive(Default)]
struct Traits {
    labels: BTreeMap<String, String>,
    platforms: Vec<PlatformName>,
    format: Format,
}

/// The traits of an image.
fn traits_of(image: &ImageName, session: &OpenSession) -> Result<Traits, Error> {
    let images = images_of(image, session)?;
    let labels = images.first().and_then(|image| image.configuration.labels_of_config());
    let labels = labels.into_iter().flatten().filter(|(key, _)| *key != CATALOG_LABEL);
    let labels = labels.map(|(key, value)| (key.clone(), value.clone())).collect();
    let format = images.first().map(Format::of).unwrap_or_default();
    Ok(Traits { labels, platforms: images.iter().map(Image::platform).collect(), format })
}
