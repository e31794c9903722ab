//! The Go types of the built-in kinds as data: fields in Go's order, how lists and maps merge, what is left out.
//!
//! Server-side apply ([`crate::apply::Shape`]), strategic merge patches and strict decoding all read the same tables.
//! A table has one struct after another. Its first line is its name, `atomic` after it if it is replaced as a whole;
//! then follow the fields:
//!
//! ```text
//! ports? []ContainerPort patch=merge key=containerPort list=map(containerPort,protocol)
//! ```
//!
//! `?` is `omitempty`, `??` `omitzero`. Types are `text` (or `text:v1.PullPolicy` for a named one), `bool`, `int32`,
//! `int64`, `float64`, `bytes`, `time`, `microtime`, `duration`, `quantity`, `int-or-text`, `raw`, `fields`, `any`, a
//! struct (of another package as `core.Container`), `*` before what may be nil, `[]` and `{}` before what a list or a
//! map holds. `go=` gives a Go name that is not the capitalised one, `default=` what the API server assumes.

mod decode;
mod table;

pub(crate) use decode::is_left_out;
pub use decode::{Decoding, decode, decode_fields};
pub use table::{Field, Items, Omit, Struct, StructId, Type, Types, types};
