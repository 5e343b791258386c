/** A folder with very many names, filled by a user of the device, costs the agent no memory. */
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readNames } from '../../agent/capabilities/files/entries.ts'
import { listSubdirectories } from '../../agent/capabilities/files/listing.ts'
import { archiveSource } from '../../agent/capabilities/files/archive.ts'
import { deletePath } from '../../agent/capabilities/files/trees.ts'
import { success } from '../../shared/dtos/hub-result.ts'
import { isNight } from '../support/night.ts'

const limit = 200_000

/** Uses memory where possible: so many files take a minute on a disk. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'farhand-crowded-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function fill(folder: string, count: number) {
  mkdirSync(folder, { recursive: true })
  for (let index = 0; index < count; index++) {
    closeSync(openSync(join(folder, `${index}`), 'w'))
  }
}

test.runIf(isNight)(
  'a folder above the limit of names is listed up to the limit, and rejected as an archive',
  async () => {
    const folder = join(temporaryFolder(), 'crowded')
    mkdirSync(join(folder, 'below'), { recursive: true })
    symlinkSync(folder, join(folder, 'link'))
    fill(folder, limit)
    // Reads an entry more than the server forwards, so that the server recognizes a cut list.
    expect(await readNames(folder)).toHaveLength(limit + 1)
    await expect(archiveSource('a.zip', [folder])).rejects.toThrow('An archive can contain at most 200000 files.')
    const found: string[] = []
    for await (const entries of await listSubdirectories(folder)) {
      found.push(...entries.map(({ name }) => name))
    }
    expect(found).toEqual(['below', 'link'])
  },
  60_000,
)

test('a folder of more names than one step removes is removed', async () => {
  const folder = join(temporaryFolder(), 'crowded')
  fill(folder, 10_001)
  expect(await deletePath(folder)).toEqual(success)
  expect(existsSync(folder)).toBe(false)
}, 60_000)
