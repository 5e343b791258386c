import { existsSync } from 'node:fs'
import type { PowerVariant } from '../../../shared/dtos/power-change.ts'
import { wait, type Clock } from '../../base/clock.ts'
import type { CommandLine } from '../../base/command-line.ts'
import { runTool } from '../../base/run-tool.ts'

/** Time in which the program that locks a screen reports it to logind. */
const lockMs = 8_000
const lookMs = 250

interface Session {
  id: string
  isGraphical: boolean
  isLocked: boolean
}

type RunTool = typeof runTool

const hasSystemd = () => existsSync('/run/systemd/system')

/** Sessions of people that logind knows, without those of greeters and of the service managers of users. */
export async function sessionsOfPeople(run: RunTool = runTool): Promise<Session[]> {
  const list = await run('loginctl', 'list-sessions', '--no-legend', '--no-pager')
  const ids = list.split('\n').flatMap((line) => line.trim().split(/\s+/)[0] || [])
  const sessions = await Promise.all(
    ids.map(async (id) => {
      const shown = await run('loginctl', 'show-session', id, '--property=Class,Type,LockedHint')
      const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(shown)?.[1] ?? ''
      const isGraphical = ['x11', 'wayland', 'mir'].includes(value('Type'))
      return { id, isPerson: value('Class') === 'user', isGraphical, isLocked: value('LockedHint') === 'yes' }
    }),
  )
  return sessions.filter(({ isPerson }) => isPerson)
}

/** Changes that this system has. Without systemd and logind there are none. */
export async function powerVariants(isThere = hasSystemd(), run: RunTool = runTool): Promise<PowerVariant[]> {
  if (!isThere) {
    return []
  }
  // Replies `s "yes"`; other replies mean that the machine cannot do it, or that the agent's user may not.
  const can = async (method: string) =>
    (
      await run(
        'busctl',
        'call',
        'org.freedesktop.login1',
        '/org/freedesktop/login1',
        'org.freedesktop.login1.Manager',
        method,
      )
    ).includes('"yes"')
  const [canSleep, hasFirmware] = await Promise.all([can('CanSuspend'), can('CanRebootToFirmwareSetup')])
  return ['lock', 'log-off', ...(canSleep ? ['sleep' as const] : []), ...(hasFirmware ? ['firmware' as const] : [])]
}

/** Asks systemd and logind; without them this system has no such change. */
export async function powerVariant(change: PowerVariant): Promise<readonly CommandLine[] | undefined> {
  if (!hasSystemd()) {
    return undefined
  }
  switch (change) {
    case 'lock':
      return (await sessionsOfPeople())
        .filter(({ isGraphical }) => isGraphical)
        .map(({ id }) => ['loginctl', 'lock-session', id])
    case 'log-off':
      return (await sessionsOfPeople()).map(({ id }) => ['loginctl', 'terminate-session', id])
    case 'sleep':
      return [['systemctl', 'suspend']]
    case 'firmware':
      return [['systemctl', 'reboot', '--firmware-setup']]
    case 'safe-mode':
      return undefined
  }
}

/**
 * Waits until every screen is locked; resolves with a sentence if some are not. `lock-session` succeeds where no program
 * listens for it; those that lock a screen set `LockedHint`.
 */
export async function lockProblem(clock: Clock, sessions = sessionsOfPeople): Promise<string | undefined> {
  for (const until = clock.monotonic() + lockMs; ;) {
    const open = (await sessions()).filter(({ isGraphical, isLocked }) => isGraphical && !isLocked)
    if (open.length === 0) {
      return undefined
    }
    if (clock.monotonic() >= until) {
      return 'No program on this desktop reported that it locked the screen. It has no screen lock, or one that the system does not know of.'
    }
    await wait(clock, lookMs)
  }
}
