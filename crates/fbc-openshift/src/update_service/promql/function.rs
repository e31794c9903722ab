//! Functions.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::expression::{Call, Matcher, Pattern, Range, Selector, Test, Vector};
use super::syntax_error::{MOST_BYTES, SyntaxError, refuse};
use super::{Evaluation, Labels, NAME, QueryError, Series, by_value, mapped, value};

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
    Round,
    Scalar,
    Sort { is_descending: bool },
    Time,
    Vector,
}

impl Form {
    /// How many arguments it takes.
    pub(super) fn arguments(self) -> RangeInclusive<usize> {
        match self {
            Self::Time => 0..=0,
            Self::Round => 1..=2,
            Self::ClampMax | Self::ClampMin => 2..=2,
            Self::Clamp => 3..=3,
            Self::LabelJoin => 3..=usize::MAX,
            Self::LabelReplace => 5..=5,
            _ => 1..=1,
        }
    }
}

const fn number(name: &'static str, apply: fn(f64) -> f64) -> NumberFunction {
    NumberFunction { name, apply }
}

/// Functions of a vector.
static EACH: [NumberFunction; 9] = [
    number("abs", f64::abs),
    number("ceil", f64::ceil),
    number("exp", f64::exp),
    number("floor", f64::floor),
    number("ln", f64::ln),
    number("log10", f64::log10),
    number("log2", f64::log2),
    number("sgn", |value| if value == 0.0 { value } else { value.signum() }),
    number("sqrt", f64::sqrt),
];

/// Functions of a range, whose values are the same at all times.
static OVER_TIME: [NumberFunction; 12] = [
    number("avg_over_time", itself),
    number("changes", none),
    number("delta", none),
    number("deriv", none),
    number("idelta", none),
    number("increase", none),
    number("irate", none),
    number("max_over_time", itself),
    number("min_over_time", itself),
    number("present_over_time", |_| 1.0),
    number("rate", none),
    number("resets", none),
];

/// Other functions that are evaluated here.
const OTHERS: [(&str, Form); 14] = [
    ("absent", Form::Absent),
    ("absent_over_time", Form::AbsentOverTime),
    ("clamp", Form::Clamp),
    ("clamp_max", Form::ClampMax),
    ("clamp_min", Form::ClampMin),
    ("label_join", Form::LabelJoin),
    ("label_replace", Form::LabelReplace),
    ("last_over_time", Form::LastOverTime),
    ("round", Form::Round),
    ("scalar", Form::Scalar),
    ("sort", Form::Sort { is_descending: false }),
    ("sort_desc", Form::Sort { is_descending: true }),
    ("time", Form::Time),
    ("vector", Form::Vector),
];

/// Functions of Prometheus that are not. Facts say too little for some: when their values were read, how many values a range
/// has, and which buckets a histogram.
const NOT_EVALUATED: [&str; 55] = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cos",
    "cosh",
    "count_over_time",
    "day_of_month",
    "day_of_week",
    "day_of_year",
    "days_in_month",
    "deg",
    "double_exponential_smoothing",
    "end",
    "first_over_time",
    "histogram_avg",
    "histogram_count",
    "histogram_fraction",
    "histogram_quantile",
    "histogram_quantiles",
    "histogram_stddev",
    "histogram_stdvar",
    "histogram_sum",
    "hour",
    "info",
    "mad_over_time",
    "max_of",
    "min_of",
    "minute",
    "month",
    "pi",
    "predict_linear",
    "quantile_over_time",
    "rad",
    "range",
    "sin",
    "sinh",
    "sort_by_label",
    "sort_by_label_desc",
    "start",
    "start_timestamp",
    "stddev_over_time",
    "stdvar_over_time",
    "step",
    "sum_over_time",
    "tan",
    "tanh",
    "timestamp",
    "ts_of_first_over_time",
    "ts_of_last_over_time",
    "ts_of_max_over_time",
    "ts_of_min_over_time",
    "year",
];

fn itself(value: f64) -> f64 {
    value
}

/// What never changes has no slope.
fn none(_: f64) -> f64 {
    0.0
}

/// What the function with a name takes and does.
pub(super) fn named(name: &str) -> Result<Form, SyntaxError> {
    let number = |functions: &'static [NumberFunction]| functions.iter().find(|one| one.name == name);
    let other = || OTHERS.iter().find(|(one, _)| *one == name).map(|(_, form)| *form);
    match number(&EACH).map(Form::Each).or_else(|| number(&OVER_TIME).map(Form::OverTime)).or_else(other) {
        Some(form) => Ok(form),
        None if NOT_EVALUATED.contains(&name) => refuse(format!("the function {name} is not evaluated here")),
        None => refuse(format!("unknown function with name {name:?}")),
    }
}

impl Evaluation<'_> {
    pub(super) fn call(&self, call: &Call) -> Result<Vec<Series>, QueryError> {
        match call {
            Call::Each(function, of) => Ok(mapped(self.vector(of)?, function.apply)),
            Call::OverTime(function, of) => Ok(mapped(self.range(of)?, function.apply)),
            Call::LastOverTime(of) => self.range(of),
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
                series.sort_by(|one, other| by_value(one, other, *is_descending));
                Ok(series)
            }
            Call::OfScalar(scalar) => Ok(vec![Series { labels: Labels::new(), value: self.scalar(scalar)? }]),
            Call::LabelReplace { of, target, replacement, source, pattern } => {
                let Ok(pattern) = Pattern::new(pattern) else {
                    return Err(QueryError::Pattern(pattern.clone()));
                };
                relabeled(self.vector(of)?, "label_replace", target, |labels| {
                    let groups = pattern.captures(value(labels, source))?;
                    let mut text = String::new();
                    groups.expand(replacement, &mut text);
                    Some(text)
                })
            }
            Call::LabelJoin { of, target, separator, sources } => {
                relabeled(self.vector(of)?, "label_join", target, |labels| {
                    let values = sources.iter().map(|label| value(labels, label));
                    Some(values.collect::<Vec<_>>().join(separator))
                })
            }
        }
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

/// Series with new values of a label, where there is one.
fn relabeled(
    mut series: Vec<Series>,
    function: &'static str,
    target: &str,
    new: impl Fn(&Labels) -> Option<String>,
) -> Result<Vec<Series>, QueryError> {
    if target.is_empty() {
        return Err(QueryError::LabelName { function });
    }
    for one in &mut series {
        let Some(value) = new(&one.labels) else { continue };
        // Values within values could double at every step.
        if value.len() > MOST_BYTES {
            return Err(QueryError::LabelValue { function });
        }
        set(&mut one.labels, target, value);
    }
    Ok(series)
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
