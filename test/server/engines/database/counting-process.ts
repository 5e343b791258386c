// A server of the database that the arguments name. Prints 'ready', then counts until it is killed, and prints each counted value.
import { placeOf } from '../../../support/postgres.ts'
import { sharedTables, SharedRows } from './shared-rows.ts'

const [directory = '', port = '', name = ''] = process.argv.slice(2)
const { place } = placeOf(Number(port), name)
const say = (line: unknown) => process.stdout.write(`${String(line)}\n`)
const rows = await SharedRows.open(directory, { place, tables: sharedTables, isShared: true }).catch((error: Error) => {
  say(error.message)
  process.exit(1)
})
say('ready')
for (;;) {
  say(await rows.count('counter'))
}
