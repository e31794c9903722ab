//! The client: one object for all registries of a run.

use std::collections::BTreeSet;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::LocalBoxFuture;
use oci_spec::image::{Descriptor, Digest};
use url::Url;

use crate::blob::{BlobSource, BlobTarget};
use crate::credentials::Credentials;
use crate::download::RegistryBlob;
use crate::error::{Pending, Problem, RegistryError, Result};
use crate::manifest::FetchedManifest;
use crate::mirrors::{Endpoint, Registries, Security};
use crate::observer::{BlobOutcome, Observer};
use crate::reference::Reference;
use crate::retry::{Clock, RetryPolicy};
use crate::transport::{Proxies, SharedTransport, Timeouts, Transport};
use crate::trust::TrustSettings;
use crate::upload::Upload;

/// All that a client needs to know.
pub struct Settings {
    /// Who we are.
    pub credentials: Credentials,
    /// Mirrors and their like.
    pub registries: Registries,
    /// Whom we believe.
    pub trust: TrustSettings,
    /// `--plain-http` or `--tls-verify=false` for every registry; none leaves it to `registries`.
    pub security: Option<Security>,
    /// The same for registries that are pulled from, before what holds for every registry.
    pub pull_security: Option<Security>,
    /// The same for registries that are pushed to.
    pub push_security: Option<Security>,
    /// `--plain-http=HOST`: registries, as `HOST[:PORT]`, that are spoken to over HTTP whatever else holds.
    pub plain_http: BTreeSet<String>,
    /// Servers in between.
    pub proxies: Proxies,
    /// When slowness is a failure.
    pub timeouts: Timeouts,
    /// How often things are tried.
    pub retry: RetryPolicy,
    /// A larger manifest is refused, in bytes; 4 MiB is what registries accept.
    pub manifest_limit: u64,
    /// A larger blob is refused, in bytes.
    pub blob_limit: u64,
    /// Blobs are sent in parts of this size, in bytes; none sends each as one, which only some proxies refuse.
    pub chunk_size: Option<u64>,
    /// What the client calls itself.
    pub user_agent: String,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Who is told.
    pub observer: Arc<dyn Observer>,
    /// Who decides which images may be copied; without, all may.
    pub guard: Option<Arc<dyn Guard>>,
}

impl Settings {
    /// No credentials, no mirrors, no proxies, the usual limits.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            credentials: Credentials::none(),
            registries: Registries::default(),
            trust: TrustSettings::default(),
            security: None,
            pull_security: None,
            push_security: None,
            plain_http: BTreeSet::new(),
            proxies: Proxies::default(),
            timeouts: Timeouts::default(),
            retry: RetryPolicy::default(),
            manifest_limit: 4 * 1024 * 1024,
            blob_limit: crate::limits::BLOB_BYTES,
            chunk_size: None,
            user_agent: concat!("fbc/", env!("CARGO_PKG_VERSION")).to_owned(),
            clock,
            observer: Arc::new(super::NoObserver),
            guard: None,
        }
    }

    /// An endpoint that is spoken to as these settings say.
    fn secured(&self, endpoint: Endpoint, of_side: Option<Security>) -> Endpoint {
        let is_plain = self.plain_http.contains(endpoint.reference.registry());
        let wanted = if is_plain { Some(Security::PlainHttp) } else { of_side.or(self.security) };
        Endpoint { security: wanted.unwrap_or(endpoint.security), ..endpoint }
    }
}

/// Decides whether an image may be copied from a registry, such as by its signatures.
pub trait Guard: Send + Sync {
    /// Looks at an image by the name that it is asked for and the digest that this means; whether a signature was
    /// checked.
    ///
    /// # Errors
    /// [`Problem::Policy`] if it may not be copied; [`RegistryError`] if that cannot be found out.
    fn admit<'a>(
        &'a self,
        client: &'a Client,
        image: &'a Reference,
        digest: &'a Digest,
    ) -> LocalBoxFuture<'a, Result<bool>>;
}

/// A client for registries. It keeps connections and tokens, so one should serve a whole run.
#[derive(Clone)]
pub struct Client {
    pub(crate) transport: SharedTransport,
}

impl Client {
    /// A client; nothing is asked yet.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self { transport: Arc::new(Transport::new(settings)) }
    }

    /// Asks the guard whether an image may be copied; whether it checked a signature for that.
    ///
    /// # Errors
    /// [`Problem::Policy`] if it may not; [`RegistryError`].
    pub fn admit<'a>(&'a self, image: &'a Reference, digest: &'a Digest) -> Pending<'a, bool> {
        Box::pin(async move {
            match &self.transport.settings.guard {
                Some(guard) => guard.admit(self, image, digest).await,
                None => Ok(false),
            }
        })
    }

    /// What a user means by a text: aliases and search registries count.
    ///
    /// # Errors
    /// [`Problem::Reference`], [`Problem::Ambiguous`]
    pub fn reference(&self, text: &str) -> Result<Reference> {
        self.transport.settings.registries.resolve(text)
    }

    /// Media type, digest and size of what a reference means now.
    ///
    /// # Errors
    /// [`RegistryError`]; of all endpoints if there are mirrors.
    pub fn resolve<'a>(&'a self, reference: &'a Reference) -> Pending<'a, Descriptor> {
        Box::pin(async move {
            self.first("find the image", reference, async |endpoint| {
                self.transport.resolve_at(endpoint).await
            })
            .await
        })
    }

    /// The manifest or index, verified.
    ///
    /// # Errors
    /// As [`Client::resolve`]; also [`Problem::Digest`], [`Problem::Manifest`], [`Problem::TooLarge`].
    pub fn manifest<'a>(&'a self, reference: &'a Reference) -> Pending<'a, FetchedManifest> {
        Box::pin(async move {
            self.first("get the manifest", reference, async |endpoint| {
                self.transport.manifest_at(endpoint).await
            })
            .await
        })
    }

    /// The manifest in the place that the reference names; mirrors are not asked.
    ///
    /// # Errors
    /// [`RegistryError`]
    pub fn manifest_at_origin<'a>(&'a self, reference: &'a Reference) -> Pending<'a, FetchedManifest> {
        Box::pin(async move { self.transport.manifest_at(&self.push_endpoint(reference)?).await })
    }

    /// Whether mirrors are asked for an image.
    ///
    /// # Errors
    /// [`Problem::Blocked`]
    pub fn has_mirrors(&self, reference: &Reference) -> Result<bool> {
        Ok(self.pull_endpoints(reference)?.len() > 1)
    }

    /// All tags, in the order of the registry. Mirrors are not asked: they may hold fewer.
    ///
    /// # Errors
    /// [`RegistryError`]
    pub fn tags<'a>(&'a self, reference: &'a Reference) -> Pending<'a, Vec<String>> {
        Box::pin(async move { self.transport.tags_at(&self.push_endpoint(reference)?).await })
    }

    /// True if the repository itself has the blob.
    ///
    /// # Errors
    /// [`RegistryError`]
    pub fn has_blob<'a>(&'a self, reference: &'a Reference, descriptor: &'a Descriptor) -> Pending<'a, bool> {
        Box::pin(async move {
            let endpoint = self.push_endpoint(reference)?;
            self.upload(&endpoint, descriptor, &Bytes::new()).exists().await
        })
    }

    /// Brings a blob to a target, whole and verified. What the target holds already is not fetched again. If an
    /// endpoint gives wrong content the next one is asked; after an error the target holds nothing or a good beginning.
    ///
    /// # Errors
    /// [`RegistryError`]
    pub fn blob<'a>(
        &'a self,
        reference: &'a Reference,
        descriptor: &'a Descriptor,
        target: &'a mut dyn BlobTarget,
    ) -> Pending<'a, ()> {
        Box::pin(async move {
            let mut errors = Vec::new();
            for endpoint in self.pull_endpoints(reference)? {
                let (transport, descriptor) = (Arc::clone(&self.transport), descriptor.clone());
                let source = RegistryBlob { transport, endpoints: vec![endpoint.clone()], descriptor };
                match self.transport.fetch(&source, &source.descriptor, target).await {
                    Ok(()) => {
                        let observer = &self.transport.settings.observer;
                        observer.blob_done(source.descriptor.digest(), BlobOutcome::Transferred);
                        return Ok(());
                    }
                    Err(error) => self.note(&endpoint, error, &mut errors)?,
                }
            }
            Err(RegistryError::of_endpoints("get the blob", descriptor.digest().to_string(), errors))
        })
    }

    /// Sends a blob, if the registry has it neither here nor in `mount_from`, another repository of it.
    ///
    /// # Errors
    /// [`RegistryError`]
    pub fn put_blob<'a>(
        &'a self,
        reference: &'a Reference,
        descriptor: &'a Descriptor,
        source: &'a dyn BlobSource,
        mount_from: Option<&'a str>,
    ) -> Pending<'a, BlobOutcome> {
        Box::pin(async move {
            let endpoint = self.push_endpoint(reference)?;
            let outcome = self.upload(&endpoint, descriptor, source).run(mount_from).await?;
            self.transport.settings.observer.blob_done(descriptor.digest(), outcome);
            Ok(outcome)
        })
    }

    /// A blob as a source for something else, such as a copy; mirrors are asked in their order.
    ///
    /// # Errors
    /// [`Problem::Blocked`]
    pub fn blob_source(
        &self,
        reference: &Reference,
        descriptor: &Descriptor,
    ) -> Result<impl BlobSource + use<>> {
        let (transport, descriptor) = (Arc::clone(&self.transport), descriptor.clone());
        Ok(RegistryBlob { transport, endpoints: self.pull_endpoints(reference)?, descriptor })
    }

    /// Brings any source to a target with the retries and checks of a download.
    ///
    /// # Errors
    /// [`RegistryError`]
    pub fn fetch<'a>(
        &'a self,
        source: &'a dyn BlobSource,
        descriptor: &'a Descriptor,
        target: &'a mut dyn BlobTarget,
    ) -> Pending<'a, ()> {
        Box::pin(async move { self.transport.fetch(source, descriptor, target).await })
    }

    fn upload<'a>(
        &'a self,
        endpoint: &'a Endpoint,
        descriptor: &'a Descriptor,
        source: &'a dyn BlobSource,
    ) -> Upload<'a> {
        Upload { transport: &self.transport, endpoint, descriptor, source }
    }

    /// Where a reference is pulled from, in the order of asking.
    ///
    /// # Errors
    /// [`Problem::Blocked`]
    pub fn pull_endpoints(&self, reference: &Reference) -> Result<Vec<Endpoint>> {
        let settings = &self.transport.settings;
        let endpoints = settings.registries.pull_endpoints(reference)?;
        Ok(endpoints.into_iter().map(|endpoint| settings.secured(endpoint, settings.pull_security)).collect())
    }

    /// Where a reference is pushed to.
    ///
    /// # Errors
    /// [`Problem::Blocked`]
    pub fn push_endpoint(&self, reference: &Reference) -> Result<Endpoint> {
        let settings = &self.transport.settings;
        Ok(settings.secured(settings.registries.push_endpoint(reference)?, settings.push_security))
    }

    /// The first answer of an endpoint.
    async fn first<T>(
        &self,
        action: &str,
        reference: &Reference,
        ask: impl AsyncFn(&Endpoint) -> Result<T>,
    ) -> Result<T> {
        let mut errors = Vec::new();
        for endpoint in self.pull_endpoints(reference)? {
            match ask(&endpoint).await {
                Ok(found) => return Ok(found),
                Err(error) => self.note(&endpoint, error, &mut errors)?,
            }
        }
        Err(RegistryError::of_endpoints(action, reference.to_string(), errors))
    }

    /// Keeps the error of an endpoint; a local error is no reason to ask the next one.
    fn note(
        &self,
        endpoint: &Endpoint,
        error: Box<RegistryError>,
        errors: &mut Vec<RegistryError>,
    ) -> Result<()> {
        if matches!(error.problem, Problem::Io(_)) {
            return Err(error);
        }
        self.transport
            .settings
            .observer
            .next_endpoint(&endpoint.reference.name(), &error.problem.to_string());
        errors.push(*error);
        Ok(())
    }
}

impl Transport {
    /// The address of something at an endpoint.
    pub(crate) async fn address(&self, endpoint: &Endpoint, path: &str) -> Result<Url> {
        self.base(endpoint).await?.join(path).map_err(|error| {
            RegistryError::new(
                "use the registry",
                endpoint.reference.name(),
                Problem::Unexpected(error.to_string()),
            )
        })
    }
}

impl RegistryError {
    /// The errors of several endpoints as one; a single one stays as it is.
    pub(crate) fn of_endpoints(action: &str, place: String, mut errors: Vec<Self>) -> Box<Self> {
        match errors.pop() {
            Some(only) if errors.is_empty() => Box::new(only),
            Some(last) => {
                errors.push(last);
                Self::new(action, place, Problem::Endpoints(errors))
            }
            None => Self::new(action, place, Problem::Endpoints(errors)),
        }
    }
}

/// Runs a future to its end on this thread, with network and timers.
///
/// # Errors
/// If the system gives no means to wait for the network.
pub fn block_on<T>(future: impl Future<Output = T>) -> std::io::Result<T> {
    Ok(tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(future))
}
