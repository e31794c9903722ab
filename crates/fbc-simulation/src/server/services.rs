//! What answers in a cluster besides its API server: catalogd and the registry, and the objects by which clients find them.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use fbc_apiserver::actor::{Actor, Settings};
use fbc_apiserver::service::{Handler, Service, refusal};
use fbc_cluster::api::ApiServer;
use fbc_olm::workloads;
use fbc_registry::server::Registry;
use fbc_scenario::Session;
use fbc_source::Error;
use http::StatusCode;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};

use super::Header;
use super::catalogd::Catalogd;

/// What answers on this machine; nothing when a session is played again.
#[derive(Default)]
pub(super) struct Listening {
    pub(super) catalogd: Option<SocketAddr>,
    /// The certificate of the authority that signed those of what answers, as PEM.
    pub(super) root_certificate: String,
    pub(super) registry: Option<(SocketAddr, Arc<Registry>)>,
}

/// A cluster in front of which requests are answered, with what else answers in it.
///
/// # Errors
/// The cluster refuses objects of what answers in it.
pub(super) fn actor<'s>(
    session: &'s mut Session<'_>,
    header: &Header,
    listening: Listening,
    settings: Settings,
) -> Result<Actor<'s>, Error> {
    let parts = session.parts();
    let is_there = |name: &str| parts.contains(&name);
    let operator_controller =
        is_there("operator-controller").then(|| workloads::operator_controller(&session.olm_options()));
    let catalogd = is_there("catalogd").then(|| Catalogd::new(session, listening.catalogd));
    let mut actor = Actor::new(session.cluster(), settings);
    let refused = |error| Error::new(format!("the cluster refuses a part of itself: {error}"));
    actor.add_objects(operator_controller.unwrap_or_default()).map_err(refused)?;
    if let Some(catalogd) = catalogd {
        actor.add_service(Box::new(catalogd)).map_err(refused)?;
    }
    if header.registry {
        let (listener, images) = listening.registry.unzip();
        actor.add_service(Box::new(RegistryService { listener, images })).map_err(refused)?;
    }
    Ok(actor)
}

/// The cluster's own registry, where minikube has its own.
struct RegistryService {
    listener: Option<SocketAddr>,
    images: Option<Arc<Registry>>,
}

impl Service for RegistryService {
    fn objects(&self) -> Vec<Value> {
        let labels = json!({"app": "registry"});
        let metadata = json!({"name": "registry", "namespace": "kube-system", "labels": labels});
        vec![
            json!({
                "apiVersion": "v1", "kind": "Service", "metadata": metadata,
                "spec": {"selector": labels, "ports": [{"port": 80, "protocol": "TCP", "targetPort": 5000}]},
            }),
            json!({
                "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata,
                "spec": {
                    "replicas": 1, "selector": {"matchLabels": labels},
                    "template": {
                        "metadata": {"labels": labels},
                        "spec": {"containers": [{
                            "name": "registry", "image": super::REGISTRY_NAME, "ports": [{"containerPort": 5000}],
                        }]},
                    },
                },
            }),
        ]
    }

    fn port(&self) -> &'static str {
        ""
    }

    fn is_encrypted(&self) -> bool {
        false
    }

    fn listener(&self) -> Option<SocketAddr> {
        self.listener
    }

    fn handler(&mut self, _: &ApiServer, _: &str) -> Handler {
        let images = self.images.clone();
        Handler::new(async move |request| match images {
            // All that comes through the API server is one client.
            Some(images) => {
                images.answer(Ipv4Addr::UNSPECIFIED.into(), request).await.map(|body| body.boxed_unsync())
            }
            None => {
                refusal(StatusCode::SERVICE_UNAVAILABLE, "a session that is played again has no registry\n")
            }
        })
    }
}
