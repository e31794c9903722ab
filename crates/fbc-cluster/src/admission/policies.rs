//! Validating admission policies with their bindings, and the conditions of webhooks: expressions over a request.
//!
//! `authorizer` is not among the variables. Warnings and audit annotations go nowhere.
//!
//! Source: `kubernetes/apiserver:pkg/admission/plugin/policy/validating/{dispatcher,validator}.go`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::bindings::{BoundPolicy, PolicyKind, bound};
use super::request::{Request, shown};
use crate::api::ApiServer;
use crate::error::{ApiError, Reason};
use crate::object::{Object, ObjectFields, ObjectName};
use crate::schema::cel::value::{Entries, Val};
use crate::schema::cel::{Program, Wanted};

/// How much the expressions of one policy may cost for one request.
const BUDGET: u64 = 10_000_000;

/// Asks every policy that is bound.
///
/// # Errors
/// The refusal of the first policy that denies the request.
pub(crate) fn validate(request: &Request<'_>, api: &ApiServer) -> Result<(), ApiError> {
    if !request.is_asked_about() {
        return Ok(());
    }
    for bound in bound(PolicyKind::Validating, api) {
        let denies = bound.binding.list(&["spec", "validationActions"]).iter().any(|action| action == "Deny");
        if !denies || !bound.is_about(request, api) {
            continue;
        }
        if let Some((reason, cause)) = denial(&bound, request, api) {
            return Err(bound.refusal(request, reason, &cause));
        }
    }
    Ok(())
}

/// Why a policy denies a request, if it does.
fn denial(bound: &BoundPolicy<'_>, request: &Request<'_>, api: &ApiServer) -> Option<(Reason, String)> {
    let policy = bound.policy;
    let fails = policy.text(&["spec", "failurePolicy"]) != "Ignore";
    let failed = |text: String| fails.then_some((Reason::Invalid, text));
    let params = match bound.params(request, api) {
        Ok(params) => params,
        Err(text) => return failed(text),
    };
    for params in params {
        let inputs = Inputs::new(request, params.as_deref(), api);
        match inputs.hold(policy.list(&["spec", "matchConditions"])) {
            Ok(true) => {}
            Ok(false) => continue,
            Err(text) => return failed(text),
        }
        if let Some(found) = inputs.denial(policy, fails) {
            return Some(found);
        }
    }
    None
}

/// Whether all conditions of a webhook hold.
///
/// # Errors
/// An expression does not compile, or has no value.
pub(crate) fn conditions_hold(
    conditions: &[Value],
    request: &Request<'_>,
    api: &ApiServer,
) -> Result<bool, String> {
    if conditions.is_empty() {
        return Ok(true);
    }
    Inputs::new(request, None, api).hold(conditions)
}

/// What expressions see.
pub(super) struct Inputs {
    values: BTreeMap<&'static str, Value>,
}

impl Inputs {
    pub(super) fn new(request: &Request<'_>, params: Option<&Object>, api: &ApiServer) -> Self {
        let namespace = ObjectName::cluster(request.about().namespace());
        let namespace = api.find("", "Namespace", &namespace).map(|namespace| &**namespace);
        let mut review = request.to_json(request.about().uid());
        review.remove(&["object"]);
        review.remove(&["oldObject"]);
        let values = BTreeMap::from([
            ("object", shown(request.object)),
            ("oldObject", shown(request.before)),
            ("request", review),
            ("params", shown(params)),
            ("namespaceObject", shown(namespace)),
        ]);
        Self { values }
    }

    pub(super) fn hold(&self, conditions: &[Value]) -> Result<bool, String> {
        for condition in conditions {
            let program = compiled(condition.text(&["expression"]), Wanted::Bool)?;
            match self.run(&program, &Vec::new()) {
                Ok(Val::Bool(true)) => {}
                Ok(_) => return Ok(false),
                Err(text) => return Err(text),
            }
        }
        Ok(true)
    }

    /// The values of the variables of a policy. One without a value is missing where it is used.
    pub(super) fn known<'a>(&'a self, variables: &'a [Variable]) -> Vec<(Val<'a>, Val<'a>)> {
        let mut known: Vec<(Val<'a>, Val<'a>)> = Vec::new();
        for (name, program) in variables {
            if let Ok(program) = program
                && let Ok(value) = self.run(program, &known)
            {
                known.push((Val::text(name.clone()), value));
            }
        }
        known
    }

    /// The first validation that does not hold.
    fn denial(&self, policy: &Object, fails: bool) -> Option<(Reason, String)> {
        let variables = variables(policy);
        let known = self.known(&variables);
        policy.list(&["spec", "validations"]).iter().find_map(|validation| {
            let expression = validation.text(&["expression"]);
            let failed = |text: &str| {
                let text = format!("expression '{expression}' resulted in error: {text}");
                fails.then_some((Reason::Invalid, text))
            };
            let program = match compiled(expression, Wanted::Bool) {
                Ok(program) => program,
                Err(text) => return failed(&text),
            };
            match self.run(&program, &known) {
                Ok(Val::Bool(true)) => None,
                Ok(_) => Some((reason(validation), self.message(validation, &known))),
                Err(text) => failed(&text),
            }
        })
    }

    fn message(&self, validation: &Value, known: &Vec<(Val<'_>, Val<'_>)>) -> String {
        let made = validation.text(&["messageExpression"]);
        if !made.is_empty()
            && let Ok(program) = compiled(made, Wanted::Text)
            && let Ok(Val::Text(text)) = self.run(&program, known)
            && !text.trim().is_empty()
        {
            return text.trim().to_owned();
        }
        match validation.text(&["message"]).trim() {
            "" => format!("failed expression: {}", validation.text(&["expression"]).trim()),
            text => text.to_owned(),
        }
    }

    pub(super) fn run<'a>(
        &'a self,
        program: &'a Program,
        variables: &[(Val<'a>, Val<'a>)],
    ) -> Result<Val<'a>, String> {
        let mut names: Vec<(&str, Val<'a>)> =
            self.values.iter().map(|(name, value)| (*name, Val::lift(value, None))).collect();
        names.push(("variables", Val::Map(Entries::Built(variables.to_vec().into()))));
        program.run_over(&names, &mut { BUDGET }).map_err(|fault| fault.0.into_owned())
    }
}

/// A variable of a policy: its name, and its expression or why that does not compile.
pub(super) type Variable = (String, Result<Program, String>);

/// The variables of a policy, in their order.
pub(super) fn variables(policy: &Object) -> Vec<Variable> {
    let variables = policy.list(&["spec", "variables"]).iter().map(|variable| {
        let program = compiled(variable.text(&["expression"]), Wanted::Anything);
        (variable.text(&["name"]).to_owned(), program)
    });
    variables.collect()
}

pub(super) fn compiled(source: &str, wanted: Wanted) -> Result<Program, String> {
    const NAMES: [&str; 6] = ["object", "oldObject", "request", "params", "namespaceObject", "variables"];
    Program::compile_over(source, &NAMES, wanted)
        .map_err(|error| format!("compilation error: compilation failed: {error}"))
}

fn reason(validation: &Value) -> Reason {
    match validation.text(&["reason"]) {
        "Unauthorized" => Reason::Unauthorized,
        "Forbidden" => Reason::Forbidden,
        "RequestEntityTooLarge" => Reason::BadRequest,
        _ => Reason::Invalid,
    }
}
