//! Any jq program over any blobs: it is refused with places that lie in it, or runs, and what it writes is JSON.
//! The input is the program and the catalog, with a line `=======` between them.
#![no_main]

use fbc_fuzz::{directory, parts};
use fbc_model::load::load_tree;
use fbc_model::writer::in_order;
use fbc_query::{InputMode, Layout, Program, Query};
use libfuzzer_sys::fuzz_target;

/// Programs with these may have no end, or make values that are too large; who runs them is watched by the process.
const ENDLESS: [&str; 10] =
    ["def", "repeat", "while", "until", "range", "recurse", "combinations", "..", "*", "="];

fn run(program: &Program, catalog: &fbc_model::Catalog, mode: InputMode, layout: &Layout) -> Vec<u8> {
    let blobs = in_order(catalog);
    let query = Query {
        program,
        blobs: &blobs,
        file_name: &|_| Some("catalog.yaml".to_owned()),
        tell: &|_| {},
        variables: &[],
        mode,
        layout,
    };
    let mut out = Vec::new();
    query.run(&mut out, &mut |_, _| {}).expect("memory takes it");
    out
}

fuzz_target!(|text: &str| {
    let [text, catalog] = parts(text);
    let catalog = load_tree(&directory("catalog.yaml", catalog));
    let identity = Program::compile(".", &[]).unwrap_or_else(|_| panic!("the identity"));
    let lines = Layout { end: "\n", ..Layout::default() };
    for layout in [
        lines.clone(),
        Layout { sorts_keys: true, is_ascii: true, indent: Some("  ".to_owned()), ..lines.clone() },
    ] {
        let out = run(&identity, &catalog, InputMode::Each, &layout);
        for value in serde_json::Deserializer::from_slice(&out).into_iter::<serde_json::Value>() {
            assert!(value.is_ok_and(|value| value.is_object()));
        }
    }
    let program = match Program::compile(text, &[]) {
        Ok(program) => program,
        Err(faults) => {
            assert!(!faults.is_empty());
            for fault in faults {
                assert!(text.get(fault.place.clone()).is_some(), "{fault:?}");
            }
            return;
        }
    };
    if !ENDLESS.iter().any(|word| text.contains(word)) {
        for mode in [InputMode::Each, InputMode::Slurped, InputMode::Null] {
            let _ = run(&program, &catalog, mode, &lines);
        }
    }
});
