import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { browserPath, launch, type Visit, visit } from '../../browser.ts'
import { type Served, serve } from './served.ts'

const FLAWS = readFileSync(join(import.meta.dirname, 'flaws.js'), 'utf8')

describe.skipIf(browserPath === null)('the page in a browser', () => {
  let browser: Browser
  let served: Served
  const visits: Visit[] = []

  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser?.close())
  beforeEach(async () => {
    served = await serve()
  })
  afterEach(async () => {
    const complaints = visits.splice(0).flatMap((each) => each.complaints)
    await served.close()
    expect(complaints).toEqual([])
    expect(served.faults).toEqual([])
  })

  async function open(hash = 'home/c1', options: Parameters<typeof visit>[2] = {}): Promise<Page> {
    const opened = await visit(browser, `${served.url}#${hash}`, options)
    visits.push(opened)
    await opened.page.waitForFunction('document.title === "Claw" && location.hash.includes("/")')
    return opened.page
  }

  /** Says something and waits for the parrot. */
  async function say(page: Page, text: string): Promise<void> {
    const replies = page.locator('.message.assistant[aria-busy="false"]')
    const before = await replies.count()
    await page.getByLabel('Message', { exact: true }).fill(text)
    await page.keyboard.press('Enter')
    await replies.nth(before).waitFor()
  }

  /** Holds the page's requests back until the returned function is called. */
  async function hold(page: Page, path: string): Promise<() => void> {
    let go = () => {}
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    await page.route(path, async (route) => {
      await held
      await route.continue()
    })
    return go
  }

  const events = async () => served.store.db.selectFrom('inbox').select(['type']).orderBy('seq').execute()

  test('a message is answered in a stream, and both are there after a reload', async () => {
    let go = () => {}
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    const page = await open()
    await page.getByText('Ask it something.').waitFor()
    let tokens = 0
    served.engine.pace = async () => {
      if (++tokens === 5) await held
    }
    await page.getByLabel('Message', { exact: true }).fill('hello there')
    await page.keyboard.press('Enter')
    await page.locator('.message.assistant[aria-busy="true"]', { hasText: 're: ' }).waitFor()
    expect(await page.locator('.message.assistant').textContent()).not.toContain('there')
    go()
    await page.locator('.message.assistant[aria-busy="false"]', { hasText: 're: hello there' }).waitFor()
    await page.getByText('base', { exact: true }).waitFor()
    await page.reload()
    await page.locator('.message.assistant', { hasText: 're: hello there' }).waitFor()
    expect(await page.locator('.message').count()).toBe(2)
    await page.getByRole('link', { name: 'hello there' }).waitFor()
  })

  test('what is sent before the server is asked what there is, is said', async () => {
    const page = await open()
    const go = await hold(page, '**/conversations')
    await page.reload()
    await page.getByLabel('Message', { exact: true }).fill('early')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    go()
    await page.locator('.message.assistant', { hasText: 're: early' }).waitFor()
    expect(await page.locator('.message').count()).toBe(2)
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('')
  })

  test('an answer that came before the page could hear of it is there', async () => {
    const page = await open()
    const go = await hold(page, '**/updates')
    await page.reload()
    await page.getByText('Ask it something.').waitFor()
    await page.getByLabel('Message', { exact: true }).fill('quick')
    await page.keyboard.press('Enter')
    await expect.poll(events).toHaveLength(1)
    await served.idle()
    expect(await page.locator('.message').count()).toBe(0)
    go()
    await page.locator('.message.assistant', { hasText: 're: quick' }).waitFor()
    expect(await page.locator('.message').count()).toBe(2)
  })

  test('a thumb is a signal, another one replaces it, and pressed again it is gone', async () => {
    const page = await open()
    await say(page, 'one')
    const [up, down] = [
      page.getByRole('button', { name: 'Thumb up' }),
      page.getByRole('button', { name: 'Thumb down' }),
    ]
    await up.click()
    await page.locator('[data-action="👍"][aria-pressed="true"]').waitFor()
    await page.locator('.turn .score.good', { hasText: '+1' }).waitFor()
    await down.click()
    await page.locator('[data-action="👎"][aria-pressed="true"]').waitFor()
    await page.locator('[data-action="👍"][aria-pressed="false"]').waitFor()
    await page.locator('.turn .score.bad').waitFor()
    await down.click()
    await page.locator('[data-action="👎"][aria-pressed="false"]').waitFor()
    await served.idle()
    const signals = await served.store.db.selectFrom('signals').select(['content', 'active']).execute()
    expect(signals.filter(({ active }) => active === 1)).toEqual([])
    expect(signals).toHaveLength(2)
    await page.getByRole('button', { name: 'More reactions' }).click()
    await page.getByRole('button', { name: 'Heart' }).click()
    await page.getByRole('button', { name: 'Heart, from You' }).waitFor()
  })

  test('a correction shows its verdict and hint in the panel, and what was learned in the chat', async () => {
    const page = await open()
    await say(page, 'What is rain?')
    await say(page, 'shorter please')
    await page.locator('.notice', { hasText: /^learned: / }).waitFor()
    await page.locator('.turn', { hasText: 'What is rain?' }).locator('.hint').waitFor()
    await page.locator('.turn', { hasText: 'waits for the trainer' }).first().waitFor()
    await page.locator('#training', { hasText: '1 lesson waits; 4 make a batch' }).waitFor()
    served.train('lessons')
    served.playground.changed('home')
    await page.getByText('Learning from replies').waitFor()
  })

  test('a message is reworded and deleted by who wrote it, and by nobody else', async () => {
    const page = await open()
    await say(page, 'frist')
    const mine = page.locator('.message.user')
    await mine.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('New wording').fill('first')
    await page.keyboard.press('Enter')
    await mine.getByText('edited').waitFor()
    expect(await mine.locator('.said').textContent()).toBe('first')
    await become(page, 'Ben')
    expect(await mine.getByRole('button').count()).toBe(0)
    await page.getByLabel('Who is talking').selectOption('you')
    const remove = mine.getByRole('button', { name: 'Delete' })
    await remove.click()
    await mine.getByRole('button', { name: 'Really delete?' }).click()
    await mine.waitFor({ state: 'detached' })
    await page.reload()
    await page.locator('.message.assistant').waitFor()
    expect(await mine.count()).toBe(0)
    expect((await events()).map(({ type }) => type)).toEqual(['message', 'edit', 'deletion'])
  })

  test('a thread is a conversation of its own that hangs on a message', async () => {
    const page = await open()
    await say(page, 'one')
    await page.getByRole('button', { name: 'Thread' }).click()
    await page.getByPlaceholder('Answer in the thread').waitFor()
    await page.locator('.message', { hasText: 're: one' }).waitFor()
    await say(page, 'deeper')
    const deeper = page.locator('.message', { hasText: 're: deeper' })
    await deeper.waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: '2 replies' }).waitFor()
    expect(await deeper.count()).toBe(0)
    const { messages } = await served.playground.client('home').history('c1')
    expect(messages.map(({ thread }) => thread)).toEqual([0, 2])
  })

  test('several people share the page, and what one tab does another one shows', async () => {
    const page = await open()
    const other = await open()
    await become(page, 'Ben')
    await say(page, 'from Ben')
    await other.locator('.message.user', { hasText: 'Ben' }).waitFor()
    await other.locator('.message.assistant', { hasText: 're: from Ben' }).waitFor()
    await other.getByRole('button', { name: 'Thumb up' }).click()
    await page.getByRole('button', { name: 'Thumb up, from You' }).waitFor()
    const people = await served.store.db.selectFrom('people').select('name').orderBy('name').execute()
    expect(people.map(({ name }) => name)).toEqual(['Ben', 'You'])
  })

  test('a version becomes live, answers, and is rolled back with a button', async () => {
    const page = await open()
    await say(page, 'one')
    await served.publish('home', 1)
    await page.locator('.notice', { hasText: 'version 1 is live' }).waitFor()
    await page.locator('#policy', { hasText: 'Version 1' }).waitFor()
    await say(page, 'two')
    await page.locator('.message.assistant', { hasText: 're: two' }).getByText('v1', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Roll back to the base' }).click()
    await page.locator('#policy', { hasText: 'The base model' }).waitFor()
    await page.getByRole('button', { name: 'Use version 1' }).click()
    await page.locator('#policy', { hasText: 'Version 1' }).waitFor()
  })

  test('a new workspace has a name of its own, also where nothing was said in the last one', async () => {
    const page = await open()
    const select = page.locator('#workspace')
    for (const name of ['workspace 2', 'workspace 3']) {
      await select.selectOption({ label: 'New workspace …' })
      await expect.poll(() => select.inputValue()).toBe(name)
    }
    await select.selectOption('home')
    await expect.poll(() => select.locator('option').count()).toBe(2)
  })

  test('a command is answered here and not to the model', async () => {
    const page = await open()
    await page.getByRole('button', { name: '/claw status' }).click()
    const answer = page.locator('.answer', { hasText: 'The base model answers' })
    await answer.waitFor()
    expect(served.engine.prompts).toEqual([])
    expect(await answer.locator('span').count()).toBeGreaterThan(1)
    expect(await answer.locator('span').first().textContent()).toMatch(/^The base model answers .*\n$/)
  })

  test('a long line of an answer begins where the others do, and goes on below its second column', async () => {
    const page = await open()
    await page.getByLabel('Message', { exact: true }).fill('/claw help')
    await page.keyboard.press('Enter')
    const lines = page.locator('.answer span')
    await lines.first().waitFor()
    const rows = await lines.evaluateAll((all) =>
      all.map((line) => {
        const range = line.ownerDocument.createRange()
        range.selectNodeContents(line)
        const lefts = new Map<number, number>()
        for (const { top, left } of range.getClientRects()) lefts.set(top, Math.min(left, lefts.get(top) ?? left))
        return [...lefts.values()].map(Math.round)
      }),
    )
    const [first, ...others] = new Set(rows.map(([begins]) => begins))
    expect(others).toEqual([])
    const [below, ...elsewhere] = new Set(rows.flatMap(([, ...rest]) => rest))
    expect(below).toBeGreaterThan(Number(first))
    expect(elsewhere).toEqual([])
  })

  test('words of people and of the model are never HTML', async () => {
    const attack = '<img src=x onerror=alert(1)><script>alert(2)</script> [a](javascript:alert(3)) **<b>bold</b>**'
    const page = await open()
    await become(page, '<i>Eve</i>')
    await say(page, attack)
    const reply = page.locator('.message.assistant .body')
    expect(await reply.textContent()).toContain('<img src=x onerror=alert(1)><script>alert(2)</script>')
    expect(await page.locator('#messages img, #messages script, #messages a, #messages b, #panel img').count()).toBe(0)
    expect(await reply.locator('strong').textContent()).toBe('<b>bold</b>')
    expect(await page.locator('.turn .question').first().textContent()).toContain('<i>Eve</i>')
  })

  test('lists, code and paragraphs of a reply are what they look like', async () => {
    served.engine.answer = () => 'Two:\n\n- **a**\n- `b`\n\n```\n<c>\n```\n\n3. third\n4. fourth'
    const page = await open()
    await say(page, 'list')
    const body = page.locator('.message.assistant .body')
    expect(await body.locator('ul li').allTextContents()).toEqual(['a', 'b'])
    expect(await body.locator('pre').textContent()).toBe('<c>')
    expect(await body.locator('ol').getAttribute('start')).toBe('3')
  })

  test('everything can be done with the keyboard', async () => {
    const page = await open()
    await page.locator('#composer-text:focus').waitFor()
    await page.keyboard.type('by keys')
    await page.keyboard.press('Enter')
    await page.locator('.message.assistant[aria-busy="false"]').waitFor()
    await tabTo(page, 'Thumb up')
    await page.keyboard.press('Space')
    await page.locator('[data-action="👍"][aria-pressed="true"]:focus').waitFor()
    await page.getByLabel('Message', { exact: true }).focus()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.type(' again')
    await page.keyboard.press('Enter')
    await page.getByText('by keys again').first().waitFor()
    await page.keyboard.press('Escape')
    await tabTo(page, 'Thread')
    await page.keyboard.press('Enter')
    await page.getByPlaceholder('Answer in the thread').waitFor()
  })

  test('on a phone the panel is a tab, and nothing is wider than the screen', async () => {
    const page = await open('home/c1', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true })
    await page.getByLabel('Message', { exact: true }).fill(`wide ${'w'.repeat(120)}`)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('.message.assistant[aria-busy="false"]').waitFor()
    const wide = () => page.evaluate('document.documentElement.scrollWidth > innerWidth')
    expect(await wide()).toBe(false)
    expect(await page.locator('#panel').isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Learning' }).click()
    await page.locator('.turn').waitFor()
    expect(await wide()).toBe(false)
    await page.getByRole('button', { name: 'Conversations' }).click()
    await page.getByRole('button', { name: 'New conversation' }).click()
    await page.getByText('Ask it something.').waitFor()
  })

  test.each(['light', 'dark'] as const)(
    '%s: text stands out from its ground, and everything has a name',
    async (colorScheme) => {
      const page = await open('home/c1', { colorScheme })
      await say(page, 'What is rain?')
      await say(page, 'shorter please')
      await page.getByRole('button', { name: 'Thumb down' }).last().click()
      await page.locator('.turn .hint').first().waitFor()
      expect(await page.evaluate(FLAWS)).toEqual([])
    },
  )

  test('the page waits for a server that is still loading, and finds its way back to one that restarts', async () => {
    await served.close()
    const { port } = new URL(served.url)
    served = await serve({ port: Number(port), booted: false })
    const opened = await visit(browser, `${served.url}#home/c1`)
    await opened.page.getByText('Loading the model …').waitFor()
    await served.boot()
    await opened.page.getByText('Ask it something.').waitFor()
    await say(opened.page, 'are you there')
    await served.close()
    await opened.page.getByText('Connection lost, trying again …').waitFor()
    served = await serve({ port: Number(port), booted: false })
    await opened.page.getByText('Loading the model …').waitFor()
    await served.boot()
    await opened.page.locator('#connection', { hasText: /^$/ }).waitFor({ state: 'attached' })
    await opened.page.getByText('Ask it something.').waitFor()
    await say(opened.page, 'and again')
    expect(opened.complaints.filter((complaint) => !/Failed to load resource|ERR_/.test(complaint))).toEqual([])
    await opened.close()
  })
})

async function become(page: Page, name: string): Promise<void> {
  await page.getByLabel('Who is talking').selectOption('')
  await page.getByLabel('Name').fill(name)
  await page.keyboard.press('Enter')
}

async function tabTo(page: Page, label: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate(
      'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent',
    )
    if (focused === label) return
  }
  throw new Error(`no way by Tab to ${label}`)
}
