//! What a cluster does by itself: the controllers that a control plane and its nodes run.
//!
//! Every controller is an [`crate::engine::Controller`]: it hears of changes, looks at one object, and writes what is
//! missing. What it asks of the store goes through indexes, so the cost of an event does not grow with objects that
//! have nothing to do with it.
//!
//! | module | what it does |
//! |---|---|
//! | [`set`] | all of them at once: begin here |
//! | [`garbage`] | objects go with their owners |
//! | [`namespaces`] | namespaces are emptied before they go |
//! | [`accounts`] | every namespace has a service account and the authority's certificates |
//! | [`roles`] | cluster roles that are put together from others |
//! | [`definitions`] | conditions of custom resource definitions, and their objects' end |
//! | [`deployments`], [`replica_sets`] | pods in numbers, and rollouts from one revision to the next |
//! | [`stateful_sets`], [`daemon_sets`] | pods with names of their own, and one on every node |
//! | [`horizontal_autoscaler`] | how many pods a workload has, by what they use |
//! | [`jobs`], [`cron_jobs`], [`schedule`] | pods that run to an end, once or by a schedule |
//! | `endpoints` | the pods behind services |
//! | [`events`] | how controllers write Events |
//! | [`template_hash`] | the hash of a pod template that names replica sets |
//! | [`node_lifecycle`], [`taint_eviction`], [`pod_garbage`] | taints follow conditions, pods leave tainted and lost nodes |
//! | [`budgets`] | how many pods disruption budgets let go |
//! | [`quotas`] | what is used of quotas |
//! | [`admission_policies`] | which generation of an admission policy counts |
//! | [`scheduler`], [`kubelet`], [`behaviour`] | pods find nodes, run there, and fare as scenarios say |
//! | [`stand_in`] | writes the status of deployments in clusters that run no pods |

pub mod accounts;
pub mod admission_policies;
pub mod api_services;
pub mod behaviour;
pub mod budgets;
mod claims;
pub mod cron_jobs;
pub mod daemon_sets;
pub mod definitions;
pub mod deployments;
pub mod endpoint_objects;
mod endpoints;
pub mod events;
pub mod garbage;
pub mod horizontal_autoscaler;
pub mod jobs;
pub mod kubelet;
pub mod namespaces;
pub mod node_lifecycle;
pub mod persistent_volumes;
mod pod_counts;
pub mod pod_garbage;
mod pods;
mod pods_by_node;
pub mod quotas;
pub mod replica_sets;
mod revisions;
pub mod roles;
pub mod schedule;
pub mod scheduler;
pub mod set;
pub mod stand_in;
pub mod stateful_sets;
pub mod taint_eviction;
pub mod template_hash;
pub(crate) mod write;

#[cfg(test)]
mod tests;
