import { random } from '../../core/policy/sampling.ts'
import { buildMembers, runDrill } from './cluster.ts'

/** `npm run drill [-- kills]`: the long form of cluster.test.ts. */
const kills = Number(process.argv[2] ?? 50)
const seed = Date.now() % 1e6
await buildMembers()
const report = await runDrill({ kills, outages: Math.ceil(kills / 10), seed: random(seed) })
console.log(JSON.stringify({ seed, ...report, flaws: report.flaws.slice(0, 20) }, null, 2))
process.exitCode = report.flaws.length === 0 && report.resumed.every(({ ms }) => ms < 10_000) ? 0 : 1
