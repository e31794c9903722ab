//! One client, one runtime and one cache for a whole command.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use fbc_image::Image;
use fbc_image::image::PlatformName;
use fbc_registry::client::Settings;
use fbc_registry::{CachedImage, Client, CopyOptions, ImageCache, Origin, PlatformChoice, Reference};
use fbc_staging::StagedDirectory;
use oci_spec::image::Descriptor;

use crate::error::{Error, ErrorKind, system_words};
use crate::progress::{Count, ImageProgress, Progress};
use crate::reading::Reading;

use super::Session;

/// What a client for registries is made of.
pub struct Connection {
    /// Who is asked, and as whom.
    pub settings: Settings,
    /// Where blobs are kept.
    pub cache: ImageCache,
    /// The directory of the cache, if it goes with the session.
    pub scratch: Option<StagedDirectory>,
    /// How many blobs travel at the same time; without, as many as usual.
    pub parallel: Option<u8>,
    /// The wait before something is tried again that others are at, too.
    pub pause: Duration,
    /// Whether no registry may be asked.
    pub is_offline: bool,
    /// Who shows how far the work is.
    pub progress: Arc<dyn Progress>,
}

/// Makes a connection, the first time that somebody needs one.
pub type Connect = Box<dyn Fn() -> Result<Connection, Error> + Send + Sync>;

/// The client of a session, once somebody needs one.
pub(super) struct Registries {
    connect: Connect,
    open: OnceLock<OpenSession>,
}

impl Session {
    /// A session; images for several platforms are taken for the one that is named.
    #[must_use]
    pub fn new(reading: Reading, platform: Option<PlatformName>, connect: Connect) -> Self {
        Self { reading, platform, registries: Registries { connect, open: OnceLock::new() } }
    }

    /// The session with its client, made by the first call.
    ///
    /// # Errors
    /// What keeps a client from being made: files of credentials, registries or mirror sets that cannot be read, or no place
    /// for the cache.
    pub fn open(&self) -> Result<&OpenSession, Error> {
        let Registries { connect, open } = &self.registries;
        if let Some(open) = open.get() {
            return Ok(open);
        }
        let made = OpenSession::new(connect()?, self.reading.clone())?;
        Ok(open.get_or_init(|| made))
    }

    /// The image that a text means, with its manifests and configurations, and its name by digest; its layers may be missing.
    ///
    /// # Errors
    /// As [`Session::open`]; whatever keeps the image from being pulled.
    pub(crate) fn documents(
        &self,
        text: &str,
        wish: &PlatformChoice,
    ) -> Result<(Reference, CachedImage), Error> {
        self.open()?.documents(text, wish)
    }

    /// Brings the layers of an image into the cache.
    ///
    /// # Errors
    /// As [`Session::open`]; whatever keeps a layer from being pulled.
    pub(crate) fn layers(&self, pinned: &Reference, image: &Image) -> Result<(), Error> {
        self.open()?.layers(pinned, image)
    }
}

/// A client for registries with all that belongs to it.
pub struct OpenSession {
    reading: Reading,
    client: Client,
    runtime: tokio::runtime::Runtime,
    cache: ImageCache,
    /// Removed when the session ends.
    _scratch: Option<StagedDirectory>,
    parallel: Option<u8>,
    pause: Duration,
    is_offline: bool,
    progress: Arc<dyn Progress>,
    /// What references turned out to mean: one meaning for the whole run.
    meanings: Mutex<BTreeMap<String, Reference>>,
}

impl OpenSession {
    fn new(connection: Connection, reading: Reading) -> Result<Self, Error> {
        let Connection { settings, cache, scratch, parallel, pause, is_offline, progress } = connection;
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
                Error::new(format!(
                    "the system gives no means to wait for the network: {}",
                    system_words(&error)
                ))
                .of_kind(ErrorKind::System(error.kind()))
            })?;
        let client = Client::new(settings);
        let meanings = Mutex::default();
        Ok(Self {
            reading,
            client,
            runtime,
            cache,
            _scratch: scratch,
            parallel,
            pause,
            is_offline,
            progress,
            meanings,
        })
    }

    /// How catalogs are read.
    #[must_use]
    pub fn reading(&self) -> &Reading {
        &self.reading
    }

    /// The client.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// What a user means by a text: aliases and search registries count.
    pub fn reference(&self, text: &str) -> Result<Reference, Error> {
        Ok(self.client.reference(text)?)
    }

    /// The image that a text means, with its manifests and configurations; its layers may be missing. A tag means the
    /// same image as long as the process runs.
    pub fn documents(&self, text: &str, wish: &PlatformChoice) -> Result<(Reference, CachedImage), Error> {
        let known = self.meanings.lock().unwrap_or_else(PoisonError::into_inner).get(text).cloned();
        let reference = match known {
            Some(known) => known,
            None => self.reference(text)?,
        };
        let (root, image) = self.wait(self.cache.documents(self.origin(), &reference, wish))?;
        let pinned = reference.with_digest(root.digest().clone());
        self.meanings.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned(), pinned.clone());
        Ok((pinned, image))
    }

    /// The digest of the image that a text means at this moment, whatever it meant before.
    pub fn digest_now(&self, text: &str) -> Result<String, Error> {
        let reference = self.reference(text)?;
        if self.is_offline() {
            let (root, _) =
                self.wait(self.cache.documents(self.origin(), &reference, &PlatformChoice::Any))?;
            return Ok(root.digest().to_string());
        }
        Ok(self.wait(self.client.resolve(&reference))?.digest().to_string())
    }

    /// Refuses an image that the policy of signatures does not let be used. `text` is how it was named.
    pub fn admit(&self, text: &str, pinned: &Reference) -> Result<(), Error> {
        let (named, Some(digest)) = (self.reference(text)?, pinned.digest()) else { return Ok(()) };
        Ok(self.wait(self.client.admit(&named, digest)).map(drop)?)
    }

    /// Brings the layers of an image into the cache.
    pub fn layers(&self, reference: &Reference, image: &Image) -> Result<(), Error> {
        Ok(self.wait(self.cache.layers(self.origin(), reference, image, self.parallel()))?)
    }

    /// The images that are kept between commands.
    pub fn cache(&self) -> &ImageCache {
        &self.cache
    }

    /// Where images come from that are not in the cache.
    pub fn origin(&self) -> Origin<'_> {
        match self.is_offline() {
            true => Origin::Nowhere,
            false => Origin::Registry(&self.client),
        }
    }

    /// Whether no registry may be asked.
    pub fn is_offline(&self) -> bool {
        self.is_offline
    }

    /// How many blobs travel at the same time.
    pub fn parallel(&self) -> usize {
        self.parallel.map_or(CopyOptions::default().parallel, usize::from)
    }

    /// Says that an image begins to travel, where somebody watches.
    #[must_use]
    pub fn image_progress(&self, name: &str, blobs: &[Descriptor]) -> Option<Box<dyn ImageProgress>> {
        self.progress.image(name, blobs)
    }

    /// Says that so many images begin to travel.
    #[must_use]
    pub fn image_count(&self, images: usize) -> Option<Box<dyn Count>> {
        self.progress.images(images)
    }

    /// Says that so many questions about images are asked.
    #[must_use]
    pub fn question_count(&self, questions: usize) -> Option<Box<dyn Count>> {
        self.progress.questions(questions)
    }

    /// Waits until others have had the time to do what they are at.
    pub fn wait_a_little(&self) {
        if !self.pause.is_zero() {
            // The timer belongs to the runtime, so it is made inside.
            self.runtime.block_on(async { tokio::time::sleep(self.pause).await });
        }
    }

    /// Runs a future to its end. All of them share their connections.
    pub fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        let outcome = self.runtime.block_on(future);
        self.progress.clear();
        outcome
    }
}
