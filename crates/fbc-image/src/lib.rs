//! Catalog and bundle images: build, layouts and archives, registries, without a daemon.

pub mod registry;
