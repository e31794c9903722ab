//! The time: of day for the log lines of opm's command line, today's date for waivers that expire, and moments
//! as texts. Nothing else may depend on it.

use fbc_lint::policy::Date;

use crate::failure::Failure;

use std::time::{SystemTime, UNIX_EPOCH};

/// Today in UTC; the day of the environment variable `SOURCE_DATE_EPOCH` where it is set, so that a build can
/// be repeated.
///
/// # Errors
/// The variable holds no number of seconds.
pub(crate) fn today() -> Result<Date, Failure> {
    let moment = match std::env::var("SOURCE_DATE_EPOCH") {
        Err(std::env::VarError::NotPresent) => Moment::now(),
        variable => {
            let seconds =
                variable.ok().and_then(|text| text.parse().ok()).filter(|seconds| *seconds < 1 << 37);
            Moment::at(seconds.ok_or_else(|| {
                Failure::new("SOURCE_DATE_EPOCH is no number of seconds since 1970")
                    .help("unset it, or name the day with `--today`")
            })?)
        }
    };
    let [month, day] = [moment.month, moment.day].map(|part| part as u8);
    Date::new(moment.year as u16, month, day)
        .ok_or_else(|| Failure::new("the clock gives no day of the calendar").help("name it with `--today`"))
}

/// A moment in UTC.
pub(crate) struct Moment {
    year: u64,
    month: u64,
    day: u64,
    second_of_day: u64,
}

impl Moment {
    /// Now.
    pub(crate) fn now() -> Self {
        Self::at(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs()))
    }

    /// The moment that many seconds after the beginning of 1970.
    pub(crate) fn at(seconds: u64) -> Self {
        // Days to a date by eras of 400 years that begin in March, so that the leap day comes last.
        let days = seconds / 86_400 + 719_468;
        let (era, day_of_era) = (days / 146_097, days % 146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        Self {
            year: era * 400 + year_of_era + u64::from(month <= 2),
            month,
            day: day_of_year - (153 * shifted_month + 2) / 5 + 1,
            second_of_day: seconds % 86_400,
        }
    }

    /// As logrus writes it: `2026-11-21T05:42:09Z`.
    pub(crate) fn rfc3339(&self) -> String {
        format!("{:04}-{:02}-{:02}T{}Z", self.year, self.month, self.day, self.time())
    }

    /// As Go's log package writes it: `2026/11/21 05:42:09`.
    pub(crate) fn go_log(&self) -> String {
        format!("{:04}/{:02}/{:02} {}", self.year, self.month, self.day, self.time())
    }

    fn time(&self) -> String {
        let second = self.second_of_day;
        format!("{:02}:{:02}:{:02}", second / 3_600, second / 60 % 60, second % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::Moment;

    #[test]
    fn dates() {
        assert_eq!(Moment::at(0).rfc3339(), "1970-01-01T00:00:00Z");
        assert_eq!(Moment::at(951_827_696).rfc3339(), "2000-02-29T12:34:56Z");
        assert_eq!(Moment::at(951_868_800).go_log(), "2000/03/01 00:00:00");
        assert_eq!(Moment::at(4_102_444_799).go_log(), "2099/12/31 23:59:59");
    }
}
