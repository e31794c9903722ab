//! What is served right now: replaced as a whole, while requests that have begun keep what they began with.

use std::sync::{Arc, PoisonError, RwLock};

/// A value that can be replaced while others use it.
#[derive(Debug)]
pub struct Current<T>(RwLock<Option<Arc<T>>>);

impl<T> Default for Current<T> {
    fn default() -> Self {
        Self(RwLock::new(None))
    }
}

impl<T> Current<T> {
    /// The value, if there is one yet.
    pub fn get(&self) -> Option<Arc<T>> {
        // A writer only moves a pointer, so what it leaves behind is whole even if its thread has failed.
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the value.
    pub fn set(&self, value: Arc<T>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(value);
    }
}
