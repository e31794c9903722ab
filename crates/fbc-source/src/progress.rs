//! How far images are on their way: what is told, and nobody has to listen.

use fbc_registry::Observer;
use oci_spec::image::Descriptor;

/// Who shows how far the work is.
pub trait Progress: Observer {
    /// An image begins to travel, with these blobs; nothing if nobody watches.
    fn image(&self, _name: &str, _blobs: &[Descriptor]) -> Option<Box<dyn ImageProgress>> {
        None
    }

    /// So many images begin to travel.
    fn images(&self, _total: usize) -> Option<Box<dyn Count>> {
        None
    }

    /// So many questions about images are asked.
    fn questions(&self, _total: usize) -> Option<Box<dyn Count>> {
        None
    }

    /// All that travels has arrived or failed: what is told next stands alone.
    fn clear(&self) {}
}

/// An image on its way; it has ended when this is dropped.
pub trait ImageProgress {
    /// A blob is where it should be, whether it moved or not.
    fn blob_is_there(&self, blob: &Descriptor);
}

/// A number of things, some of them done; all of it has ended when this is dropped.
pub trait Count {
    /// One more is done.
    fn advance(&self);
}
