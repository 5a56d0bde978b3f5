import fc from 'fast-check'

/** A random Markdown text and the words that a reader of it sees, in order. */
export interface Sample {
  readonly markdown: string
  readonly words: readonly string[]
}

const joined = (parts: readonly Sample[], between: string): Sample => ({
  markdown: parts.map((part) => part.markdown).join(between),
  words: parts.flatMap((part) => part.words),
})

const around = (before: string, { markdown, words }: Sample, after: string): Sample => ({
  markdown: before + markdown + after,
  words,
})

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const word = fc
  .array(fc.nat(25), { minLength: 1, maxLength: 7 })
  .map((letters) => letters.map((letter) => LETTERS[letter]).join(''))

const shown = (text: string): Sample => ({ markdown: text, words: [text] })

const TRICKS = [
  '@everyone',
  '@here',
  '@channel',
  '@\u200Beveryone',
  '@\u202Eeveryone',
  '@every\u2060one',
  '＠everyone',
  '@еveryone',
  '<!channel>',
  '<!here|here>',
  '<!subteam^S0123>',
  '<@U0123ABC>',
  '<@123456789012345678>',
  '<@!123456789012345678>',
  '<@&123456789012345678>',
  '<#123456789012345678>',
  '<#C0123ABC|general>',
  '&lt;!channel&gt;',
  '\\<!channel>',
  '`<!channel>`',
  '@claw_bot',
  '[x](tg://user?id=7)',
  '\\[bank\\](https://evil.example)',
  '<https://evil.example|bank>',
  '<b>bold</b>',
  '&amp;lt;!here>',
  '<scr<!here>ipt>',
  '@@everyone',
  'x@everyone',
  '[x](https://a.example/@everyone)',
  '![@here](https://a.example/<!here>)',
]

const trick = fc.constantFrom(...TRICKS).map((markdown): Sample => ({ markdown, words: [] }))
const sign = fc
  .constantFrom(
    '👍🏽',
    '👩‍👩‍👧‍👦',
    '🇩🇪',
    '*',
    '_',
    '**',
    '~~',
    '`',
    '#',
    '|',
    '\\',
    '<',
    '>',
    '&',
    '[',
    '](',
    '1.',
    '- ',
    '+',
    '=',
    '̈́',
    'مرحبا',
    'שלום',
  )
  .map((markdown): Sample => ({ markdown, words: [] }))
const long = fc.integer({ min: 40, max: 300 }).map((length) => shown('x'.repeat(length)))
const chinese = fc
  .array(fc.constantFrom('学', '习', '语', '言', '。', '，', '模', '型'), { minLength: 3, maxLength: 40 })
  .map((signs) => shown(signs.join('')))

const plain: fc.Arbitrary<Sample> = fc.oneof(
  { weight: 12, arbitrary: word.map(shown) },
  { weight: 2, arbitrary: word.map((text) => around('', shown(text), '.')) },
  { weight: 1, arbitrary: chinese },
  { weight: 1, arbitrary: long },
  { weight: 2, arbitrary: trick },
  { weight: 2, arbitrary: sign },
)

/** Words that formatting signs cannot reach out of. */
const calm = fc.array(word.map(shown), { minLength: 1, maxLength: 3 }).map((parts) => joined(parts, ' '))

const formatted: fc.Arbitrary<Sample> = fc.oneof(
  calm.map((part) => around('*', part, '*')),
  calm.map((part) => around('**', part, '**')),
  calm.map((part) => around('_**', part, '**_')),
  calm.map((part) => around('~~', part, '~~')),
  calm.map((part) => around('`', part, '`')),
  fc.tuple(calm, word).map(([part, host]) => around('[', part, `](https://${host}.example/${host})`)),
  fc.tuple(calm, word).map(([part, host]) => around('![', part, `](https://${host}.example/a.png "title")`)),
  word.map((host) => shown(`https://${host}.example/path_with_under_scores`)),
)

const line = (parts: fc.Arbitrary<Sample>, maxLength: number) =>
  fc.array(parts, { minLength: 1, maxLength }).map((words) => joined(words, ' '))

const wild = line(fc.oneof({ weight: 4, arbitrary: plain }, { weight: 1, arbitrary: formatted }), 8)
const tame = line(fc.oneof({ weight: 4, arbitrary: word.map(shown) }, { weight: 1, arbitrary: formatted }), 8)

const lines = ({ markdown, words }: Sample, prefix: string, first = prefix): Sample => ({
  markdown: first + markdown.replaceAll('\n', `\n${prefix}`),
  words,
})

const code = fc
  .tuple(
    fc.constantFrom('', 'js', 'c++', 'x'.repeat(1_900), 'python title="a b"'),
    fc.array(fc.oneof(calm, trick, long, fc.constant(shown('')), fc.constant(shown('``` ~~~'))), { maxLength: 5 }),
    fc.constantFrom('\n````', '\n````', '\n````', ''),
  )
  .map(([info, parts, end]) => {
    const { markdown, words } = joined(parts, '\n')
    return { markdown: `\`\`\`\`${info}\n${markdown}${end}`, words: [...words] }
  })

const table = fc.array(fc.tuple(calm, calm), { minLength: 1, maxLength: 4 }).map((rows) => {
  const cells = rows.map(([left, right]) => around('| ', joined([left, right], ' | '), ' |'))
  const [header, ...rest] = cells
  return joined([around('', header!, '\n| --- | :-: |'), ...rest], '\n')
})

const { blocks } = fc.letrec<{ block: Sample; blocks: Sample }>((tie) => ({
  block: fc.oneof(
    { maxDepth: 2, depthIdentifier: 'markdown' },
    wild,
    tame,
    tame.map((part) => lines(part, '', '## ')),
    code,
    table,
    fc.constant({ markdown: '---', words: [] }),
    tie('blocks').map((inner) => lines(inner, '> ')),
    fc.array(tie('blocks'), { minLength: 1, maxLength: 2 }).map((items) =>
      joined(
        items.map((item) => lines(item, '  ', '- ')),
        '\n',
      ),
    ),
    fc.array(tie('blocks'), { minLength: 1, maxLength: 2 }).map((items) =>
      joined(
        items.map((item, index) => lines(item, '   ', `${index + 7}. `)),
        '\n',
      ),
    ),
  ),
  blocks: fc
    .array(tie('block'), { minLength: 1, maxLength: 2, depthIdentifier: 'markdown' })
    .map((parts) => joined(parts, '\n\n')),
}))

/** Markdown of everything that a model writes, well and badly formed, and everything it should not. */
export const markdownTexts = blocks
