//! Which release of OLM v1 runs, with which feature gates, in which namespace.

use fbc_bundle::manifests::{CertificateProvider, Gates};
use fbc_resolve::Rules;
pub use fbc_version::Target;

use fbc_cluster::api::Caller;
use fbc_cluster::time::Milliseconds;

/// How OLM v1 is set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Whose logic and wording counts.
    pub target: Target,
    /// The feature gates of operator-controller.
    pub gates: FeatureGates,
    /// The namespace of catalogd and of its service.
    pub catalogd_namespace: String,
    /// The namespace of operator-controller, which holds the records of what is installed.
    pub system_namespace: String,
    /// Whether extensions are installed with the rights of their service account (up to mid-2026 in OpenShift), or
    /// with those of operator-controller, which then ignores `spec.serviceAccount`.
    pub uses_service_accounts: bool,
    /// How long it takes to unpack a catalog that was not unpacked before.
    pub unpack_time: Milliseconds,
}

impl Options {
    /// The namespace of both controllers where OLM is installed as upstream publishes it.
    pub const UPSTREAM_NAMESPACE: &str = "olmv1-system";

    /// A release as upstream publishes it, with its default gates.
    pub fn of(target: Target) -> Self {
        Self {
            target,
            gates: FeatureGates::of(target),
            catalogd_namespace: Self::UPSTREAM_NAMESPACE.into(),
            system_namespace: Self::UPSTREAM_NAMESPACE.into(),
            uses_service_accounts: target.facts().uses_service_accounts,
            unpack_time: 200,
        }
    }

    /// A release as OpenShift installs it: other namespaces, certificates from the service CA.
    pub fn of_openshift(target: Target) -> Self {
        let mut options = Self::of(target);
        options.catalogd_namespace = "openshift-catalogd".into();
        options.system_namespace = "openshift-operator-controller".into();
        options.gates.webhook_provider_cert_manager = false;
        // Full support since 4.21, behind a gate for previews before.
        options.gates.single_own_namespace_install_support = target >= Target::Ocp421;
        options
    }

    /// The rules of resolution.
    pub fn resolution_rules(&self) -> Rules {
        Rules { target: self.target, bundle_release_support: self.gates.bundle_release_support }
    }

    /// The identity of operator-controller itself, which may do everything.
    pub fn operator_controller(&self) -> Caller {
        privileged(&self.system_namespace, "operator-controller-controller-manager", "operator-controller")
    }

    /// The identity of catalogd, which may do everything.
    pub fn catalogd(&self) -> Caller {
        privileged(&self.catalogd_namespace, "catalogd-controller-manager", "catalogd")
    }

    /// The namespace of the image with whose rights objects of an extension are written, and as which manager.
    pub fn installer(&self, namespace: &str, service_account: &str, manager: &str) -> Caller {
        if self.uses_service_accounts {
            Caller::service_account(namespace, service_account, manager)
        } else {
            Caller { manager: manager.into(), ..self.operator_controller() }
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::of(Target::Latest)
    }
}

/// A service account whose rights nobody questions.
fn privileged(namespace: &str, name: &str, manager: &str) -> Caller {
    let mut caller = Caller::service_account(namespace, name, manager);
    caller.user.groups.push("system:masters".into());
    caller
}

/// The feature gates of operator-controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeatureGates {
    /// `WebhookProviderCertManager`
    pub webhook_provider_cert_manager: bool,
    /// `WebhookProviderOpenshiftServiceCA`
    pub webhook_provider_openshift_service_ca: bool,
    /// `SingleOwnNamespaceInstallSupport`
    pub single_own_namespace_install_support: bool,
    /// `BoxcutterRuntime`
    pub boxcutter_runtime: bool,
    /// `DeploymentConfig`
    pub deployment_config: bool,
    /// `BundleReleaseSupport`
    pub bundle_release_support: bool,
    /// `PreflightPermissions`
    pub preflight_permissions: bool,
}

/// A feature gate that operator-controller does not have, or a value that is neither true nor false.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("feature gate {0:?} is not known; expected NAME=true or NAME=false with NAME one of {names}", names = FeatureGates::NAMES.join(", "))]
pub struct UnknownGate(pub String);

impl FeatureGates {
    /// The names of the gates.
    pub const NAMES: [&str; 7] = [
        "WebhookProviderCertManager",
        "WebhookProviderOpenshiftServiceCA",
        "SingleOwnNamespaceInstallSupport",
        "BoxcutterRuntime",
        "DeploymentConfig",
        "BundleReleaseSupport",
        "PreflightPermissions",
    ];

    /// The gates as they are by default.
    pub fn of(target: Target) -> Self {
        let webhooks = target >= Target::Ocp421;
        Self {
            webhook_provider_cert_manager: webhooks,
            webhook_provider_openshift_service_ca: webhooks,
            single_own_namespace_install_support: false,
            boxcutter_runtime: false,
            deployment_config: false,
            bundle_release_support: false,
            preflight_permissions: false,
        }
    }

    /// The gate of a name.
    fn gate(&mut self, name: &str) -> Option<&mut bool> {
        Some(match name {
            "WebhookProviderCertManager" => &mut self.webhook_provider_cert_manager,
            "WebhookProviderOpenshiftServiceCA" => &mut self.webhook_provider_openshift_service_ca,
            "SingleOwnNamespaceInstallSupport" => &mut self.single_own_namespace_install_support,
            "BoxcutterRuntime" => &mut self.boxcutter_runtime,
            "DeploymentConfig" => &mut self.deployment_config,
            "BundleReleaseSupport" => &mut self.bundle_release_support,
            "PreflightPermissions" => &mut self.preflight_permissions,
            _ => return None,
        })
    }

    /// All gates with their values, by name.
    pub fn values(mut self) -> impl Iterator<Item = (&'static str, bool)> {
        Self::NAMES.into_iter().filter_map(move |name| Some((name, *self.gate(name)?)))
    }

    /// Sets gates as the command line does: `BoxcutterRuntime=true,PreflightPermissions=true`.
    pub fn set(&mut self, gates: &str) -> Result<(), UnknownGate> {
        for part in gates.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let unknown = || UnknownGate(part.to_owned());
            let (name, value) = part.split_once('=').ok_or_else(unknown)?;
            *self.gate(name).ok_or_else(unknown)? = value.parse().map_err(|_| unknown())?;
        }
        Ok(())
    }

    /// Who provides certificates; cert-manager wins if both may.
    pub fn certificate_provider(&self) -> Option<CertificateProvider> {
        match (self.webhook_provider_cert_manager, self.webhook_provider_openshift_service_ca) {
            (true, _) => Some(CertificateProvider::CertManager),
            (false, true) => Some(CertificateProvider::OpenShiftServiceCa),
            (false, false) => None,
        }
    }

    /// The gates that decide what is refused when bundles are rendered.
    pub fn rendering(&self) -> Gates {
        Gates {
            single_own_namespace: self.single_own_namespace_install_support,
            deployment_configuration: self.deployment_config,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_are_set_by_name() {
        let mut gates = FeatureGates::of(Target::Latest);
        assert_eq!(gates.set("BoxcutterRuntime=true,WebhookProviderCertManager=false"), Ok(()));
        assert!(gates.boxcutter_runtime);
        assert_eq!(gates.certificate_provider(), Some(CertificateProvider::OpenShiftServiceCa));
        for name in FeatureGates::NAMES {
            assert_eq!(gates.set(&format!("{name}=false")), Ok(()), "{name}");
        }
        assert_eq!(gates.certificate_provider(), None);
        for bad in ["Boxcutter=true", "BoxcutterRuntime", "BoxcutterRuntime=yes"] {
            assert!(gates.set(bad).is_err(), "{bad}");
        }
    }
}
