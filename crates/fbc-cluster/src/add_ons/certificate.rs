//! What stands for certificates and keys: texts of the right form. Nothing here encrypts anything; a webhook is reached
//! if its configuration holds any authority's certificate.

use serde_json::{Value, json};

/// The certificate of the authority.
pub const AUTHORITY: &str =
    "-----BEGIN CERTIFICATE-----\nc2ltdWxhdGVkIGF1dGhvcml0eQ==\n-----END CERTIFICATE-----\n";
const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----\nc2ltdWxhdGVk\n-----END CERTIFICATE-----\n";
const KEY: &str = "-----BEGIN PRIVATE KEY-----\nc2ltdWxhdGVk\n-----END PRIVATE KEY-----\n";

/// The data of a secret of type `kubernetes.io/tls`.
pub fn secret_data(has_authority: bool) -> Value {
    let mut data = json!({"tls.crt": encoded(CERTIFICATE), "tls.key": encoded(KEY)});
    if has_authority {
        data["ca.crt"] = encoded(AUTHORITY).into();
    }
    data
}

/// The authority's certificate as `caBundle` holds it.
pub fn authority() -> String {
    encoded(AUTHORITY)
}

fn encoded(text: &str) -> String {
    fbc_go::base64::encode(text.as_bytes())
}
