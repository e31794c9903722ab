//! What rules cost at most, beside what the reference says.

use fbc_cel::{Program, Shape, Wanted};
use serde_json::{Value, json};

use super::structural::Schema;

fn most(schema: &Value, rule: &str) -> u64 {
    let schema = Schema::of_part(schema);
    let own_type = schema.value_type().unwrap();
    let program = Program::compile(rule, (&own_type, &schema), false, Wanted::Anything);
    program.unwrap_or_else(|error| panic!("{rule}: {error}")).most_cost
}

/// A schema of a type, or of a format of text.
fn typed(name: &str) -> Value {
    match name {
        "int-or-string" => json!({"x-kubernetes-int-or-string": true}),
        "duration" | "date" | "date-time" => json!({"type": "string", "format": name}),
        "map" => json!({"type": "object", "additionalProperties": {"type": "number"}}),
        "list" => json!({"type": "array", "items": {"type": "number"}}),
        "object" => json!({
            "type": "object", "required": ["required"],
            "properties": {"required": {"type": "string"}, "optional": {"type": "string"}},
        }),
        name => json!({"type": name}),
    }
}

fn list(of: Value) -> Value {
    json!({"type": "array", "items": of})
}

fn map(of: Value) -> Value {
    json!({"type": "object", "additionalProperties": of})
}

fn limited(mut schema: Value, limit: &str, most: u64) -> Value {
    schema[limit] = json!(most);
    schema
}

/// Numbers of `kubernetes/apiextensions-apiserver:pkg/apiserver/schema/cel/compilation_test.go`: without a limit, and
/// with one.
#[test]
fn estimates_are_those_of_the_reference() {
    let text = json!({"type": "string"});
    let nested = |limit: Option<u64>| {
        let of = |schema: Value, name: &str| limit.map_or(schema.clone(), |most| limited(schema, name, most));
        of(list(of(map(of(typed("object"), "maxProperties")), "maxProperties")), "maxItems")
    };
    for (schema, limit, rule, unlimited, most_elements, wanted) in [
        (list(typed("number")), "maxItems", "self.all(x, true)", 4_718_591, 10, 32),
        (list(typed("string")), "maxItems", "self.all(x, true)", 3_145_727, 20, 62),
        (list(typed("boolean")), "maxItems", "self.all(x, true)", 1_887_437, 5, 17),
        (list(typed("list")), "maxItems", "self.all(x, true)", 3_145_727, 100, 302),
        (list(typed("object")), "maxItems", "self.all(x, true)", 555_128, 50, 152),
        (list(typed("int-or-string")), "maxItems", "self.all(x, true)", 4_718_591, 10, 32),
        (list(typed("duration")), "maxItems", "self.all(x, true)", 2_359_295, 5, 17),
        (list(typed("date")), "maxItems", "self.all(x, true)", 725_936, 15, 47),
        (list(typed("date-time")), "maxItems", "self.all(x, true)", 428_963, 25, 77),
        (map(typed("number")), "maxProperties", "self.all(x, true)", 1_348_169, 10, 32),
        (map(typed("string")), "maxProperties", "self.all(x, true)", 1_179_647, 3, 11),
        (map(typed("boolean")), "maxProperties", "self.all(x, true)", 943_718, 100, 302),
        (map(typed("int-or-string")), "maxProperties", "self.all(x, true)", 1_348_169, 15, 47),
        (map(typed("object")), "maxProperties", "self.all(x, true)", 428_963, 20, 62),
        (map(typed("map")), "maxProperties", "self.all(x, true)", 1_179_647, 10, 32),
        (map(typed("list")), "maxProperties", "self.all(x, true)", 1_179_647, 25, 77),
        (map(typed("duration")), "maxProperties", "self.all(x, true)", 1_048_577, 5, 17),
        (map(typed("date")), "maxProperties", "self.all(x, true)", 524_288, 10, 32),
        (map(typed("date-time")), "maxProperties", "self.all(x, true)", 349_526, 25, 77),
        (text.clone(), "maxLength", "self.contains('test')", 314_574, 10, 5),
        (text.clone(), "maxLength", "self.startsWith('test')", 2, 15, 2),
        (text.clone(), "maxLength", "size(self + 'hello') > size('hello')", 314_578, 4, 7),
        (text.clone(), "maxLength", "self.matches('x')", 314_574, 50, 22),
        (text.clone(), "maxLength", "''.matches('(((((((((())))))))))[0-9]')", 7, 10, 7),
        (text.clone(), "maxLength", "self.matches('')", 1, 100, 1),
        (text.clone(), "maxLength", "self == 'x'", 2, 0, 1),
        (text.clone(), "maxLength", "self.find('[0-9]+') == ''", 629_147, 10, 11),
        (limited(text, "format", 0), "maxLength", "self == 'x'", 2, 0, 1),
        (list(typed("number")), "maxItems", "self[1] == 0.0", 2, 5000, 2),
        (list(typed("string")), "maxItems", "self[1] == self[1]", 314_577, 8, 314_577),
        (list(typed("int-or-string")), "maxItems", "self[0] == 5", 3, 10, 3),
        (list(typed("boolean")), "maxItems", "self[0] == false", 2, 25, 2),
        (list(typed("object")), "maxItems", "self[0] == null", 2, 422, 2),
        (list(typed("list")), "maxItems", "self[0][0] == -1.0", 3, 51, 3),
        (list(typed("map")), "maxItems", "self.all(x, x.y == 25.2)", 6_291_452, 12, 74),
        (list(typed("map")), "maxItems", "self[0].x > 2.0", 4, 3000, 4),
        (list(typed("duration")), "maxItems", "self[0].getHours() == 2", 4, 525, 4),
        (list(typed("number")), "maxItems", "self.all(x, x == 0.0)", 6_291_454, 6_291_456, 25_165_826),
        (map(typed("integer")), "maxProperties", "oldSelf.size() == self.size()", 5, 10, 5),
        (map(typed("date-time")), "maxProperties", "self['a'] == self['b']", 8, 7, 8),
    ] {
        assert_eq!(most(&schema, rule), unlimited, "{rule} {schema}");
        assert_eq!(most(&limited(schema, limit, most_elements), rule), wanted, "{rule} {most_elements}");
    }
    let rule = "self.all(x, x['y'].required == 'z')";
    assert_eq!((most(&nested(None), rule), most(&nested(Some(10)), rule)), (7_340_027, 72));
    let texts = limited(list(limited(typed("string"), "maxLength", 10)), "maxItems", 10);
    for (rule, unlimited, wanted) in
        [("self.isSorted() == true", 329_854_432_052, 52), ("self.join(' ') == 'aa bb'", 329_853_068_905, 43)]
    {
        assert_eq!((most(&list(typed("string")), rule), most(&texts, rule)), (unlimited, wanted), "{rule}");
    }
    let keys = map(json!({"type": "string"}));
    assert_eq!(most(&keys, "self.all(x, x.contains(self[x]))"), 2_752_507);
    let squares = limited(list(typed("number")), "maxItems", 10);
    assert_eq!(most(&squares, "self.all(x, self.all(y, true))"), 352);
    assert_eq!(most(&squares, "self.all(x, self.all(y, self.all(z, true)))"), 3552);
    let replaces = json!({"type": "object", "properties": {
        "str": {"type": "string"}, "before": {"type": "string", "maxLength": 2},
        "after": {"type": "string", "maxLength": 4},
    }});
    let rule = "self.str.replace(self.before, self.after) == 'does not matter'";
    assert_eq!(most(&replaces, rule), 629_154);
    let chosen = json!({"type": "string", "enum": ["A", "B", "C", "LongValue"]});
    assert_eq!(most(&chosen, "self.contains('A')"), 2);
    assert_eq!(most(&limited(chosen, "maxLength", 1000), "self.contains('A')"), 401);
    let name = json!({"type": "object", "x-kubernetes-embedded-resource": true});
    assert!(most(&name, "self.metadata.name.contains('x')") < 10_000);
}
