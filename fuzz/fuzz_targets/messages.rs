//! Any bytes from an editor: messages come out of them, or what is wrong.
#![no_main]

use std::io::{Cursor, sink};

use fbc_lsp::transport::connect;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let (connection, threads) = connect(Cursor::new(bytes.to_vec()), sink()).expect("threads");
    let messages = connection.receiver.iter().count();
    assert!(messages <= bytes.len());
    drop(connection);
    let _ = threads.join();
});
