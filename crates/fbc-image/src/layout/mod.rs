//! Images on disk: OCI layout directories, tar archives of them, and docker's archives; read and written.
//!
//! Sources of the formats: `opencontainers/image-spec:image-layout.md`,
//! `moby/docker-image-spec:spec.md`.

mod archive;
mod docker_archive;
mod docker_output;
mod folder;
mod names;
mod output;

pub use archive::LayoutArchive;
pub use docker_archive::DockerArchive;
pub use folder::LayoutFolder;
pub use names::Named;
pub use output::Output;
pub use output::{create, names_in, put_into, take_out};

/// The file that makes a directory a layout, and its content.
pub const LAYOUT_FILE: &str = "oci-layout";
const LAYOUT: &[u8] = br#"{"imageLayoutVersion":"1.0.0"}"#;
/// The file that names the images of a layout.
const INDEX_FILE: &str = "index.json";

#[cfg(test)]
mod tests;
