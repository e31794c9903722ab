//! The flags of commands that speak with registries.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueHint};
use fbc_image::image::PlatformName;
use fbc_registry::{Credentials, Registries};
use fbc_source::{Error, Session};

use fbc_app::registry::logins::{Logins, Named};
use fbc_app::registry::{PlainHttp, RegistryChoice, SignatureChoice, UserPassword};

use super::connection::Flags;
use crate::cache_folder::CacheArguments;
use crate::settings::Settings;

/// How registries are spoken to.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Registry options")]
pub(crate) struct RegistryArguments {
    /// The file with credentials, as podman and docker write it [default: REGISTRY_AUTH_FILE, else the files that
    /// podman and docker write]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub(crate) authfile: Option<PathBuf>,
    /// User and password for the registry of the images on the command line, and for no other; other users of the
    /// machine may see them
    #[arg(long, value_name = "USER:PASSWORD", value_parser = parse_credentials, hide_short_help = true)]
    pub(crate) creds: Option<UserPassword>,
    /// The directory with *.crt of authorities, and *.cert and *.key to show, instead of /etc/containers/certs.d
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, hide_short_help = true)]
    pub(crate) cert_dir: Option<PathBuf>,
    /// Whether to verify TLS certificates; without, HTTP is tried where there is no HTTPS
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
          hide_short_help = true)]
    pub(crate) tls_verify: Option<bool>,
    /// The same as --tls-verify=false
    #[arg(long, conflicts_with = "tls_verify", hide_short_help = true)]
    pub(crate) insecure_skip_tls_verify: bool,
    /// Speak HTTP, not HTTPS, with the registry HOST[:PORT], or with all if none is named; can be repeated
    #[arg(long, value_name = "HOST", num_args = 0..=1, require_equals = true, default_missing_value = "all",
          value_delimiter = ',', value_parser = parse_plain_http,
          conflicts_with_all = ["tls_verify", "insecure_skip_tls_verify"], hide_short_help = true)]
    pub(crate) plain_http: Vec<PlainHttp>,
    /// The configuration of registries and mirrors [default: CONTAINERS_REGISTRIES_CONF, else the files of podman]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub(crate) registries_conf: Option<PathBuf>,
    /// A file of ImageDigestMirrorSets, ImageTagMirrorSets or ImageContentSourcePolicies; can be repeated
    /// [env: FBC_MIRROR_SET, paths as in PATH]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub(crate) mirror_set: Vec<PathBuf>,
    /// How often a request that failed is repeated; where no connection can be made, twice at most [default: 5]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=100), hide_short_help = true)]
    pub(crate) retry: Option<u32>,
    /// How long to wait before the first repetition; the wait doubles each time [default: 500ms]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, hide_short_help = true)]
    pub(crate) retry_delay: Option<Duration>,
    /// Give up on a blob that moves slower than 1 KiB/s for this long, and on a manifest or token that is not whole in twice
    /// that time [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = parse_wait, hide_short_help = true)]
    pub(crate) stall_timeout: Option<Duration>,
    /// Refuse blobs with more bytes [default: 16 GiB]
    #[arg(long, value_name = "BYTES", hide_short_help = true)]
    pub(crate) max_blob_size: Option<u64>,
    /// Ask no registry: take images from the cache [env: FBC_OFFLINE]
    #[arg(long, hide_short_help = true)]
    pub(crate) offline: bool,
    #[command(flatten)]
    pub(crate) cache: CacheArguments,
}

/// How images are chosen that are read.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ImageArguments {
    #[command(flatten)]
    registry: RegistryArguments,
    /// Of an image for several platforms, take this one [default: linux/amd64, else the first]
    #[arg(long, value_name = "OS/ARCH", help_heading = "Registry options", hide_short_help = true)]
    pub(crate) platform: Option<PlatformName>,
}

/// How whole images travel.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Registry options")]
pub(crate) struct TransferArguments {
    #[command(flatten)]
    pub(crate) registry: RegistryArguments,
    /// How many blobs to transfer in parallel [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64), hide_short_help = true)]
    pub(crate) parallel: Option<u8>,
    /// Send blobs in parts of this many bytes, for proxies that refuse large requests
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1 << 16..), hide_short_help = true)]
    pub(crate) chunk_size: Option<u64>,
    #[command(flatten)]
    pub(crate) signatures: SignatureArguments,
}

/// Which signatures images must have that are copied from a registry.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Registry options")]
pub(crate) struct SignatureArguments {
    /// The policy of signatures [default: ~/.config/containers/policy.json, else /etc/containers/policy.json; where there
    /// is none, every image is accepted]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub(crate) signature_policy: Option<PathBuf>,
    /// Accept images that the policy of signatures refuses
    #[arg(long, conflicts_with = "signature_policy", hide_short_help = true)]
    pub(crate) insecure_policy: bool,
    /// The directory that says whether signatures are looked for beside images [default: ~/.config/containers/registries.d,
    /// else /etc/containers/registries.d]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, hide_short_help = true)]
    pub(crate) registries_d: Option<PathBuf>,
}

/// Who copies, where source and destination want different users.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Registry options")]
pub(crate) struct CopyLogins {
    /// User and password for the registry of the source
    #[arg(long, value_name = "USER:PASSWORD", value_parser = parse_credentials, conflicts_with = "creds",
          hide_short_help = true)]
    src_creds: Option<UserPassword>,
    /// User and password for the registry of the destination
    #[arg(long, value_name = "USER:PASSWORD", value_parser = parse_credentials, conflicts_with = "creds",
          hide_short_help = true)]
    dest_creds: Option<UserPassword>,
    /// Whether to verify the certificate of the source; without, HTTP is tried where there is no HTTPS
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
          hide_short_help = true)]
    src_tls_verify: Option<bool>,
    /// Whether to verify the certificate of the destination; without, HTTP is tried where there is no HTTPS
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
          hide_short_help = true)]
    dest_tls_verify: Option<bool>,
}

impl SignatureArguments {
    /// What the flags say.
    pub(crate) fn choice(&self) -> SignatureChoice {
        SignatureChoice {
            policy: self.signature_policy.clone(),
            accepts_all: self.insecure_policy,
            registries_d: self.registries_d.clone(),
        }
    }
}

impl RegistryArguments {
    /// What the flags say.
    pub(crate) fn choice(&self) -> RegistryChoice {
        RegistryChoice {
            cert_dir: self.cert_dir.clone(),
            tls_verify: self.tls_verify,
            source_tls_verify: None,
            destination_tls_verify: None,
            skips_tls_verification: self.insecure_skip_tls_verify,
            plain_http: self.plain_http.clone(),
            registries_conf: self.registries_conf.clone(),
            retry: self.retry,
            retry_delay: self.retry_delay,
            stall_timeout: self.stall_timeout,
            max_blob_size: self.max_blob_size,
        }
    }

    /// How a command that names these images gets them.
    pub(crate) fn session(&self, named: Named, settings: &Settings) -> Session {
        let logins = Logins::new(self.creds.as_ref(), None, None, named);
        Flags { registry: self.clone(), logins, ..Flags::default() }.session(settings)
    }

    /// The credentials that such a command has.
    pub(crate) fn credentials(&self, named: Named, registries: &Registries) -> Result<Credentials, Error> {
        let mut credentials = Credentials::read(&self.places().credentials)?;
        Logins::new(self.creds.as_ref(), None, None, named).add_to(&mut credentials, registries)?;
        Ok(credentials)
    }
}

impl ImageArguments {
    /// These flags with another number of retries, unless a flag names one.
    pub(crate) fn with_retries(&self, retries: u32) -> Self {
        let mut arguments = self.clone();
        arguments.registry.retry.get_or_insert(retries);
        arguments
    }

    /// How a command with these paths gets images.
    pub(crate) fn session<P: AsRef<Path>>(
        &self,
        paths: impl IntoIterator<Item = P>,
        settings: &Settings,
    ) -> Session {
        let named = Named::paths(paths);
        let logins = Logins::new(self.registry.creds.as_ref(), None, None, named);
        let platform = self.platform.clone();
        Flags { registry: self.registry.clone(), logins, platform, ..Flags::default() }.session(settings)
    }
}

impl ImageArguments {
    /// How a command gets images that files name, and the command line does not.
    ///
    /// # Errors
    /// If a user and password is given, which would be for no registry.
    pub(crate) fn session_for_files(&self, settings: &Settings) -> Result<Session, Error> {
        let session = self.session(None::<&Path>, settings);
        match &self.registry.creds {
            Some(_) => session.open().map(drop),
            None => Ok(()),
        }?;
        Ok(session)
    }
}

impl TransferArguments {
    /// How a command that names these images gets and sends them.
    pub(crate) fn session(&self, named: Named, copy: &CopyLogins, settings: &Settings) -> Session {
        let logins = Logins::new(
            self.registry.creds.as_ref(),
            copy.src_creds.as_ref(),
            copy.dest_creds.as_ref(),
            named,
        );
        Flags {
            registry: self.registry.clone(),
            logins,
            platform: None,
            parallel: self.parallel,
            chunk_size: self.chunk_size,
            signatures: Some(self.signatures.choice()),
            verify_sides: (copy.src_tls_verify, copy.dest_tls_verify),
        }
        .session(settings)
    }
}

fn parse_plain_http(text: &str) -> Result<PlainHttp, &'static str> {
    match text {
        "all" => Ok(PlainHttp::All),
        "" => Err("name a registry as HOST[:PORT], or leave the equals sign out"),
        _ if text.contains('/') => Err("name a registry as HOST[:PORT], without a scheme or a repository"),
        _ => Ok(PlainHttp::Registry(text.to_owned())),
    }
}

fn parse_credentials(text: &str) -> Result<UserPassword, &'static str> {
    match text.split_once(':') {
        Some((user, password)) if !user.is_empty() => {
            Ok(UserPassword { user: user.to_owned(), password: password.to_owned() })
        }
        _ => Err("write USER:PASSWORD"),
    }
}

/// A wait that is not zero.
fn parse_wait(text: &str) -> Result<Duration, &'static str> {
    parse_duration(text).and_then(|wait| if wait.is_zero() { Err("more than zero") } else { Ok(wait) })
}

/// A wait such as `500ms`, `2s` or `2`.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, &'static str> {
    let (digits, unit) = match text.strip_suffix("ms") {
        Some(digits) => (digits, 1),
        None => (text.strip_suffix('s').unwrap_or(text), 1000),
    };
    let number: u64 = digits.parse().map_err(|_| "write a number of seconds or milliseconds: 2s, 500ms")?;
    match number.checked_mul(unit) {
        Some(wait) if wait <= 3_600_000 => Ok(Duration::from_millis(wait)),
        _ => Err("no more than an hour"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        for (text, expected) in
            [("500ms", Some(500)), ("2s", Some(2000)), ("0", Some(0)), ("x", None), ("3601s", None)]
        {
            let parsed = parse_duration(text).ok().map(|delay| delay.as_millis());
            assert_eq!(parsed, expected, "{text}");
        }
        let registry = |host: &str| Ok(PlainHttp::Registry(host.to_owned()));
        assert_eq!(parse_plain_http("localhost:5000"), registry("localhost:5000"));
        assert_eq!(parse_plain_http("all"), Ok(PlainHttp::All));
        assert!(parse_plain_http("").is_err() && parse_plain_http("http://a.io").is_err());
        let given = parse_credentials("me:a:b").unwrap();
        assert_eq!((given.user.as_str(), given.password.as_str()), ("me", "a:b"));
        assert_eq!(format!("{given:?}"), "me:…");
        assert!(parse_credentials("me").is_err() && parse_credentials(":x").is_err());
    }
}
