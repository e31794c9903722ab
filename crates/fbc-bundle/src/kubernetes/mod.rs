//! The conversion that makes any value a value of one of Kubernetes' Go types.
//!
//! The reference decodes manifests into structs with apimachinery's converter and encodes the structs
//! again: unknown fields vanish, quantities take their canonical form, empty structs appear. All of that
//! follows from the types, so the types are tables ([`fbc_kubernetes::types`]) and [`convert`] is the one algorithm over
//! them. It differs from `encoding/json` ([`fbc_model::go_type`], [`fbc_model::kubernetes_json`]): keys count only as they are spelt,
//! numbers convert, and the errors are others.

mod convert;

pub use convert::{KeyOrder, TypeMismatch, convert};
