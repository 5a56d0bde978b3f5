import { random } from '../../../core/policy/sampling.ts'

/** Things that look like what they stand for and open nothing, by lot. Put together here so that none stands in a file. */

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const DIGITS = '0123456789'
const ALNUM = LOWER + UPPER + DIGITS
const URLSAFE = `${ALNUM}_-`
const HEX = `${DIGITS}abcdef`

export interface Lot {
  below(limit: number): number
  of<T>(items: readonly T[]): T
  word(alphabet: string, length: number): string
}

export function drawLots(seed: number): Lot {
  const uniform = random(seed)
  const below = (limit: number) => Math.floor(uniform() * limit)
  return {
    below,
    of: (items) => items[below(items.length)]!,
    word: (alphabet, length) => Array.from({ length }, () => alphabet[below(alphabet.length)]).join(''),
  }
}

type Maker = (lot: Lot) => string

const dot = (...parts: string[]) => parts.join('.')

export const TOKENS: Readonly<Record<string, Maker>> = {
  'slack bot': ({ word }) => `${'xo'}xb-${word(DIGITS, 12)}-${word(DIGITS, 13)}-${word(ALNUM, 24)}`,
  'slack app': ({ word }) => `${'xa'}pp-1-A${word(UPPER + DIGITS, 10)}-${word(DIGITS, 13)}-${word(HEX, 64)}`,
  'slack webhook': ({ word }) =>
    `https://hooks.${'slack'}.com/services/T${word(UPPER, 8)}/B${word(UPPER, 8)}/${word(ALNUM, 24)}`,
  'discord bot': ({ word, of }) => dot(`${of(['M', 'N', 'O'])}${word(ALNUM, 25)}`, word(URLSAFE, 6), word(URLSAFE, 38)),
  'discord webhook': ({ word }) => `https://${'discord'}.com/api/webhooks/${word(DIGITS, 18)}/${word(URLSAFE, 68)}`,
  'telegram bot': ({ word }) => `${1 + Number(word('1234567', 1))}${word(DIGITS, 9)}:AA${word(URLSAFE, 33)}`,
  github: ({ word, of }) => `${'gh'}${of(['p', 'o', 'u', 's', 'r'])}_${word(ALNUM, 36)}`,
  'github fine-grained': ({ word }) => `${'github'}_pat_${word(ALNUM, 22)}_${word(ALNUM, 59)}`,
  gitlab: ({ word }) => `${'gl'}pat-${word(URLSAFE, 20)}`,
  npm: ({ word }) => `${'np'}m_${word(ALNUM, 36)}`,
  pypi: ({ word }) => `${'py'}pi-AgEIcHlwaS5vcmc${word(URLSAFE, 120)}`,
  anthropic: ({ word }) => `${'sk'}-ant-api03-${word(URLSAFE, 93)}AA`,
  openai: ({ word }) => `${'sk'}-proj-${word(URLSAFE, 60)}`,
  'openai old': ({ word }) => `${'sk'}-${word(ALNUM, 48)}`,
  'hugging face': ({ word }) => `${'h'}f_${word(LOWER + UPPER, 34)}`,
  'google api': ({ word }) => `${'AI'}za${word(URLSAFE, 35)}`,
  'aws id': ({ word }) => `${'AK'}IA${word(`${UPPER}234567`, 16)}`,
  'aws secret': ({ word }) => `aws_secret_access_key = ${word(`${ALNUM}/+`, 40)}`,
  stripe: ({ word, of }) => `${of(['sk', 'rk'])}_${'live'}_${word(ALNUM, 24)}`,
  jwt: ({ word }) => dot(`ey${'J'}${word(ALNUM, 33)}`, `eyJ${word(ALNUM, 60)}`, word(URLSAFE, 43)),
  sendgrid: ({ word }) => dot('SG', word(URLSAFE, 22), word(URLSAFE, 43)),
  twilio: ({ word }) => `${'S'}K${word(HEX, 32)}`,
  digitalocean: ({ word }) => `${'do'}p_v1_${word(HEX, 64)}`,
  shopify: ({ word }) => `${'shp'}at_${word(HEX, 32)}`,
  'database url': ({ word, of }) =>
    `${of(['postgres', 'mysql', 'mongodb+srv', 'redis'])}://app:${word(ALNUM, 16)}@db.example.com:5432/main`,
  pem: ({ word }) =>
    `-----BEGIN RSA ${'PRIVATE'} KEY-----\n${Array.from({ length: 6 }, () => word(`${ALNUM}+/`, 64)).join('\n')}\n-----END RSA ${'PRIVATE'} KEY-----`,
}

const COUNTRIES: readonly (readonly [string, number])[] = [
  ['DE', 18],
  ['GB', 18],
  ['FR', 23],
  ['ES', 20],
  ['NL', 14],
  ['IT', 23],
  ['PL', 24],
  ['CH', 17],
]

export const PERSONAL: Readonly<Record<string, Maker>> = {
  email: ({ word, of }) =>
    `${word(LOWER, 5)}${of(['.', '_', '+', ''])}${word(LOWER + DIGITS, 4)}@${word(LOWER, 7)}.${of(['com', 'org', 'co.uk', 'de', 'example'])}`,
  phone: ({ word, of }) =>
    of<() => string>([
      () => `+49 ${word('123456789', 1)}${word(DIGITS, 2)} ${word(DIGITS, 8)}`,
      () => `+1 (${of(['2', '5', '9'])}${word(DIGITS, 2)}) 555-${word(DIGITS, 4)}`,
      () => `+44${word('1237', 1)}${word(DIGITS, 9)}`,
      () => `(${word('23456789', 1)}${word(DIGITS, 2)}) 555-${word(DIGITS, 4)}`,
      () => `${word('23456789', 1)}${word(DIGITS, 2)}-${word('23456789', 1)}${word(DIGITS, 2)}-${word(DIGITS, 4)}`,
      () => `07${word(DIGITS, 3)} ${word(DIGITS, 6)}`,
      () => `0${word('123456789', 1)}${word(DIGITS, 2)}/${word(DIGITS, 7)}`,
      () => `06 ${word(DIGITS, 2)} ${word(DIGITS, 2)} ${word(DIGITS, 2)} ${word(DIGITS, 2)}`,
    ])(),
  card: ({ word, of }) => {
    const number = `${of(['4', '51', '55', '2221', '6011'])}${word(DIGITS, 15)}`.slice(0, 15)
    const whole = number + [...DIGITS].find((digit) => luhn(number + digit))
    return of([whole, whole.match(/.{4}/g)!.join(' '), whole.match(/.{4}/g)!.join('-')])
  },
  iban: ({ word, of }) => {
    const [country, length] = of(COUNTRIES)
    const account = word(DIGITS, length)
    let rest = 0
    for (const digit of `${account}${parts(country)}00`) rest = (rest * 10 + Number(digit)) % 97
    const whole = `${country}${String(98 - rest).padStart(2, '0')}${account}`
    return of([whole, whole.match(/.{1,4}/g)!.join(' ')])
  },
}

const parts = (letters: string) => [...letters].map((letter) => Number.parseInt(letter, 36)).join('')

function luhn(number: string): boolean {
  const sum = [...number].reverse().reduce((total, digit, i) => {
    const value = Number(digit) * (i % 2 === 0 ? 1 : 2)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

const BEFORE = ['here is my key: ', 'use ', 'it says ', 'try this one → ', 'Bitte nimm ', '']
const AFTER = [' please do not share it', '', '.', ', thanks!', ' und sag mir, was falsch ist']

/** The ways in which a secret may come. Each keeps all its visible characters. */
export const DISGUISES: Readonly<Record<string, (secret: string, lot: Lot) => string>> = {
  plain: (secret, { of }) => `${of(BEFORE)}${secret}${of(AFTER)}`,
  fenced: (secret, { of }) => `what is wrong here?\n\`\`\`${of(['', 'sh', 'json'])}\n${secret}\n\`\`\`\nthanks`,
  invisible: (secret, { of, below }) => {
    const at = 1 + below(secret.length - 1)
    const hidden = of(['\u200b', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u202e', '\u{e0041}', '\ufe0f', '\u2066'])
    return `use ${secret.slice(0, at)}${hidden}${secret.slice(at)} now`
  },
  'over two lines': (secret, { below, of }) => {
    const at = 1 + below(secret.length - 1)
    return `it is\n${secret.slice(0, at).trimEnd()}${of(['\n', '\r\n', '\n  ', '\n> ', '\\\n'])}${secret.slice(at).trimStart()}\nthanks`
  },
  fullwidth: (secret) =>
    `look: ${[...secret].map((c) => (/[!-~]/.test(c) ? String.fromCodePoint(c.charCodeAt(0) + 0xfee0) : c)).join('')} ok?`,
  'switched off': (secret) => `<!-- secretlint-disable --> secretlint-disable nosec gitleaks:allow\n${secret}`,
}
