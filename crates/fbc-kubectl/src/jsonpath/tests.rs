//! Templates over one object.

use fbc_go::allowance::{Allowance, ExpansionLimits};
use serde_json::{Value, json};

use super::Template;

fn object() -> Value {
    json!({
        "metadata": {"name": "a", "labels": {"app.kubernetes.io/name": "x"}},
        "spec": {"replicas": 3, "on": true, "none": null},
        "items": [{"n": 1, "t": "Ready"}, {"n": 2, "t": "Other"}, {"n": 3}],
        "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "Installed", "status": "False"}]},
    })
}

#[test]
fn templates_render() {
    for (template, expected) in [
        ("{.metadata.name}", "a"),
        ("{$.metadata.name}", "a"),
        ("{1}", "1"),
        ("{.items[0:0].n}", ""),
        ("{.items[*]['n','t']}", "1 2 3 Ready Other"),
        ("name={.metadata.name}, {.spec.replicas} {.spec.on}", "name=a, 3 true"),
        (r"{.metadata.labels.app\.kubernetes\.io/name}", "x"),
        ("{.metadata.labels['app.kubernetes.io/name']}", "x"),
        ("{.metadata.labels}", r#"{"app.kubernetes.io/name":"x"}"#),
        ("{.nosuch.field}", ""),
        ("{.items[*].n}", "1 2 3"),
        ("{.items[0].n}", "1"),
        ("{.items[-1].n}", "3"),
        ("{.items[0:2].n}", "1 2"),
        ("{.items[1:].n}", "2 3"),
        ("{.items[::2].n}", "1 3"),
        ("{.items[0,2].n}", "1 3"),
        ("{.items[?(@.n>1)].n}", "2 3"),
        ("{.items[?(@.t)].n}", "1 2"),
        (r#"{.status.conditions[?(@.type=="Ready")].status}"#, "True"),
        ("{.status.conditions[?(@.type!='Ready')].type}", "Installed"),
        (r#"{range .items[*]}{.n}{"\t"}{.t}{"\n"}{end}"#, "1\tReady\n2\tOther\n3\t\n"),
        ("{..n}", "1 2 3"),
        ("{.metadata['name','nosuch']}", "a"),
        (".metadata.name", ".metadata.name"),
        ("{.spec.none}", "<nil>"),
    ] {
        assert_eq!(Template::parse(template).unwrap().render(&object()).unwrap(), expected, "{template}");
    }
}

#[test]
fn faults_say_what_is_wrong() {
    for (template, expected) in [
        ("{.a", "unclosed action"),
        ("{.a[0}", "unclosed action"),
        ("{end}", "not in range, nothing to end"),
        ("{range .items[*]}", "unexpected end of template: {range} without {end}"),
        ("{.a[x]}", "invalid array index x"),
        ("{.a[\"b\"]}", "invalid array index \"b\""),
        ("{kind}", "unrecognized identifier kind"),
    ] {
        assert_eq!(Template::parse(template).unwrap_err().to_string(), expected, "{template}");
    }
    for (template, expected) in [
        ("{.items[7]}", "array index out of bounds: index 7, length 3"),
        ("{.items[-9]}", "array index out of bounds: index -6, length 3"),
        ("{.items[1:9]}", "array index out of bounds: index 8, length 3"),
        ("{.items[2:1]}", "starting index 2 is greater than ending index 1"),
    ] {
        let error = Template::parse(template).unwrap().render(&object()).unwrap_err();
        assert_eq!(error.to_string(), expected, "{template}");
    }
}

#[test]
fn paths_may_leave_out_braces_and_dot() {
    for path in ["metadata.name", ".metadata.name", "{metadata.name}", "{.metadata.name}"] {
        assert_eq!(Template::relaxed(path).unwrap().find(&object()).unwrap(), [&json!("a")], "{path}");
    }
    assert!(Template::relaxed("{.a").is_err());
}

#[test]
fn results_as_json() {
    let template = Template::parse("{.items[0:2].n}").unwrap();
    assert_eq!(template.render_as_json(&object()).unwrap(), "[\n    1,\n    2\n]\n");
}

#[test]
fn paths_that_multiply_are_given_up() {
    const STEPS: &str = "takes more than 100000 steps (limit expansion-steps)";
    let most = ExpansionLimits { steps: 100_000, bytes: 500 };
    let given_up = |template: &str, value: &Value| {
        let template = Template::parse(template).unwrap();
        template.render_within(value, &Allowance::new(most)).unwrap_err().to_string()
    };
    let many = json!({"items": vec![json!({"a": [1, 2, 3]}); 5_000]});
    let ranges = "{range $.items[*]}".repeat(4) + "{.b}" + &"{end}".repeat(4);
    let looped = (0..40).fold(json!({"b": 1}), |inner, _| json!({"a": inner}));
    let unions = format!("{{{}}}", "['a','a','a','a']".repeat(30));
    for (template, value) in [(ranges.as_str(), &many), ("{..*..*}", &many), (&unions, &looped)] {
        assert_eq!(given_up(template, value), STEPS, "{template}");
    }
    assert_eq!(Template::parse("{..*..*}").unwrap().find(&many).unwrap_err().to_string(), STEPS);
    let whole = "{range .items[*]}{$}{end}";
    let bytes = "expands to more than 500 bytes (limit expansion-bytes)";
    assert_eq!(given_up(whole, &object()), bytes);
    assert!(Template::parse(whole).unwrap().render(&object()).is_ok());
}
