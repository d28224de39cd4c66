//! Splitting of texts that are too long for a model: the vector is the weighted mean of the pieces' vectors.

use groma_core::Vector;

/// The minimum length of a piece: a text that is rejected at this length is rejected for another reason.
pub(super) const MIN_PIECE_BYTES: usize = 64;

/// Splits a text into pieces of at most `longest` bytes and about the same length: between lines if possible, else between
/// words, and inside a word only if it is longer than a piece.
pub(super) fn pieces(text: &str, longest: usize) -> Vec<&str> {
    let longest = longest.max(MIN_PIECE_BYTES);
    let mut pieces = Vec::new();
    let mut rest = text;
    while rest.len() > longest {
        let even = rest.len().div_ceil(rest.len().div_ceil(longest));
        let (piece, after) = rest.split_at(cut(rest, even, longest));
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    pieces.retain(|piece| !piece.trim().is_empty());
    pieces
}

/// The split point nearest to `wanted` and not beyond `longest`.
fn cut(text: &str, wanted: usize, longest: usize) -> usize {
    let end = (0..=longest).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let after = |gap: fn(char) -> bool| {
        let cuts =
            text[..end].char_indices().filter(|(_, c)| gap(*c)).map(|(at, c)| at + c.len_utf8());
        cuts.filter(|at| *at * 2 > wanted).min_by_key(|at| at.abs_diff(wanted))
    };
    after(|c| c == '\n').or_else(|| after(char::is_whitespace)).unwrap_or(end)
}

/// The mean of the pieces' vectors, weighted by their lengths.
pub(super) fn weighted_mean(pieces: &[&str], vectors: &[Vector]) -> Vector {
    let dimensions = vectors.first().map_or(0, |vector| vector.values.len());
    let mut sum = vec![0f32; dimensions];
    for (piece, vector) in pieces.iter().zip(vectors) {
        let weight = piece.len() as f32 * vector.scale;
        for (total, value) in sum.iter_mut().zip(&vector.values) {
            *total += weight * f32::from(*value);
        }
    }
    Vector::quantise(&sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_whole_lines_of_about_the_same_length() {
        let text = "fn one() {}\n".repeat(100);
        let cut = pieces(&text, 500);
        assert_eq!(cut.concat(), text);
        assert!(cut.iter().all(|piece| piece.len() <= 500 && piece.ends_with('\n')), "{cut:?}");
        let lengths = cut.iter().map(|piece| piece.len());
        assert!(lengths.clone().max().unwrap() - lengths.min().unwrap() <= 24, "{cut:?}");
        assert_eq!(pieces("short", 500), ["short"]);
    }

    #[test]
    fn long_lines_are_split_between_words_and_long_words_between_letters() {
        let words = "word ".repeat(100);
        assert!(pieces(&words, 90).iter().all(|piece| piece.len() <= 90 && piece.ends_with(' ')));
        let letters = "ä".repeat(1000);
        let cut = pieces(&letters, 99);
        assert_eq!(cut.concat(), letters);
        assert!(cut.iter().all(|piece| piece.len() <= 99));
    }

    #[test]
    fn blank_pieces_are_dropped() {
        assert!(pieces(&" \n".repeat(400), 100).is_empty());
        assert_eq!(pieces(&format!("{}x", "\n".repeat(400)), 100).concat().trim(), "x");
        assert!(pieces(&"x".repeat(1000), 0).iter().all(|piece| piece.len() <= MIN_PIECE_BYTES));
    }

    #[test]
    fn longer_pieces_weigh_more() {
        let vectors = [Vector::quantise(&[1.0, 0.0]), Vector::quantise(&[0.0, 1.0])];
        let joined = weighted_mean(&["three", "on"], &vectors);
        assert!(joined.similarity(&vectors[0]) > 0.9 && joined.similarity(&vectors[1]) > 0.3);
        assert!((joined.similarity(&joined) - 1.0).abs() < 0.02);
        assert_eq!(weighted_mean(&[], &[]).values.len(), 0);
    }
}
