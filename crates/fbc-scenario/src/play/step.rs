//! Doing what a step says.

use fbc_cluster::engine::RunError;
use serde_json::json;

use super::run::StepResult;
use super::{Goal, Player};
use crate::model::{Action, PatchKind, Step};
use crate::read::manifests::Manifest;
use crate::setting::StepError;

impl Player<'_> {
    /// Puts the objects of the start in their places.
    pub(super) fn set_up(&mut self) {
        let faults = self.setting.set_up(&self.prepared.objects);
        for (manifest, fault) in faults {
            self.steps.push(StepResult {
                number: 0,
                name: "objects at the start".to_owned(),
                place: manifest.map(|manifest| manifest.place).unwrap_or_default(),
                file: manifest
                    .map(|manifest| manifest.file.clone())
                    .filter(|file| *file != self.scenario.file),
                at: 0,
                before: 0,
                printed: None,
                fault: Some(fault),
            });
        }
    }

    /// Does a step and writes down what came of it.
    pub(super) fn perform(&mut self, step: &Step, manifests: &[Manifest]) -> Result<(), RunError> {
        let (at, before) = (self.now().since(self.start), self.timeline.len());
        self.trace.borrow_mut().add(&json!({"at_ms": at, "step": step.number, "name": step.name}));
        let mut printed = None;
        // Controllers write between steps; what they are warned of concerns nobody here.
        drop(self.setting.cluster.api.take_warnings());
        let outcome: Result<(), StepError> = match &step.action {
            None => Ok(()),
            Some(Action::Apply(_)) => self.setting.apply(manifests),
            Some(Action::Create(_)) => self.setting.create(manifests),
            Some(Action::Delete(references, propagation)) => self.setting.delete(references, *propagation),
            Some(Action::Patch(object, kind, patch, of_status)) => {
                self.setting.patch(object, *kind, patch, *of_status)
            }
            Some(Action::Scale(object, replicas)) => {
                let patch = json!({"spec": {"replicas": replicas}});
                self.setting.patch(object, PatchKind::Merge, &patch, false)
            }
            Some(Action::Publish(publication)) => self.setting.publish(publication),
            Some(Action::UpdateService(service)) => self.setting.answer_updates(service, step.number),
            Some(Action::Facts(facts)) => self.setting.learn(facts.clone()),
            Some(Action::Break(trouble)) => self.setting.set_trouble(trouble, true),
            Some(Action::Fix(trouble)) => self.setting.set_trouble(trouble, false),
            Some(Action::Restart(component)) => self.setting.restart(*component),
            Some(Action::Jump(span)) => {
                let now = self.now();
                self.setting.cluster.api.advance_to(now + *span);
                Ok(())
            }
            Some(Action::Wait(span)) => {
                let now = self.now();
                self.advance(Goal::Moment(now + *span))?;
                Ok(())
            }
            Some(Action::Run(command)) => {
                let answer = self.setting.run(&command.line, &self.printed)?;
                let fault = answer.fault(command);
                printed = Some(answer.text());
                fault.map_or(Ok(()), |fault| Err(StepError::Command(fault)))
            }
        };
        if is_write(step.action.as_ref()) {
            let warnings = self.setting.cluster.api.take_warnings();
            let lines: String = warnings.iter().map(|text| format!("Warning: {text}\n")).collect();
            printed = Some(lines).filter(|lines| !lines.is_empty());
        }
        let outcome = outcome.map_err(|error| error.to_string());
        let fault = match (&step.refused, outcome) {
            (None, outcome) => outcome.err(),
            (Some(wanted), Ok(())) => Some(format!("was accepted, but a refusal was expected: {wanted}")),
            (Some(wanted), Err(text)) if wanted.accepts(&text) => None,
            (Some(wanted), Err(text)) => Some(format!("was refused with {text:?}, expected was {wanted}")),
        };
        self.steps.push(StepResult { printed, fault, ..StepResult::new(step, at, before) });
        Ok(())
    }

    /// The steps with checks to which the run did not come before its end: none of them holds.
    pub(super) fn unchecked(&self) -> Vec<StepResult> {
        let left = self.scenario.steps.iter().skip(self.reached).filter(|step| step.is_check());
        let (at, before) = (self.now().since(self.start), self.timeline.len());
        let result = |step: &Step| StepResult {
            fault: Some("not reached: the run ended before this step".to_owned()),
            ..StepResult::new(step, at, before)
        };
        left.map(result).collect()
    }
}

/// Whether a step is itself the client that writes, and is told of warnings.
fn is_write(action: Option<&Action>) -> bool {
    let is_change = |action: &Action| {
        matches!(
            action,
            Action::Apply(_) | Action::Create(_) | Action::Delete(..) | Action::Patch(..) | Action::Scale(..)
        )
    };
    action.is_some_and(is_change)
}
