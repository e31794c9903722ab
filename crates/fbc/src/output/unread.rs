//! Output whose reader may go away while the work that it comes from goes on.

use std::io::{self, ErrorKind, Write};

/// Passes on what is written until the reader is gone, and drops the rest.
pub(crate) struct UntilUnread<'o> {
    out: &'o mut dyn Write,
    is_unread: bool,
}

impl<'o> UntilUnread<'o> {
    pub(crate) fn new(out: &'o mut dyn Write) -> Self {
        Self { out, is_unread: false }
    }

    fn unless_unread<T>(
        &mut self,
        otherwise: T,
        done: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> io::Result<T> {
        if self.is_unread {
            return Ok(otherwise);
        }
        match done(self.out) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.is_unread = true;
                Ok(otherwise)
            }
            result => result,
        }
    }
}

impl Write for UntilUnread<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_unread(bytes.len(), |out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_unread((), |out| out.flush())
    }
}
