//! What a registry+v1 bundle becomes in a cluster: plain Kubernetes objects, as operator-controller
//! renders them, or the reasons why it refuses the bundle.
//!
//! Sources of the behaviour: `operator-framework/operator-controller:internal/operator-controller/rukpak/render`
//! and `…/applier/provider.go`; for [`Target::Ocp419`] the converter of April 2025,
//! `…/rukpak/convert/registryv1.go`.

use fbc_version::Target;

mod bundle;
mod certificates;
pub mod configuration;
mod definitions;
mod deployment_configuration;
mod deployments;
mod dns;
mod extras;
mod file_objects;
mod install_modes;
mod json;
mod kinds;
mod names;
mod object;
mod operator;
mod permissions;
mod support;
mod validators;
mod webhooks;

#[cfg(test)]
mod tests;

pub use bundle::{Bundle, ReadError};
pub use certificates::CertificateProvider;
pub use configuration::{Configuration, InvalidConfiguration};
pub use kinds::{is_namespaced, is_supported};
pub use names::{name_with_suffix, unique_name};
pub use object::Object;
pub use operator::{Deployment, Operator, Webhook, WebhookKind};

/// Feature gates that decide what is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gates {
    /// `SingleOwnNamespaceInstallSupport`: bundles without `AllNamespaces` are accepted.
    pub single_own_namespace: bool,
    /// `DeploymentConfig`: the configuration may hold `deploymentConfig`.
    pub deployment_configuration: bool,
}

impl Default for Gates {
    /// What is needed to watch single namespaces, and nothing else.
    fn default() -> Self {
        Self { single_own_namespace: true, deployment_configuration: false }
    }
}

/// How a bundle is to be installed.
#[derive(Clone, Debug, Default)]
pub struct Installation {
    /// The namespace of the operator.
    pub namespace: String,
    /// The namespaces that it shall watch; empty for the bundle's default, one empty text for all.
    pub watch_namespaces: Vec<String>,
    /// The inline configuration of the extension. Its `watchNamespace` takes the place of
    /// `watch_namespaces`. The 4.19 target has none.
    pub configuration: Option<Configuration>,
    /// Who provides certificates for webhooks. The 4.19 target has no webhooks.
    pub certificate_provider: Option<CertificateProvider>,
    /// The generation.
    pub target: Target,
    /// The feature gates.
    pub gates: Gates,
}

/// Why operator-controller refuses a bundle: texts of the reference, which joins them by line breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct Refusal(pub Vec<String>);

impl Refusal {
    fn of(reason: impl Into<String>) -> Self {
        Self(vec![reason.into()])
    }

    fn check(reasons: Vec<String>) -> Result<(), Self> {
        if reasons.is_empty() { Ok(()) } else { Err(Self(reasons)) }
    }
}

/// What the generators work with, once nothing speaks against the installation.
struct Plan<'b> {
    bundle: &'b Bundle,
    operator: Operator<'b>,
    namespace: &'b str,
    /// The namespaces to watch; one empty text for all.
    targets: Vec<String>,
    certificate_provider: Option<CertificateProvider>,
    configuration: Option<&'b Configuration>,
    names_operator_namespace: bool,
}

impl Plan<'_> {
    fn watches_all_namespaces(&self) -> bool {
        matches!(self.targets.as_slice(), [only] if only.is_empty())
    }
}

/// Renders a bundle. The order of the objects is the reference's; where that is random (service
/// accounts, certificates) it is the order of their names.
///
/// # Errors
/// What the reference says when it refuses the bundle or the installation.
pub fn render(bundle: &Bundle, installation: &Installation) -> Result<Vec<Object>, Refusal> {
    match installation.target {
        Target::Ocp419 => render_ocp_4_19(bundle, installation),
        _ => render_latest(bundle, installation),
    }
}

fn render_latest(bundle: &Bundle, installation: &Installation) -> Result<Vec<Object>, Refusal> {
    let operator = bundle.operator();
    support::check(&operator, installation)?;
    let configured = match &installation.configuration {
        Some(configuration) => {
            let rules =
                configuration::Rules::from_operator(&operator, &installation.namespace, installation.gates);
            configuration.check(&rules).map_err(|invalid| Refusal::of(invalid.to_string()))?;
            configuration.watch_namespace()
        }
        None => None,
    };
    Refusal::check(validators::latest(bundle))?;
    let watched = match configured {
        Some(namespace) => vec![namespace.to_owned()],
        None => installation.watch_namespaces.clone(),
    };
    let targets = install_modes::targets_latest(&operator, &installation.namespace, watched)?;
    let plan = Plan {
        names_operator_namespace: installation.target.facts().names_operator_namespace,
        bundle,
        operator,
        namespace: &installation.namespace,
        targets,
        certificate_provider: installation.certificate_provider,
        configuration: installation
            .configuration
            .as_ref()
            .filter(|_| installation.gates.deployment_configuration),
    };
    let mut objects = permissions::service_accounts(&plan);
    if !plan.watches_all_namespaces() {
        objects.extend(permissions::roles(&plan));
    }
    objects.extend(permissions::cluster_roles(&plan));
    objects.extend(definitions::definitions(&plan)?);
    objects.extend(extras::extras(&plan)?);
    objects.extend(deployments::deployments(&plan));
    objects.extend(webhooks::configurations(&plan, WebhookKind::Validating));
    objects.extend(webhooks::configurations(&plan, WebhookKind::Mutating));
    objects.extend(webhooks::services(&plan));
    objects.extend(certificates::certificates(&plan));
    Ok(objects)
}

/// The 4.19 way: fewer checks, no webhooks, a service account for every deployment too.
fn render_ocp_4_19(bundle: &Bundle, installation: &Installation) -> Result<Vec<Object>, Refusal> {
    let operator = bundle.operator();
    Refusal::check(validators::ocp_4_19(bundle))?;
    let watched = installation.watch_namespaces.clone();
    let targets = install_modes::targets_ocp_4_19(&operator, &installation.namespace, watched)?;
    support::check_ocp_4_19(&operator)?;
    let plan = Plan {
        names_operator_namespace: installation.target.facts().names_operator_namespace,
        bundle,
        operator,
        namespace: &installation.namespace,
        targets,
        certificate_provider: None,
        configuration: None,
    };
    let mut objects = permissions::service_accounts_ocp_4_19(&plan);
    let roles = if plan.watches_all_namespaces() { Vec::new() } else { permissions::roles(&plan) };
    objects.extend(bindings_last(roles));
    objects.extend(bindings_last(permissions::cluster_roles(&plan)));
    objects.extend(definitions::definitions(&plan)?);
    objects.extend(extras::extras(&plan)?);
    objects.extend(deployments::deployments_ocp_4_19(&plan));
    Ok(objects)
}

/// All roles before all bindings.
fn bindings_last(objects: Vec<Object>) -> Vec<Object> {
    let (mut roles, bindings): (Vec<_>, Vec<_>) =
        objects.into_iter().partition(|object| !object.kind.ends_with("Binding"));
    roles.extend(bindings);
    roles
}
