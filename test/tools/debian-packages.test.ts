import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import {
  debianPackages,
  fastPackages,
  nightPackages,
  waylandPackages,
  windowsPackages,
} from '../../tools/debian-packages.mjs'
import { root } from '../../tools/processes.mjs'

/** Calls that start a program by its name. */
const starts = /\b(?:spawn|spawnSync|execFile|execFileSync|execute|run|must|startServer)\)?\(\s*'(\w[\w.-]*)',/g

const sources = globSync('{test,tools}/**/*.{ts,tsx,mjs}', { cwd: root, exclude: ['test/wine/**'] }).map((file) => ({
  file,
  text: readFileSync(join(root, file), 'utf8'),
}))

/** Programs that come with npm, are tested only where they are, or stand for a program in a test. */
const others = ['npm', 'apt-get', 'apt-cache', 'debootstrap', 'systemd-analyze', 'pwsh', 'dotnet']

/** Programs that files start by name and no package of `tables` has. */
function unknownPrograms(files: typeof sources, tables: readonly Readonly<Record<string, readonly string[]>>[]) {
  const known = new Set([...tables.flatMap((packages) => Object.values(packages).flat()), ...others])
  return files.flatMap(({ file, text }) =>
    [...text.matchAll(starts)]
      .map(([, program]) => program!)
      .filter((program) => !known.has(program))
      .map((program) => `${file}: ${program}`),
  )
}

test('every program that a test starts by name belongs to a package in the table', () => {
  expect(unknownPrograms(sources, [debianPackages, nightPackages, waylandPackages, windowsPackages])).toEqual([])
})

test('every program that a test in a folder of test:fast starts by name belongs to a package that test:fast asks for', () => {
  const quick = sources.filter(({ file }) => /^test.(agent|renderer|server|shared|signalr).+\.test\.tsx?$/.test(file))
  expect(quick.length).toBeGreaterThan(100)
  expect(unknownPrograms(quick, [fastPackages])).toEqual([])
})

test('every program in the table is used', () => {
  const texts = sources
    .filter(({ file }) => !file.includes('debian-packages'))
    .map(({ text }) => text)
    .join('\n')
  const unused = Object.values(debianPackages)
    .flat()
    .filter((program) => !program.startsWith('/') && !new RegExp(`\\b${program}\\b`).test(texts))
  expect(unused).toEqual([])
})

test.runIf(process.platform === 'linux')(
  'the package of a program in /usr/sbin is not missing to an ordinary user',
  () => {
    const folders = process.env['PATH']!.split(delimiter).filter((folder) => !folder.endsWith('/sbin'))
    const env = { ...process.env, PATH: folders.join(delimiter) }
    const listed = spawnSync(process.execPath, ['tools/debian-packages.mjs'], { cwd: root, env, encoding: 'utf8' })
    expect([listed.stderr, listed.stdout]).toEqual(['', expect.not.stringContaining('haproxy')])
  },
)
