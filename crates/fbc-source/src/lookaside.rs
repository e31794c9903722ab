//! The store of signatures that GnuPG made: files behind an address, numbered from 1.
//!
//! Source: `containers/image:docker/registries_d.go`, `docker/docker_image_src.go` (`getSignaturesFromLookaside`).

use std::io;
use std::path::{Path, PathBuf};

use fbc_registry::{Client, Problem, Reference, RegistryError, Result};
use oci_spec::image::Digest;

/// Signatures of one image, at most.
const MOST: usize = 128;
/// Bytes of a signature, at most: 4 MiB.
const BYTES: u64 = 4 << 20;
const ACTION: &str = "get the signature";

/// The signatures of an image.
///
/// # Errors
/// If the store cannot be asked, or has too many.
pub(crate) async fn signatures(
    client: &Client,
    store: &str,
    image: &Reference,
    digest: &Digest,
) -> Result<Vec<Vec<u8>>> {
    let base = format!(
        "{}/{}@{}={}",
        store.trim_end_matches('/'),
        image.repository(),
        digest.algorithm(),
        digest.digest()
    );
    let mut found = Vec::new();
    loop {
        let address = format!("{base}/signature-{}", found.len() + 1);
        let signature = match address.strip_prefix("file://") {
            Some(path) => read(Path::new(path))?,
            None => client.get_document(ACTION, &address, BYTES).await?,
        };
        let Some(signature) = signature else { return Ok(found) };
        if found.len() == MOST {
            let text = format!("the store has more than {MOST} signatures of the image");
            return Err(RegistryError::new(ACTION, base, Problem::Unexpected(text)));
        }
        found.push(signature);
    }
}

fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    match fbc_model::tree::read_file(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(RegistryError::new(ACTION, path.display().to_string(), error)),
    }
}

/// The address of a directory.
pub(crate) fn address_of(folder: &Path) -> String {
    format!("file://{}", PathBuf::from(folder).display())
}
