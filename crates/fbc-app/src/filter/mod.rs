//! Parts of catalogs: what is wanted, why it cannot be had, and the directories that are written of them.

pub mod folder;
pub mod refusal;
pub mod selection;
