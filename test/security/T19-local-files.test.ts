import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { registerOwner } from '../support/server.ts'
import { startServerProcess, temporaryFolder } from '../support/server-process.ts'

async function modesIn(folder: string) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const modes = entries.map(async (entry) => {
    const { mode } = await stat(join(entry.parentPath, entry.name))
    return [entry.name, entry.isDirectory(), mode & 0o777] as const
  })
  return Promise.all(modes)
}

test.skipIf(process.platform === 'win32')(
  'other users of the machine cannot read the data, whatever the umask',
  { timeout: 60_000 },
  async () => {
    const folder = join(await temporaryFolder(), 'deeper', 'data')
    await mkdir(folder, { recursive: true })
    // Permissions left by a careless copy. Folders that others may write to are rejected (T36).
    await chmod(folder, 0o755)
    await writeFile(join(folder, 'farhand.db'), '', { mode: 0o644 })
    const umask = process.umask(0)
    try {
      const server = await startServerProcess(folder)
      await registerOwner(server.url)
      const modes = await modesIn(folder)
      expect((await stat(folder)).mode & 0o777).toBe(0o700)
      expect(modes.map(([name]) => name)).toEqual(expect.arrayContaining(['farhand.db', 'farhand.db-wal']))
      expect(modes.filter(([, isFolder, mode]) => mode !== (isFolder ? 0o700 : 0o600))).toEqual([])
      await server.stop()
    } finally {
      process.umask(umask)
    }
  },
)
