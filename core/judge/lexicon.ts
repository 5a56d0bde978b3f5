/**
 * Word families by what they say about a reply, in the languages of config/hints.ts and a few more. They are matched
 * against folded text (core/judge/text.ts): lower case, no accents. One line a language: en, de, es, fr, nl, pt, pl,
 * Hindi in Latin letters; Japanese needs no word boundaries and comes last.
 */
export function family(latin: readonly string[], japanese = ''): RegExp {
  const bounded = `(?<![\\p{L}\\p{N}])(?:${latin.join('|')})(?![\\p{L}\\p{N}])`
  return new RegExp(japanese === '' ? bounded : `${bounded}|${japanese}`, 'u')
}

/** The same at the start of a clause, after words that only lead in; Japanese, which ends with its verb, anywhere. */
export function opening(latin: readonly string[], japanese = ''): RegExp {
  const opened = `^(?:(?:${LEAD})[, ]+)*(?:${latin.join('|')})(?![\\p{L}\\p{N}'])`
  return new RegExp(japanese === '' ? opened : `${opened}|${japanese}`, 'u')
}

/** Names a part of the reply, one alternative a language. */
const PLACE =
  "(?:in|on|at|for) (?:the )?(?:\\p{L}+ )?(?:step|line|paragraph|part|section|sentence|point|row|column|slide|item)s?(?: \\d+)?(?: (?:and|,) (?:step )?\\d+)?|(?:in|bei|im) (?:schritt|zeile|absatz|punkt|satz|teil)(?: \\d+)?|en el (?:paso|parrafo|punto)(?: \\d+)?|(?:a l'etape|dans la (?:phrase|partie)|au point)(?: \\d+)?|(?:in|bij) (?:stap|regel|punt|zin)(?: \\d+)?|no (?:passo|paragrafo|ponto)(?: \\d+)?|w (?:kroku|punkcie|zdaniu)(?: \\d+)?"

/** Opens with a part of the reply: what follows is about it. */
export const PART = new RegExp(`^(?:also |and |then )?(?:${PLACE})(?![\\p{L}\\p{N}])`, 'u')

const LEAD =
  `${PLACE}|also|` +
  'please|pls|now|then|and|so|but|just|ok(?:ay)?|yes|yeah|bitte|dann|und|aber|ja|jetzt|nu|por favor|y|pero|ahora|si|et|alors|mais|maintenant|oui|en|dan|graag|maar|e|mas|agora|sim|i|a|ale|prosze|teraz|tak|aur|ab|lekin|haan|accha'

export const THANKS = family(
  [
    'thanks+|thank (?:you|u)|thx|tnx|thnx|ty|tysm|cheers|(?:much )?appreciated?|much obliged|grateful',
    'danke(?:schon|schoen)?|dank dir|vielen dank|merci|besten dank|herzlichen dank',
    'gracias|agradecid[oa]|te lo agradezco',
    'merci(?: beaucoup| bien)?',
    'bedankt|dank (?:je|u)(?: wel)?|dankjewel|dankuwel|dank|thanks',
    'obrigad[oa]|obg|brigad[oa]|valeu|vlw|agradeco',
    'dzieki|dziekuje|dziekuj[ea]|dzienks|dzieki wielkie',
    'shukriya|dhanyavaa?d|dhanyawaa?d',
  ],
  'ありがと|サンキュ|感謝|助かり|助かった|あざす',
)

/** Thanks for what is still to be done. */
export const THANKS_AHEAD = family([
  "thanks in advance|thank you in advance|danke im voraus|vielen dank im voraus|gracias de antemano|merci d'avance|alvast bedankt|bij voorbaat dank|desde ja obrigad[oa]|obrigad[oa] desde ja|z gory (?:dzieki|dziekuje)",
])

export const PRAISE = family(
  [
    "(?:that|this|it)(?:'s| is| was|s) (?:exactly |just |all )?(?:what|how) i \\w+|perfect(?:ly|o)?|awesome|excellent|brilliant|amazing|superb|(?:great|nice|lovely|fantastic|wonderful|sweet|neat|beautiful)(?=[^\\p{L}]*$|\\W* (?:one|job|work|answer|idea|summary|explanation|list|help|advice|tip|catch|find|stuff|text|draft|wording|suggestion|recipe|example|overview|title|touch|call|point|thanks|thank|thx|that|this|it|i|just|exactly|and)(?!\\p{L}))|nicely|well done|(?:this|that|it)(?:'s| is| was) (?:really |very |so |pretty |all )?(?:good|great|nice|cool)(?= for me|[.!,]|$)|nailed it|spot on|(?:just )?what the doctor ordered|exactly|correct|that(?:'s| is) (?:right|it|the one)|you(?:'re| are| were) right|lovely(?! to)|lgtm|looks (?:right|great|perfect)|solid(?=[.!,]|$)|couldn't (?:have )?\\w+ (?:it |that )?better|couldn't ask for|love (?:it|this|that)|loved it|good (?:job|one|work|bot|call|answer|point|stuff|idea|summary|explanation)|(?:looks?|sounds?|reads?) (?:really |very |so |pretty )?good|(?:so|very|super|really|most|extremely|quite) (?:helpful|useful|clear|good)|helpful|useful|(?:it |that |this )?work(?:s|ed)(?! out| better)(?: now| great| perfectly| fine| like a charm)?|did the trick|does the trick|solved (?:it|my)|fixed it|(?:that|this|it) helps|helps a lot|helped|legend|life ?saver|you rock|(?:you're|ur|you are) (?:the best|a star|a legend|great|amazing)|makes sense(?: now)?|crystal clear|impressive|not bad|good bot|bingo|solid (?:\\w+)|impressed|matches|delicious|best .{1,30} ever|(?:exactly|just|precisely) (?:what|how|as|like) i \\w+|what i (?:needed|was after|was looking for)",
    '(?:genau|das (?:ist|war)(?: es)?),? was ich \\p{L}+|genau so|das wollte ich|perfekt|super|toll|genau was ich \\p{L}+|klasse|prima|genau(?: richtig)?|passt(?: so| perfekt)?|spitze|(?<!the )top(?=[.!]*$)|wunderbar|hervorragend|ausgezeichnet|genial|hilfreich|stimmt|funktioniert|klappt|hat geklappt|hat geholfen|hilft mir|gut gemacht|gute arbeit|sehr gut|sehr schon|echt gut|gefallt mir|mega|einwandfrei|nicht schlecht|sieht gut aus|klingt gut|richtig gut|guter bot|super bot',
    '(?:justo|exactamente|eso es|eso era|es|era) lo que \\p{L}+|perfecto|excelente|estupendo|genial|buenisimo|exacto|exactamente|funciona|funciono|ha funcionado|muy (?:bien|bueno|buena|util|claro)|que bien|me encanta|maravilloso|fantastico|impecable|buen trabajo|correcto|me sirve|me ha servido|de lujo|justo lo que \\p{L}+|exactamente lo que \\p{L}+|nada mal|clarisimo|buena respuesta|crack',
    "(?:exactement|pile|c'est|c'etait) ce que \\p{L}+|parfait|(?:exactement|pile) ce que \\p{L}+|excellent|impeccable|nickel|exactement|c'est (?:ca|bon|juste|clair)|ca marche|ca fonctionne|bravo|tres (?:bien|bon|clair|utile)|(?<!the )top(?=[.!]*$)|formidable|magnifique|pas mal|j'adore|bien joue|bien vu|super|genial|chapeau|utile|trop bien|bon travail|exact",
    '(?:precies|dat is|dat was) wat ik \\p{L}+|perfect|geweldig|fantastisch|prachtig|(?:precies|dat is|dat was) wat ik \\p{L}+|precies(?: goed)?|klopt(?: helemaal)?|gelukt|werkt|heel (?:goed|fijn|handig|duidelijk)|goed (?:zo|gedaan|werk)|super|mooi(?: zo)?|uitstekend|helder|handig|fijn|(?<!the )top(?=[.!]*$)|niet slecht|lekker bezig|ziet er goed uit|briljant|keurig|chapeau',
    '(?:exatamente|isso e|era) o que \\p{L}+|perfeit[oa]|otim[oa]|excelente|maravilh\\w+|funcionou|deu certo|muito (?:bom|boa|bem|util)|mandou bem|show(?: de bola)?|massa|(?<!the )top(?=[.!]*$)|adorei|amei|sensacional|arrasou|era isso(?: mesmo)?|exatamente o que \\p{L}+|(?:era )?bem isso|isso mesmo|exatamente|certinho|ajudou(?: muito)?|salvou|bom trabalho|resolveu',
    'super|swietn\\w+|idealn\\w+|dziala|zadzialalo|dokladnie|rewelac\\w+|ekstra|genialn\\w+|doskonal\\w+|bardzo (?:dobrze|dobre|pomocne)|dobra robota|swietna robota|zgadza sie|pomoglo|udalo sie|o to (?:mi )?chodzilo|wlasnie (?:tego|o to|to)|brawo|pieknie|elegancko|bomba|niezle|git|mega|wyszlo super',
    'badhiya|badiya|mast|zabardast|shaandar|shandar|kamaal|kamal|ekdum (?:sahi|mast|badhiya|perfect)|bahut (?:accha|achha|acha|badhiya|sahi)|bohot (?:accha|achha|acha|badhiya|sahi)|sahi (?:hai|jawab|bola)|bilkul sahi|kaam (?:kar gaya|ho gaya|ban gaya|aaya)|ho gaya|chal gaya|maza aa gaya|wah|gajab|jhakaas|samajh (?:aa|me aa) gaya|mil gaya',
  ],
  '完璧|すごい|すばらし|素晴らし|最高|いいね|いいですね|いい感じ|使えまし|使わせて|良い感じ|その通り|そのとおり|うまくいき|うまくいった|できました|できた!|動きました|動いた|直りました|解決し|わかりやす|分かりやす|バッチリ|ばっちり|さすが|神|ナイス|役に立|正解|合ってま',
)

/** In one breath with praise they turn it round. */
export const NEGATOR = family(
  [
    "not|n't|\\w+n't|never|no|hardly|barely|without|nothing|nobody|isnt|doesnt|didnt|dont|wasnt|cant|wont",
    'nicht|kein\\w*|nie|nix|nichts|kaum',
    'no|nunca|nada|tampoco|ni',
    "pas|jamais|rien|aucune?|ne|n'\\w+",
    'niet|geen|nooit|niks|niets',
    'nao|nunca|nada|nem|n',
    'nie|nigdy|nic|zaden|zadna',
    'nahi|nahin|nai|mat|na',
  ],
  'ない|ません|なかった|ず$',
)

/** Praise that holds a negator itself. */
export const DOUBLE_NEGATIVE = family([
  "not bad|nicht schlecht|pas mal|nada mal|niet slecht|nie (?:jest )?zle|no problem|couldn't (?:be better|have)|can't (?:complain|thank)|kein problem|no wonder|sin problema|ningun problema|nie ma za co|geen probleem|never (?:knew|seen|better)|without (?:you|any issues?|problems?)|no (?:issues?|errors?|complaints?)",
])

/** What would be fine is no praise of what is there. */
export const CONDITIONAL =
  /\b(?:would|wouldn't|could|should|if|ware|waere|wenn|seria|si fuera|serait|zou|als het|seria|byloby|bylby)\b/u

/** Mock praise. Whoever writes it does not mean what the words say; what they mean is left to a better judge. */
export const SARCASM = family(
  [
    'captain obvious|thanks for nothing|gee|slow clap|sherlock|einstein|(?:oh|ah|yay|yeah|well),? (?:yes|sure|right|great|wonderful|brilliant|perfect|nice|lovely|super|thanks|amazing|awesome|fantastic|good|cool)|(?:just|how) (?:great|wonderful|lovely|brilliant|perfect|helpful|useful|what i needed|thoughtful)|yeah,? right|as if|very funny|(?:wow|great|thanks|perfect|nice|amazing|brilliant|awesome|cool|super),? (?:just|so(?! (?:much|very))|really|another|yet another|more|a whole|an?(?! (?:lot|bunch|ton|million|heap|bundle))|only)(?! (?:appreciate|helpful))\\b.*|what would i do without|congrat\\w+|truly|good luck with|nice try|life[- ]changing|ground ?breaking|who would have|who knew|what a (?:surprise|shock)|the famous|a true|masterpiece|as (?:always|usual)|so much for',
    '(?:na|ja|ach|oh|ah|tja),? (?:ja|toll|super|klasse|danke|bravo|prima|wunderbar|genial|perfekt|top|spitze|schon|sehr)|grosses kino|danke fur (?:nichts|gar nichts)|schlaumeier|welch(?:e)? uberraschung|wer hatte (?:das )?gedacht|glanzleistung|meisterleistung|echt jetzt|gluckwunsch|wie immer|mal wieder|(?:super|toll|klasse|prima|wunderbar),? (?:da|dann|jetzt|wieder|noch|und|damit)|was fur ein\\w*',
    'gracias por nada|que (?:listo|gracioso|novedad|sorpresa|util|bonito|raro)|vaya,?|lumbrera|menud[oa]|anda que|felicidades|enhorabuena|pues (?:que|muy)|(?:si|ah|oh|uy),? (?:claro|si|genial|perfecto|que|muy|gracias)|claro que si|como siempre',
    "(?:ah|oh|bah|ben|eh),? (?:oui|ben|super|bravo|genial|merci|bien|parfait|tres|d'accord|ca)|merci pour rien|quel(?:le)? (?:genie|surprise|talent|exploit)|sans blague|tu m'en diras tant|felicitations|comme d'habitude|comme toujours",
    'nou,? (?:bedankt|lekker|fijn|geweldig|mooi|handig|zeg|super|dank\\w*|ja)|(?:ja|oh|ach|ah|tja),? (?:geweldig|fijn|lekker|super|mooi|leuk|handig|bedankt|ja|hoor|knap|top|dank\\w*)|lekker (?:dan|handig|nuttig)|(?:fijn|knap|handig) hoor|bedankt voor niks|goh|wat een (?:verrassing|held)|gefeliciteerd|daar heb ik wat aan|zoals altijd',
    'parabens|(?:nossa|ah|uau|noss|oh),? (?:que|muito|obrigad[oa]|otim[oa]|valeu|incrivel|sim|show|perfeit[oa]|claro)|obrigad[oa] por nada|que (?:novidade|surpresa|gracinha|genio)|como sempre',
    '(?:no|ach|o|oh|ah|taa*k),? (?:super|swietnie|pieknie|brawo|tak|dzieki|wow|ekstra|genialnie|jasne|pewnie)|dzieki za nic|bardzo (?:zabawne|smieszne|odkrywcze)|geniusz\\w*|gratul\\w+|odkrywcz\\w+|serio|jak zwykle|jak zawsze',
    'wah,? (?:re|bhai|kya|ji|beta)|kya (?:baat|gyan|khoj)|bahut (?:hi )?(?:mahan|gyani|khoob)|mahan|shabash|haa?n+,? (?:haa?n+|bilkul|zaroor)|waah? ?waah?',
  ],
  'さすがですね|へえ|はいはい|すごいすごい|お見事|ご親切|天才|(?:さすが|すご)[^。]{0,12}(?:ね|だな)[、。]|[^a-z]w+$',
)

/** Praise in quotation marks, or trailing off. */
export const SCARE =
  /"(?:\p{L}+ )?(?:help\p{L}*|great|smart|hilf\p{L}*|toll|super|util|utile|handig|intelig\p{L}*|intellig\p{L}*|genial|perfect\p{L}*|perfekt)"|\/s$|[🙄🙃🤡😒]/u

/** The reply is said to be wrong or worthless; says nothing about what would be right. */
export const REJECTION = family(
  [
    "wrong|incorrect|inaccurate|false|nope|nonsense|rubbish|garbage|useless|unhelpful|worthless|pointless|terrible|awful|horrible|crap|trash|lousy|bullshit|bs|bad bot|bad answer|(?:that|this|it)(?:'s| is| was|s) (?:bad|off|ridiculous|a lie|made up|outdated|broken|not|no good|no help|no use)|(?:that|this|it)(?: \\w+)? (?:isn't|ain't|wasn't|isnt)|no,? (?:they|he|she|it|we|there|you) (?:\\w+n't|is not|are not|did not)|(?:it's|is|are|this|so|too|really|very|pretty|quite|rather|kind of|\\w+ly) (?:complete |total )?(?:mess|joke|disaster|shallow|poor|sloppy|lazy|generic|vague|weak|lame)|nothing (?:there|in there|in it)|not (?:right(?! (?:now|this|away|yet))|correct|true|it|that|this|him|her|them|even close|helpful+|useful+|at all|good|great|working|what (?:i|we)|quite|the (?:right|one)|really what|an answer|funny)|(?:does not|doesn't|doesnt|did not|didn't|didnt|don't|won't|still not|is not|isn't|still isn't|not) (?:really |even |actually |quite )?(?:help|helping|work|working|answer|match|fit|compile|run|make (?:any )?sense|exist|look right|sound right|cut it|add up|get it|understand)|makes no sense|no sense|still (?:broken|wrong|nothing|the same|failing|fails|get|getting|not)|same (?:error|problem|issue|mistake)|made (?:\\p{L}+ (?:of )?){0,2}(?:that|this|it|them) up|^(?:still |it )?(?:throws|raises|gives|returns) (?:me )?(?:an?|the same) \\w*(?:error|exception)|making (?:that|this|things|it) up|hallucinat\\w+|there(?:'s| is) no such|no such \\w+|that's not|this is not|(?:way|far|totally|completely|miles) off|(?:complete|total|big|real|such a) mess|(?:i|we) (?:really )?(?:don't (?:really )?like|hate|dislike) (?:it|this|that|the (?:answer|tone|style|format|result))|(?:i|we)(?:'m| am)? (?:still |now |just |only )?(?:get|getting|got) (?:an?|the same|only|nothing but) (?:\\w+ )?(?:errors?|exception)|it (?:still |just |now )?(?:crash|fail|throw|break)(?:es|s)|^(?:what )?(?:a |an )?(?:very |really )?(?:bad|poor|lame|weak|stupid) \\p{L}+[.!]*$|never (?:got|received|happened|said|asked|arrived)|disagree|missed the point|missing the point|disappoint\\w+|you (?:misunderst\\w+|misread)|do better|try again|garbled|unusable|gibberish",
    "falsch\\w*|stimmt (?:so |ja |doch |leider |uberhaupt |gar )*nicht|nicht (?:richtig|korrekt|wahr|hilfreich|brauchbar|das|so|gut|ganz)|quatsch|unsinn|bloedsinn|blodsinn|nutzlos|unbrauchbar|schlecht\\w*|furchtbar|schrecklich|mist|mull|schwachsinn|(?:hilft|bringt|nutzt) (?:mir |uns |so |ja |gar |uberhaupt |leider |auch )*(?:nicht|nichts|nix|kein\\w*)|(?:geht|funktioniert|klappt|passt|lauft) (?:so |ja |immer noch |leider |gar |uberhaupt |noch immer |bei mir |auch )*nicht|gibt(?:'s| es)? (?:\\w+ )?(?:gar |uberhaupt )?nicht|ausgedacht|erfunden|daneben|am thema vorbei|thema verfehlt|da (?:steht|ist) (?:gar |ja |aber )*(?:nichts|nix)|(?:echt|total|ziemlich|sehr|recht|zu|so) (?:vage|allgemein|wirr|dunn|schwach|mies|lahm|oberflachlich|durftig)|ergibt keinen sinn|macht keinen sinn|kein\\w* sinn|veraltet",
    'incorrect[oa]|equivocad[oa]|falso|(?:quedo|esta|muy|es) (?:generic[oa]|vag[oa]|confus[oa]|floj[oa]|pobre|rar[oa])|(?:esta|muy|todo|tan|sigue) mal|^mal(?=[,.!])|malisim[oa]|fatal|pesim[oa]|horrible|tonteria|inutil|basura|no (?:sirve|funciona|es (?:eso|asi|cierto|verdad|correct[oa]|lo que)|me (?:sirve|ayuda|vale|gusta)|(?:tiene|hace) (?:ningun |mucho )?sentido|existe|va|ayuda|era (?:eso|asi)|esta (?:bien|funcionando))|sigue (?:sin|igual|fallando|mal)|te (?:equivocas|equivocaste|lo (?:inventas|inventaste))|inventad[oa]|nada que ver|(?:ahi|alli) no hay nada|que va|mentira|errone[oa]|disparate',
    "faux|fausse|incorrecte?|(?:c'est|trop|assez|tres) (?:vague|generique|confus|faible|flou|bancal|creux)|n'importe quoi|nul(?:le)?|inutile|mauvais(?:e)?|c'est pas|ce n'est pas|pas (?:bon|ca|du tout|correct|juste|vrai|utile|terrible|ce que|le bon|la bonne|bien)|(?:ne )?(?:marche|fonctionne|sert|aide|compile|va) (?:toujours |meme |vraiment )?(?:pas|a rien)|aucun sens|n'existe pas|existe pas|(?:c'est|une) erreur|errone\\w*|n'a rien a voir|rien a voir|hors sujet|invente\\w*|bidon|il n'y a rien|a cote de la plaque|toujours (?:pas|la meme|faux)|tu te trompes|decevant",
    'fout\\w*|verkeerd\\w*|(?:is|erg|vrij|nogal|te) (?:vaag|algemeen|verwarrend|zwak|mager)|onjuist\\w*|klopt (?:\\w+ )?(?:niet|geen)|niet (?:goed|juist|waar|correct|handig|nuttig|wat ik|dat|die|deze)|onzin|flauwekul|slecht\\w*|nutteloos|waardeloos|werkt (?:\\w+ )?(?:niet|nog steeds niet)|helpt (?:\\w+ )?niet|(?:heb|kan) (?:ik|je|er) (?:niks|niets) (?:aan|mee)|bestaat niet|slaat nergens op|nergens op|(?:daar|er) staat (?:\\p{L}+ )?(?:niks|niets)|verzonnen|gaat niet|lukt niet|doet het niet|onbruikbaar|mis$|nog steeds (?:niet|fout|dezelfde)|vreselijk|belachelijk',
    '(?:ta|esta) errad[oa]|(?:ficou|ta|esta|muito|bem) (?:generic[oa]|vag[oa]|ruim|confus[oa]|frac[oa]|estranh[oa]|ras[oa])|errad[oa]|(?:tem|ta com|deu|com) erro|pessim[oa]|horrivel|ruim|inutil|lixo|bobagem|besteira|nao (?:e (?:isso|esse|essa|bem|assim|verdade)|era (?:isso|esse|essa)|funciona|funcionou|ajud\\w+|serve|serviu|faz sentido|existe|deu certo|esta (?:certo|correto)|ta (?:certo|correto|bom)|gostei|presta|adianta|adiantou)|nada a ver|inventou|inventad[oa]|continua (?:igual|errado|sem|dando)|sem sentido|mentira|viajou|fraco|que isso',
    'zle|bledn\\w+|ogolnikow\\w*|niejasn\\w*|metn[aey]|(?:to|jest|masz) blad|nieprawd\\w+|bzdur\\w*|glupot\\w*|bez sensu|nonsens|bezuzyteczn\\w+|do niczego|beznadziej\\w+|fatalne|kiepsk\\w+|slab\\w+|nie (?:dziala|zgadza sie|pomaga|pomoglo|to|tak|ten|ta|te|ma sensu|istnieje|o to|jest (?:to )?(?:prawda|poprawn\\w+|dobr\\w+)|zadzialalo|trafione|bardzo)|to nie (?:jest|ten|ta|to)|wcale nie|nadal (?:nie|to samo|zle)|dalej (?:nie|to samo)|wymysl\\w+|zmysl\\w+|pomylka|mylisz sie|tragedia|masakra',
    'galat|galti|bakwas|bekaa?r|ghatiya|faltu|bekar|jhoot|jhooth|sahi nahi|theek nahi|thik nahi|kaam nahi|kaam ka nahi|nahi (?:chal|ho|hai ye|chala|hua|aaya|mila|samjh\\w*)|ye (?:nahi|to galat)|yeh (?:nahi|to galat)|aisa nahi|samajh (?:nahi|me nahi)|ulta pulta|kuch bhi|bilkul nahi|koi (?:kaam|matlab|fayda) (?:ka )?nahi|wrong|matlab nahi',
  ],
  '違う|違い|違っ|ちがう|ちがい|間違|まちが|使えない|使えません|役に立たない|役に立ちません|ダメ|だめ|駄目|ひどい|意味不明|意味がわから|意味が分から|動かない|動きません|動かなかっ|できない(?!か)|できません(?!か)|正しくない|正しくありません|そうじゃな|そうではな|でたらめ|デタラメ|嘘|ウソ|うそ|存在しない|存在しません|答えになって|わかりにく|分かりにく|おかしい|下手|つまらな|イマイチ|いまいち|解決し(?:ない|ません|てない|ていない|なかった)',
)

/** The person cannot make anything of the reply; as a question it is no less a complaint. */
export const LOST = family(
  [
    "what (?:the \\p{L}+ )?are you (?:talking|going on) about|(?:you're|you are|you aren't|not|nothing .{1,20}) making (?:any |no )?sense|makes no sense",
    'wovon (?:redest|sprichst) du|was redest du',
    'de que (?:hablas|estas hablando)|que (?:dices|estas diciendo)',
    "de quoi (?:tu parles|parles-tu)|qu'est-ce que tu racontes",
    'waar heb je het over',
    'do que (?:voce|vc|tu) (?:esta|ta) falando',
    'o czym (?:ty )?mowisz|co ty gadasz',
    'kya bol rah[aei] (?:ho|hai)',
  ],
  '何の話|何を言って',
)

/** Opens a message that turns the reply down; after an offer of the bot it only declines the offer. */
export const NO_OPENING =
  /^(?:(?:uh|um|hm+|er|oh|ach|ah|arre|are|ey|hey|ayy?|lol|haha|well|ok)[ ,.]+)?(?:(?:nope|no+o|nah|nein|nee|neen|non|いいえ|いえ|いや|ううん)(?![\p{L}\p{N}])|(?:no|ne|nan|nao|nie|nahi|nahin)(?=\s*(?:[,.!;:-]|$)|\s(?:i|it|it'?s|that'?s?|the|this|you|but|he|she|they|we|there|my|just|use|make|in|for|ich|das|yo)(?![\p{L}\p{N}])))/u

/** `No` that turns nothing down. */
export const HARMLESS_NO =
  /^no(?:t)? (?:worr\w+|problem\w*|rush|idea|doubt|way|pressure|hurry|offen[sc]e|kidding|joke|cap|wonder|need|biggie|matter|reminder|example)|^(?:kein(?:e)? (?:problem|sorge|eile|ahnung|ursache)|geen (?:probleem|idee|haast|zorgen)|no (?:pasa nada|hay (?:problema|de que|prisa)|te preocupes|se)|pas de (?:probleme|souci|quoi)|nie (?:ma (?:problemu|sprawy|za co)|szkodzi|wiem)|nao (?:tem problema|se preocupe|sei)|koi (?:baat|nahi))/u

/** Declines what the bot offered; nothing is wrong with the reply. */
export const DECLINE = family(
  [
    "no,? (?:thanks?|thx|thank you|ty)|no need|not (?:necessary|needed)|(?:that's|thats|that is|that was|that will be|that'll be) (?:all|it|everything|enough)|nothing (?:else|more)|i'm (?:good|fine|all set)|im (?:good|fine)|all good|all set|maybe later|don't bother|no .{1,25} needed|i can (?:do|take|handle) (?:it|that|the rest)|i've got it|not (?:right now|right this \\w+|now|quite yet|yet|today|at the moment|for now|this time)|(?:maybe )?(?:some )?(?:other|another) time|maybe in the future",
    "nein,? danke|(?:nicht|nix) (?:notig|noetig)|brauch(?:e|st|en)?(?:'s)? (?:ich |du |es |das |wir )*(?:nicht|kein\\w*)|das (?:war|ist|ware) alles|das war's|das wars|reicht(?: so| mir)?|(?:sonst )?nichts (?:mehr|weiter|sonst)|passt schon|schon gut|(?:muss|musst du) nicht|lass mal|spater vielleicht|alles gut",
    'no,? gracias|no (?:hace falta|es necesario|te preocupes|hay necesidad|necesito (?:nada )?mas|por ahora)|(?:eso|es) (?:es )?todo|nada mas|asi esta bien|con eso (?:basta|me vale)|ya esta|dejalo|(?:todavia|aun|ahora|por el momento|de momento) no|otro dia',
    "non,? merci|pas (?:besoin|la peine|necessaire)|(?:c'est|ce sera|ca sera) tout|rien d'autre|ca (?:ira|suffit|va aller)|ca va comme ca|c'est bon comme ca|inutile de|pas (?:encore|maintenant|pour l'instant|tout de suite)|une autre fois",
    'nee,? (?:dank\\w*|bedankt|hoor)|(?:dat )?hoeft (?:\\w+ )?niet|niet nodig|(?:dat|dit) (?:was|is) (?:alles|het|genoeg)|niks meer|niets meer|verder niks|verder niets|is al goed|zo is het goed|(?:nog|nu|vandaag) niet|niet nu|een andere keer',
    'nao,? (?:obrigad[oa]|valeu|brigad[oa])|nao (?:precisa|e necessario|carece|preciso)|precisa nao|(?:e|era|so) so isso|so isso|isso e tudo|era isso|deixa quieto|nada mais|por enquanto nao|mais nada|(?:ainda|agora) nao|outra hora',
    'nie,? (?:dzieki|dziekuje)|nie (?:trzeba|potrzeba|musisz|potrzebuje|ma potrzeby)|to (?:wszystko|tyle)|nic wiecej|wystarczy|starczy|juz nie|zostaw|obejdzie sie|jeszcze nie|nie teraz|teraz nie|innym razem',
    'nahi,? (?:thanks|shukriya|dhanyavad|rehne do|bas)|rehne (?:do|de)|zaroorat nahi|zarurat nahi|jarurat nahi|(?:bas )?itna (?:hi )?(?:kaafi|kafi|bas)|bas(?: itna)?(?: hi)?|aur kuch nahi|abhi nahi',
  ],
  '大丈夫です|大丈夫|結構です|いらない|いりません|要りません|不要|必要ない|必要ありません|以上です|それだけ|もういい|遠慮',
)

/** Turns to another matter. */
export const NEW_TOPIC = opening(
  [
    'now|next(?! time)|another (?:thing|question|one)|also|one more(?: thing| question)?|by the way|btw|different (?:topic|question|thing)|on another note|moving on|new (?:topic|question)|meanwhile|other (?:topic|question|thing)|unrelated|question',
    'jetzt|nun|als nachstes|noch (?:was|etwas|eine frage)|andere frage|was anderes|ubrigens|ausserdem|auserdem|neues thema|und jetzt',
    'ahora|otra (?:cosa|pregunta|duda)|cambiando de tema|por cierto|ademas|tambien|luego|siguiente',
    'maintenant|autre (?:chose|question|sujet)|au fait|sinon|aussi|ensuite|passons',
    'nu|iets anders|andere vraag|trouwens|nog (?:iets|een vraag|een ding)|ook|daarnaast|volgende (?:vraag|punt)',
    'agora|outra (?:coisa|pergunta|duda|duvida)|mudando de assunto|alias|tambem|proxim[oa] (?:pergunta|coisa|tarefa)',
    'teraz|inna (?:sprawa|rzecz)|inne pytanie|a propos|swoja droga|jeszcze (?:jedno|cos)|przy okazji|kolejn[ea]',
    'ab|abhi|ek aur(?: baat| sawaal| cheez)?|waise|doosri baat|dusri baat|aur haan|aur ek',
  ],
  'ところで|あと、|次は|別件|話は変わ|ちなみに|それと|ついでに|別の',
)

/** Opens a question that lacks its mark. */
export const QUESTION =
  /^(?:(?:and|so|ok|but|und|aber|y|et|en|e|a|aur|ale)[, ]+)?(?:what(?! an? )|how|why|when|where|who|which|whose|is there|are there|(?:have|has) (?:you|he|she|it|they|anyone)|do (?:you|we|i|they)|does|did (?:you|they|it)|is (?:it|this|that|the)|are (?:you|they|the|we)|can (?:i|we|it|you)|could (?:i|we|it|you)|would (?:it|that|you)|should (?:i|we)|will (?:it|that)|wie|was|warum|wieso|wann|wo|wer|wen|welche\w*|kann(?:st)?|konntest|gibt es|ist (?:das|es)|que (?:es|son|hora|significa|hay|tal|hago|puedo|pasa|tiene|dia|tipo)|por que|cuando|donde|quien|cual|cuanto\w*|puedes|podrias|hay|comment|pourquoi|quand|ou est|qui|quel\w*|combien|est-ce|peux-tu|pouvez|y a-t-il|hoe|wat|waarom|wanneer|waar|welke|kun(?:nen)?|is er|zijn er|jak|co|dlaczego|kiedy|gdzie|kto|czy|ile|o que|qual|quando|onde|quem|quanto\w*|tem (?:como|algum)|da pra|kya|kaise|kab|kahan?|kyu\w*|kaun|kitn\w+)(?![\p{L}\p{N}])/u

/** A question that is an order. */
export const REQUEST =
  /(?:can|could|would|will) (?:you|u|we)|would you mind|please|pls|kannst du|konntest du|konnen sie|konnten sie|bitte|puedes|podrias|puede|por favor|peux-tu|pourrais-tu|tu peux|pouvez-vous|s'il (?:te|vous)|kun je|kan je|kunt u|zou je|alsjeblieft|graag|podes|pode|mozesz|prosze|possible|moglich|posible|mogelijk/u

/** Speaks of the person, not of the reply. */
export const FIRST_PERSON =
  /^(?:i(?:'\w+)? (?!(?:mean|meant|said|asked|told|wanted) )|we |my |ich (?:mach|werde|bin|hab|geh|frag)|voy a|lo hago|me voy|je vais|j'ai|ik (?:ga|ben|doe|zal)|vou |eu |ja |sam |zrobie|main |mai |mujhe lag)/u

/** Tells what the person has, does, knows or likes: no word about how the reply should be. */
export const TELLING =
  /^(?:(?:oh|ah|yes|yeah|no|well|actually|haha|so|ja|nein|si|no|oui|non|nee|sim|nao|tak|nie)[ ,.!]+)*(?:i(?:'ve|'m)?(?: \w+)? (?:have|had|am(?! (?:looking|asking|talking))|was(?! (?:looking|asking|talking))|saw|seen|watched|heard|read|like[sd]?|love[sd]?|enjoy(?:ed)?|know|knew|haven't|hope|remember|got)|ich (?:bin|war|mag|mochte|liebe|finde|fand|kenne|kannte|freue|hoffe|erinnere)|(?:ya )?(?:he (?:visto|leido|oido)|me (?:gusta|gustan|encanta|acuerdo|alegro)|yo (?:soy|tengo)|conozco|creo)|j'(?:ai (?:vu|lu|entendu)|aime|adore|espere)|je (?:suis|connais|me souviens)|ik (?:ben|vind|vond|ken|hou|hoop)|eu (?:vi|gosto|adoro|acho|estou|conheco)|(?:lubie|widzial\w+|czytal\w+|znam|ciesze))(?![\p{L}\p{N}])/u

/** Tells of something of the person's own. */
export const POSSESSIVE =
  /^(?:my|mine|our|ours|mein\w*|unser\w*|mis?|nuestr\w+|mon|ma|mes|notre|mijn|onze|meus?|minhas?|noss[oa]s?|moj\w*|nasz\w*|mera|meri|mere|hamar\w+)(?![\p{L}\p{N}'])/u

/** Names something of the person's own. */
export const OWN =
  /(?<!\p{L})(?:my|our|mein\w*|unser\w*|mis?|mon|ma|mes|mijn|meus?|minhas?|moj\w*|mera|meri|mere)(?!\p{L})/u

/** Asks for another thing of the kind, or for the reply in another language. */
export const ANOTHER =
  /(?<!\p{L})(?:translat\w*|ubersetz\w*|traduc\w*|tradui\w*|vertaal\w*|przetlumacz\w*|traduz\w*|(?:write|do|make|give me|tell me) one(?= (?:in|about|for|on|with|more|that|like)|[.!?]*$)|another|noch ein\w*|otr[oa]|un autre|une autre|nog een|outr[oa]|jeszcze jed\w+)(?!\p{L})/u

/** The person takes the message back or tells others to skip it. */
export const WITHDRAWN =
  /\b(?:wrong (?:chat|channel|thread|person|window|group|bot|tab)|ignore (?:this|that|my last|me|the above message)|disregard (?:this|that|my)|never ?mind|nvm|not for you|falscher (?:chat|kanal|thread)|hat sich erledigt|vergiss es|canal equivocado|chat equivocado|olvidalo|ignora esto|mauvais (?:canal|chat|fil)|laisse tomber|oublie ca|verkeerde (?:chat|kanaal|groep)|laat maar|chat errado|canal errado|grupo errado|esquece|deixa pra la|zly (?:czat|kanal)|niewazne|galat (?:chat|group|channel))\b/u

/** Opens with an order: alone it asks for the next thing, after a complaint it says what is wanted. */
export const COMMAND = opening(
  [
    "write|give|make|show|tell|find|list|create|draft|suggest|recommend|send|add|set|book|remind|translate|explain|summari[sz]e|rewrite|plan|use|put|start|begin|end|name|mention|include|link|quote|cite|calculate|calc|compute|count|check|look|search|convert|compare|describe|sort|split|keep|leave|remove|drop|replace|change|fix|answer|reply|spell|read|try|do|avoid|stop|skip|say|call|address|take|open|close|move|round|focus|stick|pick|choose|i need|i want|i'd like|help me|let's|let us",
    'schreib\\w*|gib|mach\\w*|zeig\\w*|erstell\\w*|such(?:e|en|t|s)?(?! (?:a|an|as)\\b)|nenn\\w*|ubersetz\\w*|erklar\\w*|fass\\w*|plan\\w*|nimm|nutz\\w*|verwend\\w*|setz\\w*|rechn\\w*|liste?|list|sortier\\w*|fug\\w*|streich\\w*|lass|ersetz\\w*|ander\\w*|korrigier\\w*|sag\\w*|fang|beginn\\w*|pruf\\w*|schau\\w*|formulier\\w*|ich (?:brauche|mochte|will)',
    'escrib\\w+|dame|haz\\w*|busca\\w*|traduc\\w+|explica\\w*|resum\\w+|pon\\w*|usa\\w*|anade\\w*|agrega\\w*|quita\\w*|cambia\\w*|calcula\\w*|empieza|muestra\\w*|dime|manda\\w*|envia\\w*|corrige\\w*|ordena\\w*|necesito|quiero|recomienda\\w*|comprueba|revisa\\w*',
    "ecri[st]\\w*|redige\\w*|donne\\w*|fais|faites|cherche\\w*|tradui[st]\\w*|explique\\w*|resume\\w*|mets|mettez|utilise\\w*|ajoute\\w*|enleve\\w*|change\\w*|calcule\\w*|commence\\w*|montre\\w*|dis|envoie\\w*|corrige\\w*|trouve\\w*|liste\\w*|prends|remplace\\w*|propose\\w*|il me faut|je (?:veux|voudrais)|j'ai besoin|garde\\w*|laisse\\w*|verifie\\w*",
    'schrijf|geef|maak|zoek|vertaal|leg|zet|gebruik|voeg|haal|verander|bereken|begin|toon|zeg|stuur|verbeter|noem|neem|vervang|plan|reken|controleer|ik (?:wil|heb)|kijk|lees|doe',
    'napisz|daj|zrob|znajdz|przetlumacz|podaj\\w*|wyjasnij|dodaj|usun|zmien|policz|zacznij|pokaz|wyslij|popraw|wymien|uzyj|potrzebuje|chce|sprawdz|zaplanuj|wypisz|ulozy?|stresc',
    'escrev\\w+|da|faz|faca|traduz\\w*|explica\\w*|resum\\w+|coloca|coloque|poe|usa|use|adiciona|tira|tire|muda|calcula|comeca|mostra|manda|mande|corrig\\w+|procura|busca|lista|troca|preciso|quero|sugere|sugira|cria|crie|me (?:da|de|manda|fala|diz|explica|mostra|passa)',
    '.*(?<!\\p{L})(?:likho|likh do|batao|bata do|banao|bana do|do|dikhao|bhejo|karo|kar do|samjhao|dhundho|jodo|hatao)(?=[.!]*$)',
  ],
  '(?:して|教えて|ください|書いて|作って|訳して|まとめて)[。!]?$',
)

export const YES_OPENING = /^(?:yes|yeah|yep|yup|sure|ja|jo|si|oui|sim|tak|haan|はい)(?![\p{L}\p{N}])/u

/** `No, thanks` and nothing more. */
export const DECLINE_THANKS =
  /^(?:no|nah|nein|non|nee|nao|nie|nahi)[, ]+(?:nvm,? )?(?:thank|thx|ty\b|danke|gracias|merci|dank|bedankt|obrigad|dzieki|dziekuje|shukriya)\P{L}*\p{L}*(?: you| u)?\P{L}*$/u

/** Asks for the same thing once more. */
export const AGAIN =
  /^(?:again|once more|one more time|nochmal\w*|noch ?mal|otra vez|de nuevo|encore une fois|nogmaals|nog een keer|de novo|outra vez|jeszcze raz|phir se|fir se|dobara|もう一度|再度)(?![\p{L}\p{N}])/u

export function isQuestion(folded: string): boolean {
  return /\?\s*[)\]"']*$|か[。.!]?$/u.test(folded) || QUESTION.test(folded)
}
