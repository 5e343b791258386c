import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isRoot } from '../../base/environment.ts'
import { runOrExplain, tryRun } from '../../base/run-tool.ts'
import { writeFileAtomically } from '../../base/write-file.ts'
import { quoteForShell } from '../../../shared/shell-quote.ts'
import type { ServiceManager, ServiceSpec } from '../service-manager.ts'

/** Must not end with the instance name: OpenRC ignores names that end in `.sh`. */
const serviceName = ({ instanceId }: ServiceSpec) => `farhand.agent${instanceId ? `-${instanceId}` : ''}.service`
const scriptFile = (spec: ServiceSpec) => join('/etc/init.d', serviceName(spec))
const runLevel = 'default'

/**
 * Service script of an agent that is started at boot and restarted whenever it exits. OpenRC evaluates the arguments
 * twice, so they are quoted twice.
 */
export function scriptText({ run, paths }: ServiceSpec): string {
  const [program, ...args] = run
  return `#!/sbin/openrc-run
description="Farhand agent"
supervisor=supervise-daemon
command=${quoteForShell(program)}
command_args=${quoteForShell(args.map(quoteForShell).join(' '))}
error_log=${quoteForShell(join(paths.logFolder, 'stderr.log'))}
respawn_delay=5
respawn_max=0

depend() {
	use net
	after localmount bootmisc firewall
}
`
}

export const openrc: ServiceManager = {
  describe: (spec) => `OpenRC service ${serviceName(spec)}`,
  // The folder exists only while OpenRC manages the system; the program may exist without being used.
  isAvailable: async () => isRoot && existsSync('/run/openrc') && existsSync('/sbin/openrc-run'),
  isInstalled: (spec) => existsSync(scriptFile(spec)),
  privateFolder: ({ logFolder }) => logFolder,
  async install(spec) {
    writeFileAtomically(scriptFile(spec), scriptText(spec), 0o755)
    await runOrExplain('/sbin/rc-update', 'add', serviceName(spec), runLevel)
    await runOrExplain('/sbin/rc-service', serviceName(spec), 'restart')
  },
  async stop(spec) {
    await runOrExplain('/sbin/rc-service', '--ifstarted', serviceName(spec), 'stop')
  },
  async uninstall(spec) {
    await tryRun('/sbin/rc-service', '--ifstarted', serviceName(spec), 'stop')
    await tryRun('/sbin/rc-update', 'del', serviceName(spec), runLevel)
    rmSync(scriptFile(spec), { force: true })
  },
}
