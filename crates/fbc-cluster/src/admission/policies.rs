//! Validating admission policies with their bindings, and the conditions of webhooks: expressions over a request.
//!
//! `authorizer` is not among the variables. Audit annotations go nowhere.
//!
//! Source: `kubernetes/apiserver:pkg/admission/plugin/policy/validating/{dispatcher,validator}.go`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::bindings::{BoundPolicy, PolicyKind, bound};
use super::request::{Request, shown};
use crate::api::ApiServer;
use crate::apply::patch::PatchError;
use crate::error::{ApiError, Reason};
use crate::object::{Object, ObjectFields, ObjectName};
use crate::schema::cel::value::{Entries, Val};
use crate::schema::cel::{CompileError, Fault, Program, Wanted};

/// How much the expressions of one policy may cost for one request.
const BUDGET: u64 = 10_000_000;

/// What policies say about a request.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// The refusal of the first policy that denies it.
    pub(crate) refusal: Option<ApiError>,
    /// What clients are warned of, each once.
    pub(crate) warnings: Vec<String>,
}

/// Asks every policy that is bound, also after one denies the request.
pub(crate) fn validate(request: &Request<'_>, api: &ApiServer) -> Verdict {
    let mut verdict = Verdict::default();
    if !request.is_asked_about() {
        return verdict;
    }
    for bound in bound(PolicyKind::Validating, api) {
        if bound.is_about(request, api) {
            ask(&bound, request, api, &mut verdict);
        }
    }
    verdict
}

/// Lets the actions of a binding follow from the decisions of its policy.
fn ask(bound: &BoundPolicy<'_>, request: &Request<'_>, api: &ApiServer, verdict: &mut Verdict) {
    let Verdict { refusal, warnings } = verdict;
    let mut deny = |reason: Reason, cause: &str| {
        refusal.get_or_insert_with(|| bound.refusal(request, reason, cause));
    };
    let params = match bound.params(request, api) {
        Ok(params) => params,
        // Whatever the actions: nobody knows what the policy would say.
        Err(error) if bound.denies_on_failure() => return deny(Reason::Invalid, &error.to_string()),
        Err(_) => return,
    };
    let has_action = |wanted: &str| {
        bound.binding.list(&["spec", "validationActions"]).iter().any(|action| action == wanted)
    };
    let (denies, warns) = (has_action("Deny"), has_action("Warn"));
    if !denies && !warns {
        return;
    }
    for (reason, message) in params.iter().flat_map(|params| denials(bound, request, params.as_deref(), api))
    {
        if denies {
            deny(reason, &message);
        }
        if warns {
            let (policy, binding) = (bound.policy.name(), bound.binding.name());
            let text = format!(
                "Validation failed for ValidatingAdmissionPolicy '{policy}' with binding '{binding}': {message}"
            );
            if !warnings.contains(&text) {
                warnings.push(text);
            }
        }
    }
}

/// Why a policy denies a request: a reason and a message for each validation that fails.
fn denials(
    bound: &BoundPolicy<'_>,
    request: &Request<'_>,
    params: Option<&Object>,
    api: &ApiServer,
) -> Vec<(Reason, String)> {
    let fails = bound.denies_on_failure();
    let inputs = Inputs::new(request, params, api);
    match inputs.hold(bound.policy.list(&["spec", "matchConditions"])) {
        Ok(true) => inputs.denials(bound.policy, fails),
        Err(error) if fails => vec![(Reason::Invalid, error.to_string())],
        Ok(false) | Err(_) => Vec::new(),
    }
}

/// Why a policy cannot say something of a request, or change it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PolicyError {
    #[error("compilation error: compilation failed: {0}")]
    Compilation(CompileError),
    #[error("{}", .0.0)]
    Evaluation(Fault),
    #[error("expression '{expression}' resulted in error: {error}")]
    Expression { expression: String, error: Box<Self> },
    #[error(
        "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction"
    )]
    NoParams,
    #[error("must be an object")]
    NoObject,
    #[error("{0} must not be changed")]
    Fixed(String),
    #[error("keys must be strings")]
    Key,
    #[error("a {0} cannot be written as JSON")]
    NoJson(&'static str),
    #[error(transparent)]
    Patch(#[from] PatchError),
}

impl PolicyError {
    /// The same with the expression that it is about.
    pub(super) fn in_expression(self, expression: &str) -> Self {
        Self::Expression { expression: expression.to_owned(), error: Box::new(self) }
    }
}

/// Whether all conditions of a webhook hold.
///
/// # Errors
/// An expression does not compile, or has no value.
pub(crate) fn conditions_hold(
    conditions: &[Value],
    request: &Request<'_>,
    api: &ApiServer,
) -> Result<bool, PolicyError> {
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

    pub(super) fn hold(&self, conditions: &[Value]) -> Result<bool, PolicyError> {
        for condition in conditions {
            let program = compiled(condition.text(&["expression"]), Wanted::Bool)?;
            if !matches!(self.run(&program, &Vec::new())?, Val::Bool(true)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The values of the variables of a policy. One without a value is missing where it is used.
    pub(super) fn known<'a>(&'a self, variables: &'a [Variable]) -> Vec<(Val<'a>, Val<'a>)> {
        let mut known: Vec<(Val<'a>, Val<'a>)> = Vec::new();
        for (name, program) in variables {
            if let Some(program) = program
                && let Ok(value) = self.run(program, &known)
            {
                known.push((Val::text(name.clone()), value));
            }
        }
        known
    }

    /// What is said of each validation that does not hold.
    fn denials(&self, policy: &Object, fails: bool) -> Vec<(Reason, String)> {
        let variables = variables(policy);
        let known = self.known(&variables);
        let denial = |validation: &Value| {
            let expression = validation.text(&["expression"]);
            let outcome = compiled(expression, Wanted::Bool)
                .and_then(|program| Ok(matches!(self.run(&program, &known)?, Val::Bool(true))));
            match outcome {
                Ok(true) => None,
                Ok(false) => Some((reason(validation), self.message(validation, &known))),
                Err(error) => fails.then(|| (Reason::Invalid, error.in_expression(expression).to_string())),
            }
        };
        policy.list(&["spec", "validations"]).iter().filter_map(denial).collect()
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
    ) -> Result<Val<'a>, PolicyError> {
        let mut names: Vec<(&str, Val<'a>)> =
            self.values.iter().map(|(name, value)| (*name, Val::lift(value, None))).collect();
        names.push(("variables", Val::Map(Entries::Built(variables.to_vec().into()))));
        program.run_over(&names, &mut { BUDGET }).map_err(PolicyError::Evaluation)
    }
}

/// A variable of a policy: its name, and its expression if that compiles.
pub(super) type Variable = (String, Option<Program>);

/// The variables of a policy, in their order.
pub(super) fn variables(policy: &Object) -> Vec<Variable> {
    let variables = policy.list(&["spec", "variables"]).iter().map(|variable| {
        let program = compiled(variable.text(&["expression"]), Wanted::Anything).ok();
        (variable.text(&["name"]).to_owned(), program)
    });
    variables.collect()
}

pub(super) fn compiled(source: &str, wanted: Wanted) -> Result<Program, PolicyError> {
    const NAMES: [&str; 6] = ["object", "oldObject", "request", "params", "namespaceObject", "variables"];
    Program::compile_over(source, &NAMES, wanted).map_err(PolicyError::Compilation)
}

fn reason(validation: &Value) -> Reason {
    match validation.text(&["reason"]) {
        "Unauthorized" => Reason::Unauthorized,
        "Forbidden" => Reason::Forbidden,
        "RequestEntityTooLarge" => Reason::BadRequest,
        _ => Reason::Invalid,
    }
}
