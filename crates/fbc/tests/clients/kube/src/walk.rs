//! The walk: what is asked for here is the same for every client.

use std::path::PathBuf;
use std::time::Duration;

use futures_util::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, DeleteParams, DynamicObject, EvictParams, ListParams, Patch, PatchParams};
use kube::core::GroupVersionKind;
use kube::discovery::{self, Scope};
use kube::runtime::wait::await_condition;
use kube::runtime::{WatchStreamExt as _, watcher};
use kube::{Client, ResourceExt as _};
use serde_json::json;

use super::Failure;

/// How long a client waits for what takes no time.
const PATIENCE: Duration = Duration::from_secs(60);

pub async fn walk(client: &Client, directory: &str) -> Result<(), Failure> {
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), "default");
    let manifests = manifests(client, directory).await?;
    for (api, manifest) in &manifests {
        api.patch(&manifest.name_any(), &PatchParams::apply("walk"), &Patch::Apply(manifest)).await?;
    }
    ready(&deployments).await?;
    println!("applied");

    let extension = GroupVersionKind::gvk("olm.operatorframework.io", "v1", "ClusterExtension");
    let (extension, _) = discovery::pinned_kind(client, &extension).await?;
    let extensions: Api<DynamicObject> = Api::all_with(client.clone(), &extension);
    installed(&extensions, "1.0.0").await?;
    let change = json!({"spec": {"source": {"catalog": {"version": "1.1.0"}}}});
    extensions.patch("ferry", &PatchParams::default(), &Patch::Merge(change)).await?;
    installed(&extensions, "1.1.0").await?;

    drain(client, "node-1").await?;
    ready(&deployments).await?;
    println!("drained");

    // What lies in the namespace `sea` goes with it.
    for (api, manifest) in manifests.iter().rev().filter(|(_, one)| one.namespace().as_deref() != Some("sea"))
    {
        api.delete(&manifest.name_any(), &DeleteParams::foreground()).await?;
    }
    let pods: Api<Pod> = Api::namespaced(client.clone(), "default");
    while !(extensions.list(&ListParams::default()).await?.items.is_empty() && none(&pods, "").await?) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    println!("deleted");
    Ok(())
}

/// The objects of a directory, in the order of its files, each with where it belongs.
async fn manifests(
    client: &Client,
    directory: &str,
) -> Result<Vec<(Api<DynamicObject>, DynamicObject)>, Failure> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(directory)?.map(|entry| Ok(entry?.path())).collect::<Result<_, Failure>>()?;
    paths.sort();
    let mut manifests = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(path)?;
        for document in serde_yaml::Deserializer::from_str(&text) {
            let object: DynamicObject = serde::Deserialize::deserialize(document)?;
            let types = object.types.as_ref().ok_or("a manifest has no kind")?;
            let (resource, capabilities) =
                discovery::pinned_kind(client, &GroupVersionKind::try_from(types)?).await?;
            let api = match (capabilities.scope, object.namespace()) {
                (Scope::Namespaced, Some(namespace)) => {
                    Api::namespaced_with(client.clone(), &namespace, &resource)
                }
                _ => Api::all_with(client.clone(), &resource),
            };
            manifests.push((api, object));
        }
    }
    Ok(manifests)
}

async fn ready(deployments: &Api<Deployment>) -> Result<(), Failure> {
    let is_ready = |deployment: Option<&Deployment>| {
        deployment.and_then(|deployment| deployment.status.as_ref()?.ready_replicas) == Some(4)
    };
    tokio::time::timeout(PATIENCE, await_condition(deployments.clone(), "web", is_ready)).await??;
    Ok(())
}

/// Watches the extension until a version of its operator is installed.
async fn installed(extensions: &Api<DynamicObject>, version: &str) -> Result<(), Failure> {
    let config = watcher::Config::default().fields("metadata.name=ferry").streaming_lists();
    let events = watcher(extensions.clone(), config).applied_objects();
    let mut found = std::pin::pin!(events.try_filter(|object| {
        let is_found = object.data.pointer("/status/install/bundle/version") == Some(&json!(version));
        std::future::ready(is_found)
    }));
    tokio::time::timeout(PATIENCE, found.next()).await?.ok_or("the watch ends")??;
    println!("{} {version}", if version == "1.0.0" { "installed" } else { "updated" });
    Ok(())
}

/// As `kubectl drain`.
async fn drain(client: &Client, node: &str) -> Result<(), Failure> {
    let nodes: Api<k8s_openapi::api::core::v1::Node> = Api::all(client.clone());
    nodes.cordon(node).await?;
    let pods: Api<Pod> = Api::all(client.clone());
    let on_node = format!("spec.nodeName={node}");
    for pod in pods.list(&ListParams::default().fields(&on_node)).await? {
        let own: Api<Pod> = Api::namespaced(client.clone(), &pod.namespace().unwrap_or_default());
        own.evict(&pod.name_any(), &EvictParams::default()).await?;
    }
    while !none(&pods, &on_node).await? {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}

async fn none(pods: &Api<Pod>, fields: &str) -> Result<bool, Failure> {
    Ok(pods.list(&ListParams::default().fields(fields)).await?.items.is_empty())
}
