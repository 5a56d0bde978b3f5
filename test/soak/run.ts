/**
 * Slack, Discord and Telegram, each with its real SDK against a platform on this machine, under random faults for as
 * long as wanted: nobody may be left without an answer, nobody may get two, and memory stays where it was.
 *
 *   npm run soak -- [--minutes 60] [--rate 5] [--seed 1] [--json]
 */
import { parseArgs } from 'node:util'
import { soak } from './soak.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
})

const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`

const rate = Number(values.rate)
const events = Math.round(Number(values.minutes) * 60 * rate)
const report = await soak({
  events,
  rate,
  seed: Number(values.seed),
  progress: (happened, { heap, rss }) => {
    if (!values.json) console.log(`${happened} of ${events} events, heap ${mib(heap)}, process ${mib(rss)}`)
  },
})

if (values.json) console.log(JSON.stringify(report))
else {
  for (const [name, tally] of Object.entries(report.platforms)) {
    const { asked, lost, doubled, unknown, faults } = tally
    console.log(
      `${name}: ${asked} asked, ${lost} lost, ${doubled} twice, ${unknown} that nobody can know of, ${faults} faults`,
    )
  }
  const [settled, end] = [report.memory[Math.floor(report.memory.length / 4)], report.memory.at(-1)]
  if (settled !== undefined && end !== undefined) {
    console.log(`heap ${mib(settled.heap)} after ${settled.second} s and ${mib(end.heap)} at the end`)
  }
  if (report.unanswered.length > 0) console.log(`unanswered: ${report.unanswered.slice(0, 20).join(' ')}`)
  const lines = new Map<string, number>()
  for (const line of report.reported) lines.set(line, (lines.get(line) ?? 0) + 1)
  console.log(`${report.reported.length} faults reported in ${report.seconds} s`)
  for (const [line, times] of lines) console.log(`  ${times} x ${line}`)
}
const wrong = Object.values(report.platforms).some(({ lost, doubled }) => lost + doubled > 0)
process.exit(wrong ? 1 : 0)
