//! All budgets, in the order of the page that is made of them.

mod images;
mod reading;
mod simulation;

use super::Limit;

const COULD_NOT_RUN: &str = "the command ends with exit code 2";

/// All budgets of this program: those of what it is built without are left out.
pub fn all() -> impl Iterator<Item = &'static Limit> {
    [reading::LIMITS, simulation::LIMITS, images::LIMITS].into_iter().flatten()
}
