//! Services that are not registries, such as authorities for certificates, transparency logs and stores of signatures: asked by
//! the same clients, with the same proxies and certificates.

use fbc_image::limits::DOCUMENT_BYTES;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use serde_json::Value;
use url::Url;

use crate::answer::{answer_of, connection_problem, read_limited};
use crate::client::Client;
use crate::error::{Pending, Problem, RegistryError};
use crate::mirrors::Security;
use crate::pace;

impl Client {
    /// Gets a document from a server, if it has it; `most` bytes are read. `action` is to be read after "cannot".
    ///
    /// # Errors
    /// [`RegistryError`]
    pub fn get_document<'a>(
        &'a self,
        action: &'static str,
        address: &'a str,
        most: u64,
    ) -> Pending<'a, Option<Vec<u8>>> {
        Box::pin(async move {
            let failed = |problem| RegistryError::new(action, address.to_owned(), problem);
            let url = Url::parse(address)
                .map_err(|error| failed(Problem::Configuration(format!("it is not an address: {error}"))))?;
            let client = self.transport.client_for(&url, Security::Verified)?;
            let timeouts = &self.transport.settings.timeouts;
            let sent = async { client.get(url.clone()).send().await.map_err(connection_problem) };
            let response = pace::within(timeouts.answer, sent).await.map_err(failed)?;
            let status = response.status();
            if status.as_u16() == 404 {
                return Ok(None);
            }
            let body = read_limited(response, most, timeouts.document()).await.map_err(failed)?;
            match status.is_success() {
                true => Ok(Some(body.to_vec())),
                false => Err(failed(Problem::Unexpected(answer_of(status.as_u16(), &body).to_string()))),
            }
        })
    }

    /// Posts JSON, and reads the JSON of the answer. `action` is to be read after "cannot".
    ///
    /// # Errors
    /// [`RegistryError`]; also for addresses without HTTPS, unless they are on this machine.
    pub fn post_json<'a>(
        &'a self,
        action: &'static str,
        address: &'a str,
        body: &'a Value,
    ) -> Pending<'a, Value> {
        Box::pin(async move {
            let failed = |problem| RegistryError::new(action, address.to_owned(), problem);
            let configuration = |text: String| failed(Problem::Configuration(text));
            let url = Url::parse(address)
                .map_err(|error| configuration(format!("it is not an address: {error}")))?;
            let is_here = || matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
            if url.scheme() != "https" && !(url.scheme() == "http" && is_here()) {
                return Err(configuration("it does not begin with https://".to_owned()));
            }
            let client = self.transport.client_for(&url, Security::Verified)?;
            let timeouts = &self.transport.settings.timeouts;
            let request = client
                .post(url.clone())
                .header(CONTENT_TYPE, "application/json")
                .header(ACCEPT, "application/json")
                .body(body.to_string());
            let sent = async { request.send().await.map_err(connection_problem) };
            let response = pace::within(timeouts.commit, sent).await.map_err(failed)?;
            let status = response.status();
            let answer = read_limited(response, DOCUMENT_BYTES, timeouts.document()).await.map_err(failed)?;
            if !status.is_success() {
                let text = answer_of(status.as_u16(), &answer).to_string();
                return Err(failed(Problem::Unexpected(text)));
            }
            serde_json::from_slice(&answer)
                .map_err(|_| failed(Problem::Unexpected("the answer is not JSON".to_owned())))
        })
    }
}
