package gen

import "strconv"

// taxiHeader names the columns of the trip records of 2018, as the New York
// City Taxi and Limousine Commission published them.
const taxiHeader = "VendorID,tpep_pickup_datetime,tpep_dropoff_datetime,passenger_count,trip_distance," +
	"RatecodeID,store_and_fwd_flag,PULocationID,DOLocationID,payment_type,fare_amount,extra,mta_tax," +
	"tip_amount,tolls_amount,improvement_surcharge,total_amount\n"

const newYear2018 = 1514764800 // 2018-01-01 00:00:00, seconds since 1970

// taxi makes about three trips a second of its calendar.
type taxi struct{}

// Quantiles of a trip's distance in hundredths of a mile and of its pace in
// seconds a mile.
var (
	tripDistance = []int{0, 50, 75, 95, 116, 140, 170, 203, 250, 330, 510, 980, 2150}
	tripPace     = []int{110, 210, 260, 310, 350, 400, 450, 520, 640, 900}
	busyZones    = []int{48, 68, 79, 107, 132, 138, 142, 161, 162, 163, 164, 170, 186, 230, 231, 234, 236, 237, 239, 249}
)

func (*taxi) appendRecord(dst []byte, i int64, r *rng) []byte {
	pickup := newYear2018 + i/3 + int64(r.n(900))
	distance := r.quantile(tripDistance)
	ride := 40 + distance*r.quantile(tripPace)/100
	if r.oneIn(400) {
		ride += 80000 // the meter ran on: such trips are in the original
	}

	rate, fare, mta, surcharge := 1, 250+50*(distance/20+ride/360), 50, 30
	switch r.n(60) {
	case 0:
		rate, fare = 2, 5200 // JFK
	case 1:
		rate, fare, mta = 5, 100*r.between(10, 120), 0 // negotiated
	}
	extra := []int{0, 0, 0, 0, 50, 50, 50, 100}[r.n(8)]
	tolls := 0
	if distance > 900 && r.n(3) > 0 || r.oneIn(300) {
		tolls = 576
	}
	payment, tip := 1, 0
	switch p := r.n(200); {
	case p < 60:
		payment = 2
	case p == 60:
		payment = 3
	case p == 61:
		payment = 4
	default:
		tip = (fare + extra + mta + tolls + surcharge) * []int{20, 20, 20, 25, 30, 15, 10, 0}[r.n(8)] / 100
	}
	if payment > 2 && r.n(2) == 0 { // a refund
		fare, extra, mta, surcharge, tolls = -fare, -extra, -mta, -surcharge, -tolls
	}

	dst = append(dst, byte('1'+min(r.n(5), 1)), ',')
	dst = appendDateTime(dst, pickup)
	dst = append(dst, ',')
	dst = appendDateTime(dst, pickup+int64(ride))
	dst = append(dst, ',', "1111111122233456"[r.n(16)], ',')
	if distance >= 100 {
		dst = strconv.AppendInt(dst, int64(distance/100), 10)
	}
	dst = append(dst, '.') // distances below a mile have no digit before the point
	dst = append2(dst, distance%100)
	dst = append(dst, ',', byte('0'+rate), ',', flag(r.oneIn(250)), ',')
	dst = appendZone(dst, r)
	dst = append(dst, ',')
	dst = appendZone(dst, r)
	dst = append(dst, ',', byte('0'+payment))
	for _, cents := range [...]int{fare, extra, mta, tip, tolls, surcharge, fare + extra + mta + tip + tolls + surcharge} {
		dst = append(dst, ',')
		dst = appendShortCents(dst, cents)
	}
	return append(dst, '\n')
}

func flag(yes bool) byte {
	if yes {
		return 'Y'
	}
	return 'N'
}

// appendZone appends one of the 265 taxi zones, four times in five a busy one.
func appendZone(dst []byte, r *rng) []byte {
	zone := pick(r, busyZones)
	if r.oneIn(5) {
		zone = r.between(1, 265)
	}
	return strconv.AppendInt(dst, int64(zone), 10)
}
