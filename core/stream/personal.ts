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
  { name: 'iban', pattern: /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,30}/dgi, measure: ibanLength },
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

/** The check digit of ISO/IEC 7812 (Luhn). */
function isCard(text: string): boolean {
  const number = digits(text)
  if (number.length < 13 || number.length > 19 || /^(\d)\1+$/.test(number)) return false
  let sum = 0
  for (let i = 0; i < number.length; i++) {
    const digit = Number(number[number.length - 1 - i]) * (i % 2 === 0 ? 1 : 2)
    sum += digit > 9 ? digit - 9 : digit
  }
  return sum % 10 === 0
}

/** How much of the text is an IBAN (ISO 13616): the longest part whose check digits are right, or nothing. */
function ibanLength(text: string): number {
  for (let end = text.length; end >= 15; end--) {
    if (/[ -]/.test(text[end - 1] ?? '') || /^[A-Za-z0-9]/.test(text.slice(end))) {
      if (/[ -]/.test(text[end - 1] ?? '')) continue
    }
    const number = text.slice(0, end).replace(/[ -]/g, '').toUpperCase()
    if (number.length >= 15 && number.length <= 34 && digits(number).length >= 8 && mod97(number) === 1) return end
  }
  return 0
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
