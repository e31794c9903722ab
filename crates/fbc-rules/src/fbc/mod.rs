//! Format and schema: loading, blobs, and what opm's conversion asks of them.

use fbc_lint::rule::Rule;

mod form_of_target;
pub(crate) mod go_words;
mod load_fault;
mod missing_bundles;
pub(crate) mod odd_keys;
pub(crate) mod opm;

pub mod ambiguous_keys;
pub mod annotation_name;
pub mod build_metadata;
pub mod bundle_in_no_channel;
pub mod bundle_object;
pub mod bundle_objects_for_target;
pub mod bundle_package;
pub mod bundle_release;
pub mod bundle_version;
pub mod bundle_without_image;
pub mod bundle_without_name;
pub mod bundle_without_package;
pub mod channel_package;
pub mod channel_without_name;
pub mod constraint;
pub mod csv_version;
pub mod custom_blob_name;
pub mod documented_form;
pub mod duplicate_blob;
pub mod duplicate_bundle;
pub mod duplicate_channel;
pub mod duplicate_entry;
pub mod duplicate_key;
pub mod duplicate_package;
pub mod empty_directory;
pub mod entry_without_bundle;
pub mod entry_without_name;
pub mod feature_annotations;
pub mod field_case;
pub mod field_type;
pub mod form_missing;
pub mod gvk;
pub mod gvk_twice;
pub mod hidden_directory;
pub mod hub_entry;
pub mod index_ignore_file;
pub mod malformed;
pub mod manifest_kind;
pub mod max_openshift_version;
pub mod max_openshift_version_of_target;
pub mod meta_not_text;
pub mod metadata_for_target;
pub mod metadata_missing;
pub mod metadata_twice;
pub mod missing_schema;
pub mod network_policy_rights;
pub mod no_package;
pub mod no_package_directory;
pub mod normalized_name;
pub mod not_an_object;
pub mod objects_and_metadata;
pub mod package_name;
pub mod package_property_count;
pub mod package_property_name;
pub mod package_without_name;
pub mod property_type;
pub mod property_value;
pub mod release_for_target;
pub mod releases_in_one_image;
pub mod required_range;
pub mod separator_line;
pub mod stray_file;
pub mod subscription_annotation;
pub mod unknown_field;
pub mod unknown_schema;
pub mod unreadable_file;

/// The rules of this family.
pub static RULES: &[&Rule] = &[
    &unreadable_file::RULE,
    &index_ignore_file::RULE,
    &malformed::RULE,
    &separator_line::RULE,
    &not_an_object::RULE,
    &ambiguous_keys::RULE,
    &meta_not_text::RULE,
    &missing_schema::RULE,
    &field_type::RULE,
    &bundle_object::RULE,
    &package_without_name::RULE,
    &package_name::RULE,
    &duplicate_package::RULE,
    &channel_package::RULE,
    &channel_without_name::RULE,
    &duplicate_channel::RULE,
    &entry_without_name::RULE,
    &duplicate_entry::RULE,
    &bundle_without_package::RULE,
    &bundle_package::RULE,
    &bundle_without_name::RULE,
    &duplicate_bundle::RULE,
    &property_value::RULE,
    &package_property_count::RULE,
    &package_property_name::RULE,
    &bundle_version::RULE,
    &bundle_release::RULE,
    &bundle_in_no_channel::RULE,
    &entry_without_bundle::RULE,
    &normalized_name::RULE,
    &build_metadata::RULE,
    &bundle_without_image::RULE,
    &hidden_directory::RULE,
    &documented_form::RULE,
    &duplicate_key::RULE,
    &unknown_schema::RULE,
    &unknown_field::RULE,
    &field_case::RULE,
    &metadata_twice::RULE,
    &metadata_missing::RULE,
    &objects_and_metadata::RULE,
    &custom_blob_name::RULE,
    &duplicate_blob::RULE,
    &required_range::RULE,
    &max_openshift_version::RULE,
    &gvk::RULE,
    &gvk_twice::RULE,
    &property_type::RULE,
    &annotation_name::RULE,
    &stray_file::RULE,
    &empty_directory::RULE,
    &bundle_objects_for_target::RULE,
    &metadata_for_target::RULE,
    &form_missing::RULE,
    &no_package::RULE,
    &no_package_directory::RULE,
    &csv_version::RULE,
    &feature_annotations::RULE,
    &subscription_annotation::RULE,
    &manifest_kind::RULE,
    &network_policy_rights::RULE,
    &max_openshift_version_of_target::RULE,
    &release_for_target::RULE,
    &hub_entry::RULE,
    &constraint::RULE,
    &releases_in_one_image::RULE,
];
