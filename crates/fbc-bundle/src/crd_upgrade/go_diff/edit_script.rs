//! The edit script between two lists, as go-cmp finds it.
//!
//! Source: `google/go-cmp:cmp/internal/diff/diff.go`. It searches from both ends in turn with a budget that is
//! linear in the lengths, so the script is good, not best. Which end begins is random there, the front here.

/// A step from the old to the new list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    Same,
    Removed,
    Inserted,
    Modified,
}

/// How alike two elements are: how many leaves are equal, how many differ.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Likeness {
    pub(super) same: usize,
    pub(super) different: usize,
}

impl Likeness {
    fn is_equal(self) -> bool {
        self.different == 0
    }

    fn is_similar(self) -> bool {
        self.same + 1 >= self.different
    }
}

/// A path from one corner of the matrix towards the other.
struct Path {
    x: isize,
    y: isize,
    edits: Vec<Edit>,
}

impl Path {
    fn push(&mut self, edit: Edit, direction: isize) {
        self.edits.push(edit);
        if edit != Edit::Inserted {
            self.x += direction;
        }
        if edit != Edit::Removed {
            self.y += direction;
        }
    }

    fn connect_forwards(&mut self, x: isize, y: isize, compare: &dyn Fn(usize, usize) -> Likeness) {
        while x > self.x && y > self.y {
            let likeness = compare(self.x as usize, self.y as usize);
            let edit = if likeness.is_equal() {
                Edit::Same
            } else if likeness.is_similar() {
                Edit::Modified
            } else if x - self.x >= y - self.y {
                Edit::Removed
            } else {
                Edit::Inserted
            };
            self.push(edit, 1);
        }
        while x > self.x {
            self.push(Edit::Removed, 1);
        }
        while y > self.y {
            self.push(Edit::Inserted, 1);
        }
    }

    fn connect_backwards(&mut self, x: isize, y: isize, compare: &dyn Fn(usize, usize) -> Likeness) {
        while self.x > x && self.y > y {
            let likeness = compare((self.x - 1) as usize, (self.y - 1) as usize);
            let edit = if likeness.is_equal() {
                Edit::Same
            } else if likeness.is_similar() {
                Edit::Modified
            } else if self.y - y >= self.x - x {
                Edit::Inserted
            } else {
                Edit::Removed
            };
            self.push(edit, -1);
        }
        while self.x > x {
            self.push(Edit::Removed, -1);
        }
        while self.y > y {
            self.push(Edit::Inserted, -1);
        }
    }
}

fn zigzag(step: isize) -> isize {
    if step & 1 == 0 { step >> 1 } else { !step >> 1 }
}

/// The script that turns a list of `old` elements into one of `new` elements.
pub(super) fn edit_script(old: usize, new: usize, compare: &dyn Fn(usize, usize) -> Likeness) -> Vec<Edit> {
    let mut forwards = Path { x: 0, y: 0, edits: Vec::new() };
    let mut backwards = Path { x: old as isize, y: new as isize, edits: Vec::new() };
    let (mut front_x, mut front_y) = (0, 0);
    let (mut back_x, mut back_y) = (backwards.x, backwards.y);
    let mut budget = 4 * (old + new);
    let mut is_forwards = true;
    let equal = |x: isize, y: isize| compare(x as usize, y as usize).is_equal();
    while front_x < back_x && front_y < back_y && budget > 0 {
        let (mut stop_right, mut stop_left, mut step) = (false, false, 0);
        while !(stop_right && stop_left) && budget > 0 {
            let z = zigzag(step);
            step += 1;
            if is_forwards {
                let (x, y) = (front_x + z, front_y - z);
                if x >= backwards.x || y < forwards.y {
                    stop_right = true;
                } else if y >= backwards.y || x < forwards.x {
                    stop_left = true;
                } else if equal(x, y) {
                    forwards.connect_forwards(x, y, compare);
                    forwards.push(Edit::Same, 1);
                    while forwards.x < backwards.x
                        && forwards.y < backwards.y
                        && equal(forwards.x, forwards.y)
                    {
                        forwards.push(Edit::Same, 1);
                    }
                    (front_x, front_y) = (forwards.x, forwards.y);
                    (stop_right, stop_left) = (true, true);
                } else {
                    budget -= 1;
                }
            } else {
                let (x, y) = (back_x - z, back_y + z);
                if forwards.x >= x || backwards.y < y {
                    stop_right = true;
                } else if forwards.y >= y || backwards.x < x {
                    stop_left = true;
                } else if equal(x - 1, y - 1) {
                    backwards.connect_backwards(x, y, compare);
                    backwards.push(Edit::Same, -1);
                    while forwards.x < backwards.x
                        && forwards.y < backwards.y
                        && equal(backwards.x - 1, backwards.y - 1)
                    {
                        backwards.push(Edit::Same, -1);
                    }
                    (back_x, back_y) = (backwards.x, backwards.y);
                    (stop_right, stop_left) = (true, true);
                } else {
                    budget -= 1;
                }
            }
        }
        if is_forwards {
            if backwards.x - front_x >= backwards.y - front_y { front_x += 1 } else { front_y += 1 }
        } else if back_x - forwards.x >= back_y - forwards.y {
            back_x -= 1;
        } else {
            back_y -= 1;
        }
        is_forwards = !is_forwards;
    }
    forwards.connect_forwards(backwards.x, backwards.y, compare);
    forwards.edits.extend(backwards.edits.into_iter().rev());
    forwards.edits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(old: &str, new: &str) -> String {
        let (old, new) = (old.as_bytes(), new.as_bytes());
        let compare = |x: usize, y: usize| {
            let is_same = old[x] == new[y];
            Likeness { same: usize::from(is_same), different: usize::from(!is_same) * 2 }
        };
        edit_script(old.len(), new.len(), &compare)
            .into_iter()
            .map(|edit| match edit {
                Edit::Same => '.',
                Edit::Removed => 'X',
                Edit::Inserted => 'Y',
                Edit::Modified => 'M',
            })
            .collect()
    }

    #[test]
    fn scripts() {
        for (old, new, expected) in [
            ("", "", ""),
            ("abc", "abc", "..."),
            ("", "ab", "YY"),
            ("ab", "", "XX"),
            ("abc", "axbc", ".Y.."),
            ("abc", "xyz", "XYXYXY"),
        ] {
            assert_eq!(script(old, new), expected, "{old} to {new}");
        }
    }
}
