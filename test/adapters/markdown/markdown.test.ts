import { describe, expect, test } from 'vitest'
import { discordText, fitsDiscord } from '../../../adapters/markdown/discord.ts'
import { parse } from '../../../adapters/markdown/parse.ts'
import { plainText } from '../../../adapters/markdown/plain.ts'
import { fitsSlack, slackMarkdown, slackMrkdwn, slackPlain } from '../../../adapters/markdown/slack.ts'
import { split } from '../../../adapters/markdown/split.ts'
import { fitsTelegram, telegramPlain, telegramText } from '../../../adapters/markdown/telegram.ts'

const gap = '\u200B'

describe('split', () => {
  const cut = (markdown: string, limit: number) =>
    split(markdown, (part) => discordText(part).length <= limit).map(discordText)

  test.each<[string, string, number, string[]]>([
    ['at paragraphs', 'One one.\n\nTwo two.\n\nThree.', 20, ['One one.\n\nTwo two.', 'Three.']],
    ['then at sentences', 'One one one. Two two two. Three.', 28, ['One one one. Two two two.', 'Three.']],
    ['then at words', 'one two three four five', 12, ['one two', 'three four', 'five']],
    ['then at characters', '👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 17, ['👩‍👩‍👧👩‍👩‍👧', '👩‍👩‍👧']],
    ['after a Chinese sentence', '你好。再见。谢谢。', 7, ['你好。再见。', '谢谢。']],
    [
      'a heading stays with what it heads',
      'Aaa aaa.\n\n# Bbb\n\nCcc ccc ccc.',
      22,
      ['Aaa aaa.', '# Bbb\n\nCcc ccc ccc.'],
    ],
    ['marks are closed and opened again', 'a **bb cc dd** e', 10, ['a **bb**', '**cc dd**', 'e']],
    ['items keep their numbers', '7. aa\n8. bb\n9. cc', 14, ['7. aa\n8. bb', '9. cc']],
    ['an item that is cut has one number', '3. aa bb cc dd\n4. ee', 10, ['3. aa bb', '  cc dd', '4. ee']],
    ['quotes stay quotes', '> aa bb cc dd', 8, ['> aa bb', '> cc dd']],
    [
      'a table has its header in every part',
      '|a|b|\n|-|-|\n|1|2|\n|3|4|',
      28,
      ['```\na | b\n--+--\n1 | 2\n```', '```\na | b\n--+--\n3 | 4\n```'],
    ],
    ['nothing to see', '\u200B\n\n&#x200B;', 10, ['…']],
  ])('%s', (_name, markdown, limit, parts) => {
    expect(cut(markdown, limit)).toEqual(parts)
  })
})

/** agent-os#2282, #1659, #2075; openclaw#110148 */
describe('report 13: code longer than a message keeps its fences', () => {
  const lines = Array.from({ length: 300 }, (_, index) => `const line${index} = ${index}`)

  test.each([
    ['300 lines', `Here:\n\n\`\`\`ts\n${lines.join('\n')}\n\`\`\`\n\nDone.`],
    ['at the first line', `\`\`\`\n${lines.join('\n')}\n\`\`\``],
    ['that never ends', `\`\`\`ts\n${lines.join('\n')}`],
    ['an info string of 1,900 characters', `\`\`\`${'x'.repeat(1_900)}\n${lines.join('\n')}\n\`\`\``],
    ['one line of 9,000 characters', `\`\`\`\n${'y'.repeat(9_000)}\n\`\`\``],
  ])('%s', (_name, markdown) => {
    for (const [fits, write] of [
      [fitsDiscord, discordText],
      [fitsSlack, slackMarkdown],
    ] as const) {
      const parts = split(markdown, fits)
      expect(parts.length).toBeGreaterThan(1)
      const texts = parts.map(write)
      for (const text of texts) {
        expect(text.length).toBeLessThanOrEqual(3_500)
        expect(text.split('```').length % 2).toBe(1)
        expect(text).not.toContain('x'.repeat(100))
      }
      if (markdown.includes('line299'))
        for (const line of lines) expect(texts.filter((text) => text.split('\n').includes(line))).toHaveLength(1)
    }
    for (const part of split(markdown, fitsTelegram)) {
      const { text, entities } = telegramText(part)
      expect(text.length).toBeLessThanOrEqual(4_096)
      const code = entities.filter(({ type }) => type === 'pre')
      expect(code).toHaveLength(/line\d|yyy/.test(text) ? 1 : 0)
    }
  })
})

/** crewly#697, cortextos#181/#59, eliza#12037, gotigram#9 */
describe('report 14: nothing that people write can break the formatting', () => {
  test.each([
    'immich_server',
    'v1.2 (a-b)!',
    'a lone * star',
    'https://a.example/x_y_z_w',
    'a < b && c > d',
    '[not a link',
    '__init__.py is_a file_',
  ])('%s', (words) => {
    expect(telegramText(words).text).toBe(words.replace('__init__', 'init'))
    expect(telegramPlain(words)).not.toContain('\\')
    expect(slackPlain('immich\\_server')).toBe('immich_server')
    expect(plainText(words)).not.toContain('\\')
  })

  test('formatting stands beside the text, in UTF-16 units', () => {
    const { text, entities } = telegramText(
      '👍 **bold `code`** *it*\n\n> quote\n\n```js\nx\n```\n\n[a](https://b.example/c)',
    )
    const pieces = entities.map(({ type, offset, length }) => [type, text.slice(offset, offset + length)])
    expect(pieces).toEqual([
      ['bold', 'bold '],
      ['code', 'code'],
      ['italic', 'it'],
      ['blockquote', 'quote'],
      ['pre', 'x'],
      ['text_link', 'https://b.example/c'],
    ])
    expect(text).toContain('a (https://b.example/c)')
  })
})

/** bolt-js#2509 */
test('report 25: a reply of 13,500 characters is several messages, none near what Slack refuses', () => {
  const reply = Array.from({ length: 150 }, (_, index) => `Paragraph ${index} ${'<&>word '.repeat(9)}`).join('\n\n')
  expect(reply.length).toBeGreaterThan(13_000)
  const parts = split(reply, fitsSlack)
  for (const write of [slackMarkdown, slackMrkdwn, slackPlain]) {
    for (const part of parts) expect(write(part).length).toBeLessThanOrEqual(3_500)
  }
  const said = parts.map(plainText).join('\n')
  for (let index = 0; index < 150; index++) expect(said).toContain(`Paragraph ${index} `)
})

describe('nobody is called', () => {
  test.each<[string, string, string, string]>([
    ['@everyone', `@${gap}everyone`, `@${gap}everyone`, `@${gap}everyone`],
    ['@\u202Eeveryone', `@${gap}everyone`, `@${gap}everyone`, `@${gap}everyone`],
    ['<!channel>', `&lt;${gap}!channel&gt;`, `<${gap}!channel>`, '<!channel>'],
    ['<@U0123>', `&lt;${gap}@${gap}U0123&gt;`, `<${gap}@${gap}U0123>`, `<@${gap}U0123>`],
    ['`<#C0123>`', `\`&lt;${gap}#C0123&gt;\``, `\`<${gap}#C0123>\``, '<#C0123>'],
    ['@claw_bot', `@${gap}claw\\_bot`, `@${gap}claw\\_bot`, `@${gap}claw_bot`],
    ['&lt;!here&gt;', `&lt;${gap}!here&gt;`, `<${gap}!here>`, '<!here>'],
  ])('%s', (markdown, slack, discord, telegram) => {
    expect(slackMarkdown(markdown)).toBe(slack)
    expect(discordText(markdown)).toBe(discord)
    expect(telegramText(markdown).text).toBe(telegram)
  })
})

describe('links say where they lead', () => {
  test.each<[string, string, string]>([
    ['[a bank](https://evil.example/x)', 'a bank (<https://evil.example/x>)', 'a bank (https://evil.example/x)'],
    [
      '[https://bank.example](https://evil.example)',
      'https://bank.example (<https://evil.example/>)',
      'https://bank.example (https://evil.example/)',
    ],
    ['[x](https://bank.example@evil.example/)', 'x (<https://evil.example/>)', 'x (https://evil.example/)'],
    ['https://bаnk.example', '<https://xn--bnk-6cd.example>', 'https://xn--bnk-6cd.example'],
    ['[x](tg://user?id=7)', 'x', 'x'],
    ['[x](javascript:alert(1))', 'x (javascript:alert(1))', 'x (javascript:alert(1))'],
    ['![a cat](https://a.example/c.png)', 'a cat (<https://a.example/c.png>)', 'a cat (https://a.example/c.png)'],
    ['[one][1]\n\n[1]: https://a.example/', 'one (<https://a.example/>)', 'one (https://a.example/)'],
    ['ann@a.example', 'ann@a.example', 'ann@a.example'],
    ['\\[bank\\](https://evil.example)', '\\[bank\\](<https://evil.example>)', '[bank](https://evil.example)'],
  ])('%s', (markdown, discord, telegram) => {
    expect(discordText(markdown)).toBe(discord)
    expect(telegramText(markdown).text).toBe(telegram)
    expect(slackMrkdwn(markdown)).not.toMatch(/<[^>]*\|/)
  })
})

describe('no name hides in an address', () => {
  test.each([
    ['[hi](mailto:@durov)', `hi (mailto:@${gap}durov)`],
    ['<mailto:@durov>', `mailto:@${gap}durov`],
    ['-@durov.com', `-@${gap}durov.com`],
    ['[mail](mailto:ann@a.example?body=-@durov)', 'mail (ann@a.example)'],
    ['[both](mailto:ann@a.example,x-@durov)', `both (mailto:ann@${gap}a.example,x-@${gap}durov)`],
    ['ann_lee+x@a-b.example', 'ann_lee+x@a-b.example'],
  ])('%s', (markdown, telegram) => {
    expect(telegramText(markdown)).toEqual({ text: telegram, entities: [] })
    expect(telegramPlain(markdown)).toBe(telegram)
  })

  test('also where nothing is formatted', () => {
    expect(telegramPlain("`@durov` https://a.example/x'-@durov ann@a.example")).toBe(
      `@${gap}durov https://a.example/x'-@${gap}durov ann@a.example`,
    )
  })
})

test.each([
  ['a&#x202E;b', 'ab'],
  ['[a&#8238;b](https://c.example/d)', 'ab (https://c.example/d)'],
  ['![a&#x2067;b](https://c.example/d)', 'ab (https://c.example/d)'],
  ['[x](javascript:&#x202E;y)', 'x (javascript:y)'],
  ['| a&#x202E; | b |\n|-|-|', 'a | b\n--+--'],
  ['[x]: ftp://a.example/&#x202E;y', '[x]: ftp://a.example/y'],
])('nothing turns text around, also where it is written by its number: %s', (markdown, shown) => {
  expect(telegramText(markdown).text).toBe(shown)
})

test.each(['>', '> ', '- ', '1. ', '> - '])(
  '%j thousands of times in a line is read at once, and nothing is lost',
  (mark) => {
    const parts = split(`${mark.repeat(3_000)}words`, fitsTelegram)
    expect(parts.map((part) => telegramText(part).text).join('')).toMatch(/words$/)
    expect(parse(`${'-'.repeat(100)}\n\n${'* '.repeat(50)}`)).toEqual([{ type: 'rule' }, { type: 'rule' }])
  },
)
