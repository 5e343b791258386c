import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { environment, isRoot } from '../../base/environment.ts'
import { runOrExplain, tryRun } from '../../base/run-tool.ts'
import { writeFileAtomically } from '../../base/write-file.ts'
import type { ServiceManager, ServiceSpec } from '../service-manager.ts'

const unitName = ({ instanceId }: ServiceSpec) => `farhand.agent${instanceId ? `-${instanceId}` : ''}.service`

const unitFile = (spec: ServiceSpec) =>
  join(isRoot ? '/etc/systemd/system' : join(environment.home, '.config/systemd/user'), unitName(spec))

const scope = isRoot ? [] : ['--user']
const systemctl = (...args: string[]) => runOrExplain('systemctl', ...scope, ...args)

const quote = (text: string) =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`

/**
 * Unit of an agent. With `KillMode=process`, an uninstallation started by the agent survives the stop of the service.
 */
export const unitText = ({ run }: ServiceSpec, asRoot = isRoot) => `[Unit]
Description=Farhand agent
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
ExecStart=${run.map(quote).join(' ')}
Restart=always
RestartSec=5
KillMode=process

[Install]
WantedBy=${asRoot ? 'multi-user.target' : 'default.target'}
`

export const systemd: ServiceManager = {
  describe: (spec) => `systemd ${isRoot ? '' : 'user '}service ${unitName(spec)}`,
  isAvailable: async () =>
    existsSync('/run/systemd/system') && (isRoot || (await tryRun('systemctl', '--user', 'show-environment'))),
  isInstalled: (spec) => existsSync(unitFile(spec)),
  async install(spec) {
    mkdirSync(dirname(unitFile(spec)), { recursive: true })
    writeFileAtomically(unitFile(spec), unitText(spec))
    await systemctl('daemon-reload')
    await systemctl('enable', unitName(spec))
    await systemctl('restart', unitName(spec))
    if (!isRoot) {
      // Without lingering the service ends with the user's last session; enabling may require an administrator, hence
      // `tryRun`.
      await tryRun('loginctl', 'enable-linger', userInfo().username)
    }
  },
  async stop(spec) {
    await systemctl('stop', unitName(spec))
  },
  async uninstall(spec) {
    await tryRun('systemctl', ...scope, 'disable', '--now', unitName(spec))
    rmSync(unitFile(spec), { force: true })
    await systemctl('daemon-reload')
  },
}
