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
    let series = evaluate(&vector, &facts.series, Moment::START)?;
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
        ("round(one)", &["z=w 2"][..]),
        ("round(far)", &["x=1 -2"]),
        ("round(one, 0.5)", &["z=w 1.5"]),
        ("round(b{y=\"v\"}, 15)", &["x=1,y=v 15"]),
        ("clamp(a, 2, 3)", &["x=1 2", "x=2 2", "x=3 3"]),
        ("clamp(a, 3, 2)", &[]),
        ("clamp(one, NaN, 2)", &["z=w NaN"]),
        ("clamp_max(odd, 3)", &["x=1 NaN", "x=2 3", "x=3 3"]),
        ("clamp_min(a, 2)", &["x=1 2", "x=2 2", "x=3 4"]),
        ("quantile(0.5, a)", &["2"]),
        ("quantile(0.25, a)", &["1.5"]),
        ("quantile(1, a)", &["4"]),
        ("quantile(0.5, odd)", &["5"]),
        ("quantile(0, odd)", &["NaN"]),
        ("quantile(2, a)", &["inf"]),
        ("quantile(-1, a)", &["-inf"]),
        ("quantile(NaN, a)", &["NaN"]),
        ("quantile by (x) (0.5, b)", &["x=1 15", "x=2 30"]),
        ("count_values(\"v\", odd)", &["v=5 2", "v=NaN 1"]),
        ("count_values(\"v\", one / 0)", &["v=+Inf 1"]),
        ("count_values by (x) (\"v\", far)", &["v=-2.5,x=1 1"]),
        ("count_values without (y) (\"x\", b{x=\"1\"})", &["x=10 1", "x=20 1"]),
        ("count_values without (v, x) (\"v\", odd)", &["3"]),
        ("topk(1, odd)", &["name=odd,x=2 5"]),
        ("bottomk(2, odd)", &["name=odd,x=3 5", "name=odd,x=2 5"]),
        ("topk(-Inf, a)", &[]),
        ("topk by (x) (1, b)", &["name=b,x=1,y=v 20", "name=b,x=2,y=u 30"]),
        ("min(odd) + max(odd)", &["10"]),
        ("stddev(a * 0)", &["0"]),
        ("sort_desc(odd)", &["name=odd,x=2 5", "name=odd,x=3 5", "name=odd,x=1 NaN"]),
        ("sgn(far)", &["x=1 -1"]),
        ("absent(c{d=\"e\",f=~\"g\"})", &["d=e 1"]),
        ("absent(c{d=\"e\",d=\"f\",g=\"h\"})", &["g=h 1"]),
        ("absent(c or c{d=\"e\"})", &["1"]),
        ("absent((c{d=\"e\"}))", &["d=e 1"]),
        ("absent(+c{d=\"e\"})", &["1"]),
        ("+one", &["name=one,z=w 1.5"]),
        ("sum(tenth) == bool 1", &["1"]),
        ("avg(tenth) == bool 0.1", &["1"]),
        ("stddev(tenth) == bool 0", &["1"]),
        ("topk(2, tie)", &["name=tie,x=4 2", "name=tie,x=2 1"]),
        ("first_over_time(one[5m])", &["name=one,z=w 1.5"]),
        ("quantile_over_time(0.3, one[5m])", &["z=w 1.5"]),
        ("quantile_over_time(2, one[5m])", &["z=w inf"]),
        ("stddev_over_time(one[5m])", &["z=w 0"]),
        ("rate(odd{x=\"1\"}[5m])", &["x=1 NaN"]),
        ("floor(deg(one - 1.5 + pi()))", &["z=w 180"]),
        ("label_replace(one, \"n\", \"$y-${y}${z\", \"z\", \"(?P<y>.)\")", &["name=one,n=w-w${z,z=w 1.5"]),
        ("absent_over_time(c{d=\"e\"}[5m])", &["d=e 1"]),
        ("last_over_time(one[5m])", &["name=one,z=w 1.5"]),
        ("max_over_time(one[5m])", &["z=w 1.5"]),
        ("rate(one[5m])", &["z=w 0"]),
        ("vector(5m)", &["300"]),
        ("vector(1_000 - 2 ^ 3)", &["992"]),
        ("vector(scalar(a))", &["NaN"]),
        ("label_replace(one, \"n\", \"<$1>\", \"z\", \"(.)\")", &["name=one,n=<w>,z=w 1.5"]),
        ("label_replace(one, \"z\", \"\", \"\", \"\")", &["name=one 1.5"]),
        ("label_replace(one, \"n\", \"m\", \"z\", \"W\")", &["name=one,z=w 1.5"]),
        ("label_join(one, \"n\", \"-\", \"z\", \"z\")", &["name=one,n=w-w,z=w 1.5"]),
        ("label_join(one, \"z\", \"-\", \"n\")", &["name=one 1.5"]),
        ("a > 1", &["name=a,x=2 2", "name=a,x=3 4"]),
        ("3 > a", &["name=a,x=1 1", "name=a,x=2 2"]),
        ("a > bool 1", &["x=1 0", "x=2 1", "x=3 1"]),
        ("5 - a{x=\"1\"}", &["x=1 4"]),
        ("a == on (x) odd", &[]),
        ("a < on (x) odd", &["x=2 2", "x=3 4"]),
        ("a < ignoring (y) odd", &["name=a,x=2 2", "name=a,x=3 4"]),
        ("b * on (x) group_left a", &["x=1,y=u 10", "x=1,y=v 20", "x=2,y=u 60"]),
        ("a - on (x) group_right b", &["x=1,y=u -9", "x=1,y=v -19", "x=2,y=u -28"]),
        ("b{y=\"u\"} > on (x) group_left (y) a", &["name=b,x=1 10", "name=b,x=2 30"]),
        ("sum by (__name__) (a)", &["name=a 7"]),
        ("a and on (x) b{y=\"v\"}", &["name=a,x=1 1"]),
        ("a unless b", &["name=a,x=1 1", "name=a,x=2 2", "name=a,x=3 4"]),
        ("one or on (z) a", &["name=one,z=w 1.5", "name=a,x=1 1", "name=a,x=2 2", "name=a,x=3 4"]),
        ("{\"one\"} offset 5m", &["name=one,z=w 1.5"]),
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
        ("label_join(a, \"\", \"\")", "invalid destination label name in label_join(): "),
        ("count_values(\"\", a)", "invalid label name \"\""),
        ("label_join(a, \"b\", \"-\", \"\")", "invalid source label name in label_join(): "),
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
        ("abs({__name__=~\"a|odd\"})", "vector cannot contain metrics with the same labelset"),
        ("label_replace(a, \"x\", \"\", \"\", \"\")", "vector cannot contain metrics with the same labelset"),
        (
            &(0..20).fold("one".to_owned(), |of, _| format!("label_join({of}, \"z\", \"\", \"z\", \"z\")")),
            "label_join() makes the value of a label longer than 16 KiB",
        ),
    ] {
        assert_eq!(answer(query).unwrap_err().to_string(), message, "{query}");
    }
}

#[test]
fn labels_have_a_budget() {
    let doubled = (0..14).fold("label_join(a, \"z\", \"\", \"x\")".to_owned(), |of, _| {
        format!("label_join({of}, \"z\", \"\", \"z\", \"z\")")
    });
    let copied =
        (0..90).fold(doubled.clone(), |of, number| format!("label_join({of}, \"a{number}\", \"\", \"z\")"));
    let facts: String = (0..400).map(|number| format!("a{{x=\"a\",y=\"{number}\"}} 1\n")).collect();
    let facts = Facts::parse(&facts).unwrap().series;
    for (query, expected) in
        [(doubled, Ok(400)), (copied, Err("the query makes more than 32 MiB of labels".to_owned()))]
    {
        let Ok(Expression::Vector(vector)) = parse(&query) else { panic!("{query}") };
        let answer = evaluate(&vector, &facts, Moment::START);
        assert_eq!(answer.map(|series| series.len()).map_err(|error| error.to_string()), expected);
    }
}

#[test]
fn what_nests_as_deep_as_may_be_fits_on_the_stack() {
    let facts = Facts::parse(TEXT).unwrap().series;
    for (around, depth) in [
        ("abs(§)", 200),
        ("sum by (x) (§)", 100),
        ("topk(1, §)", 200),
        ("label_join(§, \"n\", \"\", \"x\")", 200),
        ("label_replace(§, \"n\", \"$1\", \"x\", \"(.)\")", 150),
        ("max_over_time(§[1h:])", 100),
        ("vector(scalar(§))", 100),
        ("(§ + a)", 100),
        ("(a or §)", 100),
        ("clamp(§, 0, 1)", 200),
        ("quantile_over_time(0.5, §[1h:])", 100),
        ("- + §", 100),
    ] {
        let query = (0..depth).fold("a".to_owned(), |of, _| around.replace('§', &of));
        let Ok(Expression::Vector(vector)) = parse(&query) else { panic!("{:?}", parse(&query)) };
        assert!(evaluate(&vector, &facts, Moment::START).is_ok(), "{around}");
    }
}
