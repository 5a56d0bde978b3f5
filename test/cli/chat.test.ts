import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import { realModel } from '../real-model.ts'

const CLAW = resolve(import.meta.dirname, '../../dist/claw.js')
const data = mkdtempSync(join(tmpdir(), 'claw-chat-'))
afterAll(() => rmSync(data, { recursive: true }))

/** The built command line with its input from a pipe. */
function chat(person: string, conversation: string) {
  const child = spawn(
    process.execPath,
    [CLAW, 'chat', '--data', data, '--model', realModel ?? '', '--person', person, '--conversation', conversation],
    { env: { PATH: process.env.PATH } },
  )
  return { child, stdout: text(child.stdout), stderr: text(child.stderr), exit: once(child, 'exit') }
}

describe.skipIf(realModel === null)('claw chat on the real model', () => {
  test('a piped session answers every line, ends by itself and logs none of the words', async () => {
    const { child, stdout, stderr, exit } = chat('Ada', 'c1')
    child.stdin.end('Name one colour. Answer in one word.\n+\nwrong, name a fruit\n/claw status\n')
    expect(await exit).toEqual([0, null])
    expect(await stderr).toBe('')
    const lines = (await stdout).split('\n')
    const at = (line: string) => lines.indexOf(line)
    expect(lines[0]).toBe('Ada> Name one colour. Answer in one word.')
    expect(lines[1]).toMatch(/^claw> \S/)
    expect(at('Ada> +')).toBeGreaterThan(1)
    expect(lines[at('Ada> +') + 1]).toBe('  👍 for the last reply')
    expect(at('Ada> wrong, name a fruit')).toBeGreaterThan(at('Ada> +'))
    expect(lines[at('Ada> /claw status') + 1]).toMatch(/answers/)
    expect(await stdout).not.toContain('\x1b')
    expect(readFileSync(join(data, 'claw.log'), 'utf8')).not.toMatch(/colour|fruit/)
  })

  test('an interrupt during a reply ends cleanly, and at the next start the reply is there', async () => {
    const first = chat('Ben', 'c2')
    first.child.stdin.write('Count from one to one hundred in words.\n')
    let shown = ''
    first.child.stdout.on('data', (chunk) => {
      shown += chunk
    })
    while (!shown.includes('claw> ')) await once(first.child.stdout, 'data')
    first.child.kill('SIGINT')
    expect(await first.exit).toEqual([0, null])
    expect(await first.stderr).toBe('')
    const second = chat('Ben', 'c2')
    second.child.stdin.end('Perfect, thanks!\n/claw why\n')
    expect(await second.exit).toEqual([0, null])
    expect(await second.stdout).toMatch(/^question +Count from one to one hundred in words\.$/m)
  })
})
