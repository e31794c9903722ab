//! Any text as a JSONPath of kubectl over any value: it is refused, or finds what there is.
//! The input is the path and the value, with a line `=======` between them.
#![no_main]

use fbc_fuzz::parts;
use fbc_kubectl::jsonpath::Template;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|text: &str| {
    let [path, value] = parts(text);
    let value: Value = serde_json::from_str(value).unwrap_or_default();
    for template in
        [Template::parse(path), Template::path(path), Template::relaxed(path)].into_iter().flatten()
    {
        let _ = (template.find(&value), template.render(&value), template.render_as_json(&value));
    }
});
