//! A cluster that somebody else drives: commands and time, after the steps of a scenario.

use super::{Goal, Options, Player};
use crate::engine::RunError;
use crate::scenario::prepare::Prepared;
use crate::scenario::setting::Printed;
use crate::time::{Milliseconds, Moment};

/// A cluster that is driven by hand.
pub struct Session<'s> {
    player: Player<'s>,
}

impl<'s> Session<'s> {
    /// A cluster as the scenario describes it, at its start.
    pub fn new(prepared: &'s Prepared, seed: Option<u64>) -> Self {
        let options = Options { seed, ..Options::default() };
        Self { player: Player::new(prepared, options) }
    }

    /// Plays the steps of the scenario.
    ///
    /// # Errors
    /// Why the run stopped before its end.
    pub fn play(&mut self) -> Result<(), String> {
        self.player.play().map_err(words)
    }

    /// What went otherwise than the scenario wants so far.
    pub fn faults(&self) -> Vec<String> {
        let file = &self.player.scenario.file;
        let fault = |step: &super::StepResult| {
            Some(format!("{file}:{}: {}: {}", step.place.line, step.name, step.fault.as_ref()?))
        };
        self.player.steps.iter().filter_map(fault).collect()
    }

    /// Runs a command line of `oc` or `kubectl`. The cluster does what is due at the same moment before the next one.
    ///
    /// # Errors
    /// Why time stopped, for commands that wait.
    pub fn run(&mut self, line: &str) -> Result<Printed, String> {
        self.player.last_activity = self.player.now();
        let printed = self.player.setting.run(line).map_err(words)?;
        self.wait(Some(0))?;
        Ok(printed)
    }

    /// Lets time go by: a span, or until nothing changes any more.
    ///
    /// # Errors
    /// Why time stopped.
    pub fn wait(&mut self, span: Option<Milliseconds>) -> Result<(), String> {
        let goal = span.map_or(Goal::Rest, |span| Goal::Moment(self.player.now() + span));
        self.player.advance(goal).map_err(words)
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

fn words(error: RunError) -> String {
    error.to_string()
}
