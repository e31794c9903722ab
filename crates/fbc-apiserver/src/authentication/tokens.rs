//! Tokens of service accounts: JSON Web Tokens that are bound to an account and end at a moment of the cluster's time.
//!
//! Sources: `kubernetes/kubernetes:pkg/serviceaccount/{claims,jwt}.go`, RFC 8037 (signatures with Ed25519, which are the
//! same for the same claims).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fbc_cluster::access::User;
use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::SECOND;
use ring::error::KeyRejected;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use serde_json::{Value, json};

/// Who issues tokens, as far as their claims say.
pub const ISSUER: &str = "https://kubernetes.default.svc.cluster.local";

/// Who issues tokens in secrets.
const SECRET_ISSUER: &str = "kubernetes/serviceaccount";

/// The claims of tokens in secrets.
struct SecretClaims {
    namespace: &'static str,
    secret: &'static str,
    account: &'static str,
    uid: &'static str,
}

const OF_SECRET: SecretClaims = SecretClaims {
    namespace: "kubernetes.io/serviceaccount/namespace",
    secret: "kubernetes.io/serviceaccount/secret.name",
    account: "kubernetes.io/serviceaccount/service-account.name",
    uid: "kubernetes.io/serviceaccount/service-account.uid",
};

/// Signs tokens and checks them.
pub struct TokenAuthority {
    key: Ed25519KeyPair,
}

/// An object that a token is bound to besides its account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// `Pod`, `Secret` or `Node`
    pub kind: String,
    /// The name.
    pub name: String,
    /// The uid.
    pub uid: String,
}

/// What a token says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claims {
    /// The service account.
    pub account: ObjectName,
    /// Its uid.
    pub uid: String,
    /// For whom the token is.
    pub audiences: Vec<String>,
    /// For how many seconds it holds.
    pub seconds: u64,
    /// What else it is bound to.
    pub bound: Option<Bound>,
}

/// Whom a token stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenUser {
    /// The user, with the uid of the account, and with the pod that the token is bound to.
    pub user: User,
    /// The audiences that were asked for and that the token has.
    pub audiences: Vec<String>,
}

/// Why a token is worth nothing, in the words of the reference.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// It is not one, or somebody else signed it.
    #[error("invalid bearer token")]
    Invalid,
    /// It was valid once.
    #[error("service account token has expired")]
    Expired,
    /// It is for others.
    #[error("token audiences {0:?} is invalid for the target audiences")]
    Audiences(Vec<String>),
    /// The account, or what the token is bound to, is gone.
    #[error("service account token has been invalidated")]
    Invalidated,
}

impl TokenAuthority {
    /// An authority with a key in the form PKCS#8.
    ///
    /// # Errors
    /// It is no such key.
    pub fn new(pkcs8: &[u8]) -> Result<Self, KeyRejected> {
        Ed25519KeyPair::from_pkcs8(pkcs8).map(|key| Self { key })
    }

    /// A token, and the second since 1970 at which it ends.
    pub fn issue(&self, claims: &Claims, api: &ApiServer) -> (String, u64) {
        let now = api.now().0 / SECOND;
        let end = now + claims.seconds;
        let ObjectName { namespace, name } = &claims.account;
        let mut bound = json!({"namespace": namespace, "serviceaccount": {"name": name, "uid": claims.uid}});
        if let Some(Bound { kind, name, uid }) = &claims.bound {
            bound[kind.to_lowercase()] = json!({"name": name, "uid": uid});
        }
        let payload = json!({
            "iss": ISSUER, "sub": format!("system:serviceaccount:{namespace}:{name}"), "aud": claims.audiences,
            "exp": end, "iat": now, "nbf": now, "kubernetes.io": bound,
        });
        (self.sign(&payload), end)
    }

    /// A token that never ends, for the secret of this name.
    pub(super) fn issue_for_secret(&self, account: &Object, secret: &str) -> String {
        let (namespace, name) = (account.namespace(), account.name());
        self.sign(&json!({
            "iss": SECRET_ISSUER, "sub": format!("system:serviceaccount:{namespace}:{name}"),
            OF_SECRET.namespace: namespace, OF_SECRET.secret: secret, OF_SECRET.account: name,
            OF_SECRET.uid: account.uid(),
        }))
    }

    fn sign(&self, payload: &Value) -> String {
        let header = json!({"alg": "EdDSA", "kid": self.key_id(), "typ": "JWT"});
        let text = format!("{}.{}", encoded(header.to_string()), encoded(payload.to_string()));
        let signature = self.key.sign(text.as_bytes());
        format!("{text}.{}", encoded(signature))
    }

    /// Whom a token in a secret stands for, as long as the secret has it.
    fn user_of_secret(
        claims: &Value,
        token: &str,
        audiences: &[String],
        api: &ApiServer,
    ) -> Result<TokenUser, TokenError> {
        let namespace = claims.text(&[OF_SECRET.namespace]);
        let of = |claim: &str| ObjectName::namespaced(namespace, claims.text(&[claim]));
        let secret = api.find("", "Secret", &of(OF_SECRET.secret)).filter(|secret| !secret.is_terminating());
        let account = api.find("", "ServiceAccount", &of(OF_SECRET.account));
        let uid = claims.text(&[OF_SECRET.uid]);
        let is_there = secret.is_some_and(|secret| {
            secret.text(&["data", "token"]) == fbc_go::base64::encode(token.as_bytes())
        }) && account.is_some_and(|account| account.uid() == uid && !account.is_terminating());
        if !is_there {
            return Err(TokenError::Invalidated);
        }
        if !audiences.is_empty() && !audiences.iter().any(|audience| audience == ISSUER) {
            return Err(TokenError::Audiences(vec![ISSUER.to_owned()]));
        }
        let user = User::service_account(namespace, claims.text(&[OF_SECRET.account])).with_uid(uid);
        Ok(TokenUser { user, audiences: vec![ISSUER.to_owned()] })
    }

    /// Whom a token stands for; audiences that are asked for must be among its own.
    ///
    /// # Errors
    /// [`TokenError`]: why it is worth nothing.
    pub fn user_of(
        &self,
        token: &str,
        audiences: &[String],
        api: &ApiServer,
    ) -> Result<TokenUser, TokenError> {
        let (text, signature) = token.rsplit_once('.').ok_or(TokenError::Invalid)?;
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| TokenError::Invalid)?;
        UnparsedPublicKey::new(&ED25519, self.key.public_key().as_ref())
            .verify(text.as_bytes(), &signature)
            .map_err(|_| TokenError::Invalid)?;
        let payload = text.split_once('.').and_then(|(_, payload)| URL_SAFE_NO_PAD.decode(payload).ok());
        let claims: Value =
            payload.and_then(|json| serde_json::from_slice(&json).ok()).ok_or(TokenError::Invalid)?;
        if claims["iss"] == SECRET_ISSUER {
            return Self::user_of_secret(&claims, token, audiences, api);
        }
        let now = api.now().0 / SECOND;
        if claims["exp"].as_u64().is_none_or(|end| end <= now) {
            return Err(TokenError::Expired);
        }
        let own: Vec<String> = claims["aud"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect();
        let wanted = if audiences.is_empty() { vec![ISSUER.to_owned()] } else { audiences.to_vec() };
        let shared: Vec<String> = wanted.into_iter().filter(|audience| own.contains(audience)).collect();
        if shared.is_empty() {
            return Err(TokenError::Audiences(own));
        }
        let bound = &claims["kubernetes.io"];
        let namespace = bound.text(&["namespace"]);
        let account = ObjectName::namespaced(namespace, bound.text(&["serviceaccount", "name"]));
        let uid = bound.text(&["serviceaccount", "uid"]);
        let is_there = |kind: &str, name: &ObjectName, uid: &str| {
            api.find("", kind, name).is_some_and(|object| object.uid() == uid && !object.is_terminating())
        };
        if !is_there("ServiceAccount", &account, uid) {
            return Err(TokenError::Invalidated);
        }
        let mut user = User::service_account(namespace, &account.name).with_uid(uid);
        for (claim, kind) in [("pod", "Pod"), ("secret", "Secret"), ("node", "Node")] {
            let Some(to) = bound.get(claim) else { continue };
            let namespace = if kind == "Node" { "" } else { namespace };
            let name = ObjectName::namespaced(namespace, to.text(&["name"]));
            if !is_there(kind, &name, to.text(&["uid"])) {
                return Err(TokenError::Invalidated);
            }
            if kind == "Pod" {
                for part in ["name", "uid"] {
                    let key = format!("authentication.kubernetes.io/pod-{part}");
                    user.extra.insert(key, vec![to.text(&[part]).to_owned()]);
                }
            }
        }
        Ok(TokenUser { user, audiences: shared })
    }

    /// The public key as a set of keys for whoever checks tokens by itself.
    pub fn key_set(&self) -> Value {
        json!({"keys": [{
            "use": "sig", "kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "kid": self.key_id(),
            "x": encoded(self.key.public_key().as_ref()),
        }]})
    }

    fn key_id(&self) -> String {
        encoded(ring::digest::digest(&ring::digest::SHA256, self.key.public_key().as_ref()))
    }
}

fn encoded(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
