//! The messages of the registry's gRPC API, with the numbers of their fields.
//!
//! Source: `operator-framework/operator-registry:pkg/api/registry.proto`.

use prost::Message;

/// The package of the API's messages and services.
pub(super) const PACKAGE: &str = "api";

/// A channel of a package.
#[derive(Clone, PartialEq, Message)]
pub struct Channel {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The bundle at its head.
    #[prost(string, tag = "2")]
    pub csv_name: String,
    /// Present if the channel is deprecated.
    #[prost(message, optional, tag = "3")]
    pub deprecation: Option<Deprecation>,
}

/// The name of a package.
#[derive(Clone, PartialEq, Message)]
pub struct PackageName {
    /// The name.
    #[prost(string, tag = "1")]
    pub name: String,
}

/// A package.
#[derive(Clone, PartialEq, Message)]
pub struct Package {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its channels by name.
    #[prost(message, repeated, tag = "2")]
    pub channels: Vec<Channel>,
    /// The channel that installations take if they name none.
    #[prost(string, tag = "3")]
    pub default_channel_name: String,
    /// Present if the package is deprecated.
    #[prost(message, optional, tag = "4")]
    pub deprecation: Option<Deprecation>,
}

/// A kind of an API.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Message)]
pub struct GroupVersionKind {
    /// The API group.
    #[prost(string, tag = "1")]
    pub group: String,
    /// The version in the group.
    #[prost(string, tag = "2")]
    pub version: String,
    /// The kind.
    #[prost(string, tag = "3")]
    pub kind: String,
    /// The plural name; never set.
    #[prost(string, tag = "4")]
    pub plural: String,
}

/// Something that a bundle needs.
#[derive(Clone, PartialEq, Message)]
pub struct Dependency {
    /// `olm.gvk` or `olm.package`.
    #[prost(string, tag = "1")]
    pub r#type: String,
    /// JSON.
    #[prost(string, tag = "2")]
    pub value: String,
}

/// A property of a bundle.
#[derive(Clone, PartialEq, Message)]
pub struct Property {
    /// Its type.
    #[prost(string, tag = "1")]
    pub r#type: String,
    /// JSON.
    #[prost(string, tag = "2")]
    pub value: String,
}

/// A bundle as an entry of one channel.
#[derive(Clone, PartialEq, Message)]
pub struct Bundle {
    /// The name of the bundle.
    #[prost(string, tag = "1")]
    pub csv_name: String,
    /// Its package.
    #[prost(string, tag = "2")]
    pub package_name: String,
    /// The channel.
    #[prost(string, tag = "3")]
    pub channel_name: String,
    /// The cluster service version as JSON.
    #[prost(string, tag = "4")]
    pub csv_json: String,
    /// All manifests as JSON.
    #[prost(string, repeated, tag = "5")]
    pub object: Vec<String>,
    /// The image.
    #[prost(string, tag = "6")]
    pub bundle_path: String,
    /// Kinds that it brings.
    #[prost(message, repeated, tag = "7")]
    pub provided_apis: Vec<GroupVersionKind>,
    /// Kinds that it needs.
    #[prost(message, repeated, tag = "8")]
    pub required_apis: Vec<GroupVersionKind>,
    /// Its version.
    #[prost(string, tag = "9")]
    pub version: String,
    /// The versions that it replaces besides those that it names.
    #[prost(string, tag = "10")]
    pub skip_range: String,
    /// What it needs.
    #[prost(message, repeated, tag = "11")]
    pub dependencies: Vec<Dependency>,
    /// Its properties without manifests and their metadata.
    #[prost(message, repeated, tag = "12")]
    pub properties: Vec<Property>,
    /// The bundle that it replaces in the channel.
    #[prost(string, tag = "13")]
    pub replaces: String,
    /// The bundles that it skips in the channel.
    #[prost(string, repeated, tag = "14")]
    pub skips: Vec<String>,
    /// Present if the bundle is deprecated.
    #[prost(message, optional, tag = "15")]
    pub deprecation: Option<Deprecation>,
}

/// An edge of a channel.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Message)]
pub struct ChannelEntry {
    /// The package.
    #[prost(string, tag = "1")]
    pub package_name: String,
    /// The channel.
    #[prost(string, tag = "2")]
    pub channel_name: String,
    /// The bundle that the edge leads to.
    #[prost(string, tag = "3")]
    pub bundle_name: String,
    /// The bundle that it comes from.
    #[prost(string, tag = "4")]
    pub replaces: String,
}

/// Why something should not be used any more.
#[derive(Clone, PartialEq, Message)]
pub struct Deprecation {
    /// The reason, for users.
    #[prost(string, tag = "1")]
    pub message: String,
}

/// Asks for all packages, or for all bundles.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct ListRequest {}

/// Asks for a package.
#[derive(Clone, PartialEq, Message)]
pub struct GetPackageRequest {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
}

/// Asks for a bundle of a channel, or for the head of the channel.
#[derive(Clone, PartialEq, Message)]
pub struct GetBundleRequest {
    /// The package.
    #[prost(string, tag = "1")]
    pub pkg_name: String,
    /// The channel.
    #[prost(string, tag = "2")]
    pub channel_name: String,
    /// The bundle; a request for a head has none.
    #[prost(string, tag = "3")]
    pub csv_name: String,
}

/// Asks for what replaces a bundle.
#[derive(Clone, PartialEq, Message)]
pub struct GetReplacementRequest {
    /// The bundle.
    #[prost(string, tag = "1")]
    pub csv_name: String,
    /// The package; a request for the edges of all packages has none.
    #[prost(string, tag = "2")]
    pub pkg_name: String,
    /// The channel; a request for the edges of all packages has none.
    #[prost(string, tag = "3")]
    pub channel_name: String,
}

/// Asks for blobs of a schema that opm does not know.
#[derive(Clone, PartialEq, Message)]
pub struct CustomSchemasRequest {
    /// The schema.
    #[prost(string, tag = "1")]
    pub schema: String,
    /// The package; blobs without a package if it is empty.
    #[prost(string, tag = "2")]
    pub package_name: String,
}

/// Asks whether a service is there.
#[derive(Clone, PartialEq, Message)]
pub struct HealthCheckRequest {
    /// The service; the whole server if it is empty.
    #[prost(string, tag = "1")]
    pub service: String,
}

/// Whether a service is there.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct HealthCheckResponse {
    /// 1 if it serves, 2 if it does not.
    #[prost(int32, tag = "1")]
    pub status: i32,
}
