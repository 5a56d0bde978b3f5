import { family, opening } from './lexicon.ts'

/** Markers that a clause says what the reply should have been. Matched against folded text, one line a language. */

/** What the asker had meant, said or asked for. */
export const MEANT = family(
  [
    "(?<=^|[,.;:!?(-] ?|\\b(?:but|no|nope|and|as|like|sorry|when|yes|yeah|actually|because|dude|bro|hey) )i (?!never|didn't)(?:\\w+ )?(?:(?:meant?|ment|wanted)(?! to\\b)|said|specified|requested|wrote|(?:asked|told)(?= (?:you|for|about|how|what|where|when|why|which|who|if|whether|in|not|only)\\b|[,.!?]|$))|i (?:actually )?mean (?:the|a|an|my|in|on|for|not)|i(?:'m| am) (?:talking|asking) about|what i (?:meant|asked|wanted)(?: \\w+){0,2} (?:was|is)|(?:was|is) (?:asking|talking) about|as i (?:said|wrote)|my question was|i was (?:asking|looking) for|like i said|i (?:just|only) (?:want|need|wanted|needed) (?:to|the|a)|i(?:'ve| have)? already (?:told|said|asked|mentioned|gave|given|wrote|explained|tried|did|done|know|have (?:it|that|this|one))",
    'ich (?:meine|meinte|sagte|wollte|hatte|fragte|habe|hab|sprach|rede|suche|bat)(?= .{0,60}(?:gesagt|gefragt|gebeten|gemeint|gewollt|geschrieben|wollte|meinte))|ich (?:meinte|meine|wollte|fragte|bat)|gemeint (?:war|ist)|meine frage war|gefragt war|es geht um|es ging um|ging mir um|(?:brauche?|meinte|wollte) ich|ich (?:will|wollte|brauche) (?:doch )?nur|ich (?:habe?|hatte) .{0,15}(?:schon|bereits)',
    'me referia|me refiero|quise decir|queria decir|(?:yo |te |ya |os )(?:dije|pedi|pregunte)|dije|pedi|pregunte (?:por|si|que)|hablo de|hablaba de|lo que (?:queria|pedi|pregunte)|mi pregunta (?:es|era)|pregunto por|preguntaba por|solo (?:quiero|queria|necesito)|ya (?:lo |la |te )?(?:he|hice|dije|tengo|probe)',
    "je (?:voulais|parlais|parle|pensais|demandais|cherchais)|je veux dire|j'(?:ai|avais) (?:\\w+ )?(?:dit|demande|precise|ecrit)|ma question (?:est|etait)|il s'agit de|il s'agissait|je (?:veux|voulais) juste|j'ai deja",
    'ik (?:bedoel|bedoelde|zei|vroeg|wilde|wou|zocht)|ik (?:had|heb) .{0,40}(?:gevraagd|gezegd|bedoeld|geschreven)|mijn vraag (?:was|is)|het (?:gaat|ging) (?:mij |me )?(?:om|over)|ik wil (?:alleen|gewoon|enkel)|ik heb .{0,15}al',
    '(?:quis|queria) dizer|(?:eu )?(?:falei|pedi|perguntei|disse)|me refir\\w+|me referi\\w*|(?:to|tou|estou|tava|estava) (?:falando|perguntando)|minha pergunta (?:e|era|foi)|o que eu (?:queria|pedi)|eu queria|(?:eu )?so quer(?:o|ia)|ja (?:fiz|disse|falei|tentei|tenho)',
    'chodzi(?:lo)? (?:mi )?o|(?:mialem|mialam|mam) na mysli|(?:mowi|pyta|prosi|pisa|chcia|szuka)(?:lem|lam)|moje pytanie|mi chodzi(?:lo)?|pytanie bylo|chce tylko|chcialem tylko|juz (?:to )?\\p{L}+(?:lem|lam)',
    '(?:mera|mere) (?:matlab|sawaal)|(?:maine|mainee|mene|humne|hamne)(?: .{0,50})? (?:kaha|bola|pucha|poocha|manga|maanga|likha|puchha)|(?:ki|ke) baat kar (?:raha|rahi|rahe)|matlab tha|pu(?:ch|chh)a tha|bola tha|kaha tha|manga tha|puch rah[aie]|phir se puch|mujhe (?:sirf|bas)|pehle (?:hi|se)',
  ],
  'と(?:言|いっ|頼|聞|書|お願いし)[^。]{0,6}(?:た|ました|ている|います|のに)|って(?:言|いっ|頼|聞|書)|(?:の|ほう|方|こと)です(?:。|$|が|よ|けど)[^。]*|聞いて(?:る|いる|いるの|います)|のことを|という意味|の話',
)

/** One thing in another's place. */
export const CONTRAST = family(
  [
    "instead|rather than|(?:the )?other way (?:a)?round|vice versa|not .{1,40},? but|but not|^(?:no,? )?not (?:the|a|an|my|our|in|on|for|from|about|to|as|\\d+) ?[^.!?]{1,40}[,;:] \\S+|(?!(?:is|are|was|were|do|does|did|has|have|had|will|can|could|would|should|may|might|must|it's|that's|this|im|i'm|you're|we're|or|why|if|or|maybe|probably|certainly|am|be|really|definitely|still|obviously|absolutely|actually|also|though|thats|its|just|perhaps|just|think|hope|guess|so|about|for|of|by|from|at|with|while)\\b)[\\p{L}\\p{N}'-]+,? (?:and )?not (?!sure|yet|bad|only|that|really|now|so|much|at|even|it|a problem|to worry|working|right|good|great|helpful|bad|too|very|all|always|everyone|here|again|going|being|true|correct)[\\p{L}\\p{N}'-]+",
    'stattdessen|anstatt|umgekehrt|statt|sondern|(?:bitte |doch |besser )?lieber|(?:und )?nicht (?:der|die|das|den|dem|in|im|am|an|auf|von|vom|nach|fur|mit|zum|zur|als|aus|uber|unter|\\d+) ?\\p{L}*',
    'en (?:vez|lugar) de|al reves|mejor (?!que|dicho|amigo|no)\\p{L}+|sino|y no (?:de |del |la |el |los |las |en |a )?\\p{L}+|(?<=, )no (?:de |desde |para |por |con |del |la |el |los |las |en |a )?\\p{L}+',
    "plutot|au lieu|l'inverse|et (?:non|pas)|(?<!\\p{L}')(?:(?<=, )|et )(?:non )?pas (?:le|la|les|un|une|des|du|de|en|a|au|aux|pour|l')",
    'in plaats van|andersom|liever|maar dan|(?:en )?niet (?:de|het|een|in|op|van|naar|voor|met|aan|om|als)',
    'em vez de|ao contrario|no lugar|ao inves|(?:e )?nao (?:o|a|os|as|de|do|da|em|no|na|um|uma|pra|para|pelo|pela) \\p{L}+|(?<=, )nao \\p{L}+',
    'zamiast|na odwrot|raczej|a nie|(?<=, )nie (?!wiem|ma|dziala|trzeba|rozumiem)\\p{L}+|tylko (?:o|na|w|z|do|po|ten|ta|te|to)',
    '(?<=, )\\p{L}+ (?:me|mein|ko|ka|ki|ke|se) (?:nahi|nahin)|(?:ki|ke) (?:jagah|bajay|badle|bajaye)|(?:\\p{L}+) nahi,? \\p{L}+ (?:wala|wali|wale|ka|ki|ke|chahiye|do|dena|batao|likho|karo|dikhao|bhejo)|nahi,? balki',
  ],
  'じゃなく|ではなく|でなく|じゃない(?:よ|です)?[、。].|代わり|かわりに|よりも|のほうが|方がいい|ほうがいい',
)

/** Names the thing itself: `it was France`, `here it is 21 %`. A name or a number must follow. */
export const CONTRARY =
  /(?<![\p{L}\p{N}])(?:(?:it|that|his name|her name|the name)(?:'s| is| was| are)|(?:es|das|er|sie) (?:ist|war|sind|heist)|(?:es|era|fue|son|se llama)|(?:c'est|c'etait|il s'appelle)|(?:het|dat) (?:is|was|zijn|heet)|(?:e|foi|era|sao)|to (?:jest|byl\w*)) /u

/** What should be there. */
export const SHOULD = family(
  [
    "(?<!\\b(?:i|we|i'll|also|i'd) )(?:should|must|needs to|has to|ought to|supposed to)(?:'ve| have)? (?:be(?! (?:fine|good|ok|okay|enough|great|perfect|all|it|able|there|alright))|been|say|read|use|start|end|only|not|include|contain|mention|have|list|show|come|go|look|sound|return|match|cover|stay|fit)|shouldn't|(?:it|that|this|they|these|you|answer|the \\w+) (?:should|must|needs? to|need to|ought to)(?! (?:work|do|help|suffice|know|see|try|watch|visit|go|check out|listen|hear|meet|come|ask|be (?:fine|good|ok|okay|enough|great|able))\\b)|(?:is|are|was|were) (?:supposed|meant) to|(?:could|should|would|might)(?:'ve| have) (?:been|had|told|said|mentioned|added|used|done|asked|started|included|given|just|at least)|would (?:be|have been) (?:nice|nicer|better|great|good|helpful) (?:if|to|with|in|as)|(?:it'd|it would) help|how about (?:a|an|the|you|some)|maybe (?:try|use|add|start|you could|you should|next|read|just)|at least(?! (?:i|we|he|she|they|by|you)\\b)|otherwise (?:i|it|we|they|you)|the (?:right|correct) (?:\\w+ )?(?:is|was|would)|it's (?:actually|called|spelled)|(?:^|, |\\. )actually,? (?!thanks|thank|yes|i|good|great|nice|that's|never|works)",
    '(?:es|das|sie|er|da|hier|man|antwort|text) (?:sollte|musste|muss|soll|gehort|heisst|heist)(?! ich)|(?:hattest|hatte|konntest|solltest) .{0,50}(?:konnen|sollen|mussen)|(?:besser|schoner|schon|hilfreich\\w*|nett) (?:ware|waere|gewesen)|wie ware es mit|ware (?:besser|schon|nett|hilfreich)|zumindest|wenigstens|sonst (?:kann|ist|wird|geht|hilft)|(?:richtig|korrekt) (?:ist|ware|waere|heisst|heist)|eigentlich',
    '(?:deberia|debia|tenia que|tendria que|tiene que|debe) \\p{L}+|(?:podrias|deberias|hubieras?|habrias?|podias) (?:haber\\p{L}* )?\\p{L}+(?:ado|ido|to|cho)|(?:seria|estaria|hubiera sido) (?:mejor|bien|bueno)|que tal si|al menos|por lo menos|lo (?:correcto|que quiero) (?:es|seria|era)|se (?:dice|escribe|llama)|en realidad|correcto (?:es|seria)|hay que',
    "(?:devrait|doit|doivent|aurait du|fallait|faudrait|il faut)|(?:aurais|aurait|auriez) (?:pu|du|ete)|(?:ce )?serait (?:mieux|bien|bon)|et si tu|au moins|la bonne (?:reponse|version)|en fait|ca s'(?:ecrit|appelle)",
    '(?:het|dat|dit|er|die|deze) (?:moet(?:en)?|moest(?:en)?|hoort|hoorde)(?! ik| je nog)|zou(?:den)? .{0,30}moeten|had (?:je|dat|het) .{0,40}(?:kunnen|moeten)|(?:zou|was) (?:fijn|beter|handig|mooi) (?:zijn|geweest|als)|beter (?:is|was|als)|op zijn minst|tenminste|eigenlijk|het (?:juiste|goede) (?:\\w+ )?is',
    'era (?:pra|para)|(?:podia|poderia|devia|deveria) (?:ter|pelo menos)|(?:seria|ficaria) (?:melhor|bom)|que tal|pelo menos|deveria|tinha que|tem que (?:ser|ter|estar|vir|ficar)|(?:o )?(?:certo|correto) (?:e|seria|era)|na verdade|precisa(?:va)? (?:ser|ter|estar)',
    'powinn\\w+|mog(?:les|las) |(?:byloby|bylo by) (?:lepiej|milo|dobrze)|lepiej (?:by|jakby|w|z|bez|na)|przynajmniej|chociaz|mia(?:l|la|lo|ly) byc|ma byc|maja byc|poprawn\\w+ (?:to|jest|wersja)|wlasciwie|tak naprawde|trzeba bylo',
    '(?:accha|acha|achha|behtar) hota|(?:kam se kam)|(?:hona|karna|likhna|dena|lena|rakhna) (?:chahiye|tha|hai)|chahiye tha|(?:asli|asal) me|sahi (?:jawab|answer) (?:hai|to)|hota hai',
  ],
  'たらよかった|たら(?:いい|嬉しい|うれしい|助か)|と(?:嬉しい|うれしい|助かる)|せめて|べき|はずです|のはず|正しくは|本当は|実際は|が正しい|が正解',
)

/** Something was left out or mixed up. */
export const OMITTED = family(
  [
    "you(?:'ve| have)? (?:\\w+ )?(?:forgot(?:ten)?|missed|left (?:out|off)|ignored|skipped|dropped|mixed|swapped|confused|changed|added|removed|reordered|used|included|repeated|translated|counted|took|misspelled)|(?:is|are|was|were|'s|'re) (?:still )?missing|missing (?:the|a|my|from|is|are)|(?:^|[,.] )missing|where(?:'s| is| are) (?:the|my)|(?:doesn't|didn't|don't|does not|did not) (?:mention|include|cover|contain|say|list|have|show|follow|use|keep|account|consider|respect)|without (?:the|any|a) \\w+ (?:it|this|that)",
    '(?:du|sie) (?:hast|haben) .{0,60}(?:vergessen|ubersehen|weggelassen|ignoriert|verwechselt|verwendet|geandert|ausgelassen|vertauscht)|(?:es |da |hier |mir |noch |immer )*(?:fehlt|fehlen)|ist (?:nicht|nirgends) (?:dabei|drin|enthalten)|vergessen',
    '(?:te )?falt(?:o|a|an|aba|aban|aron)|(?:te )?olvid(?:aste|o|as)|se te (?:paso|olvido|ha)|confundiste|omitiste|has (?:olvidado|confundido|ignorado|cambiado|puesto)|no (?:incluye|menciona|aparece|mencionas|incluiste|pusiste)|cambiaste|pusiste|dejaste',
    "(?:tu as|vous avez|t'as) (?:\\w+ )?(?:oublie|rate|ignore|confondu|mal|saute|melange|change|mis|inverse)|(?:il |ca |y )?manque(?:nt)?|oublie",
    'je (?:bent|hebt|ben|heb) .{0,50}(?:vergeten|gemist|overgeslagen|verwisseld|weggelaten|genegeerd|veranderd|gebruikt)|ontbreekt|ontbreken|mist (?:nog|de|het|een)|(?:staat|zit) er niet (?:in|bij)|vergeten',
    '(?:voce |vc |tu )?(?:esqueceu|faltou|faltam?|confundiu|trocou|ignorou|pulou|misturou|mudou)|faltando|nao (?:incluiu|colocou|mencionou|tem o|tem a)',
    'zapomnia(?:les|las)|pomin(?:ales|elas)|brak(?:uje|owalo)|pomyl(?:iles|ilas)|(?:nie ma|braku\\w+) (?:w|na|tam)|zignorowa(?:les|las)|zmieni(?:les|las)|uzy(?:les|las)',
    '(?:bhool|bhul|chhod|chod|chhoot|chhut|choot|miss|ignore) (?:gay[aei]|diya|di|kar|gaye|kiya)|(?:nahi|nai) (?:likha|bataya|diya|dala|daala|joda|dikhaya)|missing hai|kaha hai|kahan hai',
  ],
  '抜けて|忘れて|漏れて|足りな|入ってない|入っていない|入っていません|含まれてい(?:ない|ません)|欠けて|混同|無視して',
)

/** How it should be from now on. */
export const NEXT_TIME = family(
  [
    '(?:please|pls) always|(?<!(?:ask|see|know|try|remember|you|it|until|till) )(?:next time|from now on|in (?:the )?future|going forward|for next time)',
    'nachstes mal|beim nachsten|ab (?:jetzt|sofort)|von (?:nun|jetzt) an|in zukunft|zukunftig|kunftig|bitte immer|immer erst|immer zuerst',
    'la proxima(?: vez)?|a partir de ahora|de ahora en adelante|por favor,? siempre|en adelante',
    "la prochaine fois|desormais|dorenavant|a l'avenir|a partir de maintenant",
    '(?:de )?volgende keer|voortaan|vanaf nu|in het vervolg|in de toekomst',
    '(?:da |na )?proxima vez|a partir de agora|(?:daqui|de agora) (?:pra|para|em) (?:frente|diante)',
    'nastepnym razem|od teraz|na przyszlosc|w przyszlosci|odtad',
    'agli baar|agle baar|ab se|aage se|next time',
  ],
  '次から|次回|今後|これから|次は必ず|いつも',
)

/** Orders about the reply itself, at the start of a clause: redo it, keep to something, leave something out. */
export const ORDER = opening(
  [
    "(?:always|never) (?!seen|heard|been|had|read|knew|known|thought|tried|liked|watched|was|is|mind|again)\\p{L}+|(?:sort|cut|sign|shorten|format|write|phrase|word|start|end|list|group|split|round|spell|order|structure|limit|tone|tighten|simplify|convert|give|show|say|answer|do|try|have|get|set|present|explain|address|name|call|trim|reduce|expand|lengthen|polish|soften|improve|clean) (?:it|them|that|this|these|those|him|her|me (?:it|them|that(?=[.,!?]|$| (?:in|as|with|without|for|by|again|to|from|please)\\b)))\\b|make (?:it|them|that|this)|keep (?:it|them|that|to)|redo|re-?do|re-?write|re-?phrase|re-?word|re-?read|re-?check|double[- ]check|fix (?:it|that|this)|change (?:it|that)|correct (?:it|that)|leave (?:out|off)|(?:leave|take|cut|strip|filter) .{1,30} (?:out|off|down)|break .{1,20} down|drop the|remove (?:the|it|that|them)|cut the|skip the|stop \\w+ing|don't (?!know|think|need|understand|worry|have|want|see|get|mind|care|forget|you|we|bother)\\w+|do not (?!know|think|need|understand|have|want)\\w+|stick to|only what|(?:only|just) (?:the|answer|touch|use|show|list|in|with|say|one|two|give me the)|no need (?:to|for)|no (?!worr|prob|thank|way|issue|complain|change|error|question|mistake|doubt|regret|objection|preference|rush)\\p{L}+s\\b|without|use (?:the|my|our|a|an)|be (?:more|less)|put (?:the|it|them)|start with|begin with|end with|calc(?:ulate)? (?:from|with|in)|count (?:from|only|the)|answer (?:in|with|the|my)|(?:read|check|look) (?:it|at|my|the|for) .{0,30}again|(?:replace|swap|switch|substitute) (?:it|that|them|this)|(?:sort|order|group|rank|filter|arrange|organi[sz]e|split|round) (?:by|alphabetically|in|to|up|down)|(?:pretend|imagine|assume|suppose) (?:i|we|that|you)|start (?:at|on|from|in)|(?:limit|restrict|reduce|narrow|focus|concentrate) (?:it|this|that|to|on|the)|(?:needs?|lacks?) (?:the|a|an|more|to|some|actual|real|less)|something (?:more|less|else|\\p{L}+er)",
    'immer \\p{L}+|(?!ist|war|was|wo|wer|wie|hat|kann|geht|stimmt|passt|klappt|reicht|hilft|weiss|ich|und|gibt|tut|freut|sieht|klingt|macht|dass?)\\p{L}+ (?:es|sie|das|ihn)(?: bitte| doch| lieber| nach| auf| in| mit| ohne| als| kurz| etwas)|mach(?:e|en)? (?:es|das|ihn|sie)|noch ?mal(?:s)? (?:neu|ohne|mit|auf|in|nur)|(?:nur|ohne|kein\\w*|als|auf|in|mit|lieber|einzeln|nicht) .{1,40}|lass .{1,40} weg|nimm|korrigier(?:e|en)?(?! dich)|ander(?:e|n)? (?:es|das|die|den)|streich\\w*|ersetz\\w*|formulier\\w*|schreib (?:es|das|ihn|sie)|fang .{0,20} an|sortier\\w*|(?:stell dir vor|tu so)|beschrank\\w*|begrenz\\w*|konzentrier\\w*|reduzier\\w*|kurz\\w*|(?:et)?was \\p{L}+eres|lies|pruf\\w*|nicht so',
    'siempre \\p{L}+|(?!hola|ola|sola|mala|ella|aquella|cola|bola|tabla|regla|escuela|semana|habla)\\p{L}{3,}(?:a|e|i|n|z)(?:me|nos|se)?(?:lo|la|los|las)|haz(?:lo|la|los|las)|pon(?:lo|la|los|las|me|gas)?|corrig(?:e|elo|ela|eme)|arregla(?:lo|la)?|cambia(?:lo|la)|rehaz\\w*|reescribe\\w*|quita\\w*|elimina(?:lo|la)?|usa(?:me)? (?:el|la|los|las|un)|(?:solo|sin|solamente|unicamente) \\p{L}+|de nuevo|otra vez|vuelve a|intenta\\w* (?:de nuevo|otra vez|con)|(?:empieza|comienza) (?:por|con|en)|ordena\\w*|imagina\\w*|algo mas \\p{L}+|no (?!es |eres|estas|has|vas|puedes|tienes|sabes|quieres|tendras|veras|seas|las|les)\\p{L}+(?:es|as)|limita\\w*|reduce\\w*|centrate|que (?:sea|sean|este|tenga)|revisa\\w*',
    '\\p{L}{3,}-(?:moi-)?(?:le|la|les)|(?:fais|faites|mets|mettez|rends|rendez|garde|gardez)[- ](?:le|la|les|moi|en|ca)\\b|corrige[zr]?|refais|refaites|reecri[st]\\w*|reformule[zr]?|change[zr]? (?:le|la|les|ca)|enleve[zr]?|retire[zr]?|supprime[zr]?|(?:sans|seulement|juste|uniquement) \\p{L}+|commence[zr]?|utilise[zr]?|recommence[zr]?|encore une fois|trie[zr]?|classe[zr]?|imagine[zr]?|limite[zr]?|redui[st]\\w*|concentre[zr]?|quelque chose de plus \\p{L}+|relis|verifie[zr]?|ne (?:mets|mettez|fais|change|changez|repete|repetez|mentionne|parle|touche)|arrete[zr]?',
    'altijd \\p{L}+|(?:sorteer|kort|schrijf|geef|zet|maak|begin|rond|splits|groepeer|formuleer|noem|teken|vereenvoudig|leg) (?:het|ze|dat|die|deze|hem|haar)|maak (?:het|dat|er|die|de)|hou(?:d)? (?:het|dat|je)|doe (?:het|dat)|verbeter|pas (?:het|dat|de) .{0,20}aan|herschrijf|haal .{1,30} (?:weg|eruit|uit)|laat .{1,40} (?:weg|eruit)|verander|vervang|gebruik|schrap|(?:zonder|alleen|enkel|geen) \\p{L}+|begin (?:met|op|bij)|sorteer|beperk\\w*|kort .{1,20} in|(?:stel je voor|doe alsof)|iets \\p{L}+ers|nog (?:een keer|eens)|opnieuw|niet zo|zet (?:er|het|de|ze)|stop met|lees',
    '(?:faz|faca|deixa|deixe|coloca|coloque|poe|bota|muda|mude|troca|troque|tira|tire|corrige|corrija|conserta|conserte|refaz|refaca|reescrev[ae]|usa|use|remov[ae]|retira|arruma|arrume|ajusta|ajuste) (?:isso|ai|o|a|os|as|em|de novo|com|sem|pra|mais|so|por|esse|essa|um|uma)|corrig[ei]\\w*|de novo|(?:sem|apenas|somente) \\p{L}+|nao (?:use|usa|coloca|coloque|poe|fala|fale|muda|mude|inventa|repete|repita|precisa) \\p{L}+|ordena\\w*|limita\\w*|reduz\\w*|foca\\w*|imagina\\w*|algo mais \\p{L}+|comeca(?:r)? (?:com|por|pelo|pela)|me (?:da|de|manda) (?:so|o|a)',
    'popraw\\w*|zmien\\w*|usun\\w*|wywal|wyrzuc|uzyj|napisz (?:to|jeszcze raz|od nowa|bez|po|prosc\\w+|krocej)|jeszcze raz|od nowa|(?:bez|tylko) \\p{L}+|zacznij od|nie (?:pisz|dodawaj|uzywaj|zmieniaj|powtarzaj|wymyslaj|rob)|mniej \\p{L}+|bardziej \\p{L}+|podaj (?:tylko|w|z)|policz (?:od|bez|z)|posortuj|ogranicz\\w*|skup sie|skroc\\w*|pogrupuj|wyobraz sobie|cos (?:bardziej )?\\p{L}+szego|trzymaj sie',
    '(?:isko|ise|isse|usko|use|inko|inhe|unhe|unko) \\p{L}+|(?:dobara|dubara|phir se|fir se) \\p{L}+|(?:sirf|keval|bina) \\p{L}+|hata (?:do|de|dena)|hatao|badlo|theek kar\\w*|sahi kar\\w*|(?:hindi|english) (?:me|mein)|thoda (?:chhota|chota|aur|simple|saral|kam)|kam kar\\w*|.{1,40} (?:mat|na) (?:likh|kar|bol|dal|daal|de|bata|jod|use|dikha)\\w*|.{1,40} (?:hata|badal) (?:do|de|ke)|.{1,30} (?:wala|wali|wale) (?:chahiye|do|batao|dikhao|bhejo)',
  ],
  '直して|修正して|訂正|書き直|やり直|言い直|にしてください|にして$|で(?:書い|教え|お願い|答え|説明し)|だけ(?:で|に|を|教|書|お願い)|なしで|抜きで|抜いて|使わないで|しないで|つけないで|入れないで|いれないで|入れて|加えて|外して|消して|減らして|もっと|もう少し|もうちょっと|ずつ|から始め|ように',
)

/** Orders that change a part of something: they speak of the reply when they name a part of it. */
export const EDIT = opening(
  [
    'change|replace|swap|switch|substitute|interchange|remove|drop|delete|exclude|include|ensure|make sure|add|correct|fix',
    'ersetz\\w*|tausch\\w*|ander\\w*|entfern\\w*|streich\\w*|losch\\w*|fug\\w*|erganz\\w*|achte? darauf',
    'cambi[ae]\\w*|reemplaz\\w*|sustituy\\w*|quit[ae]\\w*|elimin\\w*|anad\\w*|agreg\\w*|incluy\\w*|asegura\\w*',
    'remplace\\w*|change\\w*|echange\\w*|enleve\\w*|supprime\\w*|ajoute\\w*|inclu[st]|assure[- ]toi',
    'vervang|verander|wissel|verwijder|voeg|zorg dat',
    'troc\\w*|substitu\\w*|remov\\w*|tir[ae]|adicion\\w*|inclu[ai]|garant\\w*',
    'zamien\\w*|zmien\\w*|usun\\w*|dodaj\\w*|upewnij',
  ],
  '変えて|換えて|追加して|削除して|置き換え',
)

/** A wish that names only the difference: `with prices please`, `in euros`, `more detail`. Read in short clauses only. */
export const FRAGMENT = family(
  [
    '(?:\\p{L}+|\\d+) only(?=[,.!]|$)|^(?:in|as|by|per) \\p{L}+(?: \\p{L}+)?[.!]*$|^(?:km|kg|miles|celsius|fahrenheit|euros?|dollars?|metric|grams?),? (?:please|pls)|(?:with|without|in|as|for|from|by|per|no|only|more|less|fewer|not) .{1,30},? (?:please|pls|plz)|(?:please|pls),? (?:with|without|in|as|no|only|more|less|fewer|not|just|use|start|end|keep) .{1,30}|(?:more|less|fewer) \\p{L}+',
    '(?:bitte|doch|aber) (?:mit|ohne|in|als|auf|fur|nur|mehr|weniger|kein\\w*|nicht|einzeln|immer|\\p{L}+er) ?.{0,30}|(?:mit|ohne|in|als|auf|fur|nur|mehr|weniger|kein\\w*) .{1,30} bitte|(?:etwas|bisschen|viel|deutlich) \\p{L}+er|^(?:in|auf|als|nach|pro) \\p{L}+[.!]*$|^\\p{L}+isch .{1,30} bitte',
    '(?:con|sin|en|como|para|por|mas|menos|solo) .{1,30},? por favor|por favor,? (?:con|sin|en|como|mas|menos|solo) .{1,30}|(?:mas|menos) \\p{L}+|^(?:en|como|por) \\p{L}+[.!]*$|^que \\p{L}+,? por favor',
    "(?:avec|sans|en|pour|plus|moins|seulement) .{1,30},? (?:s'il (?:te|vous) plait|stp|svp|merci)|(?:plus|moins) \\p{L}+|^(?:en|par) \\p{L}+[.!]*$",
    '(?:met|zonder|in|als|voor|per|meer|minder|alleen) .{1,30},? (?:graag|aub|alsjeblieft|alstublieft)|(?:graag|liefst) (?:met|zonder|in|als|per|alleen|\\p{L}+er) ?.{0,30}|(?:meer|minder) \\p{L}+|^(?:in|als|per|op) \\p{L}+[.!]*$',
    '(?:com|sem|em|como|pra|para|por|mais|menos|so) .{1,30},? (?:por favor|pfv)|(?:mais|menos) \\p{L}+|^(?:em|como|por) \\p{L}+[.!]*$',
    'prosze (?:bez|po|o|tylko|w|z|ze|krocej|na) .{0,30}|(?:bez|po|tylko|w|z|ze) .{1,30} prosze|(?:wiecej|mniej|bardziej) \\p{L}+|^\\p{L}{3,}ej(?: prosze)?[.!]*$|^(?:w|po|jako) \\p{L}+[.!]*$',
    '(?:thoda|zyada|kam|aur) \\p{L}+ (?:me|mein|karo|kar do|chahiye|do)|.{1,30} (?:ke saath|ke bina|me|mein) (?:chahiye|do|batao|likho|bhejo)',
  ],
  '^[^。、]{1,8}(?:で|に)[。!]?$|(?:で|に)お願い|してほしい|して欲しい|がほしい|が欲しい|が必要',
)

/** Too much of something: `too formal`, `zu lang`, `長すぎ`. */
export const TOO = family(
  [
    '(?:(?:way|far|much|bit|little) )?too (?!bad\\b|kind|good|funny|cool|real|late|soon)\\p{L}+|not (?:\\w+ )?(?:\\p{L}+ )?enough|(?:could|can) be (?:\\p{L}+er|more|less)|(?:a (?:bit|little|tad|touch)|rather|pretty|kinda|quite|somewhat) (?:long|short|formal|dry|wordy|stiff|cold|technical|complicated|boring|robotic|harsh|blunt|informal|casual|repetitive|verbose|brief|dense)|sounds? (?:like (?!(?:a |an |the )?(?:\\w+ )?(?:good|great|nice|perfect|plan|winner|fun|excellent|lovely|interesting|cool|awesome|fantastic|my|something i)\\b)|too|(?:so |very |really )?(?:cold|stiff|robotic|weird|rude|harsh|formal))',
    '(?:viel |etwas |ein bisschen |deutlich )?zu (?:lang|kurz|viel|wenig|formlich|formell|formal|kompliziert|steif|kalt|allgemein|vage|technisch|locker|unfreundlich|ausfuhrlich|knapp|trocken|hart|salopp|unpersonlich|ungenau|grob|gross|klein|teuer|spat|fruh|scharf|sus|einfach|detailliert|werblich|schwulstig|direkt|schwer|fachlich|oberflachlich)\\w*|nicht \\p{L}+ genug|klingt (?:zu|wie|so|steif|kalt|komisch|holprig)',
    '(?:demasiad[oa]s?|excesivamente) ?\\p{L}*|(?:muy|tan) (?:larg|cort|formal|frí|fri|sec|tecnic|complicad|generic|vag|dur|seri|informal|robotic|rebuscad|abstract)\\p{L}*|suena (?:a|muy|demasiado|fri\\p{L}*|raro)',
    "(?<!bien )trop (?!bien|bon|fort|cool|top|beau|belle|stylé|merci)\\p{L}+|pas assez|(?:c'est|ca fait|sonne) (?:froid|sec|lourd|vague|long|raide|robotique)",
    '(?:veel |iets |een beetje )?te (?:lang|kort|veel|weinig|formeel|informeel|ingewikkeld|moeilijk|stijf|koud|algemeen|vaag|technisch|uitgebreid|droog|onpersoonlijk|zakelijk|streng|direct|simpel|groot|klein|duur|laat|vroeg|pittig|zoet|hard)\\w*|niet \\p{L}+ genoeg|klinkt (?:te|als|zo|stijf|kil|koud)',
    '(?:muito|tao|meio) (?:long|curt|formal|fri|sec|tecnic|complicad|generic|vag|grand|pequen|rob|dur|seri|informal)\\p{L}*|(?:longo|longa|curto|curta|formal|seco|seca|frio|fria|tecnico|complicado|grande|texto|coisa) demais|demasiad\\p{L}+|(?:pouco|pouca) \\p{L}+',
    '(?:za|zbyt) (?:dlug|krotk|duzo|malo|formaln|oficjaln|sztywn|zimn|ogoln|techniczn|skomplikowan|such|sztuczn|trudn|drog|pozno|wczesnie|ostr|slodk|luzn|powazn)\\p{L}*|za bardzo|nie dosc',
    '(?:bahut|bohot|itna|itni|itne|kaafi) (?:hi )?(?:lamb|zyada|jyada|chhot|chot|mushkil|kathin|formal|technical|bor|rukh|kam)\\p{L}*|(?:zyada|jyada) (?:hi )?(?:lamb|formal|technical|mushkil|bada)\\p{L}*',
  ],
  'すぎ|過ぎ(?:る|です|て|た|だ|。|$)|長い|堅い|硬い|冷たい|くどい',
)

/** Contrast: what follows takes back what came before. */
export const BUT = family(
  [
    'but|however|though|although|except|only thing',
    'aber|allerdings|jedoch',
    'pero|aunque|salvo|solo que',
    'mais|par contre|cependant|sauf|toutefois',
    'maar|alleen|echter',
    'mas|porem|so que',
    'ale|jednak|natomiast',
    'lekin|magar',
  ],
  'けど|けれど|が、|ただし|でも|しかし|のに',
)

/** The reply declines a request, or asks before doing harm. */
export const REFUSAL = family(
  [
    "(?:i|we)(?: \\w+)? (?:can't|cannot|can not|won't|will not|must not|mustn't|may not)|(?:i'm|i am|we're) (?:not able|unable|not allowed|not permitted)|i'm sorry,? (?:but )?i|i'd rather not|isn't something i|can't be (?:shared|given|disclosed|undone)|cannot be (?:shared|given|disclosed|undone)|(?:is|are|it's) (?:private|confidential|off limits)|against (?:our |the |company )?(?:policy|rules|law)|not authori[sz]ed|(?:for )?privacy reasons|don't have (?:permission|the rights)|(?:please |first )?confirm (?:with|first|before|that|this)|please confirm|confirmation (?:first|required|needed)|only (?:hr|admins?|an admin|managers?) (?:can|may)",
    '(?:kann|darf|werde|mochte)(?: ich| wir)? .{0,60}nicht (?:\\w+ )?(?:weitergeben|teilen|helfen|nennen|herausgeben|verraten|geben|schreiben|anzeigen|senden|machen|mitteilen|erstellen|ausgeben|beantworten)|(?:ist|sind|streng) vertraulich|datenschutz(?:grunden)?|bitte bestatige\\w*|nicht (?:erlaubt|befugt|gestattet)|keine? (?:auskunft|berechtigung)',
    'no (?:puedo|debo|tengo permiso|estoy autorizad\\w|me es posible|esta permitido)|(?:es|son) confidencial\\w*|por favor,? confirma|confirma .{0,20}(?:antes|primero)',
    '(?:je )?ne (?:peux|dois|vais|partage|donne|communique) (?:\\w+ )?pas|(?:est|sont) confidentiel\\w*|pas autorise\\w*|pas le droit|(?:veuillez|merci de) confirmer',
    '(?:kan|mag|ga|zal) (?:ik |je )?.{0,60}niet (?:\\w+ )?(?:delen|geven|helpen|verstrekken|doorgeven|tonen|noemen|sturen|vertellen|schrijven|maken)|(?:is|zijn) vertrouwelijk\\w*|niet (?:toegestaan|bevoegd)|bevestig (?:eerst|dit)',
    '(?:nao|n) (?:posso|devo|tenho (?:permissao|autorizacao)|vou|consigo|e permitido)|(?:e|sao) confidencia\\w*|por favor,? confirme|confirme .{0,20}(?:antes|primeiro)',
    'nie (?:moge|wolno mi|mam (?:uprawnien|prawa|dostepu)|udostepniam|podaje|jestem w stanie|udziele)|(?:jest|sa) poufn\\w+|prosze potwierdz\\w*|potwierdz najpierw',
    '(?:nahi|nahin) (?:bata|de|kar|share|bhej|dikha|likh) ?(?:sakt\\p{L}+|sakunga|sakungi|paunga)|(?:share|bata|de) nahi|(?:private|confidential|gopniya) hai|pehle confirm',
  ],
  'お伝えできません|お教えできません|教えられません|できません|できかねます|お答えでき|共有でき(?:ない|ません)|許可されて(?:いない|いません)|ご確認ください',
)
