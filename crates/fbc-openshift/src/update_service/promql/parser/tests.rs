use proptest::prelude::*;

use super::*;

/// An expression with all its brackets.
fn bracketed(expression: &Expression) -> String {
    match expression {
        Expression::Number(number) => number.to_string(),
        Expression::Text(text) => format!("{text:?}"),
        Expression::Selector { selector, is_range } => {
            let name = selector.name.clone().unwrap_or_default();
            let labels: Vec<&str> = selector.matchers.iter().map(|matcher| matcher.label.as_str()).collect();
            let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
            format!("{name}{labels}{}", if *is_range { "[]" } else { "" })
        }
        Expression::Subquery(of) => format!("{}[:]", bracketed(of)),
        Expression::Negation(of) => format!("(-{})", bracketed(of)),
        Expression::Binary(binary) => {
            let many = binary.many.as_ref().map_or("", |many| if many.is_right { "right " } else { "left " });
            format!("({} {} {many}{})", bracketed(&binary.left), binary.operator, bracketed(&binary.right))
        }
        Expression::Aggregation(aggregation) => {
            let grouping = match &aggregation.grouping {
                None => String::new(),
                Some(Labels::Only(labels)) => format!(" by {labels:?}"),
                Some(Labels::Without(labels)) => format!(" without {labels:?}"),
            };
            let parameter = aggregation
                .parameter
                .as_ref()
                .map_or_else(String::new, |one| format!("{}, ", bracketed(one)));
            format!("{}({parameter}{}){grouping}", aggregation.operation, bracketed(&aggregation.of))
        }
        Expression::Call { function, arguments } => {
            let arguments: Vec<String> = arguments.iter().map(bracketed).collect();
            format!("{}({})", function.name, arguments.join(", "))
        }
    }
}

#[test]
fn operators_bind_as_in_prometheus() {
    for (text, expected) in [
        ("a + b * c", "(a + (b * c))"),
        ("a - b - c", "((a - b) - c)"),
        ("a ^ b ^ c", "(a ^ (b ^ c))"),
        ("-a ^ 2", "(-(a ^ 2))"),
        ("-a * b", "((-a) * b)"),
        ("+a", "a"),
        ("a or b and c unless d", "(a or ((b and c) unless d))"),
        ("a > b + c == d", "((a > (b + c)) == d)"),
        ("a atan2 b % c", "((a atan2 b) % c)"),
        ("a AND ON (x) b", "(a and b)"),
        ("a * on (x, y,) group_left (z) b", "(a * left b)"),
        ("a * ignoring (x) group_right b", "(a * right b)"),
        ("1 == bool 2", "(1 == 2)"),
        ("sum by (x) (a)", "sum(a) by [\"x\"]"),
        ("SUM(a) WITHOUT (x)", "sum(a) without [\"x\"]"),
        ("topk(3, a{b=\"c\"})", "topk(3, a{b})"),
        ("count_values(\"v\", a)", "count_values(\"v\", a)"),
        ("sum", "sum"),
        ("rate(a[5m])", "rate(a[])"),
        ("max_over_time(a[1h:5m])", "max_over_time(a[:])"),
        ("max_over_time(sum(a)[1h:])", "max_over_time(sum(a)[:])"),
        ("a offset -5m @ 17 @ start()", "a"),
        ("{\"a\", b!~\"c\"}", "a{b}"),
        ("{__name__=\"a\"}", "a"),
        ("time() - 5", "(time() - 5)"),
        (
            "label_join(a, \"b\", \",\", \"c\", \"d\", \"e\", \"f\")",
            "label_join(a, \"b\", \",\", \"c\", \"d\", \"e\", \"f\")",
        ),
    ] {
        assert_eq!(parse(text).as_ref().map(bracketed), Ok(expected.to_owned()), "{text}");
    }
}

#[test]
fn what_prometheus_refuses_is_refused() {
    for (text, part) in [
        ("", "no expression found"),
        ("a b", "unexpected \"b\""),
        ("sum(", "unexpected end of input"),
        ("(a", "expected \")\""),
        ("a{b}", "expected label matching operator"),
        ("a{b=c}", "expected string"),
        ("a{b=~\"(\"}", "regex parse error"),
        ("a{__name__=\"b\"}", "must not be set twice"),
        ("{}", "at least one non-empty matcher"),
        ("{a=\"\"}", "at least one non-empty matcher"),
        ("1 > 2", "must use BOOL"),
        ("a + bool b", "only be used on comparison"),
        ("1 and a", "not allowed in binary scalar expression"),
        ("a * group_left b", "on or ignoring"),
        ("a and on (x) group_left b", "no grouping allowed"),
        ("a + \"b\"", "only scalar and instant vector"),
        ("a[5m] + 1", "only scalar and instant vector"),
        ("-\"a\"", "unary expression only allowed"),
        ("sum(1)", "expected type instant vector in aggregation expression, got scalar"),
        ("sum(a, b)", "expected 1, got 2"),
        ("topk(a, b)", "expected type scalar"),
        ("rate(a)", "expected type range vector in call to function \"rate\", got instant vector"),
        ("rate()", "expected 1 argument(s)"),
        ("nothing(a)", "the function nothing is not known here"),
        ("sum(a)[5m]", "ranges only allowed for vector selectors"),
        ("a[5m][1h:]", "subquery is only allowed on instant vector"),
        ("1[5m:]", "subquery is only allowed on instant vector"),
        ("a offset b", "expected duration"),
        ("a @ b", "expected timestamp"),
    ] {
        let told = parse(text).expect_err(text).to_string();
        assert!(told.contains(part), "{text}: {told}");
    }
    assert!(parse(&"(".repeat(1000)).unwrap_err().0.contains("nested too deeply"));
}

fn query() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "a",
        "sum",
        "by",
        "(",
        ")",
        "{",
        "}",
        "[5m]",
        "[1h:]",
        ",",
        "b",
        "=",
        "\"c\"",
        "+",
        "-",
        "or",
        "and",
        "on",
        "group_left",
        "bool",
        "==",
        "^",
        "1",
        "offset",
        "5m",
        "@",
        "rate",
        "topk",
        "time",
        "inf",
        "'",
        "#",
        "é",
    ]);
    prop::collection::vec(word, 0..24).prop_map(|words| words.join(" "))
}

proptest! {
    /// No text breaks the parser.
    #[test]
    fn any_text_is_read_or_refused(text in query()) {
        if let Ok(expression) = parse(&text) {
            let _ = expression.kind();
            prop_assert!(!bracketed(&expression).is_empty());
        }
    }
}
