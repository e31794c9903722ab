//! Functions.

use super::expression::{Expression, Signature, Type};
use super::{Evaluation, Labels, QueryError, Series, Value, filtered, mapped};

const SCALAR: &[Type] = &[Type::Scalar];
const VECTOR: &[Type] = &[Type::Vector];
const RANGE: &[Type] = &[Type::Range];
const TEXTS: &[Type] = &[Type::Vector, Type::Text, Type::Text, Type::Text, Type::Text];
const LIMIT: &[Type] = &[Type::Vector, Type::Scalar];

/// A function with a fixed number of arguments.
const fn fixed(name: &'static str, arguments: &'static [Type], gives: Type) -> Signature {
    Signature { name, arguments, required: arguments.len(), is_open: false, gives }
}

/// The functions that are known here.
static FUNCTIONS: [Signature; 36] = [
    fixed("abs", VECTOR, Type::Vector),
    fixed("absent", VECTOR, Type::Vector),
    fixed("absent_over_time", RANGE, Type::Vector),
    fixed("avg_over_time", RANGE, Type::Vector),
    fixed("ceil", VECTOR, Type::Vector),
    fixed("changes", RANGE, Type::Vector),
    fixed("clamp_max", LIMIT, Type::Vector),
    fixed("clamp_min", LIMIT, Type::Vector),
    fixed("count_over_time", RANGE, Type::Vector),
    fixed("delta", RANGE, Type::Vector),
    fixed("deriv", RANGE, Type::Vector),
    fixed("exp", VECTOR, Type::Vector),
    fixed("floor", VECTOR, Type::Vector),
    fixed("idelta", RANGE, Type::Vector),
    fixed("increase", RANGE, Type::Vector),
    fixed("irate", RANGE, Type::Vector),
    Signature { name: "label_join", arguments: TEXTS, required: 3, is_open: true, gives: Type::Vector },
    fixed("label_replace", TEXTS, Type::Vector),
    fixed("last_over_time", RANGE, Type::Vector),
    fixed("ln", VECTOR, Type::Vector),
    fixed("log10", VECTOR, Type::Vector),
    fixed("log2", VECTOR, Type::Vector),
    fixed("max_over_time", RANGE, Type::Vector),
    fixed("min_over_time", RANGE, Type::Vector),
    fixed("present_over_time", RANGE, Type::Vector),
    fixed("rate", RANGE, Type::Vector),
    fixed("resets", RANGE, Type::Vector),
    fixed("round", VECTOR, Type::Vector),
    fixed("scalar", VECTOR, Type::Scalar),
    fixed("sgn", VECTOR, Type::Vector),
    fixed("sort", VECTOR, Type::Vector),
    fixed("sort_desc", VECTOR, Type::Vector),
    fixed("sqrt", VECTOR, Type::Vector),
    fixed("sum_over_time", RANGE, Type::Vector),
    fixed("time", &[], Type::Scalar),
    fixed("vector", SCALAR, Type::Vector),
];

/// What a function takes and gives.
pub(super) fn signature(name: &str) -> Option<&'static Signature> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

impl Evaluation<'_> {
    pub(super) fn call(&mut self, name: &str, arguments: &[Expression]) -> Result<Value, QueryError> {
        let argument = |index: usize| arguments.get(index).ok_or(QueryError::Argument);
        let now = self.now.0 as f64 / 1000.0;
        match name {
            "time" => Ok(Value::Scalar(now)),
            "vector" => {
                let value = self.number(argument(0)?)?;
                Ok(Value::Vector(vec![Series { labels: Labels::new(), value }]))
            }
            "scalar" => Ok(Value::Scalar(match self.vector(argument(0)?)?.as_slice() {
                [only] => only.value,
                _ => f64::NAN,
            })),
            "absent" | "absent_over_time" => {
                let is_empty = self.vector(argument(0)?)?.is_empty();
                let one = Series { labels: Labels::new(), value: 1.0 };
                Ok(Value::Vector(if is_empty { vec![one] } else { Vec::new() }))
            }
            "label_replace" => {
                let series = self.vector(argument(0)?)?;
                let mut texts = Vec::new();
                for index in 1..5 {
                    texts.push(self.text(argument(index)?)?);
                }
                label_replace(series, &texts)
            }
            "label_join" => {
                let series = self.vector(argument(0)?)?;
                let (target, separator) = (self.text(argument(1)?)?, self.text(argument(2)?)?);
                let mut sources = Vec::new();
                for source in arguments.iter().skip(3) {
                    sources.push(self.text(source)?);
                }
                label_join(series, &target, &separator, &sources)
            }
            "sort" | "sort_desc" => {
                let mut series = self.vector(argument(0)?)?;
                series.sort_by(|one, other| one.value.total_cmp(&other.value));
                if name == "sort_desc" {
                    series.reverse();
                }
                Ok(Value::Vector(series))
            }
            "last_over_time" => Ok(Value::Vector(self.vector(argument(0)?)?)),
            "clamp_max" | "clamp_min" => {
                let limit = self.number(argument(1)?)?;
                let bound = if name == "clamp_max" { f64::min } else { f64::max };
                Ok(Value::Vector(mapped(self.vector(argument(0)?)?, |value| bound(value, limit))))
            }
            _ => {
                let unknown = || QueryError::Unknown("function", name.to_owned());
                let function = number_function(name).ok_or_else(unknown)?;
                Ok(Value::Vector(mapped(self.vector(argument(0)?)?, function)))
            }
        }
    }
}

/// What a function makes of each value by itself, over facts that never change.
fn number_function(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "max_over_time" | "min_over_time" | "avg_over_time" | "sum_over_time" => |value| value,
        "count_over_time" | "present_over_time" => |_| 1.0,
        "rate" | "irate" | "increase" | "delta" | "idelta" | "deriv" | "changes" | "resets" => |_| 0.0,
        "abs" => f64::abs,
        "ceil" => f64::ceil,
        "floor" => f64::floor,
        "round" => f64::round,
        "sgn" => |value| if value == 0.0 { 0.0 } else { value.signum() },
        "sqrt" => f64::sqrt,
        "exp" => f64::exp,
        "ln" => f64::ln,
        "log2" => f64::log2,
        "log10" => f64::log10,
        _ => return None,
    })
}

/// `label_join`: the values of some labels, joined, become that of another.
fn label_join(
    series: Vec<Series>,
    target: &str,
    separator: &str,
    sources: &[String],
) -> Result<Value, QueryError> {
    filtered(series, |mut one| {
        let values: Vec<&str> =
            sources.iter().map(|label| one.labels.get(label).map_or("", String::as_str)).collect();
        let value = values.join(separator);
        one.labels.insert(target.to_owned(), value);
        Ok(Some(one))
    })
}

/// `label_replace`, with target, replacement, source and pattern.
fn label_replace(series: Vec<Series>, texts: &[String]) -> Result<Value, QueryError> {
    let [target, replacement, source, pattern] = texts else {
        return Err(QueryError::Argument);
    };
    let matcher =
        regex::Regex::new(&format!("^(?s:{pattern})$")).map_err(|_| QueryError::Pattern(pattern.clone()))?;
    filtered(series, |mut one| {
        let value = one.labels.get(source).cloned().unwrap_or_default();
        if let Some(groups) = matcher.captures(&value) {
            let mut text = String::new();
            groups.expand(replacement, &mut text);
            if text.is_empty() {
                one.labels.remove(target);
            } else {
                one.labels.insert(target.clone(), text);
            }
        }
        Ok(Some(one))
    })
}

#[cfg(test)]
mod tests {
    use fbc_cluster::time::Moment;

    use super::*;

    #[test]
    fn every_function_is_evaluated() {
        for function in &FUNCTIONS {
            let argument = |kind: &Type| match kind {
                Type::Scalar => Expression::Number(1.0),
                Type::Text => Expression::Text("x".to_owned()),
                Type::Vector | Type::Range => super::super::parse("plain").unwrap(),
            };
            let arguments: Vec<Expression> = function.arguments.iter().map(argument).collect();
            let call = Expression::Call { function, arguments };
            let value = super::super::evaluate(&call, &[], Moment::START);
            assert!(value.is_ok(), "{}: {value:?}", function.name);
        }
    }
}
