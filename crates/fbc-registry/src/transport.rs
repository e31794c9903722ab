//! Requests to registries: connections, redirects, credentials for the right host alone, and trying again.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_LENGTH, HeaderName, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE};
use reqwest::{Method, Response, StatusCode};
use url::Url;

use crate::answer::{answer_of, connection_problem, read_limited};
use crate::authorization::Authorizations;
use crate::blob::Payload;
use crate::challenge;
use crate::client::Settings;
use crate::error::{Answer, Problem, RegistryError, Result};
use crate::limits;
use crate::mirrors::{Endpoint, Security};
use crate::pace::{self, Meter};
use crate::reference::api_host;
use crate::retry::{is_passing, retry_after};
use crate::secret::Secret;

/// Servers between us and the registries, as the environment names them.
#[derive(Clone, Debug, Default)]
pub struct Proxies {
    /// `HTTP_PROXY`, for plain HTTP.
    pub http: Option<String>,
    /// `HTTPS_PROXY`.
    pub https: Option<String>,
    /// `NO_PROXY`: hosts, domains and networks, separated by commas.
    pub no_proxy: Option<String>,
}

/// When slowness is a failure.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// Until a connection stands.
    pub connect: Duration,
    /// Until a question begins to be answered.
    pub answer: Duration,
    /// Until a change begins to be answered, once it is sent.
    pub commit: Duration,
    /// How long a blob may move at less than the least rate.
    pub stall: Duration,
}

impl Timeouts {
    /// Until a manifest, a token or a list of tags is whole.
    pub(crate) fn document(&self) -> Duration {
        self.stall.saturating_mul(2)
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: limits::CONNECT,
            answer: limits::ANSWER,
            commit: limits::COMMIT,
            stall: limits::STALL,
        }
    }
}

/// Redirects are followed that often.
const MOST_REDIRECTS: usize = 10;

/// What is read of an answer that explains a failure.
const MOST_BYTES_OF_ERROR: u64 = 64 * 1024;

/// One request as it is meant; it may be sent several times.
pub(crate) struct Call<'a> {
    /// To be read after "cannot".
    pub(crate) action: &'static str,
    /// The image or blob, as `/repository:tag`.
    pub(crate) item: String,
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: Vec<(HeaderName, String)>,
    pub(crate) payload: Payload<'a>,
    /// The rights that a token must give.
    pub(crate) scopes: Vec<String>,
    /// Statuses besides 2xx that the caller understands.
    pub(crate) accepted: &'static [u16],
    /// False where the caller decides about repeating.
    pub(crate) repeat: bool,
}

/// The connections to all registries.
pub(crate) struct Transport {
    pub(crate) settings: Settings,
    clients: Mutex<BTreeMap<(String, Security), reqwest::Client>>,
    /// The addresses of registries that may lack HTTPS, once known.
    bases: Mutex<BTreeMap<String, Url>>,
    /// Registries that take parts of blobs up to [`limits::SMALL_PART`] only, once known.
    small_parts: Mutex<BTreeSet<String>>,
    pub(crate) authorizations: tokio::sync::Mutex<Authorizations>,
}

impl Transport {
    pub(crate) fn new(settings: Settings) -> Self {
        let authorizations = tokio::sync::Mutex::new(Authorizations::default());
        Self {
            settings,
            clients: Mutex::default(),
            bases: Mutex::default(),
            small_parts: Mutex::default(),
            authorizations,
        }
    }

    /// The address of a registry: `https://host[:port]/`.
    pub(crate) async fn base(&self, endpoint: &Endpoint) -> Result<Url> {
        let host = api_host(endpoint.reference.registry());
        let address = |scheme: &str| {
            Url::parse(&format!("{scheme}://{host}/")).map_err(|error| {
                RegistryError::new("use the registry", host, Problem::Unexpected(error.to_string()))
            })
        };
        match endpoint.security {
            Security::Verified => return address("https"),
            Security::PlainHttp => return address("http"),
            Security::Unverified => {}
        }
        if let Some(known) = lock(&self.bases).get(host) {
            return Ok(known.clone());
        }
        let https = address("https")?;
        let client = self.client_for(&https, endpoint.security)?;
        let ask = async |base: &Url| {
            tokio::time::timeout(self.settings.timeouts.answer, client.get(format!("{base}v2/")).send()).await
        };
        let base = match ask(&https).await {
            Ok(Ok(_)) | Err(_) => https,
            Ok(Err(error)) if error.is_timeout() => https,
            Ok(Err(_)) => {
                let http = address("http")?;
                // Nobody there either: the attempt itself will tell, in terms of HTTPS.
                if matches!(ask(&http).await, Ok(Ok(_))) { http } else { https }
            }
        };
        lock(&self.bases).insert(host.to_owned(), base.clone());
        Ok(base)
    }

    /// Sends until there is an answer that the caller can use, or patience ends.
    pub(crate) async fn send(&self, endpoint: &Endpoint, call: &Call<'_>) -> Result<Response> {
        let mut failures = 0;
        loop {
            let mut error = match self.attempt(endpoint, call).await {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            failures += 1;
            let allowed = call.repeat && failures < error.problem.most_attempts();
            let wait = error.problem.passing().filter(|_| allowed);
            match wait.and_then(|asked| self.settings.retry.delay(failures, asked)) {
                Some(wait) => self.pause(&error, wait).await,
                None => {
                    error.problem.set_attempts(failures);
                    return Err(error);
                }
            }
        }
    }

    /// Waits before the next attempt.
    pub(crate) async fn pause(&self, error: &RegistryError, wait: Duration) {
        let what = format!("{} {}", error.action, error.place);
        self.settings.observer.retry(&what, &error.problem.to_string(), wait);
        self.settings.clock.sleep(wait).await;
    }

    /// Sends once, and once more if the registry wants other credentials.
    async fn attempt(&self, endpoint: &Endpoint, call: &Call<'_>) -> Result<Response> {
        let shown = self.authorization(endpoint, &call.scopes).await?;
        let mut response = self.exchange(endpoint, call, shown.as_ref()).await?;
        if response.status() == StatusCode::UNAUTHORIZED {
            let headers = response.headers().get_all(WWW_AUTHENTICATE);
            if let Some(challenge) =
                challenge::choose(headers.iter().filter_map(|header| header.to_str().ok()))
            {
                let renewed =
                    self.renew_authorization(endpoint, &call.scopes, challenge, shown.as_ref()).await?;
                if renewed.is_some() && renewed != shown {
                    response = self.exchange(endpoint, call, renewed.as_ref()).await?;
                }
            }
        }
        let status = response.status();
        if status.is_success() || call.accepted.contains(&status.as_u16()) {
            return Ok(response);
        }
        let place = place_of(&call.url, &call.item);
        let credential = self.credential_in_words(endpoint).await;
        let problem = self.problem_of(response, credential).await;
        Err(RegistryError::new(call.action, place, problem))
    }

    /// Sends once, following redirects. Credentials go to the registry's own origin and nowhere else.
    async fn exchange(
        &self,
        endpoint: &Endpoint,
        call: &Call<'_>,
        shown: Option<&Secret>,
    ) -> Result<Response> {
        let home = self.base(endpoint).await?.origin();
        let place = || place_of(&call.url, &call.item);
        let mut url = call.url.clone();
        for _ in 0..=MOST_REDIRECTS {
            if url.scheme() == "http"
                && home.ascii_serialization().starts_with("https:")
                && endpoint.security == Security::Verified
            {
                let text = format!("it leads from HTTPS to http://{}", url.host_str().unwrap_or_default());
                return Err(RegistryError::new(call.action, place(), Problem::Unexpected(text)));
            }
            let client = self.client_for(&url, endpoint.security)?;
            let mut request = client.request(call.method.clone(), url.clone());
            for (name, value) in &call.headers {
                request = request.header(name, value);
            }
            if let Some(shown) = shown
                && url.origin() == home
            {
                request = request.header(AUTHORIZATION, shown.reveal());
            }
            if let Some((length, body)) = call.payload.open().await? {
                request = request.header(CONTENT_LENGTH, length).body(body);
            }
            let response = match self.answer_to(request, call).await {
                Ok(response) => response,
                Err(problem) => {
                    if let Some(error) = call.payload.take_error() {
                        return Err(error);
                    }
                    return Err(RegistryError::new(call.action, place(), problem));
                }
            };
            let is_read = matches!(call.method, Method::GET | Method::HEAD);
            let redirects = match response.status().as_u16() {
                301..=303 => is_read,
                307 | 308 => true,
                _ => false,
            };
            let target = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
            match target.filter(|_| redirects).map(|target| url.join(target)) {
                None => return Ok(response),
                Some(Ok(next)) if matches!(next.scheme(), "http" | "https") => url = next,
                Some(_) => {
                    let text = "a redirect to an invalid URL".to_owned();
                    return Err(RegistryError::new(call.action, place(), Problem::Unexpected(text)));
                }
            }
        }
        let text = format!("more than {MOST_REDIRECTS} redirects");
        Err(RegistryError::new(call.action, place(), Problem::Unexpected(text)))
    }

    /// Sends a request and waits for the head of its answer, as long as the payload moves.
    async fn answer_to(
        &self,
        request: reqwest::RequestBuilder,
        call: &Call<'_>,
    ) -> std::result::Result<Response, Problem> {
        let timeouts = &self.settings.timeouts;
        let is_question = matches!(call.method, Method::GET | Method::HEAD);
        let patience = if is_question { timeouts.answer } else { timeouts.commit };
        let mut sending = pin!(request.send());
        let (mut moved, mut meter) = (0, Meter::default());
        while let Payload::Part(part) = &call.payload
            && part.moved() < part.length
        {
            match tokio::time::timeout(timeouts.stall, &mut sending).await {
                Ok(answer) => return answer.map_err(connection_problem),
                Err(_) if part.moved() == part.length => break,
                Err(_) => meter.add(timeouts.stall, part.moved() - moved, timeouts.stall)?,
            }
            moved = part.moved();
        }
        match tokio::time::timeout(patience, sending).await {
            Ok(answer) => answer.map_err(connection_problem),
            Err(_) => Err(pace::silence(patience)),
        }
    }

    /// The client for the host of an address.
    pub(crate) fn client_for(&self, url: &Url, security: Security) -> Result<reqwest::Client> {
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        let host = format!("{}{port}", url.host_str().unwrap_or_default());
        let key = (host, security);
        if let Some(client) = lock(&self.clients).get(&key) {
            return Ok(client.clone());
        }
        let name = if key.0 == api_host("docker.io") { "docker.io" } else { &key.0 };
        let tls = self.settings.trust.tls(name, security == Security::Verified)?;
        let wrong = |error: reqwest::Error| {
            let text = error.without_url().to_string();
            RegistryError::new("prepare connections to", key.0.clone(), Problem::Configuration(text))
        };
        let proxies = &self.settings.proxies;
        let not_for = reqwest::NoProxy::from_string(&format!(
            "localhost,127.0.0.0/8,::1,{}",
            proxies.no_proxy.as_deref().unwrap_or_default()
        ));
        let mut builder = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(self.settings.timeouts.connect)
            .user_agent(&self.settings.user_agent)
            .no_proxy();
        if let Some(proxy) = &proxies.http {
            builder = builder.proxy(reqwest::Proxy::http(proxy).map_err(wrong)?.no_proxy(not_for.clone()));
        }
        if let Some(proxy) = &proxies.https {
            builder = builder.proxy(reqwest::Proxy::https(proxy).map_err(wrong)?.no_proxy(not_for));
        }
        let client = builder.build().map_err(wrong)?;
        lock(&self.clients).insert(key, client.clone());
        Ok(client)
    }

    /// Notes that a registry takes small parts of blobs only.
    pub(crate) fn note_small_parts(&self, endpoint: &Endpoint) {
        lock(&self.small_parts).insert(endpoint.reference.registry().to_owned());
    }

    /// Whether a registry takes small parts of blobs only, as far as is known.
    pub(crate) fn takes_small_parts(&self, endpoint: &Endpoint) -> bool {
        lock(&self.small_parts).contains(endpoint.reference.registry())
    }

    /// What a registry says of a failure.
    pub(crate) async fn answer_in(&self, response: Response) -> Answer {
        let status = response.status().as_u16();
        let body = read_limited(response, MOST_BYTES_OF_ERROR, self.settings.timeouts.document());
        answer_of(status, &body.await.unwrap_or_default())
    }

    /// What a status means.
    pub(crate) async fn problem_of(&self, response: Response, credential: String) -> Problem {
        let asked = response
            .headers()
            .get(RETRY_AFTER)
            .and_then(|header| retry_after(header.to_str().ok()?, self.settings.clock.now()));
        let status = response.status().as_u16();
        let answer = self.answer_in(response).await;
        match status {
            401 => Problem::Unauthorized { answer, credential },
            403 => Problem::Forbidden { answer, credential },
            404 if answer.code.as_deref() == Some("NAME_UNKNOWN") => Problem::NoRepository(answer),
            404 => Problem::NotFound(answer),
            429 => Problem::RateLimited { answer, retry_after: asked, attempts: 1 },
            _ if is_passing(status) => Problem::Server { answer, retry_after: asked, attempts: 1 },
            _ => Problem::Unexpected(answer.to_string()),
        }
    }
}

/// Where a request goes, without its query, which may hold secrets.
pub(crate) fn place_of(url: &Url, item: &str) -> String {
    format!("{}{item}", url.origin().ascii_serialization())
}

/// A lock whose holder panicked holds what it held.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shared by everything that talks to registries.
pub(crate) type SharedTransport = Arc<Transport>;
