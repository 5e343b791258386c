import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { Connection } from '../../../agent/platform/linux/x11/connection.ts'
import { startServer } from '../../../tools/simulate/display.ts'
import { temporaryFolder } from '../../support/server-process.ts'
import { authorityEntry } from './x11-authority.ts'

test('a display is opened again with the secret that it accepted, and with its file once it has another secret', async () => {
  const folder = await temporaryFolder()
  const [ofServer, ofClient] = [join(folder, 'of-server'), join(folder, 'of-client')]
  const change = async () => {
    const entry = authorityEntry(hostname(), randomBytes(16))
    await Promise.all([ofServer, ofClient].map((file) => writeFile(file, entry)))
  }
  const start = (name?: string) => startServer('Xvfb', ['-auth', ofServer], name)
  await change()
  const first = await start()
  const connect = async () => (await Connection.open({ display: first.name, authorityFile: ofClient })).close()
  await connect()
  await rm(ofClient)
  await connect()
  await first.stop()
  await change()
  const second = await start(first.name)
  onTestFinished(() => second.stop())
  await connect()
})
