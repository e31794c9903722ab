//! What a run came to, as data.

use std::sync::Arc;

use fbc_cluster::budget::Exhausted;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::Milliseconds;
use serde_json::{Value, json};

use crate::fault::Place;
use crate::model::Step;

/// What a run came to. Times count from its start.
#[derive(Debug, Clone)]
pub struct Run {
    /// The file of the scenario.
    pub file: String,
    /// Its title.
    pub title: String,
    /// The seed that was used.
    pub seed: u64,
    /// Statements of documents that it shows.
    pub shows: Vec<String>,
    /// The moment of the start, as Kubernetes writes it.
    pub start: String,
    /// How long it was.
    pub end: Milliseconds,
    /// How many steps the scenario has.
    pub planned_steps: usize,
    /// The steps that were done, and those with checks to which the run did not come, which have a fault.
    pub steps: Vec<StepResult>,
    /// What became of all that was expected, in the order of the file.
    pub expectations: Vec<ExpectationResult>,
    /// What happened to objects.
    pub timeline: Vec<TimelineEntry>,
    /// All objects at the end.
    pub state: Vec<Arc<Object>>,
    /// Why it stopped early, if it did.
    pub stopped: Option<String>,
    /// The budget that it was stopped by.
    pub exhausted: Option<Exhausted>,
    /// The hash of the trace: equal for equal runs.
    pub hash: String,
    /// The lines of the trace, if they were wanted.
    pub trace: Vec<String>,
    /// How often controllers looked at an object.
    pub reconciliations: u64,
    /// What the controllers did, as the budget of the cluster counts it.
    pub work: u64,
}

/// What became of a step, or of the objects at the start.
#[derive(Debug, Clone)]
pub struct StepResult {
    /// Its number, from 1; 0 for the objects at the start.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub place: Place,
    /// The file that it stands in, unless that is the scenario.
    pub file: Option<String>,
    /// When it was done, or when the run ended without it.
    pub at: Milliseconds,
    /// How many entries of the timeline came before it.
    pub before: usize,
    /// What a command printed.
    pub printed: Option<String>,
    /// What went otherwise than the scenario wants.
    pub fault: Option<String>,
}

/// What became of an expectation.
#[derive(Debug, Clone)]
pub struct ExpectationResult {
    /// The number of the step, 0 for the whole scenario.
    pub step: usize,
    /// Where it stands.
    pub place: Place,
    /// What was expected.
    pub wanted: String,
    /// What became of it.
    pub verdict: Verdict,
}

/// What became of an expectation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It was seen, or never seen where it must not be.
    Met(Milliseconds),
    /// It was not; with what was seen instead.
    Failed(Milliseconds, String),
}

/// Something that happened to an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimelineEntry {
    /// When.
    pub at: Milliseconds,
    /// The kind of the object.
    pub kind: String,
    /// Namespace and name of the object.
    pub object: String,
    /// What.
    pub what: Happening,
}

/// What happens to objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happening {
    /// It is there.
    Created,
    /// Its deletion was requested.
    DeletionRequested,
    /// It is gone.
    Deleted,
    /// A condition is new or says something else.
    Condition {
        /// `type`
        condition_type: String,
        /// `status`; empty if the condition is gone.
        status: String,
        /// `reason`
        reason: String,
        /// `message`
        message: String,
        /// Whether the status is another one than before.
        is_transition: bool,
    },
    /// A field that sums the object up has another value, such as its phase.
    Field {
        /// What the field says.
        name: String,
        /// Its value; empty if it is gone.
        value: String,
    },
    /// An event was sent about it.
    Event {
        /// `Normal` or `Warning`
        event_type: String,
        /// `reason`
        reason: String,
        /// `message`
        message: String,
    },
}

impl StepResult {
    /// A step of which there is nothing to say yet, at a moment of the run and after so many entries of the timeline.
    pub(super) fn new(step: &Step, at: Milliseconds, before: usize) -> Self {
        let (number, name, place) = (step.number, step.name.clone(), step.place);
        Self { number, name, place, file: None, at, before, printed: None, fault: None }
    }
}

impl Run {
    /// True if all that was expected was seen and nothing stopped the run.
    pub fn is_success(&self) -> bool {
        self.stopped.is_none()
            && self.steps.iter().all(|step| step.fault.is_none())
            && self.expectations.iter().all(|result| matches!(result.verdict, Verdict::Met(_)))
    }

    /// The run as JSON: what `fbc simulate -o json` prints.
    pub fn to_json(&self) -> Value {
        let mut run = self.summary();
        if let Value::Object(fields) = &mut run {
            let objects = self.state.iter().map(|object| without_managers(object)).collect();
            fields.insert("timeline".to_owned(), self.timeline.iter().map(TimelineEntry::to_json).collect());
            fields.insert("objects".to_owned(), objects);
        }
        run
    }

    /// As [`Run::to_json`], as text. It is put together piece by piece, since as a value a long run takes many times
    /// its own memory.
    pub fn to_json_text(&self) -> String {
        let mut text = self.summary().to_string();
        text.pop();
        let mut list = |name: &str, items: &mut dyn Iterator<Item = Value>| {
            text.push_str(&format!(",\"{name}\":["));
            for (number, item) in items.enumerate() {
                text.push_str(if number > 0 { "," } else { "" });
                text.push_str(&item.to_string());
            }
            text.push(']');
        };
        list("timeline", &mut self.timeline.iter().map(TimelineEntry::to_json));
        list("objects", &mut self.state.iter().map(|object| without_managers(object)));
        text.push('}');
        text
    }

    /// All but the lists.
    fn summary(&self) -> Value {
        json!({
            "file": self.file,
            "title": self.title,
            "shows": self.shows,
            "seed": self.seed,
            "success": self.is_success(),
            "stopped": self.stopped,
            "start": self.start,
            "end_ms": self.end,
            "reconciliations": self.reconciliations,
            "hash": self.hash,
            "steps": self.steps.iter().map(StepResult::to_json).collect::<Vec<_>>(),
            "expectations": self.expectations.iter().map(ExpectationResult::to_json).collect::<Vec<_>>(),
        })
    }
}

/// An object as command lines show it.
fn without_managers(object: &Object) -> Value {
    let mut object = object.clone();
    object.remove(&["metadata", "managedFields"]);
    object
}

impl StepResult {
    /// File and line, for a scenario of this file; what stands nowhere has no line.
    pub fn location(&self, scenario: &str) -> String {
        let file = self.file.as_deref().unwrap_or(scenario);
        if self.place.line == 0 { file.to_owned() } else { format!("{file}:{}", self.place.line) }
    }

    fn to_json(&self) -> Value {
        // A line is one of the scenario; what stands in another file says so itself.
        let line = if self.file.is_some() { 0 } else { self.place.line };
        let fault = self.fault.as_ref().map(|fault| match &self.file {
            Some(file) => format!("{}: {fault}", self.location(file)),
            None => fault.clone(),
        });
        json!({
            "number": self.number, "name": self.name, "line": line, "at_ms": self.at,
            "printed": self.printed, "fault": fault,
        })
    }
}

impl ExpectationResult {
    fn to_json(&self) -> Value {
        let (met, at, seen) = match &self.verdict {
            Verdict::Met(at) => (true, at, None),
            Verdict::Failed(at, seen) => (false, at, Some(seen)),
        };
        json!({
            "step": self.step, "line": self.place.line, "wanted": self.wanted, "met": met, "at_ms": at,
            "seen": seen,
        })
    }
}

impl TimelineEntry {
    /// The entry as JSON.
    pub fn to_json(&self) -> Value {
        let mut entry = json!({"at_ms": self.at, "kind": self.kind, "object": self.object});
        let (name, what) = match &self.what {
            Happening::Created => ("what", json!("created")),
            Happening::DeletionRequested => ("what", json!("deletion requested")),
            Happening::Deleted => ("what", json!("deleted")),
            Happening::Condition { condition_type, status, reason, message, is_transition } => (
                "condition",
                json!({
                    "type": condition_type, "status": status, "reason": reason, "message": message,
                    "transition": is_transition,
                }),
            ),
            Happening::Field { name, value } => ("field", json!({"name": name, "value": value})),
            Happening::Event { event_type, reason, message } => {
                ("event", json!({"type": event_type, "reason": reason, "message": message}))
            }
        };
        entry.set(&[name], what);
        entry
    }
}
