//! `opm serve`.
//!
//! There is no cache on disk: a catalog is read and indexed faster than a cache is checked. The flags of the cache are taken,
//! and its directory is made, so that whoever copies it finds it; what lies in it is neither trusted nor touched.

use std::fs;
use std::net::{Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use fbc_catalog_server::{self as serve, Content, Plan, Served, Wanted};
use fbc_go::text::quote;
use fbc_model::tree::DiskTree;
use fbc_serve::hosts::Hosts;
use fbc_staging::Root;

use super::arguments::Invocation;
use super::error::OpmError;
use crate::failure::words;
use crate::serve::log::{self, LogFormat};
use crate::settings::Settings;

pub(super) fn run(invocation: &Invocation, settings: &Settings) -> Result<(), OpmError> {
    let directory = invocation.positionals.first().map(String::as_str).unwrap_or_default();
    let cache = invocation.text("cache-dir");
    let enforces_integrity =
        invocation.is_given("cache-enforce-integrity") && invocation.switch("cache-enforce-integrity");
    if enforces_integrity && cache.is_empty() {
        return Err(OpmError::Fatal(
            "--cache-dir must be specified with --cache-enforce-integrity".to_owned(),
        ));
    }
    let root = PathBuf::from(directory);
    let metadata = fs::metadata(&root).map_err(|error| {
        OpmError::Fatal(format!(
            "failed to load or rebuild cache: stat {directory}: {}",
            words(&error).to_lowercase()
        ))
    })?;
    if !metadata.is_dir() {
        return Err(OpmError::Fatal(format!("{} is not a directory", quote(directory))));
    }
    let is_cache_only = invocation.switch("cache-only");
    // Whoever builds a cache copies its directory. A server does without it, as in an image that cannot be written to.
    if !cache.is_empty()
        && let Err(error) = Root::create(cache.as_ref())
        && is_cache_only
    {
        return Err(OpmError::Fatal(format!("mkdir {cache}: {}", words(&error).to_lowercase())));
    }
    if is_cache_only {
        return check(&root);
    }
    let port = invocation.text("port");
    let port: u16 = port.parse().map_err(|_| {
        OpmError::Fatal(format!("failed to listen: listen tcp: address {port}: invalid port"))
    })?;
    log::start(LogFormat::Text, invocation.switch("debug"));
    for flag in ["pprof-addr", "pprof-capture-profiles"] {
        if asks_for_profiles(invocation, flag) {
            tracing::warn!(
                "--{flag} has no effect: opm serves profiles of Go's runtime, which fbc does not have; \
                 `fbc serve --http ADDRESS` serves metrics"
            );
        }
    }
    let plan = Plan {
        catalogs: vec![Served::directory(root, settings)],
        grpc: Some(SocketAddr::from((Ipv6Addr::UNSPECIFIED, port))),
        http: None,
        encryption: None,
        // gRPC without TLS is served under any name.
        hosts: Hosts::default(),
        // As in opm, what is served is what was there at the start.
        poll: None,
        termination_log: Some(PathBuf::from(invocation.text("termination-log"))),
        other: None,
        ui: false,
        graphql: false,
    };
    serve::run(plan).map_err(|failure: fbc_source::Error| OpmError::Fatal(failure.message_and_details()))
}

/// True if a flag asks for profiles: an empty address turns them off.
fn asks_for_profiles(invocation: &Invocation, flag: &str) -> bool {
    let is_off =
        if flag == "pprof-addr" { invocation.text(flag).is_empty() } else { !invocation.switch(flag) };
    invocation.is_given(flag) && !is_off
}

/// Loads the catalog as for serving it.
fn check(root: &Path) -> Result<(), OpmError> {
    let tree = DiskTree { root: root.to_owned() };
    let wanted = Wanted { registry: true, store: false, pages: false, graphql: false };
    Content::load(&tree, wanted, std::time::SystemTime::UNIX_EPOCH).map(drop).map_err(|error| {
        OpmError::Fatal(format!("failed to load or rebuild cache: failed to rebuild cache: {error}"))
    })
}
