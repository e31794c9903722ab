//! All controllers of a cluster at once.

use super::accounts::{RootCertificates, ServiceAccounts};
use super::admission_policies::AdmissionPolicies;
use super::behaviour::Behaviour;
use super::budgets::DisruptionBudgets;
use super::cron_jobs::CronJobs;
use super::daemon_sets::DaemonSets;
use super::definitions::Definitions;
use super::deployments::Deployments;
use super::endpoint_objects::EndpointObjects;
use super::endpoints::EndpointSlices;
use super::garbage::GarbageCollector;
use super::horizontal_autoscaler::HorizontalAutoscaler;
use super::jobs::Jobs;
use super::kubelet::Kubelet;
use super::namespaces::Namespaces;
use super::node_lifecycle::NodeLifecycle;
use super::persistent_volumes::PersistentVolumes;
use super::pod_garbage::PodGarbage;
use super::quotas::ResourceQuotas;
use super::replica_sets::ReplicaSets;
use super::roles::RoleAggregation;
use super::scheduler::Scheduler;
use super::stand_in::{Answer, DeploymentStandIn};
use super::stateful_sets::StatefulSets;
use super::taint_eviction::TaintEviction;
use crate::engine::Controller;

/// What becomes of the workloads of a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Workloads {
    /// They become pods, which run on nodes.
    Pods {
        /// The node that pods run on as long as the cluster has none; without it they wait.
        virtual_node: Option<String>,
        /// How pods fare.
        behaviours: Vec<Behaviour>,
        /// Whether the scheduler words refusals as before Kubernetes 1.34.
        older_texts: bool,
    },
    /// Only deployments are answered, all in the same way; nothing runs.
    StandIn(Answer),
}

/// The controllers of a cluster, in the order in which they are to be added.
pub fn controllers(workloads: Workloads, seed: u64) -> Vec<Box<dyn Controller>> {
    let mut all: Vec<Box<dyn Controller>> = vec![
        Box::new(GarbageCollector::default()),
        Box::new(Namespaces::default()),
        Box::new(ServiceAccounts),
        Box::new(RootCertificates),
        Box::new(RoleAggregation::default()),
        Box::new(Definitions::default()),
        Box::new(AdmissionPolicies),
    ];
    let (virtual_node, behaviours, older_texts) = match workloads {
        Workloads::StandIn(answer) => {
            all.push(Box::new(DeploymentStandIn::new(answer)));
            return all;
        }
        Workloads::Pods { virtual_node, behaviours, older_texts } => (virtual_node, behaviours, older_texts),
    };
    let scheduler = virtual_node.map_or_else(Scheduler::new, Scheduler::with_virtual_node);
    all.push(Box::new(if older_texts { scheduler.with_older_texts() } else { scheduler }));
    all.push(Box::new(NodeLifecycle::default()));
    all.push(Box::new(TaintEviction::default()));
    all.push(Box::new(PodGarbage::default()));
    all.push(Box::new(DisruptionBudgets::default()));
    all.push(Box::new(ResourceQuotas));
    all.push(Box::new(PersistentVolumes::default()));
    all.push(Box::new(HorizontalAutoscaler::new(behaviours.clone(), seed)));
    all.push(Box::new(Kubelet::new(behaviours, seed)));
    all.push(Box::new(ReplicaSets::default()));
    all.push(Box::new(Deployments::default()));
    all.push(Box::new(StatefulSets::default()));
    all.push(Box::new(DaemonSets::default()));
    all.push(Box::new(Jobs::default()));
    all.push(Box::new(CronJobs::default()));
    all.push(Box::new(EndpointSlices::default()));
    all.push(Box::new(EndpointObjects::default()));
    all
}
