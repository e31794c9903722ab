//! `opm serve`.
//!
//! No cache is read: a catalog is read and indexed faster than a cache is checked. The flags of the cache are taken. With
//! `--cache-only` a cache is written, since the image that it is for may be served by a real opm, which refuses to start without
//! one.

use std::fs;
use std::net::{Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use fbc_catalog_server::{self as serve, Content, Plan, Served, Wanted};
use fbc_go::text::quote;
use fbc_model::tree::DiskTree;
use fbc_serve::hosts::Hosts;

use super::arguments::Invocation;
use super::cache_writer;
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
    if is_cache_only {
        return check(&root, cache);
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

/// Loads the catalog as for serving it, and writes its cache if a directory for that is named.
fn check(root: &Path, cache: &str) -> Result<(), OpmError> {
    let tree = DiskTree { root: root.to_owned() };
    let wanted = Wanted { registry: true, store: false, pages: false, graphql: false };
    let content = Content::load(&tree, wanted, std::time::SystemTime::UNIX_EPOCH).map_err(|error| {
        OpmError::Fatal(format!("failed to load or rebuild cache: failed to rebuild cache: {error}"))
    })?;
    match content.registry.filter(|_| !cache.is_empty()) {
        Some(registry) => cache_writer::write(root, cache, &registry),
        None => Ok(()),
    }
}
