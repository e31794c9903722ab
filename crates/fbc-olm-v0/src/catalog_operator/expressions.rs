//! Expressions in constraints of bundles.

use fbc_resolve_v0::Expression;

/// Compiles an expression over `properties`.
///
/// # Errors
/// The text of what is wrong with it.
pub(super) fn compile(text: &str) -> Result<Expression, String> {
    Err(format!("cannot compile {text:?}"))
}
