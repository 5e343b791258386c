import { nativeFunctions } from '../../base/native-functions.ts'
import type { Handle } from './library.ts'
import { expandable, writeMachineKey } from './registry.ts'

/** Event source of the agent and its service. */
export const eventSource = 'Farhand.Agent'

/** Event ids; any id below 65536 works with the message file of .NET, which prints its arguments. */
export const events = { installed: 1, uninstalled: 2, agentEnded: 3 } as const

interface EventFunctions {
  open: (server: null, source: string) => Handle
  report: (
    log: Handle,
    type: number,
    category: number,
    id: number,
    user: null,
    textCount: number,
    dataBytes: number,
    texts: string[],
    data: null,
  ) => boolean
  close: (log: Handle) => boolean
}

const functions = nativeFunctions((koffi): EventFunctions => {
  const advapi32 = koffi.load('advapi32.dll')
  return {
    open: advapi32.func('intptr __stdcall RegisterEventSourceW(str16 server, str16 source)'),
    report: advapi32.func(
      'bool __stdcall ReportEventW(intptr log, uint16 type, uint16 category, uint32 id, void *user, uint16 textCount, uint32 dataBytes, str16 *texts, void *data)',
    ),
    close: advapi32.func('bool __stdcall DeregisterEventSource(intptr log)'),
  }
})

const information = 4
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

/** Writes an information entry to the Application log; failures are ignored. */
export async function writeEvent(id: number, text: string): Promise<void> {
  const { open, report, close } = await functions()
  const log = open(null, eventSource)
  if (log !== 0) {
    report(log, information, 0, id, null, 1, 0, [text], null)
    close(log)
  }
}
