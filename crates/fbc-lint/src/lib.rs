//! Findings: rules, their documentation, and profiles.
