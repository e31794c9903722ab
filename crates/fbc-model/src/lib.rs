//! Catalog blobs, the folder walk with .indexignore, and the writers of opm's formats.
