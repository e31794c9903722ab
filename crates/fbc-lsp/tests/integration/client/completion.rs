//! What is offered while somebody types.

use serde_json::{Value, json};

use super::harness::{CATALOG, Client, URL, edited};

#[test]
fn completion_of_names_keys_and_values() {
    let text =
        CATALOG.replace("  replaces: foo.v1.0.0\n  skips: [\"\", foo.v1.0.5]\n", "  replaces: \n  ski\n");
    let mut client = Client::start(&[]);
    client.open(URL, CATALOG);
    client.change(URL, 2, None, &text);
    let labels = |items: Value| -> Vec<String> {
        items.as_array().unwrap().iter().map(|one| one["label"].as_str().unwrap().to_owned()).collect()
    };
    let broken = labels(client.at("textDocument/completion", 11, 5));
    assert!(broken.contains(&"skipRange".to_owned()), "{broken:?}");
    let text = text.replace("  ski\n", "");
    client.change(URL, 3, None, &text);
    let names = labels(client.at("textDocument/completion", 10, 12));
    // An entry does not replace itself.
    assert_eq!(names, ["foo.v1.0.0"]);
    assert_eq!(labels(client.at("textDocument/completion", 2, 16)), ["stable"]);
    let schemas = labels(client.at("textDocument/completion", 0, 8));
    assert!(schemas.contains(&"olm.bundle".to_owned()));
    client.stop();
}

#[test]
fn completion_in_json() {
    let start = r#"{"schema": "olm.package", "name": "foo", "defaultChannel": "stable"}
{"schema": "olm.channel", "package": "foo", "name": "stable", "entries": [
  {"name": "foo.v1.0.0"},
  {"name": "foo.v1.1.0", "replaces": "foo.v1.0.0"}
]}
"#;
    let url = "file:///repository/catalog/foo/catalog.json";
    let mut client = Client::start(&[]);
    client.open(url, start);
    let mut version = 1;
    let mut completed = |typed: &str| -> Vec<String> {
        version += 1;
        let text = start.replace("\"replaces\": \"foo.v1.0.0\"}", typed);
        client.change(url, version, None, &text);
        let line = text.lines().nth(3).unwrap();
        let place = json!({
            "textDocument": { "uri": url },
            "position": { "line": 3, "character": line.find('|').unwrap() },
        });
        let without = text.replace('|', "");
        version += 1;
        client.change(url, version, None, &without);
        let items = client.ask("textDocument/completion", place);
        let items = items.as_array().unwrap().iter();
        items
            .map(|item| edited(&without, &json!([item["textEdit"]])).lines().nth(3).unwrap().to_owned())
            .collect()
    };
    let keys = completed("\"sk|\"}");
    assert!(keys.contains(&r#"  {"name": "foo.v1.1.0", "skipRange": }"#.to_owned()), "{keys:?}");
    let keys = completed("\"sk|");
    assert!(keys.contains(&r#"  {"name": "foo.v1.1.0", "skips": "#.to_owned()), "{keys:?}");
    let names = completed("\"replaces\": |}");
    assert_eq!(names, [r#"  {"name": "foo.v1.1.0", "replaces": "foo.v1.0.0"}"#]);
    let names = completed("\"skips\": [\"foo|\"]}");
    assert!(names.contains(&r#"  {"name": "foo.v1.1.0", "skips": ["foo.v1.0.0"]}"#.to_owned()), "{names:?}");
    client.stop();
}

#[test]
fn the_likely_replaced_bundle_comes_first() {
    let bundle = |version: &str| {
        format!(
            "---\nschema: olm.bundle\npackage: foo\nname: foo.v{version}\nimage: quay.io/foo/foo:{version}\n\
             properties:\n- type: olm.package\n  value: {{packageName: foo, version: {version}}}\n"
        )
    };
    let bundles: String = ["1.0.0", "1.1.0", "1.2.0", "2.0.0"].map(bundle).concat();
    let start = "schema: olm.package\nname: foo\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: foo\n\
                 name: stable\nentries:\n- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n";
    let mut client = Client::start(&[]);
    let text = format!("{start}- name: \n{bundles}");
    client.open(URL, &text);
    let labels = |client: &mut Client, line: u32, character: u32| -> Vec<String> {
        let items = client.at("textDocument/completion", line, character);
        items.as_array().unwrap().iter().map(|one| one["label"].as_str().unwrap().to_owned()).collect()
    };
    // A new entry most likely is a bundle that is not listed yet, the newest first.
    assert_eq!(labels(&mut client, 11, 8), ["foo.v2.0.0", "foo.v1.2.0", "foo.v1.1.0", "foo.v1.0.0"]);
    for (version, key) in [(2, "  replaces: "), (3, "  replaces: f")] {
        client.change(URL, version, None, &format!("{start}- name: foo.v1.2.0\n{key}\n{bundles}"));
        let names = labels(&mut client, 12, key.len() as u32);
        assert_eq!(names, ["foo.v1.1.0", "foo.v1.0.0", "foo.v2.0.0"], "{key:?}");
    }
    client.change(URL, 4, None, &format!("{start}- name: foo.v1.2.0\n  skips:\n  - \n{bundles}"));
    assert_eq!(labels(&mut client, 13, 4).first().map(String::as_str), Some("foo.v1.1.0"));
    client.stop();
}
