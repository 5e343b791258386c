import { chmod, chown, lchown, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runAgent } from '../agent/agent-process.ts'
import { typeIntoShell, writeInstaller } from '../support/agent-release.ts'
import { isNight } from '../support/night.ts'
import { temporaryFolder } from '../support/server-process.ts'

const isUnix = process.platform !== 'win32'
const isRoot = process.getuid?.() === 0

/** Unprivileged user id that every system has. */
const somebody = 65_534

const tenant = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const target = ['-s', 'http://127.0.0.1:9', '-t', tenant]

/** Ways to prepare `folder` for a later installation. Preparations with an owner need root. */
const preparations: [what: string, says: string, needsRoot: boolean, prepare: (folder: string) => Promise<void>][] = [
  [
    'belongs to another user',
    'belongs to',
    true,
    async (folder) => {
      await mkdir(folder, { mode: 0o700 })
      await chown(folder, somebody, somebody)
    },
  ],
  [
    'is open to everybody',
    'may write to',
    false,
    async (folder) => {
      await mkdir(folder)
      await chmod(folder, 0o777)
    },
  ],
  [
    'is open to its group',
    'may write to',
    false,
    async (folder) => {
      await mkdir(folder)
      await chmod(folder, 0o775)
    },
  ],
  [
    'is a link',
    'is a link',
    false,
    async (folder) => {
      await mkdir(`${folder}.elsewhere`)
      await symlink(`${folder}.elsewhere`, folder)
    },
  ],
  [
    'is a link that another user made to a folder that is ours',
    'is a link',
    true,
    async (folder) => {
      await mkdir(`${folder}.elsewhere`)
      await symlink(`${folder}.elsewhere`, folder)
      await lchown(folder, somebody, somebody)
    },
  ],
]

/** Variants of the others, found by the same checks. */
const atNight = ['is open to its group', 'is a link', 'is a link that another user made to a folder that is ours']

const possible = preparations.filter(
  ([what, , needsRoot]) => (isRoot || !needsRoot) && (isNight || !atNight.includes(what)),
)

/** Prepares a folder with a planted file, and reads its content afterwards. */
async function prepared(prepare: (folder: string) => Promise<void>) {
  const folder = join(await temporaryFolder(), 'device')
  await prepare(folder)
  await writeFile(join(folder, 'appsettings.json'), '{"planted":true}')
  return { folder, content: () => readdir(folder) }
}

describe.runIf(isUnix)('a folder for the agent that another user prepared', { timeout: 60_000 }, () => {
  test.each(possible)(
    // By day every command tries the first of them; all commands have the check in common.
    'which %s, is rejected by every command, and nothing is written to it',
    async (_, says, __, prepare) => {
      const { folder, content } = await prepared(prepare)
      const others = isNight || says === possible[0]![1] ? [['install', ...target], ['status'], ['uninstall']] : []
      for (const { status, stderr } of await Promise.all(
        [['run'], ...others].map((args) => runAgent(...args, '--data-dir', folder)),
      )) {
        expect(stderr).toMatch(new RegExp(`^Error: .*${says}.* delete it, and try again\\.\n$`))
        expect(status).toBe(1)
      }
      expect(await content()).toEqual(['appsettings.json'])
    },
  )

  test.runIf(process.platform === 'linux').each(possible)(
    'which %s, is rejected by the installer before it downloads',
    async (_, __, ___, prepare) => {
      const { folder, content } = await prepared(prepare)
      const installer = writeInstaller(await temporaryFolder())
      const installed = await typeIntoShell(`sh ${installer} install ${target.join(' ')} --data-dir ${folder}`)
      expect(installed).toEqual({ status: 1, output: expect.stringMatching(/^Error: .*delete it, and try again\.\n$/) })
      expect(await content()).toEqual(['appsettings.json'])
    },
  )

  test('is rejected where another user could exchange a folder above it', async () => {
    const open = await temporaryFolder()
    await chmod(open, 0o777)
    const { status, stderr } = await runAgent('run', '--data-dir', join(open, 'device'))
    expect(stderr).toContain(`every user may write to ${open}`)
    expect(status).toBe(1)
  })

  test.runIf(isRoot)('contains no program that root would run to uninstall it', async () => {
    const folder = join(await temporaryFolder(), 'device')
    const program = join(folder, 'program')
    const ran = join(folder, 'ran')
    await mkdir(program, { recursive: true })
    await writeFile(join(program, 'Farhand.Agent'), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 })
    await chown(folder, somebody, somebody)
    await chown(program, somebody, somebody)
    const installer = writeInstaller(await temporaryFolder())
    expect(await typeIntoShell(`sh ${installer} uninstall --data-dir ${folder}`)).toMatchObject({ status: 1 })
    expect(await readdir(folder)).toEqual(['program'])
  })
})
