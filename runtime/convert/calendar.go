package convert

// The proleptic Gregorian calendar, years 1 to 9999.

const secondsPerDay = 86400

var (
	daysBefore = [13]int32{0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334}
	monthDays  = [13]int32{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
)

func isLeap(year int) bool { return year&3 == 0 && (year%100 != 0 || year%400 == 0) }

// daysIn is the number of days in a month, 1 to 12.
func daysIn(year, month int) int {
	if month == 2 && isLeap(year) {
		return 29
	}
	return int(monthDays[month])
}

// daysSince1970 is the day number of a date that exists.
func daysSince1970(year, month, day int) int64 {
	y := year - 1 // whole years since the year 1, whose first day is -719162
	d := y*365 + y/4 - y/100 + y/400 + int(daysBefore[month]) + day - 1
	if month > 2 && isLeap(year) {
		d++
	}
	return int64(d - 719162)
}

// dayNumber is daysSince1970 of a date that may not exist.
func dayNumber(year, month, day int) (int64, bool) {
	if year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return 0, false
	}
	return daysSince1970(year, month, day), true
}

// The first second of the year 1 and the first after the year 9999.
const (
	minSeconds = -719162 * secondsPerDay
	endSeconds = 2932897 * secondsPerDay
)
