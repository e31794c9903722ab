//! From what is ordered to what is copied.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fbc_go::regexp::{Pattern, Steps, TooManySteps};
use fbc_graph::filter::{Refusal, filter};
use fbc_image::{LocalReference, Transport};
use fbc_model::Catalog;
use fbc_registry::{PlatformChoice, Reference};
use fbc_source::image_source::{ImageName, image_of_path, registry_image_of_path};
use fbc_source::needed_images::Needs;
use fbc_source::{Error, Session};

use super::copy_error::CopyError;
use super::order::{ExtraImage, Order};
use super::{Place, Prefix};

/// A catalog of a plan.
pub struct Selected {
    /// The reference that it has in its registry; none for one from a directory or file.
    pub source: Option<Reference>,
    /// What is copied, or what has to be built.
    pub content: Content,
    /// Where it goes.
    pub place: Place,
}

impl Selected {
    /// Its reference; of a catalog from a directory its place.
    pub fn name(&self) -> String {
        self.source.as_ref().map_or_else(|| self.place.to_string(), Reference::to_string)
    }

    /// A catalog of a registry, for tests.
    #[cfg(test)]
    pub fn named(text: &str) -> Self {
        let source = Reference::parse(text).unwrap();
        let place = Place::of_catalog(&source);
        Self { source: Some(source), content: Content::Folder(PathBuf::new(), Box::default()), place }
    }
}

/// What a catalog at the destination consists of.
pub enum Content {
    /// The image as it is, pinned to what the plan was made from.
    Whole(Reference),
    /// The image as it is, from a file or directory.
    File(LocalReference),
    /// The directory as it is, and what was loaded from it.
    Folder(PathBuf, Box<Catalog>),
    /// Blobs, and the image that they were selected from.
    Blobs(Box<Catalog>, Option<ImageName>),
}

/// Why a catalog is not added to a plan.
#[derive(Debug)]
pub enum PlanError {
    /// It cannot be read, or its images not be named.
    Source(Error),
    /// The selection does not fit the catalog.
    Selection(Vec<Refusal>, Box<Catalog>),
}

impl<E: Into<Error>> From<E> for PlanError {
    fn from(error: E) -> Self {
        Self::Source(error.into())
    }
}

/// A bundle that needs an image.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Need {
    /// The name of the catalog, as [`Selected::name`] has it.
    pub catalog: String,
    /// The package of the bundle.
    pub package: String,
    /// The name of the bundle.
    pub bundle: String,
}

/// So many bundles are named that need an image which is not copied.
const NAMED: usize = 3;

/// What is copied.
#[derive(Default)]
pub struct Plan {
    /// The catalogs.
    pub catalogs: Vec<Selected>,
    /// All other images, each once, with their places.
    pub images: BTreeMap<String, (Reference, Place)>,
    /// Which bundles need an image, by its name.
    pub needs: BTreeMap<String, BTreeSet<Need>>,
    /// Images that bundles name and that nobody can pull, since the name is not a reference; with what is wrong.
    pub unusable: BTreeMap<String, Error>,
    /// What is ordered of catalogs and is not in them.
    pub absent: Vec<String>,
    /// Images that bundles use and do not list, which are not copied.
    pub unlisted: BTreeSet<String>,
}

impl Plan {
    /// Adds a catalog, which was loaded from its reference, with the images that it needs.
    ///
    /// # Errors
    /// If it is not a catalog, its selection is refused, or an image cannot be named; nothing was added where the selection
    /// is refused.
    pub fn add(
        &mut self,
        order: &Order,
        mut catalog: Catalog,
        with_unlisted: bool,
        session: &Session,
    ) -> Result<(), PlanError> {
        check_content(&catalog, &order.catalog)?;
        let (selection, absent) = order.packages.selection(&catalog);
        self.absent.extend(absent.into_iter().map(|absent| format!("{}: {absent}", order.catalog.display())));
        if let Some(selection) = &selection {
            catalog = match filter(&catalog, selection) {
                Ok(filtered) => filtered.catalog,
                Err(refusals) => return Err(PlanError::Selection(refusals, Box::new(catalog))),
            };
        }
        let needs = Needs::from_catalog(&catalog);
        let (image, pinned) = image_of(&order.catalog, session)?;
        let source = match &image {
            Some(ImageName::Registry(text)) => Some(session.open()?.reference(text)?),
            _ => None,
        };
        let content = match (image, pinned) {
            (Some(_), Some(pinned)) if selection.is_none() => Content::Whole(pinned),
            (Some(ImageName::Local(image)), _) if selection.is_none() => Content::File(image),
            (None, _) if selection.is_none() && order.catalog.is_dir() => {
                Content::Folder(order.catalog.clone(), Box::new(catalog))
            }
            (image, _) => Content::Blobs(Box::new(catalog), image),
        };
        let place = place_of_catalog(order, source.as_ref(), &content)?;
        let selected = Selected { source, content, place };
        let need = |package: &str, bundle: &str| Need {
            catalog: selected.name(),
            package: package.to_owned(),
            bundle: bundle.to_owned(),
        };
        for (image, uses) in &needs.images {
            let uses = uses.iter().map(|one| need(&one.package, &one.bundle));
            self.add_needed(image, uses, session)?;
        }
        for unlisted in &needs.unlisted {
            match with_unlisted {
                true => {
                    let uses = [need(&unlisted.package, &unlisted.bundle)];
                    self.add_needed(&unlisted.image, uses, session)?;
                }
                false => _ = self.unlisted.insert(unlisted.image.clone()),
            }
        }
        self.catalogs.push(selected);
        Ok(())
    }

    /// Adds an image that bundles need. What is not a reference is kept apart: it concerns these bundles alone.
    fn add_needed(
        &mut self,
        image: &str,
        uses: impl IntoIterator<Item = Need>,
        session: &Session,
    ) -> Result<(), Error> {
        self.needs.entry(image.to_owned()).or_default().extend(uses);
        match session.open()?.reference(image) {
            Ok(reference) => {
                let place = Place::from_reference(&reference);
                self.add_image(image, reference, place)
            }
            Err(error) => {
                let error =
                    error.help("`fbc validate` shows where; those who publish the bundle must correct it");
                self.unusable.insert(image.to_owned(), error);
                Ok(())
            }
        }
    }

    /// The names of the catalogs that lack something without these images.
    pub(super) fn lacking<'i>(&self, images: impl Iterator<Item = &'i str>) -> BTreeSet<String> {
        let needs = images.filter_map(|image| self.needs.get(image)).flatten();
        needs.map(|need| need.catalog.clone()).collect()
    }

    /// An error of an image with the bundles that need it.
    pub(super) fn with_needs(&self, image: &str, error: Error) -> Error {
        let needs = self.needs.get(image).map(|needs| needs.iter().collect::<Vec<_>>()).unwrap_or_default();
        let more = needs.len().saturating_sub(NAMED);
        let named = needs.into_iter().take(NAMED).fold(error, |error, Need { catalog, package, bundle }| {
            error.detail(format!("  bundle {bundle:?} of package {package:?} in {catalog} needs it"))
        });
        if more == 0 { named } else { named.detail(format!("  and so do {more} more")) }
    }

    /// As [`Plan::with_needs`], of a copy.
    pub(super) fn with_needs_of_copy(&self, image: &str, error: CopyError) -> CopyError {
        CopyError { error: self.with_needs(image, error.error), kind: error.kind }
    }

    /// Adds an image with a place of its own. Whoever names it by tag and digest finds it by both: the digest says what is
    /// copied, the tag where to (`openshift/oc-mirror:internal/pkg/additional/local_stored_collector.go`), unless another image
    /// goes there.
    pub fn add_extra(&mut self, image: &ExtraImage, session: &Session) -> Result<(), Error> {
        let reference = session.open()?.reference(&image.name)?;
        let has_target = image.target_repository.is_some() || image.target_tag.is_some();
        if !has_target && self.images.contains_key(&image.name) {
            // A bundle needs it, too.
            return Ok(());
        }
        let usual = Place::from_reference(&reference);
        let repository = image.target_repository.clone().unwrap_or(usual.repository);
        let by_tag = image.target_tag.clone().or(reference.tag().map(str::to_owned));
        let mut place = Place { repository, tag: by_tag.unwrap_or_else(|| usual.tag.clone()) };
        let is_other =
            |(other, taken): &(Reference, Place)| *taken == place && other.digest() != reference.digest();
        if image.target_tag.is_none() && reference.digest().is_some() && self.images.values().any(is_other) {
            place.tag = usual.tag;
        }
        check_place(&place)?;
        self.add_image(&image.name, reference, place)
    }

    fn add_image(&mut self, name: &str, reference: Reference, place: Place) -> Result<(), Error> {
        match self.images.get(name) {
            Some((_, other)) if *other != place => {
                Err(Error::new(format!("{name} would go to both {other} and {place}")))
            }
            _ => {
                self.images.insert(name.to_owned(), (reference, place));
                Ok(())
            }
        }
    }

    /// Refuses a plan in which two images would overwrite each other.
    pub fn check_places(&self) -> Result<(), Error> {
        let mut taken: BTreeMap<&Place, &Reference> = BTreeMap::new();
        for (reference, place) in self.images.values() {
            let Some(other) = taken.insert(place, reference) else { continue };
            // Equal digests mean equal content, wherever it comes from.
            let is_same = reference.digest().is_some() && reference.digest() == other.digest();
            if !is_same && other.to_string() != reference.to_string() {
                return Err(overwritten(&other.to_string(), &reference.to_string(), place));
            }
        }
        let mut taken: BTreeMap<&Place, String> =
            taken.into_iter().map(|(place, reference)| (place, reference.to_string())).collect();
        for catalog in &self.catalogs {
            let source = catalog.source.as_ref();
            let source = source.map_or_else(|| "a catalog from a directory".to_owned(), Reference::to_string);
            if let Some(other) = taken.insert(&catalog.place, source.clone()) {
                return Err(overwritten(&other, &source, &catalog.place));
            }
        }
        Ok(())
    }

    /// Refuses a plan in which two places are one at the destination, since paths are shortened there.
    pub fn check_shortened(&self, prefix: &Prefix) -> Result<(), Error> {
        let mut taken: BTreeMap<String, &Place> = BTreeMap::new();
        let images = self.images.values().map(|(_, place)| place);
        for place in images.chain(self.catalogs.iter().map(|catalog| &catalog.place)) {
            let short = prefix.below(&place.to_string());
            if let Some(other) = taken.insert(short.clone(), place).filter(|other| *other != place) {
                return Err(Error::new(format!("{other} and {place} would both become {short}"))
                    .help("permit more parts with --max-nested-paths, or mirror them below two prefixes"));
            }
        }
        Ok(())
    }

    /// Refuses a plan that would put something else in the place of its own source: a part of a catalog, or one platform.
    pub fn check_sources(&self, prefix: &Prefix, has_platform: bool, session: &Session) -> Result<(), Error> {
        let session = session.open()?;
        let changed = |catalog: &&Selected| has_platform || !matches!(catalog.content, Content::Whole(_));
        let catalogs = self.catalogs.iter().filter(changed);
        let catalogs = catalogs.filter_map(|catalog| Some((catalog.source.as_ref()?, &catalog.place)));
        let images = self.images.values().map(|(reference, place)| (reference, place));
        for (source, place) in catalogs.chain(images.filter(|_| has_platform)) {
            let target = session.reference(&prefix.below(&place.to_string()))?;
            if source.name() == target.name() && source.tag() == target.tag() {
                return Err(Error::new(format!(
                    "a part of {source} would take the place of {source} itself"
                ))
                .help(
                    "name another place: --to HOST/PATH, or --target-catalog REPOSITORY:TAG for a catalog",
                ));
            }
        }
        Ok(())
    }

    /// Leaves out images of which a pattern finds the reference or the place.
    ///
    /// # Errors
    /// A pattern takes too long.
    pub fn block(&mut self, blocked: &[Pattern]) -> Result<(), Error> {
        let mut refused = None;
        let mut finds = |pattern: &Pattern, text: &str| match pattern.is_match(text, &Steps::default()) {
            Ok(found) => found,
            Err(TooManySteps) => {
                refused = Some(pattern.source().to_owned());
                false
            }
        };
        self.images.retain(|image, (_, place)| {
            let place = place.to_string();
            !blocked.iter().any(|pattern| finds(pattern, image) || finds(pattern, &place))
        });
        self.unusable.retain(|image, _| !blocked.iter().any(|pattern| finds(pattern, image)));
        match refused {
            None => Ok(()),
            Some(pattern) => Err(Error::refusal(format!("{TooManySteps}: `{pattern}` in `blockedImages`"))),
        }
    }
}

/// Refuses what is not a catalog: an empty directory, or a bundle.
fn check_content(catalog: &Catalog, reference: &Path) -> Result<(), Error> {
    let shown = reference.display();
    let is_bundle = catalog.packages.is_empty() && catalog.channels.is_empty() && !catalog.bundles.is_empty();
    if is_bundle {
        return Err(Error::refusal(format!("{shown} is a bundle, not a catalog"))
            .help("name a catalog; --image copies a single image"));
    }
    if catalog.files.is_empty() {
        return Err(Error::refusal(format!("{shown} holds no catalog"))
            .help("name the directory with the files of the catalog"));
    }
    Ok(())
}

fn overwritten(one: &str, other: &str, place: &Place) -> Error {
    let what = match one == other {
        true => format!("{one} would become {place} twice"),
        false => format!("{one} and {other} would both become {place}"),
    };
    Error::new(what).help("give a catalog another name (--target-catalog, `targetCatalog`), or mirror them one after another below two prefixes")
}

/// The image that a catalog is, and if it is in a registry, to what the name is pinned for this run, once the policy
/// admitted it; nothing of a file or directory.
fn image_of(catalog: &Path, session: &Session) -> Result<(Option<ImageName>, Option<Reference>), Error> {
    let image = image_of_path(catalog).transpose()?;
    let not_on_disk = || registry_image_of_path(catalog).filter(|_| !catalog.exists());
    let Some(image) = image.or_else(not_on_disk) else { return Ok((None, None)) };
    let ImageName::Registry(text) = &image else { return Ok((Some(image), None)) };
    let session = session.open()?;
    let (pinned, _) = session.documents(text, &PlatformChoice::Any)?;
    session.admit(text, &pinned)?;
    Ok((Some(image), Some(pinned)))
}

fn place_of_catalog(order: &Order, source: Option<&Reference>, content: &Content) -> Result<Place, Error> {
    let mut place = source.map(Place::of_catalog).or_else(|| place_of_layout(content));
    if let Some(repository) = &order.target_repository {
        let tag = place.map_or_else(|| "latest".to_owned(), |place| place.tag);
        let (repository, tag) = match repository.rsplit_once(':') {
            Some((repository, tag)) if !tag.contains('/') => (repository.to_owned(), tag.to_owned()),
            _ => (repository.clone(), tag),
        };
        place = Some(Place { repository, tag });
    }
    let Some(mut place) = place else {
        return Err(Error::new(format!("{} has no name at the destination", order.catalog.display()))
            .help("give one by --target-catalog REPOSITORY[:TAG]"));
    };
    if let Some(tag) = &order.target_tag {
        place.tag.clone_from(tag);
    }
    check_place(&place)?;
    Ok(place)
}

/// The place of a catalog in a layout: the name of its directory, as oc-mirror has it.
fn place_of_layout(content: &Content) -> Option<Place> {
    let layout = match content {
        Content::File(layout) | Content::Blobs(_, Some(ImageName::Local(layout))) => layout,
        _ => return None,
    };
    let name = layout.path.file_name().filter(|_| layout.transport == Transport::Oci)?;
    Some(Place { repository: name.to_str()?.to_lowercase(), tag: "latest".to_owned() })
}

/// What is put together must be a reference, whoever wrote its parts.
fn check_place(place: &Place) -> Result<(), Error> {
    let parsed = Reference::parse(&format!("localhost/{place}"));
    parsed.map(drop).map_err(|error| {
        Error::new(format!("{place} is not a repository with a tag: {error}"))
            .help("write it as team/catalog:v4.19, in lower-case letters")
    })
}
