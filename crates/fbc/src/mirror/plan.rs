//! From what is ordered to what is copied.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fbc_graph::filter::{ChannelSelection, Keep, PackageSelection, Selection, filter};
use fbc_image::registry::Reference;
use fbc_model::Catalog;
use fbc_version::Range;

use super::Place;
use crate::command::render;
use crate::failure::Failure;
use crate::filter::told;
use crate::needed_images::Needs;
use crate::registry::session;

/// A catalog that is to be mirrored, or a part of it.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// An image reference, or a folder.
    pub(crate) catalog: PathBuf,
    /// What of it.
    pub(crate) packages: Packages,
    /// The repository of the catalog at the destination, if not that of the source.
    pub(crate) target_repository: Option<String>,
    /// The tag of the catalog at the destination, if not that of the source.
    pub(crate) target_tag: Option<String>,
}

/// The packages that are wanted.
#[derive(Clone, Debug)]
pub(crate) enum Packages {
    /// All, with everything in them.
    All,
    /// Of each package the head of its default channel.
    HeadsOfDefaultChannels,
    /// These.
    These(Vec<WantedPackage>),
    /// What flags select.
    Selection(Selection),
}

/// A package that is wanted.
#[derive(Clone, Debug)]
pub(crate) struct WantedPackage {
    pub(crate) name: String,
    /// Its channels; without any the default channel, or with [`Versions::All`] all of them.
    pub(crate) channels: Vec<WantedChannel>,
    /// Which versions, where channels do not say it.
    pub(crate) versions: Versions,
    /// The default channel from now on.
    pub(crate) default_channel: Option<String>,
}

/// A channel that is wanted.
#[derive(Clone, Debug)]
pub(crate) struct WantedChannel {
    pub(crate) name: String,
    pub(crate) versions: Versions,
}

/// The versions that are wanted.
#[derive(Clone, Debug)]
pub(crate) enum Versions {
    All,
    Head,
    Range(Range),
}

impl Versions {
    fn keep(&self) -> Keep {
        match self {
            Self::All => Keep::All,
            Self::Head => Keep::Head,
            Self::Range(range) => Keep::Range(range.clone()),
        }
    }
}

impl Packages {
    /// The selection for a catalog; nothing if all of it is wanted.
    fn selection(&self, catalog: &Catalog) -> Option<Selection> {
        let default_channel = |package: &str| {
            let package = catalog.packages.iter().find(|one| one.name == package);
            package.map(|package| package.default_channel.clone()).unwrap_or_default()
        };
        let wanted = |package: &WantedPackage| {
            let channel =
                |name: String, versions: &Versions| ChannelSelection { name, keep: versions.keep() };
            let channels = match (package.channels.as_slice(), &package.versions) {
                ([], Versions::All) => Vec::new(),
                ([], versions) => vec![channel(default_channel(&package.name), versions)],
                (channels, _) => {
                    channels.iter().map(|one| channel(one.name.clone(), &one.versions)).collect()
                }
            };
            let selection = PackageSelection { channels, default_channel: package.default_channel.clone() };
            (package.name.clone(), selection)
        };
        match self {
            Self::All => None,
            Self::Selection(selection) => Some(selection.clone()),
            Self::These(packages) => Some(Selection { packages: packages.iter().map(wanted).collect() }),
            Self::HeadsOfDefaultChannels => {
                let heads = catalog.packages.iter().map(|package| WantedPackage {
                    name: package.name.clone(),
                    channels: Vec::new(),
                    versions: Versions::Head,
                    default_channel: None,
                });
                Some(Selection { packages: heads.map(|package| wanted(&package)).collect() })
            }
        }
    }
}

/// A catalog of a plan.
pub(crate) struct Selected {
    /// The image that it comes from; none for a folder.
    pub(crate) source: Option<Reference>,
    /// The image itself, or a catalog that has to be built.
    pub(crate) content: Content,
    /// Where it goes.
    pub(crate) place: Place,
}

/// What a catalog at the destination consists of.
pub(crate) enum Content {
    /// The image as it is.
    Whole,
    /// The folder as it is.
    Folder(PathBuf),
    /// Blobs that were selected.
    Filtered(Box<Catalog>),
}

/// What is copied.
#[derive(Default)]
pub(crate) struct Plan {
    /// The catalogs.
    pub(crate) catalogs: Vec<Selected>,
    /// All other images, each once, with their places.
    pub(crate) images: BTreeMap<String, (Reference, Place)>,
    /// Images that bundles use and do not list, which are not copied.
    pub(crate) unlisted: BTreeSet<String>,
}

impl Plan {
    /// Adds a catalog with the images that it needs. Nothing was added if it was refused; the reasons were told.
    pub(crate) fn add(&mut self, order: &Order, with_unlisted: bool) -> Result<bool, Failure> {
        let Some(mut catalog) = render::load(std::slice::from_ref(&order.catalog), None)? else {
            return Ok(false);
        };
        let selection = order.packages.selection(&catalog);
        if let Some(selection) = &selection {
            catalog = match filter(&catalog, selection) {
                Ok(filtered) => filtered.catalog,
                Err(refusals) => {
                    for refusal in &refusals {
                        // All are told; the exit code is that of all.
                        let _ = told::refusal(refusal, &catalog).report();
                    }
                    return Ok(false);
                }
            };
        }
        let needs = Needs::of(&catalog);
        for image in needs.images.keys() {
            self.add_image(image)?;
        }
        for unlisted in &needs.unlisted {
            match with_unlisted {
                true => self.add_image(&unlisted.image)?,
                false => _ = self.unlisted.insert(unlisted.image.clone()),
            }
        }
        let source = source_of(&order.catalog)?;
        let content = match (selection.is_some(), &source) {
            (true, _) => Content::Filtered(Box::new(catalog)),
            (false, Some(_)) => Content::Whole,
            (false, None) => Content::Folder(order.catalog.clone()),
        };
        let place = place_of_catalog(order, source.as_ref())?;
        self.catalogs.push(Selected { source, content, place });
        Ok(true)
    }

    /// Adds an image.
    pub(crate) fn add_image(&mut self, image: &str) -> Result<(), Failure> {
        if !self.images.contains_key(image) {
            let reference = session()?.reference(image).map_err(|failure| {
                failure.help("the catalog names an image that is no reference; `fbc validate` shows where")
            })?;
            let place = Place::of(&reference);
            self.images.insert(image.to_owned(), (reference, place));
        }
        Ok(())
    }

    /// Refuses a plan in which two images would overwrite each other.
    pub(crate) fn check_places(&self) -> Result<(), Failure> {
        let mut taken: BTreeMap<String, String> = BTreeMap::new();
        let images = self.images.values().map(|(reference, place)| (reference.to_string(), place));
        let shown = |catalog: &Selected| {
            catalog.source.as_ref().map_or_else(|| "a folder".to_owned(), Reference::to_string)
        };
        let catalogs = self.catalogs.iter().map(|catalog| (shown(catalog), &catalog.place));
        for (source, place) in images.chain(catalogs) {
            // A tag that is made of a digest means the same content, wherever it comes from.
            let is_pinned = place.tag.starts_with("sha256-");
            if let Some(other) =
                taken.insert(place.to_string(), source.clone()).filter(|other| *other != source && !is_pinned)
            {
                return Err(Failure::new(format!("{other} and {source} would both become {place}")).help(
                    "mirror them below two prefixes, or give a catalog another name by --target-catalog",
                ));
            }
        }
        Ok(())
    }

    /// Leaves images out.
    pub(crate) fn block(&mut self, blocked: &[String]) {
        self.images.retain(|image, _| !blocked.contains(image));
    }
}

/// The image of a catalog, or nothing if it is a file or folder.
fn source_of(catalog: &Path) -> Result<Option<Reference>, Failure> {
    let text = catalog.to_string_lossy();
    let is_local = catalog.exists()
        || ["oci:", "oci-archive:", "docker-archive:"].iter().any(|one| text.starts_with(one));
    if is_local { Ok(None) } else { session()?.reference(&text).map(Some) }
}

fn place_of_catalog(order: &Order, source: Option<&Reference>) -> Result<Place, Failure> {
    let mut place = source.map(Place::of);
    if let Some(repository) = &order.target_repository {
        let tag = place.map_or_else(|| "latest".to_owned(), |place| place.tag);
        let (repository, tag) = match repository.rsplit_once(':') {
            Some((repository, tag)) if !tag.contains('/') => (repository.to_owned(), tag.to_owned()),
            _ => (repository.clone(), tag),
        };
        place = Some(Place { repository, tag });
    }
    let Some(mut place) = place else {
        return Err(Failure::new(format!("{} has no name at the destination", order.catalog.display()))
            .help("give one by --target-catalog REPOSITORY[:TAG]"));
    };
    if let Some(tag) = &order.target_tag {
        place.tag.clone_from(tag);
    }
    // What is put together must be a reference, whoever wrote its parts.
    Reference::parse(&format!("localhost/{place}"))
        .map_err(|error| Failure::new(format!("{place} is no place for a catalog: {error}")))?;
    Ok(place)
}
