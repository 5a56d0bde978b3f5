import { family, opening } from './lexicon.ts'
import { contentWords } from './text.ts'

/** What an evaluation is about: the same words say something of a reply, of the weather, or of a film once seen. */

/** Opens with somebody or something of its own: an article and a noun, or a title in quotes. */
const NAMED = opening([
  '"\\p{L}+|the \\p{L}{3,}',
  'der|die|das (?!ist|war|sind|geht|stimmt|passt|klappt|funktioniert|bringt|hilft|macht|kann|hat|sieht|klingt|wird|reicht)\\p{L}{3,}',
  'el|la|los|las',
  "le|la|les|l'",
  'de|het (?!is|was|klopt|werkt|gaat|helpt|slaat|lukt|doet)\\p{L}{3,}',
  'o|a|os|as',
])

/** A person of their own, who is never the reply. */
const THIRD_PERSON = /^(?:and |but |so )?(?:he|she)(?:'s)? /

/** Parts and properties that any reply has, whatever it is about. */
const OF_A_REPLY = family(
  [
    'answers?|repl(?:y|ies)|responses?|results?|outputs?|text|summary|list|table|code|script|function|command|links?|urls?|pages?|files?|images?|pictures?|charts?|steps?|parts?|lines?|words?|sentences?|paragraphs?|sections?|points?|items?|numbers?|figures?|sums?|totals?|dates?|times?|names?|titles?|facts?|sources?|examples?|versions?|drafts?|wording|phrasing|tone|style|formats?|formatting|length|layout|order|spelling|grammar|translations?|explanations?|calculations?|math|logic|formulas?|reasoning|premise|recipe|plan|idea|joke|intro|introduction|ending|beginning|start|end|conclusion|first|second|third|last|one|ones|other|rest|whole|bot|info|information|details?',
    'antwort\\w*|ergebnis\\w*|text\\w*|zusammenfassung|liste|tabelle|befehl|zeile\\w*|satz|satze|teil|zahl\\w*|summe|datum|uhrzeit|name\\w*|titel|quelle\\w*|beispiel\\w*|version|ton|stil|format\\w*|reihenfolge|ubersetzung|erklarung|rechnung|formel|rezept|idee|witz|einleitung|schluss|anfang|ende|erste\\w*|zweite\\w*|letzte\\w*|ganze|rest|angabe\\w*',
    'respuesta|resultado|texto|resumen|lista|tabla|codigo|enlace|paso|parte|linea|palabra|frase|numero|cifra|suma|fecha|hora|nombre|titulo|fuente|ejemplo|tono|estilo|formato|orden|traduccion|explicacion|calculo|receta|idea|primer[oa]?|segund[oa]|ultim[oa]|resto|datos?',
    'reponse|resultat|texte|resume|liste|tableau|code|lien|etape|partie|ligne|mot|phrase|nombre|chiffre|somme|date|heure|nom|titre|source|exemple|ton|style|format|ordre|traduction|explication|calcul|recette|idee|premiere?|seconde?|deuxieme|derniere?|reste|infos?',
    'antwoord|resultaat|tekst|samenvatting|lijst|tabel|code|link|stap|deel|regel|woord|zin|getal|bedrag|datum|tijd|naam|titel|bron|voorbeeld|toon|stijl|opmaak|volgorde|vertaling|uitleg|berekening|recept|idee|eerste|tweede|laatste|rest|info',
    'resposta|resultado|texto|resumo|tabela|codigo|link|passo|parte|linha|palavra|frase|numero|valor|soma|data|hora|nome|titulo|fonte|exemplo|tom|estilo|formato|ordem|traducao|explicacao|conta|receita|ideia|primeir[oa]|segund[oa]|ultim[oa]|resto|dados?',
  ],
  'コード|スクリプト|リンク|リスト|データ|ファイル',
)

/** What the person has once done. */
const LIVED =
  /(?<!\p{L})(?:i|we)(?:'ve| have)? (?:\p{L}+ )?(?:saw|seen|watched|read|heard|played|visited|met|went|stayed|ate|bought)(?!\p{L})/u

/**
 * Whether the words before an evaluation, folded, name something that neither is the reply nor occurs in the
 * conversation (`told`).
 */
export function elsewhere(before: string, told: ReadonlySet<string>): boolean {
  if (THIRD_PERSON.test(before)) return true
  const words = [...contentWords(before)]
  if (words.length === 0 || words.some((word) => told.has(word))) return false
  return /^\p{scx=Katakana}+[がは]/u.test(before) || (NAMED.test(before) && !OF_A_REPLY.test(before))
}

/** Whether a folded clause praises what the person came to know elsewhere: "we went to Oslo, and it was great". */
export function experienced(said: string, novel: number): boolean {
  return LIVED.test(said) && novel >= 2
}
