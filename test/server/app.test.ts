import { expect, test } from 'vitest'
import { createApp } from '../../server/app.ts'
import { loadConfig } from '../../server/settings/config.ts'
import { createTestLog } from '../support/log.ts'
import { temporaryFolder } from '../support/server-process.ts'

test('a server that is stopped while it starts ends the start and then all that it opened', async () => {
  const env = { Service_Urls: 'http://127.0.0.1:0', Service_DataDirectory: await temporaryFolder() }
  const log = createTestLog()
  const server = createApp(loadConfig({ env }), { log, secretStore: 'file' })
  const starting = server.start()
  await server.stop()
  const { urls } = await starting
  await expect(fetch(`${urls[0]}/health`)).rejects.toThrow('fetch failed')
  expect(log.lines.at(-1)?.message).toBe('The server has stopped.')
  log.assertQuiet()
})
