//! What commands that run for long keep of the memory of this machine.

use std::thread;
use std::time::Duration;

/// How long the allocator keeps what is freed, in case that it is needed again, and a little more.
///
/// Source: `microsoft/mimalloc:src/options.c` (`purge_delay`).
const KEPT: Duration = Duration::from_millis(1_200);

/// A block that the allocator takes from its arenas and not from the pages of a thread.
const LARGE: usize = 8 << 20;

/// Asks the system for small pages from now on. Of huge ones a part is never used: a catalog of 60 MB costs a third more
/// memory with them, and is loaded no faster.
pub fn use_small_pages() {
    // A system that cannot do so wastes memory, nothing else.
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_thp_disable(true);
}

/// Gives back to the system what loading took and freed. The allocator does so when a large block is freed, and only with
/// what was freed a while before; a program that waits for requests frees none.
pub fn give_back() {
    let free_large_block = || {
        thread::sleep(KEPT);
        drop(std::hint::black_box(Vec::<u8>::with_capacity(LARGE)));
    };
    // Without a thread the memory stays with this program.
    let _ = thread::Builder::new().name("memory".to_owned()).spawn(free_large_block);
}
