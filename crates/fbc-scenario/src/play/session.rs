//! A cluster that somebody else drives: commands and time, after the steps of a scenario.

use std::sync::Arc;

use fbc_cluster::api::Mutator as _;
use fbc_cluster::engine::{Cluster, RunError};
use fbc_cluster::time::{Milliseconds, Moment};
use fbc_go::allowance::Allowance;
use fbc_model::tree::Tree;
use fbc_olm::catalogd::NameLabel;
use fbc_olm::content::{Outside, SharedImages};
use fbc_olm::names::{OPERATOR_CONTROLLER, REVISION_CONTROLLER};

use super::pending::not_reached;
use super::{Goal, Options, Player, Verdict};
use crate::prepare::Prepared;
use crate::setting::Printed;

/// A part with two names.
struct Names {
    for_users: &'static str,
    in_cluster: &'static str,
}

/// The scheduler calls itself the default one.
const SCHEDULER: Names = Names { for_users: "scheduler", in_cluster: "default-scheduler" };

/// A cluster that is driven by hand.
pub struct Session<'s> {
    player: Player<'s>,
}

impl<'s> Session<'s> {
    /// A cluster as the scenario describes it, at its start.
    pub fn new(prepared: &'s Prepared, seed: Option<u64>) -> Self {
        Self::with_options(prepared, Options { seed, ..Options::default() })
    }

    /// As [`Session::new`], within other budgets than the usual ones.
    pub fn with_options(prepared: &'s Prepared, options: Options) -> Self {
        Self { player: Player::new(prepared, options) }
    }

    /// How OLM v1 is set up in the cluster.
    pub fn olm_options(&self) -> fbc_olm::Options {
        crate::setting::options(self.player.scenario)
    }

    /// The images that the cluster can pull.
    pub fn images(&self) -> SharedImages {
        self.player.setting.images()
    }

    /// The parts of the cluster that can be left out: its controllers, and the programs of OLM v0.
    pub fn parts(&self) -> Vec<&'static str> {
        let name = |part| if part == SCHEDULER.in_cluster { SCHEDULER.for_users } else { part };
        self.player.setting.parts().into_iter().map(name).collect()
    }

    /// Leaves a part out, so that somebody else can play it. False if there is no such part.
    pub fn remove(&mut self, name: &str) -> bool {
        let setting = &mut self.player.setting;
        let name = if name == SCHEDULER.for_users { SCHEDULER.in_cluster } else { name };
        let is_there = setting.remove_part(name);
        if name == OPERATOR_CONTROLLER {
            // A part of the same program.
            setting.cluster.remove_controller(REVISION_CONTROLLER);
        }
        if name == "catalogd" {
            // Its webhook is gone with it.
            setting.cluster.api.remove_mutator(NameLabel.name());
        }
        is_there
    }

    /// Lets the cluster pull from registries outside of the simulation what the scenario does not push.
    pub fn set_outside(&mut self, outside: Box<dyn Outside>) {
        self.player.setting.set_outside(outside);
    }

    /// Plays the steps of the scenario.
    ///
    /// # Errors
    /// Why the run stopped before its end.
    pub fn play(&mut self) -> Result<(), RunError> {
        self.player.play()?;
        let now = self.player.now();
        // What must never be seen is still watched; all else was to come of the steps.
        self.player.pendings.iter_mut().filter(|one| !one.is_never()).for_each(|one| one.conclude(now));
        Ok(())
    }

    /// The cluster itself, for whoever drives it in another way from now on. It is not traced any more.
    pub fn cluster(&mut self) -> &mut Cluster {
        let cluster = &mut self.player.setting.cluster;
        cluster.stop_trace();
        cluster
    }

    /// Lets command lines read other files from now on.
    pub fn read_from(&mut self, files: Arc<dyn Tree>) {
        self.player.setting.files = files;
    }

    /// What went otherwise than the scenario wants so far: steps, and expectations that are not met.
    pub fn faults(&self) -> Vec<String> {
        let Player { scenario, pendings, steps, start, .. } = &self.player;
        let file = &scenario.file;
        let unchecked = self.player.unchecked();
        let fault = |step: &super::StepResult| {
            Some(format!("{}: {}: {}", step.location(file), step.name, step.fault.as_ref()?))
        };
        let decided = pendings.iter().filter(|one| one.is_decided()).map(|one| one.result(*start));
        let missed = not_reached(&scenario.steps, self.player.reached, self.elapsed());
        let unmet = decided.chain(missed).filter_map(|result| {
            let Verdict::Failed(_, seen) = &result.verdict else { return None };
            Some(format!("{file}:{}: not met: {}: {seen}", result.place.line, result.wanted))
        });
        steps.iter().chain(&unchecked).filter_map(fault).chain(unmet).collect()
    }

    /// Runs a command line of `oc` or `kubectl`. The cluster does what is due at the same moment before the next one.
    ///
    /// # Errors
    /// Why time stopped, for commands that wait.
    pub fn run(&mut self, line: &str) -> Result<Printed, RunError> {
        self.player.last_activity = self.player.now();
        let printed = self.player.setting.run(line, &Allowance::default())?;
        self.wait(Some(0))?;
        Ok(printed)
    }

    /// Lets time go by: a span, or until nothing changes any more.
    ///
    /// # Errors
    /// Why time stopped.
    pub fn wait(&mut self, span: Option<Milliseconds>) -> Result<(), RunError> {
        let goal = span.map_or(Goal::Rest, |span| Goal::Moment(self.player.now() + span));
        self.player.advance(goal)
    }

    /// How long the cluster has run.
    pub fn elapsed(&self) -> Milliseconds {
        self.player.now().since(self.player.start)
    }

    /// The present moment.
    pub fn moment(&self) -> Moment {
        self.player.now()
    }
}
