//! Quantised vectors.

/// A direction in the embedder's space: unit length, eight bits a dimension.
///
/// Eight bits cost less than a thousandth of a ranking figure and take a quarter of the memory of floats, so only the
/// embedder handles floats.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector {
    /// One step of `values`, so that `scale * value` is the component.
    pub scale: f32,
    /// The components in steps of `scale`.
    pub values: Box<[i8]>,
}

impl Vector {
    /// Quantises a vector of any length; a zero vector stays zero.
    pub fn quantise(components: &[f32]) -> Self {
        let norm = components.iter().map(|x| x * x).sum::<f32>().sqrt();
        let largest = components.iter().fold(0f32, |most, x| most.max(x.abs()));
        if norm == 0.0 || !norm.is_finite() {
            return Self { scale: 0.0, values: vec![0; components.len()].into() };
        }
        let step = largest / 127.0;
        let values = components.iter().map(|x| (x / step).round() as i8).collect();
        Self { scale: step / norm, values }
    }

    /// The cosine of the angle between the two.
    pub fn similarity(&self, other: &Vector) -> f32 {
        self.scale * other.scale * dot(&self.values, &other.values) as f32
    }
}

/// The dot product of two quantised vectors, exact.
fn dot(a: &[i8], b: &[i8]) -> i32 {
    a.iter().zip(b).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarity_survives_quantisation() {
        let a = Vector::quantise(&[3.0, 4.0, 0.0]);
        let b = Vector::quantise(&[4.0, 3.0, 0.0]);
        assert!((a.similarity(&b) - 0.96).abs() < 0.01);
        assert!((a.similarity(&a) - 1.0).abs() < 0.01);
        assert_eq!(Vector::quantise(&[0.0; 3]).similarity(&a), 0.0);
    }
}
