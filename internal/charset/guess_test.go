package charset

import (
	"cmp"
	"io"
	"slices"
	"strings"
	"testing"
)

// samples are texts as people have them, and encodings that they may be in; of those in brackets
// the text does not decide.
var samples = []struct{ encodings, text string }{
	{"windows-1252 macintosh IBM850", "id;Ort;Straße\n1;Köln;Hauptstraße 5\n2;München;Schöne Aussicht 12\n3;Düsseldorf;Königsallee 7\n4;Lübeck;Großer Burgweg\n"},
	{"windows-1252 IBM850", "Größe,n\nx,1\n"},
	{"windows-1252 macintosh IBM850", "nom,ville,remarque\nZoé,Besançon,déjà livré à la mairie\nHélène,Évry,\"reçu, s'il vous plaît\"\nFrançois,Nîmes,élève à l'école supérieure\n"},
	{"windows-1252 macintosh IBM850", "id,nombre,nota\n1,José Peña,mañana por la mañana\n2,Íñigo Núñez,el año próximo\n3,María Gutiérrez,¿cuándo?\n4,Ángel,camión\n"},
	{"windows-1252", "id,nome,cidade\n1,João,São Paulo\n2,Conceição,Brasília\n3,Antônio,Goiânia\n4,Márcia,Vitória\n5,Simões,Maceió\n"},
	{"windows-1252", "id;namn;ort\n1;Åsa;Malmö\n2;Örjan;Göteborg\n3;Håkan;Västerås\n4;Märta;Jönköping\n"},
	{"windows-1252", "id,name,note\n1,Smith,“quoted” – it’s a test…\n2,Jones,€ 5.00 per piece\n3,Brown,the firm’s own – no more\n"},
	{"windows-1250 ISO-8859-2", "id;město;poznámka\n1;Plzeň;Příliš žluťoučký kůň úpěl ďábelské ódy\n2;Děčín;město na řece\n3;Český Krumlov;zámek a řeka\n4;Ústí nad Labem;přístav\n"},
	{"windows-1250 ISO-8859-2", "id;miasto;uwagi\n1;Łódź;zażółć gęślą jaźń\n2;Kraków;święto w październiku\n3;Gdańsk;nad morzem, ładna pogoda\n4;Wrocław;część druga\n"},
	{"windows-1250 ISO-8859-2", "id;város;megjegyzés\n1;Győr;árvíztűrő tükörfúrógép\n2;Szőreg;hűtőszekrény\n3;Pécs;őszi idő\n"},
	{"windows-1251 KOI8-R IBM866 ISO-8859-5", "id;город;примечание\n1;Москва;столица России\n2;Санкт-Петербург;на берегу Невы\n3;Нижний Новгород;крупный город\n4;Екатеринбург;Урал\n"},
	{"windows-1251 KOI8-R IBM866", "name,qty\nМосква,1\nКазань,2\nОмск,3\nТомск,4\n"},
	{"windows-1253", "id;πόλη;σχόλιο\n1;Αθήνα;πρωτεύουσα της Ελλάδας\n2;Θεσσαλονίκη;λιμάνι\n3;Πάτρα;πόλη\n"},
	{"windows-1254", "id;şehir;not\n1;İstanbul;boğaz kıyısında\n2;Eskişehir;öğrenci şehri\n3;Muğla;güneşli gün\n4;Diyarbakır;çarşı\n"},
	{"windows-1255", "id;עיר;הערה\n1;ירושלים;עיר הבירה\n2;תל אביב;עיר גדולה\n3;חיפה;נמל\n"},
	{"windows-1256", "id;مدينة;ملاحظة\n1;القاهرة;عاصمة مصر\n2;الرياض;مدينة كبيرة\n3;بغداد;على نهر دجلة\n"},
	{"windows-874", "id;เมือง;หมายเหตุ\n1;กรุงเทพ;เมืองหลวง\n2;เชียงใหม่;ภาคเหนือ\n3;ภูเก็ต;เกาะ\n"},
	{"Shift_JIS EUC-JP ISO-2022-JP", "番号,都市,備考\n1,東京,日本の首都です。\n2,大阪市,関西の中心\n3,札幌,北海道、雪が多い\n4,横浜市,港があります\n"},
	{"Shift_JIS EUC-JP ISO-2022-JP", "id,name,pref\n1,東京,東京都\n2,大阪,大阪府\n3,名古屋,愛知県\n4,札幌,北海道\n5,福岡,福岡県\n"},
	{"Shift_JIS EUC-JP", "商品コード,商品名,単価\nA001,ノートパソコン,120000\nA002,マウス(USB),1500\nA003,キーボード,3000\n"},
	{"Shift_JIS", "ｺｰﾄﾞ,ﾒｲｼｮｳ\n1,ﾄｳｷｮｳｼｼﾞｮｳ\n2,ｵｵｻｶ\n3,ﾅｺﾞﾔ\n"},
	{"GB18030", "编号,城市,备注\n1,北京,中国的首都\n2,上海,最大的城市之一\n3,广州,广东省省会\n4,深圳,经济特区\n"},
	{"GB18030", "姓名,电话,金额\n王伟,13800000000,12.50\n李娜,13900000000,8\n张敏,13700000000,99\n刘洋,13600000000,3\n"},
	{"Big5", "編號,城市,備註\n1,臺北,中華民國的首都\n2,高雄,南部最大的城市\n3,臺中,中部\n4,新竹,科學園區\n"},
	{"EUC-KR", "번호,도시,비고\n1,서울,대한민국의 수도입니다\n2,부산,항구 도시\n3,대구,분지에 있다\n4,인천,공항이 있는 곳\n"},
	{"EUC-KR", "이름,전화,금액\n김철수,010-1234-5678,12000\n이영희,010-2345-6789,8000\n박민수,010-3456-7890,500\n"},
	{"windows-1252", "id;name;preis\r\n1;Müller;0,99 €\r\n2;Müller;1,99 €\r\n3;Müller;2,99 €\r\n"}, // 0x80 is a character in GB18030 too
	// What does not decide.
	{"[windows-1252]", "a,b\n1,Genève\n"},
	{"[ISO-8859-2]", "a,b\n1,Děčín\n"},
	{"[windows-1250]", "a,b\n1,Plzeň\n"},
	{"[macintosh]", "a,b\n1,Köln\n"},
}

// TestGuesses: the encoding is told of texts of a few lines, or it is among those that the guess says
// would do as well.
func TestGuesses(t *testing.T) {
	for _, s := range samples {
		for _, name := range strings.Fields(s.encodings) {
			name, open := strings.CutPrefix(strings.TrimSuffix(name, "]"), "[")
			e, err := find(name)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := e.of.NewEncoder().String(s.text)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			g := GuessOf([]byte(raw), true)
			reads := func(name string) bool { // whatever it is called
				r, err := NewReader(strings.NewReader(raw), name)
				if err != nil {
					t.Fatal(err)
				}
				text, err := io.ReadAll(r)
				return err == nil && string(text) == s.text
			}
			switch is := reads(g.Name); {
			case open && (g.Sure || len(g.Others) == 0 || !is && !slices.ContainsFunc(g.Others, reads)):
				t.Errorf("%s is not among %+v", name, g)
			case !open && !is:
				t.Errorf("%s is taken for %+v: %.60s", name, g, s.text)
			case g.Sure && !is:
				t.Errorf("%s: sure of %s", name, g.Name)
			}
			t.Logf("%-13s %+v", name, g)
		}
	}
}

// TestGuessesAreNotSure: of pieces of texts there may be a wrong guess, and none that is sure.
func TestGuessesAreNotSure(t *testing.T) {
	guesses, wrong := 0, 0
	for _, s := range samples {
		for _, name := range strings.Fields(strings.Trim(s.encodings, "[]")) {
			e, err := find(name)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(s.text) {
				for piece := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(",; \n", r) }) {
					raw, err := e.of.NewEncoder().String(piece)
					if err != nil {
						t.Fatal(err)
					}
					for _, whole := range []bool{true, false} {
						g := GuessOf([]byte(raw), whole)
						text, err := e.of.NewDecoder().String(raw)
						if err != nil {
							t.Fatal(err)
						}
						got := text
						if r, err := NewReader(strings.NewReader(raw), cmp.Or(g.Name, "UTF-8")); err != nil {
							t.Fatal(err)
						} else if b, err := io.ReadAll(r); err == nil {
							got = string(b)
						}
						guesses++
						if got != text {
							wrong++
							if g.Sure && g.Name != "" {
								t.Errorf("%q in %s is taken for %s, and that is said to be sure", piece, name, g.Name)
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d of %d guesses of single words are wrong", wrong, guesses)
}

func BenchmarkGuess(b *testing.B) {
	for _, name := range []string{"windows-1252", "Shift_JIS"} {
		e, _ := find(name)
		for _, s := range samples {
			if !strings.HasPrefix(s.encodings, name) {
				continue
			}
			raw, err := e.of.NewEncoder().String(strings.Repeat(s.text, 64<<10/len(s.text)))
			if err != nil {
				b.Fatal(err)
			}
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					GuessOf([]byte(raw), false)
				}
			})
			break
		}
	}
}

func TestMisreadUTF8(t *testing.T) {
	for _, c := range []struct {
		text, encoding string
		is             bool
	}{
		{"Köln", "windows-1252", true},
		{"Köln", "latin1", true},
		{"Koeln", "windows-1252", false},
		{"K\xf6ln, Ã¶", "windows-1252", false},
		{"Köln", "UTF-16LE", false},
		{"Köln", "none", false},
		{"Köln", "GB18030", false}, // a character of Chinese
		{strings.Repeat("Köln ", 20), "GB18030", true},
	} {
		read, meant, is := MisreadUTF8([]byte(c.text), true, c.encoding)
		if is != c.is || is && (meant != "ö" || read == "ö") {
			t.Errorf("%q in %s: %t, %q of %q", c.text, c.encoding, is, read, meant)
		}
	}
}
