//! Carries out a plan or what a directory holds, image by image, and says what came of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fbc_image::ImageSource as _;
use fbc_image::layout::LayoutFolder;
use fbc_registry::copy::RegistryImage;
use fbc_registry::observer::BlobOutcome;
use fbc_registry::{LocalImage, Reference};
use fbc_source::Error;
use futures_util::stream::{self, Stream, StreamExt as _};

use super::copy_error::{CopyError, Kind};
use super::increment::Increment;
use super::record::{CatalogForm, Copied, Document, Holders};
use super::transfer::{Arrived, Blobs, Transfer};
use super::{Place, Plan};

/// What a run came to.
#[derive(Default)]
pub struct Done {
    /// What is at the destination now.
    pub copied: Vec<Copied>,
    /// What is attached to these images: signatures, attestations, SBOMs.
    pub attached: Vec<Copied>,
    /// How many of these were not there before, whole.
    pub new: usize,
    /// What is not, and why.
    pub failed: Vec<(String, Error)>,
    /// Images that do not exist, where that is all right.
    pub missing: Vec<(String, Error)>,
    /// Catalogs that were not copied, because images are missing.
    pub withheld: Vec<String>,
    /// Blobs that travelled.
    pub sent: usize,
    /// Blobs that were there already.
    pub present: usize,
    /// Where the blobs belong that a directory holds.
    pub blobs: Holders,
    /// What users should know.
    pub warnings: BTreeSet<String>,
}

type Outcome = Result<Arrived, CopyError>;

impl Transfer<'_> {
    /// Copies what a plan names: catalogs last, so that a catalog never arrives before its images, and not at all if one of
    /// these could not be copied, unless it does not exist and that is all right, or nobody could ever pull it. A destination that cannot be reached
    /// ends the run.
    pub fn carry_out(self, plan: &Plan) -> Result<Done, Error> {
        let mut done = Done::default();
        let count = self.session.image_count(plan.images.len());
        let copies = stream::iter(&plan.images).map(async |(name, (reference, place))| {
            let image = RegistryImage::new(self.session.client(), reference);
            let outcome = self.copy_with_attached(&image, reference, place).await;
            if let Some(count) = &count {
                count.advance();
            }
            ((name, place), outcome)
        });
        let copies = copies.buffer_unordered(self.options.at_once.max(1));
        for ((name, place), outcome) in self.session.wait(until_no_destination(copies))? {
            let outcome = outcome.map_err(|error| plan.with_needs_of_copy(name, error));
            done.take(name, outcome, place, Some(name.clone()), None, self.options.skips_missing)?;
        }
        drop(count);
        let lacking = plan.lacking(done.failed.iter().map(|(image, _)| image.as_str()));
        for (image, error) in &plan.unusable {
            let error = CopyError { error: plan.with_needs(image, error.clone()), kind: Kind::Missing };
            done.fail(image, error, self.options.skips_missing)?;
        }
        for catalog in &plan.catalogs {
            let name = catalog.source.as_ref().map(Reference::to_string);
            let shown = catalog.name();
            if lacking.contains(&shown) {
                done.withheld.push(shown);
                continue;
            }
            let (form, outcome) = self.copy_catalog(catalog);
            done.take(&shown, outcome, &catalog.place, name, Some(form), false)?;
        }
        Ok(self.end(done))
    }

    /// Copies an image and what is attached to it.
    pub(super) async fn copy_with_attached(
        &self,
        image: &RegistryImage,
        reference: &Reference,
        place: &Place,
    ) -> Outcome {
        let mut arrived = self.copy(image, place, &self.options.copy).await?;
        if self.options.leaves_attached {
            return Ok(arrived);
        }
        let blobs = self.copy_attached(reference, &arrived.manifests, place).await;
        arrived.blobs.extend(blobs.map_err(|error| {
            CopyError {
                error: error
                    .error
                    .within("its attached artifacts")
                    .help("--without-attached copies images without signatures, attestations and SBOMs"),
                // The image itself exists.
                kind: if error.kind == Kind::Missing { Kind::Other } else { error.kind },
            }
        })?);
        Ok(arrived)
    }

    /// Copies what a directory holds: images first, then what is attached to them, and catalogs last, as
    /// [`carry_out`](Self::carry_out) does.
    pub fn carry_over(self, folder: &Path, document: &Document) -> Result<Done, Error> {
        let mut done = Done::default();
        let (catalogs, others): (Vec<&Copied>, Vec<&Copied>) =
            document.images.iter().partition(|one| one.catalog.is_some());
        let (attached, images): (Vec<&Copied>, Vec<&Copied>) =
            others.into_iter().partition(|one| one.is_attached);
        let count = self.session.image_count(images.len());
        for (part, count) in [(images, &count), (attached, &None)] {
            let copies = stream::iter(part).map(async |one| {
                let outcome = self.carry_one(folder, one).await;
                if let Some(count) = count {
                    count.advance();
                }
                (one, outcome)
            });
            let copies = copies.buffer_unordered(self.options.at_once.max(1));
            for (one, outcome) in self.session.wait(until_no_destination(copies))? {
                done.take_carried(one, outcome)?;
            }
        }
        drop(count);
        for one in catalogs {
            match done.failed.is_empty() {
                true => done.take_carried(one, self.session.wait(self.carry_one(folder, one)))?,
                false => done.withheld.push(one.shown().to_owned()),
            }
        }
        done.copied.extend(document.carried.iter().filter(|one| !one.is_attached).cloned());
        Ok(self.end(done))
    }

    async fn carry_one(&self, folder: &Path, one: &Copied) -> Outcome {
        let place = one.place();
        // An image of two sources has one place: the second finds everything there.
        let _turn = self.turn(place.to_string()).await;
        let layout = LayoutFolder::open(folder, Some(&place.to_string()))?;
        check_digest(&layout, one)?;
        let image = LocalImage { source: &layout, shown: place.to_string() };
        let image = Increment { image: &image, earlier: self.earlier };
        if !one.is_attached {
            return self.copy(&image, &place, &self.options.copy).await;
        }
        let blobs = self.copy_recorded(&image, place).await?;
        let is_new = blobs.values().any(|outcome| *outcome != BlobOutcome::Existed);
        Ok(Arrived { digest: one.digest.clone(), manifests: Vec::new(), blobs, is_carried: false, is_new })
    }

    fn end(self, mut done: Done) -> Done {
        done.attached.extend(self.attached.into_inner().into_values());
        done.warnings = self.warnings.into_inner();
        done.blobs = self.blobs.into_inner();
        done
    }
}

/// The outcomes in the order of what they belong to; a destination that cannot be reached ends the wait for the others.
async fn until_no_destination<K: Ord>(
    mut copies: impl Stream<Item = (K, Outcome)> + Unpin,
) -> Result<BTreeMap<K, Outcome>, Error> {
    let mut outcomes = BTreeMap::new();
    while let Some((key, outcome)) = copies.next().await {
        match outcome {
            Err(CopyError { error, kind: Kind::NoDestination }) => return Err(error),
            outcome => outcomes.insert(key, outcome),
        };
    }
    Ok(outcomes)
}

/// Refuses an image that is not the one that was carried.
fn check_digest(layout: &LayoutFolder, recorded: &Copied) -> Result<(), Error> {
    let found = layout.root().digest().to_string();
    if found == recorded.digest {
        return Ok(());
    }
    Err(Error::refusal(format!("the directory holds {found}, and its record says {}", recorded.digest))
        .help("write the directory again with `fbc mirror --to-dir`"))
}

impl Done {
    /// Whether there is anything that earlier directories did not bring.
    pub fn has_news(&self) -> bool {
        self.copied.iter().chain(&self.attached).any(|one| !one.is_carried)
    }

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
    ) -> Result<(), Error> {
        match outcome {
            Ok(Arrived { digest, blobs, is_carried, is_new, .. }) => {
                self.count(&blobs);
                self.new += usize::from(is_new);
                let Place { repository, tag } = place.clone();
                self.copied.push(Copied {
                    source,
                    repository,
                    tag,
                    digest,
                    catalog,
                    is_attached: false,
                    is_carried,
                });
                Ok(())
            }
            Err(error) => self.fail(shown, error, skips_missing),
        }
    }

    /// Notes what came of what a directory holds.
    fn take_carried(&mut self, one: &Copied, outcome: Outcome) -> Result<(), Error> {
        match outcome {
            Ok(arrived) if one.is_attached => {
                self.count(&arrived.blobs);
                Ok(())
            }
            outcome => self.take(one.shown(), outcome, &one.place(), one.source.clone(), one.catalog, false),
        }
    }

    fn count(&mut self, blobs: &Blobs) {
        let sent = blobs.values().filter(|outcome| **outcome == BlobOutcome::Transferred).count();
        self.sent += sent;
        self.present += blobs.len() - sent;
    }

    fn fail(&mut self, shown: &str, error: CopyError, skips_missing: bool) -> Result<(), Error> {
        let told = match error.kind {
            Kind::NoDestination => return Err(error.error),
            Kind::Missing if skips_missing => &mut self.missing,
            _ => &mut self.failed,
        };
        told.push((shown.to_owned(), error.error));
        Ok(())
    }
}
