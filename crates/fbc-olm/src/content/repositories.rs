//! What lies in the repositories of all registries: images by tag and by digest.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Image, PullError, parse, repository};

/// Images in repositories.
#[derive(Debug, Default)]
pub struct Repositories {
    /// By repository and tag.
    tags: BTreeMap<(String, String), Arc<Image>>,
    /// By repository and digest.
    digests: BTreeMap<(String, String), Arc<Image>>,
}

impl Repositories {
    /// Makes an image reachable under a reference. A tag moves if it was another image's; a digest is taken as given,
    /// so that the content of a sample can stand for an image whose bytes are not at hand.
    ///
    /// # Errors
    /// The reference cannot be read.
    pub fn push(&mut self, reference: &str, image: Arc<Image>) -> Result<(), PullError> {
        let parsed = parse(reference)?;
        let repository = repository(&parsed);
        self.digests.insert((repository.clone(), image.digest.clone()), Arc::clone(&image));
        if let Some(digest) = parsed.digest {
            self.digests.insert((repository, digest), image);
            return Ok(());
        }
        let tag = parsed.tag.unwrap_or_else(|| "latest".to_owned());
        self.tags.insert((repository, tag), image);
        Ok(())
    }

    /// The image that a tag of a repository names.
    pub(super) fn tagged(&self, repository_and_tag: &(String, String)) -> Option<&Arc<Image>> {
        self.tags.get(repository_and_tag)
    }

    /// The image of a digest in a repository.
    pub(super) fn with_digest(&self, repository_and_digest: &(String, String)) -> Option<&Arc<Image>> {
        self.digests.get(repository_and_digest)
    }
}
