//! Any text as a template of Go over any value: it is refused, or filled in within its limits, twice the same.
//! The input is the template and the value as JSON, with a line `=======` between them.
#![no_main]

use fbc_fuzz::parts;
use fbc_go::allowance::{Allowance, ExpansionLimits};
use fbc_go::template::{Functions, Template, Value};
use libfuzzer_sys::fuzz_target;

const MOST: ExpansionLimits = ExpansionLimits { steps: 1_000, bytes: 10_000 };

fuzz_target!(|text: &str| {
    let [text, value] = parts(text);
    let value: serde_json::Value = serde_json::from_str(value).unwrap_or_default();
    let value = Value::from(&value);
    for functions in [Functions::Go, Functions::Kubectl] {
        let Ok(template) = Template::parse("output", text, functions) else { continue };
        let allowance = Allowance::new(MOST);
        let filled = template.execute(&value, &allowance);
        let output = filled.as_ref().unwrap_or_else(|error| &error.output);
        assert!(output.len() as u64 <= MOST.bytes, "{} bytes", output.len());
        assert!(filled.is_err() || allowance.exceeded().is_none());
        assert_eq!(template.execute(&value, &Allowance::new(MOST)), filled);
    }
});
