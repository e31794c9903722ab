//! What rules know of images: the one that a catalog comes from, the released index, and which can be pulled.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_image::Image;
use fbc_image::image::PlatformChoice;
use fbc_image::unpack::{self, unpack_into};
use fbc_lint::image_facts::CatalogImage;
use fbc_lint::{ImageFacts, Policy, Rule};
use fbc_model::Catalog;
use fbc_rules::img::{catalog_image_opm, catalog_image_platform, catalog_image_probe};

use crate::catalog_source::CatalogSource;
use crate::error::Error;
use crate::image_source::{ImageName, OpenImage};
use crate::needed_images::{Needs, find_all, only_in_mirrors};
use crate::session::Session;

/// What was looked up once for all catalogs.
pub struct ImageEvidence {
    index: Option<Arc<Catalog>>,
    asks: bool,
}

impl ImageEvidence {
    /// The released index, if there is one to hold catalogs against, and whether registries are asked for the images that
    /// catalogs name.
    #[must_use]
    pub fn new(index: Option<Arc<Catalog>>, asks: bool) -> Self {
        Self { index, asks }
    }

    /// What is known for a catalog, as far as the policy has rules that ask.
    ///
    /// # Errors
    /// If an image cannot be looked at.
    pub fn facts(
        &self,
        source: &CatalogSource,
        catalog: &Catalog,
        policy: &Policy,
        session: &Session,
    ) -> Result<ImageFacts, Error> {
        let mut facts = ImageFacts { index: self.index.clone(), ..ImageFacts::default() };
        facts.image = source.image_name().map(|image| catalog_image(image, policy, session)).transpose()?;
        if self.asks {
            let needs = Needs::from_catalog(catalog);
            let known = self.index.as_ref().map(|index| Needs::from_catalog(index));
            let known = known.as_ref().map(Needs::references).unwrap_or_default();
            let asked: BTreeSet<&str> = needs.references().difference(&known).copied().collect();
            ask(&asked, session, &mut facts)?;
        }
        Ok(facts)
    }
}

/// Asks registries for images.
fn ask(asked: &BTreeSet<&str>, session: &Session, facts: &mut ImageFacts) -> Result<(), Error> {
    for (image, answer) in find_all(asked.iter().copied(), session)? {
        match answer {
            Err(error) => drop(facts.unreachable.insert(image, error.to_string())),
            Ok(found) if !found.platforms.is_empty() => drop(facts.indexes.insert(image)),
            Ok(_) => {}
        }
    }
    let found = asked.iter().copied().filter(|image| !facts.unreachable.contains_key(*image));
    facts.only_in_mirror = only_in_mirrors(found, session)?;
    Ok(())
}

fn catalog_image(name: &ImageName, policy: &Policy, session: &Session) -> Result<CatalogImage, Error> {
    let wants = |rule: &Rule| policy.level(rule).is_some();
    let opened = name.open(session.platform(), session)?;
    let pairs = |map: Option<&std::collections::HashMap<String, String>>| {
        map.into_iter().flatten().map(|(key, value)| (key.clone(), value.clone())).collect()
    };
    let platforms = if wants(&catalog_image_platform::RULE) { platforms(name, session)? } else { Vec::new() };
    let looks = wants(&catalog_image_opm::RULE) || wants(&catalog_image_probe::RULE);
    Ok(CatalogImage {
        platforms,
        labels: pairs(opened.image.configuration.labels_of_config()),
        annotations: pairs(opened.image.manifest.annotations().as_ref()),
        files: if looks { Some(files(name, &opened, session)?) } else { None },
    })
}

fn platforms(name: &ImageName, session: &Session) -> Result<Vec<String>, Error> {
    let images = match name {
        ImageName::Registry(text) => Image::all(&session.documents(text, &PlatformChoice::All)?.1),
        ImageName::Local(reference) => reference.open().and_then(|source| Image::all(source.as_ref())),
    };
    Ok(images?.iter().map(|image| image.platform().to_string()).collect())
}

/// The regular files of an image.
fn files(name: &ImageName, opened: &OpenImage, session: &Session) -> Result<Vec<String>, Error> {
    opened.bring_layers(session)?;
    let folder = session.reading().scratch_directory()?;
    unpack_into(&opened.image, opened.source.as_ref(), folder.path(), &unpack::Options::default())
        .map_err(|error| Error::from(error).within(&name.to_string()))?;
    let mut files = Vec::new();
    list(folder.path(), &mut files).map_err(|error| Error::io("read", folder.path(), &error))?;
    files.sort();
    Ok(files)
}

/// Directory by directory: one that stays open while what lies in it is listed would take a file of the system each.
fn list(root: &Path, files: &mut Vec<String>) -> std::io::Result<()> {
    let mut left = vec![PathBuf::new()];
    while let Some(below) = left.pop() {
        for entry in fs::read_dir(root.join(&below))? {
            let entry = entry?;
            let path = below.join(entry.file_name());
            let kind = entry.file_type()?;
            if kind.is_dir() {
                left.push(path);
            } else if kind.is_file() {
                files.push(path.to_string_lossy().into_owned());
            }
        }
    }
    Ok(())
}
