//! PromQL expressions. Those of each type are a type of their own, so that all that is parsed can be evaluated.

use std::fmt;

use fbc_go::regexp::Steps;

use super::QueryError;
use super::operator::{Calculation, SetOperator};
use super::pattern::Pattern;

/// An expression.
#[derive(Debug, Clone)]
pub(in super::super) enum Expression {
    Scalar(f64),
    Text(String),
    Vector(Vector),
    /// Series in a range of time.
    Range(Selector),
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
    pub(super) scalar: f64,
    /// Whether the number is on the left.
    pub(super) is_scalar_first: bool,
}

/// Two vectors whose series are calculated in pairs.
#[derive(Debug, Clone)]
pub(in super::super) struct Matched {
    pub(super) operator: Calculation,
    pub(super) left: Vector,
    pub(super) right: Vector,
    /// By which labels series of both sides belong together; without, by all.
    pub(super) matching: Option<Vec<String>>,
    /// `group_left`: the left side may have several series for one of the right, and they get these labels of that one.
    pub(super) many: Option<Vec<String>>,
}

/// Two vectors as sets.
#[derive(Debug, Clone)]
pub(in super::super) struct Set {
    pub(super) operator: SetOperator,
    pub(super) left: Vector,
    pub(super) right: Vector,
    /// By which labels series of both sides belong together; without, by all.
    pub(super) matching: Option<Vec<String>>,
}

/// Many series that become few.
#[derive(Debug, Clone)]
pub(in super::super) struct Aggregation {
    pub(super) operation: Operation,
    pub(super) of: Vector,
    /// The labels of the groups; without, there is one group.
    pub(super) grouping: Vec<String>,
}

/// What becomes of the series of a group.
#[derive(Debug, Clone)]
pub(super) enum Operation {
    /// One series.
    Summary(Summary),
    /// The series with the highest values.
    Top(f64),
    /// The series with the lowest values.
    Bottom(f64),
}

/// What the values of a group are together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Summary {
    Count,
    Group,
    Maximum,
    Minimum,
    Sum,
}

/// A function that gives series.
#[derive(Debug, Clone)]
pub(in super::super) enum Call {
    /// Each value as it is at all times.
    OverTime(OverTime, Selector),
    Absent(Vector),
    LabelReplace {
        of: Vector,
        target: String,
        replacement: String,
        source: String,
        /// Or a text that is none.
        pattern: Result<Pattern, QueryError>,
    },
    OfScalar(f64),
}

/// What is asked about values in a range of time, which are all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum OverTime {
    /// The value, which is no longer that of the metric.
    Value,
    /// The value of the metric.
    Last,
    /// 1 for what is there.
    Present,
}
