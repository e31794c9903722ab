//! The upgrade graph of a package: heads, replaces chains, and its drawings.
