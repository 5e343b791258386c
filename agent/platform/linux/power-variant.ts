import { existsSync } from 'node:fs'
import type { PowerVariant } from '../../../shared/dtos/power-change.ts'
import type { CommandLine } from '../../base/command-line.ts'
import { runTool } from '../../base/run-tool.ts'

/** Sessions of people that logind knows, without those of greeters and of the service managers of users. */
async function sessionsOfPeople(): Promise<string[]> {
  const list = await runTool('loginctl', 'list-sessions', '--no-legend', '--no-pager')
  const ids = list.split('\n').flatMap((line) => line.trim().split(/\s+/)[0] || [])
  const kinds = await Promise.all(
    ids.map((id) => runTool('loginctl', 'show-session', id, '--property=Class', '--value')),
  )
  return ids.filter((_, index) => kinds[index]?.trim() === 'user')
}

/** Asks systemd and logind; without them this system has no such change. */
export async function powerVariant(change: PowerVariant): Promise<readonly CommandLine[] | undefined> {
  if (!existsSync('/run/systemd/system')) {
    return undefined
  }
  switch (change) {
    case 'lock':
      return [['loginctl', 'lock-sessions']]
    case 'log-off':
      return (await sessionsOfPeople()).map((id) => ['loginctl', 'terminate-session', id])
    case 'sleep':
      return [['systemctl', 'suspend']]
    case 'firmware':
      return [['systemctl', 'reboot', '--firmware-setup']]
  }
}
