//! Who asks: certificates of clients, and tokens of service accounts.

mod certificates;
mod tokens;

pub use certificates::ClientVerifier;
pub use tokens::{Bound, Claims, ISSUER, TokenAuthority, TokenError, TokenUser};
