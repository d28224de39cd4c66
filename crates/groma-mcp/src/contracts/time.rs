//! Moments as clients read them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A moment in UTC as RFC 3339, to the second.
pub fn rfc3339(time: SystemTime) -> String {
    rfc3339_of_unix(time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs())
}

/// The same of seconds since 1970. The civil calendar repeats every 400 years of 146,097 days; years are counted
/// from March, so that the day a leap year adds comes last.
pub fn rfc3339_of_unix(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_civil() {
        assert_eq!(rfc3339_of_unix(0), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339_of_unix(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(rfc3339_of_unix(1_762_425_045), "2025-11-06T10:30:45Z");
        assert_eq!(rfc3339_of_unix(4_107_542_399), "2100-02-28T23:59:59Z");
        assert_eq!(rfc3339_of_unix(4_107_542_400), "2100-03-01T00:00:00Z");
    }
}
