//! Functions.

use std::collections::BTreeSet;

use super::expression::{Call, Matcher, OverTime, Selector, Test, Vector};
use super::syntax_error::{SyntaxError, refuse};
use super::{Evaluation, Labels, NAME, QueryError, Series, mapped, value};

/// What a function takes and does.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form {
    Absent,
    LabelReplace,
    OverTime(OverTime),
    Vector,
}

/// Functions that are evaluated.
const EVALUATED: [(&str, Form); 9] = [
    ("absent", Form::Absent),
    ("avg_over_time", Form::OverTime(OverTime::Value)),
    ("first_over_time", Form::OverTime(OverTime::Last)),
    ("label_replace", Form::LabelReplace),
    ("last_over_time", Form::OverTime(OverTime::Last)),
    ("max_over_time", Form::OverTime(OverTime::Value)),
    ("min_over_time", Form::OverTime(OverTime::Value)),
    ("present_over_time", Form::OverTime(OverTime::Present)),
    ("vector", Form::Vector),
];

/// Functions of Prometheus that are not: no risk of an update is known that asks for them.
pub(super) const NOT_EVALUATED: &[&str] = &[
    "abs",
    "absent_over_time",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "ceil",
    "changes",
    "clamp",
    "clamp_max",
    "clamp_min",
    "cos",
    "cosh",
    "count_over_time",
    "day_of_month",
    "day_of_week",
    "day_of_year",
    "days_in_month",
    "deg",
    "delta",
    "deriv",
    "double_exponential_smoothing",
    "exp",
    "floor",
    "histogram_avg",
    "histogram_count",
    "histogram_fraction",
    "histogram_quantile",
    "histogram_stddev",
    "histogram_stdvar",
    "histogram_sum",
    "hour",
    "idelta",
    "increase",
    "info",
    "irate",
    "label_join",
    "ln",
    "log10",
    "log2",
    "mad_over_time",
    "minute",
    "month",
    "pi",
    "predict_linear",
    "quantile_over_time",
    "rad",
    "rate",
    "resets",
    "round",
    "scalar",
    "sgn",
    "sin",
    "sinh",
    "sort",
    "sort_by_label",
    "sort_by_label_desc",
    "sort_desc",
    "sqrt",
    "stddev_over_time",
    "stdvar_over_time",
    "sum_over_time",
    "tan",
    "tanh",
    "time",
    "timestamp",
    "year",
];

/// What the function with a name takes and does.
pub(super) fn named(name: &str) -> Result<Form, SyntaxError> {
    match EVALUATED.iter().find(|(one, _)| *one == name) {
        Some((_, form)) => Ok(*form),
        None if NOT_EVALUATED.contains(&name) => refuse(format!("the function {name} is not evaluated here")),
        None => refuse(format!("unknown function with name {name:?}")),
    }
}

impl Evaluation<'_> {
    pub(super) fn call(&self, call: &Call) -> Result<Vec<Series>, QueryError> {
        match call {
            Call::OverTime(OverTime::Value, of) => Ok(mapped(self.select(of), |value| value)),
            Call::OverTime(OverTime::Last, of) => Ok(self.select(of)),
            Call::OverTime(OverTime::Present, of) => Ok(mapped(self.select(of), |_| 1.0)),
            Call::Absent(of) => {
                let selector = if let Vector::Selector(selector) = of { Some(selector) } else { None };
                Ok(absent(&self.vector(of)?, selector))
            }
            Call::OfScalar(value) => Ok(vec![Series { labels: Labels::new(), value: *value }]),
            Call::LabelReplace { of, target, replacement, source, pattern } => {
                let pattern = pattern.as_ref().map_err(QueryError::clone)?;
                let template = pattern.template(replacement);
                if target.is_empty() {
                    return Err(QueryError::TargetLabel);
                }
                let mut series = self.vector(of)?;
                for Series { labels, .. } in &mut series {
                    if let Some(groups) = pattern.groups(value(labels, source), &self.steps) {
                        let new = self.made("label_replace()", target, template.pieces(&groups))?;
                        set(labels, target, new);
                    }
                }
                Ok(series)
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
