//! Commands against registries: Debian's own with skopeo and podman beside us, and one in this process that misbehaves.

mod attached;
mod attestations;
mod checks;
mod clients;
mod copies;
mod failing_transfers;
#[cfg(target_os = "linux")]
mod full_disk;
mod gpg_signatures;
mod increments;
mod interrupted;
mod keyless;
mod logins;
mod lying_registries;
mod mirror_interrupted;
mod mirrors;
mod odd_catalogs;
mod pins;
mod real;
mod references;
mod registries_d;
mod releases;
mod secrets;
mod signatures;
mod support;
