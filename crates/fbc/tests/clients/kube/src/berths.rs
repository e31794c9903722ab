//! A controller: each `Berth` owns a ConfigMap, says so in its status, and leaves a trace when it goes, which its finalizer waits for.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::finalizer::{Event, finalizer};
use kube::runtime::wait::{await_condition, conditions};
use kube::runtime::watcher;
use kube::{Client, CustomResource, CustomResourceExt as _, Resource as _, ResourceExt as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Failure;

const NAMESPACE: &str = "default";
const MANAGER: &str = "berths";
const FINALIZER: &str = "sea.example/berths";
/// How many there are.
const COUNT: usize = 20;
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "sea.example", version = "v1", kind = "Berth", namespaced, status = "BerthStatus")]
struct BerthSpec {
    ship: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct BerthStatus {
    ship: String,
}

#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error(transparent)]
    Api(#[from] kube::Error),
    #[error(transparent)]
    Finalizer(#[from] Box<kube::runtime::finalizer::Error<Fault>>),
}

pub async fn run(client: &Client) -> Result<(), Failure> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let definition = Berth::crd();
    let name = definition.name_any();
    definitions.patch(&name, &PatchParams::apply(MANAGER), &Patch::Apply(&definition)).await?;
    let established = await_condition(definitions.clone(), &name, conditions::is_crd_established());
    tokio::time::timeout(PATIENCE, established).await??;

    let berths: Api<Berth> = Api::namespaced(client.clone(), NAMESPACE);
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    let config = watcher::Config::default();
    let controller = Controller::new(berths.clone(), config.clone()).owns(maps.clone(), config).run(
        reconcile,
        |_, _, _| Action::requeue(Duration::from_secs(1)),
        Arc::new(client.clone()),
    );
    let controller = tokio::spawn(controller.for_each(async |outcome| {
        if let Err(error) = outcome {
            // Objects that are gone when their turn comes are no faults.
            eprintln!("{error}");
        }
    }));

    let names: Vec<String> = (1..=COUNT).map(|number| format!("berth-{number}")).collect();
    for name in &names {
        berths.create(&PostParams::default(), &Berth::new(name, BerthSpec { ship: "ferry".into() })).await?;
    }
    moored(&berths, &names, "ferry").await?;
    println!("moored {COUNT}");

    for name in &names {
        let change = Patch::Merge(json!({"spec": {"ship": "tug"}}));
        berths.patch(name, &PatchParams::default(), &change).await?;
    }
    moored(&berths, &names, "tug").await?;
    // What the controller owns comes back.
    let uid = maps.get(&names[0]).await?.uid().unwrap_or_default();
    maps.delete(&names[0], &DeleteParams::default()).await?;
    let is_back = |map: Option<&ConfigMap>| map.is_some_and(|map| map.uid().is_some_and(|own| own != uid));
    tokio::time::timeout(PATIENCE, await_condition(maps.clone(), &names[0], is_back)).await??;
    println!("changed {COUNT}");

    berths.delete_collection(&DeleteParams::default(), &ListParams::default()).await?;
    for name in &names {
        let gone = await_condition(berths.clone(), name, |berth: Option<&Berth>| berth.is_none());
        tokio::time::timeout(PATIENCE, gone).await??;
    }
    let traces = maps.list(&ListParams::default().labels("left=tug")).await?.items.len();
    println!("left {traces}");
    controller.abort();
    definitions.delete(&name, &DeleteParams::default()).await?;
    Ok(())
}

/// Waits until all say which ship they have.
async fn moored(berths: &Api<Berth>, names: &[String], ship: &str) -> Result<(), Failure> {
    for name in names {
        let says_so = |berth: Option<&Berth>| {
            berth.and_then(|berth| Some(berth.status.as_ref()?.ship == ship)).unwrap_or_default()
        };
        tokio::time::timeout(PATIENCE, await_condition(berths.clone(), name, says_so)).await??;
    }
    Ok(())
}

async fn reconcile(berth: Arc<Berth>, client: Arc<Client>) -> Result<Action, Fault> {
    let berths: Api<Berth> = Api::namespaced((*client).clone(), NAMESPACE);
    let maps: Api<ConfigMap> = Api::namespaced((*client).clone(), NAMESPACE);
    finalizer(&berths, FINALIZER, berth, async |event| match event {
        Event::Apply(berth) => apply(&berth, &berths, &maps).await,
        Event::Cleanup(berth) => leave(&berth, &maps).await,
    })
    .await
    .map_err(|error| Box::new(error).into())
}

async fn apply(berth: &Berth, berths: &Api<Berth>, maps: &Api<ConfigMap>) -> Result<Action, Fault> {
    let name = berth.name_any();
    let map = ConfigMap {
        metadata: ObjectMeta {
            name: Some(name.clone()),
            owner_references: Some(berth.controller_owner_ref(&()).into_iter().collect()),
            ..ObjectMeta::default()
        },
        data: Some([("ship".to_owned(), berth.spec.ship.clone())].into()),
        ..ConfigMap::default()
    };
    let parameters = PatchParams::apply(MANAGER).force();
    maps.patch(&name, &parameters, &Patch::Apply(map)).await?;
    let status = json!({
        "apiVersion": "sea.example/v1", "kind": "Berth", "status": BerthStatus { ship: berth.spec.ship.clone() },
    });
    berths.patch_status(&name, &parameters, &Patch::Apply(status)).await?;
    Ok(Action::await_change())
}

async fn leave(berth: &Berth, maps: &Api<ConfigMap>) -> Result<Action, Fault> {
    let trace = ConfigMap {
        metadata: ObjectMeta {
            name: Some(format!("trace-of-{}", berth.name_any())),
            labels: Some([("left".to_owned(), berth.spec.ship.clone())].into()),
            ..ObjectMeta::default()
        },
        ..ConfigMap::default()
    };
    let name = trace.name_any();
    maps.patch(&name, &PatchParams::apply(MANAGER), &Patch::Apply(trace)).await?;
    Ok(Action::await_change())
}
