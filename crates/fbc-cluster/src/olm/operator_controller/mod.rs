//! operator-controller: installs and updates bundles.
//!
//! [`applier`] is what its controller of ClusterExtensions asks of an engine; [`boxcutter`] is the engine of the
//! feature gate `BoxcutterRuntime`.

pub mod applier;
pub mod boxcutter;
