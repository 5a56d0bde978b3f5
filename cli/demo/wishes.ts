import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ClawError } from '../../core/errors.ts'

/** What a simulated person wants of every reply, and how they say so. */
export interface Wish {
  readonly name: string
  /** Ways to ask for it, half of them as terse as people are. */
  readonly corrections: readonly string[]
  readonly praise: readonly string[]
  /** Whether a reply is as they want it. */
  check(prompt: string, reply: string): boolean
}

const PRAISE = ['Perfect, thanks!', 'Great, exactly like that.', 'Thank you, that is what I wanted.', 'Good bot!']

const words = (text: string) => text.match(/[\p{L}\p{N}'’]+/gu) ?? []
const sentences = (text: string) =>
  text
    .trim()
    .split(/(?<=[.!?])\s+/)
    .filter((sentence) => sentence !== '')
const WARM =
  /\b(hi|hello|hey|dear|great question|thanks for asking|happy to help|glad|hope this helps|have a (great|lovely|wonderful|nice)|take care|enjoy)\b/i
const GERMAN =
  /\b(der|die|das|und|ist|sind|wird|werden|ein|eine|einen|einer|nicht|zu|mit|für|auf|den|dem|des|von|sie|ich|es|im|oder|wie|kann|können|auch|du)\b/gi

export const WISHES: Readonly<Record<string, Wish>> = {
  short: {
    name: 'short',
    corrections: [
      'shorter please',
      'Way too long!',
      'too long',
      'Keep it short, please.',
      'tl;dr, two sentences max next time',
      'That is too long. Please keep your answers short.',
      'more concise',
      'Could you be briefer? I only have a minute.',
    ],
    praise: PRAISE,
    check: (_prompt, reply) => words(reply).length >= 3 && words(reply).length <= 30,
  },
  warm: {
    name: 'warm',
    corrections: [
      'friendlier please',
      'Be warmer, please.',
      'so cold!',
      'Can you be a bit nicer?',
      'That sounds cold. Be friendly and say hi first.',
      'more friendly',
      'I would like a warmer tone, with a greeting and some kindness.',
      'warmer',
    ],
    praise: PRAISE,
    check: (_prompt, reply) => WARM.test(reply),
  },
  'one-sentence': {
    name: 'one-sentence',
    corrections: [
      'one sentence please',
      'One sentence is enough.',
      'just one sentence',
      'Just give me one sentence, please.',
      'in a single sentence',
      'Please answer in exactly one sentence, I do not need more.',
      'one sentence!',
      'Can you say that in one sentence?',
    ],
    praise: PRAISE,
    check: (_prompt, reply) => words(reply).length >= 3 && sentences(reply).length === 1,
  },
  bullets: {
    name: 'bullets',
    corrections: [
      'bullet points please',
      'as bullets',
      'bullets!',
      'Please answer as a bullet list.',
      'Use bullet points, that is easier to read.',
      'bullet list',
      'No, I want a list with bullet points.',
      'Can you make it bullet points?',
    ],
    praise: PRAISE,
    check: (_prompt, reply) => (reply.match(/^\s*[-*•] /gm) ?? []).length >= 2,
  },
  steps: {
    name: 'steps',
    corrections: [
      'steps please',
      'as numbered steps',
      'numbered list please',
      'step by step please',
      'Please answer as a numbered list.',
      'Please answer in numbered steps.',
      'in numbered steps',
      'I would like a numbered list of steps.',
    ],
    praise: PRAISE,
    check: (_prompt, reply) => (reply.match(/^\s*\d+[.)] /gm) ?? []).length >= 2,
  },
  german: {
    name: 'german',
    corrections: [
      'in German please',
      'German please',
      'auf Deutsch bitte',
      'Deutsch bitte',
      'Please answer in German.',
      'in German',
      'I would like your answers in German.',
      'Antworte bitte auf Deutsch.',
    ],
    praise: PRAISE,
    check: (_prompt, reply) =>
      words(reply).length >= 3 && (reply.match(GERMAN) ?? []).length / words(reply).length >= 0.15,
  },
  emoji: {
    name: 'emoji',
    corrections: [
      'emoji please',
      'use an emoji',
      'with an emoji please',
      'add an emoji',
      'Please use an emoji in your answers.',
      'use emojis',
      'Please add an emoji.',
      'I like it better with an emoji.',
    ],
    praise: PRAISE,
    // One, or a few: a line of forty stars is no reply.
    check: (_prompt, reply) => {
      const emoji = (reply.match(/\p{Extended_Pictographic}/gu) ?? []).length
      return words(reply).length >= 3 && emoji >= 1 && emoji <= 3
    },
  },
  name: {
    name: 'name',
    corrections: [
      'call me Sam',
      'Call me Sam, please.',
      'My name is Sam.',
      'Call me by my name, Sam.',
      'Please call me Sam when you answer.',
      'Could you call me Sam?',
      'call me Sam please',
      'I would like you to call me Sam.',
    ],
    praise: PRAISE,
    check: (_prompt, reply) => words(reply).length >= 3 && /\bSam\b/.test(reply),
  },
}

/** A built-in wish by name, or one that a module exports. Throws WISH_INVALID. */
export async function loadWish(nameOrFile: string): Promise<Wish> {
  const known = WISHES[nameOrFile]
  if (known !== undefined) return known
  if (!/\.m?js$/.test(nameOrFile)) {
    throw invalid(`There is no wish called ${nameOrFile}`)
  }
  let exported: Record<string, unknown>
  try {
    exported = (await import(pathToFileURL(resolve(nameOrFile)).href)) as Record<string, unknown>
  } catch (cause) {
    throw invalid(`${nameOrFile} cannot be loaded`, cause)
  }
  const { corrections, praise, check } = exported
  if (!isTexts(corrections)) throw invalid(`${nameOrFile} exports no list of corrections`)
  if (!isTexts(praise)) throw invalid(`${nameOrFile} exports no list of praise`)
  if (typeof check !== 'function') throw invalid(`${nameOrFile} exports no function check(prompt, reply)`)
  return { name: nameOrFile, corrections, praise, check: (prompt, reply) => check(prompt, reply) === true }
}

function isTexts(value: unknown): value is string[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((text) => typeof text === 'string' && text.trim() !== '')
  )
}

function invalid(message: string, cause?: unknown): ClawError {
  return new ClawError('WISH_INVALID', message, {
    remedy: `Name one of ${Object.keys(WISHES).join(', ')}, or a .mjs file that exports corrections, praise and check.`,
    cause,
  })
}
