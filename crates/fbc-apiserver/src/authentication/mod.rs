//! Who asks: certificates of clients, and tokens of service accounts.

mod certificates;
mod token_secrets;
mod tokens;

pub use certificates::ClientVerifier;
pub(crate) use token_secrets::TokenSecrets;
pub use tokens::{Bound, Claims, ISSUER, TokenAuthority, TokenError, TokenUser};
