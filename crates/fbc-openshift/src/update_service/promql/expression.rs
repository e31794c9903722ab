//! PromQL expressions. Those of each type are a type of their own, so that all that is parsed can be evaluated.

use std::fmt;

use super::QueryError;
use super::function::NumberFunction;
use super::operator::{Calculation, SetOperator};
use super::pattern::Pattern;
use fbc_go::regexp::Steps;

/// An expression.
#[derive(Debug, Clone)]
pub(in super::super) enum Expression {
    Scalar(Scalar),
    Text(String),
    Vector(Vector),
    Range(Range),
}

impl Expression {
    /// What its value is.
    pub(in super::super) fn kind(&self) -> Type {
        match self {
            Self::Scalar(_) => Type::Scalar,
            Self::Text(_) => Type::Text,
            Self::Vector(_) => Type::Vector,
            Self::Range(_) => Type::Range,
        }
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

impl Type {
    /// The name that Prometheus gives it in answers.
    pub(in super::super) fn short(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Text => "string",
            Self::Vector => "vector",
            Self::Range => "matrix",
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Vector => "instant vector",
            Self::Range => "range vector",
            other => other.short(),
        })
    }
}

/// A number.
#[derive(Debug, Clone)]
pub(in super::super) enum Scalar {
    Number(f64),
    Time,
    /// The value of the only series of a vector.
    Only(Box<Vector>),
    Negation(Box<Scalar>),
    Calculation {
        operator: Calculation,
        sides: Box<(Scalar, Scalar)>,
    },
}

/// Series as they are now.
#[derive(Debug, Clone)]
pub(in super::super) enum Vector {
    Selector(Selector),
    Negation(Box<Vector>),
    /// The same series behind a plus sign, where a selector is no longer bare.
    Plus(Box<Vector>),
    WithScalar(Box<WithScalar>),
    Matched(Box<Matched>),
    Set(Box<Set>),
    Aggregation(Box<Aggregation>),
    Call(Box<Call>),
}

/// Series in a range of time.
#[derive(Debug, Clone)]
pub(in super::super) enum Range {
    Selector(Selector),
    Subquery(Box<Vector>),
}

/// Which series are meant.
#[derive(Debug, Clone)]
pub(in super::super) struct Selector {
    /// The name of the metric, if it stands in front of the braces.
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
    Matches(Pattern),
    MatchesNot(Pattern),
}

impl Test {
    pub(super) fn holds(&self, value: &str, steps: &Steps) -> bool {
        match self {
            Self::Equal(wanted) => value == wanted,
            Self::NotEqual(unwanted) => value != unwanted,
            Self::Matches(pattern) => pattern.is_match(value, steps),
            Self::MatchesNot(pattern) => !pattern.is_match(value, steps),
        }
    }

    /// What it compares with.
    pub(super) fn value(&self) -> &str {
        match self {
            Self::Equal(value) | Self::NotEqual(value) => value,
            Self::Matches(pattern) | Self::MatchesNot(pattern) => &pattern.text,
        }
    }
}

/// A vector with a number on one side of an operator.
#[derive(Debug, Clone)]
pub(in super::super) struct WithScalar {
    pub(super) operator: Calculation,
    pub(super) vector: Vector,
    pub(super) scalar: Scalar,
    /// Whether the number is on the left.
    pub(super) is_scalar_first: bool,
    /// Whether a comparison answers with 0 and 1.
    pub(super) returns_bool: bool,
}

/// Two vectors whose series are calculated in pairs.
#[derive(Debug, Clone)]
pub(in super::super) struct Matched {
    pub(super) operator: Calculation,
    pub(super) left: Vector,
    pub(super) right: Vector,
    /// Whether a comparison answers with 0 and 1.
    pub(super) returns_bool: bool,
    /// By which labels series of both sides belong together; without, by all.
    pub(super) matching: Option<Grouping>,
    /// Which side may have several series for one of the other.
    pub(super) many: Option<Many>,
}

/// Two vectors as sets.
#[derive(Debug, Clone)]
pub(in super::super) struct Set {
    pub(super) operator: SetOperator,
    pub(super) left: Vector,
    pub(super) right: Vector,
    /// By which labels series of both sides belong together; without, by all.
    pub(super) matching: Option<Grouping>,
}

/// A side with several series for one of the other, and the labels that they get from that one.
#[derive(Debug, Clone)]
pub(super) struct Many {
    pub(super) is_right: bool,
    pub(super) labels: Vec<String>,
}

/// Labels that count, or that do not.
#[derive(Debug, Clone)]
pub(super) enum Grouping {
    Only(Vec<String>),
    Without(Vec<String>),
}

impl Grouping {
    pub(super) fn labels(&self) -> &[String] {
        match self {
            Self::Only(labels) | Self::Without(labels) => labels,
        }
    }
}

/// Many series that become few.
#[derive(Debug, Clone)]
pub(in super::super) struct Aggregation {
    pub(super) operation: Operation,
    pub(super) of: Vector,
    pub(super) grouping: Option<Grouping>,
}

/// What becomes of the series of a group.
#[derive(Debug, Clone)]
pub(super) enum Operation {
    /// One series.
    Summary(Summary),
    Quantile(Scalar),
    /// A series for each value, which is in this label.
    CountValues(String),
    /// The series with the highest values.
    Top(Scalar),
    /// The series with the lowest values.
    Bottom(Scalar),
}

/// What the values of a group are together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Summary {
    Average,
    Count,
    Group,
    Maximum,
    Minimum,
    StandardDeviation,
    Sum,
    Variance,
}

/// A function that gives series.
#[derive(Debug, Clone)]
pub(in super::super) enum Call {
    /// Each value by itself.
    Each(&'static NumberFunction, Vector),
    /// Each value by itself, as it is at all times.
    OverTime(&'static NumberFunction, Range),
    /// Each value with the name of its metric.
    LastOverTime(Range),
    QuantileOverTime(Scalar, Range),
    Absent(Vector),
    AbsentOverTime(Range),
    Clamp {
        of: Vector,
        least: Scalar,
        most: Scalar,
    },
    LabelJoin {
        of: Vector,
        target: String,
        separator: String,
        sources: Vec<String>,
    },
    LabelReplace {
        of: Vector,
        target: String,
        replacement: String,
        source: String,
        /// Or a text that is none.
        pattern: Result<Pattern, QueryError>,
    },
    OfScalar(Scalar),
    Round {
        of: Vector,
        to: Scalar,
    },
    Sort {
        of: Vector,
        is_descending: bool,
    },
}
