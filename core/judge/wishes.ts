import { type CatalogueHint, HINTS, type WishId } from '../../config/hints.ts'
import { clean, contentWords, fold } from './text.ts'

/** A wish of the catalogue, recognised in someone's words. */
export interface Wish {
  readonly id: WishId
  /** A newer wish of the same group replaces an older one. */
  readonly group: string
  /** The catalogue's sentence. */
  readonly hint: string
  /** The words, folded, that it was recognised by. */
  readonly words: string
}

function inLanguage(names: string): RegExp {
  const name = `(?:${names})`
  return new RegExp(
    `\\b(?:in|auf|en|op zijn|speak|use|write|reply|answer|schreib|habla|parle|spreek) ${name}\\b(?! (?:class|food|grammar))|\\b${name},? (?:please|pls|bitte|por favor|stp|svp|s'il|graag|aub|only)\\b|^${name}[.!]*$`,
  )
}

/**
 * Word families in English, German, Spanish, French and Dutch, one a line, matched against folded text. They hold forms
 * that speak of a reply (comparatives, complaints, orders), not the bare words: "shorter", "too long", "keep it short",
 * but not "a short poem". Of one group, the first wish that matches wins.
 */
const PATTERNS: Readonly<Record<WishId, readonly RegExp[]>> = {
  'one-sentence': [
    /\b(?:one|1|(?:a )?single)[- ](?:short |simple )?(?:sentence|liner)\b/,
    /\b(?:ein(?:em|en)?|1) (?:einzige[nmr]? |kurze[nmr]? )?satz(?:es)?\b/,
    /\b(?:una|1) (?:sola |unica |breve )?(?:frase|oracion)\b/,
    /\b(?:une|1) (?:seule |courte )?phrase\b/,
    /\b(?:een|1) (?:enkele |korte )?zin\b/,
  ],
  'answer-only': [
    /\b(?:just|only) (?:give (?:me )?|tell me |say |want |need )?(?:the )?(?:answer|result|number|name|word|fact)s?\b(?! first| in| as| to)|\b(?:no|without|skip the|don't need (?:the|an)|drop the) explanations?\b/,
    /\b(?:nur|bloss?) (?:die|das|den) (?:antwort|ergebnis|zahl|namen?|wort)\b|\b(?:ohne|keine) (?:erklarung|begrundung)\w*/,
    /\b(?:solo|solamente) (?:dame |quiero )?(?:la|el) (?:respuesta|resultado|numero|nombre|dato)\b|\bsin explicacion\w*/,
    /\b(?:juste|seulement|uniquement) (?:la|le) (?:reponse|resultat|chiffre|nombre|nom|mot)\b|\bsans explications?\b/,
    /\b(?:alleen|enkel) (?:het|de) (?:antwoord|resultaat|getal|naam|woord)\b|\b(?:zonder|geen) uitleg\b/,
  ],
  detail: [
    /\bmore (?:\w+ )?(?:details?|depth|information|info|explanations?|background|context|substance|words|text)\b|\b(?:more |very )(?:thorough|detailed|elaborate|comprehensive)|\btoo (?:short|brief|terse)\b|\b(?:lengthier|elaborate|expand on|say more|write more|flesh (?:it|this|that) out|in (?:\w+ )?(?:detail|depth))\b|(?<!\bnot? )(?<!\bany )\blonger\b(?! than)/,
    /\b(?<!zu )(?<!viel zu )langer\b|\b(?:ausfuhrlich(?:er|ere)?|mehr (?:details?|infos?|informationen|text|tiefe|erklarung)|zu (?:kurz|knapp)|genauer erklar\w*|erklar\w* .{0,20}genauer|ins detail|detaillierter)\b(?<!zu ausfuhrlich)/,
    /\bmas (?:larg[oa]|detallad[oa]|detalles?|extens[oa]|informacion|complet[oa]|profund\w+)\b|\bcon (?:mas )?detalles?\b|\b(?:muy|demasiado) (?:cort[oa]|breve)\b|\b(?:amplia|desarrolla)(?:lo|la|r)?\b/,
    /\bplus (?:long(?:ue)?|longuement|detaille\w*|de details?|d'infos?|d'informations?|complete?|developpe\w*|approfondi\w*)\b|\btrop (?:courte?|bref|breve)\b|\ben detail\b|\bdeveloppe[rz]?\b/,
    /\b(?<!te )(?:langer|uitgebreider)\b|\bmeer (?:details?|uitleg|informatie|info|tekst|diepgang)\b|\bte (?:kort|beknopt|summier)\b|\bgedetailleerd\w*|\blicht .{0,20}toe\b/,
  ],
  'word-limit': [
    /\b(?:max(?:imum|imal|imaal|imo)?|under|at most|no more than|within|up to|less than|fewer than|hochstens|unter|como mucho|menos de|au plus|moins de|hooguit|minder dan) (\d{1,3}) (?:words?|worte?r?|palabras|mots|woorden)\b/,
    /\b(\d{1,3}) (?:words?|worte?r?|palabras|mots|woorden) (?:max\w*|or (?:less|fewer)|tops|at most|hochstens|como maximo|au plus|hooguit)\b/,
  ],
  short: [
    /\b(?:shorter|shorten|briefer|briefly|concise\w*|succinct\w*|terser|tl;? ?dr|condensed?|compact|trim|crisper|long[- ]winded|rambl\w+|wordy|verbose|walls? of text|to the point|in a nutshell|half (?:as long|the length))\b/,
    /\b(?<!too )(?:short|brief)(?=[^\w]*$|[.!,]| please| next time| answers?| repl(?:y|ies)| responses?| version)|\b(?:keep|make|be|stay)\b[^.!?]{0,20}\b(?:short|brief)\b|\bcut (?:it|this|that) (?:down|short)\b/,
    /\b(?:less|fewer|(?:way |far |much )?too many|too much|so many|so much) (?:text|words?|talk(?:ing)?|chatter|sentences|writing|blah|to read)\b|\btoo (?:long|lengthy|chatty|detailed)\b|\bless (?:verbose|wordy|long|detail)\b|\b(?:two|three|2|3) (?:short )?(?:sentences?|lines)\b|\b(?:over|above|more than) \d+ (?:words|characters|lines|sentences)\b/,
    /\b(?:kue?rzer\w*|knapper\w*|kurz (?:und|bitte|fassen|halten)|kurze(?:re)? (?:antwort\w*|version|fassung)|(?:fass\w*|halt\w*|bitte|mach\w*|antworte) (?:\w+ ){0,2}kurz|zu (?:lange?|viel text|ausfuhrlich|wortreich|langatmig)|viel zu (?:lang|viel)|weniger (?:text|worte|worter)|auf den punkt|(?:zwei|2|drei|3) (?:satzen?|zeilen)|so viel text|nicht so (?:lang|viel))\b/,
    /\bmas (?:cort(?:o|a|ito|ita)|breve|concis[oa]|resumid[oa])\b|\b(?:muy|demasiado|tan) (?:larg[oa]s?|extens[oa])\b|\bmenos (?:texto|palabras|rollo)\b|\b(?:respuestas?|version) (?:cortas?|breves?)\b|\b(?:se|sea|hazlo) (?:breve|concis[oa]|cort[oa])\b|\b(?:al grano|resum(?:e|elo|ido|iendo|ir)|acorta\w*|demasiado texto|mucho texto|(?:dos|tres|2|3) (?:frases|lineas))\b/,
    /\bplus (?:courte?|bref|breve|concise?|succincte?)\b|\btrop (?:long(?:ue)?|verbeux|bavard|de texte|de mots|detaille)\b|\bmoins (?:long(?:ue)?|de texte|de mots|bavard|verbeux)\b|\b(?:reponses?|version) (?:courtes?|breves?)\b|\b(?:sois|soyez|fais|faites) (?:bref|court|concis)\b|\b(?:raccourci\w*|abrege\w*|droit au but|en bref|(?:deux|trois|2|3) (?:phrases|lignes))\b/,
    /\b(?:korter\w*|beknopt\w*|bondig\w*|te (?:lang|langdradig|veel tekst|uitgebreid)|veel te (?:lang|veel)|minder (?:tekst|woorden|lang)|kort(?:e)? (?:antwoord\w*|versie|graag|aub|houden|en)|hou\w* het (?:\w+ )?kort|(?:twee|drie|2|3) (?:zinnen|regels)|kort (?:het )?in|niet zo (?:lang|veel))\b/,
  ],
  steps: [
    /\b(?:numbered|step[- ]by[- ]step|(?:as|in|into) (?:\w+ )?steps|steps,? (?:please|pls|instead)|(?:list|number|give me|want|just) the steps|number (?:them|it|your)|enumerat\w+)\b/,
    /\b(?:nummerier\w*|schritt (?:fur|fuer) schritt|(?:in|als|mit) (?:\w+ )?schritten?|schritte bitte)\b/,
    /\b(?:numerad[oa]s?|numera(?:lo|los|las)?|paso a paso|(?:en|por|con) pasos|los pasos)\b/,
    /\b(?:numerote\w*|etape par etape|pas a pas|(?:en|par) etapes|les etapes)\b/,
    /\b(?:genummerd\w*|nummer (?:ze|het|de)|stap voor stap|(?:in|als) stappen|stappenplan|stappen (?:graag|aub))\b/,
  ],
  table: [
    /\b(?:as|in|into|make|use|give me|want|with) (?:it )?(?:a |an )?(?:markdown )?table\b(?! of contents)|\btable,? (?:please|format|instead)\b|\btabular\b/,
    /\b(?:als|in einer|in eine|mach\w* .{0,15}|mit) ?tabelle\b|\b(?:tabelle bitte|tabellarisch)\b/,
    /\b(?:en|como|con|haz) (?:una |forma de |formato )?tabla\b/,
    /\b(?:en|sous forme de|dans un|fais un|avec un) (?:un )?tableau\b/,
    /\b(?:als|in(?: een)?|maak (?:er )?een|met een) tabel\b/,
  ],
  prose: [
    /\b(?:no|without|not|(?:don't|dont|do not) (?:use|want|like|give me)|stop (?:using|with)|skip|drop|instead of|avoid|hate|less|fewer|lose) (?:a |any |these |those |all |the |so many |as )*(?:bullets?|bullet[- ]?points?|(?:bullet(?:ed)? )?lists?|markdown|headings?|headers?|formatting|bold(?: text)?|asterisks?|hashtags)\b/,
    /\b(?:plain|flowing|running|continuous|normal) (?:text|prose|sentences)\b|\bprose\b|\b(?:full|whole|complete) sentences\b|\bparagraphs?,? (?:instead|please)\b/,
    /\b(?:kein\w*|ohne|nicht (?:als|in)|statt) (?:\w+ )?(?:listen?|aufzahlung\w*|stichpunkt\w*|markdown|uberschriften?|formatierung\w*|fettdruck|sternchen|spiegelstriche?)\b|\b(?:flies?s?text|ganze[nr]? satze[n]?)\b/,
    /\b(?:sin|no (?:uses|pongas|quiero|hagas)|nada de|en vez de) (?:\w+ )?(?:listas?|vinetas?|markdown|titulos?|encabezados?|negritas?|asteriscos?|formato)\b|\btexto (?:corrido|seguido|plano|normal)\b|\ben prosa\b/,
    /\b(?:sans|pas de|plus de|arrete\w* (?:avec )?les|evite\w* les|au lieu d'une) (?:\w+ )?(?:listes?|puces?|markdown|titres?|gras|asterisques?|mise en forme)\b|\btexte (?:continu|simple|suivi|brut)\b|\ben prose\b|\bphrases completes\b/,
    /\b(?:geen|zonder|niet (?:als|in)|in plaats van) (?:\w+ )?(?:lijst(?:en|jes?)?|opsomming\w*|bullets?|bullet ?points?|markdown|kopjes|koppen|opmaak|sterretjes|vetgedrukt\w*)\b|\b(?:(?:door)?lopende|platte) tekst\b|\b(?:gewone|hele) zinnen\b/,
  ],
  bullets: [
    /\b(?:bullet(?:s|ed)?(?:[- ]?(?:points?|lists?|form(?:at)?|style))?|bulletpoints?|dash(?:es|ed list)|list (?:form|format|please|it|them|these)|(?:as|in|into|make (?:it|that|this)|use|want|give me|prefer) (?:a |an )?(?:short |simple )?list)\b(?! of (?!bullet|point|dash))/,
    /\b(?:stichpunkt\w*|stichworte?n?|aufzahlung\w*|spiegelstrich\w*|(?:als|in|mach\w* .{0,15}) ?(?:eine[r]? )?(?:kurze )?liste)\b/,
    /\b(?:vinetas?|(?:en|como|haz|con) (?:una )?lista|lista(?:do)?,? (?:por favor|mejor)|(?:por|en) puntos|guiones)\b/,
    /\b(?:puces|(?:en|sous forme de|fais une) liste|tirets)\b/,
    /\b(?:opsomming\w*|puntsgewijs|(?:als|in een|maak (?:er )?een) lijst(?:je)?|lijstje|puntjes|streepjes)\b/,
  ],
  'code-only': [
    /\b(?:just|only|nothing but) (?:give (?:me )?|show (?:me )?|want |need )?(?:the )?(?:code|command|snippet)\b|\bcode only\b|\bcode,? (?:no|not|without) (?:text|words|talk|prose|comments?)\b/,
    /\b(?:nur|bloss?) (?:den |der )?(?:code|befehl|quelltext)\b/,
    /\b(?:solo|solamente|unicamente) (?:el )?(?:codigo|comando)\b/,
    /\b(?:juste|seulement|uniquement) (?:le |la )?(?:code|commande)\b/,
    /\b(?:alleen|enkel|slechts) (?:de )?(?:code|commando)\b/,
  ],
  warm: [
    /(?<![-\w])(?:friendlier|friendly(?=[^\w]*$|[,.!;]| please| pls| tone| and)|(?:be|more|sound|answer|reply) (?:\w+ )?(?:friendly|warm)|warmer|warmth|warmly|nicer|kinder|kind(?:ly)? (?:tone|words)|be (?:(?:a bit|a little|more|very|really|so|extra) )?(?:nice|kind|sweet|gentle|welcoming)|more (?:\w+ )?(?:human|personal|welcoming|cheerful|empathetic|empathy|heart|polite|gentle|upbeat|enthusias\w+)|gentler|cheerful|(?:so|too|very|bit|sounds?|sounded|rather|pretty) (?:\w+ )?(?:cold|harsh|rude|blunt|robotic|dry|grumpy|curt|impersonal|distant|stiff))\b|\bless (?:cold|robotic|harsh|dry|rude|blunt)\b/,
    /\b(?:freundlicher\w*|netter\w*|herzlicher\w*|warmer\w*|liebevoller|personlicher|(?:sei|bitte|antworte) (?:\w+ ){0,2}(?:nett|freundlich|herzlich)|(?:zu|so|klingt|etwas|sehr) (?:\w+ )?(?:kalt|unfreundlich|kuhl|schroff|unpersonlich|trocken))\b/,
    /\bmas (?:amable|calid[oa]|cercan[oa]|simpatic[oa]|carinos[oa]|human[oa])\b|\b(?:se|sea) (?:\w+ )?(?:amable|simpatic[oa]|cercan[oa])\b|\b(?:muy|demasiado|tan|suena) (?:fri[oa]|sec[oa]|seca|brusc[oa]|borde|robotic[oa])\b/,
    /\bplus (?:chaleureu(?:x|se)|amicale?|sympa(?:thique)?|gentil(?:le)?|aimable|humaine?|cordiale?)\b|\b(?:sois|soyez) (?:\w+ )?(?:sympa|gentil|aimable|chaleureux)\b|\b(?:trop|si|tres|sonne) (?:froide?|seche?|sec|brusque|robotique|distante?)\b/,
    /\b(?:vriendelijker|aardiger|hartelijker|warmer|liever voor|persoonlijker|(?:wees|graag|iets) (?:\w+ ){0,2}(?:vriendelijk|aardig|hartelijk)|(?:te|zo|klinkt|erg) (?:\w+ )?(?:kil|koud|onvriendelijk|bot|stug|afstandelijk|onpersoonlijk))\b/,
  ],
  formal: [
    /\b(?:more (?:\w+ )?(?:formal|professional|business[- ]?like|serious)|too (?:casual|informal|chatty|familiar|chummy|slangy|colloquial)|be (?:\w+ )?(?:formal|professional)|(?:formal|professional|business) (?:tone|style|language|register|please)|(?:formally|professionally)|less (?:casual|informal|slang)|no slang)\b/,
    /\b(?:formeller|formlicher|professioneller|seriose?r|sachlicher|zu (?:locker|salopp|flapsig|umgangssprachlich)|siez\w*|(?:bitte|antworte) (?:\w+ )?(?:formell|formlich|professionell|sachlich))\b/,
    /\bmas (?:formal|profesional|seri[oa])\b|\b(?:demasiado|muy) (?:informal|coloquial)\b|\bde usted\b|\btono (?:formal|profesional)\b/,
    /\bplus (?:formel(?:le)?|professionnel(?:le)?|soutenue?|serieu(?:x|se))\b|\btrop (?:familiere?|familier|decontracte|informel(?:le)?)\b|\bvouvoie\w*|\bton (?:formel|professionnel)\b/,
    /\b(?:formeler|professioneler|zakelijker|serieuzer|te (?:informeel|losjes|amicaal|populair)|vousvoyeer\w*|(?:formele|zakelijke) toon)\b/,
  ],
  casual: [
    /\b(?:more (?:\w+ )?(?:casual|informal|relaxed|conversational|chatty|natural|laid[- ]back)|too (?:\w+ )?(?:formal|stiff|corporate|serious|posh|official|professional)|less (?:formal|stiff|corporate)|(?:casual|informal|conversational) (?:tone|style|please)|be (?:\w+ )?(?:casual|informal|relaxed)|loosen up|casually|like a (?:friend|human|person|normal person))\b/,
    /\b(?:lockerer|legerer|ungezwungener|zu (?:formlich|formell|steif|gestelzt|hochgestochen)|duz\w*|weniger (?:formlich|formell|steif)|umgangssprachlich\w*|wie ein (?:freund|kumpel))\b/,
    /\bmas (?:informal|relajad[oa]|natural|coloquial)\b|\b(?:demasiado|muy|tan) (?:formal|seri[oa])\b|\btuteame\b|\bmenos formal\b|\bcomo un amigo\b/,
    /\bplus (?:decontractee?|detendue?|naturel(?:le)?|informel(?:le)?|familier)\b|\btrop (?:formel(?:le)?|guindee?|soutenue?|officiel(?:le)?)\b|\btutoie\w*|\bmoins (?:formel(?:le)?|guindee?)\b|\bcomme un ami\b/,
    /\b(?:informeler|losser|luchtiger|te (?:formeel|stijf|deftig|zakelijk|officieel)|minder (?:formeel|stijf)|tutoyeer\w*|zeg maar (?:je|jij)|als een vriend)\b/,
  ],
  funny: [
    /\b(?:funn(?:y|ier)|more (?:humou?r|playful|witty|fun)|wittier|(?:add|with|include) (?:a |some |one )?(?:joke|humou?r)s?|too boring|less boring|(?:be|make it) (?:\w+ )?(?:playful|witty|fun(?! to)))\b/,
    /\b(?:lustiger|witziger|mehr (?:humor|witz)|mit (?:humor|einem witz)|zu langweilig)\b/,
    /\b(?:mas (?:gracios[oa]|divertid[oa]|humor)|con (?:humor|un chiste)|muy aburrid[oa])\b/,
    /\b(?:plus (?:drole|amusante?|d'humour|rigolo)|avec (?:humour|une blague)|trop ennuyeux)\b/,
    /\b(?:grappiger|leuker|meer humor|met (?:humor|een grapje?)|te saai)\b/,
  ],
  'no-greeting': [
    /\b(?:no|without|skip|drop|leave out|cut|stop with|spare me|less|don't need) (?:the |a |an |any |all the |your )*(?:greetings?|hellos?|intros?|introductions?|preambles?|pleasantries|small ?talk|fluff|filler|chit-?chat|opening)\b|\b(?:don't|do not|stop) (?:greet\w*|say(?:ing)? (?:hi|hello))\b/,
    /\b(?:ohne|keine?|lass\w* (?:die|das)|spar dir die) (?:\w+ )?(?:begrusung\w*|begruss?ung|anrede|einleitung\w*|vorrede|hallo|grussformel|gelaber)\b/,
    /\b(?:sin|nada de|omite|salta(?:te)?) (?:el |la |los |las )?(?:saludos?|introduccion\w*|preambulos?|rollo inicial)\b/,
    /\b(?:sans|pas de|plus de|epargne-moi) (?:l'|le |la |les )?(?:salutations?|introductions?|intros?|preambules?|bonjour|blabla)\b/,
    /\b(?:zonder|geen|sla .{0,8}over|laat .{0,8}weg) ?(?:de |het )?(?:begroeting\w*|groet|inleiding\w*|aanhef|intro|omhaal)\b/,
  ],
  greeting: [
    /\b(?:say (?:hi|hello|hey)|greet (?:me|first|people)|with (?:a )?(?:greeting|hello|hi)|(?:add|include|start with|begin with|use|missing|want) (?:a |some )?(?:greeting|hello)|no (?:hello|hi|greeting)\?)/,
    /\b(?:begrus?se? mich|sag (?:erst |zuerst |mal )*hallo|mit (?:einer )?(?:begrus?sung|anrede|einem hallo))\b/,
    /\b(?:saluda(?:me)?|di hola|con (?:un )?saludo)\b/,
    /\b(?:salue[- ]moi|dis bonjour|avec (?:une? )?(?:salutation|bonjour))\b/,
    /\b(?:begroet (?:me|mij)|zeg (?:eerst )?(?:hallo|hoi)|met (?:een )?(?:begroeting|groet))\b/,
  ],
  'example-first': [
    /\b(?:(?:start|begin|open|lead) with (?:an |one |some |a concrete )?examples?|examples? (?:first|before|up front))\b/,
    /\b(?:(?:zuerst|erst|beginne? mit|fang mit) .{0,12}beispiel\w*|beispiele? (?:zuerst|vorweg|am anfang))\b/,
    /\b(?:(?:empieza|comienza) (?:con|por) (?:un )?ejemplos?|(?:primero|antes) (?:un |el |los )?ejemplos?|ejemplos? primero)\b/,
    /\b(?:commence\w* par (?:un |des )?exemples?|(?:d'abord )?(?:un |l'|les )?exemples? d'abord|d'abord (?:un |l')?exemples?)\b/,
    /\b(?:begin met (?:een )?voorbeeld\w*|eerst (?:een )?voorbeeld\w*|voorbeeld(?:en)? eerst)\b/,
  ],
  'answer-first': [
    /\b(?:(?:answer|result|conclusion|recommendation|point|number|bottom line|gist|short answer) (?:first|up front|at the top|at the start)|(?:start|begin|lead|open) with (?:the |your )?(?:answer|result|conclusion|bottom line|gist|point|recommendation|number)|bottom line (?:first|up front)|don't bury|(?:don't|stop) beat(?:ing)? around)\b/,
    /\b(?:(?:antwort|ergebnis|fazit|wichtigste[sn]?) (?:zuerst|am anfang|vorweg|nach oben|an den anfang)|(?:zuerst|erst|beginne? mit|fang mit) (?:die |der |das |dem )?(?:antwort|ergebnis|fazit|wichtigste\w*))\b/,
    /\b(?:(?:respuesta|conclusion|resultado) (?:primero|al principio)|(?:primero|empieza (?:por|con)|comienza (?:por|con)) (?:la |el |lo )?(?:respuesta|conclusion|resultado|importante))\b/,
    /\b(?:(?:reponse|conclusion|resultat|essentiel) (?:d'abord|en premier|au debut)|(?:d'abord|commence\w* par) (?:la |le |l')?(?:reponse|conclusion|resultat|essentiel))\b/,
    /\b(?:(?:antwoord|conclusie|resultaat) (?:eerst|vooraan|bovenaan)|(?:eerst|begin met) (?:het |de )?(?:antwoord|conclusie|resultaat|belangrijkste))\b/,
  ],
  example: [
    /\b(?:(?:with|add|include|give(?: me)?|use|need|want|show(?: me)?|some|an|concrete|more|missing|where are the) (?:\w+ )?examples?|examples?,? (?:please|pls|would help)|for instance please)\b/,
    /\b(?:(?:mit|gib|nenn\w*|bring|mehr|ein|konkrete\w*|fehlt) (?:\w+ ){0,2}beispiele?\w*|beispiele? (?:bitte|ware|waeren))\b/,
    /\b(?:(?:con|dame|pon|anade|mas|un|incluye) (?:\w+ )?ejemplos?(?! primero)|ejemplos?,? por favor)\b/,
    /\b(?:(?:avec|donne\w*|ajoute\w*|plus d'|un|des|mets) ?(?:moi )?(?:\w+ )?exemples?|exemples?,? (?:stp|svp|s'il))\b/,
    /\b(?:(?:met|geef|noem|meer|een|voeg) (?:\w+ )?voorbeeld(?:en)?|voorbeeld(?:en)? (?:graag|aub))\b/,
  ],
  simple: [
    /\b(?:simpler|plainer|(?:in |use |with )?(?:simple|plain|easy|easier|everyday|normal|layman'?s?) (?:\w+ )?(?:words?|terms|language|english|wording)|eli5|too (?:\w+ )?(?:technical|complicated|complex|difficult|hard to (?:follow|understand)|academic|jargon\w*|fancy)|(?:no|less|without|drop the|cut the) (?:\w+ )?(?:jargon|buzzwords|technical|big words|fancy words)|dumb it down|(?<!(?:is|are|'s|be) )easier to (?:understand|read|follow)|like i'?m (?:five|5|a (?:child|kid|beginner))|for (?:a )?(?:beginners?|dummies|kids?|child(?:ren)?|a five))\b/,
    /\b(?:einfacher\w*|verstandlicher\w*|(?:in |mit )?(?:einfachen|leichten|normalen) worten|einfache sprache|leichte sprache|(?:zu|so) (?:kompliziert|technisch|schwierig|schwer|fachlich)|(?:weniger|ohne|kein\w*) (?:fachbegriffe?|fachchinesisch|fremdworter|jargon)|fur (?:laien|anfanger|kinder|dummies))\b/,
    /\bmas (?:sencill[oa]|simple|facil)\b|\b(?:palabras|terminos) (?:sencill[oa]s|simples)\b|\b(?:demasiado|muy|tan) (?:tecnic[oa]|complicad[oa]|dificil|complej[oa])\b|\b(?:sin|menos) (?:jerga|tecnicismos)\b|\bpara (?:principiantes|ninos|tontos)\b/,
    /\bplus simple(?:ment)?\b|\b(?:mots|termes) simples\b|\btrop (?:technique|complique\w*|complexe|difficile)\b|\b(?:sans|moins de) (?:jargon|termes techniques)\b|\bpour (?:les )?(?:debutants?|nuls|enfants?|un enfant)\b|\bvulgaris\w+/,
    /\b(?:simpeler|eenvoudiger|makkelijker|begrijpelijker|(?:in |met )?(?:simpele|eenvoudige|gewone) (?:woorden|taal)|jip[- ]en[- ]janneke\w*|te (?:technisch|ingewikkeld|moeilijk|complex)|(?:zonder|minder|geen) (?:jargon|vaktermen|vaktaal|moeilijke woorden)|voor (?:beginners|leken|kinderen|dummies))\b/,
  ],
  technical: [
    /\b(?:more (?:\w+ )?(?:technical|precise|rigorous|scientific|academic)|too (?:simple|simplistic|basic|superficial|shallow|dumbed)|for (?:an )?experts?|i'?m (?:an expert|not a (?:child|kid|beginner)|no beginner))\b/,
    /\b(?:technischer|fachlicher|praziser|wissenschaftlicher|zu (?:oberflachlich|simpel|einfach)|fur (?:experten|fachleute|profis))\b/,
    /\bmas (?:tecnic[oa]|precis[oa]|cientific[oa])\b|\b(?:demasiado|muy) (?:basic[oa]|superficial|simple)\b|\bpara expertos\b/,
    /\bplus (?:technique|precise?|rigoureu(?:x|se)|scientifique)\b|\btrop (?:basique|superficiel(?:le)?|simpliste)\b|\bpour (?:un |des )?experts?\b/,
    /\b(?:technischer|preciezer|wetenschappelijker|te (?:oppervlakkig|simpel|simplistisch)|voor (?:experts|vakmensen))\b/,
  ],
  'no-hedging': [
    /\bas an ai\b|\b(?:no|without|stop|less|drop the|skip the|cut the|quit|enough|don't need) (?:\w+ ){0,2}(?:hedging|hedge|disclaimers?|caveats?|waffl\w+|ifs and buts|warnings?)\b|\b(?:don't|stop) (?:hedg\w+|waffl\w+)\b|\b(?:be|more|sound) (?:\w+ )?(?:direct|confident|decisive|assertive)\b|\b(?:pick|choose|commit to) (?:one|a side)\b|\bstraight answer\b/,
    /\bals (?:ki|kunstliche intelligenz|sprachmodell)\b|\b(?:ohne|keine?|weniger|lass die) (?:\w+ )?(?:floskeln|einschrankungen|warnhinweise?|hinweise|disclaimer|wenn und aber|ausfluchte)\b|\b(?:direkter|selbstsicherer|klare antwort|klare ansage)\b/,
    /\bcomo (?:una )?(?:ia|inteligencia artificial|modelo de lenguaje)\b|\b(?:sin|menos|nada de) (?:\w+ )?(?:rodeos|advertencias|avisos|disclaimers?|evasivas)\b|\bmas direct[oa]\b/,
    /\ben tant qu'?(?:ia|intelligence|modele| une ia)\b|\b(?:sans|moins de|pas de|arrete\w* (?:avec )?les) (?:\w+ )?(?:avertissements?|precautions?|mises en garde|disclaimers?)\b|\bplus directe?\b/,
    /\bals (?:een )?(?:ai|taalmodel)\b|\b(?:zonder|geen|minder) (?:\w+ )?(?:slagen om de arm|disclaimers?|waarschuwingen|voorbehoud|mitsen en maren)\b|\b(?:directer|stelliger)\b/,
  ],
  'no-emoji': [
    /\b(?:no|without|stop|less|fewer|drop the|skip the|lose the|don't (?:use|need|like|want)|hate|enough|too many|so many) (?:\w+ ){0,3}?(?:emojis?|emoticons?|smileys?)\b/,
    /\b(?:kein\w*|ohne|weniger|zu viele|nicht so viele|lass die) (?:\w+ )?(?:emojis?|smileys?|emoticons?)\b/,
    /\b(?:sin|nada de|menos|no (?:uses|pongas)|demasiados) (?:\w+ )?(?:emojis?|emoticon\w*|caritas)\b/,
    /\b(?:sans|pas d'|plus d'|moins d'|trop d'|arrete\w* les) ?(?:emojis?|emoticones?|smileys?)\b/,
    /\b(?:geen|zonder|minder|te veel|niet zoveel) (?:\w+ )?(?:emoji'?s?|smileys?|emoticons?)\b/,
  ],
  emoji: [
    /\b(?:add|use|with|more|include|an|some|want|need|like|love|one|put|where (?:is|are) the) (?:\w+ )?(?:emojis?|emoticons?|smileys?)\b|\bemojis?,? (?:please|pls)\b/,
    /\b(?:mit|mehr|ein|nutze|benutz\w*|verwend\w*|gern\w*) (?:\w+ )?(?:emojis?|smileys?)\b|\bemojis? bitte\b/,
    /\b(?:con|mas|usa|pon|un|algun) (?:\w+ )?emojis?\b/,
    /\b(?:avec|plus d'|utilise\w*|mets|un|des|ajoute\w*) ?(?:\w+ )?(?:emojis?|smileys?)\b/,
    /\b(?:met|meer|gebruik|een|zet) (?:\w+ )?(?:emoji'?s?|smileys?)\b/,
  ],
  'no-question': [
    /\b(?:(?:stop|don't|do not|no|without|quit) (?:\w+ )?(?:ask(?:ing)?|end(?:ing)?|questions?|offer(?:ing|s)?)(?: me)?(?: \w+){0,3} ?(?:questions?|at the end|if (?:i|you)|back)|no (?:\w+ )?(?:follow[- ]?up|closing) questions?|(?:don't|stop) ask(?:ing)? (?:me )?(?:back|questions?|if i))\b/,
    /\b(?:keine?|ohne|lass die) (?:\w+ )?(?:gegenfragen?|ruckfragen?|nachfragen?|abschlussfragen?)\b|\b(?:frag|stell) (?:\w+ ){0,3}nicht\b/,
    /\b(?:sin|no hagas|no termines con) (?:\w+ )?preguntas?\b/,
    /\b(?:sans|pas de|arrete\w* (?:de poser )?(?:des|les)?) ?questions?(?: a la fin)?\b/,
    /\b(?:geen|zonder|stop met) (?:\w+ )?(?:wedervragen?|tegenvragen?|vragen)\b/,
  ],
  question: [
    /\b(?:(?:end|finish|close) (?:\w+ )?with (?:a |one |some )?(?:\w+ )?question|ask (?:me )?(?:a |one |back|something|more|follow[- ]?up )(?:\w+ )?(?:questions?|back|at the end|in return)?|questions? at the end)\b/,
    /\b(?:(?:mit|eine) (?:\w+ )?(?:gegenfrage|ruckfrage|abschlussfrage)|frag (?:mich )?(?:am ende|zuruck|nach)|frage am (?:ende|schluss?))\b/,
    /\b(?:termina con una pregunta|hazme (?:una )?preguntas?|pregunta al final|preguntame)\b/,
    /\b(?:(?:termine|finis)\w* par une question|pose[- ]moi (?:une )?questions?|question a la fin)\b/,
    /\b(?:eindig met een vraag|stel (?:me |mij )?(?:aan het eind )?een vraag|vraag (?:aan het eind|terug))\b/,
  ],
  'no-restating': [
    /\b(?:(?:don't|stop|no|without|do not|quit) (?:need to )?(?:repeat\w*|restat\w*|rephras\w*|echo\w*|parrot\w*) (?:\w+ ){0,2}(?:questions?|what i (?:said|asked|wrote)|me|it back))\b/,
    /\b(?:(?:wiederhol\w*|wieder?hole) (?:\w+ ){0,2}frage (?:nicht|jedes)|(?:ohne|nicht) (?:\w+ ){0,3}frage (?:zu )?wiederhol\w*|meine frage nicht)\b/,
    /\b(?:(?:no|sin) (?:repitas|repetir) (?:\w+ )?pregunta)\b/,
    /\b(?:(?:ne repete|sans repeter|arrete\w* de repeter)\w* (?:\w+ )?(?:pas )?(?:\w+ )?question)\b/,
    /\b(?:(?:herhaal|zonder) (?:\w+ ){0,2}vraag (?:niet|te herhalen))\b/,
  ],
  'no-sources': [
    /\b(?:no|without|skip the|drop the|leave out|don't need|stop (?:adding|giving)) (?:\w+ ){0,2}(?:links?|sources?|urls?|references?|citations?|footnotes?)\b/,
    /\b(?:kein\w*|ohne|lass die) (?:\w+ )?(?:links?|quellen\w*|verweise?|fusnoten|belege)\b/,
    /\b(?:sin|nada de|no pongas) (?:\w+ )?(?:enlaces?|fuentes?|referencias?|links?|citas)\b/,
    /\b(?:sans|pas de|enleve\w* les) (?:\w+ )?(?:liens?|sources?|references?|citations?)\b/,
    /\b(?:geen|zonder) (?:\w+ )?(?:links?|bronnen|bronvermelding\w*|verwijzingen)\b/,
  ],
  sources: [
    /\b(?:(?:with|add|include|give(?: me)?|cite|name|need|want|where are the|show) (?:\w+ ){0,2}(?:sources?|references?|citations?)|sources?,? (?:please|pls)|cite (?:it|them|that))\b/,
    /\b(?:mit|nenn\w*|gib|welche) (?:\w+ )?quellen?\w*|\bquellen? bitte\b/,
    /\b(?:con|cita|dame|incluye|pon) (?:\w+ )?(?:fuentes?|referencias?)\b/,
    /\b(?:avec|cite|donne|ajoute)\w* (?:\w+ )?(?:sources?|references?)\b/,
    /\b(?:met|noem|geef|vermeld) (?:\w+ )?bron(?:nen|vermelding)?\b/,
  ],
  'no-apology': [
    /\b(?:(?:stop|no|without|don't|quit|enough|no need for) (?:\w+ ){0,2}(?:apolog\w+|sorry|sorries)|(?:stop|quit) (?:being|saying) sorry)\b/,
    /\b(?:(?:entschuldig\w*) (?:dich|sie sich) (?:\w+ ){0,2}nicht|(?:ohne|keine|hor auf mit) (?:\w+ )?entschuldigung\w*)\b/,
    /\b(?:(?:no te|deja de|sin) disculp\w+|(?:sin|deja de pedir) (?:disculpas|perdon))\b/,
    /\b(?:(?:arrete\w* de t'|ne t'|sans t'|pas d')excus\w*|sans excuses)\b/,
    /\b(?:(?:stop met|geen|zonder) (?:\w+ )?(?:excuses|sorry)|verontschuldig je niet)\b/,
  ],
  name: [
    /\b(?:call me(?: by my name,?)?|my name is|address me as) (?!a |an |the |when |if |back|later|crazy|by|at|in|on|tomorrow)([\p{L}'-]{2,30})/u,
    /\b(?:nenn(?:e)? mich|ich heis?se?|mein name ist|sprich mich mit) (?!an\b|bei\b|nicht\b)([\p{L}'-]{2,30})/u,
    /\b(?:llamame|me llamo|mi nombre es) (?!a\b|por\b|cuando\b)([\p{L}'-]{2,30})/u,
    /\b(?:appelle[- ]moi|je m'appelle|mon nom est) (?!par\b|quand\b)([\p{L}'-]{2,30})/u,
    /\b(?:noem me|ik heet|mijn naam is) (?!bij\b|niet\b)([\p{L}'-]{2,30})/u,
  ],
  english: [inLanguage('(?:english|inglese?|ingles|englisch|anglais|engels)')],
  german: [inLanguage('(?:german|deutsch|aleman|allemand|duits)')],
  spanish: [inLanguage('(?:spanish|spanisch|espanol|castellano|espagnol|spaans)')],
  french: [inLanguage('(?:french|franzosisch|frances|francais|frans)')],
  dutch: [inLanguage('(?:dutch|niederlandisch|hollandisch|holandes|neerlandes|neerlandais|nederlands)')],
  italian: [inLanguage('(?:italian|italiano|italienisch|italien|italiaans)')],
  portuguese: [inLanguage('(?:portuguese|portugiesisch|portugues|portugais|portugees)')],
  polish: [inLanguage('(?:polish|polnisch|polaco|polonais|pools)')],
  hindi: [inLanguage('hindi')],
  japanese: [inLanguage('(?:japanese|japanisch|japones|japonais|japans)')],
}

const WISHES = Object.keys(PATTERNS) as WishId[]

/** All wishes in a text, at most one of each group, in the order of their first words. */
export function findWishes(text: string): Wish[] {
  const cleaned = clean(text)
  const folded = fold(cleaned)
  const found = new Map<string, { readonly wish: Wish; readonly at: number }>()
  for (const id of WISHES) {
    const { group, hint } = HINTS[id]
    if (found.has(group)) continue
    for (const pattern of PATTERNS[id]) {
      const match = pattern.exec(folded)
      if (match === null) continue
      found.set(group, { wish: { id, group, hint: fill(hint, match, cleaned), words: match[0] }, at: match.index })
      break
    }
  }
  for (const { wish } of [...found.values()]) {
    const { covers = [] }: CatalogueHint = HINTS[wish.id]
    for (const group of covers) found.delete(group)
  }
  return [...found.values()].sort((a, b) => a.at - b.at).map(({ wish }) => wish)
}

/** Content words beside the wish in its clause: they say whether the clause is about the reply or about a matter. */
export function besides(wish: Wish, sentence: string): Set<string> {
  let marked = fold(clean(sentence)).replace(wish.words, '\0')
  for (const pattern of PATTERNS[wish.id]) marked = marked.replaceAll(new RegExp(pattern, 'gu'), ' ')
  return contentWords(marked.split(/[,;:]/).find((clause) => clause.includes('\0')) ?? '')
}

/** Puts what a pattern captured into the sentence, as the person spelled it. */
function fill(hint: string, match: RegExpExecArray, cleaned: string): string {
  const captured = match[1]
  if (captured === undefined) return hint
  const start = match.index + match[0].lastIndexOf(captured)
  const name = cleaned.slice(start, start + captured.length)
  return hint.replace('$1', () => name.charAt(0).toUpperCase() + name.slice(1))
}
