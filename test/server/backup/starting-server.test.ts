import { expect, onTestFinished, test } from 'vitest'
import { readRecoveryKey } from '../../../server/backup/recovery-key.ts'
import { lockFolder } from '../../../server/engines/database/folder.ts'
import { callServer, openControlChannel } from '../../../server/engines/process/control-channel.ts'
import { createLog } from '../../../server/ground/log.ts'
import { runBackupCommand } from '../../support/backup-command.ts'
import { temporaryFolder } from '../../support/server-process.ts'

test('a command waits for a server that starts, instead of calling its folder in use', async () => {
  const directory = await temporaryFolder()
  const { unlock } = await lockFolder(directory, createLog({ default: 'None' }), 0)
  const command = runBackupCommand(directory, ['recovery-key'], '', (part) => {
    if (part.includes('Waiting up to 60 s for the server of')) {
      void unlock()
    }
  })
  expect((await command).stderr).toMatch(/has not started yet[^]*There is no data of Farhand/)
})

test('a cut key is rejected with the number of its characters', () => {
  const cut = 'ABCDE-ABCDE-ABCDE-ABCDE-ABCDE-ABCDE-ABCDE-ABC'
  expect(() => readRecoveryKey(cut)).toThrow('8 groups of 5 letters and digits, 40 in all, and you entered 38')
})

test('a command says that its server closed the connection without an answer', async () => {
  const directory = await temporaryFolder()
  onTestFinished(await openControlChannel({ directory, answer: () => Promise.reject(new Error('unexpected')) }))
  await expect(callServer(directory, { command: 'backup' })).rejects.toThrow('before it answered')
})
