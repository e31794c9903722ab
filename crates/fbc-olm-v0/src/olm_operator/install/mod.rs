//! What is installed for a ClusterServiceVersion: Deployments, certificates, webhooks and APIServices.
//!
//! | module | what it holds |
//! |---|---|
//! | [`deployment`] | Deployments, and whether they are ready |
//! | [`configuration`] | what Subscriptions and the cluster configure of them |
//! | [`certificates`] | what stands for certificates |
//! | `serving` | Services, Secrets and rights for certificates |
//! | [`webhooks`], [`api_services`] | what the API server is told of |
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/install`.

pub mod api_services;
pub mod certificates;
pub mod configuration;
pub mod deployment;
mod serving;
pub mod webhooks;

use std::collections::BTreeMap;

use fbc_cluster::api::Propagation;
use fbc_cluster::error::{ApiError, Reason};
use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::Moment;
use serde_json::Value;

use self::certificates::{RENEWED_BEFORE, VALID_FOR, decoded};
use self::deployment::Wanted;
use super::csv::object::{api_services as services_of, webhooks as webhooks_of};
use super::owners::is_owned_by;
use crate::client::Client;
use crate::look_error::LookError;

/// Why an installation fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallError {
    /// In words.
    pub message: String,
    /// Whether trying again does not help.
    pub is_final: bool,
}

impl From<String> for InstallError {
    fn from(message: String) -> Self {
        Self { message, is_final: false }
    }
}

impl From<ApiError> for InstallError {
    fn from(error: ApiError) -> Self {
        Self { message: error.message, is_final: false }
    }
}

/// An API or a webhook that a Deployment serves.
#[derive(Debug, Clone, Copy)]
pub enum Served<'v> {
    /// An entry of `spec.apiservicedefinitions`.
    Api(&'v Value),
    /// An entry of `spec.webhookdefinitions`.
    Webhook(&'v Value),
}

impl<'v> Served<'v> {
    /// The entry.
    pub fn description(self) -> &'v Value {
        match self {
            Self::Api(description) | Self::Webhook(description) => description,
        }
    }

    /// The Deployment that serves it.
    pub fn deployment(self) -> &'v str {
        self.description().text(&["deploymentName"])
    }
}

/// Everything that the Deployments of an operator serve, APIs by name before webhooks. APIs that are only required count as well.
pub fn served(version: &Object) -> Vec<Served<'_>> {
    let apis = services_of(version, &["owned", "required"]).into_iter().map(|(_, api)| Served::Api(api));
    apis.chain(webhooks_of(version).iter().map(Served::Webhook)).collect()
}

/// When certificates were made, and when they are due again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rotation {
    /// When they were made.
    pub made_at: Moment,
    /// When they are due.
    pub due_at: Moment,
}

/// Installs everything. Tells of certificates that were made.
///
/// # Errors
/// The first refusal.
pub fn install(client: &mut Client<'_>, version: &Object) -> Result<Option<Rotation>, InstallError> {
    let mut wanted = deployment::wanted(version);
    let served = served(version);
    let now = client.api.now();
    let end = now + VALID_FOR;
    let number = certificates::number(version.namespace(), version.name(), now);
    let mut authorities: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut are_new = false;
    for deployment in &mut wanted {
        let parts: Vec<Served<'_>> =
            served.iter().copied().filter(|one| one.deployment() == deployment.name).collect();
        if parts.is_empty() {
            continue;
        }
        let (authority, is_new) = serving::install(client, version, deployment, &parts, (end, number))?;
        authorities.insert(deployment.name.clone(), authority);
        are_new |= is_new;
    }
    install_deployments(client, version, &wanted, &served, &authorities).map_err(|error| match error {
        Failure::Forbidden(text) => {
            InstallError { message: format!("install strategy failed: {text}"), is_final: true }
        }
        Failure::Other(text) => InstallError { message: text, is_final: false },
    })?;
    clean_up(client, version, &wanted)?;
    Ok(are_new.then_some(Rotation { made_at: now, due_at: end - RENEWED_BEFORE }))
}

/// Why a part cannot be installed.
#[derive(Debug)]
pub enum Failure {
    /// The account may not.
    Forbidden(String),
    /// Anything else.
    Other(String),
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        match error.reason {
            Reason::Forbidden => Self::Forbidden(error.message),
            _ => Self::Other(error.message),
        }
    }
}

impl From<String> for Failure {
    fn from(text: String) -> Self {
        Self::Other(text)
    }
}

fn install_deployments(
    client: &mut Client<'_>,
    version: &Object,
    wanted: &[Wanted],
    served: &[Served<'_>],
    authorities: &BTreeMap<String, Vec<u8>>,
) -> Result<(), Failure> {
    for one in wanted {
        let (object, _) = deployment::build(client.api, version, one);
        client.replace(object)?;
        for part in served {
            let authority = authorities.get(part.deployment()).map_or(&[][..], Vec::as_slice);
            match part {
                Served::Api(description) => api_services::install(client, version, description, authority)?,
                Served::Webhook(description) => webhooks::install(client, version, description, authority)?,
            }
        }
    }
    Ok(())
}

/// Deletes Deployments of the operator that it does not ask for any more.
fn clean_up(client: &mut Client<'_>, version: &Object, wanted: &[Wanted]) -> Result<(), ApiError> {
    for (name, deployment) in deployment::labelled(client.api, version) {
        if !wanted.iter().any(|one| one.name == name) && is_owned_by(&deployment, version) {
            client.delete(&deployment, Propagation::Foreground)?;
        }
    }
    Ok(())
}

/// Whether certificates are to be made anew: a Secret is missing, or [`certificates::must_rotate`] (V0-152).
pub fn are_certificates_due(client: &Client<'_>, version: &Object) -> bool {
    let served = served(version);
    deployment::wanted(version).iter().any(|one| {
        let service = serving::service_name(&one.name);
        served.iter().any(|part| part.deployment() == one.name)
            && serving::secret(client, version, &service).is_none_or(|secret| {
                certificates::must_rotate(&secret, &service, version.namespace(), client.api.now())
            })
    })
}

/// The Deployments that are to be, with the certificates that are there.
///
/// # Errors
/// A certificate is missing.
pub fn wanted_with_certificates(client: &Client<'_>, version: &Object) -> Result<Vec<Wanted>, LookError> {
    let mut wanted = deployment::wanted(version);
    let owned = services_of(version, &["owned"]).into_iter().map(|(_, api)| Served::Api(api));
    for part in owned.chain(webhooks_of(version).iter().map(Served::Webhook)) {
        let authority = match part {
            Served::Api(description) => api_services::authority(client, description),
            Served::Webhook(description) => webhooks::authority(client, version, description),
        };
        let authority = authority.ok_or("unable to find CA")?;
        let service = serving::service_name(part.deployment());
        let place = wanted.iter_mut().find(|one| one.name == part.deployment());
        let place = place.ok_or_else(|| {
            format!("strategyDetailsDeployment is missing deployment {}", part.deployment())
        })?;
        let secret = serving::secret(client, version, &service)
            .ok_or_else(|| format!("unable to get secret {}", serving::secret_name(&service)))?;
        serving::mount(&mut place.spec, secret.name(), &certificates::authority_hash(&decoded(&authority)));
    }
    Ok(wanted)
}

pub use serving::{
    KUBE_SYSTEM, auth_delegator_name, auth_reader_name, secret as certificate_secret, secret_name,
    service_name,
};
