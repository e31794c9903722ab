//! Functions.

use std::collections::BTreeSet;
use std::f64::consts::PI;
use std::iter;

use super::expression::{Call, Matcher, Range, Selector, Test, Vector};
use super::extremes::sort_by_value;
use super::statistics::{difference, quantile};
use super::syntax_error::{SyntaxError, refuse};
use super::{Evaluation, Labels, NAME, QueryError, Series, mapped, value};

/// What becomes of each value by itself.
#[derive(Debug)]
pub(in super::super) struct NumberFunction {
    pub(super) name: &'static str,
    pub(super) apply: fn(f64) -> f64,
}

/// What a function takes and does.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form {
    Absent,
    AbsentOverTime,
    Clamp,
    ClampMax,
    ClampMin,
    Each(&'static NumberFunction),
    LabelJoin,
    LabelReplace,
    LastOverTime,
    OverTime(&'static NumberFunction),
    Pi,
    QuantileOverTime,
    Round,
    Scalar,
    Sort { is_descending: bool },
    Time,
    Vector,
}

const fn number(name: &'static str, apply: fn(f64) -> f64) -> NumberFunction {
    NumberFunction { name, apply }
}

/// Functions of a vector.
static EACH: [NumberFunction; 23] = [
    number("abs", f64::abs),
    number("acos", f64::acos),
    number("acosh", f64::acosh),
    number("asin", f64::asin),
    number("asinh", f64::asinh),
    number("atan", f64::atan),
    number("atanh", f64::atanh),
    number("ceil", f64::ceil),
    number("cos", f64::cos),
    number("cosh", f64::cosh),
    number("deg", |value| value * 180.0 / PI),
    number("exp", f64::exp),
    number("floor", f64::floor),
    number("ln", f64::ln),
    number("log10", f64::log10),
    number("log2", f64::log2),
    number("rad", |value| value * PI / 180.0),
    number("sgn", |value| if value == 0.0 { value } else { value.signum() }),
    number("sin", f64::sin),
    number("sinh", f64::sinh),
    number("sqrt", f64::sqrt),
    number("tan", f64::tan),
    number("tanh", f64::tanh),
];

/// Functions of a range, whose values are the same at all times.
static OVER_TIME: [NumberFunction; 14] = [
    number("avg_over_time", |value| value),
    number("changes", |_| 0.0),
    number("delta", difference),
    number("deriv", difference),
    number("idelta", difference),
    number("increase", difference),
    number("irate", difference),
    number("max_over_time", |value| value),
    number("min_over_time", |value| value),
    number("present_over_time", |_| 1.0),
    number("rate", difference),
    number("resets", |_| 0.0),
    number("stddev_over_time", difference),
    number("stdvar_over_time", difference),
];

/// Other functions that are evaluated here.
const OTHERS: [(&str, Form); 17] = [
    ("absent", Form::Absent),
    ("absent_over_time", Form::AbsentOverTime),
    ("clamp", Form::Clamp),
    ("clamp_max", Form::ClampMax),
    ("clamp_min", Form::ClampMin),
    ("first_over_time", Form::LastOverTime),
    ("label_join", Form::LabelJoin),
    ("label_replace", Form::LabelReplace),
    ("last_over_time", Form::LastOverTime),
    ("pi", Form::Pi),
    ("quantile_over_time", Form::QuantileOverTime),
    ("round", Form::Round),
    ("scalar", Form::Scalar),
    ("sort", Form::Sort { is_descending: false }),
    ("sort_desc", Form::Sort { is_descending: true }),
    ("time", Form::Time),
    ("vector", Form::Vector),
];

/// Functions of Prometheus that are not. Facts say too little for some: when their values were read, how many values a range
/// has, and which buckets a histogram. The others calculate with time; no risk of an update is known that asks them.
const NOT_EVALUATED: [&str; 19] = [
    "count_over_time",
    "day_of_month",
    "day_of_week",
    "day_of_year",
    "days_in_month",
    "histogram_avg",
    "histogram_count",
    "histogram_fraction",
    "histogram_quantile",
    "histogram_stddev",
    "histogram_stdvar",
    "histogram_sum",
    "hour",
    "minute",
    "month",
    "predict_linear",
    "sum_over_time",
    "timestamp",
    "year",
];

/// Functions that must be enabled first, as OpenShift does not.
const EXPERIMENTAL: [&str; 17] = [
    "double_exponential_smoothing",
    "end",
    "histogram_quantiles",
    "info",
    "mad_over_time",
    "max_of",
    "min_of",
    "range",
    "sort_by_label",
    "sort_by_label_desc",
    "start",
    "start_timestamp",
    "step",
    "ts_of_first_over_time",
    "ts_of_last_over_time",
    "ts_of_max_over_time",
    "ts_of_min_over_time",
];

/// What the function with a name takes and does.
pub(super) fn named(name: &str) -> Result<Form, SyntaxError> {
    let number = |functions: &'static [NumberFunction]| functions.iter().find(|one| one.name == name);
    let other = || OTHERS.iter().find(|(one, _)| *one == name).map(|(_, form)| *form);
    match number(&EACH).map(Form::Each).or_else(|| number(&OVER_TIME).map(Form::OverTime)).or_else(other) {
        Some(form) => Ok(form),
        None if NOT_EVALUATED.contains(&name) => refuse(format!("the function {name} is not evaluated here")),
        None if EXPERIMENTAL.contains(&name) => refuse(format!("function {name:?} is not enabled")),
        None => refuse(format!("unknown function with name {name:?}")),
    }
}

impl Evaluation<'_> {
    pub(super) fn call(&self, call: &Call) -> Result<Vec<Series>, QueryError> {
        match call {
            Call::Each(function, of) => Ok(mapped(self.vector(of)?, function.apply)),
            Call::OverTime(function, of) => Ok(mapped(self.range(of)?, function.apply)),
            Call::LastOverTime(of) => self.range(of),
            Call::QuantileOverTime(which, of) => {
                let which = self.scalar(which)?;
                Ok(mapped(self.range(of)?, |value| quantile(which, vec![value])))
            }
            Call::Absent(of) => {
                let selector = if let Vector::Selector(selector) = of { Some(selector) } else { None };
                Ok(absent(&self.vector(of)?, selector))
            }
            Call::AbsentOverTime(of) => {
                let selector = if let Range::Selector(selector) = of { Some(selector) } else { None };
                Ok(absent(&self.range(of)?, selector))
            }
            Call::Clamp { of, least, most } => {
                let (series, least, most) = (self.vector(of)?, self.scalar(least)?, self.scalar(most)?);
                if most < least {
                    return Ok(Vec::new());
                }
                // Nothing is between limits that are not a number.
                let has_limits = !least.is_nan() && !most.is_nan();
                let clamped = |value: f64| match has_limits && !value.is_nan() {
                    true => value.min(most).max(least),
                    false => f64::NAN,
                };
                Ok(mapped(series, clamped))
            }
            Call::Round { of, to } => {
                // Prometheus divides by the inverse, which other products differ from in their last digits.
                let inverse = 1.0 / self.scalar(to)?;
                Ok(mapped(self.vector(of)?, |value| (value * inverse + 0.5).floor() / inverse))
            }
            Call::Sort { of, is_descending } => {
                let mut series = self.vector(of)?;
                sort_by_value(&mut series, *is_descending);
                Ok(series)
            }
            Call::OfScalar(scalar) => Ok(vec![Series { labels: Labels::new(), value: self.scalar(scalar)? }]),
            Call::LabelReplace { of, target, replacement, source, pattern } => {
                let pattern = pattern.as_ref().map_err(QueryError::clone)?;
                let template = pattern.template(replacement);
                self.relabeled(of, "label_replace", target, |labels| {
                    let groups = pattern.groups(value(labels, source), &self.steps)?;
                    Some(self.made("label_replace()", target, template.pieces(&groups)))
                })
            }
            Call::LabelJoin { of, target, separator, sources } => {
                if sources.iter().any(String::is_empty) {
                    return Err(QueryError::SourceLabel);
                }
                self.relabeled(of, "label_join", target, |labels| {
                    let between = iter::once("").chain(iter::repeat(separator.as_str()));
                    let values = sources.iter().map(|label| value(labels, label));
                    let pieces = between.zip(values).flat_map(|(between, value)| [between, value]);
                    Some(self.made("label_join()", target, pieces))
                })
            }
        }
    }

    /// Series with new values of a label, where there is one.
    fn relabeled(
        &self,
        of: &Vector,
        function: &'static str,
        target: &str,
        new: impl Fn(&Labels) -> Option<Result<String, QueryError>>,
    ) -> Result<Vec<Series>, QueryError> {
        if target.is_empty() {
            return Err(QueryError::TargetLabel { function });
        }
        let mut series = self.vector(of)?;
        for one in &mut series {
            if let Some(value) = new(&one.labels) {
                set(&mut one.labels, target, value?);
            }
        }
        Ok(series)
    }
}

/// `absent`: a series with the labels that a selector asks for, if there is none.
fn absent(found: &[Series], selector: Option<&Selector>) -> Vec<Series> {
    if !found.is_empty() {
        return Vec::new();
    }
    let mut labels = Labels::new();
    let mut seen = BTreeSet::new();
    let matchers = selector.map_or(&[][..], |selector| selector.matchers.as_slice());
    for Matcher { label, test } in matchers.iter().filter(|matcher| matcher.label != NAME) {
        match test {
            Test::Equal(value) if seen.insert(label) => set(&mut labels, label, value.clone()),
            // What is asked for in two ways has no value.
            _ => set(&mut labels, label, String::new()),
        }
    }
    vec![Series { labels, value: 1.0 }]
}

/// Gives a label a value. A label without one does not exist.
pub(super) fn set(labels: &mut Labels, label: &str, value: String) {
    if value.is_empty() {
        labels.remove(label);
    } else {
        labels.insert(label.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_evaluated_or_not() {
        for name in NOT_EVALUATED {
            assert_eq!(
                named(name).unwrap_err().to_string(),
                format!("the function {name} is not evaluated here")
            );
        }
        assert_eq!(named("Rate").unwrap_err().to_string(), "unknown function with name \"Rate\"");
    }
}
