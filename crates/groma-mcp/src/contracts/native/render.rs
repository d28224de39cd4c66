//! Answers as compact text under a token budget.
//!
//! Full bodies come first, then signatures, then locations alone. A line is never truncated, and whatever is omitted is
//! counted, with how to get it.

use crate::surface::Answer;
use serde_json::Value;

/// Maximum size of an answer.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    bytes: usize,
}

/// Bytes per token of code, rounded down: common tokenizers average 3.2 to 3.6.
const BYTES_PER_TOKEN: usize = 3;

impl Budget {
    /// A budget of so many tokens.
    pub fn tokens(tokens: usize) -> Self {
        Self { bytes: tokens * BYTES_PER_TOKEN }
    }

    /// How many blocks, from the first, fit; at least one.
    pub fn blocks(self, blocks: &[String]) -> usize {
        let mut room = self.bytes.saturating_sub(CLOSING);
        let fitting = blocks.iter().take_while(|block| {
            let fits = block.len() <= room;
            room = room.saturating_sub(block.len());
            fits
        });
        fitting.count().max(1).min(blocks.len())
    }

    /// As many whole lines of a text as fit, and the number of the last; at least one.
    pub fn lines(self, text: &str, first: u32) -> (&str, u32) {
        let (mut end, mut last) = (0, first.saturating_sub(1));
        for line in text.split_inclusive('\n') {
            if end > 0 && end + line.len() > self.bytes.saturating_sub(CLOSING) {
                break;
            }
            end += line.len();
            last += 1;
        }
        (&text[..end], last.max(first))
    }
}

/// An entry of a list, in three sizes.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its location and what it is.
    pub head: String,
    /// Its first line or so; may be empty.
    pub signature: String,
    /// All of it.
    pub body: String,
}

/// Bytes reserved for the line that says what was omitted.
const CLOSING: usize = 200;

/// The heading of further results.
const FURTHER: &str = "Further places:\n";

/// The items, best first, in the largest size that fits, then as many of the further lines as there is room for.
pub fn list(items: &[Item], further: &[String], budget: Budget) -> String {
    let mut room = budget.bytes.saturating_sub(CLOSING);
    let (mut text, mut short, mut left_out) = (String::new(), 0, 0);
    for (index, item) in items.iter().enumerate() {
        // Reserve room to name each of the following items.
        let reserve: usize = items[index + 1..].iter().map(|item| item.head.len() + 1).sum();
        let spare = room.saturating_sub(reserve.min(room / 2));
        let full = format!("{}\n{}\n\n", item.head, item.body);
        let brief = format!("{}\n    {}\n", item.head, item.signature);
        let head = format!("{}\n", item.head);
        let chosen = if full.len() <= spare {
            full
        } else if !item.signature.is_empty() && brief.len() <= spare {
            short += 1;
            brief
        } else if head.len() <= room {
            short += 1;
            head
        } else {
            left_out += 1;
            continue;
        };
        room -= chosen.len();
        text.push_str(&chosen);
    }
    text.push_str(&closing(short, left_out));
    if left_out == 0 {
        text.push_str(&named(further, room));
    }
    text
}

/// Lines under a heading, as far as there is room.
fn named(lines: &[String], mut room: usize) -> String {
    let mut text = String::new();
    for line in lines {
        let head = if text.is_empty() { FURTHER.len() } else { 0 };
        let Some(left) = room.checked_sub(line.len() + 1 + head) else { break };
        room = left;
        text.push_str(if head > 0 { FURTHER } else { "" });
        text.push_str(line);
        text.push('\n');
    }
    text
}

fn closing(short: usize, left_out: usize) -> String {
    match (short, left_out) {
        (0, 0) => String::new(),
        (_, 0) => {
            format!("[{short} shown without their code: read_file shows it, or raise max_tokens]\n")
        }
        _ => format!(
            "[{short} shown without their code, {left_out} not shown: raise max_tokens or narrow the query]\n"
        ),
    }
}

/// The text followed by the notes.
pub fn with_notes(mut text: String, notes: &[String]) -> String {
    for note in notes {
        text.push_str(&format!("\nNote: {note}"));
    }
    text
}

/// Data, as text and in structured form.
pub fn data(value: Value) -> Answer {
    Answer { structured: Some(value.clone()), ..Answer::json(&value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(name: &str) -> Item {
        let body = format!("fn {name}() {{}}\n").repeat(20);
        Item { head: format!("src/{name}.rs:1-20"), signature: format!("fn {name}()"), body }
    }

    #[test]
    fn further_results_take_the_remaining_room() {
        let items = [item("one"), item("two")];
        let further: Vec<String> = (0..40).map(|n| format!("src/far{n}.rs: 1-9 far{n}")).collect();
        let whole = list(&items, &further, Budget::tokens(6000));
        assert!(whole.starts_with("src/one.rs:1-20\nfn one() {}\n"), "{whole}");
        assert!(whole.contains("\nFurther places:\nsrc/far0.rs: 1-9 far0\n"), "{whole}");
        assert_eq!(whole.matches("src/far").count(), 40);
        let tight = list(&items, &further, Budget::tokens(400));
        let named = tight.matches("src/far").count();
        assert!((1..40).contains(&named), "{tight}");
        assert!(tight.contains(&items[1].body), "hits come first: {tight}");
        assert!(tight.len() <= 1200, "{} bytes", tight.len());
        assert!(!list(&items, &[], Budget::tokens(6000)).contains("Further"));
        let least = list(&items, &further, Budget::tokens(100));
        assert!(least.len() <= 300 && least.contains("src/two.rs"), "{least}");
        assert!(!list(&items, &further, Budget::tokens(98)).contains("Further"), "no room");
    }
}
