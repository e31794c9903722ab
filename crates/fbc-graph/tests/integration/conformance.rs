//! Charts of real catalogs are those that opm drew, byte for byte.

use fbc_graph::mermaid::{MermaidOptions, draw};
use fbc_model::load::load_tree;
use fbc_model::tree::DiskTree;

#[test]
fn recorded_charts() {
    let Some(folder) = fbc_testing::recordings("") else { return };
    let Some(expected) = fbc_testing::recorded_json("render/expected.json") else { return };
    let mut failures = Vec::new();
    let mut compared = 0;
    for (name, forms) in expected.as_object().unwrap() {
        let catalog = load_tree(&DiskTree { root: folder.join("catalogs").join(name) });
        for (form, draw_v0_semantics) in [("mermaid", false), ("mermaid-v0", true)] {
            // What opm draws in random order is not recorded.
            if forms.get(form).is_none() {
                continue;
            }
            let recorded = std::fs::read_to_string(folder.join(format!("render/{name}/{form}.txt"))).unwrap();
            assert_eq!(forms[form]["bytes"], recorded.len(), "{name} {form}: the record is damaged");
            let options = MermaidOptions { draw_v0_semantics, ..MermaidOptions::default() };
            let chart = draw(&catalog, &options).unwrap();
            compared += 1;
            if chart.text == recorded {
                continue;
            }
            let differs = chart.text.lines().zip(recorded.lines()).find(|(ours, theirs)| ours != theirs);
            let without_numbers = |text: &str| -> Vec<String> {
                text.lines().filter(|line| !line.starts_with("linkStyle ")).map(str::to_owned).collect()
            };
            let is_irreproducible = (name.as_str(), form) == ("community-v4.20", "mermaid-v0");
            if is_irreproducible && without_numbers(&chart.text) == without_numbers(&recorded) {
                // opm counts links over channels of one name in the order in which its threads happened
                // to load them.
                println!("{name} {form}: link numbers differ, as they do between two runs of opm");
            } else {
                failures.push(format!("{name} {form}: first difference {differs:#?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(compared > 0);
    println!("{compared} charts compared");
}
