//! Any text as a JSONPath of kubectl over any value: it is refused, or finds what there is, within its allowance.
//! The input is the path and the value, with a line `=======` between them.
#![no_main]

use fbc_fuzz::parts;
use fbc_go::allowance::{Allowance, ExpansionLimits};
use fbc_kubectl::jsonpath::Template;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

const MOST: ExpansionLimits = ExpansionLimits { steps: 10_000, bytes: 100_000 };

fuzz_target!(|text: &str| {
    let [path, value] = parts(text);
    let value: Value = serde_json::from_str(value).unwrap_or_default();
    for template in
        [Template::parse(path), Template::path(path), Template::relaxed(path)].into_iter().flatten()
    {
        let allowance = Allowance::new(MOST);
        if let Ok(text) = template.render_within(&value, &allowance) {
            assert!(text.len() as u64 <= MOST.bytes && allowance.exceeded().is_none());
        }
        let _ = template.find(&value);
    }
});
