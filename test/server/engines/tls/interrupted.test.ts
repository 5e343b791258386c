import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { openConnection } from '../../../../server/engines/database/connection.ts'
import { isNight } from '../../../support/night.ts'
import { serverProgram } from '../../../support/built-programs.ts'
import { startServerProcess, temporaryFolder } from '../../../support/server-process.ts'

const settings = { Urls: 'https://127.0.0.1:0' }

/** Starts a server on https for the first time, and kills it a given time after it opened the database. */
async function killedAfter(folder: string, ms: number): Promise<void> {
  const env = { ...process.env, Service_Urls: settings.Urls, Service_DataDirectory: folder }
  const child = spawn(process.execPath, [serverProgram], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit')
  for await (const line of createInterface(child.stderr)) {
    if (line.includes('Created the database')) {
      break
    }
  }
  setTimeout(() => child.kill('SIGKILL'), ms)
  await exited
}

async function identitiesIn(folder: string): Promise<string[]> {
  const connection = await openConnection(join(folder, 'farhand.db'), 'reader')
  try {
    const rows = await connection.all<{ authorityCertificate: string }>('SELECT authorityCertificate FROM tls_identity')
    return rows.map(({ authorityCertificate }) => authorityCertificate)
  } finally {
    await connection.close()
  }
}

test.each(isNight ? [0, 60, 150] : [60])(
  'a server killed %i ms into its first start has the same identity from the next start on',
  { timeout: 60_000 },
  async (ms) => {
    const folder = await temporaryFolder()
    await killedAfter(folder, ms)
    const left = await identitiesIn(folder)
    const server = await startServerProcess(folder, settings)
    const made = await identitiesIn(folder)
    await server.kill()
    expect(made).toHaveLength(1)
    expect(left.length === 0 || left[0] === made[0]).toBe(true)
    if (isNight) {
      const again = await startServerProcess(folder, settings)
      await again.stop()
      expect(await identitiesIn(folder)).toEqual(made)
    }
  },
)
