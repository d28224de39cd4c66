//! Several places that were read.

use crate::page::{Line, Page};
use crate::place::{place_view_json, push_place};
use groma_engine::{EngineError, PlaceView};
use serde_json::{Value, json};

/// The views of a place, or why it cannot be read.
pub type ReadPlace = Result<Vec<PlaceView>, EngineError>;

/// The places as lines.
pub fn read_page(read: &[ReadPlace]) -> Page {
    let mut page = Page::default();
    for one in read {
        match one {
            Ok(views) => views.iter().for_each(|view| push_place(&mut page, view)),
            Err(error) => page.push(Line::Note(error.to_string())),
        }
    }
    page
}

/// The places as JSON, each as the client wrote it.
pub fn read_json(places: &[String], read: &[ReadPlace]) -> Value {
    let place = |(place, read): (&String, &ReadPlace)| match read {
        Ok(views) => json!({
            "place": place,
            "views": views.iter().map(place_view_json).collect::<Vec<_>>(),
        }),
        Err(error) => json!({ "place": place, "error": error.to_string() }),
    };
    json!({ "places": places.iter().zip(read).map(place).collect::<Vec<_>>() })
}
