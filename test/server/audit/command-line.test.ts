import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { openConnection } from '../../../server/engines/database/connection.ts'
import { registerOwner } from '../../support/server.ts'
import { serverProgram } from '../../support/built-programs.ts'
import { startServerProcess, temporaryFolder } from '../../support/server-process.ts'
import { withoutTriggers } from './scene.ts'

const verify = (directory: string) => {
  const env = { ...process.env, Service_DataDirectory: directory }
  const { status, stdout } = spawnSync(process.execPath, [serverProgram, 'audit', 'verify'], { env, encoding: 'utf8' })
  return { status, stdout }
}

test(
  'an answered event survives SIGKILL, and `audit verify` names the row that somebody edits',
  { timeout: 60_000 },
  async () => {
    const directory = await temporaryFolder()
    const server = await startServerProcess(directory)
    const owner = await registerOwner(server.url)
    await owner.auth.logout({})
    await server.kill()
    expect(verify(directory)).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^The audit log holds: \d+ rows\.\n/),
    })
    const shell = await openConnection(`${directory}/farhand.db`, 'writer')
    const [row] = await shell.all<{ id: number }>("SELECT id FROM audit_events WHERE kind = 'sign-in.ended'")
    expect(row?.id).toBeGreaterThan(1)
    await shell.exec(`${withoutTriggers} UPDATE audit_events SET address = '203.0.113.9' WHERE id = ${row!.id}`)
    await shell.close()
    expect(verify(directory)).toEqual({
      status: 1,
      stdout: `The audit log was changed. Row ${row!.id} was changed: its content does not match its hash.\n`,
    })
  },
)
