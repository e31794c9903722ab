//! PromQL expressions, with the types of their values.

use std::fmt;

use regex::Regex;

/// An expression.
#[derive(Debug, Clone)]
pub(in super::super) enum Expression {
    Number(f64),
    Text(String),
    /// Series as they are now, or in a range of time.
    Selector {
        selector: Selector,
        is_range: bool,
    },
    /// An expression over a range of time.
    Subquery(Box<Expression>),
    /// A minus sign.
    Negation(Box<Expression>),
    Binary(Box<Binary>),
    Aggregation(Box<Aggregation>),
    Call {
        function: &'static Signature,
        arguments: Vec<Expression>,
    },
}

/// Which series are meant.
#[derive(Debug, Clone)]
pub(in super::super) struct Selector {
    /// The name of the metric.
    pub(in super::super) name: Option<String>,
    pub(in super::super) matchers: Vec<Matcher>,
}

/// What a label must be.
#[derive(Debug, Clone)]
pub(in super::super) struct Matcher {
    pub(in super::super) label: String,
    pub(in super::super) test: Test,
}

/// A test of the value of a label.
#[derive(Debug, Clone)]
pub(in super::super) enum Test {
    Equal(String),
    NotEqual(String),
    Matches(Regex),
    MatchesNot(Regex),
}

impl Test {
    pub(super) fn holds(&self, value: &str) -> bool {
        match self {
            Self::Equal(wanted) => value == wanted,
            Self::NotEqual(unwanted) => value != unwanted,
            Self::Matches(pattern) => pattern.is_match(value),
            Self::MatchesNot(pattern) => !pattern.is_match(value),
        }
    }
}

/// Two expressions with an operator between them.
#[derive(Debug, Clone)]
pub(in super::super) struct Binary {
    pub(super) operator: Operator,
    pub(super) left: Expression,
    pub(super) right: Expression,
    /// Whether a comparison answers with 0 and 1.
    pub(super) returns_bool: bool,
    /// By which labels series of both sides belong together; without, by all.
    pub(super) matching: Option<Labels>,
    /// Which side may have several series for one of the other.
    pub(super) many: Option<Many>,
}

/// A side with several series for one of the other, and the labels that they get from that one.
#[derive(Debug, Clone)]
pub(super) struct Many {
    pub(super) is_right: bool,
    pub(super) labels: Vec<String>,
}

/// Labels that count, or that do not.
#[derive(Debug, Clone)]
pub(super) enum Labels {
    Only(Vec<String>),
    Without(Vec<String>),
}

/// Many series that become few.
#[derive(Debug, Clone)]
pub(in super::super) struct Aggregation {
    pub(super) operation: String,
    pub(super) of: Expression,
    pub(super) parameter: Option<Expression>,
    pub(super) grouping: Option<Labels>,
}

/// An operator, in the order of how tightly it binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Or,
    And,
    Unless,
    Equal,
    NotEqual,
    LessOrEqual,
    Less,
    GreaterOrEqual,
    Greater,
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
    Atan2,
    Power,
}

impl Operator {
    /// All of them, with how they are written.
    pub(super) const ALL: [(&'static str, Self); 16] = [
        ("or", Self::Or),
        ("and", Self::And),
        ("unless", Self::Unless),
        ("==", Self::Equal),
        ("!=", Self::NotEqual),
        ("<=", Self::LessOrEqual),
        ("<", Self::Less),
        (">=", Self::GreaterOrEqual),
        (">", Self::Greater),
        ("+", Self::Plus),
        ("-", Self::Minus),
        ("*", Self::Times),
        ("/", Self::Divide),
        ("%", Self::Modulo),
        ("atan2", Self::Atan2),
        ("^", Self::Power),
    ];

    /// How tightly it binds.
    pub(super) fn precedence(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And | Self::Unless => 2,
            _ if self.is_comparison() => 3,
            Self::Plus | Self::Minus => 4,
            Self::Power => 6,
            _ => 5,
        }
    }

    pub(super) fn is_comparison(self) -> bool {
        use Operator::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
        matches!(self, Equal | NotEqual | LessOrEqual | Less | GreaterOrEqual | Greater)
    }

    pub(super) fn is_set(self) -> bool {
        matches!(self, Self::Or | Self::And | Self::Unless)
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = Self::ALL.iter().find(|(_, operator)| operator == self);
        out.write_str(found.map_or("", |(word, _)| word))
    }
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Type {
    Scalar,
    Text,
    Vector,
    Range,
}

impl fmt::Display for Type {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Scalar => "scalar",
            Self::Text => "string",
            Self::Vector => "instant vector",
            Self::Range => "range vector",
        })
    }
}

/// What a function takes and gives.
#[derive(Debug)]
pub(in super::super) struct Signature {
    pub(super) name: &'static str,
    pub(super) arguments: &'static [Type],
    /// How many of the arguments must be given; the last may come any number of times if there is room for more.
    pub(super) required: usize,
    pub(super) is_open: bool,
    pub(super) gives: Type,
}

impl Expression {
    /// What its value is.
    pub(in super::super) fn kind(&self) -> Type {
        match self {
            Self::Number(_) => Type::Scalar,
            Self::Text(_) => Type::Text,
            Self::Selector { is_range: false, .. } | Self::Aggregation(_) => Type::Vector,
            Self::Selector { is_range: true, .. } | Self::Subquery(_) => Type::Range,
            Self::Negation(of) => of.kind(),
            Self::Binary(binary) => match (binary.left.kind(), binary.right.kind()) {
                (Type::Scalar, Type::Scalar) => Type::Scalar,
                _ => Type::Vector,
            },
            Self::Call { function, .. } => function.gives,
        }
    }
}
