//! Files that are not of catalogs, configurations and several roots.

use fbc_lsp::HostError;
use serde_json::{Value, json};

use super::harness::{CATALOG, Client, MemoryHost, URL, edited, range};

#[test]
fn other_files_are_checked_by_the_host() {
    let mut client = Client::start(&[]);
    let url = "file:///repository/fbc.toml";
    client.open(url, "𝒳 wrong");
    let found = client.diagnostics(url, |_| true);
    assert_eq!((&found[0]["message"], &found[0]["range"]), (&json!("Configuration"), &range((0, 3), (0, 8))));
    let actions = client.ask(
        "textDocument/codeAction",
        json!({
            "textDocument": { "uri": url }, "range": range((0, 4), (0, 4)), "context": { "diagnostics": [] },
        }),
    );
    assert_eq!(actions[0]["edit"]["changes"][url][0]["newText"], "right");
    let scenario = "file:///repository/s.yaml";
    client.open(scenario, "title: x\nsteps: []\n");
    let lenses = client.ask("textDocument/codeLens", json!({ "textDocument": { "uri": scenario } }));
    assert_eq!(lenses[0]["command"]["command"], "fbc.simulate");
    let run =
        client.ask("workspace/executeCommand", json!({ "command": "fbc.simulate", "arguments": [scenario] }));
    assert_eq!(run["success"], true);
    let lenses = client.ask("textDocument/codeLens", json!({ "textDocument": { "uri": scenario } }));
    assert_eq!(lenses[1]["command"]["title"], "✓ 1 of 1 expectations are met");
    client.tell("textDocument/didClose", json!({ "textDocument": { "uri": url } }));
    assert_eq!(client.diagnostics(url, |_| true), [] as [Value; 0]);
    client.stop();
}

#[test]
fn several_roots_and_files_that_vanish() {
    let other = CATALOG.replace("foo", "bar");
    let mut client = Client::start(&[
        ("catalog/foo/catalog.yaml", CATALOG),
        ("catalog/bar/catalog.yaml", &other),
        ("b/x/catalog.yaml", CATALOG),
    ]);
    client.open(URL, CATALOG);
    // A file that nobody has open has its findings too.
    client.diagnostics("file:///repository/catalog/bar/catalog.yaml", |codes| {
        codes.contains(&"GRF009".to_owned())
    });
    let second = "file:///repository/b/x/catalog.yaml";
    client.open(second, CATALOG);
    client.diagnostics(second, |codes| codes.contains(&"GRF009".to_owned()));
    let gone = "file:///repository/catalog/nowhere/catalog.yaml";
    client.open(gone, "schema: olm.package\nname: x\n");
    client.diagnostics(gone, |codes| codes.contains(&"GRF007".to_owned()));
    client.tell("textDocument/didClose", json!({ "textDocument": { "uri": gone } }));
    client.diagnostics(gone, |codes| codes.is_empty());
    client.tell("textDocument/didClose", json!({ "textDocument": { "uri": second } }));
    client.diagnostics(second, |codes| codes.is_empty());
    client.stop();
}

#[test]
fn a_changed_configuration_counts_at_once() {
    let text = CATALOG.replace("  skips: [\"\", foo.v1.0.5]\n", "- name: foo.v1.0.0\n");
    let host = MemoryHost {
        tree: [("catalog/foo/catalog.yaml", text.as_str())].into_iter().collect(),
        ..MemoryHost::default()
    };
    let configuration = host.configuration.clone();
    let mut client = Client::start_on(json!({}), host);
    let changed = json!({ "changes": [{ "uri": "file:///repository/fbc.toml", "type": 2 }] });
    client.open(URL, &text);
    client.diagnostics(URL, |codes| codes.contains(&"FBC018".to_owned()));
    *configuration.lock().unwrap() = Ok(Some("FBC018"));
    client.tell("workspace/didChangeWatchedFiles", changed.clone());
    client.diagnostics(URL, |codes| !codes.contains(&"FBC018".to_owned()));
    // A broken one is told, and what it said before holds.
    *configuration.lock().unwrap() = Err(HostError::Refused("fbc.toml: broken".to_owned()));
    client.tell("workspace/didChangeWatchedFiles", changed.clone());
    assert_eq!(client.message(), "fbc.toml: broken");
    client.change(URL, 2, None, &format!("{text}# note\n"));
    client.diagnostics(URL, |codes| !codes.contains(&"FBC018".to_owned()));
    *configuration.lock().unwrap() = Ok(None);
    client.tell("workspace/didChangeWatchedFiles", changed);
    client.diagnostics(URL, |codes| codes.contains(&"FBC018".to_owned()));
    client.stop();
}

#[test]
fn scenarios_are_played_when_they_are_saved() {
    let mut client = Client::start(&[]);
    let url = "file:///repository/unmet.yaml";
    client.open(url, "title: x\n  𝒳: y\nsteps: []\n");
    client.tell("textDocument/didSave", json!({ "textDocument": { "uri": url } }));
    let found = client.diagnostics(url, |codes| !codes.is_empty());
    assert_eq!(found[0]["message"], "unmet expectation: 𝒳 is there");
    assert_eq!(found[0]["range"], range((1, 2), (1, 7)));
    let lenses = client.ask("textDocument/codeLens", json!({ "textDocument": { "uri": url } }));
    assert_eq!(lenses[1]["command"]["title"], "✗ 0 of 1 expectations are met");
    // What was unmet may stand elsewhere by now.
    client.change(url, 2, Some(range((0, 0), (0, 0))), "# note\n");
    client.diagnostics(url, <[String]>::is_empty);
    let lenses = client.ask("textDocument/codeLens", json!({ "textDocument": { "uri": url } }));
    assert_eq!(lenses[1]["command"]["title"], "✗ 0 of 1 expectations are met, before the last change");
    client.stop();
}

const TEMPLATE: &str = "\
schema: olm.template.basic
entries:
- schema: olm.package
  name: foo
  defaultChannel: stable
- schema: olm.channel
  package: foo
  name: stable
  entries:
  - name: foo.v1.0.0
  - name: foo.v1.1.0
    replaces: foo.v1.0.0
- schema: olm.channel
  package: bar
  name: stable
  entries:
  - name: foo.v1.0.0
- schema: olm.bundle
  image: quay.io/foo/foo:v1
";

#[test]
fn names_in_templates() {
    let other = "file:///repository/templates/other.yaml";
    let mut client =
        Client::start(&[("templates/other.yaml", TEMPLATE), ("catalog/foo/catalog.yaml", CATALOG)]);
    let url = "file:///repository/templates/foo.yaml";
    client.open(url, TEMPLATE);
    let definition = client.at_place("textDocument/definition", url, 11, 16);
    assert_eq!(definition, json!([{ "uri": url, "range": range((9, 10), (9, 20)) }]));
    let definition = client.at_place("textDocument/definition", url, 4, 20);
    assert_eq!(definition, json!([{ "uri": url, "range": range((7, 8), (7, 14)) }]));
    let references = client.at_place("textDocument/references", url, 9, 12);
    assert_eq!(references.as_array().unwrap().len(), 4, "{references}");
    assert_eq!(client.at_place("textDocument/documentSymbol", url, 0, 0)[1]["children"][0]["name"], "foo");
    let links = client.at_place("textDocument/documentLink", url, 0, 0);
    assert_eq!(links[0]["target"], "https://quay.io/repository/foo/foo");
    assert_eq!(links[0]["range"], range((18, 9), (18, 27)));
    // From the catalog: over templates that are open, and those on disk, of this package alone.
    client.open(URL, CATALOG);
    let place = json!({ "line": 15, "character": 8 });
    let renamed = client.ask(
        "textDocument/rename",
        json!({ "textDocument": { "uri": URL }, "position": place, "newName": "foo.v1.0.1" }),
    );
    let (own, foreign) = TEMPLATE.split_once("  package: bar").unwrap();
    let expected = format!("{}  package: bar{foreign}", own.replace("foo.v1.0.0", "foo.v1.0.1"));
    for url in [url, other] {
        assert_eq!(edited(TEMPLATE, &renamed["changes"][url]), expected, "{url}");
    }
    assert_eq!(edited(CATALOG, &renamed["changes"][URL]), CATALOG.replace("foo.v1.0.0", "foo.v1.0.1"));
    client.stop();
}

#[test]
fn fields_of_files_that_are_not_of_catalogs() {
    let mut client = Client::start(&[]);
    for (name, text, place, key, meaning) in [
        (
            "t.yaml",
            "schema: olm.semver\ngenerateM\n",
            (1, 9),
            "generateMajorChannels: ",
            (0, 2, "Which template"),
        ),
        ("s.yaml", "title: x\nsteps: []\nexp\n", (2, 3), "expect: ", (0, 2, "What it is about")),
        (
            "set.yaml",
            "kind: ImageSetConfiguration\nmirror:\n  operators:\n  - catalog: a\n    ful\n",
            (4, 7),
            "full: ",
            (3, 6, "The reference of the catalog image"),
        ),
        (
            "fbc.toml",
            "prof\n[rules]\nFBC018 = \"off\"\n",
            (0, 4),
            "profile = ",
            (2, 3, "**FBC018** duplicate-entry"),
        ),
    ] {
        let url = format!("file:///repository/{name}");
        // What is typed breaks a text that could be read before.
        client.open(&url, if name == "t.yaml" { "schema: olm.semver\n" } else { text });
        client.change(&url, 2, None, text);
        let items = client.at_place("textDocument/completion", &url, place.0, place.1);
        let texts: Vec<&str> = items
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["textEdit"]["newText"].as_str().unwrap())
            .collect();
        assert!(texts.contains(&key), "{name}: {texts:?}");
        let hover = client.at_place("textDocument/hover", &url, meaning.0, meaning.1);
        assert!(
            hover["contents"]["value"].as_str().unwrap_or_default().starts_with(meaning.2),
            "{name}: {hover}"
        );
    }
    client.stop();
}
