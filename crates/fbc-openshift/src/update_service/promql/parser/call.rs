//! Calls of functions, and aggregations.

use std::fmt;

use super::Parser;
use crate::update_service::promql::expression::{
    Aggregation, Call, Expression, Operation, Selector, Summary, Type, Vector,
};
use crate::update_service::promql::function::{self, Form};
use crate::update_service::promql::syntax_error::{SyntaxError, refuse};

/// What an aggregation does, and whether it takes a parameter for it.
#[derive(Debug, Clone, Copy)]
pub(super) enum AggregationForm {
    Summary(Summary),
    /// One with a number in front.
    WithNumber(fn(f64) -> Operation),
    NotEvaluated(&'static str),
}

/// Aggregations of Prometheus that are not evaluated.
pub(in super::super) const NOT_EVALUATED: [&str; 7] =
    ["avg", "count_values", "limit_ratio", "limitk", "quantile", "stddev", "stdvar"];

/// What an aggregation does.
pub(super) fn aggregation(name: &str) -> Option<AggregationForm> {
    let name = name.to_ascii_lowercase();
    Some(match name.as_str() {
        "bottomk" => AggregationForm::WithNumber(Operation::Bottom),
        "count" => AggregationForm::Summary(Summary::Count),
        "group" => AggregationForm::Summary(Summary::Group),
        "max" => AggregationForm::Summary(Summary::Maximum),
        "min" => AggregationForm::Summary(Summary::Minimum),
        "sum" => AggregationForm::Summary(Summary::Sum),
        "topk" => AggregationForm::WithNumber(Operation::Top),
        _ => AggregationForm::NotEvaluated(NOT_EVALUATED.into_iter().find(|one| *one == name)?),
    })
}

/// What is called, as errors say it.
#[derive(Debug, Clone, Copy)]
enum Place<'n> {
    Function(&'n str),
    Parameter,
    Aggregation,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Function(name) => write!(out, "call to function {name:?}"),
            Self::Parameter => out.write_str("aggregation parameter"),
            Self::Aggregation => out.write_str("aggregation expression"),
        }
    }
}

/// The only right number of arguments.
fn exactly<const N: usize>(given: Vec<Expression>, place: Place<'_>) -> Result<[Expression; N], SyntaxError> {
    let count = given.len();
    given.try_into().or_else(|_| {
        refuse(match place {
            Place::Function(name) => format!("expected {N} argument(s) in call to {name:?}, got {count}"),
            Place::Parameter | Place::Aggregation => format!(
                "wrong number of arguments for aggregate expression provided, expected {N}, got {count}"
            ),
        })
    })
}

/// Refuses an argument of another type.
fn misfit<T>(wanted: Type, place: Place<'_>, found: &Expression) -> Result<T, SyntaxError> {
    refuse(format!("expected type {wanted} in {place}, got {}", found.kind()))
}

fn vector(argument: Expression, place: Place<'_>) -> Result<Vector, SyntaxError> {
    match argument {
        Expression::Vector(vector) => Ok(vector),
        other => misfit(Type::Vector, place, &other),
    }
}

fn range(argument: Expression, place: Place<'_>) -> Result<Selector, SyntaxError> {
    match argument {
        Expression::Range(range) => Ok(range),
        other => misfit(Type::Range, place, &other),
    }
}

fn scalar(argument: Expression, place: Place<'_>) -> Result<f64, SyntaxError> {
    match argument {
        Expression::Scalar(scalar) => Ok(scalar),
        other => misfit(Type::Scalar, place, &other),
    }
}

fn text(argument: Expression, place: Place<'_>) -> Result<String, SyntaxError> {
    match argument {
        Expression::Text(text) => Ok(text),
        other => misfit(Type::Text, place, &other),
    }
}

impl Parser<'_> {
    /// An aggregation behind its name: the labels of its groups stand in front or at the end.
    pub(super) fn aggregation(&mut self, form: AggregationForm) -> Result<Expression, SyntaxError> {
        let in_front = self.labels_behind("by", "without")?;
        let given = self.arguments("aggregation")?;
        let grouping = match in_front {
            Some(labels) => Some(labels),
            None => self.labels_behind("by", "without")?,
        };
        aggregated(form, given, grouping.unwrap_or_default())
    }

    /// Expressions in brackets.
    fn arguments(&mut self, context: &str) -> Result<Vec<Expression>, SyntaxError> {
        self.expect("(", context)?;
        let mut arguments = Vec::new();
        if self.takes(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.expression(0)?);
            if self.takes(")") {
                return Ok(arguments);
            }
            if !self.takes(",") {
                return self.unexpected(context, "\",\" or \")\"");
            }
            if self.is_next(")") {
                return refuse("trailing commas not allowed in function call args");
            }
        }
    }

    /// A call behind the name of its function.
    pub(super) fn call(&mut self, name: &str) -> Result<Expression, SyntaxError> {
        let form = function::named(name)?;
        let given = self.arguments("call")?;
        self.called(form, given, Place::Function(name))
    }

    /// A function with its arguments. Nothing nests in here, so that its many variables are not on the stack again and again.
    fn called(
        &mut self,
        form: Form,
        given: Vec<Expression>,
        place: Place<'_>,
    ) -> Result<Expression, SyntaxError> {
        let call = match form {
            Form::OverTime(what) => {
                let [of] = exactly(given, place)?;
                Call::OverTime(what, range(of, place)?)
            }
            Form::Absent => {
                let [of] = exactly(given, place)?;
                Call::Absent(vector(of, place)?)
            }
            Form::LabelReplace => {
                let [of, target, replacement, source, pattern] = exactly(given, place)?;
                Call::LabelReplace {
                    of: vector(of, place)?,
                    target: text(target, place)?,
                    replacement: text(replacement, place)?,
                    source: text(source, place)?,
                    pattern: self.patterns.of_replacement(&text(pattern, place)?)?,
                }
            }
            Form::Vector => {
                let [of] = exactly(given, place)?;
                Call::OfScalar(scalar(of, place)?)
            }
        };
        Ok(Expression::Vector(Vector::Call(Box::new(call))))
    }
}

/// An aggregation with its arguments.
fn aggregated(
    form: AggregationForm,
    given: Vec<Expression>,
    grouping: Vec<String>,
) -> Result<Expression, SyntaxError> {
    if given.is_empty() {
        return refuse("no arguments for aggregate expression provided");
    }
    let (operation, of) = match form {
        AggregationForm::Summary(summary) => {
            let [of] = exactly(given, Place::Aggregation)?;
            (Operation::Summary(summary), of)
        }
        AggregationForm::WithNumber(operation) => {
            let [number, of] = exactly(given, Place::Aggregation)?;
            (operation(scalar(number, Place::Parameter)?), of)
        }
        AggregationForm::NotEvaluated(name) => {
            return refuse(format!("the aggregation {name} is not evaluated here"));
        }
    };
    let of = vector(of, Place::Aggregation)?;
    Ok(Expression::Vector(Vector::Aggregation(Box::new(Aggregation { operation, of, grouping }))))
}
