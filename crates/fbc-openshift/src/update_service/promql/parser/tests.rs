mod printed;

use proptest::prelude::*;

use self::printed::printed;
use super::*;

#[test]
fn expressions_are_read_as_in_prometheus() {
    for (text, expected) in [
        ("a + b * c", "(a + (b * c))"),
        ("a - b - c", "((a - b) - c)"),
        ("a ^ b ^ c", "(a ^ (b ^ c))"),
        ("-a ^ 2", "(-(a ^ 2))"),
        ("-a * b", "((-a) * b)"),
        ("-1", "(-1)"),
        ("1 + 2 * 3 - 10 / 4", "4.5"),
        ("-2 ^ 2", "(-4)"),
        ("+a", "(+a)"),
        ("-+a ^ 2", "(-(+(a ^ 2)))"),
        ("+1", "1"),
        ("first_over_time(a[5m])", "last_over_time(a[1s])"),
        ("a or b and c unless d", "(a or ((b and c) unless d))"),
        ("a > b + c == d", "((a > (b + c)) == d)"),
        ("a AND ON (x) b", "(a and on (x) b)"),
        ("a * on (x, y,) group_left (z) b", "(a * on (x, y) group_left (z) b)"),
        ("a + on () 1", "(a + 1)"),
        ("sum by (x) (a)", "sum by (x) (a)"),
        ("topk(3, a{b=\"c\"})", "topk(3, a{b=\"c\"})"),
        ("max_over_time(a[300])", "max_over_time(a[1s])"),
        ("a > 5m", "(a > 300)"),
        ("max_over_time(a{b=\"c\"}[1h30m])", "max_over_time(a{b=\"c\"}[1s])"),
        // Words that may be names.
        ("sum", "sum"),
        ("and and and", "(and and and)"),
        ("sum by (on, and, by, sum, offset, a:b) (a)", "sum by (on, and, by, sum, offset, a:b) (a)"),
        ("start{on=\"x\", inf=\"y\"}", "start{on=\"x\", inf=\"y\"}"),
    ] {
        assert_eq!(parse(text).as_ref().map(printed), Ok(expected.to_owned()), "{text}");
    }
}

#[test]
fn what_prometheus_refuses_is_refused() {
    for (text, message) in [
        ("", "no expression found in input"),
        ("a b", "unexpected identifier \"b\""),
        ("a 5m", "unexpected duration \"5m\""),
        ("a by", "unexpected <by>"),
        ("a sum", "unexpected <aggr:sum>"),
        ("a + *", "unexpected <op:*>"),
        ("sum()", "no arguments for aggregate expression provided"),
        ("sum by (a)", "unexpected end of input in aggregation, expected \"(\""),
        ("a{b}", "unexpected \"}\" in label matching, expected label matching operator"),
        ("a{b=c}", "unexpected identifier \"c\" in label matching, expected string"),
        ("a{b=\"c\" d}", "unexpected identifier \"d\" in label matching, expected \",\" or \"}\""),
        ("a{\"b\"}", "unexpected string \"b\" in label matching, expected identifier or \"}\""),
        ("a{,}", "unexpected \",\" in label matching, expected identifier or \"}\""),
        ("a{__name__!=\"b\"}", "metric name must not be set twice: \"a\" or \"b\""),
        ("{}", "vector selector must contain at least one non-empty matcher"),
        ("{a=\"\"}", "vector selector must contain at least one non-empty matcher"),
        ("1 > 2", "comparisons between scalars must use BOOL modifier"),
        ("1 and a", "set operator \"and\" not allowed in binary scalar expression"),
        ("a * group_left b", "unexpected <group_left>"),
        ("a and on (x) group_left b", "no grouping allowed for \"and\" operation"),
        ("a + on (x) 1", "vector matching only allowed between instant vectors"),
        ("a * on (x) group_left (x) b", "label \"x\" must not occur in ON and GROUP clause at once"),
        ("a + \"b\"", "binary expression must contain only scalar and instant vector types"),
        ("\"b\" and a", "binary expression must contain only scalar and instant vector types"),
        ("a[5m] + 1", "binary expression must contain only scalar and instant vector types"),
        (
            "-\"a\"",
            "unary expression only allowed on expressions of type scalar or instant vector, got \"string\"",
        ),
        ("sum(1)", "expected type instant vector in aggregation expression, got scalar"),
        ("sum(a, b)", "wrong number of arguments for aggregate expression provided, expected 1, got 2"),
        ("topk(a, b)", "expected type scalar in aggregation parameter, got instant vector"),
        ("absent()", "expected 1 argument(s) in call to \"absent\", got 0"),
        (
            "max_over_time(a)",
            "expected type range vector in call to function \"max_over_time\", got instant vector",
        ),
        ("vector(1,)", "trailing commas not allowed in function call args"),
        ("Absent(a)", "unknown function with name \"Absent\""),
        ("nothing(a)", "unknown function with name \"nothing\""),
        ("a{b=~\"(\"}", "error parsing regexp: missing closing ): `(`"),
        ("a{b!~\"a)|(b\"}", "error parsing regexp: unexpected ): `a)|(b`"),
        ("sum(a)[5m]", "ranges only allowed for vector selectors"),
        ("(a)[5m]", "ranges only allowed for vector selectors"),
        ("a[0s]", "duration must be greater than 0"),
        ("a[5m1h]", "not a valid duration string: \"5m1h\""),
        ("a[1e11]", "duration out of range"),
        (
            "a[b]",
            "unexpected identifier \"b\" in subquery or range selector, expected number, duration, step(), or range()",
        ),
        ("a[5m 5m]", "unexpected duration \"5m\" in subquery or range, expected \"]\""),
        ("inf{}", "unexpected \"{\""),
        ("on", "unexpected <on>"),
        ("sum by (inf) (a)", "unexpected number \"inf\" in grouping opts, expected label"),
        ("sum by (without) (a)", "unexpected <without> in grouping opts, expected label"),
        ("sum by (==) (a)", "unexpected <op:==> in grouping opts, expected label"),
        ("sum by (a b) (a)", "unexpected identifier \"b\" in grouping opts, expected \",\" or \")\""),
        ("sum (a) by b", "unexpected identifier \"b\" in grouping opts, expected \"(\""),
    ] {
        assert_eq!(parse(text).expect_err(text).to_string(), message, "{text}");
    }
}

#[test]
fn texts_beyond_all_measure_are_refused_before_anything_nests() {
    for (text, is_read) in [
        ("(".repeat(200) + "a" + &")".repeat(200), true),
        ("(".repeat(201) + "a" + &")".repeat(201), false),
        ("-".repeat(200) + "a", true),
        ("-".repeat(201) + "a", false),
        (vec!["a"; 201].join(" ^ "), true),
        (vec!["a"; 202].join(" or "), false),
    ] {
        let excess = Err(SyntaxError::Excess(Excess::Operators));
        assert_eq!(parse(&text).map(|_| ()), if is_read { Ok(()) } else { excess }, "{}", &text[..20]);
    }
    let excess = SyntaxError::Excess(Excess::Bytes);
    assert_eq!(parse(&"a".repeat(MOST_BYTES + 1)).map(|_| ()), Err(excess));
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
        ",",
        "b",
        "=",
        "!~",
        "\"c\"",
        "+",
        "-",
        "or",
        "and",
        "on",
        "group_left",
        "==",
        "^",
        "1",
        "topk",
        "inf",
        "'",
        "#",
        "é",
    ]);
    prop::collection::vec(word, 0..24).prop_map(|words| words.join(" "))
}

/// Expressions that are right more often than random words are.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec!["a", "a{b=\"c\"}", "{d!~\"e|f\"}", "by", "-1", "5m", "(a)"]);
    leaf.prop_map(str::to_owned).prop_recursive(5, 24, 2, |inner| {
        let between = prop::sample::select(vec!["+", "or on (x)", "^", "* on (x) group_left (y)"]);
        let around = prop::sample::select(vec![
            "(§)",
            "-§",
            "sum by (x) (§)",
            "topk(2, §)",
            "last_over_time(§[5m])",
            "absent(§)",
            "vector(§)",
            "label_replace(§, 'x', '$1', 'y', '(.*)')",
        ]);
        prop_oneof![
            (inner.clone(), between, inner.clone())
                .prop_map(|(one, word, other)| format!("{one} {word} {other}")),
            (around, inner).prop_map(|(around, inner)| around.replace('§', &inner)),
        ]
    })
}

proptest! {
    /// No text breaks the parser, and what it reads is the same when it is printed and read again.
    #[test]
    fn any_text_is_read_or_refused(text in prop_oneof![query(), expression()]) {
        if let Ok(expression) = parse(&text) {
            let again = parse(&printed(&expression));
            prop_assert_eq!(format!("{again:?}"), format!("{:?}", Ok::<_, SyntaxError>(expression)));
        }
    }
}
