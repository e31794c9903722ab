//! What is expected of a run, as data.

use fbc_cluster::time::Milliseconds;
use fbc_kubectl::jsonpath::Template;
use serde_json::Value;

use super::{Command, ObjectReference};
use crate::fault::Place;
use crate::pattern::Pattern;

/// What is expected.
#[derive(Debug, Clone)]
pub struct Expectation {
    /// Where it stands.
    pub place: Place,
    /// What must be seen.
    pub check: Check,
    /// Until when.
    pub limit: Limit,
}

/// What must be seen.
#[derive(Debug, Clone)]
pub enum Check {
    /// A state of an object.
    State(Predicate),
    /// States that are reached one after the other.
    Order(Vec<Predicate>),
    /// What a command prints.
    Output(Command),
}

/// Until when something must be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// When the cluster is still.
    AtRest,
    /// At some moment in this time.
    Within(Milliseconds),
    /// At no moment until the end, or in this time.
    Never(Option<Milliseconds>),
}

/// A state of an object.
#[derive(Debug, Clone)]
pub struct Predicate {
    /// The object.
    pub object: ObjectReference,
    /// What is asked of it.
    pub test: Test,
}

/// What is asked of an object.
#[derive(Debug, Clone)]
pub enum Test {
    /// It is there.
    Exists,
    /// It is not there.
    Absent,
    /// It has a condition.
    Condition(ConditionTest),
    /// Values behind paths.
    Fields(Vec<FieldTest>),
    /// An event about it.
    Event(EventTest),
}

/// A condition that is expected.
#[derive(Debug, Clone, Default)]
pub struct ConditionTest {
    /// `type`
    pub condition_type: String,
    /// `status`
    pub status: Option<String>,
    /// `reason`
    pub reason: Option<String>,
    /// `message`
    pub message: Option<Pattern>,
    /// `observedGeneration`
    pub observed_generation: Option<i64>,
}

/// A value behind a path.
#[derive(Debug, Clone)]
pub struct FieldTest {
    /// The path, as written.
    pub path: String,
    /// The path.
    pub template: Template,
    /// What is expected there.
    pub value: FieldValue,
}

/// What is expected behind a path.
#[derive(Debug, Clone)]
pub enum FieldValue {
    /// Nothing.
    Nothing,
    /// This value.
    Equal(Value),
    /// A text.
    Text(Pattern),
}

/// An event that is expected.
#[derive(Debug, Clone)]
pub struct EventTest {
    /// `reason`
    pub reason: Option<String>,
    /// `type`: `Normal` or `Warning`
    pub event_type: Option<String>,
    /// `message`
    pub message: Option<Pattern>,
}
