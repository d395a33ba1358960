package charset

// What texts of a language are made of beyond ASCII, for guessing: letters of alphabets, and the
// characters that are met with most in scripts that have thousands.

// western are the letters of languages that are written in Windows-1252, ISO-8859-15, Mac Roman and
// DOS code page 850.
var western = []string{
	"äöüß",             // German
	"àâæçéèêëîïôœùûüÿ", // French
	"áéíñóúü",          // Spanish
	"áâãàçéêíóôõú",     // Portuguese
	"àèéìòù",           // Italian
	"àçéèíïòóúü",       // Catalan
	"åäöé",             // Swedish, Finnish
	"åæøéòô",           // Danish, Norwegian
	"áðéíóúýþæö",       // Icelandic
	"äöõüšž",           // Estonian
	"éëïöüè",           // Dutch
	"áéíóú",            // Irish
}

// central are those of Windows-1250 and ISO-8859-2.
var central = []string{
	"ąćęłńóśźż",         // Polish
	"áčďéěíňóřšťúůýž",   // Czech
	"áäčďéíĺľňóôŕšťúýž", // Slovak
	"áéíóöőúüű",         // Hungarian
	"čćđšž",             // Croatian, Slovene, Bosnian
	"ăâîşţ",             // Romanian
	"äöüß",              // German
}

// turkish are those of Windows-1254.
var turkish = []string{"çğıöşüâîİ"}

// baltic are those of Windows-1257.
var baltic = []string{"āčēģīķļņšūž", "ąčęėįšųūž", "äöõüšž"}

// Letters of alphabets that are not Latin, the most frequent first: of Russian and its neighbours, of
// Greek, Hebrew, Arabic and Thai.
const (
	cyrillic = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєґўјљњћџђ"
	greek    = "αοιετσνηυρπκμλωςόάέήίγδχθφβξζψύώϊϋΐΰ"
	hebrew   = "יהולאתרמבשנעםדקחפכסטגצזןךףץ"
	arabic   = "اليمنرتهوبعدسفكحقجشةأصخطإىضذثزغئءآظؤ"
	thai     = "านรอกเงมยลวดทสตะปบคหแจพชขใไโผถซฟศญธณฉษภฮฝฆฐฏฎฬฌ่้ัีิุู็์ืำๆๅ"
)

// kanji, simplified, traditional and hangul are characters that are met with most, in prose and
// in tables of names, places and goods.
const (
	kanji = "日一国人年大十二本中長出三時行見月後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千水半男西電校語土木聞食車何南万毎白天母火右読友左休父雨" +
		"市区町村県都府道郡京阪神奈横浜古屋札幌福岡広島仙台新潟静葉埼玉茨城栃群馬愛知重滋賀和歌兵庫良鳥取根口徳香媛佐熊分宮崎鹿児沖縄田藤鈴橋伊渡辺加吉井林清" +
		"株式会社部課店番号住所氏便注文品数量単価額合計税込備考商在受付顧客担当者様登録更新的私思言自手事者場地彼家心世界目物同動作明発用主通全体方問題内理由対意要"
	simplified = "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部" +
		"其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回" +
		"特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指" +
		"克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运" +
		"京广州深圳津庆都武汉杭苏省县镇号姓址期额价客户订单限李刘陈杨赵黄周吴"
	traditional = "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部" +
		"其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回" +
		"特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指" +
		"克許統區保至隊形社便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運" +
		"臺台京雄桃園竹縣鄉鎮號姓址期額價客戶訂單限李劉陳楊趙黃周吳林"
	hangul = "이다는을의에가고하지로한도은서를시나기사자아대그어인리부일정수해만전주장제상구과여동오성보라스있원조경위관게와면안공중무생회소적들음신선실비연산우미국민화마거방내요용학명물모세개분진금남북" +
		"울천광강충청특별치역읍번호날짜액량가격객문회김박최윤임"
)

// wide are marks of East Asian texts.
const wide = "　、。，．・：；？！ー～〜（）「」『』【】《》〈〉“”‘’…—"
