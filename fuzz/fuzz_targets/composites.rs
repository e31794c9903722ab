//! Any two files as those of a composite template: they are refused, or planned, and no plan leaves its directories.
//! The input is the catalogs and the contribution, with a line `=======` between them.
#![no_main]

use std::path::{Component, Path};

use fbc_fuzz::parts;
use fbc_model::writer::Format;
use fbc_template::composite::{Catalogs, plan};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let [catalogs, contribution] = parts(text);
    let Ok(catalogs) = Catalogs::parse(catalogs.as_bytes()) else { return };
    let Ok(plan) = plan(&catalogs, contribution.as_bytes(), Path::new("here"), Format::Yaml) else { return };
    for step in plan.steps {
        let inside = step.output.strip_prefix(&step.root).expect("an output in its directory");
        assert!(!inside.components().any(|part| part == Component::ParentDir), "{}", step.output.display());
    }
});
