//! Expressions as text, so that tests see all that they hold.

use crate::update_service::promql::QueryError;
use crate::update_service::promql::expression::{
    Call, Expression, Grouping, Many, Operation, Range, Scalar, Selector, Summary, Test, Vector, WithScalar,
};
use crate::update_service::promql::operator::Operator;

/// An expression with all its brackets, as PromQL that says the same.
pub(super) fn printed(expression: &Expression) -> String {
    match expression {
        Expression::Scalar(of) => scalar(of),
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

fn scalar(of: &Scalar) -> String {
    match of {
        Scalar::Number(number) if number.is_sign_negative() && !number.is_nan() => format!("({number})"),
        Scalar::Number(number) => number.to_string(),
        Scalar::Time => "time()".to_owned(),
        Scalar::Only(of) => format!("scalar({})", vector(of)),
        Scalar::Negation(of) => format!("(-{})", scalar(of)),
        Scalar::Calculation { operator, sides: of } => {
            let word = Operator::Calculation(*operator).text();
            let bool = if operator.is_comparison() { " bool" } else { "" };
            format!("({} {word}{bool} {})", scalar(&of.0), scalar(&of.1))
        }
    }
}

fn vector(of: &Vector) -> String {
    match of {
        Vector::Selector(of) => selector(of),
        Vector::Negation(of) => format!("(-{})", vector(of)),
        Vector::Plus(of) => format!("(+{})", vector(of)),
        Vector::WithScalar(of) => {
            let WithScalar { operator, vector: series, scalar: number, is_scalar_first, returns_bool } =
                &**of;
            let word = Operator::Calculation(*operator).text();
            let bool = if *returns_bool { " bool" } else { "" };
            let (series, number) = (vector(series), scalar(number));
            let (left, right) = if *is_scalar_first { (number, series) } else { (series, number) };
            format!("({left} {word}{bool} {right})")
        }
        Vector::Matched(of) => {
            let word = Operator::Calculation(of.operator).text();
            let bool = if of.returns_bool { " bool" } else { "" };
            let matching = grouping(of.matching.as_ref(), "on", "ignoring");
            let many = match &of.many {
                Some(Many { is_right: false, labels }) => format!(" group_left ({})", list(labels)),
                Some(Many { is_right: true, labels }) => format!(" group_right ({})", list(labels)),
                None => String::new(),
            };
            format!("({} {word}{bool}{matching}{many} {})", vector(&of.left), vector(&of.right))
        }
        Vector::Set(of) => {
            let word = Operator::Set(of.operator).text();
            let matching = grouping(of.matching.as_ref(), "on", "ignoring");
            format!("({} {word}{matching} {})", vector(&of.left), vector(&of.right))
        }
        Vector::Aggregation(of) => {
            let (name, parameter) = match &of.operation {
                Operation::Summary(Summary::Average) => ("avg", String::new()),
                Operation::Summary(Summary::Count) => ("count", String::new()),
                Operation::Summary(Summary::Group) => ("group", String::new()),
                Operation::Summary(Summary::Maximum) => ("max", String::new()),
                Operation::Summary(Summary::Minimum) => ("min", String::new()),
                Operation::Summary(Summary::StandardDeviation) => ("stddev", String::new()),
                Operation::Summary(Summary::Sum) => ("sum", String::new()),
                Operation::Summary(Summary::Variance) => ("stdvar", String::new()),
                Operation::Quantile(which) => ("quantile", scalar(which) + ", "),
                Operation::CountValues(label) => ("count_values", quoted(label) + ", "),
                Operation::Top(count) => ("topk", scalar(count) + ", "),
                Operation::Bottom(count) => ("bottomk", scalar(count) + ", "),
            };
            let grouping = grouping(of.grouping.as_ref(), "by", "without");
            let space = if grouping.is_empty() { "" } else { " " };
            format!("{name}{grouping}{space}({parameter}{})", vector(&of.of))
        }
        Vector::Call(of) => call(of),
    }
}

fn range(of: &Range) -> String {
    match of {
        Range::Selector(of) => format!("{}[1s]", selector(of)),
        Range::Subquery(of) => format!("{}[1s:]", vector(of)),
    }
}

fn selector(Selector { name, matchers }: &Selector) -> String {
    let matchers = matchers.iter().map(|matcher| {
        let sign = match matcher.test {
            Test::Equal(_) => "=",
            Test::NotEqual(_) => "!=",
            Test::Matches(_) => "=~",
            Test::MatchesNot(_) => "!~",
        };
        format!("{}{sign}{}", quoted(&matcher.label), quoted(matcher.test.value()))
    });
    let matchers = matchers.collect::<Vec<_>>().join(", ");
    let name = name.as_deref().unwrap_or_default();
    if matchers.is_empty() { name.to_owned() } else { format!("{name}{{{matchers}}}") }
}

fn grouping(grouping: Option<&Grouping>, only: &str, without: &str) -> String {
    match grouping {
        None => String::new(),
        Some(Grouping::Only(labels)) => format!(" {only} ({})", list(labels)),
        Some(Grouping::Without(labels)) => format!(" {without} ({})", list(labels)),
    }
}

fn call(call: &Call) -> String {
    match call {
        Call::Each(function, of) => format!("{}({})", function.name, vector(of)),
        Call::OverTime(function, of) => format!("{}({})", function.name, range(of)),
        Call::LastOverTime(of) => format!("last_over_time({})", range(of)),
        Call::QuantileOverTime(which, of) => {
            format!("quantile_over_time({}, {})", scalar(which), range(of))
        }
        Call::Absent(of) => format!("absent({})", vector(of)),
        Call::AbsentOverTime(of) => format!("absent_over_time({})", range(of)),
        Call::Clamp { of, least, most } => {
            format!("clamp({}, {}, {})", vector(of), scalar(least), scalar(most))
        }
        Call::LabelJoin { of, target, separator, sources } => {
            let sources: String = sources.iter().map(|source| format!(", {}", quoted(source))).collect();
            format!("label_join({}, {}, {}{sources})", vector(of), quoted(target), quoted(separator))
        }
        Call::LabelReplace { of, target, replacement, source, pattern } => {
            let pattern = match pattern {
                Ok(pattern) => pattern.text.clone(),
                Err(QueryError::Pattern(text)) => text.clone(),
                Err(other) => panic!("{other}"),
            };
            let texts = [target.clone(), replacement.clone(), source.clone(), pattern];
            format!("label_replace({}, {})", vector(of), list(&texts))
        }
        Call::OfScalar(of) => format!("vector({})", scalar(of)),
        Call::Round { of, to } => format!("round({}, {})", vector(of), scalar(to)),
        Call::Sort { of, is_descending: false } => format!("sort({})", vector(of)),
        Call::Sort { of, is_descending: true } => format!("sort_desc({})", vector(of)),
    }
}
