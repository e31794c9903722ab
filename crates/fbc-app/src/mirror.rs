//! Mirroring: what is to be copied of the catalogs and images that are named.

use fbc_go::regexp::Pattern;
use fbc_lint::Profile;
use fbc_mirror::order::{ExtraImage, Packages};
use fbc_mirror::plan::Content;
use fbc_mirror::{Order, Plan, PlanError};
use fbc_source::{CatalogSource, Error, OpenSession, Session};

use crate::checked::{all_the_same, check_loaded, not_valid, part_not_valid, tell_errors};
use crate::event::Event;
use crate::filter::refusal::error_of;
use crate::loading::{Loaded, Loader};
use crate::settings::Settings;

/// What is wanted.
pub struct Wanted {
    /// Catalogs, or parts of them.
    pub orders: Vec<Order>,
    /// Images besides those of catalogs.
    pub additional: Vec<ExtraImage>,
    /// Images that are left out.
    pub blocked: Vec<Pattern>,
    /// Whether images are copied that bundles use without listing them.
    pub unlisted: bool,
    /// Whether what is not a valid catalog is copied as well.
    pub skips_validation: bool,
}

/// The session, unless no registry may be asked.
///
/// # Errors
/// If none may be asked, or no client can be made.
pub fn online(session: &Session) -> Result<&OpenSession, Error> {
    let session = session.open()?;
    if session.is_offline() {
        return Err(Error::new("images are copied from and to registries, and --offline forbids that")
            .help("leave out --offline, or add --dry-run"));
    }
    Ok(session)
}

/// Whether opm takes a catalog that is built for the destination; if not, that is told. Images that are copied as they are
/// have been published by others: they are not judged here.
fn is_sound(order: &Order, source: CatalogSource, content: &Content, settings: &Settings) -> bool {
    let (Content::Folder(_, catalog) | Content::Blobs(catalog, _)) = content else { return true };
    if tell_errors(&check_loaded(&order.catalog, source, catalog, Profile::Opm), settings) {
        return true;
    }
    let refusal = match order.packages {
        Packages::All => not_valid(&order.catalog, "mirror"),
        _ => part_not_valid().help(all_the_same("mirror")),
    };
    settings.tell(Event::Refusal(refusal));
    false
}

/// What to do next in an ImageSetConfiguration, where flags would say it otherwise.
fn in_words_of_file(help: String) -> String {
    match help
        .split_once("`--default-channel ")
        .and_then(|(start, rest)| Some((start, rest.split_once('`')?)))
    {
        Some((start, (pair, rest))) => {
            let (package, channel) = pair.split_once('=').unwrap_or((pair, "CHANNEL"));
            format!("{start}`defaultChannel: {channel}` beside `name: {package}`{rest}")
        }
        None => help,
    }
}

/// What is to be copied; nothing after refusals that were told.
///
/// # Errors
/// If a source cannot be opened, or a place would be written twice.
pub fn plan(wanted: Wanted, session: &Session, settings: &Settings) -> Result<Option<Plan>, Error> {
    let Wanted { orders, additional, blocked, unlisted, skips_validation } = wanted;
    let mut plan = Plan::default();
    let mut is_whole = true;
    for order in &orders {
        let Some(Loaded { source, catalog, .. }) = Loader::new(session, settings).one(&order.catalog)? else {
            is_whole = false;
            continue;
        };
        match plan.add(order, catalog, unlisted, session) {
            Ok(()) if skips_validation => {}
            Ok(()) => {
                if let Some(selected) = plan.catalogs.last()
                    && !is_sound(order, source, &selected.content, settings)
                {
                    is_whole = false;
                }
            }
            Err(PlanError::Source(error)) => return Err(error),
            Err(PlanError::Selection(refusals, catalog)) => {
                is_whole = false;
                for refusal in &refusals {
                    // All are told; the exit code is that of all.
                    let refusal = error_of(refusal, &catalog);
                    settings.tell(Event::Refusal(match order.packages {
                        Packages::These(_) => refusal.map_help(in_words_of_file),
                        _ => refusal,
                    }));
                }
            }
        }
    }
    if !is_whole {
        return Ok(None);
    }
    for image in &additional {
        plan.add_extra(image, session)?;
    }
    plan.block(&blocked)?;
    plan.check_places()?;
    for absent in &plan.absent {
        settings.warn(Error::new(format!("{absent}; the rest is copied")));
    }
    if !plan.unlisted.is_empty() {
        let mut images = plan.unlisted.iter();
        let first = images.next().map(|image| format!("{image} is used and not listed, so it is not copied"));
        let error = Error::new(first.unwrap_or_default());
        settings.tell(Event::Hint(
            images
                .fold(error, |error, image| error.detail(format!("  nor is {image}")))
                .help("add --unlisted to copy these, too; `fbc images` shows which bundles use them"),
        ));
    }
    Ok(Some(plan))
}
