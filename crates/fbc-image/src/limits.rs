//! Budgets: how much an image may cost before it is refused, whatever it says of itself.

/// Manifests, indexes and configurations with more bytes are refused: 8 MiB, twice what registries take.
pub const DOCUMENT_BYTES: u64 = 8 << 20;

/// Bytes that all layers of an image may unpack to: 8 GiB.
pub const UNPACKED_BYTES: u64 = 8 << 30;

/// Files, directories and links that an image may unpack to, with the directories that only paths name.
pub const UNPACKED_ENTRIES: u64 = 100_000;

/// Bytes that one byte of a layer may become, once it has become more than [`FREE_BYTES`].
pub const UNPACKED_RATIO: u64 = 200;

/// Layers up to this size are not held to the ratio: 64 MiB.
pub const FREE_BYTES: u64 = 64 << 20;

/// Bytes of a path in a layer; Linux takes no longer ones.
pub const PATH_BYTES: usize = 4096;

/// Bytes of the paths of all entries of an image, for each entry that is permitted.
pub const PATH_BYTES_BY_ENTRY: u64 = 512;

/// Steps along paths and links, and looks at what a whiteout may remove, for each entry that is permitted. A directory found
/// in the directory at hand is one step; an image needs about ten for each of its entries.
pub const STEPS_BY_ENTRY: u64 = 50;

/// What looking at one path below a whiteout costs, in steps.
pub const WHITEOUT_STEPS: u64 = 8;
