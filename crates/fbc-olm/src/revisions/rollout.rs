//! Rolling a revision out, phase by phase, and tearing it down in reverse.
//!
//! Source: `package-operator/boxcutter:machinery/phases.go`, `revision.go`.

use fbc_cluster::api::ApiServer;

use super::Revision;
use super::content::Phase;
use super::error::RevisionError;
use super::objects::{Action, Objects, Outcome};
use super::probe::Status;
use super::reference::ObjectReference;

/// A phase after it was looked at.
#[derive(Debug, Clone)]
pub(super) struct PhaseOutcome {
    pub(super) objects: Vec<Outcome>,
}

impl PhaseOutcome {
    /// True if the next phase may begin.
    pub(super) fn is_complete(&self) -> bool {
        self.objects.iter().all(Outcome::is_complete)
    }

    /// True if some objects, but not all, belong to a newer revision.
    pub(super) fn is_passing_on(&self) -> bool {
        let passed = self.objects.iter().filter(|object| object.action == Action::Progressed).count();
        passed > 0 && passed < self.objects.len()
    }

    /// True if an object of a newer revision waits for the answer of its controller.
    pub(super) fn is_early(&self) -> bool {
        let is_early =
            |object: &Outcome| object.action == Action::Progressed && object.probed.status == Status::Unknown;
        self.objects.iter().any(is_early)
    }

    /// The reports of collisions.
    pub(super) fn collisions(&self) -> Vec<&str> {
        let collisions = self.objects.iter().filter(|object| object.action == Action::Collision);
        collisions.map(|object| object.report.as_str()).collect()
    }
}

/// Rolls phases out until one is not complete.
pub(super) fn roll_out(
    revision: &Revision<'_>,
    api: &mut ApiServer,
) -> Result<Vec<PhaseOutcome>, RevisionError> {
    let mut outcomes = Vec::new();
    for phase in revision.phases {
        let outcome =
            roll_out_phase(revision, phase, api).map_err(|error| RevisionError::RollOut(Box::new(error)))?;
        let is_complete = outcome.is_complete();
        outcomes.push(outcome);
        if !is_complete {
            break;
        }
    }
    Ok(outcomes)
}

fn roll_out_phase(
    revision: &Revision<'_>,
    phase: &Phase,
    api: &mut ApiServer,
) -> Result<PhaseOutcome, RevisionError> {
    revision.authenticate(api)?;
    let mut objects = Objects { revision, api };
    // The reference means to report these refusals as those of a phase, but takes them for failures of the check.
    let refusals: Vec<String> = phase
        .objects
        .iter()
        .filter_map(|wanted| {
            let error = objects.try_out(&wanted.object).err()?;
            Some(format!("{}: {error}", ObjectReference::of(&wanted.object)))
        })
        .collect();
    if !refusals.is_empty() {
        return Err(RevisionError::Refused(refusals));
    }
    let mut outcomes = Vec::with_capacity(phase.objects.len());
    let mut errors = Vec::new();
    for wanted in &phase.objects {
        match objects.reconcile(wanted) {
            Ok(outcome) => outcomes.push(outcome),
            Err(error) => {
                errors.push(format!("reconciling {}: {error}", ObjectReference::of(&wanted.object)))
            }
        }
    }
    match errors.is_empty() {
        true => Ok(PhaseOutcome { objects: outcomes }),
        false => Err(RevisionError::Objects(errors)),
    }
}

/// Takes a revision away, the last phase first; the next one waits until all objects are gone. True once nothing is
/// left.
pub(super) fn tear_down(revision: &Revision<'_>, api: &mut ApiServer) -> Result<bool, RevisionError> {
    for phase in revision.phases.iter().rev() {
        let mut objects = Objects { revision, api };
        let mut is_gone = true;
        for wanted in &phase.objects {
            is_gone &= objects.tear_down(&wanted.object).map_err(|error| RevisionError::TearDown {
                object: ObjectReference::of(&wanted.object).to_string(),
                error: Box::new(error),
            })?;
        }
        if !is_gone {
            return Ok(false);
        }
    }
    Ok(true)
}
