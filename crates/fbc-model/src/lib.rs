//! Catalog blobs, the directory walk with .indexignore, and the writers of opm's formats.

mod beneath;
pub mod blob;
pub mod bundle_name;
pub mod bundle_object;
pub mod catalog;
pub mod closest;
pub mod cluster_service_version;
pub mod confined_tree;
pub mod constraint;
pub mod counted;
pub mod edit;
pub mod file_type;
pub mod go_type;
pub mod go_types;
pub mod icon;
pub mod image_reference;
pub mod index_ignore;
pub mod kubernetes_json;
pub mod load;
pub mod marked_json;
pub mod meta;
pub mod overlay_tree;
pub mod package_blobs;
pub mod render;
pub mod tree;
pub mod writer;

pub use blob::{
    Blob, Bundle, Channel, ChannelEntry, Deprecation, DeprecationEntry, Icon, Origin, Other, Package,
    Property, RelatedImage, Value,
};
pub use catalog::{Catalog, CatalogFile, DocumentInfo};
pub use package_blobs::PackageBlobs;
