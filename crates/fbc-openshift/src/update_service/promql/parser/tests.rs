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
        ("-2 ^ 2", "(-(2 ^ 2))"),
        ("+a", "(+a)"),
        ("-+a ^ 2", "(-(+(a ^ 2)))"),
        ("+1", "1"),
        ("vector(pi())", "vector(3.141592653589793)"),
        ("first_over_time(a[5m])", "last_over_time(a[1s])"),
        ("quantile_over_time(0.5, a[5m])", "quantile_over_time(0.5, a[1s])"),
        ("a or b and c unless d", "(a or ((b and c) unless d))"),
        ("a > b + c == d", "((a > (b + c)) == d)"),
        ("a atan2 b % c", "((a atan2 b) % c)"),
        ("a AND ON (x) b", "(a and on (\"x\") b)"),
        ("a * on (x, y,) group_left (z) b", "(a * on (\"x\", \"y\") group_left (\"z\") b)"),
        ("a > bool ignoring (x) group_right b", "(a > bool ignoring (\"x\") group_right () b)"),
        ("1 == bool 2", "(1 == bool 2)"),
        ("1 < bool a", "(1 < bool a)"),
        ("a + on () 1", "(a + 1)"),
        ("sum by (x) (a)", "sum by (\"x\") (a)"),
        ("SUM(a) WITHOUT (x)", "sum without (\"x\") (a)"),
        ("topk(3, a{b=\"c\"})", "topk(3, a{\"b\"=\"c\"})"),
        ("count_values(\"v\", a)", "count_values(\"v\", a)"),
        ("quantile((0.5), a)", "quantile(0.5, a)"),
        ("rate(a[5m])", "rate(a[1s])"),
        ("max_over_time(a[1h:5m])", "max_over_time(a[1s:])"),
        ("max_over_time(sum(a)[1h:])", "max_over_time(sum(a)[1s:])"),
        ("{\"a\", b!~\"c\"}", "{\"__name__\"=\"a\", \"b\"!~\"c\"}"),
        ("{\"a\", __name__=\"b\",}", "{\"__name__\"=\"a\", \"__name__\"=\"b\"}"),
        ("time() - 5", "(time() - 5)"),
        ("round(a)", "round(a, 1)"),
        ("clamp_min(a, 3)", "clamp(a, 3, inf)"),
        ("label_join(a, \"b\", \",\", \"c\", \"d\")", "label_join(a, \"b\", \",\", \"c\", \"d\")"),
        ("label_join(a, \"b\", \",\")", "label_join(a, \"b\", \",\")"),
        // Facts hold at all times.
        ("a offset -5m @ 17", "a"),
        ("a @ start() offset 5m", "a"),
        ("a @ -5m offset +1", "a"),
        ("a offset 0s offset 5m", "a"),
        ("a[5m] offset 1w @ end()", "a[1s]"),
        ("a offset 5m [1h:] offset 5m", "a[1s:]"),
        ("(a)[5m:] @ 1", "a[1s:]"),
        ("a offset -2 ^ 2", "(a ^ 2)"),
        ("-a offset 5m", "(-a)"),
        // Lengths are numbers, and numbers lengths.
        ("a[300] offset 1_000", "a[1s]"),
        ("a > 5m", "(a > 300)"),
        ("a[+5m:0x10]", "a[1s:]"),
        // Words that may be names.
        ("sum", "sum"),
        ("sum + by - offset", "((sum + by) - offset)"),
        ("and and and", "(and and and)"),
        ("offset offset 5m", "offset"),
        ("start{on=\"x\", inf=\"y\"}", "start{\"on\"=\"x\", \"inf\"=\"y\"}"),
        (
            "sum by (on, bool, atan2, and, by, sum, offset, a:b, \"without\") (a)",
            "sum by (\"on\", \"bool\", \"atan2\", \"and\", \"by\", \"sum\", \"offset\", \"a:b\", \"without\") (a)",
        ),
    ] {
        assert_eq!(parse(text).as_ref().map(printed), Ok(expected.to_owned()), "{text}");
    }
}

#[test]
fn what_prometheus_refuses_is_refused() {
    const OFFSET: &str = "offset modifier must be preceded by an instant vector selector or range vector selector or \
        a subquery";
    const MOMENT: &str = "@ modifier must be preceded by an instant vector selector or range vector selector or a \
        subquery";
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
        ("a{,}", "unexpected \",\" in label matching, expected identifier or \"}\""),
        ("a{__name__!=\"b\"}", "metric name must not be set twice: \"a\" or \"b\""),
        ("a{\"b\"}", "metric name must not be set twice: \"a\" or \"b\""),
        ("{}", "vector selector must contain at least one non-empty matcher"),
        ("{a=\"\"}", "vector selector must contain at least one non-empty matcher"),
        ("1 > 2", "comparisons between scalars must use BOOL modifier"),
        ("a + bool b", "bool modifier can only be used on comparison operators"),
        ("a and bool b", "bool modifier can only be used on comparison operators"),
        ("1 and a", "set operator \"and\" not allowed in binary scalar expression"),
        ("a * group_left b", "unexpected <group_left>"),
        ("a and on (x) group_left b", "no grouping allowed for \"and\" operation"),
        ("a + on (x) 1", "vector matching only allowed between instant vectors"),
        ("1 == bool ignoring (x) 1", "vector matching only allowed between instant vectors"),
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
        ("count_values(5, a)", "expected type string in aggregation parameter, got scalar"),
        (
            "limitk(1, a)",
            "limitk() is experimental and must be enabled with --enable-feature=promql-experimental-functions",
        ),
        ("rate(a)", "expected type range vector in call to function \"rate\", got instant vector"),
        ("rate()", "expected 1 argument(s) in call to \"rate\", got 0"),
        ("round()", "expected at least 1 argument(s) in call to \"round\", got 0"),
        ("round(a, 1, 2)", "expected at most 2 argument(s) in call to \"round\", got 3"),
        ("rate(a[5m],)", "trailing commas not allowed in function call args"),
        (
            "label_join(a, \"b\", \",\", 1)",
            "expected type string in call to function \"label_join\", got scalar",
        ),
        ("label_join(a, \"b\")", "expected at least 3 argument(s) in call to \"label_join\", got 2"),
        ("nothing(a)", "unknown function with name \"nothing\""),
        ("mad_over_time(a[5m])", "function \"mad_over_time\" is not enabled"),
        ("a{b=~\"(\"}", "error parsing regexp: missing closing ): `(`"),
        ("a{b!~\"a)|(b\"}", "error parsing regexp: unexpected ): `a)|(b`"),
        ("histogram_quantile(0.9, a)", "the function histogram_quantile is not evaluated here"),
        ("sum(a)[5m]", "ranges only allowed for vector selectors"),
        ("(a)[5m]", "ranges only allowed for vector selectors"),
        ("a offset 5m [5m]", "no offset modifiers allowed before range"),
        ("a @ 5 [5m]", "no @ modifiers allowed before range"),
        ("a[5m][1h:]", "subquery is only allowed on instant vector, got matrix instead"),
        ("1[5m:]", "subquery is only allowed on instant vector, got scalar instead"),
        ("a[0s]", "duration must be greater than 0"),
        ("a[-5m]", "duration must be greater than 0"),
        ("a[1h:0]", "duration must be greater than 0"),
        ("a[5m1h]", "not a valid duration string: \"5m1h\""),
        ("a[1e11]", "duration out of range"),
        (
            "a[b]",
            "unexpected identifier \"b\" in subquery or range selector, expected number, duration, step(), or range()",
        ),
        ("a[5m 5m]", "unexpected duration \"5m\" in subquery or range, expected \":\" or \"]\""),
        ("a[5m:5m:]", "unexpected \":\" in subquery selector, expected \"]\""),
        (
            "a offset b",
            "unexpected identifier \"b\" in offset, expected number, duration, step(), or range()",
        ),
        ("a offset inf", "duration out of range"),
        ("a offset 5m offset 5m", "offset may not be set multiple times"),
        ("a[5m] offset 5m offset 5m", "offset may not be set multiple times"),
        ("1 offset 5m", OFFSET),
        ("sum(a) offset 5m", OFFSET),
        ("(a) offset 5m", OFFSET),
        ("(a[5m]) offset 5m", OFFSET),
        ("a @ b", "unexpected identifier \"b\" in @, expected timestamp"),
        ("a @ inf", "timestamp out of bounds for @ modifier: inf"),
        ("a offset -5m @ 17 @ start()", "@ <timestamp> may not be set multiple times"),
        ("a @ 17 @ 17", "@ <timestamp> may not be set multiple times"),
        ("rate(a[5m]) @ 17", MOMENT),
        ("inf{}", "unexpected \"{\""),
        ("on", "unexpected <on>"),
        ("a + Group_Right", "unexpected <Group_Right>"),
        ("atan2", "unexpected <op:atan2>"),
        ("bool + 1", "unexpected <bool>"),
        ("sum by (inf) (a)", "unexpected number \"inf\" in grouping opts, expected label"),
        ("sum by (without) (a)", "unexpected <without> in grouping opts, expected label"),
        ("sum by (==) (a)", "unexpected <op:==> in grouping opts, expected label"),
        ("sum by (a b) (a)", "unexpected identifier \"b\" in grouping opts, expected \",\" or \")\""),
        ("sum by (\"\") (a)", "invalid label name for grouping: \"\""),
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
        ("a[1s:]".to_owned() + &"[1s:]".repeat(200), false),
        ("a offset ".to_owned() + &"- ".repeat(8000) + "1", false),
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
        "[1h:]",
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
        "ignoring",
        "group_left",
        "group_right",
        "bool",
        "==",
        "^",
        "1",
        "offset",
        "5m",
        "@",
        "rate",
        "round",
        "topk",
        "time",
        "inf",
        "'",
        "#",
        "é",
    ]);
    prop::collection::vec(word, 0..24).prop_map(|words| words.join(" "))
}

/// Expressions that are right more often than random words are.
fn expression() -> impl Strategy<Value = String> {
    let leaf =
        prop::sample::select(vec!["a", "a{b=\"c\"}", "{d!~\"e|f\"}", "by", "-1", "5m", "time()", "(a)"]);
    leaf.prop_map(str::to_owned).prop_recursive(5, 24, 2, |inner| {
        let between = prop::sample::select(vec![
            "+",
            "or on (x)",
            "== bool",
            "> ignoring (x)",
            "^",
            "* on (x) group_left (y)",
            "/ on () group_right",
        ]);
        let around = prop::sample::select(vec![
            "(§)",
            "-§",
            "sum by (x) (§)",
            "topk(2, §)",
            "quantile without () (0.5, §)",
            "max_over_time(§[1h:5m])",
            "rate(§[5m])",
            "§ offset 5m",
            "round(§, 2)",
            "absent(§)",
            "scalar(§)",
            "vector(§)",
            "label_replace(§, 'x', '$1', 'y', '(.*)')",
            "count_values('\\n', §)",
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
