//! One client, one runtime and one cache for a whole command.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use fbc_image::Image;
use fbc_image::image::PlatformName;
use fbc_image::registry::client::Settings;
use fbc_image::registry::{
    CachedImage, Client, CopyOptions, Credentials, ImageCache, Origin, PlatformChoice, Reference, Registries,
    RetryPolicy, Security,
};
use oci_spec::image::Descriptor;

use super::logins::Logins;
use super::places::Places;
use super::progress::{ImageBar, ImageCount, Progress};
use super::signature_policy::SignaturePolicy;
use super::tokio_clock::TokioClock;
use super::{RegistryArguments, SignatureArguments};
use crate::failure::{Failure, words};

/// What flags say; the default is that of a command without flags.
#[derive(Clone, Debug, Default)]
pub(super) struct Flags {
    pub(super) registry: RegistryArguments,
    pub(super) logins: Logins,
    /// The platform of images for several.
    pub(super) platform: Option<PlatformName>,
    /// How many blobs travel at the same time.
    pub(super) parallel: Option<u8>,
    /// Blobs are sent in parts of this size, in bytes.
    pub(super) chunk_size: Option<u64>,
    /// Which signatures images must have that are copied; who only reads images asks for none.
    pub(super) signatures: Option<SignatureArguments>,
}

/// How a command gets images. A command makes one of its flags and passes it to whatever may meet the name of an image,
/// so that connections, tokens and the cache are shared. Nothing is read or asked before [`Session::open`].
#[derive(Default)]
pub(crate) struct Session {
    flags: Flags,
    open: OnceLock<OpenSession>,
}

impl Session {
    pub(super) fn new(flags: Flags) -> Self {
        Self { flags, open: OnceLock::new() }
    }

    /// The platform of images that are read, if a flag names one.
    pub(crate) fn platform(&self) -> Option<&PlatformName> {
        self.flags.platform.as_ref()
    }

    /// The session with its client, made by the first call.
    ///
    /// # Errors
    /// Files of credentials, registries or mirror sets that cannot be read, credentials of flags for no or several
    /// registries, and no place for the cache.
    pub(crate) fn open(&self) -> Result<&OpenSession, Failure> {
        if let Some(open) = self.open.get() {
            return Ok(open);
        }
        let open = OpenSession::new(self.flags.clone())?;
        Ok(self.open.get_or_init(|| open))
    }
}

/// A client for registries with all that belongs to it.
pub(crate) struct OpenSession {
    client: Client,
    runtime: tokio::runtime::Runtime,
    cache: ImageCache,
    parallel: Option<u8>,
    /// The wait before something is tried again.
    pause: Duration,
    is_offline: bool,
    progress: Arc<Progress>,
    /// What references turned out to mean: one meaning for the whole run.
    meanings: Mutex<BTreeMap<String, Reference>>,
}

impl OpenSession {
    fn new(settled: Flags) -> Result<Self, Failure> {
        let flags = &settled.registry;
        let Places { credentials, registries, trust, proxies, is_offline } = flags.places();
        let mut settings = Settings::new(Arc::new(TokioClock));
        if let Some(named) = &flags.registries_conf {
            check_file("--registries-conf", named)?;
        }
        if let Some(folder) = &flags.cert_dir
            && !folder.is_dir()
        {
            return Err(Failure::new(format!("--cert-dir {} is not a directory", folder.display()))
                .help("name the directory that holds ca.crt"));
        }
        settings.registries = Registries::read(&registries)?;
        settings.credentials = Credentials::read(&credentials)?;
        settled.logins.add_to(&mut settings.credentials, &settings.registries)?;
        settings.trust = trust;
        settings.proxies = proxies;
        settings.security = match (flags.plain_http, flags.insecure_skip_tls_verify, flags.tls_verify) {
            (true, _, _) => Some(Security::PlainHttp),
            (_, true, _) | (_, _, Some(false)) => Some(Security::Unverified),
            (_, _, Some(true)) => Some(Security::Verified),
            (_, _, None) => None,
        };
        let usual = RetryPolicy::default();
        settings.retry = RetryPolicy {
            attempts: flags.retry.map_or(usual.attempts, |retries| retries + 1),
            first_delay: flags.retry_delay.unwrap_or(usual.first_delay),
            ..usual
        };
        if let Some(stall) = flags.stall_timeout {
            settings.timeouts.stall = stall;
            settings.timeouts.answer = settings.timeouts.answer.max(stall);
        }
        settings.blob_limit = flags.max_blob_size.unwrap_or(settings.blob_limit);
        settings.chunk_size = settled.chunk_size;
        if let Some(signatures) = settled.signatures.filter(|signatures| !signatures.insecure_policy) {
            let paths = signatures.places();
            settings.guard = Some(Arc::new(SignaturePolicy::read(&paths, is_offline)?));
        }
        let progress = Arc::new(Progress::new());
        settings.observer = Arc::<Progress>::clone(&progress);
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
                Failure::new(format!("the system gives no means to wait for the network: {}", words(&error)))
            })?;
        let cache = flags.cache.images()?;
        let pause = settings.retry.first_delay;
        let client = Client::new(settings);
        let parallel = settled.parallel;
        Ok(Self { pause, client, runtime, cache, parallel, is_offline, progress, meanings: Mutex::default() })
    }

    /// The client.
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// What a user means by a text: aliases and search registries count.
    pub(crate) fn reference(&self, text: &str) -> Result<Reference, Failure> {
        Ok(self.client.reference(text)?)
    }

    /// The image that a text means, with its manifests and configurations; its layers may be missing. A tag means the
    /// same image as long as the process runs.
    pub(crate) fn documents(
        &self,
        text: &str,
        wish: &PlatformChoice,
    ) -> Result<(Reference, CachedImage), Failure> {
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
    pub(crate) fn digest_now(&self, text: &str) -> Result<String, Failure> {
        let reference = self.reference(text)?;
        if self.is_offline() {
            let (root, _) =
                self.wait(self.cache.documents(self.origin(), &reference, &PlatformChoice::Any))?;
            return Ok(root.digest().to_string());
        }
        Ok(self.wait(self.client.resolve(&reference))?.digest().to_string())
    }

    /// Refuses an image that the policy of signatures does not let be used. `text` is how it was named.
    pub(crate) fn admit(&self, text: &str, pinned: &Reference) -> Result<(), Failure> {
        let (named, Some(digest)) = (self.reference(text)?, pinned.digest()) else { return Ok(()) };
        Ok(self.wait(self.client.admit(&named, digest)).map(drop)?)
    }

    /// Brings the layers of an image into the cache.
    pub(crate) fn layers(&self, reference: &Reference, image: &Image) -> Result<(), Failure> {
        Ok(self.wait(self.cache.layers(self.origin(), reference, image, self.parallel()))?)
    }

    /// The images that are kept between commands.
    pub(crate) fn cache(&self) -> &ImageCache {
        &self.cache
    }

    /// Where images come from that are not in the cache.
    pub(crate) fn origin(&self) -> Origin<'_> {
        match self.is_offline() {
            true => Origin::Nowhere,
            false => Origin::Registry(&self.client),
        }
    }

    /// Whether no registry may be asked.
    pub(crate) fn is_offline(&self) -> bool {
        self.is_offline
    }

    /// How many blobs travel at the same time.
    pub(crate) fn parallel(&self) -> usize {
        self.parallel.map_or(CopyOptions::default().parallel, usize::from)
    }

    /// Draws one bar for all blobs of an image, where bars are drawn.
    pub(crate) fn image_bar(&self, name: &str, blobs: &[Descriptor]) -> Option<ImageBar> {
        self.progress.image(name, blobs)
    }

    /// Draws how many of so many images are done, where bars are drawn.
    pub(crate) fn image_count(&self, images: usize) -> ImageCount {
        self.progress.count(images)
    }

    /// Waits until others have had the time to do what they are at. Processes wait differently long, so that they do not
    /// get into each other's way again.
    pub(crate) fn wait_a_little(&self) {
        let share = std::process::id() % 16;
        let wait = self.pause + self.pause * share / 16;
        if !wait.is_zero() {
            // The timer belongs to the runtime, so it is made inside.
            self.runtime.block_on(async { tokio::time::sleep(wait).await });
        }
    }

    /// Runs a future to its end. All of them share their connections.
    pub(crate) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        let outcome = self.runtime.block_on(future);
        self.progress.clear();
        outcome
    }
}

/// Refuses a file that a flag names and that is not there.
fn check_file(flag: &str, path: &Path) -> Result<(), Failure> {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(()),
        Ok(_) => Err(Failure::new(format!("{flag} {} is not a file", path.display()))),
        Err(error) => Err(Failure::io("read", path, &error)),
    }
}
