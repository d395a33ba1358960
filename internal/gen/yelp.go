package gen

const yelpHeader = `"review_id","user_id","business_id","stars","date","text","useful","funny","cool"` + "\n"

// yelp makes reviews; all nine fields are quoted.
type yelp struct{}

// reviewLength are quantiles of a review's length in bytes, 610 on average.
var reviewLength = []int{30, 110, 165, 215, 270, 330, 400, 480, 580, 710, 900, 1250, 3700}

func (yelp) appendRecord(dst []byte, _ int64, r *rng) []byte {
	for range 3 {
		dst = append(dst, '"')
		dst = appendID(dst, r, 22)
		dst = append(dst, '"', ',')
	}
	dst = append(dst, '"', "1234445555"[r.n(10)], '"', ',', '"')
	dst = appendDate(dst, r.between(13000, 17800)) // 2005 to 2018
	dst = append(dst, '"', ',', '"')
	dst = appendReview(dst, r.quantile(reviewLength), r)
	dst = append(dst, '"')
	for range 3 {
		dst = append(dst, ',', '"')
		if votes := r.skewed(r.skewed(60) + 1); votes >= 10 {
			dst = append2(dst, votes)
		} else {
			dst = append(dst, '0'+byte(votes))
		}
		dst = append(dst, '"')
	}
	return append(dst, '\n')
}

// appendReview appends sentences until n bytes are written.
func appendReview(dst []byte, n int, r *rng) []byte {
	end := len(dst) + n
	for {
		first := len(dst)
		for words := r.between(4, 18); ; words-- {
			word := pick(r, reviewWords)
			quoted := r.oneIn(90)
			if quoted {
				dst = append(dst, '"', '"')
			}
			dst = append(dst, word...)
			if quoted {
				dst = append(dst, '"', '"')
			}
			if words == 0 {
				break
			}
			if r.oneIn(12) {
				dst = append(dst, ',')
			}
			dst = append(dst, ' ')
		}
		if c := dst[first]; 'a' <= c && c <= 'z' {
			dst[first] = c - 'a' + 'A'
		}
		dst = append(dst, "....!?"[r.n(6)])
		if len(dst) >= end {
			return dst
		}
		if r.oneIn(5) {
			dst = append(dst, '\n', '\n')
		} else {
			dst = append(dst, ' ')
		}
	}
}

var reviewWords = []string{
	"the", "the", "the", "the", "and", "and", "and", "a", "a", "a", "to", "to", "was", "was", "I", "I", "of", "of", "it",
	"it", "is", "for", "for", "in", "in", "that", "with", "my", "this", "but", "they", "have", "we", "you", "on", "not",
	"were", "had", "so", "at", "place", "food", "good", "great", "very", "there", "are", "all", "as", "our", "be", "if",
	"like", "just", "service", "out", "time", "one", "me", "here", "would", "get", "from", "or", "their", "when", "back",
	"really", "up", "ordered", "been", "will", "go", "more", "chicken", "best", "what", "nice", "which", "about", "an",
	"also", "only", "your", "came", "well", "love", "some", "she", "he", "because", "no", "who", "can", "staff", "even",
	"after", "don't", "friendly", "other", "ever", "people", "delicious", "definitely", "try", "didn't", "than", "made",
	"never", "restaurant", "first", "pretty", "order", "little", "amazing", "order", "menu", "know", "going", "it's",
	"I'm", "I've", "wait", "table", "always", "too", "could", "before", "over", "how", "got", "went", "us", "did", "come",
	"experience", "fresh", "bar", "two", "night", "cheese", "recommend", "pizza", "burger", "sauce", "minutes", "customer",
	"better", "said", "around", "asked", "room", "price", "prices", "lunch", "dinner", "breakfast", "again", "coffee",
	"salad", "rice", "clean", "hot", "small", "sweet", "worth", "café", "jalapeño", "crème brûlée", "phở", "naïve", "10/10",
	"$12", "5-star", "soup", "server", "waitress", "atmosphere", "favorite", "sushi", "drinks", "beer", "special", "perfect",
	"everything", "something", "nothing", "anything", "disappointed", "overpriced", "atmosphere", "location", "parking",
}
