import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Loop, startLoop } from '../core/loop.ts'
import { drawLots, PERSONAL, TOKENS } from '../core/stream/planted.ts'

let loop: Loop

beforeEach(async () => {
  loop = await startLoop()
})

afterEach(() => loop.close())

test('no secret that anyone says is on the disk, in a fault or before the model', async () => {
  const lot = drawLots(1)
  const secrets = Object.entries({ ...TOKENS, ...PERSONAL }).map(([kind, make]) => {
    const secret = make(lot)
    return kind === 'pem' ? secret.split('\n')[1]! : secret.slice(secret.indexOf('=') + 1).trim()
  })
  for (const secret of secrets) {
    const pem = `-----BEGIN ${'PRIVATE'} KEY-----\n${secret}\n-----END PRIVATE KEY-----`
    const text = secret.length === 64 && !/[_-]/.test(secret) ? pem : `aws_secret = ${secret}`
    const message = await loop.ask(`why does this not work? ${text}`)
    const said = await loop.say({ text: `no, I said ${text}`, replyTo: message })
    await loop.send('edit', { message: said.message, text: `too long! ${text}` })
    await loop.send('command', { text: `/claw memory add ${text}` })
    await loop.send('reaction', { message, emoji: '👎', person: { id: 'bob', name: text, kind: 'human' } })
    await loop.runtime.idle()
  }
  await loop.restart()
  const kept = [
    ...readdirSync(loop.dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')),
    ...loop.engine.prompts,
    ...loop.platform.notices,
    String(loop.faults),
  ]
  expect(kept.join('')).toContain('why does this not work?')
  for (const secret of secrets) expect(kept.some((text) => text.includes(secret))).toBe(false)
}, 60_000)
