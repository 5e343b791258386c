import { answerHelp, readOptions } from '../help.mjs'
import { administration } from './administration.ts'
import { all } from './all.ts'
import { capture } from './capture.ts'
import { files } from './files.ts'
import { floods } from './floods.ts'
import { heartbeats } from './heartbeats.ts'
import { memory } from './memory.ts'
import { relay } from './relay.ts'
import { remoteControl } from './remote-control.ts'
import { rest } from './rest.ts'
import { rights } from './rights.ts'
import { scale } from './scale.ts'
import { start } from './start.ts'
import { telemetry } from './telemetry.ts'
import { terminal } from './terminal.ts'
import { tls } from './tls.ts'
import { worst } from './worst/index.ts'
import { writes } from './writes.ts'

/** `npm run bench -- NAME [options]`: one benchmark on the built server; prints JSON. */
const benchmarks = {
  administration,
  all,
  capture,
  files,
  floods,
  heartbeats,
  memory,
  relay,
  'remote-control': remoteControl,
  rest,
  rights,
  scale,
  start,
  telemetry,
  terminal,
  tls,
  worst,
  writes,
}

answerHelp(`npm run bench -- NAME [--agents N] [--devices N] [--seconds N] [--only TEXT]
       npm run bench -- all [--only NAME,...] [--rounds N] [--keep FILE] [--compare FILE] [--document FILE]

One benchmark on the built server; prints JSON. NAME is one of: ${Object.keys(benchmarks).join(', ')}.`)

const { positionals, values } = readOptions({
  allowPositionals: true,
  options: {
    agents: { type: 'string' },
    devices: { type: 'string' },
    seconds: { type: 'string' },
    only: { type: 'string' },
    rounds: { type: 'string' },
    compare: { type: 'string' },
    keep: { type: 'string' },
    document: { type: 'string' },
  },
})
const name = positionals[0] ?? ''
if (!Object.hasOwn(benchmarks, name)) {
  process.stderr.write(`Name one of: ${Object.keys(benchmarks).join(', ')}.\n`)
  process.exit(2)
}
const figures = await benchmarks[name as keyof typeof benchmarks](values)
process.stdout.write(`${JSON.stringify({ benchmark: name, node: process.version, ...figures }, null, 2)}\n`)
process.exit()
