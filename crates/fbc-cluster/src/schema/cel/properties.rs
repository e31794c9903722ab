//! Expressions over the properties of bundles, as constraints of OLM v0 have them.
//!
//! Source: `operator-framework/api:pkg/constraints/cel.go`.

use std::error::Error;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value;

use super::budget::Budget;
use super::signatures::Library;
use super::types::Type;
use super::value::Val;
use super::{Program, checker, lexer, parser, report};

/// Whether a list of properties, each with `type` and `value`, fits. An evaluation that fails does not fit, nor does one that
/// takes more than a rule of a definition may.
pub type PropertyExpression = Arc<dyn Fn(&Value) -> bool + Send + Sync>;

/// Compiles an expression over `properties`.
///
/// # Errors
/// The compiler's report, or what OLM says if the result is not a truth value.
pub fn compile(rule: &str) -> Result<PropertyExpression, Box<dyn Error + Send + Sync>> {
    let faults = |faults: Vec<lexer::Fault>| report(rule, &faults);
    let expression = parser::parse(rule).map_err(faults)?;
    let property = Type::Map(Rc::new(Type::Text), Rc::new(Type::Dyn));
    let variables = [("properties", Type::List(Rc::new(property)))];
    let types = checker::check(&expression, &variables, Library::Properties).map_err(faults)?;
    if !matches!(types.of(&expression), Type::Bool) {
        return Err("cel expressions must have type Bool".into());
    }
    let program = Program { expression, uses_old: false, most_cost: 0 };
    Ok(Arc::new(move |properties| {
        let variables = [("properties", Val::lift(properties, None))];
        matches!(program.run_over(&variables, &mut Budget::of_request()), Ok(Val::Bool(true)))
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn expressions_look_at_properties() {
        let properties = json!([
            {"type": "olm.package", "value": {"packageName": "buoy", "version": "1.10.0"}},
            {"type": "certified", "value": true},
            {},
        ]);
        let table = [
            ("properties.exists(p, p.type == 'certified' && p.value == true)", true),
            (
                "properties.exists(p, p.type == 'olm.package' && semver_compare(p.value.version, '1.9') == 1)",
                true,
            ),
            (
                "properties.exists(p, p.type == 'olm.package' && semver_compare(p.value.version, '1.10.0-rc') < 0)",
                false,
            ),
            // What cannot be evaluated does not fit.
            ("properties.all(p, semver_compare(p.type, '1.0.0') == 0)", false),
            ("properties[7].type == 'a'", false),
        ];
        for (rule, expected) in table {
            assert_eq!(compile(rule).unwrap()(&properties), expected, "{rule}");
        }
    }

    #[test]
    fn what_does_not_compile_has_the_text_of_the_compiler() {
        let refused = |rule: &str| compile(rule).err().unwrap().to_string();
        assert_eq!(refused("1 + 1"), "cel expressions must have type Bool");
        assert_eq!(refused("properties[0].value"), "cel expressions must have type Bool");
        assert_eq!(
            refused("names == []"),
            "ERROR: <input>:1:1: undeclared reference to 'names' (in container '')\n | names == []\n | ^"
        );
        // Libraries of Kubernetes are not there, and what OLM adds is not there in Kubernetes.
        assert!(refused("quantity('1') == quantity('1')").contains("undeclared reference to 'quantity'"));
        let elsewhere =
            Program::compile_over("semver_compare('1', '2') == 0", &[], super::super::Wanted::Bool);
        assert!(elsewhere.unwrap_err().to_string().contains("undeclared reference to 'semver_compare'"));
    }
}
