/** `npm run test:scale`: the tests of several servers, and the tests of the server with PostgreSQL in place of SQLite. */
import { rmSync } from 'node:fs'
import path from 'node:path'
import { balancerPackages, ensureDebianPackages, scalePackages } from '../debian-packages.mjs'
import { answerHelp, readOptions } from '../help.mjs'
import { root, run, tool } from '../processes.mjs'
import { tableOf } from './table.ts'

const parts = {
  servers: { paths: ['test/scale', 'cluster', 'engines/database/postgres'], environment: { FARHAND_NIGHT: '1' } },
  postgres: {
    paths: ['test/surface', 'test/security', 'test/signalr', 'test/server'],
    environment: { FARHAND_TEST_DATABASE: 'postgres', FARHAND_NAMED: '1' },
  },
}
type Part = keyof typeof parts
const names = Object.keys(parts) as Part[]

answerHelp(`npm run test:scale [-- --only ${names.join('|')}]

servers: several servers of one database with Redis and HAProxy, nginx or Caddy, their deaths and updates, 1,000 random histories of write, kill and read
(FARHAND_HISTORIES=N for another number), and PostgreSQL itself: a quarter of an hour.
postgres: the tests of the server with their data in PostgreSQL: about half an hour.
Everything runs on own ports and folders. Ends with a table. Installs the Debian packages for it where it may.`)

const { values } = readOptions({ options: { only: { type: 'string' } } })
const problem = await ensureDebianPackages({ ...scalePackages, ...balancerPackages })
if (problem) {
  console.error(problem)
}
const reports: string[] = []
let failed = 0
for (const name of names.filter((each) => values.only === undefined || each === values.only)) {
  const { paths, environment } = parts[name]
  const report = path.join(root, 'test-results', `scale-${name}.json`)
  rmSync(report, { force: true })
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const options = { env: { ...process.env, ...environment } }
  failed = (await run(process.execPath, [tool('vitest'), 'run', ...reporters, ...paths], options)) || failed
  reports.push(report)
}
console.log(tableOf(reports))
process.exitCode = problem ? 1 : failed
