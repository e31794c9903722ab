//! Running a program over blobs: one by one, side by side where no input can have to do with another, all in
//! one list, or on no input at all.

use std::cell::Cell;
use std::io::{self, Write};

use fbc_model::writer::BlobRef;
use jaq_core::{Ctx, Vars};
use jaq_json::Val;
use jaq_std::input::RcIter;
use rayon::prelude::*;

use super::functions::{QueryData, Surroundings};
use super::output::{self, Layout};
use super::program::Program;
use super::values;

/// Blobs that are worked on at a time; it bounds memory.
const BATCH: usize = 64;

/// The output for one blob, in bytes, up to which it waits for its turn. A program may write without end.
const MAX_WAITING: usize = 1 << 20;

/// What a program gets as its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputMode {
    /// Each blob in turn.
    Each,
    /// One list of all blobs.
    Slurped,
    /// Null; `input` and `inputs` give the blobs.
    Null,
}

/// A program with all that it works on.
pub struct Query<'q> {
    /// The program.
    pub program: &'q Program,
    /// The blobs, in the order of rendered catalogs.
    pub blobs: &'q [BlobRef<'q>],
    /// The file of a blob.
    pub file_name: &'q (dyn Fn(usize) -> Option<String> + Sync),
    /// Takes what the program says beside its output.
    pub tell: &'q (dyn Fn(&[u8]) + Sync),
    /// The values of the variables that the program was compiled with.
    pub variables: &'q [Val],
    /// What the program gets.
    pub mode: InputMode,
    /// How values are written.
    pub layout: &'q Layout,
}

/// How it went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Whether the last value that was written is neither null nor false; nothing if there was none.
    pub last_is_true: Option<bool>,
    /// Whether the program failed on an input.
    pub has_errors: bool,
    /// The exit code that the program chose, where it ended the run.
    pub halted: Option<i32>,
}

/// How the work on one input ended.
enum End {
    Whole,
    /// There is more output than may wait.
    TooLong,
    Error(String),
    Halt(i32),
}

/// The work on one blob, waiting for its turn.
struct Waiting {
    output: Vec<u8>,
    last_is_true: Option<bool>,
    end: End,
}

/// Told of errors: the number of the blob, if it is about one, and the message.
pub type TellError<'t> = &'t mut dyn FnMut(Option<usize>, &str);

impl Query<'_> {
    /// Runs the program and writes what it gives.
    ///
    /// # Errors
    /// Those of the output.
    pub fn run(&self, out: &mut dyn Write, tell_error: TellError<'_>) -> io::Result<Outcome> {
        let mut outcome = Outcome::default();
        if self.mode == InputMode::Each && self.program.is_parallel {
            self.run_side_by_side(out, tell_error, &mut outcome)?;
        } else {
            self.run_in_turn(0..self.blobs.len(), out, tell_error, &mut outcome)?;
        }
        Ok(outcome)
    }

    fn run_side_by_side(
        &self,
        out: &mut dyn Write,
        tell_error: TellError<'_>,
        outcome: &mut Outcome,
    ) -> io::Result<()> {
        for start in (0..self.blobs.len()).step_by(BATCH) {
            let batch = start..self.blobs.len().min(start + BATCH);
            let done: Vec<(usize, Waiting)> = batch
                .into_par_iter()
                .with_max_len(4)
                .map(|number| (number, self.work_ahead(number)))
                .collect();
            for (number, waiting) in done {
                if matches!(waiting.end, End::TooLong) {
                    // Once more, this time straight to the output.
                    self.run_in_turn(number..number + 1, out, tell_error, outcome)?;
                    continue;
                }
                out.write_all(&waiting.output)?;
                outcome.last_is_true = waiting.last_is_true.or(outcome.last_is_true);
                settle(waiting.end, Some(number), tell_error, outcome);
            }
        }
        Ok(())
    }

    fn work_ahead(&self, number: usize) -> Waiting {
        let current = Cell::new(Some(number));
        let none = RcIter::new(std::iter::empty());
        let surroundings = Surroundings {
            lut: &self.program.filter.lut,
            inputs: &none,
            current: &current,
            file_name: self.file_name,
            tell: self.tell,
        };
        let mut output = Vec::new();
        let mut last_is_true = None;
        let end = self.apply(&surroundings, self.value(number), &mut |value| {
            output::append(&mut output, value, self.layout);
            last_is_true = Some(is_true(value));
            output.len() <= MAX_WAITING
        });
        Waiting { output, last_is_true, end }
    }

    fn run_in_turn(
        &self,
        blobs: std::ops::Range<usize>,
        out: &mut dyn Write,
        tell_error: TellError<'_>,
        outcome: &mut Outcome,
    ) -> io::Result<()> {
        let current = Cell::new(None);
        let (all, single) = match self.mode {
            InputMode::Each => (blobs, None),
            InputMode::Null => (blobs, Some(Val::Null)),
            InputMode::Slurped => {
                let all: Vec<Val> = blobs.into_par_iter().map(|number| self.value(number)).collect();
                (0..0, Some(all.into_iter().collect()))
            }
        };
        let taken = self.converted(all).map(|(number, value)| {
            current.set(Some(number));
            Ok(value)
        });
        let inputs = RcIter::new(taken);
        let surroundings = Surroundings {
            lut: &self.program.filter.lut,
            inputs: &inputs,
            current: &current,
            file_name: self.file_name,
            tell: self.tell,
        };
        let is_single = single.is_some();
        let mut single = single.into_iter();
        let mut text = Vec::new();
        loop {
            let next = if is_single { single.next() } else { (&inputs).next().and_then(Result::ok) };
            let Some(input) = next else { return Ok(()) };
            let mut written = Ok(());
            let end = self.apply(&surroundings, input, &mut |value| {
                text.clear();
                output::append(&mut text, value, self.layout);
                outcome.last_is_true = Some(is_true(value));
                written = out.write_all(&text);
                written.is_ok()
            });
            written?;
            settle(end, current.get(), tell_error, outcome);
            if outcome.halted.is_some() {
                return Ok(());
            }
        }
    }

    /// The blobs as values, made in parallel some ahead of their use.
    fn converted(&self, blobs: std::ops::Range<usize>) -> impl Iterator<Item = (usize, Val)> {
        let end = blobs.end;
        blobs.step_by(BATCH).flat_map(move |start| {
            let batch: Vec<(usize, Val)> = (start..end.min(start + BATCH))
                .into_par_iter()
                .with_max_len(4)
                .map(|number| (number, self.value(number)))
                .collect();
            batch
        })
    }

    fn value(&self, number: usize) -> Val {
        self.blobs.get(number).map(|blob| values::of_blob(*blob)).unwrap_or_default()
    }

    /// Runs the program on one input, until the taker of its values has had enough.
    fn apply<'a>(
        &self,
        surroundings: &'a Surroundings<'a>,
        input: Val,
        take: &mut dyn FnMut(&Val) -> bool,
    ) -> End {
        let context = Ctx::<QueryData>::new(surroundings, Vars::new(self.variables.iter().cloned()));
        for value in self.program.filter.id.run((context, input)) {
            match value.map_err(|exception| exception.get_halt().map_err(|other| other.get_err())) {
                Ok(value) if take(&value) => {}
                Ok(_) => return End::TooLong,
                Err(Ok(code)) => return End::Halt(code),
                Err(Err(Ok(error))) => return End::Error(error.to_string()),
                // Control flow of jaq's own that no program lets out.
                Err(Err(Err(_))) => return End::Whole,
            }
        }
        End::Whole
    }
}

fn settle(end: End, blob: Option<usize>, tell_error: TellError<'_>, outcome: &mut Outcome) {
    match end {
        End::Whole | End::TooLong => {}
        End::Halt(code) => outcome.halted = Some(code),
        End::Error(message) => {
            outcome.has_errors = true;
            tell_error(blob, &message);
        }
    }
}

fn is_true(value: &Val) -> bool {
    !matches!(value, Val::Null | Val::Bool(false))
}
