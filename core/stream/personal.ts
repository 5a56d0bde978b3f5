import type { Kind } from './secrets.ts'

/** Digits, in groups as people write them. */
const GROUPED = '\\d(?:[ .\\-\u2010-\u2013/()]{0,2}\\d)'
const CALL =
  '(?:phone|telephone|tel|mobile|cell|fax|whatsapp|sms|telefon|handy|mobil|t[ée]l(?:[ée]phone)?|tel[ée]fono|m[óo]vil|celular|telefone|телефон)'

/** What leads to a person or their money. */
export const PERSONAL: readonly Kind[] = [
  {
    name: 'email',
    pattern: /(?<![\p{L}\p{N}._%+-])(?!git@)[\p{L}\p{N}._%+'-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}/dgu,
  },
  { name: 'iban', pattern: /(?<![A-Za-z0-9_])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}/dgi, measure: ibanLength },
  {
    name: 'card',
    pattern: /(?<![\d.])[2-6]\d{3}(?:[ -]?\d){9,15}(?![\d])/dg,
    measure: (text) => (isCard(text) ? text.length : 0),
  },
  { name: 'phone', pattern: /(?<![\w.+])(?:\+|00)[ ]?\(?[1-9]\)?(?:[ .\-\u2010-\u2013/()]{0,3}\d){7,14}(?!\d)/dg },
  {
    name: 'phone',
    pattern: /(?<![\w.-])(?:1[-. ])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[-. ])[2-9]\d{2}[-. ]\d{4}(?![\w-]|\.\d)/dg,
  },
  {
    name: 'phone',
    pattern: /(?<![\w.,/-])\(?0[1-9]\d{0,4}\)?(?:[ ./\-\u2010-\u2013]{0,3}\d){5,11}(?![\w-]|[.,]\d)/dg,
    measure: (text) => (isNational(text) ? text.length : 0),
  },
  {
    name: 'phone',
    pattern: new RegExp(
      `${CALL}\\.?(?: ?(?:number|no|nr|nummer|is|ist|es|est|me at|at|on))*\\.?[ :=]{1,3}(\\(?${GROUPED}{6,14})`,
      'dgiu',
    ),
  },
]

function isNational(text: string): boolean {
  const count = digits(text).length
  // A date, perhaps with a time, is none.
  return count >= 9 && count <= 12 && !/^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}/.test(text)
}

/** Visa, Mastercard, American Express, Diners, JCB, Discover, UnionPay. */
const CARDS =
  /^(?:4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|35\d{14}|6\d{15}(?:\d{3})?)$/

/** With the check digit of ISO/IEC 7812 (Luhn). */
function isCard(text: string): boolean {
  const number = digits(text)
  if (!CARDS.test(number)) return false
  let sum = 0
  for (let i = 0; i < number.length; i++) {
    const digit = Number(number[number.length - 1 - i]) * (i % 2 === 0 ? 1 : 2)
    sum += digit > 9 ? digit - 9 : digit
  }
  return sum % 10 === 0
}

/** Lengths of IBANs (ISO 13616) by country. */
const IBANS: ReadonlyMap<string, number> = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 ' +
    'FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 ' +
    'LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 ' +
    'SI19 SK24 SM27 SV28 TN24 TR26 UA29 VA22 VG24 XK20'
  )
    .split(' ')
    .map((row) => [row.slice(0, 2), Number(row.slice(2))]),
)

/** How much of the text is an IBAN, blanks included; 0 where its check digits say that it is none. */
function ibanLength(text: string): number {
  const letters = [...text.matchAll(/[A-Za-z0-9]/g)]
  const length = IBANS.get(text.slice(0, 2).toUpperCase())
  const last = length === undefined ? undefined : letters[length - 1]
  if (last === undefined) return 0
  const end = last.index + 1
  return mod97(text.slice(0, end).replaceAll(' ', '').toUpperCase()) === 1 ? end : 0
}

function mod97(iban: string): number {
  let rest = 0
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest
}

function digits(text: string): string {
  return text.replace(/\D/g, '')
}
