//! Whether two catalogs have the same blobs, wherever these lie.

use crate::blob::{Bundle, Channel, Deprecation, Other, Package};
use crate::catalog::Catalog;

/// Whether two catalogs have the same blobs: blobs of one kind, package and name in the same order, all
/// others in any.
#[must_use]
pub fn same_blobs(a: &Catalog, b: &Catalog) -> bool {
    same(
        &a.packages,
        &b.packages,
        |blob| (&blob.name, ""),
        |a, b| Package { origin: b.origin, ..a.clone() } == *b,
    ) && same(
        &a.channels,
        &b.channels,
        |blob| (&blob.package, &blob.name),
        |a, b| Channel { origin: b.origin, ..a.clone() } == *b,
    ) && same(
        &a.bundles,
        &b.bundles,
        |blob| (&blob.package, &blob.name),
        |a, b| Bundle { origin: b.origin, ..a.clone() } == *b,
    ) && same(
        &a.deprecations,
        &b.deprecations,
        |blob| (&blob.package, ""),
        |a, b| Deprecation { origin: b.origin, ..a.clone() } == *b,
    ) && same(
        &a.others,
        &b.others,
        |blob| (&blob.meta.package, &blob.meta.name),
        |a, b| Other { origin: b.origin, ..a.clone() } == *b,
    )
}

fn same<'c, T>(
    a: &'c [T],
    b: &'c [T],
    key: impl Fn(&'c T) -> (&'c str, &'c str),
    equal: impl Fn(&T, &T) -> bool,
) -> bool {
    let sorted = |blobs: &'c [T]| {
        let mut blobs: Vec<&T> = blobs.iter().collect();
        blobs.sort_by_key(|blob| key(blob));
        blobs
    };
    a.len() == b.len() && sorted(a).into_iter().zip(sorted(b)).all(|(a, b)| equal(a, b))
}
