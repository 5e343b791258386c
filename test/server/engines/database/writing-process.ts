// Opens the given data folder, waiting as long as given, and prints 'ready' or the error. Then stores notes until it is
// killed, and prints the id of each committed note.
import { openDatabase } from '../../../../server/engines/database/database.ts'
import { createLog } from '../../../../server/ground/log.ts'

const [directory = '', life = '', folderWaitMs = '15000'] = process.argv.slice(2)
const say = (line: string) => process.stdout.write(`${line}\n`)
const database = await openDatabase({
  directory,
  migrations: [
    { name: '0001-create-notes', up: ['CREATE TABLE notes (id TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT'] },
  ],
  appVersion: '1.0.0',
  log: createLog({ default: 'None' }),
  folderWaitMs: Number(folderWaitMs),
}).catch((error: Error) => {
  say(error.message)
  process.exit(1)
})
say('ready')

const batch = database.batch<{ id: string }>({
  sql: "INSERT INTO notes SELECT value ->> 'id', '' FROM jsonb_each(?) RETURNING id AS key",
  key: ({ id }) => id,
})

const storeGrouped = async (caller: number) => {
  for (let round = 0; ; round += 1) {
    const id = `grouped-${life}-${caller}-${round}`
    await batch.run({ id })
    say(id)
  }
}

const storeAlone = async (caller: number) => {
  for (let round = 0; ; round += 1) {
    const ids = [`alone-${life}-${caller}-${round}-a`, `alone-${life}-${caller}-${round}-b`]
    await database.write(async (transaction) => {
      for (const id of ids) {
        await database.sequelize.query("INSERT INTO notes VALUES (?, '')", { replacements: [id], transaction })
      }
    })
    for (const id of ids) {
      say(id)
    }
  }
}

const storeShared = async (caller: number) => {
  for (let round = 0; ; round += 1) {
    const ids = [`shared-${life}-${caller}-${round}-a`, `shared-${life}-${caller}-${round}-b`]
    await database.writeShared(async (transaction) => {
      for (const id of ids) {
        await database.sequelize.query("INSERT INTO notes VALUES (?, '')", { replacements: [id], transaction })
      }
    })
    for (const id of ids) {
      say(id)
    }
  }
}

await Promise.all([
  ...Array.from({ length: 20 }, (_, caller) => storeGrouped(caller)),
  storeAlone(0),
  storeAlone(1),
  ...Array.from({ length: 20 }, (_, caller) => storeShared(caller)),
])
