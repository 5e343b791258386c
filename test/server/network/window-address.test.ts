import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { announcedService } from '../../../server/network/window-address.ts'
import { startServerProcess, temporaryFolder } from '../../support/server-process.ts'
import { until } from '../../support/until.ts'

test.skipIf(process.getuid === undefined)('an announcement that other users can write is none', async () => {
  const root = await temporaryFolder()
  const folder = join(root, 'run')
  await mkdir(folder, { mode: 0o755 })
  await startServerProcess(join(root, 'data'), {}, {}, undefined, { args: ['--announce', folder] })
  const { ask } = announcedService(folder)
  const file = join(folder, 'service.json')
  await until(async () => (await ask()) !== undefined)
  await chmod(file, 0o666)
  expect(await ask()).toBeUndefined()
  await chmod(file, 0o644)
  await chmod(folder, 0o777)
  expect(await ask()).toBeUndefined()
  await chmod(folder, 0o755)
  await until(async () => (await ask()) !== undefined)
})
