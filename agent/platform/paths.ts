import type { Options } from '../base/arguments.ts'
import { isRoot } from '../base/environment.ts'
import type { Paths } from '../base/paths.ts'
import { platform } from './index.ts'

/** System-specific folders for services and for users; `--data-dir` uses a single folder instead. */
export function pathsFor(
  { instanceId = 'default', dataDir }: Pick<Options, 'instanceId' | 'dataDir'>,
  { files, program } = platform,
  asRoot = isRoot,
): Paths {
  const { join } = files
  const { settingsFolder, logFolder, programFolder, readableFolder } = dataDir
    ? {
        settingsFolder: dataDir,
        logFolder: join(dataDir, 'Logs'),
        programFolder: join(dataDir, 'program'),
        readableFolder: dataDir,
      }
    : files.foldersFor(instanceId, asRoot)
  return {
    settingsFolder,
    settingsFile: join(settingsFolder, 'appsettings.json'),
    pendingFile: join(settingsFolder, 'appsettings.pending.json'),
    stateFile: join(settingsFolder, 'state.json'),
    pidFile: join(settingsFolder, 'agent.pid'),
    grantsFile: join(settingsFolder, 'desktop-grants.json'),
    encounterFile: join(settingsFolder, 'wrong-identity.json'),
    consentFile: join(settingsFolder, 'consent.json'),
    powerOrderFile: join(settingsFolder, 'power-order.json'),
    bundleFile: join(settingsFolder, '.farhand-bundle.sha256'),
    failedBundleFile: join(settingsFolder, '.farhand-bundle.failed'),
    installerFile: join(settingsFolder, program.installerName),
    logFolder,
    visitsFile: join(readableFolder, 'visits.jsonl'),
    partsFolder: join(settingsFolder, 'uploads'),
    programFolder,
  }
}
