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
use fbc_source::image_map::{ImageMap, RenderError, RenderFault, render_bundle_image};
use fbc_source::{CatalogSource, Session};
use rayon::prelude::*;

use crate::checking::check_loaded;
use crate::failure::{FINDINGS, Failure};
use crate::image_map;
use crate::input::other::{refuse_repository, refuse_without_blobs, warn_of_nothing};
use crate::loading::open::open_as_one;
use crate::report::report_on_stderr;

/// The annotation of a bundle that names its package.
const PACKAGE_ANNOTATION: &str = "operators.operatorframework.io.bundle.package.v1";

/// What a reference names, loaded.
pub(crate) struct Loaded {
    /// Where it lies: the reference itself, or the directory that stands for an image.
    pub(crate) path: PathBuf,
    /// Its files.
    pub(crate) source: CatalogSource,
    /// The catalog; of a bundle the one blob. It may have faults.
    pub(crate) catalog: Catalog,
}

impl Loaded {
    /// Loads a catalog, a bundle directory, or an image for which a directory stands.
    pub(crate) fn new(
        reference: &Path,
        images: &ImageMap,
        template: Option<&ImageTemplate>,
        session: &Session,
        wanted: Manifests,
    ) -> Result<Self, Failure> {
        let image = reference.to_str().filter(|_| !reference.exists());
        let image = image.map(|image| image.strip_prefix("docker://").unwrap_or(image));
        let mapped = match image {
            Some(image) => images
                .existing_folder(image)
                .map_err(|error| Failure::new(error.to_string()))?
                .map(|folder| (image, folder)),
            None => None,
        };
        let path = mapped.map_or(reference, |(_, folder)| folder).to_path_buf();
        let expanded = if path.is_file() { CatalogSource::template(&path, session, wanted)? } else { None };
        let source = match expanded {
            Some(expanded) => expanded,
            None => open_as_one(&path, session)?,
        };
        refuse_repository(&source, &path, session.reading())?;
        let tree = source.tree.as_ref();
        if !is_bundle(tree) {
            let catalog = session.reading().load(tree)?;
            return Ok(Self { path, source, catalog });
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
            Failure::refusal(error)
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
        Ok(Self { path, source, catalog })
    }

    /// Tells on standard error what could not be loaded, as findings with their places.
    pub(crate) fn tell_faults(self) -> Result<(), Failure> {
        tell_faults(&self.path, self.source, &self.catalog)
    }
}

/// Loads several catalogs and bundles as one catalog, with the image map of the environment. Whatever
/// cannot be loaded is told on standard error, all of it; then there is no catalog. What holds something else than a
/// catalog is refused.
pub(crate) fn load(
    references: &[PathBuf],
    template: Option<&ImageTemplate>,
    session: &Session,
) -> Result<Option<Catalog>, Failure> {
    let images = image_map::of_environment()?;
    let load = |reference: &PathBuf| {
        let loaded = Loaded::new(reference, &images, template, session, Manifests::Preferred)?;
        refuse_without_blobs(&loaded.source, &loaded.catalog, &loaded.path)?;
        Ok(loaded)
    };
    join(references.par_iter().map(load).collect())
}

/// As [`load`], one reference with its source; its files have the paths that they have there.
pub(crate) fn load_one(reference: &Path, session: &Session) -> Result<Option<Loaded>, Failure> {
    let images = image_map::of_environment()?;
    let loaded = Loaded::new(reference, &images, None, session, Manifests::Preferred).and_then(|loaded| {
        refuse_without_blobs(&loaded.source, &loaded.catalog, &loaded.path)?;
        Ok(loaded)
    });
    whole(loaded)
}

/// What was loaded without faults; otherwise nothing, after they were told.
fn whole(loaded: Result<Loaded, Failure>) -> Result<Option<Loaded>, Failure> {
    match loaded {
        Ok(loaded) if loaded.catalog.faults.is_empty() => Ok(Some(loaded)),
        Ok(loaded) => loaded.tell_faults().map(|()| None),
        Err(failure) if failure.exit() == FINDINGS => {
            failure.report();
            Ok(None)
        }
        Err(failure) => Err(failure),
    }
}

/// As [`load`], whatever the schemas of the blobs; warns of what holds none.
pub(crate) fn load_any(references: &[PathBuf], session: &Session) -> Result<Option<Catalog>, Failure> {
    load_mapped(references, &image_map::of_environment()?, None, session, Manifests::Preferred)
}

/// As [`load_any`], with images for which directories stand.
pub(crate) fn load_mapped(
    references: &[PathBuf],
    images: &ImageMap,
    template: Option<&ImageTemplate>,
    session: &Session,
    wanted: Manifests,
) -> Result<Option<Catalog>, Failure> {
    let load = |reference: &PathBuf| Loaded::new(reference, images, template, session, wanted);
    let loaded: Vec<Result<Loaded, Failure>> = references.par_iter().map(load).collect();
    // In the order of the command line.
    for loaded in loaded.iter().flatten() {
        warn_of_nothing(&loaded.catalog, &loaded.path);
    }
    join(loaded)
}

/// Puts catalogs together, or tells what could not be loaded.
fn join(loaded: Vec<Result<Loaded, Failure>>) -> Result<Option<Catalog>, Failure> {
    let mut all = Catalog::default();
    let mut is_whole = true;
    for loaded in loaded {
        let Some(Loaded { source, mut catalog, .. }) = whole(loaded)? else {
            is_whole = false;
            continue;
        };
        // Where several are put together, only paths from where the command runs tell files apart.
        catalog.files.iter_mut().for_each(|file| file.path = source.shown(&file.path));
        all.append(catalog);
    }
    Ok(is_whole.then_some(all))
}

/// The failure of a template that cannot name the image of a bundle, which is no fault of the bundle.
pub(crate) fn cannot_name_image(bundle: &dyn Display, fault: &ImageTemplateError) -> Failure {
    Failure::new(format!("--image-ref-template cannot name the image of {bundle}: {fault}"))
        .help("its fields are {{.Package}}, {{.Name}} and {{.Version}}")
}

/// Tells on standard error what of a catalog could not be loaded, as findings with their places.
pub(crate) fn tell_faults(reference: &Path, source: CatalogSource, catalog: &Catalog) -> Result<(), Failure> {
    let mut checked = check_loaded(reference, source, catalog, Profile::Opm);
    checked.report.findings.retain(|located| matches!(located.finding.opm, Some(OpmText::Load(_))));
    report_on_stderr(&[checked])
}
