//! How much an assistant reads up to the first answer.
//!
//! Output is read from the top, so the cost of an answer is everything before it and the answer itself.

use groma_engine::{Hit, MoreFile, MoreResult};

/// Bytes per token of source code; common tokenizers have 3.2 to 3.6.
const BYTES_PER_TOKEN: f64 = 3.4;

/// Token budgets for the share of answered queries, with their names.
const BUDGETS: [(f64, &str); 5] =
    [(500.0, "500"), (1000.0, "1k"), (2000.0, "2k"), (4000.0, "4k"), (8000.0, "8k")];

/// A unit of the output.
#[derive(Debug)]
pub struct Block {
    pub bytes: usize,
    /// Whether it shows a relevant location.
    pub answers: bool,
}

/// Tokens read up to the first answer of each query.
#[derive(Debug, Default)]
pub struct Reading {
    questions: usize,
    read: Vec<f64>,
}

impl Reading {
    /// Adds one query with its output.
    pub fn add(&mut self, blocks: &[Block]) {
        self.questions += 1;
        if let Some(index) = blocks.iter().position(|block| block.answers) {
            let bytes: usize = blocks[..=index].iter().map(|block| block.bytes).sum();
            self.read.push(bytes as f64 / BYTES_PER_TOKEN);
        }
    }

    /// One row: the mean over answered queries, and the share of all queries answered within each budget.
    pub fn row(&self) -> String {
        let mean = self.read.iter().sum::<f64>() / self.read.len().max(1) as f64;
        let mut row = format!("tokens mean {mean:.0}  recall");
        for (budget, name) in BUDGETS {
            let within = self.read.iter().filter(|read| **read <= budget).count();
            row += &format!("  {name} {:.3}", within as f64 / self.questions.max(1) as f64);
        }
        row + "\n"
    }
}

/// The bytes that the native surface shows for a hit: location, name and text.
pub fn bytes(hit: &Hit) -> usize {
    let name = hit.symbol.as_ref().map_or(hit.title.as_str(), |symbol| symbol.qualified.as_str());
    let kind = hit.symbol.as_ref().map_or("", |symbol| symbol.kind.as_str());
    let head = format!("{}:{}-{}  {kind} {name}  0.00\n", hit.path, hit.lines.start, hit.lines.end);
    head.len() + hit.content.len() + 2
}

/// The bytes that it shows for a file with further locations.
pub fn bytes_of_names(file: &MoreFile) -> usize {
    let place = |place: &MoreResult| {
        format!("{}-{} {}, ", place.lines.start, place.lines.end, place.name).len()
    };
    file.path.as_str().len() + 1 + file.results.iter().map(place).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_ends_with_the_first_answer() {
        let block = |bytes, answers| Block { bytes, answers };
        let mut reading = Reading::default();
        reading.add(&[block(340, false), block(34, true), block(3400, true)]);
        reading.add(&[block(340, false)]);
        assert_eq!((reading.questions, reading.read), (2, vec![110.0]));
    }

    #[test]
    fn a_question_without_an_answer_counts_against_every_budget() {
        let reading = Reading { questions: 4, read: vec![100.0, 900.0, 3500.0] };
        let expected =
            "tokens mean 1500  recall  500 0.250  1k 0.500  2k 0.500  4k 0.750  8k 0.750\n";
        assert_eq!(reading.row(), expected);
    }
}
