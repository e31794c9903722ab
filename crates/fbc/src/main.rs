//! The fbc binary: memory, a thread with room for deep values, and the exit code. All else is in the library.

use std::process::ExitCode;

#[global_allocator]
static GLOBAL: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    fbc::run(std::env::args_os().collect())
}
