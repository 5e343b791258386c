import { expandable, writeMachineKey } from './registry.ts'
import { winbase } from './win32/winbase.ts'

/** Event source of the agent and its service. */
export const eventSource = 'Farhand.Agent'

/** Event ids; any id below 65536 works with the message file of .NET, which prints its arguments. */
export const events = { installed: 1, uninstalled: 2, notInstalled: 3 } as const

const [error, information] = [1, 4]
const everyType = 7

/**
 * Registers the event source with the Application log. The source stays after uninstallation: without it, Windows shows
 * older entries without their text.
 */
export const registerEventSource = (): Promise<void> =>
  writeMachineKey(`SYSTEM\\CurrentControlSet\\Services\\EventLog\\Application\\${eventSource}`, {
    EventMessageFile: expandable('%SystemRoot%\\Microsoft.NET\\Framework64\\v4.0.30319\\EventLogMessages.dll'),
    TypesSupported: everyType,
  })

/** Writes an entry to the Application log; failures are ignored. */
export async function writeEvent(id: number, text: string): Promise<void> {
  const { registerEventSource: open, reportEvent, deregisterEventSource } = await winbase()
  const log = open(null, eventSource)
  if (log !== 0) {
    reportEvent(log, id === events.notInstalled ? error : information, 0, id, null, 1, 0, [text], null)
    deregisterEventSource(log)
  }
}
