//! Calls of functions, and aggregations.

use std::vec::IntoIter;

use super::{Parser, misfit};
use crate::update_service::promql::expression::{
    Aggregation, Call, Expression, Operation, Range, Scalar, Summary, Type, Vector,
};
use crate::update_service::promql::function::{self, Form};
use crate::update_service::promql::syntax_error::{SyntaxError, refuse};

/// What an aggregation does, and whether it takes a parameter for it.
#[derive(Debug, Clone, Copy)]
pub(super) enum AggregationForm {
    Summary(Summary),
    Quantile,
    CountValues,
    Top,
    Bottom,
    /// One that must be enabled.
    Experimental(&'static str),
}

/// What an aggregation does.
pub(super) fn aggregation(name: &str) -> Option<AggregationForm> {
    Some(match name.to_ascii_lowercase().as_str() {
        "avg" => AggregationForm::Summary(Summary::Average),
        "bottomk" => AggregationForm::Bottom,
        "count" => AggregationForm::Summary(Summary::Count),
        "count_values" => AggregationForm::CountValues,
        "group" => AggregationForm::Summary(Summary::Group),
        "limit_ratio" => AggregationForm::Experimental("limit_ratio"),
        "limitk" => AggregationForm::Experimental("limitk"),
        "max" => AggregationForm::Summary(Summary::Maximum),
        "min" => AggregationForm::Summary(Summary::Minimum),
        "quantile" => AggregationForm::Quantile,
        "stddev" => AggregationForm::Summary(Summary::StandardDeviation),
        "stdvar" => AggregationForm::Summary(Summary::Variance),
        "sum" => AggregationForm::Summary(Summary::Sum),
        "topk" => AggregationForm::Top,
        _ => return None,
    })
}

/// The arguments of a call, one after the other.
struct Arguments {
    rest: IntoIter<Expression>,
    /// What is said of another number of them.
    miscount: String,
    /// What is called, as errors say it.
    place: String,
}

impl Arguments {
    fn next(&mut self) -> Result<Expression, SyntaxError> {
        self.rest.next().map_or_else(|| refuse(&self.miscount), Ok)
    }

    fn vector(&mut self) -> Result<Vector, SyntaxError> {
        match self.next()? {
            Expression::Vector(vector) => Ok(vector),
            other => misfit(Type::Vector, &self.place, &other),
        }
    }

    fn range(&mut self) -> Result<Range, SyntaxError> {
        match self.next()? {
            Expression::Range(range) => Ok(range),
            other => misfit(Type::Range, &self.place, &other),
        }
    }

    fn scalar(&mut self) -> Result<Scalar, SyntaxError> {
        match self.next()? {
            Expression::Scalar(scalar) => Ok(scalar),
            other => misfit(Type::Scalar, &self.place, &other),
        }
    }

    fn text(&mut self) -> Result<String, SyntaxError> {
        match self.next()? {
            Expression::Text(text) => Ok(text),
            other => misfit(Type::Text, &self.place, &other),
        }
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
        let wanted = if matches!(form, AggregationForm::Summary(_)) { 1 } else { 2 };
        let count = given.len();
        if count == 0 {
            return refuse("no arguments for aggregate expression provided");
        }
        let miscount = format!(
            "wrong number of arguments for aggregate expression provided, expected {wanted}, got {count}"
        );
        if count != wanted {
            return refuse(miscount);
        }
        let place = "aggregation parameter".to_owned();
        let mut arguments = Arguments { rest: given.into_iter(), miscount, place };
        let operation = match form {
            AggregationForm::Summary(summary) => Operation::Summary(summary),
            AggregationForm::Quantile => Operation::Quantile(arguments.scalar()?),
            AggregationForm::CountValues => Operation::CountValues(arguments.text()?),
            AggregationForm::Bottom => Operation::Bottom(arguments.scalar()?),
            AggregationForm::Top => Operation::Top(arguments.scalar()?),
            AggregationForm::Experimental(name) => {
                return refuse(format!(
                    "{name}() is experimental and must be enabled with \
                     --enable-feature=promql-experimental-functions"
                ));
            }
        };
        "aggregation expression".clone_into(&mut arguments.place);
        let of = arguments.vector()?;
        Ok(Expression::Vector(Vector::Aggregation(Box::new(Aggregation { operation, of, grouping }))))
    }

    /// A call behind the name of its function.
    pub(super) fn call(&mut self, name: &str) -> Result<Expression, SyntaxError> {
        let form = function::named(name)?;
        let given = self.arguments("call")?;
        let wanted = form.arguments();
        let (least, most, count) = (wanted.start(), wanted.end(), given.len());
        let bound = match count {
            _ if least == most => least.to_string(),
            _ if count < *least => format!("at least {least}"),
            _ => format!("at most {most}"),
        };
        let miscount = format!("expected {bound} argument(s) in call to {name:?}, got {count}");
        if !wanted.contains(&count) {
            return refuse(miscount);
        }
        let place = format!("call to function {name:?}");
        called(form, &mut Arguments { rest: given.into_iter(), miscount, place })
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
}

/// A function with its arguments.
fn called(form: Form, arguments: &mut Arguments) -> Result<Expression, SyntaxError> {
    let call = match form {
        Form::Time => return Ok(Expression::Scalar(Scalar::Time)),
        Form::Scalar => return Ok(Expression::Scalar(Scalar::Only(Box::new(arguments.vector()?)))),
        Form::Each(function) => Call::Each(function, arguments.vector()?),
        Form::OverTime(function) => Call::OverTime(function, arguments.range()?),
        Form::LastOverTime => Call::LastOverTime(arguments.range()?),
        Form::Absent => Call::Absent(arguments.vector()?),
        Form::AbsentOverTime => Call::AbsentOverTime(arguments.range()?),
        Form::Clamp => {
            Call::Clamp { of: arguments.vector()?, least: arguments.scalar()?, most: arguments.scalar()? }
        }
        Form::ClampMax => {
            let (of, most) = (arguments.vector()?, arguments.scalar()?);
            Call::Clamp { of, least: Scalar::Number(f64::NEG_INFINITY), most }
        }
        Form::ClampMin => {
            let (of, least) = (arguments.vector()?, arguments.scalar()?);
            Call::Clamp { of, least, most: Scalar::Number(f64::INFINITY) }
        }
        Form::LabelJoin => {
            let (of, target, separator) = (arguments.vector()?, arguments.text()?, arguments.text()?);
            let mut sources = Vec::new();
            while arguments.rest.len() > 0 {
                sources.push(arguments.text()?);
            }
            Call::LabelJoin { of, target, separator, sources }
        }
        Form::LabelReplace => Call::LabelReplace {
            of: arguments.vector()?,
            target: arguments.text()?,
            replacement: arguments.text()?,
            source: arguments.text()?,
            pattern: arguments.text()?,
        },
        Form::Vector => Call::OfScalar(arguments.scalar()?),
        Form::Round => {
            let of = arguments.vector()?;
            let is_given = arguments.rest.len() > 0;
            Call::Round { of, to: if is_given { arguments.scalar()? } else { Scalar::Number(1.0) } }
        }
        Form::Sort { is_descending } => Call::Sort { of: arguments.vector()?, is_descending },
    };
    Ok(Expression::Vector(Vector::Call(Box::new(call))))
}
