//! What validation knows of images: the one that a catalog comes from, the released index, and which can be pulled.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueHint};
use fbc_image::registry::PlatformChoice;
use fbc_image::unpack::{self, unpack_into};
use fbc_image::{Image, ImageError};
use fbc_lint::image_facts::CatalogImage;
use fbc_lint::rules::img::{catalog_image_opm, catalog_image_platform, catalog_image_probe};
use fbc_lint::{ImageFacts, Policy, Rule};
use fbc_model::Catalog;
use fbc_source::image_source::{ImageName, OpenImage};
use fbc_source::needed_images::{Needs, find_all, only_in_mirrors};
use fbc_source::{CatalogSource, Session};

use crate::failure::Failure;
use crate::loading;
use crate::scratch;

/// What to look at beside the catalogs.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct EvidenceArguments {
    /// The catalog that users have now, an image or a directory: channels and entries of its packages must stay
    #[arg(long, value_name = "REF", conflicts_with = "base", value_hint = ValueHint::AnyPath)]
    index: Option<PathBuf>,
    /// Ask registries whether every image can be pulled that a catalog names; with --index, that the index does not name
    #[arg(long, conflicts_with = "base")]
    check_images: bool,
}

impl EvidenceArguments {
    /// The reference of the index.
    pub(crate) fn index(&self) -> Option<&PathBuf> {
        self.index.as_ref()
    }
}

/// What was looked up once for all catalogs.
pub(crate) struct Evidence {
    index: Option<Arc<Catalog>>,
    asks: bool,
}

impl Evidence {
    /// Loads what the flags name.
    pub(crate) fn read(arguments: &EvidenceArguments, session: &Session) -> Result<Self, Failure> {
        let index = arguments.index.as_ref().map(|index| load_index(index, session)).transpose()?;
        Ok(Self { index, asks: arguments.check_images })
    }

    /// What is known for a catalog, as far as the policy has rules that ask.
    pub(crate) fn of(
        &self,
        source: &CatalogSource,
        catalog: &Catalog,
        policy: &Policy,
        session: &Session,
    ) -> Result<ImageFacts, Failure> {
        let mut facts = ImageFacts { index: self.index.clone(), ..ImageFacts::default() };
        facts.image = source.image_name().map(|image| catalog_image(image, policy, session)).transpose()?;
        if self.asks {
            let needs = Needs::of(catalog);
            let known = self.index.as_ref().map(|index| Needs::of(index));
            let known = known.as_ref().map(Needs::references).unwrap_or_default();
            let asked: BTreeSet<&str> = needs.references().difference(&known).copied().collect();
            for (image, answer) in find_all(asked.iter().copied(), session)? {
                match answer {
                    Err(error) => drop(facts.unreachable.insert(image, error.to_string())),
                    Ok(found) if !found.platforms.is_empty() => drop(facts.indexes.insert(image)),
                    Ok(_) => {}
                }
            }
            let found = asked.into_iter().filter(|image| !facts.unreachable.contains_key(*image));
            facts.only_in_mirror = only_in_mirrors(found, session)?;
        }
        Ok(facts)
    }
}

/// Loads the released index.
pub(crate) fn load_index(reference: &PathBuf, session: &Session) -> Result<Arc<Catalog>, Failure> {
    let shown = reference.display();
    let Some(index) = loading::load(std::slice::from_ref(reference), None, session)? else {
        return Err(Failure::new(format!("the index {shown} cannot be read; see above")));
    };
    if index.packages.is_empty() {
        return Err(Failure::new(format!("the index {shown} has no package")).help("name a released catalog"));
    }
    Ok(Arc::new(index))
}

fn catalog_image(name: &ImageName, policy: &Policy, session: &Session) -> Result<CatalogImage, Failure> {
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

fn platforms(name: &ImageName, session: &Session) -> Result<Vec<String>, Failure> {
    let images = match name {
        ImageName::Registry(text) => Image::all(&session.open()?.documents(text, &PlatformChoice::All)?.1),
        ImageName::Local(reference) => reference.open().and_then(|source| Image::all(source.as_ref())),
    };
    Ok(images?.iter().map(|image| image.platform().to_string()).collect())
}

/// The regular files of an image.
fn files(name: &ImageName, opened: &OpenImage, session: &Session) -> Result<Vec<String>, Failure> {
    opened.bring_layers(session)?;
    let folder = scratch::directory()?;
    unpack_into(&opened.image, opened.source.as_ref(), folder.path(), &unpack::Options::default())
        .map_err(|error: ImageError| Failure::from(error).within(&name.to_string()))?;
    let mut files = Vec::new();
    list(folder.path(), Path::new(""), &mut files)
        .map_err(|error| Failure::io("read", folder.path(), &error))?;
    files.sort();
    Ok(files)
}

fn list(root: &Path, below: &Path, files: &mut Vec<String>) -> std::io::Result<()> {
    for entry in fs::read_dir(root.join(below))? {
        let entry = entry?;
        let path = below.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            list(root, &path, files)?;
        } else if kind.is_file() {
            files.push(path.to_string_lossy().into_owned());
        }
    }
    Ok(())
}
