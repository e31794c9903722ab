//! Expressions as text, so that tests see all that they hold.

use crate::update_service::promql::QueryError;
use crate::update_service::promql::expression::{
    Call, Expression, Operation, OverTime, Selector, Summary, Test, Vector, WithScalar,
};
use crate::update_service::promql::operator::Operator;

/// An expression with all its brackets, as PromQL that says the same.
pub(super) fn printed(expression: &Expression) -> String {
    match expression {
        Expression::Scalar(of) => scalar(*of),
        Expression::Text(text) => quoted(text),
        Expression::Vector(of) => vector(of),
        Expression::Range(of) => range(of),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

fn list(texts: &[String]) -> String {
    texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", ")
}

fn scalar(number: f64) -> String {
    if number.is_sign_negative() && !number.is_nan() { format!("({number})") } else { number.to_string() }
}

fn vector(of: &Vector) -> String {
    match of {
        Vector::Selector(of) => selector(of),
        Vector::Negation(of) => format!("(-{})", vector(of)),
        Vector::Plus(of) => format!("(+{})", vector(of)),
        Vector::WithScalar(of) => {
            let WithScalar { operator, vector: series, scalar: number, is_scalar_first } = &**of;
            let word = Operator::Calculation(*operator).text();
            let (series, number) = (vector(series), scalar(*number));
            let (left, right) = if *is_scalar_first { (number, series) } else { (series, number) };
            format!("({left} {word} {right})")
        }
        Vector::Matched(of) => {
            let word = Operator::Calculation(of.operator).text();
            let matching = labels("on", of.matching.as_deref());
            let many = labels("group_left", of.many.as_deref());
            format!("({} {word}{matching}{many} {})", vector(&of.left), vector(&of.right))
        }
        Vector::Set(of) => {
            let word = Operator::Set(of.operator).text();
            let matching = labels("on", of.matching.as_deref());
            format!("({} {word}{matching} {})", vector(&of.left), vector(&of.right))
        }
        Vector::Aggregation(of) => {
            let (name, parameter) = match &of.operation {
                Operation::Summary(Summary::Count) => ("count", String::new()),
                Operation::Summary(Summary::Group) => ("group", String::new()),
                Operation::Summary(Summary::Maximum) => ("max", String::new()),
                Operation::Summary(Summary::Minimum) => ("min", String::new()),
                Operation::Summary(Summary::Sum) => ("sum", String::new()),
                Operation::Top(count) => ("topk", scalar(*count) + ", "),
                Operation::Bottom(count) => ("bottomk", scalar(*count) + ", "),
            };
            let grouping = match of.grouping.as_slice() {
                [] => String::new(),
                names => labels("by", Some(names)) + " ",
            };
            format!("{name}{grouping}({parameter}{})", vector(&of.of))
        }
        Vector::Call(of) => call(of),
    }
}

fn range(of: &Selector) -> String {
    format!("{}[1s]", selector(of))
}

fn selector(Selector { name, matchers }: &Selector) -> String {
    let matchers = matchers.iter().map(|matcher| {
        let sign = match matcher.test {
            Test::Equal(_) => "=",
            Test::NotEqual(_) => "!=",
            Test::Matches(_) => "=~",
            Test::MatchesNot(_) => "!~",
        };
        format!("{}{sign}{}", matcher.label, quoted(matcher.test.value()))
    });
    let matchers = matchers.collect::<Vec<_>>().join(", ");
    let name = name.as_deref().unwrap_or_default();
    if matchers.is_empty() { name.to_owned() } else { format!("{name}{{{matchers}}}") }
}

/// Labels behind a keyword, with a space in front.
fn labels(word: &str, labels: Option<&[String]>) -> String {
    labels.map_or_else(String::new, |labels| format!(" {word} ({})", labels.join(", ")))
}

fn call(call: &Call) -> String {
    match call {
        Call::OverTime(OverTime::Value, of) => format!("max_over_time({})", range(of)),
        Call::OverTime(OverTime::Last, of) => format!("last_over_time({})", range(of)),
        Call::OverTime(OverTime::Present, of) => format!("present_over_time({})", range(of)),
        Call::Absent(of) => format!("absent({})", vector(of)),
        Call::LabelReplace { of, target, replacement, source, pattern } => {
            let pattern = match pattern {
                Ok(pattern) => pattern.text.clone(),
                Err(QueryError::Pattern(text)) => text.clone(),
                Err(other) => panic!("{other}"),
            };
            let texts = [target.clone(), replacement.clone(), source.clone(), pattern];
            format!("label_replace({}, {})", vector(of), list(&texts))
        }
        Call::OfScalar(of) => format!("vector({})", scalar(*of)),
    }
}
