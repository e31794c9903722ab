//! Calls of functions, and aggregations.

use std::f64::consts::PI;
use std::fmt;

use super::Parser;
use crate::update_service::promql::expression::{
    Aggregation, Call, Expression, Grouping, Operation, Range, Scalar, Summary, Type, Vector,
};
use crate::update_service::promql::function::{self, Form};
use crate::update_service::promql::syntax_error::{SyntaxError, refuse};

/// What an aggregation does, and whether it takes a parameter for it.
#[derive(Debug, Clone, Copy)]
pub(super) enum AggregationForm {
    Summary(Summary),
    /// One with a number in front.
    WithNumber(fn(Scalar) -> Operation),
    CountValues,
    /// One that must be enabled.
    Experimental(&'static str),
}

/// What an aggregation does.
pub(super) fn aggregation(name: &str) -> Option<AggregationForm> {
    Some(match name.to_ascii_lowercase().as_str() {
        "avg" => AggregationForm::Summary(Summary::Average),
        "bottomk" => AggregationForm::WithNumber(Operation::Bottom),
        "count" => AggregationForm::Summary(Summary::Count),
        "count_values" => AggregationForm::CountValues,
        "group" => AggregationForm::Summary(Summary::Group),
        "limit_ratio" => AggregationForm::Experimental("limit_ratio"),
        "limitk" => AggregationForm::Experimental("limitk"),
        "max" => AggregationForm::Summary(Summary::Maximum),
        "min" => AggregationForm::Summary(Summary::Minimum),
        "quantile" => AggregationForm::WithNumber(Operation::Quantile),
        "stddev" => AggregationForm::Summary(Summary::StandardDeviation),
        "stdvar" => AggregationForm::Summary(Summary::Variance),
        "sum" => AggregationForm::Summary(Summary::Sum),
        "topk" => AggregationForm::WithNumber(Operation::Top),
        _ => return None,
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
    given.try_into().or_else(|_| miscounted(&N.to_string(), place, count))
}

/// Refuses another number of arguments.
fn miscounted<T>(wanted: &str, place: Place<'_>, count: usize) -> Result<T, SyntaxError> {
    refuse(match place {
        Place::Function(name) => format!("expected {wanted} argument(s) in call to {name:?}, got {count}"),
        Place::Parameter | Place::Aggregation => format!(
            "wrong number of arguments for aggregate expression provided, expected {wanted}, got {count}"
        ),
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

fn range(argument: Expression, place: Place<'_>) -> Result<Range, SyntaxError> {
    match argument {
        Expression::Range(range) => Ok(range),
        other => misfit(Type::Range, place, &other),
    }
}

fn scalar(argument: Expression, place: Place<'_>) -> Result<Scalar, SyntaxError> {
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
        aggregated(form, given, grouping)
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
            Form::Time => {
                let [] = exactly(given, place)?;
                return Ok(Expression::Scalar(Scalar::Time));
            }
            Form::Pi => {
                let [] = exactly(given, place)?;
                return Ok(Expression::Scalar(Scalar::Number(PI)));
            }
            Form::Scalar => {
                let [of] = exactly(given, place)?;
                return Ok(Expression::Scalar(Scalar::Only(Box::new(vector(of, place)?))));
            }
            Form::Each(function) => {
                let [of] = exactly(given, place)?;
                Call::Each(function, vector(of, place)?)
            }
            Form::OverTime(function) => {
                let [of] = exactly(given, place)?;
                Call::OverTime(function, range(of, place)?)
            }
            Form::LastOverTime => {
                let [of] = exactly(given, place)?;
                Call::LastOverTime(range(of, place)?)
            }
            Form::QuantileOverTime => {
                let [which, of] = exactly(given, place)?;
                Call::QuantileOverTime(scalar(which, place)?, range(of, place)?)
            }
            Form::Absent => {
                let [of] = exactly(given, place)?;
                Call::Absent(vector(of, place)?)
            }
            Form::AbsentOverTime => {
                let [of] = exactly(given, place)?;
                Call::AbsentOverTime(range(of, place)?)
            }
            Form::Clamp => {
                let [of, least, most] = exactly(given, place)?;
                Call::Clamp {
                    of: vector(of, place)?,
                    least: scalar(least, place)?,
                    most: scalar(most, place)?,
                }
            }
            Form::ClampMax => {
                let [of, most] = exactly(given, place)?;
                let (of, most) = (vector(of, place)?, scalar(most, place)?);
                Call::Clamp { of, least: Scalar::Number(f64::NEG_INFINITY), most }
            }
            Form::ClampMin => {
                let [of, least] = exactly(given, place)?;
                let (of, least) = (vector(of, place)?, scalar(least, place)?);
                Call::Clamp { of, least, most: Scalar::Number(f64::INFINITY) }
            }
            Form::LabelJoin => label_join(given, place)?,
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
            Form::Round => round(given, place)?,
            Form::Sort { is_descending } => {
                let [of] = exactly(given, place)?;
                Call::Sort { of: vector(of, place)?, is_descending }
            }
        };
        Ok(Expression::Vector(Vector::Call(Box::new(call))))
    }
}

/// An aggregation with its arguments.
fn aggregated(
    form: AggregationForm,
    given: Vec<Expression>,
    grouping: Option<Grouping>,
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
        AggregationForm::CountValues => {
            let [label, of] = exactly(given, Place::Aggregation)?;
            (Operation::CountValues(text(label, Place::Parameter)?), of)
        }
        AggregationForm::Experimental(name) => {
            return refuse(format!(
                "{name}() is experimental and must be enabled with \
                 --enable-feature=promql-experimental-functions"
            ));
        }
    };
    let of = vector(of, Place::Aggregation)?;
    Ok(Expression::Vector(Vector::Aggregation(Box::new(Aggregation { operation, of, grouping }))))
}

/// Three arguments, and any number of labels.
fn label_join(given: Vec<Expression>, place: Place<'_>) -> Result<Call, SyntaxError> {
    let count = given.len();
    let mut given = given.into_iter();
    let (Some(of), Some(target), Some(separator)) = (given.next(), given.next(), given.next()) else {
        return miscounted("at least 3", place, count);
    };
    Ok(Call::LabelJoin {
        of: vector(of, place)?,
        target: text(target, place)?,
        separator: text(separator, place)?,
        sources: given.map(|source| text(source, place)).collect::<Result<_, _>>()?,
    })
}

/// One argument or two.
fn round(given: Vec<Expression>, place: Place<'_>) -> Result<Call, SyntaxError> {
    let count = given.len();
    let mut given = given.into_iter();
    match (given.next(), given.next(), given.next()) {
        (None, ..) => miscounted("at least 1", place, count),
        (.., Some(_)) => miscounted("at most 2", place, count),
        (Some(of), None, None) => Ok(Call::Round { of: vector(of, place)?, to: Scalar::Number(1.0) }),
        (Some(of), Some(to), None) => Ok(Call::Round { of: vector(of, place)?, to: scalar(to, place)? }),
    }
}
