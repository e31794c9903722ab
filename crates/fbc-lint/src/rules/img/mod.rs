//! Images: references, related images, icons.

use crate::rule::Rule;

pub(crate) mod reference;

pub mod bundle_image;
pub mod bundle_image_digest;
pub mod bundle_image_registry;
pub mod csv_image_digest;
pub mod csv_image_registry;
pub mod floating_image;
pub mod icon;
pub mod related_image;
pub mod related_image_digest;
pub mod related_image_registry;
pub mod related_image_twice;
pub mod short_image;
pub mod tag_and_digest;

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
];
