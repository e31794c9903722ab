//! Output that its reader may close while the work that it comes from goes on.

use std::io::{self, ErrorKind, Write};

/// Passes on what is written until the reader closes the output, and drops the rest.
pub(crate) struct UntilClosed<'o> {
    out: &'o mut dyn Write,
    is_closed: bool,
}

impl<'o> UntilClosed<'o> {
    pub(crate) fn new(out: &'o mut dyn Write) -> Self {
        Self { out, is_closed: false }
    }

    fn unless_closed<T>(
        &mut self,
        otherwise: T,
        done: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> io::Result<T> {
        if self.is_closed {
            return Ok(otherwise);
        }
        match done(self.out) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(otherwise)
            }
            result => result,
        }
    }
}

impl Write for UntilClosed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_closed(bytes.len(), |out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_closed((), |out| out.flush())
    }
}
