import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { runningPid } from '../device/state.ts'
import { platform } from '../platform/index.ts'
import { quoteForShell } from '../../shared/shell-quote.ts'
import type { ServiceManager, ServiceSpec } from '../platform/service-manager.ts'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function stop({ paths }: ServiceSpec) {
  const pid = runningPid(paths)
  if (!pid) {
    return
  }
  process.kill(pid, 'SIGTERM')
  for (let tries = 0; tries < 50; tries++) {
    await pause(100)
    if (runningPid(paths) !== pid) {
      return
    }
  }
  process.kill(pid, 'SIGKILL')
}

/** Explains how to start the agent after a reboot, on systems without a service manager. */
export function backgroundNote(run: readonly string[], hasCron: boolean): string {
  const start = `nohup ${platform.program.shellCommand(run)} >/dev/null 2>&1 &`
  const advice = hasCron
    ? `To start it at boot by cron:\n  (crontab -l 2>/dev/null; echo ${quoteForShell(`@reboot ${start}`)}) | crontab -`
    : `Let your system run this command at each boot (in a container: in its start command):\n  ${start}`
  return (
    'No service manager that this user may use (systemd, or OpenRC as root) runs here, so the agent was started in the ' +
    `background. It will NOT start again after a reboot. ${advice}`
  )
}

/** Whether the agent that this process started last has ended. */
let hasEnded = false

/** Runs the agent as a detached process, on systems without a service manager, such as containers. */
export const background: ServiceManager = {
  describe: ({ paths }) => `process ${runningPid(paths) ?? ''}`.trim(),
  isAvailable: async () => true,
  isInstalled: ({ paths }) => runningPid(paths) !== undefined,
  privateFolder: ({ logFolder }) => logFolder,
  async install(spec) {
    await stop(spec)
    const [program, ...args] = spec.run
    // The agent writes its own log; the redirected output holds early errors and crashes.
    const errors = openSync(join(spec.paths.logFolder, 'LogFile.log'), 'a', 0o600)
    const started = spawn(program, args, { detached: true, stdio: ['ignore', 'ignore', errors], cwd: '/' })
    hasEnded = false
    started.once('exit', () => (hasEnded = true)).unref()
    closeSync(errors)
  },
  hasEnded: () => hasEnded,
  stop,
  uninstall: stop,
  note: ({ run }) => backgroundNote(run, existsSync('/usr/bin/crontab')),
}
