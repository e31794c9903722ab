//! A catalog while it is served: loaded, looked at, loaded again.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use fbc_app::memory;
use fbc_app::settings::Settings;
use fbc_serve::catalogs::store::Store;
use fbc_serve::current::Current;
use fbc_serve::registry::Registry;
use fbc_source::Error;
use fbc_source::{CatalogSource, Session};

use super::content::{Content, Wanted};
use super::encryption::Encryption;
use super::health::Health;
use super::pages::Site;
use super::watch::{Origin, State};

/// Opens the files of a catalog.
type Open = dyn Fn(&Session) -> Result<CatalogSource, Error> + Send;

/// A catalog that is served.
pub struct Served {
    /// The name under which catalogd's API has it.
    pub name: String,
    /// The files, opened anew for each load.
    pub open: Box<Open>,
    /// Where they come from.
    pub origin: Origin,
    /// How images are pulled. A session keeps what a tag means; each look needs one of its own.
    pub session: Box<dyn Fn() -> Session + Send>,
}

impl Served {
    /// A directory under its own name.
    pub fn directory(root: PathBuf, settings: &Settings) -> Self {
        let settings = settings.clone();
        let name =
            root.canonicalize().ok().and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
        Self {
            name: name.unwrap_or_else(|| "catalog".to_owned()),
            origin: Origin::Path(root.clone()),
            open: Box::new(move |session| CatalogSource::open(&root, session)),
            session: Box::new(move || settings.session()),
        }
    }
}

/// A catalog while it is served.
pub(super) struct Slot {
    pub(super) served: Served,
    pub(super) wanted: Wanted,
    pub(super) seen: Option<State>,
    pub(super) registry: Option<Arc<Current<Registry>>>,
    pub(super) store: Option<Arc<Current<Store>>>,
    pub(super) site: Option<Arc<Current<Site>>>,
}

impl Slot {
    /// Loads the catalog for the first time.
    pub(super) fn start(&mut self, health: &Health) -> Result<(), Error> {
        let session = (self.served.session)();
        // What cannot be looked at cannot be loaded either, which is said better.
        self.seen = self.served.origin.state(&session).ok().flatten();
        let source = self.open(&session, health)?;
        self.load(&source, health)
    }

    fn open(&self, session: &Session, health: &Health) -> Result<CatalogSource, Error> {
        let opened = (self.served.open)(session);
        opened.inspect_err(|failure| health.refused(&self.served.name, failure.message()))
    }

    /// Loads the catalog and puts it in the place of what is served.
    fn load(&self, source: &CatalogSource, health: &Health) -> Result<(), Error> {
        let begun = Instant::now();
        let content = Content::load(source.tree.as_ref(), self.wanted, SystemTime::now())
            .map_err(|fault| fault.into_failure(&self.served.name))
            .inspect_err(|failure| health.refused(&self.served.name, &failure.line()))?;
        if let (Some(current), Some(registry)) = (&self.registry, content.registry) {
            current.set(registry);
        }
        if let (Some(current), Some(store)) = (&self.store, content.store) {
            current.set(store);
        }
        if let (Some(current), Some(catalog)) = (&self.site, content.catalog) {
            current.set(Arc::new(Site::new(&self.served.name, catalog)));
        }
        health.loaded(&self.served.name);
        memory::give_back();
        let (catalog, millis) = (self.served.name.as_str(), begun.elapsed().as_millis());
        let (packages, bundles) = (content.packages, content.bundles);
        tracing::info!(catalog, packages, bundles, millis, "loaded");
        if packages == 0 && bundles == 0 {
            // opm serves it too; a wrong path should not stay unnoticed.
            tracing::warn!(catalog, "the catalog has no packages and no bundles");
        }
        Ok(())
    }

    /// Loads the catalog again if what it comes from changed. A refusal leaves the old one in place.
    fn refresh(&mut self, health: &Health) {
        let session = (self.served.session)();
        let catalog = self.served.name.as_str();
        let state = match self.served.origin.state(&session) {
            Ok(state) => state,
            Err(failure) => {
                let error = failure.message();
                tracing::error!(catalog, error, "cannot tell whether the catalog changed; the old one stays");
                return;
            }
        };
        if state.is_some() && state == self.seen {
            tracing::debug!(catalog, "unchanged");
            return;
        }
        let source = match self.open(&session, health) {
            Ok(source) => source,
            // Such as a registry that does not answer: the same state is tried again next time.
            Err(failure) => {
                let error = failure.message();
                tracing::error!(catalog, error, "the new content cannot be read; the old one stays");
                return;
            }
        };
        if let Err(failure) = self.load(&source, health) {
            let error = failure.line();
            tracing::error!(catalog, error, "the new content is refused; the old one stays");
        }
        self.seen = state;
    }
}

/// Looks for changes, again and again.
pub(super) async fn keep_current(
    mut slots: Vec<Slot>,
    mut encryption: Option<Encryption>,
    poll: Duration,
    health: Arc<Health>,
) {
    loop {
        tokio::time::sleep(poll).await;
        let health = Arc::clone(&health);
        let looked = tokio::task::spawn_blocking(move || {
            slots.iter_mut().for_each(|slot| slot.refresh(&health));
            encryption.iter_mut().for_each(Encryption::refresh);
            (slots, encryption)
        });
        match looked.await {
            Ok(back) => (slots, encryption) = back,
            Err(error) => {
                tracing::error!(%error, "changes are not looked for any more");
                return;
            }
        }
    }
}
