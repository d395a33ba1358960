package gen

import "strings"

// stations makes lines of a weather station and a temperature in tenths.
type stations struct{ all []station }

type station struct {
	name string
	mean int // tenths of a degree Celsius
}

// climate is a list of stations, separated by ';', with means in [low, high]
// tenths of a degree Celsius.
type climate struct {
	low, high int
	names     string
}

func newStations() *stations {
	s := &stations{}
	for _, c := range climates {
		names := strings.Split(c.names, ";")
		for i, name := range names {
			s.all = append(s.all, station{strings.TrimSpace(name), c.low + (c.high-c.low)*i/len(names)})
		}
	}
	return s
}

func (s *stations) appendRecord(dst []byte, _ int64, r *rng) []byte {
	bits := r.next()
	st := &s.all[int(bits>>48)*len(s.all)>>16]
	// Four summands of 8 bits: a bell 20 degrees wide around the mean.
	spread := int(bits&255+bits>>8&255+bits>>16&255+bits>>24&255) - 510
	t := st.mean + spread*2/3
	dst = append(dst, st.name...)
	dst = append(dst, ';')
	if t < 0 {
		dst, t = append(dst, '-'), -t
	}
	if t >= 100 {
		dst = append(dst, byte('0'+t/100))
	}
	return append(dst, byte('0'+t/10%10), '.', byte('0'+t%10), '\n')
}

var climates = []climate{
	{-160, -10, `Yakutsk;Oymyakon;Norilsk;Tiksi;Iqaluit;Utqiaġvik;Longyearbyen;Alert;Yellowknife;Inuvik;Ilulissat;Nuuk;
		Vorkuta;Magadan;Ulaanbaatar;Chita;Fairbanks;Whitehorse;Salekhard;Surgut;Sisimiut`},
	{-5, 60, `Irkutsk;Novosibirsk;Krasnoyarsk;Omsk;Tomsk;Murmansk;Arkhangelsk;Tromsø;Bodø;Kiruna;Luleå;Rovaniemi;Oulu;Umeå;
		Reykjavík;Akureyri;Tórshavn;Anchorage;Edmonton;Saskatoon;Regina;Winnipeg;Thunder Bay;St. John's;Astana;Perm;Kazan;
		Yekaterinburg;Chelyabinsk;Samara;Harbin;Petropavlovsk-Kamchatsky;Helsinki;Tampere;Turku;Jyväskylä;Östersund;Ushuaia`},
	{50, 105, `Moscow;Saint Petersburg;Tallinn;Rīga;Vilnius;Kaunas;Minsk;Kyiv;Lviv;Kharkiv;Warszawa;Kraków;Gdańsk;Wrocław;Łódź;
		Poznań;Praha;Brno;Bratislava;Košice;Budapest;Szeged;Wien;Graz;Salzburg;Innsbruck;Zürich;Genève;Bern;Basel;Liechtenstein;
		München;Nürnberg;Köln;Düsseldorf;Hamburg;Berlin;Dresden;Leipzig;Frankfurt am Main;Stuttgart;Saarbrücken;Göttingen;
		København;Århus;Odense;Malmö;Göteborg;Stockholm;Uppsala;Oslo;Bergen;Stavanger;Trondheim;Edinburgh;Glasgow;Aberdeen;
		Belfast;Dublin;Cork;Galway;Cardiff;Manchester;Liverpool;Leeds;York;Toronto;Ottawa;Montréal;Québec;Halifax;
		Trois-Rivières;Minneapolis;Chicago;Detroit;Milwaukee;Buffalo;Boston;Portland;Sapporo;Hakodate;Punta Arenas`},
	{95, 155, `London;Bristol;Southampton;Paris;Lille;Rouen;Orléans;Lyon;Dijon;Besançon;Nantes;Bordeaux;Toulouse;Amsterdam;
		Rotterdam;Utrecht;Antwerpen;Bruxelles;Liège;Luxembourg;Ljubljana;Zagreb;Beograd;Novi Sad;Sarajevo;Skopje;Sofia;
		Plovdiv;București;Cluj-Napoca;Timișoara;Iași;Chișinău;Odesa;Istanbul;Ankara;Eskişehir;Tbilisi;Yerevan;Milano;Torino;
		Venezia;Bologna;Firenze;Seattle;Vancouver;San Francisco;Denver;Salt Lake City;St. Louis;Kansas City;Washington, D.C.;
		Philadelphia;New York City;Baltimore;Pittsburgh;Cincinnati;Nashville;Beijing;Tianjin;Seoul;Incheon;P'yŏngyang;Sendai;
		Nagano;Tōkyō;Kyōto;Christchurch;Wellington;Dunedin;Hobart;Canberra;Melbourne;Bogotá;Quito;La Paz;Puno;Ürümqi`},
	{140, 205, `Madrid;Barcelona;València;Sevilla;Málaga;Córdoba;Bilbao;A Coruña;Lisboa;Porto;Évora;Faro;Marseille;Nice;Monaco;
		Roma;Napoli;Palermo;Cagliari;Catania;Dubrovnik;Split;Podgorica;Tirana;Athína;Thessaloniki;Iráklion;İzmir;Antalya;
		Gaziantep;Nicosia;Valletta;Alger;Oran;Tunis;Rabat;Casablanca;Fès;Tanger;Beirut;Damascus;Jerusalem;Amman;Tehran;Mashhad;
		Isfahan;Baku;Tashkent;Samarkand;Aşgabat;Dushanbe;Almaty;Kabul;Los Angeles;San Diego;Sacramento;Las Vegas;Albuquerque;
		El Paso;Dallas;Austin;Atlanta;Charlotte;Memphis;New Orleans;Ciudad de México;Guadalajara;Puebla;San Luis Potosí;
		Santiago;Valparaíso;Montevideo;Buenos Aires;Rosario;Mendoza;Curitiba;São Paulo;Porto Alegre;Cape Town;Johannesburg;
		Pretoria;Bloemfontein;Addis Ababa;Nairobi;Antananarivo;Perth;Adelaide;Sydney;Brisbane;Auckland;Shanghai;Nanjing;Wuhan;
		Chengdu;Chongqing;Kunming;Ōsaka;Hiroshima;Fukuoka;Busan;Kathmandu;Shimla`},
	{195, 255, `Cairo;Alexandria;Tripoli;Marrakech;Agadir;Las Palmas;Funchal;Phoenix;Tucson;San Antonio;Houston;Orlando;
		Miami;Monterrey;Mérida;La Habana;Santo Domingo;San José;Guatemala City;Tegucigalpa;Medellín;Caracas;Lima;Asunción;
		Brasília;Belo Horizonte;Rio de Janeiro;Salvador;Maputo;Durban;Harare;Lusaka;Lubumbashi;Gaborone;Windhoek;Luanda;
		Kampala;Kigali;Bujumbura;Darwin;Alice Springs;Townsville;Cairns;Nouméa;Suva;Honolulu;Taipei;Kaohsiung;Hong Kong;Macau;
		Guangzhou;Shenzhen;Nanning;Hà Nội;Hải Phòng;Naha;Lhasa;New Delhi;Jaipur;Lahore;Islamabad;Dhaka;Kolkata;Baghdad;Basra`},
	{245, 305, `Riyadh;Jeddah;Makkah;Abu Dhabi;Dubai;Doha;Kuwait City;Manama;Muscat;Sana'a;Aden;Khartoum;Omdurman;Port Sudan;
		Djibouti;Mogadishu;Mombasa;Dar es Salaam;Zanzibar;N'Djamena;Niamey;Agadez;Bamako;Tombouctou;Ouagadougou;Kano;Abuja;
		Lagos;Accra;Kumasi;Lomé;Cotonou;Abidjan;Yamoussoukro;Monrovia;Freetown;Conakry;Bissau;Dakar;Nouakchott;Libreville;
		Brazzaville;Kinshasa;Douala;Yaoundé;Malabo;Bangui;Juba;Mumbai;Chennai;Hyderabad;Bengaluru;Karachi;Colombo;Malé;Yangon;
		Mandalay;Bangkok;Chiang Mai;Vientiane;Phnom Penh;Thành phố Hồ Chí Minh;Đà Nẵng;Kuala Lumpur;Singapore;Jakarta;Surabaya;
		Palembang;Makassar;Manila;Cebu City;Iloilo;Port Moresby;Honiara;Fortaleza;Recife;Belém;Manaus;Barranquilla;Cartagena;
		Panamá;Managua;San Salvador;Kingston;Port-au-Prince;Bridgetown;Port of Spain;Paramaribo;Cayenne;Guayaquil;Dallol`},
}
