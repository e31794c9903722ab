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
    far{x=\"1\"} 7\n";

/// The series of a query with their labels.
fn answer(query: &str) -> Result<Vec<String>, QueryError> {
    let Ok(Expression::Vector(vector)) = parse(query) else { panic!("{query}: {:?}", parse(query)) };
    let series = evaluate(&vector, &Facts::parse(TEXT).unwrap().series, Moment::START)?;
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
        ("bottomk(2, odd)", &["name=odd,x=2 5", "name=odd,x=3 5"]),
        ("topk(-Inf, a)", &[]),
        ("topk by (x) (1, b)", &["name=b,x=1,y=v 20", "name=b,x=2,y=u 30"]),
        ("min(odd) + max(odd)", &["10"]),
        ("stddev(a * 0)", &["0"]),
        ("sort_desc(odd)", &["name=odd,x=2 5", "name=odd,x=3 5", "name=odd,x=1 NaN"]),
        ("sgn(far)", &["x=1 -1"]),
        ("absent(c{d=\"e\",f=~\"g\"})", &["d=e 1"]),
        ("absent(c{d=\"e\",d=\"f\",g=\"h\"})", &["g=h 1"]),
        ("absent(c or c{d=\"e\"})", &["1"]),
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
        ("label_replace(a, \"\", \"\", \"\", \"\")", "invalid label name in label_replace(): \"\""),
        ("label_join(a, \"\", \"\")", "invalid label name in label_join(): \"\""),
        ("count_values(\"\", a)", "invalid label name in count_values(): \"\""),
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
