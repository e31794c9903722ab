//! One client, one runtime and one cache for the whole process.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use fbc_image::Image;
use fbc_image::image::PlatformName;
use fbc_image::registry::client::Settings;
use fbc_image::registry::{
    CachedImage, Client, CopyOptions, Credentials, ImageCache, Origin, PlatformWish, Reference, Registries,
    RetryPolicy, Security,
};

use super::RegistryArguments;
use super::environment::{Environment, user_number};
use super::progress::Progress;
use super::tokio_clock::TokioClock;
use crate::failure::{Failure, words};

/// What flags say; the default is that of a command without flags.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settled {
    pub(crate) registry: RegistryArguments,
    /// The platform of images for several.
    pub(crate) platform: Option<PlatformName>,
    /// How many blobs travel at the same time.
    pub(crate) parallel: Option<u8>,
    /// Blobs are sent in parts of this size, in bytes.
    pub(crate) chunk_size: Option<u64>,
}

static SETTLED: OnceLock<Settled> = OnceLock::new();
static SESSION: OnceLock<Session> = OnceLock::new();

/// Settles how this process speaks to registries; the first call counts.
pub(crate) fn settle(settled: Settled) {
    let _ = SETTLED.set(settled);
}

/// The platform of images that are read, if a flag names one.
pub(crate) fn settled_platform() -> Option<&'static PlatformName> {
    SETTLED.get()?.platform.as_ref()
}

/// The session of this process. Nothing is read or asked before the first call.
///
/// # Errors
/// Files of credentials, registries or mirror sets that cannot be read, and no place for the cache.
pub(crate) fn session() -> Result<&'static Session, Failure> {
    if let Some(session) = SESSION.get() {
        return Ok(session);
    }
    let session = Session::new(SETTLED.get().cloned().unwrap_or_default())?;
    Ok(SESSION.get_or_init(|| session))
}

/// A client for registries with all that belongs to it.
pub(crate) struct Session {
    client: Client,
    runtime: tokio::runtime::Runtime,
    cache: ImageCache,
    settled: Settled,
    is_offline: bool,
    progress: Arc<Progress>,
    /// What references turned out to mean: one meaning for the whole run.
    meanings: Mutex<BTreeMap<String, Reference>>,
}

impl Session {
    fn new(settled: Settled) -> Result<Self, Failure> {
        let flags = &settled.registry;
        let variable = |name: &str| std::env::var_os(name);
        let environment = Environment { variable: &variable, user: user_number() };
        let mut settings = Settings::new(Arc::new(TokioClock));
        settings.credentials = match &flags.creds {
            Some(given) => Credentials::fixed(&given.user, &given.password),
            None => Credentials::read(&environment.credentials(flags.authfile.as_deref()))?,
        };
        if let Some(named) = &flags.registries_conf {
            check_file("--registries-conf", named)?;
        }
        if let Some(folder) = &flags.cert_dir
            && !folder.is_dir()
        {
            return Err(Failure::new(format!("--cert-dir {} is no folder", folder.display()))
                .help("name the folder that holds ca.crt"));
        }
        settings.registries =
            Registries::read(&environment.registries(flags.registries_conf.as_deref(), &flags.mirror_set))?;
        settings.trust = environment.trust(flags.cert_dir.as_deref());
        settings.proxies = environment.proxies();
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
        settings.chunk_size = settled.chunk_size;
        let progress = Arc::new(Progress::new());
        settings.observer = Arc::<Progress>::clone(&progress);
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
                Failure::new(format!("the system gives no means to wait for the network: {}", words(&error)))
            })?;
        let cache = flags.cache.images()?;
        let client = Client::new(settings);
        let is_offline = flags.offline || environment.is_offline();
        Ok(Self { client, runtime, cache, settled, is_offline, progress, meanings: Mutex::default() })
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
        wish: &PlatformWish,
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
        self.settled.parallel.map_or(CopyOptions::default().parallel, usize::from)
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
        Ok(_) => Err(Failure::new(format!("{flag} {} is no file", path.display()))),
        Err(error) => Err(Failure::io("read", path, &error)),
    }
}
