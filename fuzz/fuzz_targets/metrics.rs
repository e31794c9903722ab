//! Any lines as the metrics of a cluster, and any text as a question in PromQL: both are refused or answered, and series say
//! the same when they are read again.
//! The input is the question and the metrics, with a line `=======` between them.
#![no_main]

use fbc_fuzz::parts;
use fbc_openshift::update_service::facts::Facts;
use fbc_openshift::update_service::risk::Metrics as _;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let [question, metrics] = parts(text);
    let facts = Facts::parse(metrics).unwrap_or_default();
    if let Ok(values) = facts.query(question) {
        // Not a number equals nothing, itself included.
        let again = facts.query(question).expect("what was answered before");
        assert_eq!(format!("{again:?}"), format!("{values:?}"));
    }
});
