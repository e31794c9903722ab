//! Validating admission policies with their bindings, and the conditions of webhooks: expressions over a request.
//!
//! `authorizer` is not among the variables. Audit annotations go nowhere.
//!
//! Source: `kubernetes/apiserver:pkg/admission/plugin/policy/validating/{dispatcher,validator}.go`.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use fbc_cel::{Budget, CompileError, Entries, Fault, OUT_OF_BUDGET, Program, Val, Variables, Wanted};
use fbc_go::regexp;
use serde_json::Value;

use super::bindings::{BoundPolicy, PolicyKind, bound};
use super::request::{Request, shown};
use crate::api::ApiServer;
use crate::apply::patch::PatchError;
use crate::error::{ApiError, Reason};
use crate::object::{Object, ObjectFields, ObjectName};

/// How deep the values of variables may lie in each other, as deep as any document.
const MOST_DEPTH: usize = 10_000;

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
    #[error("the result is larger than a request may be")]
    Size,
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

/// Whether all conditions of a webhook hold. They do not see the namespace of the object, as those of policies do.
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
    let mut inputs = Inputs::new(request, None, api);
    inputs.values.insert("namespaceObject", Value::Null);
    inputs.hold(conditions)
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
        let mut budget = Budget::of_conditions();
        let mut failed = Ok(true);
        for condition in conditions {
            let program = compiled(condition.text(&["expression"]), Wanted::Bool);
            let holds = program
                .and_then(|program| Ok(matches!(self.run(&program, &[], &mut budget)?, Val::Bool(true))));
            match holds {
                Ok(true) => {}
                Err(PolicyError::Evaluation(fault)) if fault == OUT_OF_BUDGET => {
                    return Err(PolicyError::Evaluation(fault));
                }
                // One that does not hold decides, even if another has no value.
                Ok(false) => return Ok(false),
                Err(error @ PolicyError::Evaluation(_)) => {
                    failed = failed.and(Err(error.in_expression(condition.text(&["expression"]))));
                }
                Err(error) => failed = failed.and(Err(error)),
            }
        }
        failed
    }

    /// The values of the variables that are read. One without a value has the reason in place of it, which ends what reads it.
    ///
    /// # Errors
    /// The budget is used up.
    ///
    /// Source: `kubernetes/apiserver:pkg/admission/plugin/cel/composition.go`.
    pub(super) fn known<'a>(
        &'a self,
        variables: &'a [Variable],
        read: &[&'a Program],
        budget: &mut Budget,
    ) -> Result<Vec<(Val<'a>, Val<'a>)>, PolicyError> {
        let mut known: Vec<(Val<'a>, Val<'a>)> = Vec::new();
        let mut depth = 0;
        for variable in needed(variables, read) {
            let name = &variable.name;
            let value = match &variable.program {
                Ok(program) => {
                    depth += program.depth();
                    match self.run(program, &known, budget) {
                        Err(PolicyError::Evaluation(fault)) if fault == OUT_OF_BUDGET => {
                            return Err(PolicyError::Evaluation(fault));
                        }
                        Ok(value) if depth <= MOST_DEPTH => value,
                        Ok(_) => failed(format!(
                            "composited variable {name:?} fails to evaluate: values of variables lie more than {MOST_DEPTH} \
                             levels deep in each other (limit nesting)"
                        )),
                        Err(error) => {
                            failed(format!("composited variable {name:?} fails to evaluate: {error}"))
                        }
                    }
                }
                Err(PolicyError::Compilation(error)) => failed(format!(
                    "composited variable {name:?} fails to compile: compilation failed: {error}"
                )),
                Err(error) => failed(format!("composited variable {name:?} fails to compile: {error}")),
            };
            known.push((Val::text(name.as_str()), value));
        }
        Ok(known)
    }

    /// What is said of each validation that does not hold.
    fn denials(&self, policy: &Object, fails: bool) -> Vec<(Reason, String)> {
        let variables = variables(policy);
        let validations = policy.list(&["spec", "validations"]);
        let compile = |field: &str, wanted| -> Vec<Result<Rc<Program>, PolicyError>> {
            validations.iter().map(|validation| compiled(validation.text(&[field]), wanted)).collect()
        };
        let (rules, messages) =
            (compile("expression", Wanted::Bool), compile("messageExpression", Wanted::Text));
        let read: Vec<&Program> = rules.iter().chain(&messages).flatten().map(|program| &**program).collect();
        let mut budget = Budget::of_request();
        let mut denials = Vec::new();
        let known = match self.known(&variables, &read, &mut budget) {
            Ok(known) => known,
            Err(error) => return fails.then(|| (Reason::Invalid, error.to_string())).into_iter().collect(),
        };
        for ((validation, rule), message) in validations.iter().zip(&rules).zip(&messages) {
            let expression = validation.text(&["expression"]);
            let outcome = match rule {
                Ok(program) => {
                    self.run(program, &known, &mut budget).map(|value| matches!(value, Val::Bool(true)))
                }
                Err(_) => Ok(true),
            };
            match (outcome, rule) {
                (_, Err(error)) if fails => {
                    let text = format!("expression '{expression}' resulted in error: {error}");
                    denials.push((Reason::Invalid, text));
                }
                // The others are not evaluated, and what they said does not count.
                (Err(PolicyError::Evaluation(fault)), _) if fault == OUT_OF_BUDGET => {
                    let text = PolicyError::Evaluation(fault).to_string();
                    return fails.then_some((Reason::Invalid, text)).into_iter().collect();
                }
                (Err(error), _) if fails => {
                    denials.push((Reason::Invalid, error.in_expression(expression).to_string()));
                }
                (Ok(false), Ok(_)) => {
                    let made = message.as_ref().ok().map(|program| self.run(program, &known, &mut budget));
                    denials.push((reason(validation), said(validation, made)));
                }
                _ => {}
            }
        }
        denials
    }

    pub(super) fn run<'a>(
        &'a self,
        program: &'a Program,
        variables: &[(Val<'a>, Val<'a>)],
        budget: &mut Budget,
    ) -> Result<Val<'a>, PolicyError> {
        let mut names: Vec<(&str, Val<'a>)> =
            self.values.iter().map(|(name, value)| (*name, Val::lift(value, None))).collect();
        names.push(("variables", Val::Map(Entries::Built(variables.to_vec().into()))));
        program.run_over(&names, budget).map_err(PolicyError::Evaluation)
    }
}

/// What is said of a validation that does not hold: what its expression for messages made, or its message.
fn said(validation: &Value, made: Option<Result<Val<'_>, PolicyError>>) -> String {
    match made {
        Some(Ok(Val::Text(text))) if !text.trim().is_empty() => text.trim().to_owned(),
        Some(Err(PolicyError::Evaluation(fault))) if fault == OUT_OF_BUDGET => {
            format!("failed messageExpression: {}", fault.0)
        }
        _ => match validation.text(&["message"]).trim() {
            "" => format!("failed expression: {}", validation.text(&["expression"]).trim()),
            text => text.to_owned(),
        },
    }
}

/// A variable of a policy, with its expression, or why that does not compile.
pub(super) struct Variable {
    name: String,
    program: Result<Rc<Program>, PolicyError>,
}

/// What stands in place of a value that there is not.
fn failed(reason: String) -> Val<'static> {
    Val::Failed(Rc::new(Fault(reason.into())))
}

/// The variables of a policy, in their order.
pub(super) fn variables(policy: &Object) -> Vec<Variable> {
    let variables = policy.list(&["spec", "variables"]).iter().map(|variable| Variable {
        name: variable.text(&["name"]).to_owned(),
        program: compiled(variable.text(&["expression"]), Wanted::Anything),
    });
    variables.collect()
}

/// The variables that programs read, and those that these read, in their order.
fn needed<'v>(variables: &'v [Variable], read: &[&'v Program]) -> Vec<&'v Variable> {
    let mut reading = Variables::default();
    read.iter().for_each(|program| program.collect_variables(&mut reading));
    let mut needed = Vec::new();
    // A variable reads those in front of it only.
    for variable in variables.iter().rev() {
        if reading.has(&variable.name) {
            variable.program.iter().for_each(|program| program.collect_variables(&mut reading));
            needed.push(variable);
        }
    }
    needed.reverse();
    needed
}

/// Expressions that a thread remembers, so that policies are not compiled again for each request.
#[derive(Default)]
struct Known {
    programs: HashMap<(String, Wanted), Rc<Program>>,
    /// Their lengths, and the weights of their regular expressions.
    weight: u64,
}

/// How much of these is remembered.
const REMEMBERED: u64 = 1_000_000;

thread_local! {
    static KNOWN: RefCell<Known> = RefCell::default();
}

pub(super) fn compiled(source: &str, wanted: Wanted) -> Result<Rc<Program>, PolicyError> {
    const NAMES: [&str; 6] = ["object", "oldObject", "request", "params", "namespaceObject", "variables"];
    let key = (source.to_owned(), wanted);
    if let Some(known) = KNOWN.with_borrow(|known| known.programs.get(&key).cloned()) {
        return Ok(known);
    }
    let program = Program::compile_over(source, &NAMES, wanted).map_err(PolicyError::Compilation)?;
    let program = Rc::new(program);
    let mut patterns = Vec::new();
    program.collect_patterns(&mut patterns);
    let weights = patterns.iter().map(|pattern| regexp::weight(pattern.source()).unwrap_or_default());
    let weight = weights.fold(100 + source.len() as u64, u64::saturating_add);
    KNOWN.with_borrow_mut(|known| {
        if known.weight.saturating_add(weight) > REMEMBERED {
            *known = Known::default();
        }
        if weight <= REMEMBERED {
            known.weight += weight;
            known.programs.insert(key, Rc::clone(&program));
        }
    });
    Ok(program)
}

fn reason(validation: &Value) -> Reason {
    match validation.text(&["reason"]) {
        "Unauthorized" => Reason::Unauthorized,
        "Forbidden" => Reason::Forbidden,
        "RequestEntityTooLarge" => Reason::BadRequest,
        _ => Reason::Invalid,
    }
}
