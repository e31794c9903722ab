//! What the environment says of registries: credential files, configuration, certificates and proxies.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use fbc_registry::credentials::CredentialPaths;
use fbc_registry::mirrors::RegistriesPaths;
use fbc_registry::transport::Proxies;
use fbc_registry::trust::TrustSettings;
use fbc_source::signature_policy::SignaturePaths;

use super::SignatureChoice;

/// The environment: variables, and the number of the user where the system has one.
pub struct Environment<'e> {
    /// The variables.
    pub variable: &'e dyn Fn(&str) -> Option<OsString>,
    /// The number of the user.
    pub user: Option<u32>,
}

impl Environment<'_> {
    fn path(&self, name: &str) -> Option<PathBuf> {
        (self.variable)(name).filter(|value| !value.is_empty()).map(PathBuf::from)
    }

    /// `XDG_CONFIG_HOME`, or what stands for it.
    fn config_home(&self) -> Option<PathBuf> {
        self.path("XDG_CONFIG_HOME").or_else(|| Some(self.path("HOME")?.join(".config")))
    }

    /// Whether no registry may be asked: `FBC_OFFLINE` is set, and neither to 0 nor to false.
    pub fn is_offline(&self) -> bool {
        (self.variable)("FBC_OFFLINE").is_some_and(|value| !["", "0", "false"].iter().any(|no| value == *no))
    }

    /// Where credentials are.
    pub fn credentials(&self, authfile: Option<&Path>) -> CredentialPaths {
        let folders = (self.variable)("PATH");
        CredentialPaths {
            authfile: authfile.map(Path::to_path_buf),
            registry_auth_file: self.path("REGISTRY_AUTH_FILE"),
            runtime_directory: self.path("XDG_RUNTIME_DIR"),
            runtime_file: self.user.map(|user| format!("/run/containers/{user}/auth.json").into()),
            config_home: self.path("XDG_CONFIG_HOME"),
            docker_config: self.path("DOCKER_CONFIG"),
            home: self.path("HOME"),
            program_folders: folders
                .map(|folders| std::env::split_paths(&folders).collect())
                .unwrap_or_default(),
        }
    }

    /// Where the configuration of registries is. A file that is named is the only one. Mirror sets that flags name
    /// come instead of those of `FBC_MIRROR_SET`, which counts under opm's name too.
    pub fn registries(&self, named: Option<&Path>, mirror_sets: &[PathBuf]) -> RegistriesPaths {
        let mirror_sets = match (mirror_sets, (self.variable)("FBC_MIRROR_SET")) {
            ([], Some(named)) => {
                std::env::split_paths(&named).filter(|path| !path.as_os_str().is_empty()).collect()
            }
            (given, _) => given.to_vec(),
        };
        if let Some(named) = named {
            return RegistriesPaths { main: vec![named.to_path_buf()], drop_in: Vec::new(), mirror_sets };
        }
        let system = Path::new("/etc/containers");
        let own = self.config_home().map(|home| home.join("containers"));
        let below = |name: &str| own.as_ref().map(|own| own.join(name));
        let main = [
            self.path("CONTAINERS_REGISTRIES_CONF"),
            below("registries.conf"),
            Some(system.join("registries.conf")),
        ];
        let drop_in = [Some(system.join("registries.conf.d")), below("registries.conf.d")];
        RegistriesPaths {
            main: main.into_iter().flatten().collect(),
            drop_in: drop_in.into_iter().flatten().collect(),
            mirror_sets,
        }
    }

    /// Where the policy of signatures is, and what says where to look for these.
    pub fn signatures(&self, flags: &SignatureChoice) -> SignaturePaths {
        // `containers/image:signature/policy_config.go` reads no `XDG_CONFIG_HOME` for these.
        let own = self.path("HOME").map(|home| home.join(".config/containers"));
        let system = Path::new("/etc/containers");
        let usual = |name: &str| {
            let own = own.iter().map(|own| own.join(name));
            // What cannot be looked at is an error for who reads it.
            own.chain([system.join(name)]).find(|path| path.try_exists().unwrap_or(true))
        };
        SignaturePaths {
            policy: flags.policy.clone().or_else(|| usual("policy.json")),
            registries: flags.registries_d.clone().or_else(|| usual("registries.d")),
            store: self.signature_store(),
        }
    }

    /// Where signatures of GnuPG's lie on this machine (`containers/image:docker/registries_d.go`, `builtinDefaultLookasideStorageDir`).
    fn signature_store(&self) -> Option<PathBuf> {
        match self.user {
            Some(0) => Some(PathBuf::from("/var/lib/containers/sigstore")),
            _ => self.path("HOME").map(|home| home.join(".local/share/containers/sigstore")),
        }
    }

    /// Where certificates are.
    pub fn trust(&self, named: Option<&Path>) -> TrustSettings {
        let own = self.config_home().map(|home| home.join("containers/certs.d"));
        let system = ["/etc/containers/certs.d", "/etc/docker/certs.d"].map(PathBuf::from);
        TrustSettings {
            certificate_folders: own.into_iter().chain(system).collect(),
            certificate_folder: named.map(Path::to_path_buf),
        }
    }

    /// Proxies, in upper or lower case, as Go's programs read them.
    pub fn proxies(&self) -> Proxies {
        let text = |name: &str| {
            let value = self.path(name).or_else(|| self.path(&name.to_lowercase()))?;
            value.into_os_string().into_string().ok()
        };
        let all = || text("ALL_PROXY");
        Proxies {
            http: text("HTTP_PROXY").or_else(all),
            https: text("HTTPS_PROXY").or_else(all),
            no_proxy: text("NO_PROXY"),
        }
    }
}

/// The number of the user, where the system tells it in `/proc`.
pub fn user_number() -> Option<u32> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        std::fs::metadata("/proc/self").ok().map(|metadata| metadata.uid())
    }
    #[cfg(not(unix))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_variables_say() {
        let variables = [
            ("HOME", "/h"),
            ("PATH", "/a:/b"),
            ("REGISTRY_AUTH_FILE", "/auth.json"),
            ("https_proxy", "http://p:1"),
            ("ALL_PROXY", "http://all:1"),
            ("DOCKER_CONFIG", ""),
            ("FBC_MIRROR_SET", "/m1.yaml:/m2.yaml"),
        ];
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        };
        let environment = Environment { variable: &variable, user: Some(7) };
        let credentials = environment.credentials(None);
        assert_eq!(credentials.registry_auth_file, Some("/auth.json".into()));
        assert_eq!(credentials.runtime_file, Some("/run/containers/7/auth.json".into()));
        assert_eq!((credentials.docker_config, credentials.program_folders.len()), (None, 2));
        let proxies = environment.proxies();
        assert!(!environment.is_offline());
        assert_eq!(proxies.https.as_deref(), Some("http://p:1"));
        assert_eq!((proxies.http.as_deref(), proxies.no_proxy), (Some("http://all:1"), None));
        let registries = environment.registries(None, &[]);
        assert_eq!(registries.main.first(), Some(&"/h/.config/containers/registries.conf".into()));
        assert_eq!(environment.registries(Some(Path::new("x")), &[]).drop_in.len(), 0);
        #[cfg(unix)]
        assert_eq!(registries.mirror_sets, [Path::new("/m1.yaml"), Path::new("/m2.yaml")]);
        assert_eq!(environment.registries(None, &["x".into()]).mirror_sets, [Path::new("x")]);
        let trust = environment.trust(None);
        assert_eq!(trust.certificate_folders.first(), Some(&"/h/.config/containers/certs.d".into()));
    }
}
