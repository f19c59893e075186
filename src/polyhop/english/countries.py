"""Countries, and the words that stand for them: adjectives, inhabitants, abbreviations, regions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

_TABLE: Final = """
Afghanistan: Afghan
Albania: Albanian
Algeria: Algerian
Andorra: Andorran
Angola: Angolan
Argentina: Argentine Argentinian Argentinean
Armenia: Armenian
Australia: Australian Aussie Queensland Victoria Tasmania New_South_Wales South_Australia Western_Australia
Austria: Austrian
Azerbaijan: Azerbaijani
Bahamas: Bahamian
Bahrain: Bahraini
Bangladesh: Bangladeshi
Barbados: Barbadian
Belarus: Belarusian Belarussian
Belgium: Belgian
Belize: Belizean
Benin: Beninese
Bhutan: Bhutanese
Bolivia: Bolivian
Bosnia: Bosnian Bosnia_and_Herzegovina
Botswana: Botswanan
Brazil: Brazilian
Bulgaria: Bulgarian
Burkina_Faso: Burkinabe
Burundi: Burundian
Cambodia: Cambodian Khmer
Cameroon: Cameroonian
Canada: Canadian Ontario Quebec British_Columbia Alberta Manitoba Saskatchewan Nova_Scotia New_Brunswick
 Newfoundland Yukon Nunavut
Chad: Chadian
Chile: Chilean
China: Chinese PRC People's_Republic_of_China Hong_Kong
Colombia: Colombian
Congo: Congolese
Costa_Rica: Costa_Rican
Croatia: Croatian Croat
Cuba: Cuban
Cyprus: Cypriot
Czech_Republic: Czech Czechia Bohemia Bohemian Moravia Moravian
Czechoslovakia: Czechoslovak Czechoslovakian
Denmark: Danish Dane
Dominican_Republic: Dominican
Ecuador: Ecuadorian
Egypt: Egyptian
El_Salvador: Salvadoran
Eritrea: Eritrean
Estonia: Estonian
Ethiopia: Ethiopian
Fiji: Fijian
Finland: Finnish Finn
France: French Frenchman
Gabon: Gabonese
Gambia: Gambian
Georgia: Georgian
Germany: German West_German East_German West_Germany East_Germany Bavaria Bavarian Prussia Prussian Saxony
Ghana: Ghanaian
Greece: Greek
Greenland: Greenlandic
Guatemala: Guatemalan
Guinea: Guinean
Guyana: Guyanese
Haiti: Haitian
Honduras: Honduran
Hungary: Hungarian Magyar
Iceland: Icelandic Icelander
India: Indian Tamil Malayalam Hindi Telugu Kannada Bengali Marathi Bollywood Tollywood Kerala Maharashtra
 Punjab Tamil_Nadu
Indonesia: Indonesian
Iran: Iranian Persian Persia
Iraq: Iraqi
Ireland: Irish
Israel: Israeli
Italy: Italian
Ivory_Coast: Ivorian
Jamaica: Jamaican
Japan: Japanese
Jordan: Jordanian
Kazakhstan: Kazakh Kazakhstani
Kenya: Kenyan
Kosovo: Kosovan Kosovar
Kuwait: Kuwaiti
Kyrgyzstan: Kyrgyz
Laos: Lao Laotian
Latvia: Latvian
Lebanon: Lebanese
Liberia: Liberian
Libya: Libyan
Liechtenstein: Liechtensteiner
Lithuania: Lithuanian
Luxembourg: Luxembourgish Luxembourger
Macedonia: Macedonian North_Macedonia
Madagascar: Malagasy
Malawi: Malawian
Malaysia: Malaysian
Maldives: Maldivian
Mali: Malian
Malta: Maltese
Mauritius: Mauritian
Mexico: Mexican
Moldova: Moldovan
Monaco: Monegasque
Mongolia: Mongolian Mongol
Montenegro: Montenegrin
Morocco: Moroccan
Mozambique: Mozambican
Myanmar: Burmese Burma
Namibia: Namibian
Nepal: Nepalese Nepali
Netherlands: Dutch Holland Dutchman
New_Zealand: New_Zealander
Nicaragua: Nicaraguan
Niger: Nigerien
Nigeria: Nigerian
North_Korea: North_Korean
Norway: Norwegian
Oman: Omani
Ottoman_Empire: Ottoman
Pakistan: Pakistani
Palestine: Palestinian
Panama: Panamanian
Paraguay: Paraguayan
Peru: Peruvian
Philippines: Filipino Filipina Philippine
Poland: Polish Pole
Portugal: Portuguese
Puerto_Rico: Puerto_Rican
Qatar: Qatari
Romania: Romanian Wallachia Transylvania
Rome: Roman Ancient_Rome
Russia: Russian Imperial_Russia
Rwanda: Rwandan
Samoa: Samoan
Saudi_Arabia: Saudi Saudi_Arabian
Senegal: Senegalese
Serbia: Serbian Serb
Sierra_Leone: Sierra_Leonean
Singapore: Singaporean
Slovakia: Slovak
Slovenia: Slovene Slovenian
Somalia: Somali
South_Africa: South_African
South_Korea: South_Korean Korean
Soviet_Union: Soviet USSR
Spain: Spanish Spaniard Catalonia Catalan Castile Castilian Aragon Basque
Sri_Lanka: Sri_Lankan Ceylon
Sudan: Sudanese
Suriname: Surinamese
Sweden: Swedish Swede
Switzerland: Swiss
Syria: Syrian
Taiwan: Taiwanese
Tajikistan: Tajik
Tanzania: Tanzanian
Thailand: Thai Siam Siamese
Togo: Togolese
Trinidad: Trinidadian Trinidad_and_Tobago
Tunisia: Tunisian
Turkey: Turkish Turk
Turkmenistan: Turkmen
Uganda: Ugandan
Ukraine: Ukrainian
United_Arab_Emirates: Emirati UAE
United_Kingdom: British UK U.K. England English Scotland Scottish Scots Wales Welsh Great_Britain
 Northern_Ireland Englishman
United_States: American US U.S. USA U.S.A. America United_States_of_America Alabama Alaska Arizona Arkansas
 California Colorado Connecticut Delaware Florida Hawaii Idaho Illinois Indiana Iowa Kansas Kentucky Louisiana
 Maine Maryland Massachusetts Michigan Minnesota Mississippi Missouri Montana Nebraska Nevada New_Hampshire
 New_Jersey New_Mexico New_York North_Carolina North_Dakota Ohio Oklahoma Oregon Pennsylvania Rhode_Island
 South_Carolina South_Dakota Tennessee Texas Utah Vermont Virginia Washington West_Virginia Wisconsin Wyoming
Uruguay: Uruguayan
Uzbekistan: Uzbek
Venezuela: Venezuelan
Vietnam: Vietnamese
Yemen: Yemeni
Yugoslavia: Yugoslav Yugoslavian
Zambia: Zambian
Zimbabwe: Zimbabwean
"""


@cache
def _words() -> Mapping[str, str]:
    """Every word of the table with its country."""
    words: dict[str, str] = {}
    for line in _TABLE.strip().replace("\n ", " ").splitlines():
        country, *others = (word.rstrip(":").replace("_", " ") for word in line.split())
        words[country] = country
        for other in others:
            words.setdefault(other, country)
    return words


@cache
def _pattern() -> re.Pattern[str]:
    longest = sorted(_words(), key=len, reverse=True)
    return re.compile(rf"(?<![\w])(?:{'|'.join(map(re.escape, longest))})(?!\w)")


def countries_in(text: str) -> list[tuple[int, int, str]]:
    """Where countries are named in a text, in order: start, end and the country."""
    words = _words()
    return [(match.start(), match.end(), words[match.group()]) for match in _pattern().finditer(text)]
