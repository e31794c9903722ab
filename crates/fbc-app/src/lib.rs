//! The use cases of fbc: data in, data out. What happens on the way is told to a [`settings::Host`]; words on a terminal, flags
//! and exit codes belong to whoever calls.
//!
//! | where | what |
//! |---|---|
//! | `settings`, `event` | what holds for a whole run, and what is told while it lasts |
//! | `input`, `layout`, `loading`, `configuration` | what references name, opened and read, and what counts for it |
//! | `checked`, `base`, `comparison`, `images`, `paths`, `resolution`, `listing`, `ranges` | what is found out about catalogs and ranges |
//! | `addition`, `catalog_edit`, `deprecation`, `filter`, `lifecycle`, `pin`, `catalog_release`, `generation`, `composite`, `composition`, `merging` | catalogs that are edited, made and merged |
//! | `bundle_labels`, `bundle_objects`, `bundle_of_image`, `crd`, `migration`, `rbac_manifests` | what is found out about bundles |
//! | `image_build`, `push`, `mirror`, `signing`, `registry` | images, and registries |
//! | `doctor` | what is found on a machine |
//! | `output` | files and directories that are written |
//! | `count`, `escape`, `issue_words`, `shell`, `invalid_value`, `dockerfile` | words that several texts share |

pub mod addition;
pub mod base;
pub mod bundle_labels;
pub mod bundle_objects;
pub mod bundle_of_image;
pub mod catalog_edit;
pub mod catalog_name;
pub mod catalog_release;
pub mod checked;
pub mod comparison;
pub mod composite;
pub mod composition;
pub mod configuration;
pub mod count;
pub mod crd;
pub mod deprecation;
pub mod dockerfile;
#[cfg(feature = "registry")]
pub mod doctor;
pub mod escape;
pub mod event;
pub mod filter;
pub mod generation;
#[cfg(feature = "registry")]
pub mod image_build;
pub mod images;
pub mod input;
pub mod invalid_value;
pub mod issue_words;
pub mod layout;
pub mod lifecycle;
pub mod listing;
pub mod loading;
pub mod memory;
pub mod merging;
pub mod migration;
#[cfg(feature = "registry")]
pub mod mirror;
pub mod output;
pub mod paths;
#[cfg(feature = "registry")]
pub mod pin;
#[cfg(feature = "registry")]
pub mod push;
pub mod ranges;
pub mod rbac_manifests;
#[cfg(feature = "registry")]
pub mod registry;
pub mod repository_notes;
pub mod resolution;
pub mod settings;
pub mod shard;
pub mod shell;
#[cfg(feature = "registry")]
pub mod signing;
pub mod upgrade_graph;
