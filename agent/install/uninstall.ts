import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import type { Options } from '../base/arguments.ts'
import { UserError } from '../base/errors.ts'
import { refusePreparedFolder, removeEmptyFolders } from '../platform/folders.ts'
import { brandName, type Paths } from '../base/paths.ts'
import { platform } from '../platform/index.ts'
import { pathsFor } from '../platform/paths.ts'
import { printable } from '../base/plain-text.ts'
import { loadSettings } from '../trust/settings.ts'
import { expectedServer } from '../trust/enrollment.ts'
import { describeServer } from '../trust/problems.ts'
import { programFile } from '../base/version.ts'
import { foreignAgent } from './foreign-agent.ts'
import { availableManagers } from './managers.ts'
import { serviceSpec } from './service.ts'
import { ownVersion } from './versions.ts'

const print = (line: string) => process.stdout.write(`${printable(line)}\n`)

const remove = (path: string) => rmSync(path, { recursive: true, force: true })

const isNamedLikeUs = (folder: string) => basename(folder).replace(/^\./, '').toLowerCase() === brandName.toLowerCase()

/** Removes the installed program; a source tree is not touched. */
async function removeProgram({ programFolder }: Paths) {
  if (!existsSync(programFolder) || !programFile().startsWith(realpathSync.native(programFolder) + sep)) {
    return
  }
  await platform.program.removeFolder(programFolder)
}

/** Removes the files of this instance only; other files in the folder stay. */
function removeData({ settingsFolder, programFolder, ...files }: Paths): void {
  const ours = new Set(Object.values(files).filter((path) => dirname(path) === settingsFolder))
  const names = existsSync(settingsFolder) ? readdirSync(settingsFolder) : []
  // A killed write leaves a temporary file, which may contain the key.
  names
    .map((name) => join(settingsFolder, name))
    .filter((path) => ours.has(path.replace(/\.\d+\.tmp$/, '')))
    .forEach(remove)
  remove(files.logFolder)
  remove(files.visitsFile)
}

/** Stops the agent and removes service, program and, unless `keepData` is set, settings, key and log. */
export async function uninstall(options: Options): Promise<void> {
  const paths = pathsFor(options)
  const { settingsFolder, logFolder, programFolder } = paths
  refusePreparedFolder(settingsFolder)
  refusePreparedFolder(logFolder)
  const spec = serviceSpec(options, paths, ownVersion(paths))
  let isFound = false
  for (const manager of await availableManagers()) {
    if (await manager.isInstalled(spec)) {
      isFound = true
      const name = manager.describe(spec)
      await manager.uninstall(spec)
      print(`Stopped and removed the ${name}.`)
    }
  }
  const foreign = isFound ? undefined : foreignAgent(options)
  if (foreign) {
    throw new UserError(foreign)
  }
  const data = [settingsFolder, logFolder].filter(existsSync).join(' and ')
  // Before the program is removed: the fingerprint words are loaded from its files.
  const kept = options.keepData ? await describeKept(paths) : undefined
  await removeProgram(paths)
  if (!options.keepData) {
    removeData(paths)
  }
  const isTop = (folder: string) => folder === options.dataDir || isNamedLikeUs(folder)
  for (const folder of [logFolder, settingsFolder, programFolder, dirname(paths.visitsFile)]) {
    removeEmptyFolders(folder, isTop)
  }
  print(isFound ? 'The agent is uninstalled.' : 'No agent was installed or running here.')
  if (data !== '') {
    print(kept ?? `Removed its settings, the key of this device and its log from ${data}.`)
  }
  const files = options.keepData || !existsSync(settingsFolder) ? [] : readdirSync(settingsFolder)
  // Windows removes the program after its end.
  const left = files.filter((name) => join(settingsFolder, name) !== programFolder)
  if (left.length > 0) {
    print(`Kept in ${settingsFolder}, because it is not the agent's: ${left.join(', ')}.`)
  }
}

async function describeKept(paths: Paths): Promise<string> {
  const settings = loadSettings(paths)
  const server = settings && expectedServer(settings.AppOptions)
  const belonging = server ? ` and that it belongs to ${await describeServer(server)}` : ''
  return (
    `Kept its settings and the key of this device in ${paths.settingsFolder}, and its log in ${paths.logFolder}. Installed ` +
    `again, it is the same device. Delete these folders to forget the identity of this device${belonging}.`
  )
}
