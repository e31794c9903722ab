//! `-o go-template=TEMPLATE`: Go's text/template over the JSON of an object.
//!
//! Source: `kubernetes/cli-runtime:pkg/printers/template.go`, `pkg/genericclioptions/template_flags.go`.

use fbc_go::allowance::Allowance;
use fbc_go::template::{Functions, ParseError, Template, Value};
use serde_json::Value as Json;

use super::PrintError;

/// A template that has been read.
#[derive(Debug, Clone, PartialEq)]
pub struct GoTemplate(Template);

impl GoTemplate {
    /// Reads a template.
    ///
    /// # Errors
    /// [`ParseError`]
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Template::parse("output", text, Functions::Kubectl).map(Self)
    }

    /// Fills the template in.
    ///
    /// # Errors
    /// kubectl's text, after what it prints for those who look for the mistake.
    pub(super) fn print(&self, object: &Json) -> Result<String, PrintError> {
        let data = Value::from(object);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let error = match self.0.execute(&data, &Allowance::default()) {
            Ok(bytes) => return Ok(text(&bytes)),
            Err(error) => error,
        };
        let template = self.0.text();
        let mut output = text(&error.output);
        output.push_str(&format!(
            "Error executing template: {error}. Printing more information for debugging the template:\n\
             \ttemplate was:\n\t\t{template}\n\
             \traw data was:\n\t\t{}\n\
             \tobject given to template engine was:\n\t\t{data}\n\n",
            fbc_go::json::escape_html(&object.to_string()),
        ));
        let message = format!("error executing template {}: {error}", fbc_go::text::quote(template));
        Err(PrintError { output, message })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn mistakes_are_explained() {
        let template = GoTemplate::parse("{{.kind}}-{{.kind.x}}").expect("a template");
        let error = template.print(&json!({"kind": "P<d", "n": [1, null]})).expect_err("a mistake");
        let cause = "template: output:1:17: executing \"output\" at <.kind.x>: can't evaluate field x in type interface {}";
        assert_eq!(
            error.message,
            format!("error executing template \"{{{{.kind}}}}-{{{{.kind.x}}}}\": {cause}")
        );
        assert_eq!(
            error.output,
            format!(
                "P<d-Error executing template: {cause}. Printing more information for debugging the template:\n\
                 \ttemplate was:\n\t\t{{{{.kind}}}}-{{{{.kind.x}}}}\n\
                 \traw data was:\n\t\t{{\"kind\":\"P\\u003cd\",\"n\":[1,null]}}\n\
                 \tobject given to template engine was:\n\t\tmap[kind:P<d n:[1 <nil>]]\n\n"
            )
        );
    }
}
