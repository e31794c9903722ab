//! Controllers against recordings of a real control plane, and what no recording shows.

mod admission_policies;
mod cron_jobs;
mod definitions;
mod deployments;
mod endpoints;
mod garbage;
mod horizontal_autoscaler;
mod jobs;
mod kubelet;
mod namespaces;
mod node_faults;
mod persistent_volumes;
mod play;
mod pods;
mod roles;
mod scale;
mod sets;
mod workloads;
