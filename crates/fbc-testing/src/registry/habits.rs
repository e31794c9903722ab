//! What registries do otherwise than the specification, or than each other.

/// Habits of a registry; by default it has none.
#[derive(Clone, Debug, Default)]
pub struct Habits {
    /// What `Range` says behind a part of an upload.
    pub counts: Counts,
    /// A part that says which one it is may have so many bytes, else 416, as ghcr.io has it.
    pub largest_part: Option<usize>,
    /// A request may have so many bytes, else 413, as proxies have it.
    pub largest_request: Option<usize>,
    /// `OCI-Chunk-Min-Length`.
    pub least_part: Option<usize>,
    /// The status that a wish to mount a blob is answered with.
    pub mounts_with: Option<u16>,
    /// A tag is never set again, not even to what it names.
    pub keeps_tags: bool,
    /// `HEAD` is not known.
    pub has_no_head: bool,
    /// No answer names a digest.
    pub hides_digests: bool,
    /// No manifest of OCI's is taken.
    pub is_dockers: bool,
    /// `sha256-<hex>` means the manifest of that digest, as GitLab has it.
    pub takes_tags_for_digests: bool,
}

/// What `Range` says behind a part of an upload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counts {
    /// The last byte of all that is there.
    #[default]
    Last,
    /// The last byte of the part, as zot has it.
    OfPart,
    /// The number of bytes.
    Number,
}
