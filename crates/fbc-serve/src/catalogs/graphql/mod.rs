//! Questions in GraphQL, over a schema that follows from the content of a catalog.
//!
//! | module | what it holds |
//! |---|---|
//! | `discovery` | which fields the blobs have |
//! | `names` | names as GraphQL has them |
//! | `schema` | the types, and how their values are found |
//! | `value` | values as GraphQL has them |
//! | `question` | a question while it is answered |
//! | `limits` | how large a question may be |
//!
//! Source: `operator-framework/operator-controller:internal/catalogd/server/handlers.go`, `internal/catalogd/graphql`.

mod discovery;
mod limits;
mod names;
mod question;
mod schema;
#[cfg(test)]
mod tests;
mod value;

use std::sync::Arc;
use std::time::Duration;

use async_graphql::dynamic::Schema;
use async_graphql::{Request, Response, ServerError, Variables};
use bytes::{Buf as _, Bytes};
use http_body::Body;
use http_body_util::{BodyExt as _, Limited};
use tokio::sync::Semaphore;

pub(super) use discovery::Discovery;
use question::{Fault, Question};
pub use schema::SchemaFault;

use super::request::Rejection;
use super::store::Store;

/// The most bytes of a request.
const LARGEST_REQUEST: usize = 1 << 20;

/// The most bytes of a question.
const LARGEST_QUERY: usize = 100_000;

/// How long a client may take for its request.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many questions are answered at the same time; more wait. It is the memory of the process that this bounds, however many
/// catalogs it serves.
static ANSWERED_TOGETHER: Semaphore = Semaphore::const_new(2);

/// The schema of a catalog.
pub(super) struct GraphqlSchema(Schema);

impl std::fmt::Debug for GraphqlSchema {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("GraphqlSchema")
    }
}

impl GraphqlSchema {
    pub(super) fn new(discovery: Discovery) -> Result<Self, SchemaFault> {
        schema::build(discovery).map(Self)
    }
}

/// A question as a client sends it.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Asked {
    query: String,
    /// catalogd ignores names and variables.
    operation: Option<String>,
    variables: Variables,
}

/// Reads the body of a request.
pub(super) async fn read<B>(body: B) -> Result<Asked, Rejection>
where
    B: Body,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let refuse = |text: &str| Rejection { code: 400, text: Some(text.to_owned()) };
    let whole = tokio::time::timeout(PATIENCE, Limited::new(body, LARGEST_REQUEST).collect()).await;
    let bytes = whole.ok().and_then(Result::ok).map(|body| {
        let mut body = body.aggregate();
        body.copy_to_bytes(body.remaining())
    });
    let asked = bytes.as_ref().and_then(parse).ok_or_else(|| refuse("Invalid request body"))?;
    match asked.query.len() {
        0 => Err(refuse("Query cannot be empty")),
        size if size > LARGEST_QUERY => Err(refuse("Query too large")),
        _ => Ok(asked),
    }
}

/// Reads the first JSON value of a body, as Go's decoder does.
fn parse(bytes: &Bytes) -> Option<Asked> {
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<serde_json::Value>();
    let mut value = match values.next()?.ok()? {
        serde_json::Value::Null => return Some(Asked::default()),
        serde_json::Value::Object(value) => value,
        _ => return None,
    };
    let mut text = |name: &str| match value.remove(name) {
        None | Some(serde_json::Value::Null) => Some(None),
        Some(serde_json::Value::String(text)) => Some(Some(text)),
        Some(_) => None,
    };
    let (query, operation) = (text("query")?.unwrap_or_default(), text("operationName")?);
    let variables = value.remove("variables").map(Variables::from_json).unwrap_or_default();
    Some(Asked { query, operation, variables })
}

/// Answers a question with a line of JSON.
pub(super) async fn answer(store: Arc<Store>, asked: Asked) -> Bytes {
    let refused = |text: String| Response::from_errors(vec![ServerError::new(text, None)]);
    // It is never closed.
    let _permit = ANSWERED_TOGETHER.acquire().await;
    // Beside the threads that serve others: some questions take a while.
    let runtime = tokio::runtime::Handle::current();
    let answered = tokio::task::spawn_blocking(move || {
        let document = async_graphql::parser::parse_query(&asked.query);
        let document = match document.map_err(|error| format!("query parse error: {error}")) {
            Ok(document) => document,
            Err(error) => return refused(error),
        };
        if let Err(error) = limits::check(&document) {
            return refused(error.to_string());
        }
        let Some(GraphqlSchema(schema)) = &store.graphql else { return refused(String::new()) };
        let mut request = Request::new(asked.query).variables(asked.variables);
        request.operation_name = asked.operation;
        request.set_parsed_query(document);
        runtime.block_on(schema.execute(request.data(Question::new(Arc::clone(&store)))))
    });
    let mut response = answered.await.unwrap_or_else(|_| refused("the query cannot be answered".to_owned()));
    let fault = |error: &ServerError| error.source::<Fault>().copied();
    response.errors.retain(|error| fault(error) != Some(Fault::NoObject));
    // Half of an answer that is too large would only mislead.
    if let Some(error) = response.errors.iter().find(|error| fault(error) == Some(Fault::TooLarge)) {
        response = Response::from_errors(vec![error.clone()]);
    }
    let mut line = serde_json::to_vec(&response).unwrap_or_default();
    line.push(b'\n');
    Bytes::from(line)
}
