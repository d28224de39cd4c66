//! Numbers formatted for people: 3,456 files, 1.2 MB, 12 ms, 3 minutes ago.

use std::time::{Duration, SystemTime};

/// A number with thousands separators.
pub fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things, in the singular or plural.
pub fn counted(number: usize, thing: &str) -> String {
    let things = match thing.strip_suffix('y') {
        _ if number == 1 => thing.to_string(),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if thing.ends_with('x') => format!("{thing}es"),
        _ => format!("{thing}s"),
    };
    format!("{} {things}", count(number))
}

/// A size.
pub fn bytes(size: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "kB", "MB", "GB", "TB"];
    let mut value = size as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    match unit {
        0 => format!("{size} bytes"),
        _ if value < 9.95 => format!("{value:.1} {}", UNITS[unit]),
        _ => format!("{value:.0} {}", UNITS[unit]),
    }
}

/// A duration.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        s if s < 0.000_999_5 => format!("{:.0} µs", s * 1e6),
        s if s < 0.009_95 => format!("{:.1} ms", s * 1e3),
        s if s < 0.999_5 => format!("{:.0} ms", s * 1e3),
        s if s < 59.95 => format!("{s:.1} s"),
        _ => format!("{} min {} s", time.as_secs() / 60, time.as_secs() % 60),
    }
}

/// Things per second.
pub fn rate(number: usize, time: Duration) -> usize {
    (number as f64 / time.as_secs_f64().max(0.001)) as usize
}

/// The time since a moment.
pub fn ago(then: SystemTime) -> String {
    let seconds = then.elapsed().map_or(0, |time| time.as_secs()) as usize;
    let (number, unit) = match seconds {
        0..60 => return "just now".to_string(),
        60..3_600 => (seconds / 60, "minute"),
        3_600..86_400 => (seconds / 3_600, "hour"),
        86_400..63_072_000 => (seconds / 86_400, "day"),
        _ => (seconds / 31_556_952, "year"),
    };
    format!("{} ago", counted(number, unit))
}

/// Seconds since 1970, for JSON.
pub fn unix(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// A number rounded to the given digits, for JSON.
pub fn rounded(value: f64, digits: i32) -> f64 {
    let factor = 10f64.powi(digits);
    (value * factor).round() / factor
}

/// Milliseconds, for JSON.
pub fn milliseconds(time: Duration) -> f64 {
    rounded(time.as_secs_f64() * 1000.0, 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(counted(1, "file"), "1 file");
        assert_eq!(counted(3456, "file"), "3,456 files");
        assert_eq!(counted(2, "discovery"), "2 discoveries");
        assert_eq!(counted(2, "index"), "2 indexes");
        assert_eq!(counted(2, "day"), "2 days");
        assert_eq!(
            [0, 999, 1_200_000, 999_960, 45_600_000_000].map(bytes),
            ["0 bytes", "999 bytes", "1.2 MB", "1.0 MB", "46 GB"]
        );
        let times = [0.000_34, 0.0042, 0.012, 1.24, 125.0].map(Duration::from_secs_f64);
        assert_eq!(times.map(duration), ["340 µs", "4.2 ms", "12 ms", "1.2 s", "2 min 5 s"]);
        assert_eq!(rounded(0.123_456, 4), 0.1235);
    }

    #[test]
    fn times_ago_are_readable() {
        let ago = |seconds| ago(SystemTime::now() - Duration::from_secs(seconds));
        assert_eq!(
            [5, 60, 7200, 200_000, 63_071_000, 322_617_600].map(ago),
            [
                "just now",
                "1 minute ago",
                "2 hours ago",
                "2 days ago",
                "729 days ago",
                "10 years ago"
            ]
        );
    }
}
