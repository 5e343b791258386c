import { rmSync } from 'node:fs'
import type { ProgramRules } from '../platform.ts'
import { quoteForShell } from '../../../shared/shell-quote.ts'

/** Rules of the installed program that Linux and macOS share. */
export const unixProgram: Omit<ProgramRules, 'runtimes' | 'serviceManagers'> = {
  // The last entry is replaced last: where `main.js` is a link, all entries are.
  entries: ['Farhand.Agent', 'node', 'main.js'],
  isLinked: true,
  copiedEntries: [],
  nodeName: 'node',
  installerName: 'Installer.sh',
  bundleDigest: 'tarSha256',
  allowsUserInstallations: true,
  shellCommand: (args) => args.map(quoteForShell).join(' '),
  removeFolder: (folder) => rmSync(folder, { recursive: true, force: true }),
}
