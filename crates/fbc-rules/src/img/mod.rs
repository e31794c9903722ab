//! Images: references, related images, icons.

use fbc_lint::rule::Rule;

pub(crate) mod reference;

pub mod bundle_image;
pub mod bundle_image_digest;
pub mod bundle_image_index;
pub mod bundle_image_registry;
pub mod catalog_image_base;
pub mod catalog_image_base_repository;
pub mod catalog_image_opm;
pub mod catalog_image_platform;
pub mod catalog_image_probe;
pub mod catalog_image_targets;
pub mod csv_image_digest;
pub mod csv_image_registry;
pub mod floating_image;
pub mod icon;
pub mod image_only_in_mirror;
pub mod related_image;
pub mod related_image_digest;
pub mod related_image_registry;
pub mod related_image_twice;
pub mod short_image;
pub mod tag_and_digest;
pub mod unreachable_image;

/// The rules of this family.
pub static RULES: &[&Rule] = &[
    &bundle_image::RULE,
    &related_image::RULE,
    &icon::RULE,
    &related_image_twice::RULE,
    &floating_image::RULE,
    &short_image::RULE,
    &tag_and_digest::RULE,
    &bundle_image_digest::RULE,
    &bundle_image_registry::RULE,
    &related_image_digest::RULE,
    &related_image_registry::RULE,
    &csv_image_digest::RULE,
    &csv_image_registry::RULE,
    &catalog_image_platform::RULE,
    &catalog_image_base::RULE,
    &catalog_image_base_repository::RULE,
    &catalog_image_targets::RULE,
    &catalog_image_opm::RULE,
    &catalog_image_probe::RULE,
    &unreachable_image::RULE,
    &bundle_image_index::RULE,
    &image_only_in_mirror::RULE,
];
