//! Where credentials, mirrors, certificates and proxies are looked for, by flags and environment.

use fbc_app::registry::SignatureChoice;
use fbc_app::registry::environment::{Environment, user_number};
use fbc_source::signature_policy::SignaturePaths;

use super::RegistryArguments;

pub(crate) use fbc_app::doctor::Places;

impl RegistryArguments {
    /// The places that count with these flags.
    pub(crate) fn places(&self) -> Places {
        let variable = |name: &str| std::env::var_os(name);
        let environment = Environment { variable: &variable, user: user_number() };
        Places {
            credentials: environment.credentials(self.authfile.as_deref()),
            registries: environment.registries(self.registries_conf.as_deref(), &self.mirror_set),
            trust: environment.trust(self.cert_dir.as_deref()),
            proxies: environment.proxies(),
            is_offline: self.offline || environment.is_offline(),
        }
    }
}

/// Where the policy of signatures is.
pub(super) fn signature_places(choice: &SignatureChoice) -> SignaturePaths {
    let variable = |name: &str| std::env::var_os(name);
    Environment { variable: &variable, user: user_number() }.signatures(choice)
}
