//! Expressions and their values, and the reports of those that do not compile.

use fbc_cel::{Budget, Program, Shape, Val, Wanted};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::structural::Schema;

fn schema() -> Schema {
    Schema::of_part(&json!({
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "size": {"type": "integer"},
            "ratio": {"type": "number"},
            "namespace": {"type": "string"},
            "a-b": {"type": "string"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "ports": {
                "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                "items": {"type": "object", "properties": {"name": {"type": "string"}, "port": {"type": "integer"}}},
            },
            "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
            "when": {"type": "string", "format": "date-time"},
            "span": {"type": "string", "format": "duration"},
            "either": {"x-kubernetes-int-or-string": true},
            "nul": {"type": "string", "nullable": true},
            "nulls": {"type": "object", "additionalProperties": {"type": "string", "nullable": true}},
            "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        },
    }))
}

fn object() -> Value {
    json!({
        "name": "demo-1", "size": 3, "ratio": 2, "namespace": "ns", "a-b": "dash", "tags": ["a", "b", "a"],
        "labels": {"app": "x"}, "ports": [{"name": "p", "port": 1}, {"name": "q", "port": 2}], "set": ["x", "y"],
        "when": "2024-02-29T12:30:00Z", "span": "90m", "either": "50%", "free": {"b": 1}, "nul": null,
        "nulls": {"a": null},
    })
}

fn evaluate(source: &str) -> Result<bool, String> {
    let (schema, object) = (schema(), object());
    let own_type = schema.value_type().expect("a type");
    let program = Program::compile(source, (&own_type, &schema), false, Wanted::Bool)
        .map_err(|error| error.text(Wanted::Bool))?;
    match program.run(Val::lift(&object, Some(&schema)), None, &mut Budget::of_request()) {
        Ok(Val::Bool(flag)) => Ok(flag),
        Ok(other) => Err(format!("{other:?}")),
        Err(fault) => Err(fault.0.into_owned()),
    }
}

#[test]
fn these_hold() {
    for source in [
        // Syntax.
        "1 + 2 * 3 == 7 && (1 + 2) * 3 == 9 && 7 % 4 - -1 == 4",
        "true ? true : false",
        "!false && !!true",
        "'a\\n\\x41\\u00e9' == \"a\\nA\u{e9}\" && r'\\d' == '\\\\d' && '''a'b''' == \"a'b\"",
        "0x10 == 16 && 1.5e1 == 15.0 && 3u == uint(3)",
        "1 < 2 && 2 >= 2 && 1 < 1.5 && 'a' < 'b' && 1 in [1, 2] && !('z' in ['a'])",
        "// a comment\ntrue",
        // Fields.
        "has(self.name) && (!has(self.labels.missing) || self.size == 3)",
        "self.__namespace__ == 'ns' && self.a__dash__b == 'dash'",
        "self.labels.app == 'x' && self.labels['app'] == 'x' && 'app' in self.labels && !has(self.labels.other)",
        "self.ratio == 2.0 && self.ratio > 1",
        "!has(self.nul) && has(self.nulls.a) && type(self.nulls['a']) == null_type && self.labels == {'app': 'x'}",
        // Both sides of a junction.
        "true || self.labels['none'] == 'x'",
        "self.labels['none'] == 'x' || true",
        "!(self.labels['none'] == 'x' && false)",
        // Loops.
        "self.tags.all(t, t.size() == 1) && self.tags.exists(t, t == 'b') && self.tags.exists_one(t, t == 'b')",
        "self.ports.map(p, p.port) == [1, 2] && self.ports.filter(p, p.port > 1).size() == 1",
        "self.ports.map(p, p.port > 1, p.name) == ['q'] && self.labels.all(k, k == 'app')",
        "self.tags.all(i, t, i < 3 && t != '') && self.labels.transformMap(k, v, v + '!')['app'] == 'x!'",
        "self.tags.transformList(i, t, string(i) + t) == ['0a', '1b', '2a']",
        "[0, 1].exists(x, 1 / x == 1)",
        "cel.bind(n, self.size, n * n == 9)",
        // Text.
        "self.name.startsWith('demo') && self.name.endsWith('1') && self.name.contains('-') && self.name.matches('^[a-z]+-\\\\d$')",
        "'a,b,c'.split(',') == ['a', 'b', 'c'] && ['a', 'b'].join('-') == 'a-b' && 'abc'.substring(1, 2) == 'b'",
        "'Ab'.lowerAscii() == 'ab' && 'Ab'.upperAscii() == 'AB' && ' a '.trim() == 'a' && 'aba'.replace('a', 'c') == 'cbc'",
        "'hello'.indexOf('l') == 2 && 'hello'.lastIndexOf('l') == 3 && 'hello'.charAt(1) == 'e' && 'ab'.reverse() == 'ba'",
        "'abc123'.find('[0-9]+') == '123' && 'a1b2'.findAll('[0-9]') == ['1', '2']",
        "'%s has %d of %.2f'.format(['x', 3, 1.5]) == 'x has 3 of 1.50'",
        // Lists.
        "'äbäb'.indexOf('b', 2) == 3 && 'äbäb'.indexOf('c') == -1 && 'ä'.indexOf('', 1) == 1",
        "'äbäb'.lastIndexOf('b', 2) == 1 && 'äbäb'.lastIndexOf('ä', 2) == 2 && 'äbäb'.lastIndexOf('ä', 9) == 2 && 'aä'.lastIndexOf('b', 1) == -1",
        "'aaa'.replace('a', 'bb', 2) == 'bbbba' && 'ab'.replace('', '-') == '-a-b-'",
        "[1, 2, 2].isSorted() && [1, 2].sum() == 3 && [3, 1].min() == 1 && [3, 1].max() == 3 && [1, 2, 1].lastIndexOf(1) == 2",
        "[1] + [2] == [1, 2] && [1, 1, 2].distinct() == [1, 2] && [[1], [2]].flatten() == [1, 2] && [3, 1].sort() == [1, 3]",
        "sets.contains([1, 2], [1]) && sets.equivalent([1, 2], [2, 1]) && sets.intersects([1], [1, 2])",
        "self.set == ['y', 'x'] && self.set != ['x', 'x']",
        "[-3, 1, 2].sortBy(e, e * e) == [1, 2, -3] && lists.range(3).sortBy(e, -e) == [2, 1, 0]",
        // Libraries.
        "url('https://a.b/with space/').getEscapedPath() == '/with%20space/' && !isURL('https://a b/')",
        "optional.ofNonZeroValue(duration('0s')) == optional.none() && optional.ofNonZeroValue(1).hasValue() && \
         timestamp('1969-12-31T23:59:59Z') + duration('1s') == timestamp(0) && timestamp('0001-01-01T00:00:00Z').getFullYear() == 1",
        "format.dns1123SubdomainPrefix().validate('a.b.-') == optional.none()",
        "isURL('https://a.b:80/c') && url('https://a.b:80/c?d=1').getHostname() == 'a.b' && url('https://a/?q=1').getQuery()['q'] == ['1']",
        "quantity('1Gi').isGreaterThan(quantity('1G')) && isQuantity('1k') && !isQuantity('x') && quantity('1k').asInteger() == 1000",
        "ip('10.0.0.1').family() == 4 && cidr('10.0.0.0/8').containsIP('10.1.1.1') && !isIP('x') && isCIDR('::/0')",
        "semver('1.2.3').isLessThan(semver('1.10.0')) && semver('1.2.3').minor() == 2 && !isSemver('x')",
        "math.greatest(1, 2) == 2 && math.least([3, 1]) == 1 && math.abs(-1) == 1",
        "!format.dns1123Label().validate('a').hasValue() && format.dns1123Label().validate('A').value().size() == 1",
        "optional.of(1).orValue(2) == 1 && optional.none().orValue(2) == 2 && self.?name.orValue('') == 'demo-1'",
        "self.labels[?'none'].hasValue() == false && self.?labels.optMap(l, l.app).value() == 'x'",
        "base64.encode(b'a') == 'YQ==' && base64.decode('YQ==') == b'a'",
        // Times.
        "self.when.getFullYear() == 2024 && self.when.getMonth() == 1 && self.when.getDate() == 29 && self.when.getDayOfWeek() == 4",
        "self.when + duration('1h') > self.when && self.span == duration('1h30m') && self.span.getMinutes() == 90",
        "string(timestamp('2024-01-01T00:00:00Z')) == '2024-01-01T00:00:00Z' && string(duration('90s')) == '90s'",
        // Conversions and types.
        "int('3') == 3 && string(3) == '3' && double(1) == 1.0 && uint(1) == 1u && bool('true') && int(1.9) == 1",
        "type(1) == int && type('a') == string && type(self.either) == string",
        "self.either == '50%' && (type(self.either) == int ? self.either > 0 : self.either.endsWith('%'))",
        "dyn(1) == dyn(1.0)",
    ] {
        assert_eq!(evaluate(source), Ok(true), "{source}");
    }
}

#[test]
fn faults_while_evaluating_have_their_words() {
    for (source, text) in [
        ("self.labels['none'] == 'x'", "no such key: none"),
        ("self.tags[7] == 'x'", "index out of bounds: 7"),
        ("1 / (self.size - 3) == 0", "division by zero"),
        ("1 % (self.size - 3) == 0", "modulus by zero"),
        ("9223372036854775807 + self.size > 0", "integer overflow"),
        ("self.either > 1", "no such overload"),
        ("optional.none().value() == 1", "optional.none() dereference"),
        (
            "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, \
             [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, [1,2,3,4,5,6,7,8,9,10].all(f, true))))))",
            "operation cancelled: actual cost limit exceeded",
        ),
        (
            // A text that doubles thirty times.
            "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29].map(i, 'aaaaaaaaaa')\
             .join('').replace('a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')\
             .replace('a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')\
             .replace('a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa') == ''",
            "operation cancelled: evaluating takes too much work, which a real API server does not count (limit cel-work)",
        ),
        ("lists.range(20000).distinct().size() == 0", "operation cancelled: actual cost limit exceeded"),
        (
            "sets.contains(lists.range(100000), lists.range(100000))",
            "operation cancelled: actual cost limit exceeded",
        ),
    ] {
        assert_eq!(evaluate(source), Err(text.to_owned()), "{source}");
    }
}

#[test]
fn what_does_not_compile_is_reported_as_the_reference_does() {
    for (source, text) in [
        (
            "self. == 1",
            "ERROR: <input>:1:7: Syntax error: no viable alternative at input '. =='\n | self. == 1\n | ......^",
        ),
        ("self.b == 'x'", "ERROR: <input>:1:5: undefined field 'b'\n | self.b == 'x'\n | ....^"),
        (
            "self.true == 1",
            "ERROR: <input>:1:6: Syntax error: mismatched input 'true' expecting IDENTIFIER\n | self.true == 1\n | .....^",
        ),
        (
            "self.name == null",
            "ERROR: <input>:1:11: found no matching overload for '_==_' applied to '(string, null)'\n | \
             self.name == null\n | ..........^",
        ),
        ("other", "ERROR: <input>:1:1: undeclared reference to 'other' (in container '')\n | other\n | ^"),
        (
            "self.foo(1)",
            "ERROR: <input>:1:9: undeclared reference to 'foo' (in container '')\n | self.foo(1)\n | ........^",
        ),
        (
            "self.name == 1",
            "ERROR: <input>:1:11: found no matching overload for '_==_' applied to '(string, int)'\n | self.name == 1\n | ..........^",
        ),
        (
            "self.name.startsWith(1)",
            "ERROR: <input>:1:21: found no matching overload for 'startsWith' applied to 'string.(int)'\n | \
             self.name.startsWith(1)\n | ....................^",
        ),
        (
            "true &&\n1",
            "ERROR: <input>:1:6: found no matching overload for '_&&_' applied to '(bool, int)'\n | true &&\n | .....^",
        ),
        (
            "self.size.all(x, true)",
            "ERROR: <input>:1:5: expression of type 'int' cannot be range of a comprehension (must be list, map, or \
             dynamic)\n | self.size.all(x, true)\n | ....^",
        ),
    ] {
        assert_eq!(evaluate(source), Err(format!("compilation failed: {text}")), "{source}");
    }
    assert_eq!(evaluate("self.name"), Err("cel expression must evaluate to a bool".to_owned()));
    for source in
        ["", "(", "1 +", "'a", "[1", "{1: }", "a.b.", "f(", "= 1", "self.name ==", "has(1)", "for", "1 2"]
    {
        assert!(evaluate(source).is_err(), "{source}");
    }
}

#[test]
fn deep_expressions_are_refused_and_the_deepest_allowed_run() {
    for (source, holds) in [
        (format!("{}true{}", "(".repeat(90), ")".repeat(90)), true),
        (format!("1{} == 201", " + 1".repeat(200)), true),
        (format!("true{}", " && true".repeat(200)), true),
        (format!("{}true{}", "[1].all(x, ".repeat(90), ")".repeat(90)), true),
    ] {
        assert_eq!(evaluate(&source), Ok(holds));
    }
    for source in [
        "(".repeat(20_000),
        format!("self{}", ".name".repeat(20_000)),
        format!("1{}", " + 1".repeat(20_000)),
        format!("self{}", "[0]".repeat(20_000)),
    ] {
        assert!(evaluate(&source).is_err());
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_compiler_panic(source in ".{0,60}") {
        let _ = evaluate(&source);
    }

    #[test]
    fn no_expression_makes_the_evaluator_panic(
        parts in proptest::collection::vec(
            prop_oneof![
                Just("self"), Just(".name"), Just(".tags"), Just(".size"), Just("["), Just("]"), Just("("), Just(")"),
                Just("0"), Just("1"), Just("-"), Just("'a'"), Just("+"), Just("*"), Just("%"), Just("/"), Just("=="),
                Just("<"), Just("&&"), Just("||"), Just("?"), Just(":"), Just(","), Just(".size()"), Just(".all(x, "),
                Just(".map(x, "), Just(" x "), Just(".substring("), Just(".matches('"), Just("'"), Just("{"), Just("}"),
                Just("9223372036854775807"), Just("has("), Just("duration('1h')"), Just(".?name"), Just(" in "),
            ],
            0..12,
        ),
    ) {
        let _ = evaluate(&parts.concat());
    }
}
