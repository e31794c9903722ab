//! What references on a command line name, loaded: catalogs, bundle directories, templates, and images of them.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use fbc_bundle::folder::is_bundle;
use fbc_bundle::{BundleError, BundleFolder, ImageTemplate, ImageTemplateError};
use fbc_lint::Profile;
use fbc_lint::finding::OpmText;
use fbc_model::Catalog;
use fbc_model::catalog::CatalogFile;
use fbc_source::expansion::Manifests;
use fbc_source::image_map::ImageMap;
use fbc_source::template_bundles::{RenderError, RenderFault, render_bundle_image};
use fbc_source::{CatalogSource, Error, ErrorKind, Session};
use rayon::prelude::*;

use crate::checked::check_loaded;
use crate::event::Event;
use crate::input::other::{refuse_repository, refuse_without_blobs, warn_of_nothing};
use crate::loading::open_as_one;
use crate::settings::Settings;

/// The annotation of a bundle that names its package.
const PACKAGE_ANNOTATION: &str = "operators.operatorframework.io.bundle.package.v1";

/// What a reference names, loaded.
pub struct Loaded {
    /// Where it lies: the reference itself, or the directory that stands for an image.
    pub path: PathBuf,
    /// Its files.
    pub source: CatalogSource,
    /// The catalog; of a bundle the one blob. It may have faults.
    pub catalog: Catalog,
}

impl Loaded {
    /// Tells what could not be loaded, as findings with their places.
    pub fn tell_faults(self, settings: &Settings) {
        tell_faults(&self.path, self.source, &self.catalog, settings);
    }
}

/// Loads what references name: catalogs, bundle directories, templates, and images of them.
///
/// What cannot be loaded is told, all of it, and then there is no catalog. What holds something else than a catalog is refused,
/// unless blobs of any schema are wanted.
pub struct Loader<'l> {
    session: &'l Session,
    settings: &'l Settings,
    images: Option<&'l ImageMap>,
    template: Option<&'l ImageTemplate>,
    wanted: Manifests,
    of_any_schema: bool,
}

impl<'l> Loader<'l> {
    /// A loader with the image map of the environment.
    #[must_use]
    pub fn new(session: &'l Session, settings: &'l Settings) -> Self {
        let wanted = Manifests::Preferred;
        Self { session, settings, images: None, template: None, wanted, of_any_schema: false }
    }

    /// With directories that stand for images.
    #[must_use]
    pub fn with_images(self, images: &'l ImageMap) -> Self {
        Self { images: Some(images), ..self }
    }

    /// With a template that names the images of bundle directories.
    #[must_use]
    pub fn naming_images(self, template: Option<&'l ImageTemplate>) -> Self {
        Self { template, ..self }
    }

    /// With other manifests of templates than the preferred ones.
    #[must_use]
    pub fn wanting(self, wanted: Manifests) -> Self {
        Self { wanted, ..self }
    }

    /// With whatever schemas the blobs have; warns of what holds none.
    #[must_use]
    pub fn of_any_schema(self) -> Self {
        Self { of_any_schema: true, ..self }
    }

    /// Loads several catalogs and bundles as one catalog; their files have the paths from where the command runs.
    ///
    /// # Errors
    /// What keeps a reference from being opened, a budget, and what is not a catalog.
    pub fn all(&self, references: &[PathBuf]) -> Result<Option<Catalog>, Error> {
        let own = self.image_map()?;
        let images = self.images.unwrap_or(&own);
        let load = |reference: &PathBuf| self.checked(reference, images);
        let loaded: Vec<Result<Loaded, Error>> = references.par_iter().map(load).collect();
        if self.of_any_schema {
            // In the order of the command line.
            for loaded in loaded.iter().flatten() {
                warn_of_nothing(&loaded.catalog, &loaded.path, self.settings);
            }
        }
        self.join(loaded)
    }

    /// Loads one reference with its source; its files have the paths that they have there.
    ///
    /// # Errors
    /// As [`Self::all`].
    pub fn one(&self, reference: &Path) -> Result<Option<Loaded>, Error> {
        let own = self.image_map()?;
        self.whole(self.checked(reference, self.images.unwrap_or(&own)))
    }

    /// Loads one reference with its faults, whatever it holds.
    ///
    /// # Errors
    /// What keeps it from being opened, a budget, and a bundle that cannot be rendered.
    pub fn with_faults(&self, reference: &Path) -> Result<Loaded, Error> {
        let own = self.image_map()?;
        self.load(reference, self.images.unwrap_or(&own))
    }

    /// The map of the environment, where it counts.
    fn image_map(&self) -> Result<ImageMap, Error> {
        if self.images.is_some() { Ok(ImageMap::default()) } else { self.session.image_map() }
    }

    fn checked(&self, reference: &Path, images: &ImageMap) -> Result<Loaded, Error> {
        let loaded = self.load(reference, images)?;
        if !self.of_any_schema {
            refuse_without_blobs(&loaded.source, &loaded.catalog, &loaded.path)?;
        }
        Ok(loaded)
    }

    /// Loads a catalog, a bundle directory, or an image for which a directory stands.
    fn load(&self, reference: &Path, images: &ImageMap) -> Result<Loaded, Error> {
        let Self { session, settings, template, wanted, .. } = *self;
        let image = reference.to_str().filter(|_| !reference.exists());
        let image = image.map(|image| image.strip_prefix("docker://").unwrap_or(image));
        let mapped = match image {
            Some(image) => images
                .existing_folder(image)
                .map_err(|error| Error::new(error.to_string()))?
                .map(|folder| (image, folder)),
            None => None,
        };
        let path = mapped.map_or(reference, |(_, folder)| folder).to_path_buf();
        let expanded = if path.is_file() { CatalogSource::template(&path, session, wanted)? } else { None };
        let source = match expanded {
            Some(expanded) => expanded,
            None => open_as_one(&path, session, settings)?,
        };
        refuse_repository(&source, &path, session.reading())?;
        let tree = source.tree.as_ref();
        if !is_bundle(tree) {
            let catalog = session.reading().load(tree)?;
            return Ok(Loaded { path, source, catalog });
        }
        let bundle = match mapped {
            Some((image, folder)) => render_bundle_image(image, tree, folder),
            None if source.registry_name().is_some() => {
                render_bundle_image(source.registry_name().unwrap_or_default(), tree, reference)
            }
            None => BundleFolder::read(tree)
                .and_then(|folder| fbc_bundle::render::render(&folder, template))
                .map_err(|fault| RenderError { place: reference.to_path_buf(), fault: fault.into() }),
        };
        let files = vec![CatalogFile { path: PathBuf::new(), documents: Vec::new() }];
        let shown = path.display();
        let refuse = |error: String| {
            Error::refusal(error)
                .help(format!("`fbc bundle validate {shown}` shows all that is wrong with it"))
        };
        let bundle = bundle.map_err(|error| match &error.fault {
            RenderFault::Bundle(BundleError::ImageTemplate(fault)) => cannot_name_image(&shown, fault),
            _ => refuse(error.to_string()),
        })?;
        // A blob without a package is written nowhere.
        if bundle.package.is_empty() {
            return Err(refuse(format!("{shown}: the annotation {PACKAGE_ANNOTATION} is missing or empty")));
        }
        let catalog = Catalog { bundles: vec![bundle], files, ..Catalog::default() };
        Ok(Loaded { path, source, catalog })
    }

    /// What was loaded without faults; otherwise nothing, after they were told.
    fn whole(&self, loaded: Result<Loaded, Error>) -> Result<Option<Loaded>, Error> {
        match loaded {
            Ok(loaded) if loaded.catalog.faults.is_empty() => Ok(Some(loaded)),
            Ok(loaded) => {
                loaded.tell_faults(self.settings);
                Ok(None)
            }
            Err(error) if error.kind() == ErrorKind::Refused => {
                self.settings.tell(Event::Refusal(error));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Puts catalogs together, or tells what could not be loaded.
    fn join(&self, loaded: Vec<Result<Loaded, Error>>) -> Result<Option<Catalog>, Error> {
        let mut all = Catalog::default();
        let mut is_whole = true;
        for loaded in loaded {
            let Some(Loaded { source, mut catalog, .. }) = self.whole(loaded)? else {
                is_whole = false;
                continue;
            };
            // Where several are put together, only paths from where the command runs tell files apart.
            catalog.files.iter_mut().for_each(|file| file.path = source.shown(&file.path));
            all.append(catalog);
        }
        Ok(is_whole.then_some(all))
    }
}

/// The failure of a template that cannot name the image of a bundle, which is no fault of the bundle.
pub fn cannot_name_image(bundle: &dyn Display, fault: &ImageTemplateError) -> Error {
    Error::new(format!("--image-ref-template cannot name the image of {bundle}: {fault}"))
        .help("its fields are {{.Package}}, {{.Name}} and {{.Version}}")
}

/// Tells what of a catalog could not be loaded, as findings with their places.
pub fn tell_faults(reference: &Path, source: CatalogSource, catalog: &Catalog, settings: &Settings) {
    let mut checked = check_loaded(reference, source, catalog, Profile::Opm);
    checked.report.findings.retain(|located| matches!(located.finding.opm, Some(OpmText::Load(_))));
    settings.tell(Event::Findings { checked: &checked, errors_only: true });
}
