//! Bundles: directories with the manifests of one version of an operator.

use fbc_lint::rule::Rule;

mod annotation_keys;
mod crd;
mod csv_shape;
mod examples;
mod images;
mod names;
mod removed;
mod size;

pub mod annotation_case;
pub mod annotation_path;
pub mod annotation_value;
pub mod bundle_size;
pub mod capabilities;
pub mod channels;
pub mod contact;
pub mod conversion_webhook;
pub mod csv_api_version;
pub mod csv_field_type;
pub mod csv_icon;
pub mod csv_name;
pub mod csv_name_form;
pub mod csv_related_image;
pub mod csv_related_image_twice;
pub mod csv_required_field;
pub mod csv_version;
pub mod dependency;
pub mod deployment;
pub mod duplicate_crd;
pub mod duplicate_object;
pub mod example;
pub mod feature_annotation;
pub mod install_mode_list;
pub mod install_modes;
pub mod invalid_crd;
pub mod large_manifest;
pub mod manifest_duplicate_key;
pub mod max_openshift;
pub mod min_kube_version;
pub mod missing_annotation;
pub mod missing_csv;
pub mod missing_description;
pub mod missing_directory;
pub mod missing_example;
pub mod misspelt_annotation;
pub mod no_min_kube_version;
pub mod object_name;
pub mod owned_crd;
pub mod package_annotation;
pub mod pod_template;
pub mod properties_annotation;
pub mod properties_file;
pub mod removed_api;
pub mod removed_api_in_target;
pub mod service_account;
pub mod several_csvs;
pub mod several_documents;
pub mod undeclared_crd;
pub mod unknown_csv_key;
pub mod unlisted_image;
pub mod unpinned_image;
pub mod unreadable_manifest;
pub mod unrenderable;
pub mod unsupported_kind;
pub mod unused_object;
pub mod update_edge;
pub mod webhook;
pub mod webhook_rule;

/// The rules of this family.
pub static RULES: &[&Rule] = &[
    &missing_directory::RULE,
    &unreadable_manifest::RULE,
    &missing_annotation::RULE,
    &annotation_value::RULE,
    &missing_csv::RULE,
    &several_csvs::RULE,
    &csv_required_field::RULE,
    &csv_field_type::RULE,
    &csv_name::RULE,
    &csv_version::RULE,
    &min_kube_version::RULE,
    &install_modes::RULE,
    &owned_crd::RULE,
    &undeclared_crd::RULE,
    &duplicate_crd::RULE,
    &invalid_crd::RULE,
    &unsupported_kind::RULE,
    &csv_related_image::RULE,
    &example::RULE,
    &service_account::RULE,
    &bundle_size::RULE,
    &annotation_case::RULE,
    &object_name::RULE,
    &dependency::RULE,
    &removed_api_in_target::RULE,
    &unrenderable::RULE,
    &deployment::RULE,
    &webhook::RULE,
    &webhook_rule::RULE,
    &conversion_webhook::RULE,
    &csv_api_version::RULE,
    &several_documents::RULE,
    &annotation_path::RULE,
    &misspelt_annotation::RULE,
    &channels::RULE,
    &package_annotation::RULE,
    &unknown_csv_key::RULE,
    &csv_name_form::RULE,
    &no_min_kube_version::RULE,
    &install_mode_list::RULE,
    &missing_example::RULE,
    &large_manifest::RULE,
    &update_edge::RULE,
    &removed_api::RULE,
    &duplicate_object::RULE,
    &unused_object::RULE,
    &pod_template::RULE,
    &properties_file::RULE,
    &csv_icon::RULE,
    &unlisted_image::RULE,
    &csv_related_image_twice::RULE,
    &unpinned_image::RULE,
    &max_openshift::RULE,
    &properties_annotation::RULE,
    &feature_annotation::RULE,
    &capabilities::RULE,
    &contact::RULE,
    &manifest_duplicate_key::RULE,
    &missing_description::RULE,
];
