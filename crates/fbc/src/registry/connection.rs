//! A client for registries, made of the flags of a command and of the environment.

use std::path::Path;
use std::sync::Arc;

use fbc_image::image::PlatformName;
use fbc_registry::client;
use fbc_registry::{Credentials, Registries, RetryPolicy, Security};
use fbc_source::input_file::InputLimits;
use fbc_source::session::Connection;
use fbc_source::signature_policy::SignaturePolicy;
use fbc_source::{Error, Session};

use super::logins::Logins;
use super::places::Places;
use super::progress::{Progress, SharedProgress, Voice};
use super::tokio_clock::TokioClock;
use super::{PlainHttp, RegistryArguments, SignatureArguments};
use crate::settings::Settings;

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

/// How a command without flags asks registries.
pub(crate) fn usual_connection(quiet: bool, verbose: bool) -> Result<Connection, Error> {
    // No policy is read without flags.
    let input = fbc_app::settings::Budgets::default().input;
    Flags::default().connect(Voice::new(quiet, verbose), input)
}

impl Flags {
    /// How a command with these flags gets images. A command makes one session and passes it to whatever may meet the name of
    /// an image. Nothing is read or asked before it is opened.
    pub(super) fn session(self, settings: &Settings) -> Session {
        let platform = self.platform.clone();
        let reading = settings.reading();
        let (voice, input) = (Voice::new(settings.quiet, settings.verbose), settings.budgets.input);
        Session::new(reading, platform, Box::new(move || self.connect(voice, input)))
    }

    /// Credentials of flags for no or several registries are refused, and so are files that are not there.
    fn connect(&self, voice: Voice, input: InputLimits) -> Result<Connection, Error> {
        let flags = &self.registry;
        let Places { credentials, registries, trust, proxies, is_offline } = flags.places();
        let mut client = client::Settings::new(Arc::new(TokioClock));
        if let Some(named) = &flags.registries_conf {
            check_file("--registries-conf", named)?;
        }
        if let Some(folder) = &flags.cert_dir
            && !folder.is_dir()
        {
            return Err(Error::new(format!("--cert-dir {} is not a directory", folder.display()))
                .help("name the directory that holds ca.crt"));
        }
        client.registries = Registries::read(&registries)?;
        client.credentials = Credentials::read(&credentials)?;
        self.logins.add_to(&mut client.credentials, &client.registries)?;
        client.trust = trust;
        client.proxies = proxies;
        let is_plain = flags.plain_http.contains(&PlainHttp::All);
        client.plain_http = flags
            .plain_http
            .iter()
            .filter_map(|one| match one {
                PlainHttp::Registry(host) => Some(host.clone()),
                PlainHttp::All => None,
            })
            .collect();
        client.security = match (is_plain, flags.insecure_skip_tls_verify, flags.tls_verify) {
            (true, _, _) => Some(Security::PlainHttp),
            (_, true, _) | (_, _, Some(false)) => Some(Security::Unverified),
            (_, _, Some(true)) => Some(Security::Verified),
            (_, _, None) => None,
        };
        let usual = RetryPolicy::default();
        client.retry = RetryPolicy {
            attempts: flags.retry.map_or(usual.attempts, |retries| retries + 1),
            first_delay: flags.retry_delay.unwrap_or(usual.first_delay),
            ..usual
        };
        if let Some(stall) = flags.stall_timeout {
            client.timeouts.stall = stall;
            client.timeouts.answer = client.timeouts.answer.max(stall);
        }
        client.blob_limit = flags.max_blob_size.unwrap_or(client.blob_limit);
        client.chunk_size = self.chunk_size;
        if let Some(signatures) = self.signatures.as_ref().filter(|signatures| !signatures.insecure_policy) {
            let (paths, clock) = (signatures.places(), Arc::clone(&client.clock));
            let policy = SignaturePolicy::read(&paths, input, is_offline, clock)?;
            client.guard = Some(Arc::new(policy));
        }
        let progress = Arc::new(SharedProgress(Arc::new(Progress::new(voice))));
        client.observer = Arc::<SharedProgress>::clone(&progress);
        let (cache, scratch) = flags.cache.images_or_scratch()?;
        // Processes wait differently long, so that they do not get into each other's way again.
        let share = std::process::id() % 16;
        let pause = client.retry.first_delay + client.retry.first_delay * share / 16;
        Ok(Connection {
            settings: client,
            cache,
            scratch,
            parallel: self.parallel,
            pause,
            is_offline,
            progress,
        })
    }
}

/// Refuses a file that a flag names and that is not there.
fn check_file(flag: &str, path: &Path) -> Result<(), Error> {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(()),
        Ok(_) => Err(Error::new(format!("{flag} {} is not a file", path.display()))),
        Err(error) => Err(Error::io("read", path, &error)),
    }
}
