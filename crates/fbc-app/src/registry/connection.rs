//! A client for registries, made of what is chosen and of what is around.

use std::path::Path;
use std::sync::Arc;

use fbc_registry::client;
use fbc_registry::{Clock, Credentials, ImageCache, Observer, Registries, RetryPolicy, Security};
use fbc_source::Error;
use fbc_source::input_file::InputLimits;
use fbc_source::progress::Progress;
use fbc_source::session::Connection;
use fbc_source::signature_policy::{SignaturePaths, SignaturePolicy};
use fbc_staging::StagedDirectory;

use super::logins::Logins;
use super::{PlainHttp, RegistryChoice, SignatureChoice};
use crate::doctor::Places;

/// What is around a client.
pub struct Surroundings<'s> {
    /// Where configurations lie.
    pub places: Places,
    /// Where the policy of signatures lies.
    pub signature_paths: &'s dyn Fn(&SignatureChoice) -> SignaturePaths,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Who hears of requests.
    pub observer: Arc<dyn Observer>,
    /// Who shows how far the work is.
    pub progress: Arc<dyn Progress>,
    /// Where blobs are kept, and the directory that goes with the session.
    pub cache: &'s dyn Fn() -> Result<(ImageCache, Option<StagedDirectory>), Error>,
    /// How large files of policies may be.
    pub input: InputLimits,
}

/// How registries are asked.
#[derive(Clone, Debug, Default)]
pub struct ConnectionChoice {
    /// How they are spoken to.
    pub registry: RegistryChoice,
    /// Users and passwords.
    pub logins: Logins,
    /// How many blobs travel at the same time.
    pub parallel: Option<u8>,
    /// Blobs are sent in parts of this size, in bytes.
    pub chunk_size: Option<u64>,
    /// Which signatures images must have that are copied; who only reads images asks for none.
    pub signatures: Option<SignatureChoice>,
}

impl ConnectionChoice {
    /// Credentials of flags for no or several registries are refused, and so are files that are not there.
    ///
    /// # Errors
    /// As above, and what is wrong with a configuration.
    pub fn connect(&self, surroundings: Surroundings<'_>) -> Result<Connection, Error> {
        let flags = &self.registry;
        let Surroundings { places, signature_paths, clock, observer, progress, cache, input } = surroundings;
        let Places { credentials, registries, trust, proxies, is_offline } = places;
        let mut client = client::Settings::new(clock);
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
        client.security = match (is_plain, flags.skips_tls_verification, flags.tls_verify) {
            (true, _, _) => Some(Security::PlainHttp),
            (_, true, _) | (_, _, Some(false)) => Some(Security::Unverified),
            (_, _, Some(true)) => Some(Security::Verified),
            (_, _, None) => None,
        };
        let of_side = |verify: Option<bool>| {
            verify.map(|verify| if verify { Security::Verified } else { Security::Unverified })
        };
        client.pull_security = of_side(flags.source_tls_verify);
        client.push_security = of_side(flags.destination_tls_verify);
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
        if let Some(signatures) = self.signatures.as_ref().filter(|signatures| !signatures.accepts_all) {
            let (paths, clock) = (signature_paths(signatures), Arc::clone(&client.clock));
            let policy = SignaturePolicy::read(&paths, input, is_offline, clock)?;
            client.guard = Some(Arc::new(policy));
        }
        client.observer = observer;
        let (cache, scratch) = cache()?;
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
