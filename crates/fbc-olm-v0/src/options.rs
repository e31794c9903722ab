//! Which release of OLM v0 runs, in which namespace, with which images.

use fbc_cluster::api::Caller;
use fbc_cluster::time::{MINUTE, Milliseconds};
pub use fbc_version::Target;

use crate::names::{CATALOG_MANAGER, OLM_MANAGER};

/// How OLM v0 is set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Whose logic and wording counts.
    pub target: Target,
    /// The namespace of both operators.
    pub namespace: String,
    /// The namespace of the catalogs that serve every namespace.
    pub catalogs_namespace: String,
    /// The namespace of what is installed for all namespaces.
    pub operators_namespace: String,
    /// The image that serves catalogs in ConfigMaps.
    pub config_map_server_image: String,
    /// The image with opm.
    pub opm_image: String,
    /// The image with the tools that copy files between containers.
    pub util_image: String,
    /// Whether restricted pods run as user 1001; OpenShift chooses users by itself.
    pub sets_workload_user: bool,
    /// How long the unpacking of a bundle may take.
    pub unpack_timeout: Milliseconds,
    /// After how long a failing InstallPlan is given up.
    pub install_plan_retry: Milliseconds,
    /// The namespaces that get copies of operators for all namespaces even where these are not copied.
    pub protected_namespaces: Vec<String>,
}

impl Options {
    /// The name of the service account of both operators.
    pub const ACCOUNT: &str = "olm-operator-serviceaccount";

    /// A release as upstream publishes it.
    pub fn of(target: Target) -> Self {
        Self {
            target,
            namespace: "olm".into(),
            catalogs_namespace: "olm".into(),
            operators_namespace: "operators".into(),
            config_map_server_image: "quay.io/operator-framework/configmap-operator-registry:latest".into(),
            opm_image: "quay.io/operator-framework/opm:latest".into(),
            util_image: "quay.io/operator-framework/olm:latest".into(),
            sets_workload_user: true,
            unpack_timeout: 10 * MINUTE,
            install_plan_retry: MINUTE,
            protected_namespaces: Vec::new(),
        }
    }

    /// A release as OpenShift brings it along.
    ///
    /// Source: `openshift/operator-framework-olm:manifests` (`0000_50_olm_00-namespace.yaml`,
    /// `0000_50_olm_07-olm-operator.deployment.yaml`, `0000_50_olm_08-catalog-operator.deployment.yaml`).
    pub fn of_openshift(target: Target) -> Self {
        Self {
            namespace: "openshift-operator-lifecycle-manager".into(),
            catalogs_namespace: "openshift-marketplace".into(),
            operators_namespace: "openshift-operators".into(),
            sets_workload_user: false,
            protected_namespaces: vec!["openshift".into()],
            ..Self::of(target)
        }
    }

    /// The namespaces of all that is there from the start.
    pub fn namespaces(&self) -> [&str; 3] {
        [&self.namespace, &self.catalogs_namespace, &self.operators_namespace]
    }

    /// The identity of catalog-operator, which may do everything.
    pub fn catalog_operator(&self) -> Caller {
        self.operator(CATALOG_MANAGER)
    }

    /// The identity of olm-operator, which may do everything.
    pub fn olm_operator(&self) -> Caller {
        self.operator(OLM_MANAGER)
    }

    /// A service account whose rights nobody questions.
    fn operator(&self, manager: &str) -> Caller {
        let mut caller = Caller::service_account(&self.namespace, Self::ACCOUNT, manager);
        caller.user.groups.push("system:masters".into());
        caller
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::of(Target::Latest)
    }
}
