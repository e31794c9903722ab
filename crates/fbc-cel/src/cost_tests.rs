//! What evaluations cost, beside what the reference counts, and what ends them.

use std::rc::Rc;

use serde_json::{Value, json};

use super::*;

fn run(source: &str, input: &Value, budget: &mut Budget) -> Result<(), Fault> {
    let program = Program::compile_over(source, &["input", "other"], Wanted::Anything)
        .unwrap_or_else(|error| panic!("{source}: {error}"));
    let other = json!({"short": "val1", "long": "val2222222"});
    let variables = [("input", Val::lift(input, None)), ("other", Val::lift(&other, None))];
    program.run_over(&variables, budget).map(|_| ())
}

fn cost(source: &str, input: &Value) -> u64 {
    let mut budget = Budget::of_request();
    run(source, input, &mut budget).unwrap_or_else(|fault| panic!("{source}: {fault:?}"));
    REQUEST_COST - budget.cost()
}

/// Numbers of `google/cel-go:interpreter/runtimecost_test.go` and `kubernetes/apiserver:pkg/cel/library/cost_test.go`.
#[test]
fn costs_are_those_of_the_reference() {
    let long = json!("x".repeat(500));
    for (source, input, wanted) in [
        ("input['ke' + 'y']", json!({"key": "v"}), 3),
        ("input[3-3]", json!(["v"]), 3),
        ("has(input.a.b)", json!({"a": {"b": "0"}}), 2),
        ("[1, 2, 3]", Value::Null, 10),
        ("{'a': 1, 'b': 2, 'c': 3}", Value::Null, 30),
        ("input.all(x, true)", json!([]), 2),
        ("[1, 2, 3].all(x, true)", Value::Null, 20),
        ("input.matches('[0-9]')", long.clone(), 103),
        ("'123'.matches('[0-9]')", Value::Null, 2),
        ("false || false", Value::Null, 0),
        ("input.a && input.b && input.c", json!({"a": true, "b": true, "c": true}), 6),
        ("1 < 2", Value::Null, 1),
        ("1 == 2", Value::Null, 1),
        ("2 in [1, 2, 3]", Value::Null, 13),
        ("7 % 2", Value::Null, 1),
        ("true ? 1 : 2", Value::Null, 0),
        ("size('123')", Value::Null, 1),
        ("'12345678901234567890' == '123456789012345678901234567890'", Value::Null, 2),
        ("bytes(input)", long.clone(), 51),
        ("string(bytes(input))", long.clone(), 101),
        ("string(1)", Value::Null, 1),
        ("input.contains(input)", long.clone(), 2502),
        (r"input.matches('\\d+a\\d+b')", long, 103),
        ("input.startsWith(other.long)", json!("idc"), 4),
        ("size(input)", json!("500"), 2),
        ("(input.n > 2 ? input.a : input.b).all(y, true)", json!({"n": 1, "a": [0], "b": [0]}), 8),
        ("false ? false : 1 > 3", Value::Null, 1),
        ("input.all(k, input[k].n > 3)", json!({"val": {"n": 1}}), 9),
        ("(input + input).all(x, true)", json!([]), 4),
        ("'abcdefg'.contains(other.short + other.long)", Value::Null, 8),
        ("(1 > 2 || 2 > 1) == true", Value::Null, 3),
        ("[{'k1': 1}, {'k2': 2}].all(x, true)", Value::Null, 77),
        ("[1,2,3,4,5].filter(x, x % 2 == 0)", Value::Null, 62),
        ("[1,2,3,4,5].map(x, x)", Value::Null, 86),
        ("[1,2,3,4,5].map(x, x).filter(x, x % 2 == 0)", Value::Null, 138),
        ("[1,2,3,4,5].map(x, x).exists(x, x == 5) == true", Value::Null, 118),
        ("[1,2,3,4,5].map(x, x).map(x, x)", Value::Null, 162),
        ("[1,2,3,4,5].map(x, [x, x]).filter(z, z.size() == 2)", Value::Null, 232),
        ("[1,2,3,4,5].map(x, [x, x]).all(y, y.all(y, y == 1))", Value::Null, 171),
        ("[1,2,3,4,5].map(x, x).map(x, x) + [1]", Value::Null, 173),
        ("[1,2,3].all(i, i in [1,2,3].map(j, j + j))", Value::Null, 86),
        ("[1,2,3,4,5].sum()", Value::Null, 15),
        ("[1,2,3,4,5].indexOf(3)", Value::Null, 15),
        ("['a','b','c','d','e'].isSorted()", Value::Null, 10),
        ("url('https:://kubernetes.io/').getHost()", Value::Null, 4),
        ("ip('192.168.0.1').family()", Value::Null, 3),
        ("ip('192.168.0.1') == ip('192.168.0.1')", Value::Null, 5),
        ("ip.isCanonical('2001:db8:3333:4444:5555:6666:7777:8888')", Value::Null, 8),
        ("cidr('192.168.0.0/16').prefixLength()", Value::Null, 3),
    ] {
        assert_eq!(cost(source, &input), wanted, "{source}");
    }
}

#[test]
fn one_evaluation_and_all_together_have_limits() {
    let many = json!(vec![0; 100_000]);
    let mut budget = Budget::of_request();
    assert_eq!(run("input.map(x, [x])", &many, &mut budget), Err(TOO_EXPENSIVE));
    assert_eq!(budget.cost(), REQUEST_COST - CALL_COST);
    let mut budget = Budget::of_conditions();
    let outcomes: Vec<_> = (0..4).map(|_| run("input.map(x, [x])", &many, &mut budget)).collect();
    let expected =
        [&TOO_EXPENSIVE, &TOO_EXPENSIVE, &OUT_OF_BUDGET, &OUT_OF_BUDGET].map(|fault| Err(fault.clone()));
    assert_eq!(outcomes, expected);
}

/// Values within values that double at every step.
fn doubling(first: &str, step: &str, last: &str) -> String {
    let bindings: String =
        (0..40).map(|n| format!("cel.bind(v{}, {}, ", n + 1, step.replace('v', &format!("v{n}")))).collect();
    format!("cel.bind(v0, {first}, {bindings}{last}{}", ")".repeat(41))
}

/// The API server counts a few units for these, and would be at it for ever.
#[test]
fn what_doubles_ends_soon() {
    let text = json!("a".repeat(1_500_000));
    for source in [
        doubling("[1, 2]", "[v, v]", "v40 == v40"),
        doubling("[1, 2]", "[v, v]", "v40 in [v40]"),
        doubling("[1, 2]", "[v, v]", "[v40, v40].distinct().size() == 1"),
        doubling("[1, 2]", "[v, v]", "sets.contains([v40], [v40])"),
        doubling("[1, 2]", "[v, v]", "'%s'.format([v40])"),
        doubling("[1, 2]", "[v, v]", "v40.flatten(50)"),
        doubling("[1, 2]", "[v, v]", "[v40, v40].indexOf(v40)"),
        doubling("{'a': 1}", "{'a': v, 'b': v}", "v40 == v40"),
        doubling("optional.of(1)", "optional.of([v, v])", "v40 == v40"),
        doubling("'a'", "v + v", "v40"),
        doubling("[1]", "v + v", "v40"),
        doubling("b'a'", "v + v", "v40"),
        doubling("'a'", "v.replace('a', v + v)", "v40"),
        doubling("'a'", "[v, v].join(v)", "v40"),
        "lists.range(1000000000)".to_owned(),
        "lists.range(100000).map(x, input)".to_owned(),
        "lists.range(20000).all(x, input.size() > 0)".to_owned(),
        "lists.range(20000).all(x, input.split('').size() > 0)".to_owned(),
        "lists.range(20000).all(x, input == input + '')".to_owned(),
        "input.matches('(a?){400}(a?){400}b')".to_owned(),
        "input.matches('(x+x+)+y' + input)".to_owned(),
        "lists.range(20000).all(x, !'a'.matches('[[:alpha:]]{1000}' + string(x)))".to_owned(),
    ] {
        let fault = run(&source, &text, &mut Budget::of_steps(1_000_000));
        let shown: String = source.chars().take(200).collect();
        assert!(fault.as_ref().is_err_and(Fault::is_final), "{shown}: {fault:?}");
    }
}

/// As long as a request may be, and within what the API server counts.
#[test]
fn long_texts_are_matched() {
    let source = "input.all(x, x.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$'))";
    for input in [json!(["a".repeat(900_000)]), json!(vec!["a".repeat(9000); 100])] {
        let cost = cost(source, &input);
        assert!((700_000..CALL_COST).contains(&cost), "{cost}");
    }
}

#[test]
fn limits_that_the_reference_does_not_have_say_so() {
    for (source, name) in [
        (doubling("[1, 2]", "[v, v]", "v40 == v40"), "(limit cel-work)"),
        ("input.matches('(a?){40}b')".to_owned(), "(limit pattern-steps)"),
    ] {
        let mut budget = Budget::of_steps(10_000);
        let fault = run(&source, &json!("a".repeat(1000)), &mut budget).unwrap_err();
        assert!(fault.is_own_limit() && fault.0.ends_with(name), "{fault:?}");
    }
}

/// A place that holds a list whose order does not count, of elements that these fields tell apart.
#[derive(Debug)]
struct Unordered(Vec<String>);

impl Shape for Unordered {
    fn value_type(&self) -> Option<Type<'_>> {
        Some(Type::List(Rc::new(Type::Dyn)))
    }

    fn scalar(&self) -> Scalar {
        Scalar::Plain
    }

    fn has_fields(&self) -> bool {
        false
    }

    fn field(&self, _: &str) -> Option<&dyn Shape> {
        None
    }

    fn map_value(&self) -> Option<&dyn Shape> {
        None
    }

    fn element(&self) -> Option<&dyn Shape> {
        None
    }

    fn list_keys(&self) -> Option<&[String]> {
        Some(&self.0)
    }

    fn most_elements(&self) -> u64 {
        LARGEST_REQUEST
    }
}

/// Lists whose order does not count, with the same elements the other way round.
#[test]
fn sets_and_lists_with_keys_are_compared_as_quickly_as_they_are_read() {
    let names: Vec<String> = (0..1500).map(|number| format!("name-{number}")).collect();
    let of_names = |size: u64| names.iter().map(|name| json!({"name": name, "size": size})).collect();
    for (keys, items, others) in [
        (vec![], json!(names), json!(["other"])),
        (
            vec!["name".to_owned()],
            of_names(1),
            json!([{"name": "name-7", "size": 2}, {"name": "other", "size": 1}]),
        ),
    ] {
        let shape = Unordered(keys);
        let own_type = shape.value_type().unwrap();
        let mut reversed = items.clone();
        reversed.as_array_mut().unwrap().reverse();
        for (rule, old, holds) in [
            ("self == oldSelf", &reversed, true),
            ("self == oldSelf", &others, false),
            ("(self + oldSelf).size() == 1500", &reversed, true),
            ("(self + oldSelf).size() == 1501", &others, true),
        ] {
            let program = Program::compile(rule, (&own_type, &shape), false, Wanted::Bool).unwrap();
            let (own, old) = (Val::lift(&items, Some(&shape)), Val::lift(old, Some(&shape)));
            let result = Budget::of_request().evaluate(|evaluation| {
                let own = Scope::new("self", own, None);
                let found = evaluation.run(&program.expression, &Scope::new("oldSelf", old, Some(&own)))?;
                assert!(evaluation.worked() < 30_000, "{rule}: {}", evaluation.worked());
                Ok(found)
            });
            assert!(matches!(result, Ok(Val::Bool(flag)) if flag == holds), "{rule}: {result:?}");
        }
    }
}

#[test]
fn values_are_shared_and_not_copied() {
    let text = json!("a".repeat(1_500_000));
    assert!(cost("lists.range(10000).map(x, input).size() == 10000", &text) < 200_000);
    assert_eq!(
        run("'%s %s'.format([input, input]).size() > 3000000", &text, &mut Budget::of_request()),
        Ok(())
    );
}

#[test]
fn reports_and_expressions_have_an_end() {
    let many = vec!["x"; 1000].join(" + ");
    let message = Program::compile_over(&format!("[{}]", many.replace('+', ",")), &[], Wanted::Anything)
        .unwrap_err()
        .to_string();
    assert!(message.ends_with("\n900 more errors were truncated"), "{message}");
    let long = format!("'{}'", "a".repeat(100_000));
    let message = Program::compile_over(&long, &[], Wanted::Anything).unwrap_err().to_string();
    assert!(
        message.contains("expression code point size exceeds limit: size: 100002, limit 100000"),
        "{message}"
    );
    // Types whose parts double at every step.
    let maps = doubling("{1: 1}", "{v: v}", "v40 == v40");
    assert!(Program::compile_over(&maps, &[], Wanted::Bool).is_ok());
}
