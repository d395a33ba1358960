package convert

// The proleptic Gregorian calendar, years 1 to 9999.

const secondsPerDay = 86400

// Months count from March in a year that begins with it, so that a leap day
// comes last: monthStart is the day of that year, and yearShift says which
// months belong to the year before.
var (
	monthStart = [13]int16{0, 306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275}
	yearShift  = [13]int16{1: 1, 2: 1}
	monthDays  = [13]int8{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
)

func isLeap(year int) bool { return year&3 == 0 && (year%100 != 0 || year%400 == 0) }

// daysSince1970 is the day number of a date that exists.
func daysSince1970(year, month, day int) int64 {
	y := uint(year) - uint(yearShift[month])
	d := y*365 + y/4 - y/100 + y/400 + uint(monthStart[month]) + uint(day)
	return int64(d) - 719469
}

// dayNumber is daysSince1970 of a date that may not exist.
func dayNumber(year, month, day int) (int64, bool) {
	if uint(year-1) > 9998 || uint(month-1) > 11 || day < 1 {
		return 0, false
	}
	if day > int(monthDays[month]) && (month != 2 || day != 29 || !isLeap(year)) {
		return 0, false
	}
	return daysSince1970(year, month, day), true
}

// The first second of the year 1 and the first after the year 9999.
const (
	minSeconds = -719162 * secondsPerDay
	endSeconds = 2932897 * secondsPerDay
)
