/**
 * The boundaries hold only while the linter reports a breach: the linter runs over a generated tree in which every
 * folder imports every other. Rules that the linter cannot express are checked on the real files below.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { root, tool } from '../../tools/processes.mjs'
import { doors, walls, zones } from '../../tools/zones.ts'
import { sourceFiles } from './source-files.ts'

/** Import to lint. */
interface Case {
  from: string
  to: string
  isAllowed: boolean
}

const inServer = Object.keys(zones['server']?.folders ?? {}).flatMap((folder) => {
  const rooms = Object.keys(zones['server']?.rooms?.[folder] ?? {})
  return rooms.length === 0 ? [folder] : rooms.map((room) => `${folder}/${room}`)
})
const topFolders = ['shared', ...walls.map(({ folder }) => folder)]

/** Imports between the folders of a top folder, and between the rooms of a folder, from two depths. */
const cases: Case[] = Object.entries(zones).flatMap(([top, { folders, files = [], rooms = {} }]) =>
  Object.entries(folders).flatMap(([folder, imports]) => {
    const inFolder = rooms[folder]
    const places = inFolder ? [...Object.keys(inFolder), 'unlisted'].map((room) => `${room}/`) : ['']
    return places.flatMap((place) =>
      ['', 'deep/'].flatMap((deep) => {
        const from = `${top}/${folder}/${place}${deep}case.ts`
        const up = '../'.repeat(from.split('/').length - 2)
        const isAllowed = (other: string) => imports.includes(other)
        return [
          ...Object.keys(folders)
            .filter((other) => other !== folder)
            .map((other) => ({ from, to: `${up}${other}/thing.ts`, isAllowed: isAllowed(other) })),
          ...files.map((other) => ({ from, to: `${up}${other}.ts`, isAllowed: isAllowed(other) })),
          ...Object.keys(inFolder ?? {})
            .filter((room) => `${room}/` !== place)
            .map((room) => ({
              from,
              to: `${deep && '../'}../${room}/thing.ts`,
              isAllowed: inFolder?.[place.slice(0, -1)]?.includes(room) ?? false,
            })),
        ]
      }),
    )
  }),
)

/** Imports of the handlers that subjects hold, which stand above all subjects. */
const handlerCases: Case[] = ['case.routes.ts', 'case.hub.ts', 'case.command.ts'].flatMap((file) => {
  const { folders = {}, files = [], handlers } = zones['server'] ?? {}
  return [...Object.keys(folders).map((other) => `${other}/thing.ts`), ...files.map((other) => `${other}.ts`)]
    .filter((to) => to !== 'rights/thing.ts')
    .flatMap((to) =>
      ['', 'deep/'].map((deep) => ({
        from: `server/rights/${deep}${file}`,
        to: `${deep && '../'}../${to}`,
        isAllowed: handlers?.imports.includes(to.split(/[/.]/)[0] ?? '') ?? false,
      })),
    )
})

const otherCases: Case[] = [
  { from: 'renderer/pages/unlisted/case.ts', to: '../device/thing.ts', isAllowed: false },
  { from: 'renderer/pages/unlisted/deep/case.ts', to: '../../device/thing.ts', isAllowed: false },
  { from: 'agent/platform/linux/deep/deeper/case.ts', to: '../../../desktop/thing.ts', isAllowed: true },
  { from: 'agent/platform/linux/deep/deeper/case.ts', to: '../../../windows/thing.ts', isAllowed: false },
  { from: 'agent/platform/linux/deep/deeper/case.ts', to: '../../../../desktop/thing.ts', isAllowed: false },
  ...topFolders.flatMap((folder) =>
    topFolders
      .filter((other) => other !== folder)
      .map((other) => ({ from: `${folder}/case.ts`, to: `../${other}/thing.ts`, isAllowed: other === 'shared' })),
  ),
  { from: 'main/case.ts', to: '../server/app.ts', isAllowed: true },
  { from: 'main/case.ts', to: '../server/devices/thing.ts', isAllowed: false },
  { from: 'server/people/case.ts', to: '../rights/rights.ts', isAllowed: true },
  { from: 'server/people/case.ts', to: '../rights/rights.routes.ts', isAllowed: false },
  { from: 'server/people/case.ts', to: '../rights/deep/rights.routes.ts', isAllowed: false },
  { from: 'server/surface/case.ts', to: '../rights/rights.routes.ts', isAllowed: true },
  { from: 'server/engines/signalr/protocol/case.ts', to: '../errors.ts', isAllowed: true },
  ...doors.flatMap(({ packages, open }) =>
    packages.flatMap((to) =>
      ['shared', 'renderer', 'agent', 'main', ...inServer.map((name) => `server/${name}`)].map((folder) => ({
        from: `${folder}/case.ts`,
        to,
        isAllowed: open.includes(folder),
      })),
    ),
  ),
]

const allCases = [...cases, ...handlerCases, ...otherCases]

/** Imports that the linter rejects, as `file -> import`. */
function lint(files: ReadonlyMap<string, string>): Set<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'farhand-zones-'))
  try {
    for (const name of ['oxlint.config.ts', 'tools/zones.ts']) {
      cpSync(path.join(root, name), path.join(folder, name))
    }
    symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction')
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }')
    for (const [name, text] of files) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
      writeFileSync(path.join(folder, name), text)
    }
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [tool('oxlint'), '--format=json', ...topFolders.filter((name) => existsSync(path.join(folder, name)))],
      {
        cwd: folder,
        encoding: 'utf8',
        maxBuffer: 64 * 1024 * 1024,
      },
    )
    if (!stdout.startsWith('{')) {
      throw new Error(stdout + stderr)
    }
    const { diagnostics } = JSON.parse(stdout) as {
      diagnostics: { code: string; filename: string; message: string; help?: string }[]
    }
    return new Set(
      diagnostics.map(({ code, filename, message }) =>
        code === 'eslint(no-restricted-imports)'
          ? `${filename} -> ${/'(.+?)' import/.exec(message)?.[1]}`
          : `${filename}: ${code}`,
      ),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe('the linter', () => {
  test('refuses exactly the imports that tools/zones.ts does not allow', () => {
    const byFile = Map.groupBy(allCases, ({ from }) => from)
    const files = [...byFile].map(([name, list]): [string, string] => [
      name,
      `${list.map(({ to }, index) => `import { x as x${index} } from '${to}'`).join('\n')}\nexport default [${list.map((_, index) => `x${index}`).join()}]\n`,
    ])
    const refused = lint(new Map(files))
    const expected = allCases.filter(({ isAllowed }) => !isAllowed).map(({ from, to }) => `${from} -> ${to}`)
    expect([...refused].toSorted()).toEqual([...new Set(expected)].toSorted())
  })

  test('refuses import cycles, and some packages and globals outside their files', () => {
    const env = 'export default process.env\n'
    const ipc = "import { ipcMain } from 'electron'\nexport default ipcMain\n"
    const time = 'export default () => setTimeout(() => Date.now(), 1)\n'
    const system = 'export default process.platform\n'
    const files = {
      'server/settings/config.ts': env,
      'agent/base/environment.ts': env,
      'server/devices/env.ts': env,
      'main/ipc.ts': ipc,
      'main/tray.ts': ipc,
      'server/devices/time.ts': time,
      'server/engines/signalr/time.ts': time,
      'agent/platform/index.ts': system,
      'agent/link/system.ts': system,
      'agent/platform/linux/imported.ts': "import { platform } from 'node:os'\nexport default platform\n",
      'server/engines/signalr/cycle-a.ts': "import b from './cycle-b.ts'\nexport default () => b\n",
      'server/engines/signalr/cycle-b.ts': "import a from './cycle-a.ts'\nexport default () => a\n",
    }
    expect([...lint(new Map(Object.entries(files)))].toSorted()).toEqual([
      'agent/link/system.ts: eslint(no-restricted-properties)',
      'agent/platform/linux/imported.ts -> platform',
      'main/tray.ts -> ipcMain',
      'server/devices/env.ts: node(no-process-env)',
      'server/engines/signalr/cycle-a.ts: import(no-cycle)',
      'server/engines/signalr/cycle-b.ts: import(no-cycle)',
      'server/engines/signalr/time.ts: eslint(no-restricted-globals)',
    ])
  })
})

describe('a folder of rooms', () => {
  const listed = Object.entries(zones).flatMap(([top, { rooms = {} }]) =>
    Object.entries(rooms).flatMap(([folder, rows]) =>
      Object.keys(rows).length === 0 ? [] : [{ folder: `${top}/${folder}`, rows }],
    ),
  )

  test.each(listed)('$folder has a row for each of its rooms', ({ folder, rows }) => {
    const found = sourceFiles(`${folder}/*/**/*.{ts,tsx}`).map(({ path: file }) => file.split('/')[2])
    expect(new Set(Object.keys(rows))).toEqual(new Set(found))
  })
})

describe('a top folder', () => {
  test.each(Object.entries(zones))('%s has a row for each of its folders', (top, { folders }) => {
    const found = sourceFiles(`${top}/*/**/*.{ts,tsx}`).map(({ path: file }) => file.split('/')[1] ?? '')
    expect(found.filter((folder) => !(folder in folders))).toEqual([])
  })
})

describe('the server', () => {
  const breaches = (pattern: string, breach: RegExp) =>
    sourceFiles(pattern).flatMap(({ path: file, text }) =>
      text.split('\n').flatMap((line, index) => (breach.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
    )

  test('has no name of the product in its hub engine', () => {
    expect(
      breaches('server/engines/signalr/**/*.ts', /farhand|tenant|\bdevice|\bagent|viewer|installer|terminal\b/i),
    ).toEqual([])
  })

  test('has no queries in handlers, presenters and engines', () => {
    expect(
      breaches(
        'server/{*/**/{*.routes,*.hub,present}.ts,engines/{http,signalr}/**/*.ts}',
        /\.(findAll|findOne|findByPk|findAndCountAll)\(/,
      ),
    ).toEqual([])
  })

  test('lets presenters import only types of tables', () => {
    expect(breaches('server/*/**/present.ts', /^import (?!type\b).*\/tables\.ts'/)).toEqual([])
    expect(breaches('server/{ground/principal,call/clients}.ts', /^import (?!type\b)/)).toEqual([])
  })
})
