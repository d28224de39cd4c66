//! A store in plain collections.
