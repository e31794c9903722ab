//! Recordings of a real API server, played through the whole of this one: by requests and by command lines.
//!
//! Modules have tests of their own with the same recordings; here everything works together. What differs is listed
//! with a reason.

mod access;
mod admission;
mod definitions;
mod removal;
mod server_side_apply;
mod tables;
mod world;

use serde_json::Value;

/// Equal, or what differs.
type Verdict = Result<(), String>;

/// The name of a case and what came of it.
type Played = (String, Verdict);

/// Cases that differ, and why.
const DIFFERENT: [(&str, &[&str], &str); 3] = [
    ("10h-rbac", &["logs-forbidden"], "the pods of a simulated cluster write no logs"),
    ("10h-rbac", &["can-i-list", "raw-non-resource"], "the command line does not have `--list` and `--raw`"),
    (
        "11-tables",
        &["describe-pod-terminating-n-tables", "describe-widget-u"],
        "moments of deletion and resource versions are those of this server",
    ),
];

/// A file of the recordings, if they are there.
fn recorded(file: &str) -> Option<Value> {
    fbc_testing::recorded_json(&format!("kube/{file}"))
}

/// The cases of a file, each with what came of it.
fn played(file: &str, mut play: impl FnMut(&Value) -> Verdict) -> Vec<Played> {
    let Some(cases) = recorded(file) else { return Vec::new() };
    let cases = cases.as_array().unwrap().iter();
    cases.map(|case| (case["name"].as_str().unwrap().to_owned(), play(case))).collect()
}

/// Compares one thing that was seen with one that was recorded.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, seen: &T, recorded: &T) -> Verdict {
    if seen == recorded {
        Ok(())
    } else {
        Err(format!("{what}\n        seen     {seen:?}\n        recorded {recorded:?}"))
    }
}

/// Prints how many cases are equal, and fails if other cases differ than those of the list.
fn judge(folder: &str, cases: &[Played]) {
    let reason = |name: &str| {
        let entry = DIFFERENT.iter().find(|(of, names, _)| *of == folder && names.contains(&name));
        entry.map(|(_, _, reason)| *reason)
    };
    let different: Vec<&Played> = cases.iter().filter(|(_, verdict)| verdict.is_err()).collect();
    let names: Vec<&str> = different.iter().map(|(name, _)| name.as_str()).collect();
    println!(
        "{folder:<28} {:>4} cases {:>4} equal   {}",
        cases.len(),
        cases.len() - different.len(),
        names.join(" ")
    );
    let mut faults = Vec::new();
    for (name, verdict) in different {
        match (verdict, reason(name)) {
            (_, Some(reason)) => println!("    {name}: {reason}"),
            (Err(text), None) => faults.push(format!("    {name}: {text}")),
            (Ok(()), None) => {}
        }
    }
    assert!(faults.is_empty(), "{folder}: {}\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn fields_of_nodes_and_pods() {
    judge("02-validation", &admission::validation());
}

#[test]
fn tolerations_that_pods_get() {
    judge("05-automatic-tolerations", &admission::tolerations());
}

#[test]
fn objects_that_go() {
    judge("10e-garbage-collection", &removal::objects());
}

#[test]
fn definitions_and_their_objects() {
    judge("10f-crd", &definitions::all());
}

#[test]
fn fields_and_their_managers() {
    judge("10g-server-side-apply", &server_side_apply::all());
}

#[test]
fn rights() {
    judge("10h-rbac", &access::all());
}

#[test]
fn namespaces_that_go() {
    judge("10i-namespaces", &removal::namespaces());
}

#[test]
fn tables_and_descriptions() {
    judge("11-tables", &tables::all());
}
