//! The state machine of a run: the table, and every transition as it really happens.

use super::*;

const STATES: [State; 7] = [
    State::Scan,
    State::Acquire,
    State::Rescan,
    State::Write,
    State::Repair,
    State::FallBack,
    State::Done,
];

const EVENTS: [Event; 9] = [
    Event::Current,
    Event::VectorsLeft,
    Event::Changed,
    Event::Writer,
    Event::Superseded,
    Event::Cleared,
    Event::Reset,
    Event::Damaged,
    Event::EmbedderUnavailable,
];

#[test]
fn the_table_has_these_transitions_and_no_others() {
    let mut table = String::new();
    for state in STATES {
        for event in EVENTS {
            if let Some(next) = state.after(event) {
                table.push_str(&format!("{state:?} {event:?} {next:?}\n"));
            }
        }
    }
    assert_eq!(
        table,
        "Scan Current Done\n\
         Scan VectorsLeft Scan\n\
         Scan Changed Acquire\n\
         Scan Damaged Repair\n\
         Acquire Writer Write\n\
         Acquire Superseded Rescan\n\
         Acquire Cleared Done\n\
         Acquire Damaged Repair\n\
         Rescan Current Done\n\
         Rescan VectorsLeft Scan\n\
         Rescan Changed Acquire\n\
         Rescan Damaged Repair\n\
         Write Current Done\n\
         Write VectorsLeft Scan\n\
         Write Superseded Scan\n\
         Write Damaged Repair\n\
         Write EmbedderUnavailable FallBack\n\
         Repair Reset Scan\n\
         FallBack Reset Scan\n"
    );
}
