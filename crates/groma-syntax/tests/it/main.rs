//! What each language's query draws from a file of real-looking code.

mod fastparse;
mod hostile;
mod languages;
