import { REFUSAL } from './corrections.ts'
import { family, isQuestion, NEGATOR, opening, TELLING } from './lexicon.ts'
import type { Exchange } from './repeat.ts'
import { contentWords, fold } from './text.ts'

/** What a reply does beside telling: the same words after it mean another thing. */

/** The person is asked whether the bot has understood them rightly. */
const CONFIRMING = family(
  [
    "(?<=^|[.!,:;] |\\bso |\\bthat )you(?:'d| would)? (?:want|like|wish|need) (?!(?:me )?to know)[^?!]{3,200}\\?\\W*$|(?<=^|[.!,:;] |\\bso )i(?:'ll| will| should) (?!need|ask)[^?!]{3,200}\\?\\W*$|(?:is|would) (?:that|this|it)(?: be)? (?:ok(?:ay)?|alright|all right|good|fine)|to be clear|verify|(?:please|kindly|can you|could you|to|let's|just) confirm\\w*(?! with| first| before)|(?<=^|[.!,;] )confirming|(?:to|let me) (?:make sure|be sure|double[- ]check)|kindly ensure|(?:is|are|does|do) (?:that|this|these|it|they)(?: all)? (?:right|correct|sound (?:right|good|ok(?:ay)?)|look (?:right|good))|(?:right|correct|yes) ?\\?",
    'bitte bestatige\\w*|(?:stimmt|passt|ist) (?:das|es)(?: so)?(?: richtig| korrekt)? ?\\?|richtig ?\\?|korrekt ?\\?|nur zur sicherheit',
    '(?:por favor,? )?confirm(?:a|e|ame|eme|ar)\\b|(?:es|esta) (?:correcto|bien|eso) ?\\?|correcto ?\\?|verdad ?\\?',
    "(?:veuillez|merci de|peux-tu|pouvez-vous) confirmer|(?:c'est|est-ce) (?:bien ca|correct|exact|bon) ?\\?|correct ?\\?",
    '(?:graag )?bevestig\\w*|klopt (?:dat|dit|het) ?\\?|correct ?\\?|toch ?\\?',
    '(?:por favor,? )?confirm(?:e|a|ar)\\b|(?:esta|ta) (?:certo|correto) ?\\?|certo ?\\?',
    'prosze potwierdz\\w*|czy (?:to )?(?:sie zgadza|dobrze|prawidlowo) ?\\?|zgadza sie ?\\?',
    'confirm (?:kare|karein|kijiye)|sahi hai (?:na|kya) ?\\?|theek hai (?:na|kya) ?\\?',
  ],
  'でよろしい|で合って|でいいです',
)

/** One thing of several is put forward. */
const OFFERING = family(
  [
    "(?:how|what) about|why (?:don't|not)|i(?: have|'ve|'d| would| can)? (?:found|find|recommend|suggest|discovered|see|like|shortlisted)|found|there(?:'s| is| are) (?:a|an|one|some|the|\\d+)|(?:you )?(?:might|could|may|can) (?:also )?(?:try|like|enjoy|check)|have you (?:seen|tried|heard)|(?:do|would) you (?:want|like)|recommend|suggestion",
    "wie ware es mit|wie war(?:e|'s) mit|ich (?:empfehle|habe .{0,30}gefunden|schlage .{0,20}vor)|mein vorschlag|es gibt (?:ein|\\d)|(?:kennst|magst) du|versuch",
    'que tal|te (?:recomiendo|sugiero|propongo)|he encontrado|encontre|hay (?:un|\\d)|prueba|podrias probar',
    "(?:que|si) (?:dis|dirais)-tu de|je (?:te |vous )?(?:recommande|conseille|propose|suggere)|j'ai trouve|il y a (?:un|\\d)|essaie|pourquoi pas",
    'wat dacht je van|ik (?:raad|stel) .{0,30}(?:aan|voor)|ik heb .{0,30}gevonden|er is (?:een|\\d)|probeer',
    'que tal|(?:eu )?(?:recomendo|sugiro|encontrei)|tem (?:um|uma|\\d)|experimente|ha (?:um|uma|\\d)',
    'moze|polecam|proponuje|znalaz(?:lem|lam)|jest (?:jed|\\d)|sprobuj',
    'kaisa rahega|try kar\\w*|mujhe mila|ek .{1,30} hai',
  ],
  'はどう|いかが|おすすめ|見つか',
)

/** Another one of the kind, or anything else instead of what was put forward. */
const ALTERNATIVE = family(
  [
    '(?:any|some|every)(?:thing|one|body|where) (?:else|different)|(?:what|who|where) else(?! is (?:in|on|at|playing))|(?:any|some|the|find|search|have|show me|about|are|for|what) others?(?! (?:day|night|week|hand|way|side))(?: \\p{L}+)?|next (?:one|option)|(?:find|see|show me|give me|tell me)(?: some| any)? more (?!details|news|photos|prices)\\p{L}+s(?!\\p{L})|others ?\\?|another(?: one| option| \\p{L}+)?|(?:more|other|different|further) (?:options?|choices?|ones?|suggestions?|results?|ideas?)|(?:a )?different \\p{L}+|something different|keep (?:going|looking|searching)|(?:look|search|try) again',
    '(?:et)?was anderes|noch (?:was|etwas) anderes|ein(?:e|en)? ander\\w+|andere \\p{L}+|alternativ\\w+|was gibt es (?:noch|sonst)',
    '(?:algo|alguna? cosa) (?:mas|distint[oa]|diferente)|otr[oa]s? (?:opcion\\w*|cosa|un[oa]|\\p{L}+)|algun[oa]? otr[oa]|alternativ\\w+|que mas hay',
    "autre chose|d'autres \\p{L}+|un(?:e)? autre|quoi d'autre|alternative\\w*",
    'iets anders|een ander\\w*|andere \\p{L}+|wat (?:nog meer|anders)|alternatiev\\w+',
    'algo (?:diferente|mais)|outr[oa]s? \\p{L}+|alternativ\\w+|que mais (?:tem|ha)',
    'cos innego|co(?:s)? jeszcze|inn[aeyo]\\w* \\p{L}+|alternatyw\\w+',
    'kuch aur|koi aur|aur (?:koi|kuch)|doosra|dusra|doosri|dusri',
  ],
  '他に|ほかに|別の|違うの',
)

/** A detail that bookings and settings are made of: a number, a day, a time. */
const DETAIL = family([
  '\\d[\\d:.,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half past|noon|midnight|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december|today|tomorrow|tonight|morning|afternoon|evening',
  'zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn|elf|zwolf|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|heute|morgen|ubermorgen|abends?|mittags?',
  'dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|lunes|martes|miercoles|jueves|viernes|sabado|domingo|hoy|manana',
  "deux|trois|quatre|cinq|sept|huit|neuf|dix|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|aujourd'hui|demain|ce soir",
  'twee|drie|vijf|zes|zeven|negen|tien|(?:maan|dins|woens|donder|vrij|zater|zon)dag|vandaag|vanavond',
  'dois|duas|quatro|sete|oito|nove|dez|segunda|terca|quarta|quinta|sexta|hoje|amanha',
  'dwa|dwie|trzy|cztery|piec|szesc|siedem|osiem|poniedzialek|wtorek|sroda|czwartek|piatek|sobota|niedziela|dzisiaj|jutro',
])

/** Declines, or asks before doing harm. Whether that was right rules cannot say: a complaint about it is no verdict. */
export function refuses(reply: string): boolean {
  return REFUSAL.test(fold(reply.slice(0, 400)))
}

/** The bot ended with a question or an offer: what comes next may be its answer. */
export function asks(reply: string): boolean {
  const last = fold(reply)
    .split(/(?<=[.!?？。]["')\]]{0,3})\s+/)
    .slice(-2)
  const open = last.at(-1) ?? ''
  return last.some((sentence) => /[?？]\W*$/.test(sentence)) || (open.split(' ').length <= 12 && isQuestion(open))
}

/** The bot ended with a question that names no answer: which one, how many, any preference. */
const WONDERING = family([
  'what(?! about| if)|which|where|when|who|how (?!about|does that|is that)|any (?:preference|particular|specific)\\w*|particular|prefer\\w*|specific',
  'welche\\w*|was fur|wann|wohin|woher|wie (?:viel\\w*|lange|oft|spat)|bestimmte\\w*',
  'cual\\w*|que tipo|cuando|donde|cuant\\w+|alguna preferencia',
  'quel\\w*|quand|combien|preference\\w*',
  'welke?|wanneer|hoe(?:veel| laat| lang)|voorkeur',
  'qual|quais|quando|onde|quant\\w+|preferencia',
  'jak[aie]\\w*|kiedy|gdzie|ile',
])

function wonders(reply: string): boolean {
  const last =
    fold(reply)
      .trimEnd()
      .split(/(?<=[.!?])\s+/)
      .at(-1) ?? ''
  return last.includes('?') && WONDERING.test(last)
}

/** The bot said what it is about to do and asked whether that is right. */
export function confirms(reply: string): boolean {
  return CONFIRMING.test(fold(reply)) && !wonders(reply)
}

/** Says how the thing itself is to be done: `put it on Monday`, `change the time`. */
const REDIRECT = opening([
  "(?:(?:can|could|would) you )?(?:please )?(?:play|put|make|change|set|book|send|move|switch|do|have|get) (?:it|that|this|them|the (?:time|date|day|place|number|amount|order|reservation|booking))|i(?:'d| would) (?:rather|prefer)|let's (?:change|make)|instead",
  '(?:kannst du )?(?:spiel|mach|setz|buch|ander|schick|verschieb)\\w* (?:es|das|ihn|sie)|ich (?:mochte|hatte|nehme|will) lieber|lieber',
  '\\p{L}+(?:lo|la|los|las)|(?:cambia|pon) (?:la|el) (?:hora|fecha)|prefiero',
  "\\p{L}+-(?:le|la|les)|change[rz]? (?:l'heure|la date)|je prefere|plutot",
  '(?:zet|maak|verander|boek|stuur|verplaats) (?:het|dat|de (?:tijd|datum))|liever|doe maar',
  '(?:poe|faz|muda|manda|coloca) (?:isso|ele|ela|a (?:hora|data)|o (?:horario|dia))|(?:eu )?prefiro',
  '(?:ustaw|zrob|zmien|wyslij) (?:to|go|ja|na)|wole|raczej',
])

/** What is wanted, said after a `no`: there it stands in the place of what the bot had understood. */
const WANTED = opening([
  "i(?:'d| would| only| just)? (?:want|need|like)(?! to (?:know|ask|pay|find|see if))|(?:on|in|at|for|from|with) (?:my|the|a)|only|just|(?:play|put|make|change|set|book|use|send|move|switch|try)",
  'ich (?:will|mochte|brauche)|(?:in|auf|fur|mit|am|im|zum) \\p{L}+|nur',
  '(?:quiero|necesito)|(?:en|para|con|a) (?:el|la|mi) \\p{L}+|solo',
  '(?:je (?:veux|voudrais))|(?:dans|sur|pour|avec|a) (?:le|la|mon|ma) \\p{L}+|seulement',
  'ik (?:wil|heb)|(?:in|op|voor|met) (?:de|het|mijn) \\p{L}+|alleen',
  '(?:eu )?(?:quero|preciso)|(?:no|na|para|com) (?:o|a|meu|minha) \\p{L}+|so',
  '(?:chce|potrzebuje)|tylko',
])

/** A `no` or a second thought. */
const ON_REFLECTION =
  /^(?:(?:no+|nope|nah|nein|non|nee|nao|nie|actually|wait|hold on|sorry|i'm sorry|hm+|oh|eigentlich|moment|en realidad|espera|en fait|attends|eigenlijk|wacht|na verdade|espera|wlasciwie)(?![\p{L}\p{N}])[\s,.!:;-]*)+/u

/** Whether words that followed a reply which asks to be confirmed name another detail than it did. */
export function namesAnother(text: string, reply: string): boolean {
  if (!confirms(reply)) return false
  const said = fold(text)
  const thought = said.replace(ON_REFLECTION, '')
  const told = contentWords(reply)
  const redirects = REDIRECT.test(thought) || (thought !== said && WANTED.test(thought))
  if (redirects && [...contentWords(thought)].some((word) => !told.has(word) && !ANY.has(word))) return true
  const before = fold(reply)
  const names = (text.match(/(?<=[\p{L}\d][,;]? )\p{Lu}\p{L}+|\p{Lu}{2,}/gu) ?? []).map(fold)
  const details = said.match(new RegExp(DETAIL, 'gu')) ?? []
  return [...names, ...details].some((detail) => !before.includes(detail.replace(/[.,:]+$/, '')))
}

/** Words that any request for another one may hold. */
const ANY = contentWords(
  'rather other others another different else listen watch whether okay hear know tell look take seen want would like prefer dont maybe sure some more kind type please thank thanks available option options choice choices search check look see found these those there really recommend suggest place places instead though alright fine besides',
)

/** What should be true of the other one comes after these. */
const MARKER = family([
  'with|without|in|on|at|from|to|by|for|under|below|over|near|around|that|which|where|who|starring|featuring|called|about|like|of|i (?:want|need|prefer|like|love|would like)|want|need|cheaper|closer|bigger|smaller|earlier|later',
  'mit|ohne|in|im|am|auf|aus|von|nach|fur|unter|bei|der|die|das|ich (?:will|mochte|brauche)',
  'con|sin|en|de|del|para|por|cerca|que|quiero|necesito',
  'avec|sans|en|dans|de|du|pour|par|pres|qui|je (?:veux|voudrais)',
  'met|zonder|in|op|uit|van|naar|voor|onder|bij|die|dat|ik (?:wil|heb)',
  'com|sem|em|no|na|de|do|da|para|por|perto|que|quero|preciso',
  'z|ze|bez|w|we|na|do|od|dla|pod|blisko|ktory|chce|potrzebuje',
])

/** Asks for one of another kind, without saying that it is another. */
const RATHER = opening([
  "(?:how|what) about (?:an?|some|something|one)|i(?:'d| would) (?:rather|prefer)|i prefer",
  'wie (?:ware es|siehts aus) mit (?:ein\\w*|etwas)|(?:dann )?lieber|ich (?:mochte|hatte|nehme|will) lieber',
  'que tal (?:un[oa]?s?|algo)|prefiero|preferiria|mejor (?:un[oa]?|algo)',
  'et (?:un|une|des|quelque chose)|je (?:prefere|prefererais)|plutot (?:un|une|des|quelque chose)',
  'wat dacht je van (?:een|iets)|(?:dan )?liever|ik (?:wil|heb|zou) liever',
  'que tal (?:uma?|algo)|(?:eu )?(?:prefiro|preferia)',
  'a moze|wol(?:e|alabym|albym)',
])

/** Another one is asked for instead of what the reply has put forward. */
export interface Another {
  /** Something beside "something else" says what it should be. */
  readonly specific: boolean
}

/** Whether the words ask for another one instead of what the reply has put forward; null where they do not. */
export function asksForAnother(text: string, { request, reply }: Exchange): Another | null {
  const said = fold(text)
  if (said.split(' ').length > 30 || !OFFERING.test(fold(reply))) return null
  const rather = RATHER.test(said)
  if (rather ? wonders(reply) : !ALTERNATIVE.test(said)) return null
  const told = contentWords(`${request} ${reply}`)
  const unsaid = (words: string) => [...contentWords(words)].filter((word) => !told.has(word) && !ANY.has(word)).length
  const wanted = said
    .split(/[.,;!?]+/)
    .map((part) => part.trim())
    .filter((part) => !faulting(part) && (!TELLING.test(part) || LIKING.test(part)))
  const specific = wanted.some((part) => {
    const rest = part.replace(ANOTHER_ONE, ' ')
    if (rather) return unsaid(rest) > 0
    return DETAIL.test(rest) || unsaid(rest.split(MARKER).slice(1).join(' ')) > 0 || (rest === part && unsaid(rest) > 1)
  })
  return specific || ALTERNATIVE.test(said) ? { specific } : null
}

const ANOTHER_ONE = new RegExp(`${ALTERNATIVE.source}|(?:the|only|that|this|next|new) one`, 'gu')

/** What the person likes, said while asking for another, is what it should be. */
const LIKING = /^i (?:like|love) /

/** What is wrong with the one is no word about the other. */
function faulting(part: string): boolean {
  return (
    NEGATOR.test(part) &&
    /^(?!not (?:too|so|as) )(?:not|that|this|it|i|we|the|das|ich|eso|no|ce|je|dat|ik|isso|eu|to)(?!\p{L})/u.test(part)
  )
}
