import { appendFile, readFile, writeFile } from 'node:fs/promises'
import type { Paths } from './folder.ts'

const text = `Farhand keeps its data in this folder. This file says that farhand.db belongs here.
If the database is ever missing, Farhand asks for it instead of starting empty.
`
const identityLine = 'The database holds the identity of this server.'

/** Marks the folder as one that must contain a database, or name one. */
export const writeMarker = ({ marker }: Paths): Promise<void> => writeFile(marker, text, { mode: 0o600 })

/** Whether the database of the folder holds the identity of a server. */
export const hadIdentity = async ({ marker }: Paths): Promise<boolean> =>
  (await readFile(marker, 'utf8')).includes(identityLine)

export const addIdentity = ({ marker }: Paths): Promise<void> => appendFile(marker, `${identityLine}\n`)
