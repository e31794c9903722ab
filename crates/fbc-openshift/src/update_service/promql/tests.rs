use super::*;
use crate::update_service::facts::Facts;

const TEXT: &str = "a{x=\"1\"} 1\n\
    a{x=\"2\"} 2\n\
    a{x=\"3\"} 4\n\
    b{x=\"1\",y=\"u\"} 10\n\
    b{x=\"1\",y=\"v\"} 20\n\
    b{x=\"2\",y=\"u\"} 30\n\
    one{z=\"w\"} 1.5\n\
    odd{x=\"1\"} NaN\n\
    odd{x=\"2\"} 5\n\
    odd{x=\"3\"} 5\n\
    far{x=\"1\",y=\"\"} -2.5\n\
    far{x=\"1\"} 7\n\
    tie{x=\"1\"} 1\n\
    tie{x=\"2\"} 1\n\
    tie{x=\"3\"} 1\n\
    tie{x=\"4\"} 2\n";

/// The series of a query with their labels.
fn answer(query: &str) -> Result<Vec<String>, QueryError> {
    let Ok(Expression::Vector(vector)) = parse(query) else { panic!("{query}: {:?}", parse(query)) };
    let tenths: String = (0..10).map(|number| format!("tenth{{x=\"{number}\"}} 0.1\n")).collect();
    let facts = Facts::parse(&(TEXT.to_owned() + &tenths)).unwrap();
    let series = evaluate(&vector, &facts.series)?;
    let shown = series.iter().map(|one| {
        let labels: Vec<String> =
            one.labels.iter().map(|(label, value)| format!("{}={value}", label.trim_matches('_'))).collect();
        format!("{} {}", labels.join(","), one.value).trim_start().to_owned()
    });
    Ok(shown.collect())
}

#[test]
fn series_are_those_of_prometheus() {
    for (query, expected) in [
        ("topk(1, odd)", &["name=odd,x=2 5"][..]),
        ("bottomk(2, odd)", &["name=odd,x=3 5", "name=odd,x=2 5"]),
        ("topk(-Inf, a)", &[]),
        ("topk by (x) (1, b)", &["name=b,x=1,y=v 20", "name=b,x=2,y=u 30"]),
        ("min(odd) + max(odd)", &["10"]),
        ("absent(c{d=\"e\",f=~\"g\"})", &["d=e 1"]),
        ("absent(c{d=\"e\",d=\"f\",g=\"h\"})", &["g=h 1"]),
        ("absent(c or c{d=\"e\"})", &["1"]),
        ("absent((c{d=\"e\"}))", &["d=e 1"]),
        ("absent(+c{d=\"e\"})", &["1"]),
        ("+one", &["name=one,z=w 1.5"]),
        ("topk(2, tie)", &["name=tie,x=4 2", "name=tie,x=2 1"]),
        ("first_over_time(one[5m])", &["name=one,z=w 1.5"]),
        ("label_replace(one, \"n\", \"$y-${y}${z\", \"z\", \"(?P<y>.)\")", &["name=one,n=w-w${z,z=w 1.5"]),
        ("last_over_time(one[5m])", &["name=one,z=w 1.5"]),
        ("max_over_time(one[5m])", &["z=w 1.5"]),
        ("label_replace(one, \"n\", \"<$1>\", \"z\", \"(.)\")", &["name=one,n=<w>,z=w 1.5"]),
        ("label_replace(one, \"z\", \"\", \"\", \"\")", &["name=one 1.5"]),
        ("label_replace(one, \"n\", \"m\", \"z\", \"W\")", &["name=one,z=w 1.5"]),
        ("a > 1", &["name=a,x=2 2", "name=a,x=3 4"]),
        ("3 > a", &["name=a,x=1 1", "name=a,x=2 2"]),
        ("5 - a{x=\"1\"}", &["x=1 4"]),
        ("a == on (x) odd", &[]),
        ("a < on (x) odd", &["x=2 2", "x=3 4"]),
        ("b * on (x) group_left a", &["x=1,y=u 10", "x=1,y=v 20", "x=2,y=u 60"]),
        ("b{y=\"u\"} > on (x) group_left (y) a", &["name=b,x=1 10", "name=b,x=2 30"]),
        ("sum by (__name__) (a)", &["name=a 7"]),
        ("sum(a) by (x)", &["x=1 1", "x=2 2", "x=3 4"]),
        ("min(odd) - 1 > 3", &["4"]),
        ("present_over_time(one[5m])", &["z=w 1"]),
        ("vector(10 % 4 - 2 ^ 3 / 4)", &["0"]),
        ("a and on (x) b{y=\"v\"}", &["name=a,x=1 1"]),
        ("a unless b", &["name=a,x=1 1", "name=a,x=2 2", "name=a,x=3 4"]),
        ("one or on (z) a", &["name=one,z=w 1.5", "name=a,x=1 1", "name=a,x=2 2", "name=a,x=3 4"]),
        ("c * on () b", &[]),
    ] {
        let expected = expected.iter().map(|series| (*series).to_owned()).collect();
        assert_eq!(answer(query), Ok(expected), "{query}");
    }
}

#[test]
fn what_prometheus_cannot_do_is_refused() {
    for (query, message) in [
        ("label_replace(a, \"b\", \"\", \"\", \"(\")", "invalid regular expression in label_replace(): ("),
        ("label_replace(a, \"\", \"\", \"\", \"\")", "invalid destination label name in label_replace(): "),
        ("topk(NaN, a)", "Parameter value is NaN"),
        ("bottomk(Inf, a)", "Scalar value +Inf overflows int64"),
        ("a * on () b", "found duplicate series for the match group: many-to-many matching not allowed"),
        (
            "b * on (x) a",
            "multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)",
        ),
        (
            "b{x=\"1\"} * on (x) group_left (y) a",
            "multiple matches for labels: grouping labels must ensure unique matches",
        ),
        ("-{__name__=~\"a|odd\"}", "vector cannot contain metrics with the same labelset"),
        ("label_replace(a, \"x\", \"\", \"\", \"\")", "vector cannot contain metrics with the same labelset"),
        (
            &(0..20).fold("one".to_owned(), |of, _| {
                format!("label_replace({of}, \"z\", \"$0$0\", \"z\", \".*\")")
            }),
            "label_replace() makes the value of a label longer than 16 KiB",
        ),
    ] {
        assert_eq!(answer(query).unwrap_err().to_string(), message, "{query}");
    }
}

#[test]
fn labels_have_a_budget() {
    let many: String = (0..400).map(|number| format!("a{{x=\"{number}\"}} 1\n")).collect();
    let facts = Facts::parse(&format!("{many}b{{z=\"{}\"}} 1\n", "z".repeat(15_000))).unwrap().series;
    let excess = Err("the query makes more than 32 MiB of labels".to_owned());
    for (copies, expected) in [(5, Ok(400)), (6, excess)] {
        let query = (0..copies).fold("a".to_owned(), |of, _| format!("({of} * on () group_left (z) b)"));
        let Ok(Expression::Vector(vector)) = parse(&query) else { panic!("{query}") };
        let answer = evaluate(&vector, &facts);
        assert_eq!(answer.map(|series| series.len()).map_err(|error| error.to_string()), expected);
    }
}

#[test]
fn what_nests_as_deep_as_may_be_fits_on_the_stack() {
    let facts = Facts::parse(TEXT).unwrap().series;
    for (around, depth) in [
        ("absent(§)", 200),
        ("sum by (x) (§)", 100),
        ("topk(1, §)", 200),
        ("label_replace(§, \"n\", \"$1\", \"x\", \"(.)\")", 150),
        ("(§ + a)", 100),
        ("(a or §)", 100),
        ("- + §", 100),
    ] {
        let query = (0..depth).fold("a".to_owned(), |of, _| around.replace('§', &of));
        let Ok(Expression::Vector(vector)) = parse(&query) else { panic!("{:?}", parse(&query)) };
        assert!(evaluate(&vector, &facts).is_ok(), "{around}");
    }
}

/// Every construct that a risk of `openshift/cincinnati-graph-data` has asked for since risks are there, and those that
/// belong to the same family.
#[test]
fn what_risks_ask_for_is_evaluated() {
    for query in [
        "a",
        "a:b:sum{x=\"1\",y!=\"2\",z=~\"3|4\",u!~\"5.*\"}",
        "{x=\"1\"}",
        "a # why",
        "1 - a + 2 * a / 3 % 4 ^ 5",
        "-1 * a",
        "a == 1 or a != 2 or a > 3 or a >= 4 or a < 5 or a <= 6",
        "a and b or a unless b",
        "a and on (x) b or on () a unless on (x, y) b",
        "0 * a * on (x) group_left (y, z) b",
        "a - on () group_left b",
        "group(a) or count(a) or max(a) or min(a) or sum(a)",
        "group by (x, y) (a) or max(a) by (x)",
        "topk(1, a) or bottomk by (x) (1, a)",
        "absent(a)",
        "label_replace(a, \"x\", \"yes, $1\", \"y\", \"(.*)\")",
        "vector(1)",
        "avg_over_time(a[1h]) or max_over_time(a{x=\"1\"}[5m] ) or min_over_time(a[1d])",
        "first_over_time(a[1h]) or last_over_time(a[1h]) or present_over_time(a[1h])",
    ] {
        assert!(matches!(parse(query), Ok(Expression::Vector(_))), "{query}: {:?}", parse(query));
    }
}

#[test]
fn what_no_risk_asks_for_is_refused_by_name() {
    for (query, name) in [
        ("a offset 5m", "offset is"),
        ("a[5m] offset 5m", "offset is"),
        ("a @ 17", "@ is"),
        ("max_over_time(a[1h:5m])", "subqueries are"),
        ("max_over_time(sum(a)[1h:])", "subqueries are"),
        ("a > bool 1", "bool is"),
        ("a atan2 b", "atan2 is"),
        ("a and ignoring (x) b", "ignoring is"),
        ("a * on (x) group_right b", "group_right is"),
        ("sum without (x) (a)", "without is"),
        ("sum(a) without (x)", "without is"),
        ("vector(0755)", "the octal number 0755 is"),
    ] {
        assert_eq!(
            parse(query).expect_err(query).to_string(),
            format!("{name} not evaluated here"),
            "{query}"
        );
    }
    for name in function::NOT_EVALUATED {
        let message = format!("the function {name} is not evaluated here");
        assert_eq!(parse(&format!("{name}(a)")).expect_err(name).to_string(), message);
    }
    for name in parser::AGGREGATIONS_NOT_EVALUATED {
        let message = format!("the aggregation {name} is not evaluated here");
        assert_eq!(parse(&format!("{name}(a)")).expect_err(name).to_string(), message);
    }
}
