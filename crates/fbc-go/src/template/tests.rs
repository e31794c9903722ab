//! Templates over JSON, as kubectl fills them in. Every answer was made with Go 1.27.

use serde_json::json;

use super::*;
use crate::allowance::ExpansionLimits;

const MOST: ExpansionLimits = ExpansionLimits { steps: 10_000, bytes: 1 << 20 };

/// What Go makes of a template: text, or its error without the name.
type Answer = Result<&'static str, &'static str>;

fn data() -> serde_json::Value {
    json!({
        "kind": "Pod",
        "metadata": {"name": "web", "labels": {"b": "2", "a": "1"}, "creationTimestamp": null},
        "spec": {
            "n": 3, "big": 1_234_567, "half": 0.5, "on": true, "list": ["x", "y", null, 7, {"k": "v"}], "empty": [], "none": {},
        },
        "data": {"p": "aGVsbG8=", "bad": "a?"},
    })
}

fn filled(text: &str) -> Result<String, String> {
    let template = Template::parse("output", text, Functions::Kubectl).map_err(|error| error.to_string())?;
    let allowance = Allowance::new(MOST);
    let bytes = template.execute(&Value::from(&data()), &allowance).map_err(|error| error.message)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[test]
fn templates_say_what_go_says() {
    let mut wrong = Vec::new();
    for (text, expected) in CASES {
        let answer = filled(text);
        let answer = answer.as_deref().map_err(|error| error.trim_start_matches("template: output:"));
        if answer != expected {
            wrong.push(format!("{text}\n    ours: {answer:?}\n    Go's: {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn more_digits_than_a_number_has_are_zeros() {
    for (text, starts, length) in [
        ("{{printf `%.70000f` .spec.half}}", "0.5000", 70_002),
        ("{{printf `%.70000e` .spec.half}}", "5.0000", 70_006),
        ("{{printf `%.70000g` .spec.half}}", "0.5", 3),
        ("{{printf `%#.70000g` .spec.half}}", "0.5000", 70_002),
        ("{{printf `%.70000d` 1}}", "00000", 70_000),
        ("{{printf `%.70000U` 1}}", "U+00000", 70_002),
    ] {
        let filled = filled(text).unwrap();
        assert!(
            filled.starts_with(starts) && filled.len() == length,
            "{text}: {} {}",
            filled.len(),
            &filled[..9.min(filled.len())]
        );
    }
}

#[test]
fn templates_without_end_are_given_up() {
    const STEPS: &str = "takes more than 10000 steps (limit expansion-steps)";
    const BYTES: &str = "expands to more than 1048576 bytes (limit expansion-bytes)";
    let range = |body: &str| format!("{{{{range 4000}}}}{body}{{{{end}}}}");
    let long = "a".repeat(1000);
    let doubled = "{{$x = print $x $x}}".repeat(60);
    let printed = "%999999d".repeat(60);
    let many = " $x".repeat(60);
    for (text, expected) in [
        ("{{range 99999999}}a{{end}}".to_owned(), STEPS),
        (range(&format!("{{{{{}}}}}", "(".repeat(30) + "1" + &")".repeat(30))), STEPS),
        (
            "{{define `a`}}{{template `a`}}{{template `a`}}{{end}}{{template `a`}}".to_owned(),
            "depth (100000)",
        ),
        (range(&long), BYTES),
        (range("{{$x := printf `%999d` 1}}"), BYTES),
        (format!("{{{{$x := `{long}`}}}}{doubled}"), BYTES),
        (format!("{{{{printf `{printed}` 1 2 3}}}}"), BYTES),
        ("{{printf `%999999v` .spec.list}}".to_owned(), BYTES),
        ("{{printf `%.*f` 999999 .spec.half | printf `%[1]s%[1]s`}}".to_owned(), BYTES),
        (format!("{{{{$x := printf `%99999d` 1}}}}{{{{print{many}}}}}"), BYTES),
        ("{{$x := printf `%99999d` 1}}{{js $x $x}}".to_owned(), BYTES),
        (range("{{$x := slice $.spec.list 1}}{{$.metadata}}"), STEPS),
    ] {
        let error = filled(&text).expect_err("no end");
        assert!(error.ends_with(expected), "{text}: {error}");
    }
}

#[rustfmt::skip]
const CASES: [(&str, Answer); 112] = [
    ("{{.kind}} {{.metadata.name}}\n", Ok("Pod web\n")),
    ("{{.nope}}|{{.nope.more.yet}}", Ok("<no value>|<no value>")),
    ("{{.metadata.creationTimestamp}}", Ok("<no value>")),
    ("{{.metadata.creationTimestamp.x}}", Err(r##"1:11: executing "output" at <.metadata.creationTimestamp.x>: nil pointer evaluating interface {}.x"##)),
    ("{{.metadata.name.x}}", Err(r##"1:11: executing "output" at <.metadata.name.x>: can't evaluate field x in type interface {}"##)),
    ("{{.spec.list.x}}", Err(r##"1:7: executing "output" at <.spec.list.x>: can't evaluate field x in type interface {}"##)),
    ("{{.spec.n.x}}", Err(r##"1:7: executing "output" at <.spec.n.x>: can't evaluate field x in type interface {}"##)),
    ("{{range .spec.list}}<{{.}}>{{end}}", Ok("<x><y><<no value>><7><map[k:v]>")),
    ("{{range $i, $e := .spec.list}}{{$i}}={{$e}};{{end}}", Ok("0=x;1=y;2=<no value>;3=7;4=map[k:v];")),
    ("{{range $k, $v := .metadata.labels}}{{$k}}={{$v}} {{end}}", Ok("a=1 b=2 ")),
    ("{{range .metadata.labels}}{{.}}{{end}}", Ok("12")),
    ("{{range .spec.empty}}a{{else}}none{{end}}{{range .spec.none}}a{{else}}none{{end}}", Ok("nonenone")),
    ("{{.metadata.labels}}", Ok("map[a:1 b:2]")),
    ("{{.spec.list}}", Ok("[x y <nil> 7 map[k:v]]")),
    ("{{.spec}}", Ok("map[big:1.234567e+06 empty:[] half:0.5 list:[x y <nil> 7 map[k:v]] n:3 none:map[] on:true]")),
    ("{{.spec.big}} {{.spec.n}} {{.spec.half}} {{.spec.on}}", Ok("1.234567e+06 3 0.5 true")),
    (r##"{{printf "%d" .spec.n}}"##, Ok("%!d(float64=3)")),
    (r##"{{printf "%v %s %q" .metadata.labels .metadata.labels .spec.list}}"##, Ok(r##"map[a:1 b:2] map[a:1 b:2] ["x" "y" <nil> %!q(float64=7) map["k":"v"]]"##)),
    (r##"{{printf "%#v" .spec}}"##, Ok(r##"map[string]interface {}{"big":1.234567e+06, "empty":[]interface {}{}, "half":0.5, "list":[]interface {}{"x", "y", interface {}(nil), 7, map[string]interface {}{"k":"v"}}, "n":3, "none":map[string]interface {}{}, "on":true}"##)),
    (r##"{{printf "%+v %T" .spec.list .spec}}"##, Ok("[x y <nil> 7 map[k:v]] map[string]interface {}")),
    (r##"{{printf "%x" .metadata.labels}}"##, Ok("map[61:31 62:32]")),
    (r##"{{printf "%5v|%-5v" .spec.list .spec.list}}"##, Ok("[    x     y <nil>     7 map[    k:    v]]|[x     y     <nil> 7     map[k    :v    ]]")),
    (r##"{{index .spec.list 0}}{{index .metadata.labels "a"}}{{index .metadata.labels "zz"}}"##, Ok("x1<no value>")),
    ("{{index .spec.list 9}}", Err(r##"1:2: executing "output" at <index .spec.list 9>: error calling index: index out of range: 9"##)),
    (r##"{{index .spec.list "a"}}"##, Err(r##"1:2: executing "output" at <index .spec.list "a">: error calling index: cannot index slice/array with type string"##)),
    ("{{index .metadata.labels 1}}", Err(r##"1:2: executing "output" at <index .metadata.labels 1>: error calling index: value has type int; should be string"##)),
    (r##"{{index .spec "list" 4 "k"}}"##, Ok("v")),
    (r##"{{index .spec.list 2 "x"}}"##, Err(r##"1:2: executing "output" at <index .spec.list 2 "x">: error calling index: index of nil pointer"##)),
    ("{{index .spec.n 0}}", Err(r##"1:2: executing "output" at <index .spec.n 0>: error calling index: can't index item of type float64"##)),
    ("{{index .nope 1}}", Err(r##"1:2: executing "output" at <index .nope 1>: error calling index: index of untyped nil"##)),
    ("{{index .metadata.labels nil}}", Err(r##"1:2: executing "output" at <index .metadata.labels nil>: error calling index: value is nil; should be of type string"##)),
    ("{{index .spec.list .spec.n}}", Err(r##"1:2: executing "output" at <index .spec.list .spec.n>: error calling index: cannot index slice/array with type float64"##)),
    ("{{len .spec.list}}{{len .metadata.labels}}{{len .kind}}", Ok("523")),
    ("{{len .nope}}", Err(r##"1:2: executing "output" at <len .nope>: error calling len: reflect: call of reflect.Value.Type on zero Value"##)),
    ("{{len .spec.n}}", Err(r##"1:2: executing "output" at <len .spec.n>: error calling len: len of type float64"##)),
    ("{{slice .spec.list 1 3}}", Ok("[y <nil>]")),
    ("{{slice .spec.list 1 2 4}}", Ok("[y]")),
    ("{{slice .spec.list 3 1}}", Err(r##"1:2: executing "output" at <slice .spec.list 3 1>: error calling slice: invalid slice index: 3 > 1"##)),
    ("{{slice .spec.list 0 9}}", Err(r##"1:2: executing "output" at <slice .spec.list 0 9>: error calling slice: index out of range: 9"##)),
    ("{{slice .metadata.labels 0}}", Err(r##"1:2: executing "output" at <slice .metadata.labels 0>: error calling slice: can't slice item of type map[string]interface {}"##)),
    (r##"{{exists . "metadata" "name"}}{{exists . "metadata" "nope"}}{{exists .spec.list 0}}{{exists .spec.list 9}}{{exists .spec.list 2}}{{exists .kind 0}}{{exists .spec.n 0}}{{exists .nope}}"##, Ok("truefalsetruefalsefalsetruefalsetrue")),
    ("{{base64decode .data.p}}", Ok("hello")),
    ("{{.data.p | base64decode}}", Ok("hello")),
    ("{{base64decode .data.bad}}", Err(r##"1:2: executing "output" at <base64decode .data.bad>: error calling base64decode: base64 decode failed: illegal base64 data at input byte 1"##)),
    ("{{base64decode .spec.n}}", Err(r##"1:20: executing "output" at <.spec.n>: wrong type for value; expected string; got float64"##)),
    ("{{base64decode .nope}}", Err(r##"1:15: executing "output" at <.nope>: invalid value; expected string"##)),
    (r##"{{eq .kind "Pod"}}{{eq .spec.n 3.0}}"##, Ok("truetrue")),
    ("{{eq .spec.n 3}}", Err(r##"1:2: executing "output" at <eq .spec.n 3>: error calling eq: incompatible types for comparison: float64 and int"##)),
    ("{{eq .metadata.labels .metadata.labels}}", Err(r##"1:2: executing "output" at <eq .metadata.labels .metadata.labels>: error calling eq: non-comparable type map[a:1 b:2]: map[string]interface {}"##)),
    ("{{eq .kind .spec.list}}", Err(r##"1:2: executing "output" at <eq .kind .spec.list>: error calling eq: incompatible types for comparison: string and []interface {}"##)),
    (r##"{{eq .nope .nope}}{{eq .nope "a"}}"##, Ok("truefalse")),
    ("{{ne .spec.on true}}", Ok("false")),
    ("{{lt .spec.n 4.0}}", Ok("true")),
    ("{{lt .metadata.labels 1}}", Err(r##"1:2: executing "output" at <lt .metadata.labels 1>: error calling lt: invalid type for comparison"##)),
    ("{{lt .nope 1}}", Err(r##"1:2: executing "output" at <lt .nope 1>: error calling lt: invalid type for comparison"##)),
    ("{{not .spec.empty}}{{not .metadata.labels}}{{and .kind .spec.n}}{{or .nope .kind}}", Ok("truefalse3Pod")),
    ("{{if .spec.none}}a{{else}}b{{end}}{{if .spec.list}}c{{end}}{{with .metadata}}{{.name}}{{end}}{{with .nope}}x{{else}}y{{end}}", Ok("bcweby")),
    ("{{with .kind}}{{.x}}{{end}}", Err(r##"1:16: executing "output" at <.x>: can't evaluate field x in type string"##)),
    ("{{range .spec.list}}{{.k}}{{end}}", Err(r##"1:22: executing "output" at <.k>: can't evaluate field k in type interface {}"##)),
    ("{{range $e := .spec.list}}{{$e.k}}{{end}}", Err(r##"1:30: executing "output" at <$e.k>: can't evaluate field k in type interface {}"##)),
    ("{{(index .spec.list 0).k}}", Err(r##"1:20: executing "output" at <0>: can't evaluate field k in type string"##)),
    ("{{(index .spec.list 4).k}}", Ok("v")),
    ("{{$x := .metadata.name}}{{$x.y}}", Err(r##"1:28: executing "output" at <$x.y>: can't evaluate field y in type string"##)),
    ("{{$x := .metadata}}{{$x.name}}{{$.kind}}", Ok("webPod")),
    ("{{print .spec.list .kind .nope 1 .spec.n}}", Ok("[x y <nil> 7 map[k:v]]Pod<nil> 1 3")),
    ("{{println .metadata}}", Ok("map[creationTimestamp:<nil> labels:map[a:1 b:2] name:web]\n")),
    ("{{html .metadata.labels}}{{js .kind}}{{urlquery .spec.n .kind}}", Ok("map[a:1 b:2]Pod3Pod")),
    ("{{html .nope}}{{print .metadata.creationTimestamp}}", Ok("&lt;no value&gt;<nil>")),
    ("{{range .kind}}a{{end}}", Err(r##"1:8: executing "output" at <.kind>: range can't iterate over Pod"##)),
    ("{{range .spec.n}}a{{end}}", Err(r##"1:13: executing "output" at <.spec.n>: range can't iterate over 3"##)),
    ("{{range .spec.on}}a{{end}}", Err(r##"1:13: executing "output" at <.spec.on>: range can't iterate over true"##)),
    ("{{range $i, $e := 3}}a{{end}}", Err(r##"1:18: executing "output" at <3>: can't use 3 to iterate over more than one variable"##)),
    ("{{range $i, $e := .nope}}a{{else}}b{{end}}", Ok("b")),
    ("{{.metadata 1}}", Err(r##"1:2: executing "output" at <.metadata>: metadata is not a method but has arguments"##)),
    ("{{.kind 1}}", Err(r##"1:2: executing "output" at <.kind>: kind is not a method but has arguments"##)),
    ("{{.nope 1}}", Err(r##"1:2: executing "output" at <.nope>: nope is not a method but has arguments"##)),
    ("{{.kind | .metadata}}", Err(r##"1:10: executing "output" at <.metadata>: metadata is not a method but has arguments"##)),
    ("{{call .kind}}", Err(r##"1:2: executing "output" at <call .kind>: error calling call: non-function .kind of type string"##)),
    ("{{call .nope}}", Err(r##"1:2: executing "output" at <call .nope>: error calling call: call of nil"##)),
    ("{{call .metadata}}", Err(r##"1:2: executing "output" at <call .metadata>: error calling call: non-function .metadata of type map[string]interface {}"##)),
    (r##"{{define "t"}}[{{.name}}]{{end}}{{template "t" .metadata}}{{range .spec.list}}{{template "u" .}}{{end}}{{define "u"}}({{.}}){{end}}"##, Ok("[web](x)(y)(<no value>)(7)(map[k:v])")),
    ("{{.x", Err("1: unclosed action")),
    ("{{nope .}}", Err(r##"1: function "nope" not defined"##)),
    ("{{.kind}}{{end}}", Err("1: unexpected {{end}}")),
    (r##"{{.metadata.name | printf "%s-%s" .kind}}"##, Ok("Pod-web")),
    ("{{printf .spec.n}}", Err(r##"1:14: executing "output" at <.spec.n>: wrong type for value; expected string; got float64"##)),
    ("{{printf .nope}}", Err(r##"1:9: executing "output" at <.nope>: invalid value; expected string"##)),
    (r##"{{printf "%s" .nope}} {{printf "%d" .nope}} {{printf "%v" .metadata.creationTimestamp}}"##, Ok("%!s(<nil>) %!d(<nil>) <nil>")),
    (r##"{{printf "%!"}}{{printf "%s %s" .kind}}{{printf "a" .spec.list}}"##, Ok("%!!(MISSING)Pod %!s(MISSING)a%!(EXTRA []interface {}=[x y <nil> 7 map[k:v]])")),
    (r##"{{range .spec.list}}{{if .}}{{printf "%T " .}}{{end}}{{end}}"##, Ok("string string float64 map[string]interface {} ")),
    ("{{range $i, $e := .spec.list}}{{if eq $i 1}}{{continue}}{{end}}{{if gt $i 2}}{{break}}{{end}}{{$e}}{{end}}", Ok("x<no value>")),
    ("{{$v := 0}}{{range $v = .spec.list}}{{end}}{{$v}}", Ok("map[k:v]")),
    ("{{range .spec.list}}{{len .}}{{end}}", Err(r##"1:22: executing "output" at <len .>: error calling len: len of nil pointer"##)),
    (r##"{{printf "%d %08.3f %e %g" .spec.list .spec.half .spec.big .spec.big}}"##, Ok("[%!d(string=x) %!d(string=y) <nil> %!d(float64=7) map[%!d(string=k):%!d(string=v)]] 0000.500 1.234567e+06 1.234567e+06")),
    (r##"{{printf "%t %c" .spec.list .spec.n}}"##, Ok("[%!t(string=x) %!t(string=y) <nil> %!t(float64=7) map[%!t(string=k):%!t(string=v)]] %!c(float64=3)")),
    (r##"{{printf "%*d" .spec.n 4}}"##, Ok("%!(BADWIDTH)4")),
    ("{{1.0}}{{eq 1.5 .spec.half}}{{le .spec.half .spec.n}}", Ok("1falsetrue")),
    ("{{.}}", Ok("map[data:map[bad:a? p:aGVsbG8=] kind:Pod metadata:map[creationTimestamp:<nil> labels:map[a:1 b:2] name:web] spec:map[big:1.234567e+06 empty:[] half:0.5 list:[x y <nil> 7 map[k:v]] n:3 none:map[] on:true]]")),
    ("{{. | len}}", Ok("4")),
    ("{{(.metadata).name}}{{(.metadata.name)}}", Ok("webweb")),
    ("{{.metadata.name.first.second}}", Err(r##"1:11: executing "output" at <.metadata.name.first.second>: can't evaluate field first in type interface {}"##)),
    ("{{with $x := index .spec.list 4}}{{$x.k}}{{.k}}{{.z}}{{end}}", Ok("vv<no value>")),
    (r##"{{printf "%s" .metadata.creationTimestamp}}"##, Ok("%!s(<nil>)")),
    ("{{not .metadata.creationTimestamp}}{{if .metadata.creationTimestamp}}a{{end}}", Ok("true")),
    ("{{eq .metadata.creationTimestamp nil}}", Ok("true")),
    ("{{eq .metadata.creationTimestamp .nope}}", Ok("true")),
    ("{{len .metadata.creationTimestamp}}", Err(r##"1:2: executing "output" at <len .metadata.creationTimestamp>: error calling len: len of nil pointer"##)),
    ("{{range .metadata.creationTimestamp}}a{{else}}b{{end}}", Ok("b")),
    ("{{index .metadata.creationTimestamp 0}}", Err(r##"1:2: executing "output" at <index .metadata.creationTimestamp 0>: error calling index: index of untyped nil"##)),
    ("{{with .metadata.creationTimestamp}}a{{else}}b{{end}}", Ok("b")),
    ("{{and .metadata.creationTimestamp 1}}{{or .metadata.creationTimestamp .nope}}", Ok("<no value><no value>")),
    ("{{js .metadata.creationTimestamp}}", Ok("\\u003Cno value\\u003E")),
];
