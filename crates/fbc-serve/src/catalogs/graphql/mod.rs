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
//! These know GraphQL itself, as the specification of October 2021 has it:
//!
//! | module | what it holds |
//! |---|---|
//! | `document` | a query as it is written |
//! | `lexer`, `strings`, `parser` | from text to document |
//! | `source` | lines and columns |
//! | `types` | the types of a schema |
//! | `introspection` | what a schema tells of itself |
//! | `validation` | whether a query fits a schema |
//! | `input` | arguments, variables and conditions |
//! | `collect` | the fields that selections come to |
//! | `execution` | the answer |
//! | `errors` | what went wrong, as an answer has it |
//!
//! Source: `operator-framework/operator-controller:internal/catalogd/server/handlers.go`, `internal/catalogd/graphql`.

mod collect;
mod discovery;
mod document;
mod errors;
mod execution;
mod input;
mod introspection;
mod lexer;
mod limits;
mod names;
mod parser;
mod question;
mod schema;
mod source;
mod strings;
#[cfg(test)]
mod tests;
mod types;
mod validation;
mod value;

use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf as _, Bytes};
use http_body::Body;
use http_body_util::{BodyExt as _, Limited};
use serde_json::{Map, Value as Json};
use tokio::sync::Semaphore;

use document::{Document, Operation, OperationKind};
use errors::QueryError;
use execution::{Answer, Execution};
use parser::ParseFault;
use question::Question;
use source::Source;
use types::Schema;

pub(super) use discovery::Discovery;
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
#[derive(Debug)]
pub(super) struct GraphqlSchema(Schema);

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
    variables: Map<String, Json>,
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
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<Json>();
    let mut value = match values.next()?.ok()? {
        Json::Null => return Some(Asked::default()),
        Json::Object(value) => value,
        _ => return None,
    };
    let mut text = |name: &str| match value.remove(name) {
        None | Some(Json::Null) => Some(None),
        Some(Json::String(text)) => Some(Some(text)),
        Some(_) => None,
    };
    let (query, operation) = (text("query")?.unwrap_or_default(), text("operationName")?);
    let variables = match value.remove("variables") {
        Some(Json::Object(variables)) => variables,
        _ => Map::new(),
    };
    Some(Asked { query, operation, variables })
}

/// Answers a question with a line of JSON.
pub(super) async fn answer(store: Arc<Store>, asked: Asked) -> Bytes {
    // It is never closed.
    let _permit = ANSWERED_TOGETHER.acquire().await;
    // Beside the threads that serve others: some questions take a while.
    let answered = tokio::task::spawn_blocking(move || answered(&store, &asked)).await;
    answered.unwrap_or_else(|_| line(Err(vec![QueryError::new("the query cannot be answered")])))
}

fn answered(store: &Store, asked: &Asked) -> Bytes {
    let outcome = match &store.graphql {
        Some(GraphqlSchema(schema)) => outcome(schema, store, asked),
        None => Err(vec![QueryError::new("")]),
    };
    line(outcome)
}

/// The answer to a question, or why there is none.
fn outcome(schema: &Schema, store: &Store, asked: &Asked) -> Result<Answer, Vec<QueryError>> {
    let refuse = |text: String| vec![QueryError::new(text)];
    let source = Source::new(&asked.query);
    let document = parser::parse(&asked.query).map_err(|fault| match fault {
        ParseFault::Syntax(fault) => {
            refuse(format!("query parse error: {}", source.syntax_error(fault.at, &fault.words)))
        }
        ParseFault::TooLarge(fault) => refuse(fault.to_string()),
    })?;
    limits::check(&document).map_err(|fault| refuse(fault.to_string()))?;
    execute(schema, store, &document, &source, asked)
}

/// Answers a question of any size.
fn execute(
    schema: &Schema,
    store: &Store,
    document: &Document<'_>,
    source: &Source<'_>,
    asked: &Asked,
) -> Result<Answer, Vec<QueryError>> {
    let refuse = |text: String| vec![QueryError::new(text)];
    let errors = validation::validate(schema, document, source).map_err(|fault| refuse(fault.to_string()))?;
    if !errors.is_empty() {
        return Err(errors);
    }
    let operation = operation(document, asked.operation.as_deref()).map_err(|error| vec![error])?;
    let kind = match operation.kind {
        OperationKind::Query => None,
        OperationKind::Mutation => Some("mutations"),
        OperationKind::Subscription => Some("subscriptions"),
    };
    if let Some(kind) = kind {
        let message = format!("Schema is not configured for {kind}");
        return Err(vec![QueryError::at(message, vec![source.location(operation.at)])]);
    }
    let variables =
        input::variables(schema, operation, &asked.variables, source).map_err(|error| vec![error])?;
    let question = Question::new(store);
    let execution = Execution { schema, document, variables: &variables, question: &question, source };
    // Half of an answer that is too large would only mislead.
    execution.run(operation).map_err(|error| vec![error])
}

/// The operation that a client wants; without a name, the only one.
fn operation<'d>(document: &'d Document<'d>, name: Option<&str>) -> Result<&'d Operation<'d>, QueryError> {
    match (name.filter(|name| !name.is_empty()), &document.operations[..]) {
        (Some(wanted), operations) => operations
            .iter()
            .find(|operation| operation.name.is_some_and(|name| name.text == wanted))
            .ok_or_else(|| QueryError::new(format!("Unknown operation named \"{wanted}\"."))),
        (None, []) => Err(QueryError::new("Must provide an operation.")),
        (None, [only]) => Ok(only),
        (None, _) => {
            Err(QueryError::new("Must provide operation name if query contains multiple operations."))
        }
    }
}

/// An answer as a line of JSON.
fn line(outcome: Result<Answer, Vec<QueryError>>) -> Bytes {
    let (mut line, errors) = match outcome {
        Ok(answer) => (answer.data, answer.errors),
        Err(errors) => (b"null".to_vec(), errors),
    };
    line.splice(0..0, *b"{\"data\":");
    if !errors.is_empty() {
        line.extend_from_slice(b",\"errors\":");
        // Writing into memory cannot fail, and all keys are texts.
        let _ = serde_json::to_writer(&mut line, &errors);
    }
    line.extend_from_slice(b"}\n");
    Bytes::from(line)
}
