//! Go types as data: those of the kinds that an API server has built in, and of what bundles hold besides.
//!
//! A simulated API server decodes, merges and validates by these tables, and bundles are read and written by them.
//! A table has one struct after another. Its first line is its name, `atomic` after it if it is replaced as a whole;
//! then follow the fields:
//!
//! ```text
//! ports? []ContainerPort patch=merge key=containerPort list=map(containerPort,protocol)
//! ```
//!
//! `?` is `omitempty`, `??` `omitzero`. Types are `text` (or `text:v1.PullPolicy` for a named one), `bool`, `int32`,
//! `int64`, `float64`, `bytes`, `time`, `microtime`, `duration`, `quantity`, `int-or-text`, `raw`, `fields`, `any`, `schema-or-bool`,
//! `schema-or-list`, `schema-or-texts`, `version` and `release` (what reads itself), a
//! struct (of another package as `core.Container`), `*` before what may be nil, `[]` and `{}` before what a list or a
//! map holds. `go=` gives a Go name that is not the capitalised one, `type=` the
//! name of a list or a map that has one, `default=` what the API server assumes.

pub mod named;
mod table;

pub use named::Named;
pub use table::{Field, Items, Omit, Special, Struct, StructId, Type, Types, types};
