import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { environment, isRoot } from '../../base/environment.ts'
import { runOrExplain, tryRun } from '../../base/run-tool.ts'
import { writeFileAtomically } from '../../base/write-file.ts'
import type { ServiceManager, ServiceSpec } from '../service-manager.ts'

const label = ({ instanceId }: ServiceSpec) => `app.farhand.agent${instanceId ? `.${instanceId}` : ''}`

const plistFile = (spec: ServiceSpec) =>
  join(isRoot ? '/Library/LaunchDaemons' : join(environment.home, 'Library/LaunchAgents'), `${label(spec)}.plist`)

const domain = () => (isRoot ? 'system' : `gui/${process.getuid?.()}`)

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Property list of an agent that is started at boot (or login) and restarted whenever it exits. */
export const plistText = (spec: ServiceSpec) => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${escapeXml(label(spec))}</string>
  <key>ProgramArguments</key>
  <array>
${spec.run.map((argument) => `    <string>${escapeXml(argument)}</string>`).join('\n')}
  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <true/>
  <key>AbandonProcessGroup</key>
  <true/>
  <key>StandardErrorPath</key>
  <string>${escapeXml(join(spec.paths.logFolder, 'stderr.log'))}</string>
</dict>
</plist>
`

/** Lists permissions that only a person at the Mac can grant (TCC). */
export const permissionNote = ({ run }: Pick<ServiceSpec, 'run'>) =>
  `macOS asks the person at this Mac before a program may do these. Allow "node" (${run[0]}) once, in System Settings, ` +
  'Privacy & Security:\n' +
  '  Screen & System Audio Recording   to show the screen\n' +
  '  Accessibility                     to use mouse and keyboard\n' +
  "  Full Disk Access                  to read Desktop, Documents, Downloads and other people's folders\n" +
  'Everything else works without these permissions.'

const unload = (spec: ServiceSpec) => tryRun('/bin/launchctl', 'bootout', `${domain()}/${label(spec)}`)

export const launchd: ServiceManager = {
  describe: (spec) => `launchd ${isRoot ? 'daemon' : 'agent'} ${label(spec)}`,
  isAvailable: async () => true,
  isInstalled: (spec) => existsSync(plistFile(spec)),
  privateFolder: ({ logFolder }) => logFolder,
  async install(spec) {
    mkdirSync(dirname(plistFile(spec)), { recursive: true })
    writeFileAtomically(plistFile(spec), plistText(spec), 0o644)
    await unload(spec)
    await runOrExplain('/bin/launchctl', 'bootstrap', domain(), plistFile(spec))
  },
  async stop(spec) {
    await unload(spec)
  },
  async uninstall(spec) {
    await unload(spec)
    rmSync(plistFile(spec), { force: true })
  },
  note: permissionNote,
}
