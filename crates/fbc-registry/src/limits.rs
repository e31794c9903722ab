//! Budgets: how long a registry may take and how much it may send, and what a registry of ours takes.

use std::time::Duration;

/// Blobs with more bytes are refused unless a flag permits more: 16 GiB.
pub const BLOB_BYTES: u64 = 16 << 30;

/// How long a connection may take to stand.
pub const CONNECT: Duration = Duration::from_secs(30);

/// How long a registry may take to begin an answer to a question.
pub const ANSWER: Duration = Duration::from_secs(60);

/// How long a registry may take to answer what changes it: it may copy or verify a large blob.
pub const COMMIT: Duration = Duration::from_secs(300);

/// How long a blob may move at less than [`LEAST_RATE`]; a manifest, a token or a list of tags may take twice as long
/// altogether.
pub const STALL: Duration = Duration::from_secs(30);

/// Bytes of a blob in each second, at least: 1 KiB.
pub const LEAST_RATE: u64 = 1024;

/// Bytes that one request of an upload must bring a registry further, or it counts as failed: 64 KiB.
pub const UPLOAD_PROGRESS: u64 = 64 << 10;

/// A registry that refuses a part of a blob for its size gets parts of so many bytes: 4 MiB, what ghcr.io takes at most.
pub const SMALL_PART: u64 = 4 << 20;

/// How often the bytes of a blob may be sent altogether, as parts that a registry did not keep.
pub const UPLOAD_REPETITIONS: u64 = 8;

/// How long a credential helper may take; it may ask the user for a passphrase.
pub const HELPER: Duration = Duration::from_secs(60);

/// Bytes of the answer of a credential helper: 1 MiB.
pub const HELPER_BYTES: u64 = 1 << 20;

/// Indexes in indexes are followed that deep.
pub const INDEX_DEPTH: u32 = 8;

/// Manifests of one image: an index and all that it lists.
pub const MANIFESTS: usize = 1_000;

/// Bytes of all manifests of one image: 64 MiB.
pub const MANIFESTS_BYTES: u64 = 64 << 20;

/// Bytes of all pages of a list of tags or referrers: 64 MiB.
pub const LIST_BYTES: u64 = 64 << 20;

/// Pages of a list of tags or referrers.
pub const TAG_PAGES: usize = 1_000;

/// Uploads to a registry of ours that may wait or come in at a time. Each holds a file open, of which many systems allow 1024
/// to a process.
pub const UPLOADS: usize = 256;

/// The same, of those from one address: some pushes at a time, of some layers each.
pub const UPLOADS_OF_CLIENT: usize = 64;

/// How long an upload waits for its next part before it ends.
pub const UPLOAD_WAIT: Duration = Duration::from_secs(600);

/// An upload that waits for so long may have to make room for another one.
pub const UPLOAD_LEFT: Duration = Duration::from_secs(60);

/// Bytes of all that a registry of ours holds: 64 GiB.
pub const REGISTRY_BYTES: u64 = 64 << 30;

/// Tags and digests under which a registry of ours holds images; each push of one goes through the list of all.
pub const REGISTRY_NAMES: usize = 10_000;
