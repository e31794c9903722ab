//! What `docs/pipelines` gives to people's pipelines: its scripts run here with the built program, and its files fit the
//! schemas of those who read them.

mod action;
mod comments;
mod files;
mod github;
mod hooks;
mod konflux;
mod renovate;
mod shards;
mod tekton;
mod variables;
mod workspace;
