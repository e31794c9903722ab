//! States of zones.

use super::zones::State;

/// D-TT-23, TT-9, vector 19
#[test]
fn zones_are_lost_by_number_and_share() {
    for (ready, lost, state) in [
        (4, 0, State::Normal),
        (2, 2, State::Normal),
        (1, 3, State::PartialDisruption),
        (2, 3, State::PartialDisruption),
        (3, 3, State::Normal),
        (5, 6, State::Normal),
        (9, 11, State::PartialDisruption),
        (4, 6, State::PartialDisruption),
        (27, 33, State::PartialDisruption),
        (0, 2, State::FullDisruption),
        (0, 1, State::FullDisruption),
        (0, 0, State::Normal),
    ] {
        assert_eq!(State::of(ready, lost, 0.55), state, "{ready} ready, {lost} lost");
    }
}
