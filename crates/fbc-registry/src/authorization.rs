//! What is shown to a registry: basic authentication, or tokens from the server that the registry names.
//!
//! Source: `distribution/distribution:docs/content/spec/auth/token.md`, `oauth.md`, `scope.md`;
//! `containers/image:docker/docker_client.go` (lifetime of tokens).

use std::collections::BTreeMap;
use std::time::SystemTime;

use base64::Engine;
use url::Url;

use crate::answer::{connection_problem, read_limited};
use crate::challenge::Challenge;
use crate::credentials::{Credential, Proof};
use crate::error::{Problem, RegistryError, Result};
use crate::mirrors::{Endpoint, Security};
use crate::pace::within;
use crate::secret::Secret;
use crate::token::Token;
use crate::transport::Transport;

/// The most bytes of an answer with a token.
const MOST_BYTES_OF_TOKEN: u64 = 1024 * 1024;

/// What is known of registries and repositories.
#[derive(Default)]
pub(crate) struct Authorizations {
    /// By host: what it asked for.
    challenges: BTreeMap<String, Challenge>,
    /// By `host/repository`; looked up once.
    credentials: BTreeMap<String, Option<Credential>>,
    /// By host and scopes.
    grants: BTreeMap<(String, String), Grant>,
}

/// The value of an `Authorization` header.
struct Grant {
    value: Secret,
    expires: Option<SystemTime>,
}

impl Transport {
    /// What to show at once: a token that is still good, or one fetched because the registry is known to want one.
    pub(crate) async fn authorization(
        &self,
        endpoint: &Endpoint,
        scopes: &[String],
    ) -> Result<Option<Secret>> {
        let mut known = self.authorizations.lock().await;
        if let Some(value) = self.valid_grant(&known, endpoint, scopes) {
            return Ok(Some(value));
        }
        match known.challenges.get(endpoint.reference.registry()).cloned() {
            Some(challenge) => self.obtain(&mut known, endpoint, scopes, &challenge).await,
            None => Ok(None),
        }
    }

    /// What to show after a registry refused what was shown.
    pub(crate) async fn renew_authorization(
        &self,
        endpoint: &Endpoint,
        scopes: &[String],
        challenge: Challenge,
        refused: Option<&Secret>,
    ) -> Result<Option<Secret>> {
        let mut known = self.authorizations.lock().await;
        // Another transfer may have renewed it in the meantime.
        let current = self.valid_grant(&known, endpoint, scopes);
        if current.is_some() && current.as_ref() != refused {
            return Ok(current);
        }
        known.challenges.insert(endpoint.reference.registry().to_owned(), challenge.clone());
        self.obtain(&mut known, endpoint, scopes, &challenge).await
    }

    /// Which credential a repository has, for errors.
    pub(crate) async fn credential_in_words(&self, endpoint: &Endpoint) -> String {
        let known = self.authorizations.lock().await;
        match known.credentials.get(&endpoint.reference.name()) {
            Some(Some(credential)) => credential.origin.to_string(),
            _ => "none".to_owned(),
        }
    }

    fn valid_grant(&self, known: &Authorizations, endpoint: &Endpoint, scopes: &[String]) -> Option<Secret> {
        let grant = known.grants.get(&key(endpoint, scopes))?;
        let is_good = grant.expires.is_none_or(|expires| self.settings.clock.now() < expires);
        is_good.then(|| grant.value.clone())
    }

    async fn obtain(
        &self,
        known: &mut Authorizations,
        endpoint: &Endpoint,
        scopes: &[String],
        challenge: &Challenge,
    ) -> Result<Option<Secret>> {
        let name = endpoint.reference.name();
        let credential = match known.credentials.get(&name) {
            Some(credential) => credential.clone(),
            None => {
                let reference = &endpoint.reference;
                let found =
                    self.settings.credentials.find(reference.registry(), reference.repository()).await?;
                self.settings.observer.credential(&name, found.as_ref().map(|found| &found.origin));
                known.credentials.insert(name, found.clone());
                found
            }
        };
        let grant = match (challenge, &credential) {
            (_, Some(Credential { proof: Proof::RegistryToken(token), .. })) => {
                Some(Grant { value: bearer(token.reveal()), expires: None })
            }
            (Challenge::Basic, Some(Credential { proof: Proof::Password { user, password }, .. })) => {
                Some(Grant { value: basic(user, password), expires: None })
            }
            (Challenge::Basic, _) => None,
            (Challenge::Bearer { realm, service, scope }, credential) => {
                let mut all = scopes.to_vec();
                all.extend(scope.clone().filter(|asked| !covers(scopes, asked)));
                Some(self.fetch_token(endpoint, realm, service.as_deref(), &all, credential.as_ref()).await?)
            }
        };
        Ok(grant.map(|grant| {
            let value = grant.value.clone();
            known.grants.insert(key(endpoint, scopes), grant);
            value
        }))
    }

    async fn fetch_token(
        &self,
        endpoint: &Endpoint,
        realm: &str,
        service: Option<&str>,
        scopes: &[String],
        credential: Option<&Credential>,
    ) -> Result<Grant> {
        let action = "get a token from";
        let unexpected = |text: &str| RegistryError::new(action, realm, Problem::Unexpected(text.to_owned()));
        let mut url = Url::parse(realm).map_err(|_| unexpected("the registry names an invalid URL"))?;
        let is_plain = url.scheme() != "https";
        if is_plain && credential.is_some() && endpoint.security == Security::Verified {
            return Err(unexpected("it is not HTTPS, so the credential is not sent there"));
        }
        let client = self.client_for(&url, endpoint.security)?;
        let request = if let Some(Credential { proof: Proof::IdentityToken(token), .. }) = credential {
            let mut form = url::form_urlencoded::Serializer::new(String::new());
            form.append_pair("grant_type", "refresh_token").append_pair("client_id", "fbc");
            form.append_pair("service", service.unwrap_or_default()).append_pair("scope", &scopes.join(" "));
            form.append_pair("refresh_token", token.reveal());
            let body = form.finish();
            client
                .post(url)
                .header(reqwest::header::CONTENT_TYPE, "application/x-www-form-urlencoded")
                .body(body)
        } else {
            {
                let mut query = url.query_pairs_mut();
                query.extend_pairs(service.iter().map(|service| ("service", service)));
                query.extend_pairs(scopes.iter().map(|scope| ("scope", scope)));
            }
            match credential.map(|credential| &credential.proof) {
                Some(Proof::Password { user, password }) => {
                    url.query_pairs_mut().append_pair("account", user);
                    client.get(url).header(reqwest::header::AUTHORIZATION, basic(user, password).reveal())
                }
                _ => client.get(url),
            }
        };
        let timeouts = &self.settings.timeouts;
        let answer = async { request.send().await.map_err(connection_problem) };
        let response = within(timeouts.answer, answer)
            .await
            .map_err(|problem| RegistryError::new(action, realm, problem))?;
        if !response.status().is_success() {
            let words =
                credential.map_or_else(|| "none".to_owned(), |credential| credential.origin.to_string());
            return Err(RegistryError::new(action, realm, self.problem_of(response, words).await));
        }
        let body = read_limited(response, MOST_BYTES_OF_TOKEN, timeouts.document());
        let body = body.await.map_err(|problem| RegistryError::new(action, realm, problem))?;
        let token = Token::read(&body).map_err(|error| unexpected(&error.to_string()))?;
        let expires = self.settings.clock.now().checked_add(token.life);
        Ok(Grant { value: bearer(token.value.reveal()), expires })
    }
}

fn key(endpoint: &Endpoint, scopes: &[String]) -> (String, String) {
    // Basic credentials may differ by repository, so the scopes must name it; they always do.
    (endpoint.reference.registry().to_owned(), scopes.join(" "))
}

/// True if the scope that a registry asks for is among those that we ask for anyway.
fn covers(scopes: &[String], asked: &str) -> bool {
    asked.split(' ').all(|asked| {
        let Some((resource, actions)) = asked.rsplit_once(':') else { return false };
        scopes.iter().any(|scope| {
            scope.rsplit_once(':').is_some_and(|(own, granted)| {
                own == resource
                    && actions.split(',').all(|action| granted.split(',').any(|one| one == action))
            })
        })
    })
}

fn bearer(token: &str) -> Secret {
    Secret::new(format!("Bearer {token}"))
}

fn basic(user: &str, password: &Secret) -> Secret {
    let pair = format!("{user}:{}", password.reveal());
    Secret::new(format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(pair)))
}
