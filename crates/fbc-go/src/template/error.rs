//! What Go says of a template that it cannot read.

use crate::text::quote;

use super::literal::NumberError;

/// A template that cannot be read, in the words of Go: `template: output:1: unclosed action`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("template: {template}:{line}: {fault}")]
pub struct ParseError {
    pub(super) template: String,
    pub(super) line: usize,
    pub(super) fault: Fault,
}

/// What is wrong with the text of a template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    /// No token; what began on an earlier line is named.
    #[error("{error}{}", .started.as_deref().unwrap_or_default())]
    Token { error: String, started: Option<String> },
    #[error("unexpected {token} in {context}")]
    Unexpected { token: String, context: String },
    #[error("unexpected {0}")]
    UnexpectedEnd(&'static str),
    #[error("unexpected EOF")]
    UnexpectedEof,
    #[error("expected end; found {0}")]
    ExpectedEnd(&'static str),
    #[error("unexpected . after term {}", quote(.0))]
    UnexpectedField(String),
    #[error("template: multiple definition of template {}", quote(.0))]
    DefinedTwice(String),
    #[error("{0} outside {{{{range}}}}")]
    OutsideRange(String),
    #[error("max expression depth exceeded")]
    TooDeep,
    #[error("range can only initialize variables")]
    NoRangeVariable,
    #[error("too many declarations in {0}")]
    TooManyDeclarations(String),
    #[error("missing value for {0}")]
    MissingValue(String),
    #[error("non executable command in pipeline stage {0}")]
    NotExecutable(usize),
    #[error("empty command")]
    EmptyCommand,
    #[error("function {} not defined", quote(.0))]
    UnknownFunction(String),
    #[error("undefined variable {}", quote(.0))]
    UnknownVariable(String),
    #[error("invalid syntax")]
    Text,
    #[error(transparent)]
    Number(#[from] NumberError),
}
