//! The engine over real folders, by feature.
